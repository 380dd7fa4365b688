// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bridge;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.StreamConfig;
import io.burstlog.jmx.Registration;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * A ring that the appenders of a class loader share: the first opens it, the last closes it.
 *
 * <p>A medium that does not answer holds up those who ask for its own ring, and nobody else.
 */
final class SharedRing {

    private static final Duration DEFAULT_SHUTDOWN_TIMEOUT = Duration.ofSeconds(10);

    private static final Map<String, SharedRing> RINGS = new HashMap<>();

    private final String name;

    /** The first of them hears what the ring has to tell. */
    private final List<Consumer<BurstEvent>> operators = new CopyOnWriteArrayList<>();

    /** Guarded by {@link #RINGS}. */
    private int users;

    /** Null while it is not open; guarded by this object, as is what follows. */
    private BurstLog log;

    private Registration shown = Registration.NONE;
    private Settings.Terms terms;

    private SharedRing(String name) {
        this.name = name;
    }

    /**
     * Takes part in a ring, which is opened if need be; whoever gets it calls {@link #leave}.
     *
     * @throws BurstException if it cannot be opened, or is open on other terms
     */
    static SharedRing join(Settings.Terms terms, Consumer<BurstEvent> operator) {
        SharedRing ring;
        synchronized (RINGS) {
            ring = RINGS.computeIfAbsent(terms.ring().ring(), SharedRing::new);
            ring.users++;
        }
        synchronized (ring) {
            ring.operators.add(operator);
            try {
                ring.open(terms, operator);
                return ring;
            } catch (RuntimeException | Error failure) {
                ring.leave(operator, DEFAULT_SHUTDOWN_TIMEOUT);
                throw failure;
            }
        }
    }

    private void open(Settings.Terms wanted, Consumer<BurstEvent> operator) {
        if (log == null) {
            terms = wanted;
            log = BurstLog.open(wanted.ring());
            shown = show(() -> Registration.ofRing(name, log), operator);
        }
        String differences = terms.differencesTo(wanted);
        if (!differences.isEmpty()) {
            throw new BurstException(
                    BurstException.Code.INVALID_ARGUMENT,
                    "The ring " + name + " is open already, and this asks for " + differences
                            + ": say the same wherever this ring is named.");
        }
    }

    /** Shows something to management clients. If that fails the log works all the same, and the operator hears why. */
    private static Registration show(Supplier<Registration> register, Consumer<BurstEvent> operator) {
        try {
            return register.get();
        } catch (IllegalStateException notShown) {
            operator.accept(new BurstEvent(BurstEvent.Severity.WARN, Instant.now(), notShown.getMessage()));
            return Registration.NONE;
        }
    }

    /** {@return what shows a stream of this ring to management clients} */
    Registration show(String file, BurstStream stream, Consumer<BurstEvent> operator) {
        return show(() -> Registration.ofStream(name, file, stream), operator);
    }

    /** Passes on what a ring tells its operator. */
    static void tell(String name, BurstEvent event) {
        SharedRing ring;
        synchronized (RINGS) {
            ring = RINGS.get(name);
        }
        if (ring != null) {
            ring.operators.stream().findFirst().ifPresent(first -> first.accept(event));
        }
    }

    synchronized BurstStream stream(StreamConfig config) {
        return log.stream(null, config);
    }

    /** It stays the same as long as somebody takes part. */
    synchronized BurstLog log() {
        return log;
    }

    synchronized Duration shutdownTimeout() {
        Duration configured = terms.ring().shutdownTimeout();
        return configured.isZero() ? DEFAULT_SHUTDOWN_TIMEOUT : configured;
    }

    /**
     * Takes part no more; the last one closes the ring.
     *
     * @throws BurstException as {@link BurstLog#close(Duration)}
     */
    synchronized void leave(Consumer<BurstEvent> operator, Duration timeout) {
        try {
            if (isLast() && log != null) {
                BurstLog closing = log;
                log = null;
                try {
                    shown.close();
                } finally {
                    closing.close(timeout);
                }
            }
        } finally {
            operators.remove(operator);
            synchronized (RINGS) {
                if (--users == 0) {
                    RINGS.remove(name);
                }
            }
        }
    }

    /** Who joins while this is asked finds the ring as the one that leaves has left it. */
    private boolean isLast() {
        synchronized (RINGS) {
            return users == 1;
        }
    }
}
