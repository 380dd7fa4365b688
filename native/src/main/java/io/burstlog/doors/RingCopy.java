// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.copy.BurstCopier;
import io.burstlog.copy.CopyPlace;
import io.burstlog.copy.CopyProvider;
import io.burstlog.copy.CopySettings;
import java.time.Duration;
import java.util.function.Consumer;

/**
 * The copy of an open ring, and the calls that wait for it.
 *
 * <p>Thread-safe.
 */
final class RingCopy {

    private static final Duration FOREVER = Duration.ofSeconds(Long.MAX_VALUE);

    private final RingTerms ring;
    private final BurstLog log;
    private final BurstCopier copier;

    private RingCopy(RingTerms ring, BurstLog log, BurstCopier copier) {
        this.ring = ring;
        this.log = log;
        this.copier = copier;
    }

    /**
     * Starts to copy. All threads of the copier and of its client are client threads.
     *
     * @param listener hears events of the copier
     * @return null if the ring has no copy
     */
    static RingCopy start(RingTerms ring, BurstLog log, Consumer<BurstEvent> listener) {
        CopyTerms terms = ring.copy();
        if (terms == null) {
            return null;
        }
        CopyProvider provider = terms.provider();
        CopyProvider.Request request = terms.request(log.ringId(), ring.ring());
        CopySettings settings = terms.settings(() -> provider.open(request), listener);
        return new RingCopy(ring, log, ClientThreads.call(() -> BurstCopier.start(log, settings)));
    }

    /**
     * Waits until the copy has a record that is durable, as far as the policy wants that.
     *
     * @param blockTimeout how long the whole call may take; zero: as long as the copy does
     * @param beginNanos the begin of the call, of {@link System#nanoTime()}
     * @throws BurstException with code {@link BurstException.Code#NOT_COPIED}
     */
    void await(long sequence, Duration blockTimeout, long beginNanos) {
        String why;
        try {
            if (log.awaitCopied(sequence, blockTimeout.isZero() ? FOREVER : OpenRing.left(blockTimeout, beginNanos))) {
                return;
            }
            why = "within blockTimeout, " + Units.of(blockTimeout);
        } catch (BurstException inVain) {
            if (inVain.code() == BurstException.Code.COPY_AWAY && ring.copy().away() == BurstCopier.Away.DEGRADE) {
                return; // the engine has told it
            }
            why = "(" + inVain.getMessage() + ")";
        }
        throw new BurstException(
                BurstException.Code.NOT_COPIED,
                "record " + sequence + " is durable in the ring " + ring.ring() + " and goes to its log file, but its"
                        + " copy, <" + ring.copy().element() + ">, did not confirm it " + why
                        + ": do not log it again, the copy gets it when it can.");
    }

    /** {@return where the copy is; null if there is none, or its store was not reached yet} */
    static String place(RingCopy copy) {
        CopyPlace place = copy == null ? null : copy.copier.stats().place();
        return place == null ? null : place.toString();
    }

    void close(Duration limit) {
        copier.close(limit);
    }
}
