// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.subject;

import io.burstlog.Binding;
import io.burstlog.BurstLog;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.harness.Target;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Opens targets by name, each with a ring, a log file and a Log4j of its own. A target of Burstlog has a way and a
 * medium: {@code bare}, {@code c}, {@code java-jni}, {@code java-jna}, {@code log4j-burst},
 * {@code log4j-burst-enqueued}, {@code log4j-burst-policies} (which are asked and never roll),
 * {@code log4j-burst-rolling}, {@code log4j-burst-index}, {@code log4j-burst-window}, at {@code ssd}, {@code device} or
 * {@code mapped}. Others have only a way: {@code log4j-raf-flush}, {@code log4j-raf-buffered},
 * {@code log4j-file-flush}, {@code log4j-file-buffered}, {@code log4j-mmap-flush}, {@code log4j-mmap-buffered},
 * {@code log4j-async-raf}, {@code log4j-force}, {@code logback-flush}, {@code logback-buffered}, {@code file-force},
 * {@code file-rwd}, {@code chronicle}, {@code chronicle-sync}, {@code chronicle-msync}, and in processes of their own
 * {@code quill-flush}, {@code quill-fsync}, {@code spdlog-flush}, {@code aeron-archive}, {@code rocksdb-sync},
 * {@code sqlite-full}, {@code postgres-commit}, {@code picologger}.
 */
public final class Targets implements AutoCloseable {

    private static final long NEVER_REACHED_BYTES = 1L << 40;

    private final Media media;
    private final Map<String, CAppends> children = new HashMap<>();
    private final List<Closeable> open = new ArrayList<>();

    public Targets(Media media) {
        this.media = media;
    }

    /** Opens the targets that this host allows; the study notes the others as skipped. */
    public List<Target> open(List<String> names, Study study) throws IOException {
        List<Target> targets = new ArrayList<>();
        for (String name : names) {
            try {
                targets.add(open(name));
            } catch (Media.NotPossible reason) {
                study.skip(name, reason.getMessage());
            }
        }
        return targets;
    }

    /** Stays open until {@link #close()}. */
    public Target open(String name) throws IOException, Media.NotPossible {
        int at = name.indexOf('@');
        Target target = at < 0 ? peer(name) : ours(name, name.substring(0, at), name.substring(at + 1));
        open.add(target::close);
        return target;
    }

    /** The Burst appender with the caller's ring and log file. */
    public Target openBurst(String name, Path ring, Path file) throws IOException, Media.NotPossible {
        Target target = Log4jTarget.burst(name, new Media.Ring(ring, "auto"), Map.of(), file, media.bytes());
        open.add(target::close);
        return target;
    }

    private Target ours(String name, String way, String medium) throws IOException, Media.NotPossible {
        return switch (way) {
            case "bare" -> {
                if (medium.equals("mapped")) {
                    throw new Media.NotPossible(
                            "a mapped ring is not written in blocks, so there is no bare write of one");
                }
                yield child(medium).bareWrites(name);
            }
            case "c" -> child(medium).appends(name);
            case "java-jni", "java-jna" ->
                new BurstTarget(name, openLog(name, media.ring(medium, way), binding(way)), true, media.bytes());
            case "log4j-burst" -> log4j(name, media.ring(medium, way), Map.of());
            case "log4j-burst-enqueued" -> log4j(name, media.ring(medium, way), Map.of("ack", "enqueued"));
            case "log4j-burst-index" -> log4j(name, media.ring(medium, way), Map.of("index", "true"));
            case "log4j-burst-window" ->
                log4j(
                        name,
                        media.ring(medium, way),
                        Map.of("window", media.directory().toString()));
            case "log4j-burst-policies" ->
                Log4jTarget.rolled(name, media.ring(medium, way), NEVER_REACHED_BYTES, rolledLog(name), media.bytes());
            case "log4j-burst-rolling" ->
                Log4jTarget.rolled(name, media.ring(medium, way), media.rollBytes(), rolledLog(name), media.bytes());
            default -> throw unknown(name);
        };
    }

    private Target log4j(String name, Media.Ring ring, Map<String, String> attributes)
            throws IOException, Media.NotPossible {
        return Log4jTarget.burst(name, ring, attributes, log(name), media.bytes());
    }

    private static Binding binding(String way) {
        return way.equals("java-jna") ? Binding.JNA : Binding.JNI;
    }

    private CAppends child(String medium) throws IOException, Media.NotPossible {
        CAppends child = children.get(medium);
        if (child == null) {
            child = CAppends.start(medium, media);
            children.put(medium, child);
            open.add(child);
        }
        return child;
    }

    private BurstLog openLog(String name, Media.Ring ring, Binding binding) throws Media.NotPossible {
        return BurstTarget.open(ring.path(), ring.io(), log(name), binding, Duration.ZERO);
    }

    private Target peer(String name) throws IOException, Media.NotPossible {
        if (ServedPeers.has(name)) {
            return ServedPeers.open(name, media);
        }
        return switch (name) {
            case "log4j-raf-flush" -> log4j(name, "RandomAccessFile", true, false);
            case "log4j-raf-buffered" -> log4j(name, "RandomAccessFile", false, false);
            case "log4j-file-flush" -> log4j(name, "File", true, false);
            case "log4j-file-buffered" -> log4j(name, "File", false, false);
            case "log4j-mmap-flush" -> log4j(name, "MemoryMappedFile", true, false);
            case "log4j-mmap-buffered" -> log4j(name, "MemoryMappedFile", false, false);
            // Flushed when its queue is empty, and not for each event: so Log4j's manual says.
            case "log4j-async-raf" -> log4j(name, "RandomAccessFile", false, true);
            case "log4j-force" -> Log4jTarget.peer(name, "Force", Map.of(), false, log(name), media.bytes());
            case "logback-flush" -> new LogbackTarget(name, log(name), true, media.bytes());
            case "logback-buffered" -> new LogbackTarget(name, log(name), false, media.bytes());
            case "file-force" -> FileTarget.forced(name, log(name), media.bytes());
            case "file-rwd" -> FileTarget.synchronous(name, log(name), media.bytes());
            case "chronicle" -> ChronicleTarget.unsynced(name, queue(name), media.bytes());
            case "chronicle-sync" -> ChronicleTarget.synced(name, queue(name), media.bytes());
            case "chronicle-msync" -> ChronicleTarget.waiting(name, queue(name), media.bytes());
            default -> throw unknown(name);
        };
    }

    private Target log4j(String name, String plugin, boolean immediateFlush, boolean async)
            throws IOException, Media.NotPossible {
        Map<String, String> attributes = Map.of("immediateFlush", Boolean.toString(immediateFlush));
        return Log4jTarget.peer(name, plugin, attributes, async, log(name), media.bytes());
    }

    private static IllegalArgumentException unknown(String name) {
        return new IllegalArgumentException("There is no target \"" + name + "\".");
    }

    private Path log(String name) {
        return media.file(Study.fileName(name) + ".log");
    }

    private Path rolledLog(String name) {
        return media.file(Study.fileName(name)).resolve("rolled.log");
    }

    private Path queue(String name) {
        return media.file(Study.fileName(name) + ".queue");
    }

    /**
     * Counts the messages that are left of a target whose process died. For Burstlog these are the lines of the log
     * file after the next open.
     */
    public long found(String name) throws IOException, Media.NotPossible {
        if (name.startsWith("chronicle")) {
            return ChronicleTarget.messages(queue(name));
        }
        if (ServedPeers.has(name)) {
            return ServedPeers.found(name, media);
        }
        int at = name.indexOf('@');
        if (at >= 0) {
            Media.Ring ring = media.ring(name.substring(at + 1), name.substring(0, at));
            openLog(name, ring, Binding.JNI).close();
        }
        return LogFiles.lines(log(name));
    }

    /** Closes the last one first. A target that cannot be closed does not keep the others open. */
    @Override
    public void close() throws IOException {
        Collections.reverse(open);
        IOException first = null;
        for (Closeable each : open) {
            try {
                each.close();
            } catch (IOException | RuntimeException failure) {
                if (first == null) {
                    first = new IOException("A target could not be closed: " + failure.getMessage(), failure);
                } else {
                    first.addSuppressed(failure);
                }
            }
        }
        open.clear();
        children.clear();
        media.clear();
        if (first != null) {
            throw first;
        }
    }
}
