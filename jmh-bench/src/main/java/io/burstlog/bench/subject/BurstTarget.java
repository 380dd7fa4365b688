// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.Io;
import io.burstlog.RecordBuffer;
import io.burstlog.bench.harness.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;

/** Plain Java: encodes a record and appends it. */
public final class BurstTarget implements Target {

    private static final Duration LONG = Duration.ofMinutes(5);

    private final String name;
    private final BurstLog log;
    private final boolean owns;
    private final boolean durable;
    private final byte[] line;
    private final RecordBuffer record;

    /**
     * @param log closed with the target
     * @param durable true: a message is taken when it is durable; false: when it is accepted
     */
    public BurstTarget(String name, BurstLog log, boolean durable, int bytes) {
        this(name, log, true, durable, bytes);
    }

    private BurstTarget(String name, BurstLog log, boolean owns, boolean durable, int bytes) {
        this.name = name;
        this.log = log;
        this.owns = owns;
        this.durable = durable;
        line = Message.line(bytes);
        record = RecordBuffer.allocate(bytes, bytes);
    }

    /**
     * Opens a log that only has to survive the process, since zram and tmpfs are memory.
     *
     * @param io a name of {@link Io}
     * @param drainInterval zero for the default
     */
    public static BurstLog open(Path ring, String io, Path file, Binding binding, Duration drainInterval)
            throws Media.NotPossible {
        return open(ring, io, file, binding, drainInterval, 0);
    }

    /** {@code ringBytes}: the size of a ring that is made; 0: the default. */
    public static BurstLog open(
            Path ring, String io, Path file, Binding binding, Duration drainInterval, long ringBytes)
            throws Media.NotPossible {
        BurstConfig config = BurstConfig.builder()
                .ring(ring.toString())
                .ringBytes(ringBytes)
                .fileName(file.toString())
                .durability(Durability.PROCESS)
                .io(Io.valueOf(io.toUpperCase(Locale.ROOT)))
                .binding(binding)
                .drainInterval(drainInterval)
                .build();
        try {
            return BurstLog.open(config);
        } catch (BurstException refused) {
            throw new Media.NotPossible(refused.getMessage(), refused);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void write(int number) {
        record.clear();
        record.ensureRemaining(line.length).put(line);
        if (durable) {
            log.append(record, 0);
        } else {
            log.enqueue(record, 0);
        }
    }

    /** It gets a buffer of its own. */
    @Override
    public Target forAnotherThread() {
        return new BurstTarget(name, log, false, durable, line.length);
    }

    @Override
    public void settle() {
        if (!log.awaitDrained(LONG)) {
            throw new IllegalStateException(name + " is not drained after " + LONG + ".");
        }
    }

    @Override
    public String claims() {
        // The first line is the ring's, and begins with its path.
        String ring = log.durabilityStatement().lines().findFirst().orElse("");
        return ring.substring(Math.max(0, ring.indexOf("survives ")));
    }

    @Override
    public void close() {
        if (owns) {
            log.close();
        }
    }
}
