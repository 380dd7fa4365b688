// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import io.burstlog.BurstConsumer;
import io.burstlog.BurstException;
import io.burstlog.ConsumedRecords;
import io.burstlog.jmx.Registration;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Archives the records of a folder of segments, each once, in order.
 *
 * <pre>{@code
 * Archiver.create(Path.of("/archive/orders"), Path.of("/etc/orders.key"), null); // once
 * ArchiverConfig config = ArchiverConfig.builder()
 *         .folder("orders.segments").archive("/archive/orders").key("/etc/orders.key")
 *         .build();
 * try (Archiver archiver = Archiver.start(config)) {
 *     ...
 * }
 * }</pre>
 *
 * <p>It needs no open log. Its place follows from the archive alone: the last leaf under the signed head. After any
 * failure it opens the archive anew, which cuts what no head covers, and goes on behind that leaf. Records wait in the
 * folder meanwhile; it tries again, after a tenth of a second at first and ten seconds at last. It ends by itself only
 * if going on could make a second history: another archiver has begun, or archive, head and key do not fit together.
 *
 * <p>Thread-safe. All work is done by one thread of its own, a daemon.
 */
public final class Archiver implements AutoCloseable {

    private static final int POLL_BYTES = 4 << 20;
    private static final long FIRST_BACK_OFF_MILLIS = 100;
    private static final long LAST_BACK_OFF_MILLIS = 10_000;
    private static final Duration FAREWELL = Duration.ofSeconds(10);
    private static final Duration LOOK = Duration.ofMillis(100);

    /** The errno of a consumer whose folder has been replaced. */
    private static final int ESTALE = 116;

    private final ArchiverConfig config;
    private final Announcements announcements;
    private final Statements statements;
    private final FolderDisk diskOfAnchors;
    private final Anchors anchors;
    private final Figures figures = new Figures();
    private final Thread thread;
    private List<Registration> shown = List.of();
    private volatile boolean isStopping;
    private volatile boolean isFinishing;
    private volatile String failure;
    private volatile Checkpoint head;

    private Archiver(ArchiverConfig config) {
        this.config = config;
        announcements = new Announcements(config);
        statements = new Statements(config.clocks(), config.sealing(), config.retention());
        diskOfAnchors = new FolderDisk(config.archive());
        anchors = new Anchors(diskOfAnchors, config.anchors(), config.sealing(), config.listener());
        thread = new Thread(this::run, "burstlog-archive");
        thread.setDaemon(true);
    }

    /**
     * Archives in the background from now on.
     *
     * @param config what to archive, and where to
     * @return the running archiver
     */
    public static Archiver start(ArchiverConfig config) {
        return start(config, true);
    }

    static Archiver start(ArchiverConfig config, boolean isManaged) {
        Archiver archiver = new Archiver(config);
        archiver.shown = isManaged ? ArchiverManagement.show(archiver, config) : List.of();
        archiver.thread.start();
        return archiver;
    }

    /**
     * Makes a new archive, whose only leaf names its key.
     *
     * @param archive its folder, which is missing or empty
     * @param key the file of its private key, which has signed no head yet
     * @param head where the newest head is kept that the key has signed; null for the key's file with {@code .head}
     *     behind
     * @return the first head, durable
     * @throws RefusedException if there is an archive, or the key has signed a head
     * @throws IOException if something cannot be read or written
     */
    public static Checkpoint create(Path archive, Path key, Path head) throws IOException {
        SigningKey signing = SigningKey.read(key);
        try (FolderDisk disk = new FolderDisk(archive)) {
            // Before the key has signed a head: if the power took the archive then, the key could make no other one.
            disk.makeItself();
            try (Owner owner = Owner.take(archive);
                    ArchiveWriter writer =
                            ArchiveWriter.create(disk, signing, KeptHead.of(head(key, head)), owner, Clocks::now)) {
                return writer.head();
            }
        }
    }

    static Path head(Path key, Path chosen) {
        return chosen == null ? KeptHead.beside(key) : chosen;
    }

    /** The folder of tiles is what a mount point without its file system lacks. */
    static void requireArchive(Path archive) throws IOException {
        if (!Files.isDirectory(archive.resolve(Tiles.TILE))) {
            throw new IOException("there is no archive in " + archive
                    + ": mount its file system, or name its folder; the command create makes a new one");
        }
    }

    /** {@return the figures of this moment} */
    public ArchiverStats stats() {
        return figures.stats(anchors.stats());
    }

    /** {@return the newest signed head; null until the archive is open} */
    public Checkpoint head() {
        return head;
    }

    /** {@return why it has ended by itself, in a sentence; null if it has not} */
    public String failure() {
        return failure;
    }

    /**
     * Waits until the archiver ends, by itself or because it is closed.
     *
     * @param timeout how long to wait at most
     * @return whether it has ended
     * @throws InterruptedException if the thread was interrupted
     */
    public boolean awaitEnd(Duration timeout) throws InterruptedException {
        thread.join(Math.max(1, timeout.toMillis()));
        return !thread.isAlive();
    }

    /** Signs a head of what it has taken, and lets go of folder and archive, within ten seconds. */
    @Override
    public void close() {
        isStopping = true;
        hasEnded(FAREWELL);
        shown.forEach(Registration::close);
    }

    /**
     * Archives the records that are in the folder until something fails, and lets go of both. The listener is told what
     * is left; the next archiver archives it.
     *
     * @param limit how long that may take; it may be exceeded by the sync that is under way
     */
    public void close(Duration limit) {
        isFinishing = true;
        hasEnded(limit);
        close();
    }

    private boolean hasEnded(Duration timeout) {
        try {
            return awaitEnd(timeout);
        } catch (InterruptedException stillToBeSeenByTheCaller) {
            Thread.currentThread().interrupt();
            return !thread.isAlive();
        }
    }

    @Override
    public String toString() {
        return "Archiver[" + config.folder() + " to " + config.archive() + "]";
    }

    // ------------------------------------------------------------------------------------------------ its own thread

    private void run() {
        try (diskOfAnchors;
                anchors) {
            runSessions();
            if (isFinishing && failure == null) {
                tellWhatIsLeft();
            }
        }
    }

    private void runSessions() {
        long backOff = FIRST_BACK_OFF_MILLIS;
        while (!isStopping && failure == null) {
            Checkpoint before = head;
            try {
                if (isLastSession()) {
                    return;
                }
            } catch (RuntimeException | Error untold) {
                // No memory for a sentence, or a listener that throws: the next session meets the same, or archives.
            }
            if (isFinishing) {
                return;
            }
            backOff = head == before ? backOff : FIRST_BACK_OFF_MILLIS;
            rest(backOff);
            backOff = Math.min(2 * backOff, LAST_BACK_OFF_MILLIS);
        }
    }

    /** Archives, and tells what ended that. {@return whether no other session follows} */
    private boolean isLastSession() {
        try {
            runSession();
        } catch (RefusedException refused) {
            announcements.ends(refused, sentence -> failure = sentence);
        } catch (IOException | BurstException | OutOfMemoryError failed) {
            announcements.waits(failed);
            return false;
        } catch (RuntimeException | Error bug) {
            announcements.ends(bug, sentence -> failure = sentence);
        }
        return true;
    }

    private void rest(long millis) {
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (!isStopping && !isFinishing && System.nanoTime() < end) {
            try {
                Thread.sleep(Math.min(millis, LOOK.toMillis()));
            } catch (InterruptedException stopped) {
                isStopping = true;
            }
        }
    }

    /** Archives until it is stopped or something fails. */
    private void runSession() throws IOException {
        figures.begin();
        try {
            archive();
        } catch (IOException | BurstException | OutOfMemoryError failed) {
            figures.fail();
            look();
            throw failed;
        }
    }

    /** Looks what waits, and keeps the log from deleting it, also if no session has come so far yet. */
    private void look() {
        try (BurstConsumer consumer = BurstConsumer.open(config.folder(), config.consumer())) {
            figures.look(consumer.lag());
        } catch (BurstException told) {
            // The next session meets the same error, or another archiver looks.
        }
    }

    private void archive() throws IOException {
        SigningKey key = SigningKey.read(config.key());
        requireArchive(config.archive());
        try (Owner owner = Owner.take(config.archive());
                FolderDisk disk = FolderDisk.forManyFiles(config.archive());
                ArchiveWriter writer = ArchiveWriter.open(
                        disk,
                        key,
                        KeptHead.of(config.head()),
                        owner,
                        config.clocks().day());
                BurstConsumer consumer = BurstConsumer.open(config.folder(), config.consumer())) {
            begin(writer, consumer);
            statements.promise(writer, disk);
            publish(writer.signed(), false);
            archive(writer, consumer);
        }
    }

    private void publish(ArchiveWriter.Signed signed, boolean isNew) {
        head = signed.head();
        figures.sign(signed, isNew);
        anchors.tell(head);
    }

    /** Goes behind the last leaf, if that came from this folder and is there what it was here. */
    private void begin(ArchiveWriter writer, BurstConsumer consumer) throws IOException {
        Leaf last = writer.lastOfStream();
        if (last == null || !last.folder().equals(consumer.folderId())) {
            announcements.begins(consumer.position());
            return;
        }
        consumer.seek(last.number());
        ConsumedRecords records = consumer.poll(POLL_BYTES, Duration.ZERO);
        if (!records.next()) {
            throw new IOException("number " + last.number() + ", the last one that it has, is not in " + config.folder()
                    + ": start the log, which brings it again after a loss of power; if the folder was turned back to an"
                    + " older state, move it away, and put an empty file head into a new one");
        }
        // Missing is what the log deleted when the archive had it.
        if (records.kind() != ConsumedRecords.Kind.MISSING) {
            requireSame(last, records);
        }
        consumer.seek(last.number() + 1);
        announcements.goesOn(last.number() + 1);
    }

    private void requireSame(Leaf last, ConsumedRecords records) throws RefusedException {
        byte[] payload = payloadOf(records);
        if (kindOf(records.kind()) != last.kind()
                || payload.length != last.length()
                || !last.isDigestOf(payload, 0)
                || records.sequence() != last.sequence()) {
            throw new RefusedException("number " + last.number() + " of " + config.folder()
                    + " is another record than the archive has: the folder was turned back to an older state; move it away,"
                    + " and put an empty file head into a new one");
        }
    }

    private void archive(ArchiveWriter writer, BurstConsumer consumer) throws IOException {
        byte[] folder = HexFormat.of().parseHex(consumer.folderId());
        long dueNanos = System.nanoTime() + config.interval().toNanos();
        while (true) {
            // Read before the poll: records that were there when the archiver was told to finish must be found.
            boolean isLast = isStopping || isFinishing;
            Duration wait = isLast ? Duration.ZERO : left(dueNanos);
            boolean isEmpty;
            try {
                ConsumedRecords records = consumer.poll(POLL_BYTES, wait);
                isEmpty = records.isEmpty();
                take(records, folder, writer);
            } catch (BurstException replaced) {
                if (replaced.errno() == ESTALE) {
                    writer.commit();
                    tellSigned(writer.signed(), consumer);
                }
                throw replaced;
            }
            boolean isAtEnd = isStopping || isLast && isEmpty;
            if (isAtEnd || System.nanoTime() - dueNanos >= 0) {
                statements.beforeCommit(writer);
                commit(writer, isAtEnd, consumer);
                figures.lookAgain(consumer);
                dueNanos = System.nanoTime() + config.interval().toNanos();
            } else if (writer.signed().head() != head) {
                tellSigned(writer.signed(), consumer);
            }
            if (isAtEnd) {
                return;
            }
        }
    }

    private static Duration left(long dueNanos) {
        return Duration.ofNanos(Math.max(0, Math.min(LOOK.toNanos(), dueNanos - System.nanoTime())));
    }

    private void take(ConsumedRecords records, byte[] folder, ArchiveWriter writer) throws IOException {
        if (records.isEmpty()) {
            return;
        }
        statements.beforeRecords(writer);
        long taken = config.clocks().day().getAsLong();
        String ringName = "";
        byte[] ring = {};
        while (records.next()) {
            if (!records.ring().equals(ringName)) {
                ringName = records.ring();
                ring = HexFormat.of().parseHex(ringName);
            }
            byte[] payload = payloadOf(records);
            Leaf leaf = Leaf.ofStream(
                    kindOf(records.kind()),
                    folder,
                    records.number(),
                    ring,
                    records.sequence(),
                    records.eventTimeNanos(),
                    records.count(),
                    taken,
                    payload);
            writer.append(leaf, payload);
        }
    }

    private static byte[] payloadOf(ConsumedRecords records) {
        boolean isRecord = records.kind() == ConsumedRecords.Kind.RECORD;
        byte[] payload = new byte[isRecord ? records.length() : 0];
        if (isRecord) {
            records.data().get(payload);
        }
        return payload;
    }

    private static Leaf.Kind kindOf(ConsumedRecords.Kind kind) {
        return switch (kind) {
            case RECORD -> Leaf.Kind.RECORD;
            case ROLL -> Leaf.Kind.ROLL;
            case LOST -> Leaf.Kind.LOST;
            case MISSING -> Leaf.Kind.MISSING;
        };
    }

    /** Has a head signed. The next records come meanwhile, unless they end, or something had failed before. */
    private void commit(ArchiveWriter writer, boolean isAtEnd, BurstConsumer consumer) throws IOException {
        writer.beginCommit();
        if (isAtEnd || announcements.isWaiting()) {
            writer.commit();
        }
        ArchiveWriter.Signed signed = writer.signed();
        if (signed.head() != head || announcements.isWaiting()) {
            tellSigned(signed, consumer);
        }
    }

    /** Publishes a head, and tells the log that it may delete what is under it. */
    private void tellSigned(ArchiveWriter.Signed signed, BurstConsumer consumer) {
        publish(signed, true);
        announcements.archives();
        Leaf last = signed.lastOfStream();
        if (last != null && last.folder().equals(consumer.folderId())) {
            consumer.ack(last.number());
        }
    }

    private void tellWhatIsLeft() {
        look();
        long left = stats().lagRecords();
        if (left > 0) {
            announcements.lacks(left);
        }
    }
}
