// SPDX-License-Identifier: Apache-2.0
package examples.audit;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstReader;
import io.burstlog.ReadRecords;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.stereotype.Component;

/**
 * Before the service takes requests: finds the intents without an outcome that a crash left behind, and adds the
 * outcome, which the database knows.
 */
@Component
class OpenIntents implements SmartInitializingSingleton {
    private static final Logger LOG = LoggerFactory.getLogger(OpenIntents.class);
    private static final long LONGEST_NANOS = 30_000_000_000L;

    private final Audit audit;
    private final Ledger ledger;
    private final String ring;

    OpenIntents(Audit audit, Ledger ledger, @Value("${audit.folder:./data}/audit.ring") String ring) {
        this.audit = audit;
        this.ledger = ledger;
        this.ring = ring;
    }

    // doc: open-intents
    @Override
    public void afterSingletonsInstantiated() {
        String start = "start " + UUID.randomUUID();
        audit.write(start);
        for (String id : findUntil(start)) {
            String how = ledger.has(id) ? Audit.COMMITTED : Audit.ROLLED_BACK;
            LOG.warn("intent {} had no outcome: {}", id, how);
            audit.outcome(id, how);
        }
    }

    /** The intents without an outcome, up to the record that this start has written. */
    private Set<String> findUntil(String start) {
        Set<String> open = new LinkedHashSet<>();
        long begin = System.nanoTime();
        try (BurstReader reader = BurstReader.of(ring).fromOldest().open()) {
            while (System.nanoTime() - begin < LONGEST_NANOS) {
                ReadRecords records = reader.poll(1 << 16, Duration.ofSeconds(1));
                while (records.next()) {
                    if (records.kind() == ReadRecords.Kind.LOST || records.kind() == ReadRecords.Kind.MISSED) {
                        throw new IllegalStateException("the audit trail has lost " + records.count() + " records");
                    }
                    String line = UTF_8.decode(records.data()).toString().strip();
                    if (line.endsWith(start)) {
                        return open;
                    }
                    String[] part = line.split(" ", 4); // time, intent or outcome, id, text
                    if (part.length < 3) {
                        LOG.warn("the audit trail has a line of {} characters that is no record of it", line.length());
                    } else if (part[1].equals(Audit.INTENT)) {
                        open.add(part[2]);
                    } else if (part[1].equals(Audit.OUTCOME)) {
                        open.remove(part[2]);
                    }
                }
            }
        }
        throw new IllegalStateException("the record \"" + start + "\" did not arrive in " + ring);
    }
    // end
}
