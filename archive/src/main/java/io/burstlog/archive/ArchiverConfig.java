// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;

/**
 * Says what an {@link Archiver} archives, and where to. Immutable; {@code folder}, {@code archive} and {@code key} are
 * required.
 */
public final class ArchiverConfig {

    private static final String DEFAULT_CONSUMER = "to-archive";
    private static final Pattern ANCHOR_NAME = Pattern.compile("[A-Za-z0-9-][A-Za-z0-9.-]*");

    private final Builder set;

    private ArchiverConfig(Builder builder) {
        set = builder.copy();
        require(set.folder, "folder", "the folder of segments of a stream");
        require(set.archive, "archive", "the folder of the archive");
        require(set.key, "key", "the file of its private key, which the command key makes");
        requireHeadElsewhere();
        if (set.interval.isNegative() || set.interval.isZero()) {
            throw refused("interval is " + set.interval + "; set it to more than zero.");
        }
        requireAnchors();
        if (set.keepFor != null && set.keepFor.compareTo(Duration.ofDays(1)) < 0) {
            throw refused("keepFor is " + set.keepFor + "; set it to at least one day.");
        }
        if (set.keepBytes < 0) {
            throw refused("keepBytes is " + set.keepBytes + "; set it to more than zero, or leave it out.");
        }
    }

    private void requireAnchors() {
        Set<String> names = new HashSet<>();
        for (Anchor each : set.anchors) {
            String name = each.name();
            if (name == null || !ANCHOR_NAME.matcher(name).matches()) {
                throw refused(
                        "\"" + name + "\" cannot name an anchor: write letters, digits, dots and hyphens, and no dot"
                                + " at the beginning.");
            }
            if (!names.add(name)) {
                throw refused("Two anchors are named " + name + ": give each its own name.");
            }
        }
        if (set.sealedEvery < 1) {
            throw refused("sealedEvery is " + set.sealedEvery + "; set it to at least 1 leaf.");
        }
        if (set.sealedWithin.compareTo(Sealing.ANSWER) < 0) {
            throw refused("sealedWithin is " + set.sealedWithin + "; set it to at least " + Sealing.ANSWER
                    + ", which an anchor has for its answer.");
        }
    }

    private void requireHeadElsewhere() {
        if (head().toAbsolutePath()
                .normalize()
                .startsWith(archive().toAbsolutePath().normalize())) {
            throw refused("head is " + head() + ", in the archive " + archive()
                    + ", and would be brought back with an older state of it; set it to a file elsewhere.");
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

    Path head() {
        return Archiver.head(key(), set.head == null ? null : Path.of(set.head));
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

    Sealing sealing() {
        return new Sealing(
                set.anchors.stream().map(Anchor::name).toList(), set.sealedEvery, set.sealedWithin.toSeconds());
    }

    Duration keepFor() {
        return set.keepFor;
    }

    long keepBytes() {
        return set.keepBytes;
    }

    Retention retention() {
        return new Retention(keepFor(), keepBytes(), set.clocks, set.archive, set.listener);
    }

    Clocks clocks() {
        return set.clocks;
    }

    Consumer<BurstEvent> listener() {
        return set.listener;
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {

        private String folder;
        private String archive;
        private String key;
        private String head;
        private String consumer = DEFAULT_CONSUMER;
        private Duration interval = Duration.ofSeconds(1);
        private List<Anchor> anchors = new ArrayList<>();
        private long sealedEvery = 1_000_000;
        private Duration sealedWithin = Duration.ofMinutes(10);
        private Duration keepFor;
        private long keepBytes;
        private Clocks clocks = Clocks.ofHost();
        private Consumer<BurstEvent> listener = event -> {};

        private Builder() {}

        private Builder copy() {
            Builder copy = new Builder();
            copy.folder = folder;
            copy.archive = archive;
            copy.key = key;
            copy.head = head;
            copy.consumer = Objects.requireNonNull(consumer, "consumer");
            copy.interval = Objects.requireNonNull(interval, "interval");
            copy.anchors = List.copyOf(anchors);
            copy.sealedEvery = sealedEvery;
            copy.sealedWithin = Objects.requireNonNull(sealedWithin, "sealedWithin");
            copy.keepFor = keepFor;
            copy.keepBytes = keepBytes;
            copy.clocks = clocks;
            copy.listener = Objects.requireNonNull(listener, "listener");
            return copy;
        }

        /** Required: the folder of segments of a stream. A log must have written it once. */
        public Builder folder(String path) {
            folder = path;
            return this;
        }

        /** Required: the folder of the archive, which {@link Archiver#create} makes. */
        public Builder archive(String path) {
            archive = path;
            return this;
        }

        /** Required: the file of the archive's private key, as {@link SigningKey#make} makes it. */
        public Builder key(String path) {
            key = path;
            return this;
        }

        /**
         * The file of the newest head that the key has signed, outside of the archive; by default that of the key with
         * {@code .head} behind. Choose another place if the key's folder cannot be written.
         */
        public Builder head(String path) {
            head = path;
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

        /** Adds a place that confirms heads; none by default. The archiver closes it at its end. */
        public Builder anchor(Anchor place) {
            anchors.add(place);
            return this;
        }

        /**
         * So many leaves at most lie behind the last head that an anchor has confirmed, except for a minute in which it
         * has time to answer; by default 1,000,000. Anchors are asked behind half as many. With anchors, the archive
         * states this, and verification finds where it was not so.
         */
        public Builder sealedEvery(long leaves) {
            sealedEvery = leaves;
            return this;
        }

        /**
         * So long at most a leaf lies behind the last head that an anchor has confirmed, by the monotonic clock, in
         * whole seconds; ten minutes by default, one at least. Anchors are asked behind half of it.
         */
        public Builder sealedWithin(Duration time) {
            sealedWithin = time;
            return this;
        }

        /**
         * So long payloads are kept at least, from when the archiver took them, one day or more; for ever by default.
         * Then the archive says in a leaf that their time was over, and the files with 65,536 payloads are deleted, the
         * oldest first, at most two for each that becomes full, or one an hour. Leaves, hashes and proofs stay.
         */
        public Builder keepFor(Duration time) {
            keepFor = time;
            return this;
        }

        /**
         * So many bytes the payload files have at most, but for the one that grows; 0, the default, for no limit. The
         * oldest are deleted, as with {@link #keepFor}, all that are too many at once.
         */
        public Builder keepBytes(long bytes) {
            keepBytes = bytes;
            return this;
        }

        Builder clocks(Clocks others) {
            clocks = others;
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
