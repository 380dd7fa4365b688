// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import io.burstlog.copy.CopyBlock;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Semaphore;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.Timeout;

/** Threads that are interrupted, since their time is over, before they close Kafka's clients. */
@Timeout(300)
class InterruptedIT extends ShipperRig {

    private static final String RING = "101112131415161718191a1b1c1d1e1f";

    /** Its last record is held back until the limit is over; all others are in the topic by then. */
    @Test
    void aShipperWhoseTimeIsOverEndsItsTransaction(TestInfo test) throws Exception {
        broker.createTopic("stopped", 1);
        Semaphore last = new Semaphore(0);
        try (WrittenStream written = open(test)) {
            written.write(20);
            written.awaitDrained();
            ShipperConfig config = config("stopped")
                    .key(record -> {
                        if (record.number() == 20) {
                            last.acquireUninterruptibly();
                        }
                        return null;
                    })
                    .property("batch.size", "1")
                    .property("transaction.timeout.ms", "600000")
                    .build();
            try (KafkaShipper shipper = KafkaShipper.start(config)) {
                while (broker.openTransactionsOf("stopped").isEmpty()) {
                    Thread.sleep(20);
                }
                shipper.close(Duration.ofMillis(100));
                last.release();
                assertThat(shipper.awaitEnd(Duration.ofSeconds(60))).isTrue();
            }
            assertThat(broker.openTransactionsOf("stopped")).isEmpty();
            assertThat(broker.read("stopped")).isEmpty();
            assertThat(Thread.getAllStackTraces().keySet())
                    .extracting(Thread::getName)
                    .noneMatch(name -> name.startsWith("kafka-") && name.endsWith("-stopped"));
        }
    }

    @Test
    void theReaderOfACopyIsClosedThoughItsWriterIsInterrupted() throws Exception {
        broker.createTopic("interrupted", 1);
        Set<ObjectName> before = readers();
        KafkaCopyStore store = new KafkaCopyStore(RING, "interrupted", Map.of("bootstrap.servers", broker.servers()));
        store.fence();
        store.send(CopyBlock.mark(RING, 1, 1), () -> {});
        assertThat(readers()).hasSizeGreaterThan(before.size());
        boolean isStillInterrupted;
        Thread.currentThread().interrupt();
        try {
            store.close();
        } finally {
            isStillInterrupted = Thread.interrupted();
        }
        assertThat(isStillInterrupted).isTrue();
        assertThat(readers()).isEqualTo(before);
    }

    private static Set<ObjectName> readers() throws Exception {
        return ManagementFactory.getPlatformMBeanServer()
                .queryNames(new ObjectName("kafka.consumer:type=app-info,*"), null);
    }
}
