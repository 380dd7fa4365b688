// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;

/**
 * Says what an {@link Archiver} archives, and where to. Immutable; {@code folder}, {@code archive} and {@code key} are
 * required.
 */
public final class ArchiverConfig {

    private static final String DEFAULT_CONSUMER = "to-archive";

    private final Builder set;

    private ArchiverConfig(Builder builder) {
        set = builder.copy();
        require(set.folder, "folder", "the folder of segments of a stream");
        require(set.archive, "archive", "the folder of the archive");
        require(set.key, "key", "the file of its private key, which the command key makes");
        if (set.interval.isNegative() || set.interval.isZero()) {
            throw refused("interval is " + set.interval + "; set it to more than zero.");
        }
    }

    private static void require(String value, String name, String meaning) {
        if (value == null || value.isBlank()) {
            throw refused(name + " is missing; set it to " + meaning + ".");
        }
    }

    private static BurstException refused(String sentence) {
        return new BurstException(BurstException.Code.INVALID_ARGUMENT, sentence);
    }

    /** {@return a builder with every value at its default} */
    public static Builder builder() {
        return new Builder();
    }

    String folder() {
        return set.folder;
    }

    Path archive() {
        return Path.of(set.archive);
    }

    Path key() {
        return Path.of(set.key);
    }

    String consumer() {
        return set.consumer;
    }

    Duration interval() {
        return set.interval;
    }

    List<Anchor> anchors() {
        return set.anchors;
    }

    Consumer<BurstEvent> listener() {
        return set.listener;
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {

        private String folder;
        private String archive;
        private String key;
        private String consumer = DEFAULT_CONSUMER;
        private Duration interval = Duration.ofSeconds(1);
        private List<Anchor> anchors = new ArrayList<>();
        private Consumer<BurstEvent> listener = event -> {};

        private Builder() {}

        private Builder copy() {
            Builder copy = new Builder();
            copy.folder = folder;
            copy.archive = archive;
            copy.key = key;
            copy.consumer = Objects.requireNonNull(consumer, "consumer");
            copy.interval = Objects.requireNonNull(interval, "interval");
            copy.anchors = List.copyOf(anchors);
            copy.listener = Objects.requireNonNull(listener, "listener");
            return copy;
        }

        /** Required: the folder of segments of a stream. A log must have written it once. */
        public Builder folder(String path) {
            folder = path;
            return this;
        }

        /** Required: the folder of the archive. An empty or missing one becomes a new archive. */
        public Builder archive(String path) {
            archive = path;
            return this;
        }

        /** Required: the file of the archive's private key, as {@link SigningKey#make} makes it. */
        public Builder key(String path) {
            key = path;
            return this;
        }

        /** The name of the consumer in the folder; by default {@code to-archive}. */
        public Builder consumer(String name) {
            consumer = name;
            return this;
        }

        /** How long records may wait for a signed head; one second by default. */
        public Builder interval(Duration time) {
            interval = time;
            return this;
        }

        /** Adds a place that confirms heads; none by default. */
        public Builder anchor(Anchor place) {
            anchors.add(place);
            return this;
        }

        /** The listener gets the archiver's events, in threads of the archiver; none by default. */
        public Builder listener(Consumer<BurstEvent> choice) {
            listener = choice;
            return this;
        }

        /**
         * Checks what can be checked without the folders.
         *
         * @return the configuration
         * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: one sentence about the value
         */
        public ArchiverConfig build() {
            return new ArchiverConfig(this);
        }
    }
}
