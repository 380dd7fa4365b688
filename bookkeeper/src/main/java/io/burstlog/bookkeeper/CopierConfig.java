// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Says what a {@link Copier} copies, and where to. Immutable; {@code folder} and the property
 * {@code metadataServiceUri} are required.
 */
public final class CopierConfig {

    static final String URI = "metadataServiceUri";
    static final String DEFAULT_CONSUMER = "to-bookkeeper";

    private static final int DEFAULT_BLOCK_BYTES = 1 << 20;

    /** A bookie takes entries of 5 MiB at most, unless it is told otherwise. */
    private static final int MOST_BLOCK_BYTES = 4 << 20;

    private final String folder;
    private final String consumer;
    private final int blockBytes;
    private final Consumer<BurstEvent> listener;
    private final Map<String, String> properties;

    private CopierConfig(Builder builder) {
        folder = builder.folder;
        consumer = builder.consumer;
        blockBytes = builder.blockBytes;
        listener = Objects.requireNonNull(builder.listener, "listener");
        properties = Map.copyOf(builder.properties);
        require(folder, "folder", "the folder of segments of a stream");
        require(properties.get(URI), URI, "zk+hierarchical://HOST:PORT/ledgers, as the bookies have it");
        if (blockBytes < 1 || blockBytes > MOST_BLOCK_BYTES) {
            throw refused("blockBytes is " + blockBytes + "; set it to 1 to " + MOST_BLOCK_BYTES + ".");
        }
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
        return folder;
    }

    String consumer() {
        return consumer;
    }

    int blockBytes() {
        return blockBytes;
    }

    Consumer<BurstEvent> listener() {
        return listener;
    }

    Map<String, String> properties() {
        return properties;
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {

        private String folder;
        private String consumer = DEFAULT_CONSUMER;
        private int blockBytes = DEFAULT_BLOCK_BYTES;
        private Consumer<BurstEvent> listener = event -> {};
        private final Map<String, String> properties = new TreeMap<>();

        private Builder() {}

        /** Required: the folder of segments of a stream. A log must have written it once. */
        public Builder folder(String path) {
            folder = path;
            return this;
        }

        /** The name of the consumer in the folder; by default {@code to-bookkeeper}. */
        public Builder consumer(String name) {
            consumer = name;
            return this;
        }

        /**
         * The most bytes of one block, as {@link io.burstlog.BurstConsumer#poll} counts them; 1 MiB by default, 4 MiB
         * at most. A single record may be longer.
         */
        public Builder blockBytes(int bytes) {
            blockBytes = bytes;
            return this;
        }

        /** The listener gets the copier's events, in the copier's thread; none by default. */
        public Builder listener(Consumer<BurstEvent> choice) {
            listener = choice;
            return this;
        }

        /** A property of BookKeeper's client: {@code metadataServiceUri}, TLS, ... */
        public Builder property(String name, String value) {
            properties.put(name, value);
            return this;
        }

        /**
         * Checks what can be checked without bookies and folder.
         *
         * @return the configuration
         * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: one sentence about the value
         */
        public CopierConfig build() {
            return new CopierConfig(this);
        }
    }
}
