// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import io.burstlog.BurstException;
import io.burstlog.BurstStats;
import io.burstlog.Roll;
import io.burstlog.RollRequest;
import io.burstlog.StreamStats;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.locks.LockSupport;

/** A stream that writes its file itself, without a ring. Its rolls have the same effect on files as the engine's. */
final class FileWritingStream implements RollingStream {

    private final Queue<Object> waiting = new ArrayDeque<>();
    private final Path configured;
    private final Instant created = Instant.now().minus(Duration.ofHours(1));
    private Path file;
    private long fileNumber = 1;
    private Instant born;
    private long accepted;
    private long drained;
    private RollRequest asked;
    private boolean isClosed;
    private boolean refusesRolls;
    private int offers;
    private boolean isHeld;
    private boolean isHeldUntilAsked;
    private Duration delay = Duration.ZERO;
    private Roll lastRoll;
    private volatile Runnable afterRoll = () -> {};

    /** The number that ends the last accepted line. */
    private int lastEvent;

    private record Planned(long sequence, Roll roll, long timeNanos) {}

    private record Bytes(long sequence, byte[] bytes) {}

    FileWritingStream(final Path file, final Instant born) {
        this.configured = file;
        this.file = file;
        this.born = born;
        create(file);
    }

    private static void create(final Path file) {
        try {
            Files.createDirectories(file.getParent());
            if (!Files.exists(file)) {
                Files.createFile(file);
            }
        } catch (final IOException impossible) {
            throw new UncheckedIOException(impossible);
        }
    }

    synchronized void write(final byte[] bytes) {
        waiting.add(new Bytes(++accepted, bytes));
        final String line = new String(bytes, StandardCharsets.UTF_8).trim();
        if (line.matches(".* \\d+")) {
            lastEvent = Integer.parseInt(line.substring(line.lastIndexOf(' ') + 1));
        }
        drain();
    }

    synchronized int lastEvent() {
        return lastEvent;
    }

    /** Its process is gone; accepted events stay. */
    synchronized void kill() {
        isClosed = true;
        notifyAll();
    }

    /** Another process opens it. */
    synchronized void reopen() {
        isClosed = false;
    }

    private static void requireAlive() {
        if (FailingCalls.isDead()) {
            throw new BurstException(BurstException.Code.CLOSED, "dead");
        }
    }

    /** Refuses the next rolls, as a full ring does. */
    synchronized void refuseRolls(final boolean choice) {
        refusesRolls = choice;
    }

    /** Accepted events wait until this is called with false. */
    synchronized void hold(final boolean choice) {
        isHeld = choice;
        drain();
    }

    /** Runs when a roll was accepted, before the caller learns it. */
    void afterRoll(final Runnable action) {
        afterRoll = action;
    }

    @Override
    public long roll(final Roll roll, final long timeNanos) {
        final long sequence = accept(roll, timeNanos);
        afterRoll.run();
        return sequence;
    }

    @Override
    public long offerRoll(final Roll roll, final long timeNanos) {
        synchronized (this) {
            offers++;
        }
        final long sequence = roll(roll, timeNanos);
        return sequence == 0 ? -1 : sequence;
    }

    /** The number of rolls that were to wait for nothing. */
    synchronized int offers() {
        return offers;
    }

    private synchronized long accept(final Roll roll, final long timeNanos) {
        requireAlive();
        if (refusesRolls) {
            return 0;
        }
        waiting.add(new Planned(++accepted, roll, timeNanos));
        lastRoll = roll;
        drain();
        return accepted;
    }

    /** The last roll that was accepted. */
    synchronized Roll lastRoll() {
        return lastRoll;
    }

    private void drain() {
        try {
            while (!isHeld && asked == null && !waiting.isEmpty()) {
                if (waiting.peek() instanceof Bytes record) {
                    append(record.bytes());
                    drained = record.sequence();
                    waiting.remove();
                } else {
                    ask((Planned) waiting.peek());
                }
            }
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
        notifyAll();
    }

    private void append(final byte[] bytes) throws IOException {
        Files.write(file, bytes, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
    }

    private void ask(final Planned planned) throws IOException {
        append(planned.roll().footer());
        // So the files have an order, however fast they end.
        Files.setLastModifiedTime(file, FileTime.from(created.plusSeconds(fileNumber)));
        asked = new RollRequest(
                planned.sequence(),
                planned.timeNanos(),
                born == null ? 0 : born.toEpochMilli() * 1_000_000,
                fileNumber,
                Files.size(file),
                file.toString(),
                Objects.requireNonNullElse(planned.roll().target(), ""),
                Objects.requireNonNullElse(planned.roll().nextFile(), ""),
                planned.roll().note());
    }

    /** Accepted events wait until some thread is there to perform rolls. */
    synchronized void holdUntilAsked() {
        isHeldUntilAsked = true;
    }

    @Override
    public synchronized RollRequest nextRoll(final Duration timeout) {
        if (isHeldUntilAsked) {
            isHeldUntilAsked = false;
            hold(false);
        }
        final boolean forEver = timeout.compareTo(Duration.ofHours(1)) > 0;
        while (asked == null && !isClosed) {
            await(forEver ? 0 : Math.max(1, timeout.toMillis()));
            if (!forEver) {
                break;
            }
        }
        if (isClosed) {
            throw new BurstException(BurstException.Code.CLOSED, "closed");
        }
        return asked;
    }

    private void await(final long millis) {
        try {
            wait(millis);
        } catch (final InterruptedException unexpected) {
            throw new AssertionError(unexpected);
        }
    }

    /** Performs a roll so much later than it is answered, as a drain does. */
    synchronized void performAfter(final Duration wanted) {
        delay = wanted;
    }

    @Override
    public synchronized void rolled(final long sequence, final String target, final String nextFile) {
        requireAsked(sequence);
        if (delay.isZero()) {
            perform(sequence, target, nextFile);
        } else {
            new Thread(() -> {
                        LockSupport.parkNanos(delay.toNanos());
                        perform(sequence, target, nextFile);
                    })
                    .start();
        }
    }

    private synchronized void perform(final long sequence, final String target, final String nextFile) {
        final Planned planned = requireAsked(sequence);
        try {
            if (target != null) {
                final Path to = Path.of(target);
                Files.createDirectories(to.getParent());
                if (Files.exists(to) && Files.size(to) > 0) {
                    throw new AssertionError(to + " would be replaced");
                }
                Files.deleteIfExists(to);
                Files.move(file, to);
            }
            file = nextFile != null ? Path.of(nextFile) : configured;
            create(file);
            if (Files.size(file) > 0) {
                throw new AssertionError(file + " has content");
            }
            append(planned.roll().header());
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
        fileNumber++;
        born = Instant.ofEpochMilli(planned.timeNanos() / 1_000_000);
        answered(planned);
    }

    @Override
    public synchronized void rollFailed(final long sequence, final int errno) {
        answered(requireAsked(sequence));
    }

    private Planned requireAsked(final long sequence) {
        requireAlive();
        if (asked == null || asked.sequence() != sequence) {
            throw new AssertionError("not asked for " + sequence + " but " + asked);
        }
        return (Planned) waiting.element();
    }

    private void answered(final Planned planned) {
        asked = null;
        waiting.remove();
        drained = planned.sequence();
        drain();
    }

    @Override
    public synchronized StreamStats stats() {
        try {
            return new StreamStats(
                    BurstStats.State.OPEN,
                    drained,
                    0,
                    0,
                    0,
                    Files.exists(file) ? Files.size(file) : 0,
                    0,
                    false,
                    1,
                    fileNumber,
                    born);
        } catch (final IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public synchronized String currentFile() {
        return file.toString();
    }

    @Override
    public String ring() {
        return "orders.ring";
    }

    @Override
    public synchronized long acceptedSequence() {
        return accepted;
    }

    @Override
    public synchronized boolean awaitDrained(final Duration timeout) {
        final long deadline = System.nanoTime() + timeout.toNanos();
        while (!waiting.isEmpty() && System.nanoTime() < deadline) {
            await(10);
        }
        return waiting.isEmpty();
    }

    /** Waits for accepted events, as a close does. */
    synchronized void close(final Duration timeout) {
        awaitDrained(timeout);
        isClosed = true;
        notifyAll();
    }
}
