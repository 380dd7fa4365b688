// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.MockConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.record.TimestampType;
import org.junit.jupiter.api.Test;

/** The end of a copy in a topic where blocks are missing. Kafka's consumer for tests reads it. */
class CopyTopicTest {

    private static final TopicPartition PARTITION = new TopicPartition("copy", 0);
    private static final byte[] RING = {1};
    private static final byte[] OTHER = {2};

    private final List<ConsumerRecord<byte[], byte[]>> messages = new ArrayList<>();

    private void add(byte[] ring, Headers headers) {
        messages.add(new ConsumerRecord<>(
                PARTITION.topic(),
                PARTITION.partition(),
                messages.size(),
                0,
                TimestampType.CREATE_TIME,
                0,
                0,
                ring,
                null,
                headers,
                Optional.empty()));
    }

    private void addBegin() {
        add(RING, CopyTopic.begunBy("x"));
    }

    private void addBlocks(byte[] ring, long first, long last) {
        for (long number = first; number <= last; number++) {
            add(ring, CopyTopic.numbered(number));
        }
    }

    private ConsumerRecord<byte[], byte[]> newest() throws IOException {
        MockConsumer<byte[], byte[]> consumer = new MockConsumer<>("earliest") {
            @Override
            public synchronized void seek(TopicPartition partition, long offset) {
                super.seek(partition, offset);
                messages.subList((int) offset, messages.size()).forEach(this::addRecord);
            }
        };
        consumer.updateBeginningOffsets(Map.of(PARTITION, 0L));
        try (CopyTopic topic = new CopyTopic(consumer, PARTITION, RING, Long.MAX_VALUE)) {
            return topic.newestBefore(messages.size());
        }
    }

    @Test
    void aWriterWithoutItsFirstBlockHidesNoneOfTheOneBefore() throws IOException {
        addBegin();
        addBlocks(RING, 1, 3);
        addBlocks(OTHER, 1, 20);
        addBegin();
        addBlocks(RING, 2, 2);
        assertThat(newest()).isSameAs(messages.get(3));
    }

    /** Only the blocks of one writer tell that those before them were stored. */
    @Test
    void blocksOfALaterWriterDoNotVouchForThoseOfTheOneBefore() throws IOException {
        addBegin();
        addBlocks(RING, 1, 3);
        addBlocks(RING, 5, 60);
        addBegin();
        addBlocks(RING, 2, 60);
        assertThat(newest()).isSameAs(messages.get(3));
    }
}
