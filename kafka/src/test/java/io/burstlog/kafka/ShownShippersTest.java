// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstEvent;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Shippers as management clients see them; no broker answers these. */
class ShownShippersTest {

    private final MBeanServer server = ManagementFactory.getPlatformMBeanServer();
    private final Queue<BurstEvent> told = new ConcurrentLinkedQueue<>();

    @TempDir
    private Path directory;

    private ShipperConfig config(WrittenStream written, String consumer) {
        return builder(written, consumer).build();
    }

    private ShipperConfig.Builder builder(WrittenStream written, String consumer) {
        return ShipperConfig.builder()
                .folder(written.folder().toString())
                .topic("orders")
                .consumer(consumer)
                .listener(told::add)
                .property("bootstrap.servers", "127.0.0.1:1")
                .property("request.timeout.ms", "500")
                .property("default.api.timeout.ms", "1000")
                .property("delivery.timeout.ms", "1000")
                .property("max.block.ms", "1000");
    }

    private static ObjectName name(WrittenStream written, String consumer) throws Exception {
        return new ObjectName("io.burstlog:type=Shipper,folder=\"" + written.folder()
                + "\",topic=\"orders\",consumer=\"" + consumer + "\"");
    }

    @Test
    void twoShippersOfOneFolderToOneTopicOfTwoClustersAreBothShown() throws Exception {
        try (WrittenStream written = new WrittenStream(directory)) {
            written.write(1);
            written.awaitDrained();
            try (KafkaShipper east = KafkaShipper.start(config(written, "east"));
                    KafkaShipper west = KafkaShipper.start(config(written, "west"))) {
                assertThat(server.getAttribute(name(written, "east"), "Ended")).isEqualTo(false);
                assertThat(server.getAttribute(name(written, "west"), "Ended")).isEqualTo(false);
                assertThat(east).isNotSameAs(west);
            }
            assertThat(server.queryNames(new ObjectName("io.burstlog:type=Shipper,*"), null))
                    .isEmpty();
            assertThat(told).extracting(BurstEvent::text).noneMatch(text -> text.contains("management"));
        }
    }

    @Test
    void aShipperWhoseNameIsTakenSaysThatItIsNotShown() throws Exception {
        try (WrittenStream written = new WrittenStream(directory)) {
            written.write(1);
            written.awaitDrained();
            ObjectName taken = name(written, "east");
            server.registerMBean(new StandardMBean(() -> {}, Runnable.class), taken);
            try (KafkaShipper shipper = KafkaShipper.start(config(written, "east"))) {
                assertThat(told).anySatisfy(event -> {
                    assertThat(event.severity()).isEqualTo(BurstEvent.Severity.WARN);
                    assertThat(event.text())
                            .startsWith("type=Shipper,folder=\"" + written.folder()
                                    + "\",topic=\"orders\",consumer=\"east\" is not shown to management clients: ");
                });
                assertThat(shipper.failure()).isNull();
            } finally {
                server.unregisterMBean(taken);
            }
        }
    }

    /** It cannot be shown, and the telling of that throws, to the handler of the thread as well. */
    @Test
    void aStartThatFailsLetsGoOfTheFolder() throws Exception {
        Error seeded = new OutOfMemoryError("seeded");
        try (WrittenStream written = new WrittenStream(directory)) {
            written.write(1);
            written.awaitDrained();
            ObjectName taken = name(written, "east");
            server.registerMBean(new StandardMBean(() -> {}, Runnable.class), taken);
            ShipperConfig failing = builder(written, "east")
                    .listener(event -> {
                        throw seeded;
                    })
                    .build();
            Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> {
                throw seeded;
            });
            try {
                assertThatThrownBy(() -> KafkaShipper.start(failing)).isSameAs(seeded);
            } finally {
                Thread.currentThread().setUncaughtExceptionHandler(null);
                server.unregisterMBean(taken);
            }
            try (KafkaShipper shipper = KafkaShipper.start(config(written, "east"))) {
                assertThat(server.getAttribute(taken, "Ended")).isEqualTo(false);
                assertThat(shipper.failure()).isNull();
            }
        }
    }
}
