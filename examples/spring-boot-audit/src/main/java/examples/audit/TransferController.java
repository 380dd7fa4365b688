// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import java.util.UUID;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** Takes transfers by HTTP. */
@RestController
class TransferController {
    private final Ledger ledger;

    TransferController(Ledger ledger) {
        this.ledger = ledger;
    }

    @PostMapping("/transfers")
    @ResponseStatus(HttpStatus.CREATED)
    String transfer(
            @RequestParam("from") String debit,
            @RequestParam("to") String credit,
            @RequestParam("amount") long amount) {
        String id = UUID.randomUUID().toString();
        ledger.transfer(id, debit, credit, amount);
        return id;
    }

    @ExceptionHandler
    ProblemDetail refuse(AuditTextException text) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.BAD_REQUEST, text.getMessage());
    }

    @ExceptionHandler
    ProblemDetail refuse(AuditRefusedException refused) {
        return ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, refused.getMessage());
    }
}
