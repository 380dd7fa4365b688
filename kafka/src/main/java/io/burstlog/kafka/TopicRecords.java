// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.ConsumedRecords;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Locale;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.header.internals.RecordHeaders;

/** Makes the topic's record from a record of the folder, and tells which one it was. Values of headers are text. */
final class TopicRecords {

    /** The id of the folder of segments; with the number it names one record in the whole world. */
    static final String SOURCE = "burst-source";

    static final String NUMBER = "burst-number";

    /** Says what an entry is that is no record: roll, lost or missing. */
    static final String KIND = "burst-kind";

    static final String COUNT = "burst-count";

    private static final byte[] NOTHING = {};

    private final ShipperConfig config;
    private final Integer partition;
    private final RecordHeader source;
    private final RecordHeader stream;
    private String ringName = "";
    private RecordHeader ring;

    /** @param partition the partition of all records; null: the key decides */
    TopicRecords(ShipperConfig config, Integer partition, String folderId, String streamName) {
        this.config = config;
        this.partition = partition;
        source = header(SOURCE, folderId);
        stream = header("burst-stream", streamName);
    }

    private static RecordHeader header(String name, String value) {
        return new RecordHeader(name, value.getBytes(UTF_8));
    }

    private static RecordHeader header(String name, long value) {
        return header(name, Long.toString(value));
    }

    ProducerRecord<byte[], byte[]> of(ConsumedRecords records) {
        boolean isRecord = records.kind() == ConsumedRecords.Kind.RECORD;
        byte[] value = isRecord ? new byte[records.length()] : NOTHING;
        if (isRecord) {
            records.data().get(value);
        }
        byte[] key = config.key() == null || !isRecord ? null : config.key().apply(records);
        Integer target = partition == null && key == null ? Integer.valueOf(0) : partition;
        return new ProducerRecord<>(config.topic(), target, key, value, headersOf(records));
    }

    private Headers headersOf(ConsumedRecords records) {
        Headers headers = new RecordHeaders();
        headers.add(source).add(header(NUMBER, records.number()));
        if (records.kind() != ConsumedRecords.Kind.RECORD) {
            headers.add(header(KIND, records.kind().name().toLowerCase(Locale.ROOT)))
                    .add(header(COUNT, records.count()));
        }
        for (ShipperConfig.Header each : config.headers()) {
            headers.add(
                    switch (each) {
                        case RING -> ringOf(records);
                        case STREAM -> stream;
                        case SEQUENCE -> header("burst-sequence", records.sequence());
                        case TIME -> header("burst-time", records.eventTimeNanos());
                    });
        }
        return headers;
    }

    private RecordHeader ringOf(ConsumedRecords records) {
        String name = records.ring();
        if (!name.equals(ringName)) {
            ringName = name;
            ring = header("burst-ring", name);
        }
        return ring;
    }

    /** Returns the number that the record has in this folder; 0 if it comes from another folder. */
    long numberOf(Headers headers) {
        var from = headers.lastHeader(SOURCE);
        var number = headers.lastHeader(NUMBER);
        return from == null || number == null || !Arrays.equals(from.value(), source.value())
                ? 0
                : Long.parseLong(new String(number.value(), UTF_8));
    }

    /** Whether the two are the same record. A header that only one of them has does not count. */
    boolean isSame(ConsumerRecord<byte[], byte[]> inTopic, ConsumedRecords here) {
        ProducerRecord<byte[], byte[]> wanted = of(here);
        boolean isSame = Arrays.equals(inTopic.value(), wanted.value());
        for (Header each : wanted.headers()) {
            Header there = inTopic.headers().lastHeader(each.key());
            isSame &= there == null || Arrays.equals(there.value(), each.value());
        }
        return isSame;
    }

    /** Returns the folder's partition. Every host and every version finds the same one. */
    static int partitionOf(String folderId, int partitions) {
        int hash = HexFormat.fromHexDigits(folderId, 0, 8);
        return Integer.remainderUnsigned(hash, partitions);
    }
}
