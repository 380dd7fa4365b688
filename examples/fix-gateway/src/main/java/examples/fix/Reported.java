// SPDX-License-Identifier: Apache-2.0
package examples.fix;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** An order after one execution, as both sides know it: the gateway from its log, the counterparty from a report. */
record Reported(
        String execId, String orderId, String clOrdId, String ordStatus, long quantity, long filled, double price) {

    static Reported of(Order order) {
        Execution last = order.last();
        return new Reported(
                "E-" + last.number(),
                last.orderId(),
                last.clOrdId(),
                String.valueOf(last.state().ordStatus()),
                order.quantity(),
                order.filled(),
                last.price());
    }

    /** Reads an ExecutionReport, with | between its fields. */
    static Reported of(String report) {
        Map<String, String> fields = new HashMap<>();
        for (String field : report.split("\\|")) {
            String[] tagAndValue = field.split("=", 2);
            fields.put(tagAndValue[0], tagAndValue[1]);
        }
        return new Reported(
                fields.get("17"),
                fields.get("37"),
                fields.get("11"),
                fields.get("39"),
                Long.parseLong(fields.get("38")),
                Long.parseLong(fields.get("14")),
                Double.parseDouble(fields.get("44")));
    }

    static void write(Path file, List<Reported> book) throws IOException {
        Files.write(file, book.stream().map(Reported::line).toList());
    }

    private String line() {
        return String.join(" ", execId, orderId, clOrdId, ordStatus, "" + quantity, "" + filled, "" + price);
    }

    static List<Reported> read(Path file) throws IOException {
        return Files.readAllLines(file).stream()
                .map(line -> line.split(" "))
                .map(part -> new Reported(
                        part[0],
                        part[1],
                        part[2],
                        part[3],
                        Long.parseLong(part[4]),
                        Long.parseLong(part[5]),
                        Double.parseDouble(part[6])))
                .toList();
    }
}
