// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.aeron.ExclusivePublication;
import io.aeron.Image;
import io.aeron.Subscription;
import io.aeron.archive.Archive;
import io.aeron.archive.ArchiveThreadingMode;
import io.aeron.archive.ArchivingMediaDriver;
import io.aeron.archive.client.AeronArchive;
import io.aeron.archive.status.RecordingPos;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import java.io.BufferedReader;
import java.io.File;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.SleepingMillisIdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.CountersReader;

/**
 * Aeron Archive with its media driver and its client in this process, {@code file.sync.level=1}: a message is taken
 * when the position of the recording, which moves behind the sync, is past it. It is a program that
 * {@link ServedTarget} asks, as those of serve.h:
 *
 * <pre>
 * FOLDER_IN_MEMORY serve FOLDER MESSAGE
 * FOLDER_IN_MEMORY count FOLDER
 * </pre>
 */
public final class ArchiveProgram implements AutoCloseable {

    private static final String IPC = "aeron:ipc?term-length=4m";
    private static final int STREAM = 10;
    private static final int REPLAY_STREAM = 11;
    private static final int FRAGMENTS = 100;

    /** Spins while it is this peer's turn, and sleeps while it is that of others. */
    private static final class InTurn implements IdleStrategy {
        private volatile boolean spins;

        @Override
        public void idle(int workCount) {
            if (workCount == 0) {
                idle();
            }
        }

        @Override
        public void idle() {
            if (spins) {
                Thread.yield();
            } else {
                LockSupport.parkNanos(1_000_000);
            }
        }

        @Override
        public void reset() {}
    }

    private final InTurn turn = new InTurn();
    private final ArchivingMediaDriver driver;
    private final AeronArchive archive;

    private ArchiveProgram(String memory, Path folder) throws IOException {
        // The mark of a killed archive would have its next one wait until it is old.
        Files.deleteIfExists(folder.resolve("archive-mark.dat"));
        String aeron = memory + "/aeron";
        driver = ArchivingMediaDriver.launch(
                new MediaDriver.Context()
                        .aeronDirectoryName(aeron)
                        .dirDeleteOnStart(true)
                        .dirDeleteOnShutdown(true)
                        .threadingMode(ThreadingMode.SHARED)
                        .sharedIdleStrategy(new SleepingMillisIdleStrategy(1)),
                new Archive.Context()
                        .aeronDirectoryName(aeron)
                        .archiveDir(new File(folder.toString()))
                        .controlChannelEnabled(false)
                        .recordingEventsEnabled(false)
                        .replicationChannel("aeron:udp?endpoint=localhost:0")
                        .archiveClientContext(
                                new AeronArchive.Context().controlResponseChannel("aeron:udp?endpoint=localhost:0"))
                        .fileSyncLevel(1)
                        .catalogFileSyncLevel(1)
                        .threadingMode(ArchiveThreadingMode.SHARED)
                        .idleStrategySupplier(() -> turn));
        archive = AeronArchive.connect(new AeronArchive.Context()
                .aeronDirectoryName(aeron)
                .controlRequestChannel("aeron:ipc")
                .controlResponseChannel("aeron:ipc"));
    }

    public static void main(String[] arguments) throws Exception {
        OutputStream out = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        try (ArchiveProgram program = new ArchiveProgram(arguments[0], Path.of(arguments[2]))) {
            if (arguments[1].equals("serve")) {
                program.serve(arguments[3], out);
            } else {
                out.write((program.count() + "\n").getBytes(StandardCharsets.US_ASCII));
            }
        }
    }

    private void serve(String message, OutputStream out) throws IOException {
        byte[] bytes = message.getBytes(StandardCharsets.US_ASCII);
        UnsafeBuffer buffer = new UnsafeBuffer(ByteBuffer.allocateDirect(bytes.length));
        buffer.putBytes(0, bytes);
        ExclusivePublication publication = archive.addRecordedExclusivePublication(IPC, STREAM);
        CountersReader counters = archive.context().aeron().countersReader();
        int counter = counter(publication.sessionId(), archive.archiveId(), counters);
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.US_ASCII));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            long[] nanos = {1};
            if (!line.equals("drain")) {
                nanos = new long[Integer.parseInt(line)];
                turn.spins = true;
                for (int i = 0; i < nanos.length; i++) {
                    long begin = System.nanoTime();
                    write(publication, buffer, counters, counter);
                    nanos[i] = System.nanoTime() - begin;
                }
                turn.spins = false;
            }
            ByteBuffer answer = ByteBuffer.allocate(nanos.length * Long.BYTES).order(ByteOrder.nativeOrder());
            answer.asLongBuffer().put(nanos);
            out.write(answer.array());
        }
    }

    private static int counter(int session, long archiveId, CountersReader counters) {
        int counter = CountersReader.NULL_COUNTER_ID;
        while (counter == CountersReader.NULL_COUNTER_ID) {
            counter = RecordingPos.findCounterIdBySession(counters, session, archiveId);
            Thread.yield();
        }
        return counter;
    }

    private static void write(
            ExclusivePublication publication, UnsafeBuffer message, CountersReader counters, int counter) {
        long position = publication.offer(message);
        while (position < 0) {
            if (position == ExclusivePublication.CLOSED || position == ExclusivePublication.MAX_POSITION_EXCEEDED) {
                throw new IllegalStateException("The publication takes no more: " + position + ".");
            }
            Thread.yield();
            position = publication.offer(message);
        }
        while (counters.getCounterValue(counter) < position) {
            Thread.yield();
        }
    }

    /** Replays the only recording, up to where the archive has found its end. */
    private long count() {
        turn.spins = true;
        long end = archive.getStopPosition(0);
        if (end == 0) {
            return 0;
        }
        long[] found = {0};
        long session = archive.startReplay(0, 0, end, IPC, REPLAY_STREAM);
        try (Subscription replay =
                archive.context().aeron().addSubscription("aeron:ipc?session-id=" + (int) session, REPLAY_STREAM)) {
            while (!replay.isConnected()) {
                Thread.yield();
            }
            Image image = replay.imageAtIndex(0);
            while (image.position() < end && !image.isClosed()) {
                image.poll((buffer, offset, length, header) -> found[0]++, FRAGMENTS);
            }
        }
        return found[0];
    }

    @Override
    public void close() {
        archive.close();
        driver.close();
    }
}
