// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Each target in words, for pictures, tables and captions. A target is a way, or a way at a medium:
 * {@code log4j-force}, {@code log4j-burst@device}. Behind it a study may say more: {@code offer@ssd, 4 producers}.
 */
public final class TargetWords {

    /** A medium, as the place of a ring and as that of a bare write. */
    private record Medium(String ofRing, String ofWrite) {}

    private static final Map<String, Medium> MEDIA = Map.of(
            "ssd", new Medium("ring on the disk", "the disk"),
            "device", new Medium("ring on zram", "zram"),
            "mapped", new Medium("ring in memory", "memory"));

    /** {@code %1$s} is the ring's place, {@code %2$s} that of a bare write. */
    private static final Map<String, String> WAYS = new LinkedHashMap<>();

    static {
        WAYS.put("bare", "bare write to %2$s");
        WAYS.put("c", "%1$s, from C");
        WAYS.put("java-jni", "%1$s, from Java (JNI)");
        WAYS.put("java-jna", "%1$s, from Java (JNA)");
        WAYS.put("log4j-burst", "%1$s, through Log4j");
        WAYS.put("log4j-burst-enqueued", "%1$s, through Log4j, only enqueued");
        WAYS.put("log4j-burst-policies", "%1$s, through Log4j, with policies that never roll");
        WAYS.put("log4j-burst-rolling", "%1$s, through Log4j, a roll each megabyte");
        WAYS.put("log4j-burst-index", "%1$s, through Log4j, with an index");
        WAYS.put("log4j-burst-window", "%1$s, through Log4j, with a window");
        WAYS.put("log4j-raf-flush", "Log4j RandomAccessFile, flush each event");
        WAYS.put("log4j-raf-buffered", "Log4j RandomAccessFile, buffered");
        WAYS.put("log4j-file-flush", "Log4j File, flush each event");
        WAYS.put("log4j-file-buffered", "Log4j File, buffered");
        WAYS.put("log4j-mmap-flush", "Log4j MemoryMappedFile, flush each event");
        WAYS.put("log4j-mmap-buffered", "Log4j MemoryMappedFile, buffered");
        WAYS.put("log4j-async-raf", "Log4j async logger, RandomAccessFile");
        WAYS.put("log4j-force", "Log4j, no ring, force() each event");
        WAYS.put("file-force", "FileChannel, force() each event");
        WAYS.put("file-rwd", "RandomAccessFile \"rwd\"");
        WAYS.put("logback-flush", "Logback FileAppender, flush each event");
        WAYS.put("logback-buffered", "Logback FileAppender, buffered");
        WAYS.put("quill-flush", "quill, flush each message");
        WAYS.put("quill-fsync", "quill, fsync each message");
        WAYS.put("spdlog-flush", "spdlog, flush each message");
        WAYS.put("aeron-archive", "Aeron Archive, file.sync.level 1");
        WAYS.put("rocksdb-sync", "RocksDB, synced put");
        WAYS.put("sqlite-full", "SQLite, WAL, synchronous=FULL");
        WAYS.put("postgres-commit", "Postgres, commit each message");
        WAYS.put("pg-test-fsync", "pg_test_fsync, 8 kB and fdatasync");
        WAYS.put("chronicle", "Chronicle Queue");
        WAYS.put("chronicle-sync", "Chronicle Queue, sync() that does not wait");
        WAYS.put("chronicle-msync", "Chronicle Queue, sync() that waits");
        WAYS.put("drain-busy", "%1$s, drain busy");
        WAYS.put("drain-idle", "%1$s, drain idle");
        WAYS.put("burst-spin", "%1$s, reader spins");
        WAYS.put("burst-nap", "%1$s, reader naps between looks");
        WAYS.put("burst-sleep", "%1$s, reader asleep until woken");
        WAYS.put("aeron-ipc", "Aeron IPC");
        WAYS.put("copy", "copy to a byte buffer");
        WAYS.put("mapped-copy", "copy to a mapped file");
        WAYS.put("mapped-file", "mapped file that grows");
        WAYS.put("set-release+spin", "queue, lazySet, consumer spins");
        WAYS.put("set-release+yield", "queue, lazySet, consumer yields");
        WAYS.put("set-release+nap", "queue, lazySet, consumer naps");
        WAYS.put("set-release+park", "queue, lazySet, consumer is woken");
        WAYS.put("set-volatile+spin", "queue, set, consumer spins");
        WAYS.put("set-volatile+yield", "queue, set, consumer yields");
        WAYS.put("set-volatile+park", "queue, set, consumer is woken");
        WAYS.put("jctools-spsc", "JCTools SpscArrayQueue");
        WAYS.put("agrona-many-to-one", "Agrona ManyToOneRingBuffer");
        WAYS.put("disruptor", "Disruptor");
        WAYS.put("disruptor+spin", "Disruptor, consumer spins");
        WAYS.put("disruptor+yield", "Disruptor, consumer yields");
        WAYS.put("disruptor+block", "Disruptor, consumer blocks");
        WAYS.put("picologger", "Rust picologger");
        WAYS.put("offer", "offer, %1$s");
    }

    private TargetWords() {}

    /** The words for a target. A name that is no target's, and may be words already, stays as it is. */
    public static String of(String target) {
        int end = target.indexOf(", ");
        String name = end < 0 ? target : target.substring(0, end);
        int at = name.indexOf('@');
        String way = WAYS.get(at < 0 ? name : name.substring(0, at));
        if (way == null || way.contains("%") != at >= 0) {
            return target;
        }
        Medium medium = at < 0 ? null : medium(name.substring(at + 1));
        String words = medium == null ? way : way.formatted(medium.ofRing(), medium.ofWrite());
        return end < 0 ? words : words + target.substring(end);
    }

    /** The words for a ring's medium. */
    static String ofRing(String medium) {
        return medium(medium).ofRing();
    }

    /** A path of a block device stands for itself. */
    private static Medium medium(String name) {
        return MEDIA.getOrDefault(name, new Medium("ring on " + name, name));
    }
}
