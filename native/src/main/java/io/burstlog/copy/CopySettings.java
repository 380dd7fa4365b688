// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** How a {@link BurstCopier} keeps the second copy of a log. Immutable. */
public final class CopySettings {

    private static final int LEAST_BLOCK_BYTES = 4096;
    private static final int MOST_BLOCK_BYTES = 64 << 20;

    private final Builder set;

    private CopySettings(Builder builder) {
        set = new Builder(builder);
        Objects.requireNonNull(set.store, "store");
        if (set.blockBytes < LEAST_BLOCK_BYTES || set.blockBytes > MOST_BLOCK_BYTES) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "blockBytes=" + set.blockBytes + " cannot be used; set " + LEAST_BLOCK_BYTES + " to "
                            + MOST_BLOCK_BYTES + ".");
        }
    }

    /** {@return a builder with every value at its default} */
    public static Builder builder() {
        return new Builder();
    }

    Supplier<CopyStore> store() {
        return set.store;
    }

    BurstCopier.Away away() {
        return set.away;
    }

    CopyPlace atLeast() {
        return set.atLeast;
    }

    int blockBytes() {
        return set.blockBytes;
    }

    Consumer<BurstEvent> listener() {
        return set.listener;
    }

    /** Collects the values. Not thread-safe. */
    public static final class Builder {

        private Supplier<CopyStore> store;
        private BurstCopier.Away away = BurstCopier.Away.WAIT;
        private CopyPlace atLeast = new CopyPlace(CopyPlace.Medium.MEMORY, 2, 0, "");
        private int blockBytes = 1 << 20;
        private Consumer<BurstEvent> listener = event -> {};

        private Builder() {}

        private Builder(Builder from) {
            store = from.store;
            away = from.away;
            atLeast = from.atLeast;
            blockBytes = from.blockBytes;
            listener = from.listener;
        }

        /** Required: makes the store, once, in the copier's thread. */
        public Builder store(Supplier<CopyStore> supplier) {
            store = supplier;
            return this;
        }

        /** Whether calls wait for a copy that cannot be reached; {@link BurstCopier.Away#WAIT} by default. */
        public Builder away(BurstCopier.Away choice) {
            away = Objects.requireNonNull(choice, "away");
            return this;
        }

        /** The weakest place that the copy may have: {@code memory of 2} by default. */
        public Builder atLeast(CopyPlace place) {
            atLeast = Objects.requireNonNull(place, "atLeast");
            return this;
        }

        /**
         * The most bytes of records in a block, 4 KiB to 64 MiB; 1 MiB by default. A longer record has a block for
         * itself.
         */
        public Builder blockBytes(int bytes) {
            blockBytes = bytes;
            return this;
        }

        /** The listener for the copier's events, in the copier's thread; by default nobody hears them. */
        public Builder listener(Consumer<BurstEvent> consumer) {
            listener = Objects.requireNonNull(consumer, "listener");
            return this;
        }

        /**
         * Checks the values.
         *
         * @return the settings
         * @throws BurstException with code {@link BurstException.Code#INVALID_ARGUMENT}: one sentence about the value
         */
        public CopySettings build() {
            return new CopySettings(this);
        }
    }
}
