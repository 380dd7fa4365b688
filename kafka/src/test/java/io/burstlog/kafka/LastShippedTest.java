// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.ListOffsetsResult;
import org.apache.kafka.clients.admin.ListOffsetsResult.ListOffsetsResultInfo;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.junit.jupiter.api.Test;

/** A look into a partition whose transactions were all aborted, without any patience. */
class LastShippedTest {

    private static final long END = 100_000;
    private static final TopicPartition PARTITION = new TopicPartition("orders", 0);

    /** Each poll passes over so many offsets of aborted transactions. */
    private long aborted;

    private long position;

    private final Admin admin = (Admin) Proxy.newProxyInstance(
            Admin.class.getClassLoader(), new Class<?>[] {Admin.class}, (proxy, call, given) -> {
                assertThat(call.getName()).isEqualTo("listOffsets");
                boolean isBegin = ((Map<?, ?>) given[0]).get(PARTITION) instanceof OffsetSpec.EarliestSpec;
                ListOffsetsResultInfo found = new ListOffsetsResultInfo(isBegin ? 0 : END, 0, Optional.empty());
                return new ListOffsetsResult(Map.of(PARTITION, KafkaFuture.completedFuture(found)));
            });

    /** As Kafka's does, it gives none of their records. */
    @SuppressWarnings("unchecked")
    private final Consumer<byte[], byte[]> topic = (Consumer<byte[], byte[]>) Proxy.newProxyInstance(
            Consumer.class.getClassLoader(), new Class<?>[] {Consumer.class}, (proxy, call, given) -> {
                switch (call.getName()) {
                    case "assign":
                        return null;
                    case "seek":
                        position = (long) given[1];
                        return null;
                    case "position":
                        return position;
                    case "poll":
                        position = Math.min(END, position + aborted);
                        return ConsumerRecords.empty();
                    default:
                        throw new AssertionError(call);
                }
            });

    private ConsumerRecord<byte[], byte[]> find() throws Exception {
        return new LastShipped(admin, topic, headers -> 1, -1).find(List.of(PARTITION), OffsetSpec.earliest());
    }

    @Test
    void itWaitsForAbortedTransactionsAsLongAsItGetsOn() throws Exception {
        aborted = 7;
        assertThat(find()).isNull();
        assertThat(position).as("it has read the first ones last").isLessThan(END);
    }

    @Test
    void itDoesNotWaitForWhatStaysUndecided() {
        assertThatThrownBy(this::find)
                .isInstanceOf(TimeoutException.class)
                .hasMessageContaining("orders-0 cannot be read from offset 99500 on");
    }
}
