// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.bench.harness.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import net.openhft.chronicle.bytes.BytesStore;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ChronicleQueue;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/** Chronicle Queue: the message as it is, in memory that is mapped from a file, with or without a sync for each. */
final class ChronicleTarget implements Target {

    static {
        // Without this Chronicle reports each run to its makers.
        System.setProperty("chronicle.analytics.disable", "true");
    }

    private final String name;
    private final Path directory;
    private final ChronicleQueue queue;
    private final ExcerptAppender appender;
    private final BytesStore<?, ?> line;
    private final boolean syncs;
    private final boolean owns;

    private ChronicleTarget(
            String name, Path directory, ChronicleQueue queue, boolean syncs, boolean owns, BytesStore<?, ?> line) {
        this.name = name;
        this.directory = directory;
        this.queue = queue;
        this.syncs = syncs;
        this.owns = owns;
        this.line = line;
        appender = queue.createAppender();
    }

    private static Target open(
            String name, Path directory, SingleChronicleQueueBuilder with, boolean syncs, int bytes) {
        return new ChronicleTarget(name, directory, with.build(), syncs, true, BytesStore.wrap(Message.line(bytes)));
    }

    /** No sync at all. */
    static Target unsynced(String name, Path directory, int bytes) {
        return open(name, directory, builder(directory), false, bytes);
    }

    /** {@code sync()} after each message, in a queue's default mode. */
    static Target synced(String name, Path directory, int bytes) {
        return open(name, directory, builder(directory), true, bytes);
    }

    /** {@code sync()} after each message, which waits for the disk. */
    static Target waiting(String name, Path directory, int bytes) {
        return open(name, directory, builder(directory).syncMode(SyncMode.SYNC), true, bytes);
    }

    private static SingleChronicleQueueBuilder builder(Path directory) {
        return SingleChronicleQueueBuilder.binary(directory);
    }

    /** Counts the messages in a queue. */
    static long messages(Path directory) {
        try (ChronicleQueue queue = builder(directory).build();
                ExcerptTailer tailer = queue.createTailer()) {
            long messages = 0;
            while (readOne(tailer)) {
                messages++;
            }
            return messages;
        }
    }

    private static boolean readOne(ExcerptTailer tailer) {
        try (DocumentContext document = tailer.readingDocument()) {
            return document.isPresent();
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public void write(int number) {
        appender.writeBytes(line);
        if (syncs) {
            appender.sync();
        }
    }

    /** It gets an appender of its own. */
    @Override
    public Target forAnotherThread() {
        return new ChronicleTarget(name, directory, queue, syncs, false, line);
    }

    @Override
    public void settle() throws IOException {
        for (Path file : files()) {
            LogFiles.sync(file);
        }
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.list(directory)) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    @Override
    public void close() {
        appender.close();
        if (owns) {
            queue.close();
        }
    }
}
