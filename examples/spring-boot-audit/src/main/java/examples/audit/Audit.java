// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import io.burstlog.RingFailedException;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.context.ApplicationContext;
import org.springframework.stereotype.Component;
import org.springframework.transaction.support.TransactionSynchronization;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The audit trail: an intent before each action, and its outcome behind it. Any thread may use it. */
@Component
class Audit {
    static final String INTENT = "intent";
    static final String OUTCOME = "outcome";
    static final String COMMITTED = "committed";
    static final String ROLLED_BACK = "rolled-back";
    private static final Logger TRAIL = LoggerFactory.getLogger("audit");

    private final ApplicationContext context;

    Audit(ApplicationContext context) {
        this.context = context;
    }

    // doc: intent
    /**
     * Says what the running transaction is about to do: durable when this returns. The outcome follows the transaction.
     *
     * @throws AuditRefusedException if the trail does not take it, so that the transaction rolls back
     * @throws AuditTextException if the text is not one line: then the trail has nothing of it
     */
    void intent(String id, String action) {
        write(INTENT + ' ' + id + ' ' + action);
        TransactionSynchronizationManager.registerSynchronization(new TransactionSynchronization() {
            @Override
            public void afterCompletion(int status) {
                if (status != STATUS_UNKNOWN) {
                    outcome(id, status == STATUS_COMMITTED ? COMMITTED : ROLLED_BACK);
                }
            }
        });
    }
    // end

    /** Says how an action ended. If the trail does not take it, the next start finds the intent alone. */
    void outcome(String id, String how) {
        write(OUTCOME + ' ' + id + ' ' + how);
    }

    void write(String record) {
        record.chars().filter(Character::isISOControl).findFirst().ifPresent(control -> {
            throw new AuditTextException(control);
        });
        try {
            TRAIL.info("{}", record);
        } catch (RuntimeException refused) {
            if (hasFailed(refused)) {
                AvailabilityChangeEvent.publish(context, LivenessState.BROKEN);
            }
            throw new AuditRefusedException(refused);
        }
    }

    /** A ring that is only full may take records again; one that has failed does not until it is opened anew. */
    private static boolean hasFailed(Throwable refused) {
        return Stream.iterate(refused, cause -> cause != null, Throwable::getCause)
                .anyMatch(RingFailedException.class::isInstance);
    }
}
