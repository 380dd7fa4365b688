// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.MockProducer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.Test;

/** The end of Kafka's clients, which here are none. */
class BrokersTest {

    private final List<String> closed = new ArrayList<>();

    private void note(String client) {
        closed.add(client + (Thread.currentThread().isInterrupted() ? " interrupted" : ""));
    }

    @Test
    void anInterruptedThreadGivesTheProducerItsTimeAndClosesBoth() {
        MockProducer<byte[], byte[]> producer =
                new MockProducer<>(true, null, new ByteArraySerializer(), new ByteArraySerializer()) {
                    @Override
                    public void close(Duration farewell) {
                        note("producer within " + farewell);
                        throw new KafkaException("seeded");
                    }
                };
        Admin admin = (Admin)
                Proxy.newProxyInstance(Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (a, b, c) -> {
                    note("admin");
                    return null;
                });
        boolean isStillInterrupted;
        Thread.currentThread().interrupt();
        try {
            assertThatThrownBy(() -> Brokers.close(producer, Duration.ofSeconds(7), admin))
                    .hasMessage("seeded");
        } finally {
            isStillInterrupted = Thread.interrupted();
        }
        assertThat(closed).containsExactly("producer within PT7S", "admin");
        assertThat(isStillInterrupted).isTrue();
    }
}
