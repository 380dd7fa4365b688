// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstEvent;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * Deletes payload files whose time is over, the oldest first. Only full ones go; leaves and tiles stay.
 *
 * <p>DESIGN. The clock that gives the times may be wrong. A file's time is over only if the newest leaf in it, and all
 * files before it, are too old: so a clock that was set back deletes nothing. One that is far ahead says that of all
 * files. So age deletes no more than two for each that has become full since the last look, or one an hour, by the
 * monotonic clock; what had to go next goes first, and an operator who is told has time. Size asks no clock.
 *
 * <p>One thread uses it.
 */
final class Retention {

    private static final long HOUR_NANOS = Duration.ofHours(1).toNanos();
    private static final int GONE_FOR_EACH_FULL = 2;

    private final Duration keepFor;
    private final long keepBytes;
    private final Clocks clocks;
    private final String archive;
    private final Consumer<BurstEvent> listener;
    private final TreeMap<Long, Long> bytesOfFiles = new TreeMap<>();
    private Disk disk;
    private long bytes;

    /** Files below this number are full, and in the map if they are there. */
    private long full;

    /** The newest leaf of the oldest file; nobody knows it yet if that is another file. */
    private long newestNanos;

    private long newestOf = -1;
    private long agedSinceNanos;
    private long mayAge;

    /**
     * @param keepFor null for ever
     * @param keepBytes 0 for any number
     * @param archive its name, for sentences
     * @param listener gets an event for each range that was deleted, and if the age of the oldest file is unknown
     */
    Retention(Duration keepFor, long keepBytes, Clocks clocks, String archive, Consumer<BurstEvent> listener) {
        this.keepFor = keepFor;
        this.keepBytes = keepBytes;
        this.clocks = clocks;
        this.archive = archive;
        this.listener = listener;
        agedSinceNanos = clocks.monotonic().getAsLong();
    }

    /** Looks which files there are. */
    void begin(Disk archive, Checkpoint head) throws IOException {
        disk = archive;
        bytesOfFiles.clear();
        bytes = 0;
        full = head.size() / Tiles.PAYLOAD_LEAVES;
        newestOf = -1;
        if (keepFor != null || keepBytes > 0) {
            find(Tiles.PAYLOAD + "/");
        }
    }

    private void find(String folder) throws IOException {
        for (String each : disk.list(folder)) {
            FileName name = FileName.of(folder + each);
            if (each.endsWith("/") && !each.endsWith(".p/")) {
                find(folder + each);
            } else if (name != null && name.kind() == FileName.Kind.PAYLOAD && name.index() < full) {
                add(name.index());
            }
        }
    }

    private void add(long file) throws IOException {
        long length = disk.length(Tiles.payload(file));
        bytesOfFiles.put(file, length);
        bytes += length;
    }

    /**
     * Deletes the files whose time is over now. An act says so before, under a signed head, with all that was appended;
     * nothing is appended behind it before they are gone. All of it is durable on return.
     */
    void look(ArchiveWriter writer) throws IOException {
        if (keepFor == null && keepBytes == 0) {
            return;
        }
        long nowFull = writer.signed().head().size() / Tiles.PAYLOAD_LEAVES;
        long filled = nowFull - full;
        for (; full < nowFull; full++) {
            add(full);
        }
        long now = clocks.monotonic().getAsLong();
        if (filled > 0) {
            mayAge = GONE_FOR_EACH_FULL * filled;
        } else if (now - agedSinceNanos >= HOUR_NANOS) {
            mayAge = Math.max(1, mayAge);
        }
        if (!expire(writer, Reason.BYTES) && mayAge > 0 && expire(writer, Reason.AGE)) {
            agedSinceNanos = now;
        }
    }

    /** Why payloads are deleted. */
    private enum Reason {
        AGE,
        BYTES
    }

    private boolean expire(ArchiveWriter writer, Reason reason) throws IOException {
        ArchiveReader reader = new ArchiveReader(disk, writer.signed().head());
        long first = bytesOfFiles.isEmpty() ? 0 : bytesOfFiles.firstKey();
        long behind = first;
        long left = bytes + Math.max(0, disk.length(Tiles.payload(full)));
        String why = "";
        while (bytesOfFiles.containsKey(behind)
                && (reason == Reason.BYTES
                        ? keepBytes > 0 && left > keepBytes
                        : behind - first < mayAge && isTooOld(reader, behind))) {
            left -= bytesOfFiles.get(behind);
            why = reason == Reason.BYTES
                    ? "keep-bytes: " + keepBytes + "\n"
                    : "keep-for-s: " + keepFor.toSeconds() + "\nnewest-ns: " + newestNanos + "\n";
            behind++;
        }
        if (behind == first) {
            return false;
        }
        long last = behind * Tiles.PAYLOAD_LEAVES - 1;
        writer.act(Leaf.Kind.EXPIRED, "first: " + first * Tiles.PAYLOAD_LEAVES + "\nlast: " + last + "\n" + why);
        writer.commit();
        Removal.expire(disk, first, behind);
        mayAge -= reason == Reason.AGE ? behind - first : 0;
        for (Map.Entry<Long, Long> gone = bytesOfFiles.firstEntry();
                gone != null && gone.getKey() < behind;
                gone = bytesOfFiles.firstEntry()) {
            bytes -= gone.getValue();
            bytesOfFiles.remove(gone.getKey());
        }
        tell(
                BurstEvent.Severity.INFO,
                "the archive " + archive + ": the time of the payloads of leaves " + first * Tiles.PAYLOAD_LEAVES
                        + " to " + last + " was over, by their " + (reason == Reason.AGE ? "age" : "size")
                        + ": they are deleted");
        return true;
    }

    private boolean isTooOld(ArchiveReader reader, long file) throws IOException {
        if (keepFor == null) {
            return false;
        }
        if (newestOf != file) {
            newestOf = file;
            newestNanos = newestNanos(reader, file);
        }
        return Duration.ofNanos(clocks.day().getAsLong() - newestNanos).compareTo(keepFor) > 0;
    }

    private long newestNanos(ArchiveReader reader, long file) {
        long newest = 0;
        try {
            for (long index = file * Tiles.PAYLOAD_LEAVES; index < (file + 1) * Tiles.PAYLOAD_LEAVES; index++) {
                newest = Math.max(newest, reader.leaf(index).takenNanos());
            }
            return newest;
        } catch (IOException damaged) {
            tell(
                    BurstEvent.Severity.WARN,
                    "the archive " + archive + " deletes no payloads for their age, since that of "
                            + Tiles.payload(file) + " is unknown: " + damaged.getMessage());
            return Long.MAX_VALUE;
        }
    }

    private void tell(BurstEvent.Severity severity, String sentence) {
        listener.accept(new BurstEvent(severity, Instant.now(), sentence));
    }
}
