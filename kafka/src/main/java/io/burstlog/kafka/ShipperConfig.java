// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.ConsumedRecords;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * Says what a {@link KafkaShipper} ships, and where to. Immutable; {@code folder}, {@code topic} and brokers are
 * required.
 */
public final class ShipperConfig {

    /** Headers that a record may lack. It always has the headers that identify it. */
    public enum Header {
        /** {@code burst-ring}: the id of the ring, as {@code burstlog info} shows it. */
        RING,
        /** {@code burst-stream}: the name of the stream when the folder was made. */
        STREAM,
        /** {@code burst-sequence}: what the append returned. */
        SEQUENCE,
        /**
         * {@code burst-time}: the event time, as it was appended: nanoseconds since 1970 for the logging frameworks.
         */
        TIME
    }

    static final String INTERCEPTORS = "interceptor.classes";
    private static final int DEFAULT_TRANSACTION_BYTES = 4 << 20;

    private static final Map<String, Object> DEFAULTS = Map.of(
            "request.timeout.ms", "15000",
            "delivery.timeout.ms", "30000",
            "default.api.timeout.ms", "30000",
            "max.block.ms", "30000",
            "transaction.timeout.ms", "60000",
            "max.request.size", Integer.toString(64 << 20),
            "buffer.memory", Integer.toString(128 << 20));

    private final Builder set;
    private final Map<String, Object> clientProperties;

    private ShipperConfig(Builder builder) {
        set = builder.copy();
        require(set.folder, "folder", "the folder of segments of a stream");
        require(set.topic, "topic", "a topic that is there");
        require((String) set.properties.get("bootstrap.servers"), "bootstrap.servers", "HOST:PORT of a broker");
        if (set.partition >= 0 && set.key != null) {
            throw refused("partition " + set.partition + " and a key are both set; take one of them.");
        }
        if (!set.properties.getOrDefault(INTERCEPTORS, "").toString().isBlank()) {
            throw refused(
                    INTERCEPTORS + " is set; leave it out: an interceptor may change what is shipped, and a session"
                            + " goes on only if the last record in the topic is as the folder has it.");
        }
        if (set.transactionBytes < 1) {
            throw refused("transactionBytes is " + set.transactionBytes + "; set it to 1 or more.");
        }
        clientProperties = ClientSettings.of(DEFAULTS, set.properties);
        ClientSettings.coverTransactions(clientProperties, set.properties);
    }

    private static void require(String value, String name, String meaning) {
        if (value == null || value.isBlank()) {
            throw refused(name + " is missing; set it to " + meaning + ".");
        }
    }

    static BurstException refused(String sentence) {
        return new BurstException(BurstException.Code.INVALID_ARGUMENT, sentence);
    }

    /** {@return a builder with every value at its default} */
    public static Builder builder() {
        return new Builder();
    }

    String folder() {
        return set.folder;
    }

    String topic() {
        return set.topic;
    }

    String consumer() {
        return set.consumer == null ? defaultConsumer() : set.consumer;
    }

    private String defaultConsumer() {
        return "to-kafka-" + set.topic;
    }

    int partition() {
        return set.partition;
    }

    Function<ConsumedRecords, byte[]> key() {
        return set.key;
    }

    Set<Header> headers() {
        return set.headers;
    }

    int transactionBytes() {
        return set.transactionBytes;
    }

    boolean acceptsOldBrokers() {
        return set.acceptsOldBrokers;
    }

    Consumer<BurstEvent> listener() {
        return set.listener;
    }

    /**
     * Returns the command that ships the folder in a process of its own, as this configuration does. Properties other
     * than the brokers may be secrets: the command names a file for them.
     *
     * @return the command, or null for a configuration whose keys a program makes, which no command can say
     */
    String command() {
        if (set.key != null && set.keyPattern == null) {
            return null;
        }
        StringBuilder command = new StringBuilder("java -jar burstlog-kafka.jar ")
                .append(SettingTexts.quoted(set.folder))
                .append(" --topic ")
                .append(set.topic)
                .append(" --property bootstrap.servers=")
                .append(servers());
        if (set.properties.size() > 1) {
            command.append(" --properties FILE"); // with the others
        }
        if (!consumer().equals(defaultConsumer())) {
            command.append(" --consumer ").append(set.consumer);
        }
        if (set.partition >= 0) {
            command.append(" --partition ").append(set.partition);
        }
        if (set.keyPattern != null) {
            command.append(" --key-pattern ").append(SettingTexts.quoted(set.keyPattern));
        }
        if (set.headers.size() < Header.values().length) {
            command.append(" --headers ").append(SettingTexts.of(set.headers));
        }
        if (set.transactionBytes != DEFAULT_TRANSACTION_BYTES) {
            command.append(" --transaction-bytes ").append(set.transactionBytes);
        }
        return command.append(set.acceptsOldBrokers ? " --accept-old-brokers" : "")
                .toString();
    }

    String servers() {
        return set.properties.get("bootstrap.servers").toString();
    }

    /** Returns the properties of Kafka's clients, defaults included: a copy that the caller may change. */
    Map<String, Object> clientProperties() {
        return new HashMap<>(clientProperties);
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {

        private String folder;
        private String topic;
        private String consumer;
        private int partition = -1;
        private Function<ConsumedRecords, byte[]> key;
        private String keyPattern;
        private Set<Header> headers = EnumSet.allOf(Header.class);
        private int transactionBytes = DEFAULT_TRANSACTION_BYTES;
        private boolean acceptsOldBrokers;
        private Consumer<BurstEvent> listener = event -> {};
        private Map<String, Object> properties = new TreeMap<>();

        private Builder() {}

        private Builder copy() {
            Builder copy = new Builder();
            copy.folder = folder;
            copy.topic = topic;
            copy.consumer = consumer;
            copy.partition = partition;
            copy.key = key;
            copy.keyPattern = keyPattern;
            copy.headers = Set.copyOf(headers);
            copy.transactionBytes = transactionBytes;
            copy.acceptsOldBrokers = acceptsOldBrokers;
            copy.listener = Objects.requireNonNull(listener, "listener");
            copy.properties = Map.copyOf(properties);
            return copy;
        }

        /** Required: the folder of segments of a stream. A log must have written it once. */
        public Builder folder(String path) {
            folder = path;
            return this;
        }

        /** Required: the topic. It must be there; a shipper makes none. */
        public Builder topic(String name) {
            topic = name;
            return this;
        }

        /** The name of the consumer in the folder; by default {@code to-kafka-TOPIC}. */
        public Builder consumer(String name) {
            consumer = name;
            return this;
        }

        /**
         * The partition that gets all records; by default, -1, one by the folder's id: the order of the stream is kept.
         */
        public Builder partition(int number) {
            partition = number;
            return this;
        }

        /**
         * Makes the key of a record, which decides its partition. Records of one key keep their order. Null, the
         * default: records have no key, and all of them go to one partition.
         */
        public Builder key(Function<ConsumedRecords, byte[]> keyOf) {
            key = keyOf;
            keyPattern = null;
            return this;
        }

        /** The key is what the one group of a regular expression finds in the text of a record. */
        Builder keyPattern(String regularExpression) {
            key = SettingTexts.keyOf(regularExpression);
            keyPattern = regularExpression;
            return this;
        }

        /** The optional headers that each record gets; all of them by default. */
        public Builder headers(Set<Header> choice) {
            headers = choice;
            return this;
        }

        /**
         * The most bytes of one transaction, as {@link io.burstlog.BurstConsumer#poll} counts them; 4 MiB by default.
         */
        public Builder transactionBytes(int bytes) {
            transactionBytes = bytes;
            return this;
        }

        /** Whether brokers below 4.0, without KIP-890, are accepted, with a WARN; by default they are refused. */
        public Builder acceptOldBrokers(boolean choice) {
            acceptsOldBrokers = choice;
            return this;
        }

        /**
         * The listener gets the shipper's events, in the shipper's thread, or in the one that starts it; none by
         * default. The shipper goes on if it throws: that goes to the thread's handler of uncaught exceptions.
         */
        public Builder listener(Consumer<BurstEvent> choice) {
            listener = choice;
            return this;
        }

        /**
         * A property of Kafka, of producer, consumer and admin alike: {@code bootstrap.servers}, TLS, SASL, ...
         * {@code interceptor.classes} is refused: the shipper would not recognize a record that an interceptor has
         * changed.
         */
        public Builder property(String name, String value) {
            properties.put(name, value);
            return this;
        }

        /**
         * Checks what can be checked without broker and folder, properties of Kafka included.
         *
         * @return the configuration
         * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: one sentence about the value
         */
        public ShipperConfig build() {
            return new ShipperConfig(this);
        }
    }
}
