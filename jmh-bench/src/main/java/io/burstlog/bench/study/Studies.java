// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.handover.HandOvers;
import io.burstlog.bench.subject.PgTestFsync;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/** The studies by their names in docs/benchmarks.md, and the steps of each: a command of the harness, or JMH. */
public final class Studies {

    /**
     * One process of a study.
     *
     * @param devices zram devices that it is given, if they can be made here
     * @param mounts whether it is given a file system without space
     * @param words the command and its options
     */
    public record Step(int devices, boolean mounts, List<String> words) {

        boolean isJmh() {
            return words.get(0).endsWith("Bench");
        }
    }

    private record Named(String question, Function<Size, List<Step>> steps) {}

    /** A quick run, or one of full length. */
    private record Size(boolean full) {
        String of(int quick, int whole) {
            return Integer.toString(full ? whole : quick);
        }
    }

    private static final String LOG4J_PEERS =
            "log4j-raf-flush,log4j-raf-buffered,log4j-file-flush,log4j-file-buffered,log4j-mmap-flush,"
                    + "log4j-mmap-buffered,log4j-async-raf,log4j-force,logback-flush,logback-buffered,chronicle,"
                    + "chronicle-sync,chronicle-msync";
    private static final String SERVED_PEERS =
            "quill-flush,quill-fsync,spdlog-flush,aeron-archive,rocksdb-sync,sqlite-full,postgres-commit,picologger";
    private static final String PEERS =
            "log4j-burst@ssd,log4j-burst-enqueued@ssd,log4j-burst@device,log4j-burst@mapped," + LOG4J_PEERS + ","
                    + SERVED_PEERS;
    private static final String FAST_RING =
            "bare@device,bare@ssd,java-jni@device,java-jna@device,log4j-burst@device,java-jni@ssd,"
                    + "java-jna@ssd,log4j-burst@ssd,log4j-force,file-force,file-rwd";

    /** The cases of the application note of 2018: the media, plain Java, and Log4j. */
    private static final String APPLICATION_NOTE =
            "bare@device,java-jna@device,log4j-burst@device,bare@ssd,java-jna@ssd,log4j-burst@ssd";

    private static final Map<String, Named> ALL = new LinkedHashMap<>();

    /**
     * Studies that fill docs/prior-art.md, and what each takes in seconds: quick, full, and besides what is asked for.
     */
    private static final Map<String, int[]> PRIOR_ART = new LinkedHashMap<>();

    private static final String GROUP = "prior-art";

    static {
        add(
                "fast-ring",
                "what does the fast ring bring? Log4j and Java with the ring on zram, on the disk, and without one",
                size -> latency("fast-ring", "Fast ring against SSD", 4, 24, 6000, size, "log4j-burst@ssd", FAST_RING));
        add(
                "ssd",
                "what does an append cost over the medium, and each way in over the one below? Ring in a file",
                size -> latency("ssd", "Ring in a file on the SSD", 0, 10, 6000, size, "bare@ssd", waysOn("ssd")));
        add(
                "device",
                "the same on the fast device",
                size -> latency(
                        "device",
                        "Ring on the fast device (zram)",
                        4,
                        8,
                        17_000,
                        size,
                        "bare@device",
                        waysOn("device")));
        add(
                "mapped",
                "the same without a device: ring on tmpfs, beside Log4j's RandomAccessFile",
                size -> latency(
                        "mapped",
                        "Mapped ring (tmpfs)",
                        0,
                        6,
                        20_000,
                        size,
                        "c@mapped",
                        "c@mapped,java-jni@mapped,java-jna@mapped,log4j-burst@mapped,log4j-raf-buffered"));
        add(
                "peers",
                "against what one has: file appenders of Log4j, Logback, quill, spdlog; queues, archives and stores",
                size -> latency(
                        "peers",
                        "Burstlog beside what one has",
                        1,
                        20,
                        6000,
                        size,
                        "log4j-burst@ssd",
                        PEERS + "," + PgTestFsync.NAME));
        add(
                "hand-over",
                "what does a hand-over cost the thread that has the message?",
                size -> size.full() ? List.of(handOver(64, size), handOver(100, size)) : List.of(handOver(64, size)));
        add(
                "queue",
                "queues message by message, as the byte buffer, mapped file and lock-free queue of 2018; durable after what?",
                size -> List.of(
                        size.full()
                                ? step(
                                        1,
                                        "queue --bytes 99 --messages 4012000 --ways " + HandOvers.QUEUES
                                                + ",picologger")
                                : step(1, "queue --bytes 99 --messages 100000")));
        add(
                "load",
                "what when it is busy? Open loop, 5% to 100% of the capacity of each, blocks in turns",
                size -> List.of(step(
                        1,
                        "load --targets log4j-burst@device,log4j-burst@ssd,log4j-force,log4j-raf-flush --millis 300"
                                + " --warm-up",
                        size.of(3000, 20_000),
                        "--seconds",
                        size.of(60, 1800))));
        add(
                "slow-appends",
                "whose are the slowest appends: the machine's, the medium's, or Burstlog's? As `burstlog doctor` tells",
                size -> List.of(step(1, "slow-appends --seconds", size.of(10, 120))));
        add(
                "file-systems",
                "which file system below the ring, which below the log file? 1,000 messages/s, open loop; root only",
                size -> List.of(step(
                        0,
                        size.full() ? "file-systems --seconds 60" : "file-systems --seconds 1 --systems ext4,btrfs")));
        add(
                "jvm",
                "which JVM, collector and processors for a gateway? The demo's, orders at recorded times, open loop",
                Studies::jvm);
        add(
                "gateway-drain",
                "does the client of a gateway feel in which process the drain is? As jvm, both in turns",
                size -> List.of(step(
                        1,
                        "jvm --study gateway-drain --title Drain --drains inner,external --collectors G1 --neighbours quiet"
                                + " --placements free --jdks 17 --runs",
                        size.of(2, 10),
                        "--millis",
                        size.of(2000, 4000))));
        add(
                "gateway",
                "what do 25 clients of a FIX gateway feel of its log? File, File and force, Burst; free and pinned",
                size -> List.of(step(1, "gateway --runs", size.of(1, 3), "--seconds", size.of(40, 480))));
        add(
                "gateway-file-systems",
                "which file system below a FIX gateway? One client, 1,000 orders/s; root only",
                size -> List.of(
                        step(0, "gateway-file-systems --runs", size.of(1, 3), "--seconds", size.of(42, 14 * 60))));
        add(
                "application-note",
                "what do Java over JNA and Log4j cost on a fast ring, and straight on the disk? Each message",
                size -> latency(
                        "application-note",
                        "Fast ring and disk",
                        3,
                        24,
                        6000,
                        size,
                        "log4j-burst@ssd",
                        APPLICATION_NOTE));
        add(
                "throughput",
                "how many durable records a second?",
                size -> List.of(step(
                        1,
                        "throughput --blocks",
                        size.of(3, 30),
                        "--millis",
                        size.of(150, 2000),
                        "--offers",
                        size.of(500_000, 3_000_000))));
        add(
                "drain",
                "does the drain disturb?",
                size -> List.of(step(
                        2,
                        "drain --seconds",
                        size.of(8, 36_000),
                        "--warm-up",
                        size.of(4500, 30_000),
                        "--messages",
                        size.of(1_000_000, 300_000))));
        add("rolling", "do rolls disturb?", Studies::rolling);
        add(
                "drain-rate",
                "how fast does the drain write text?",
                size -> List.of(step(0, "drain-rate --megabytes 128 --blocks", size.of(3, 20))));
        add(
                "open",
                "how long is the open of a full ring?",
                size -> List.of(
                        new Step(0, true, words("open --megabytes", size.of(256, 1024), "--blocks", size.of(5, 15)))));
        add(
                "syncs",
                "what would a crash lose of each? Their syncs, counted by strace",
                size -> List.of(step(1, "syncs --targets", PEERS + ",file-force,file-rwd")));
        add("readable", "what does a log pay for an index of its file, and for a window?", Studies::readable);
        add(
                "seen",
                "how long after a record is durable does another process see it? Beside Chronicle Queue and Aeron",
                size -> List.of(step(
                        3,
                        "seen --messages 1000000 --seconds",
                        size.of(30, 36_000),
                        "--warm-up",
                        size.of(10_000, 50_000))));
        add("agreement", "do JMH and the harness say the same of the same target?", Studies::agreement);
        add("jmh", "nanoseconds and bytes for an operation, each in a JVM of its own", Studies::jmh);
    }

    static {
        PRIOR_ART.put("application-note", new int[] {24, 700, 15});
        PRIOR_ART.put("queue", new int[] {15, 120, 0});
        PRIOR_ART.put("gateway", new int[] {40, 480, 290});
        PRIOR_ART.put("gateway-file-systems", new int[] {42, 840, 250});
    }

    private Studies() {}

    private static void add(String name, String question, Function<Size, List<Step>> steps) {
        ALL.put(name, new Named(question, steps));
    }

    /** Whether there is a study of that name, or a group of them. */
    public static boolean isName(String name) {
        return ALL.containsKey(name) || name.equals(GROUP);
    }

    /**
     * The names with each group's members in its place, and says how long a group takes.
     *
     * @param seconds as the options have it for each study; null: they do not
     */
    static List<String> members(List<String> names, boolean full, String seconds) {
        List<String> members = new ArrayList<>();
        for (String name : names) {
            if (!name.equals(GROUP)) {
                members.add(name);
                continue;
            }
            int sum = 0;
            for (Map.Entry<String, int[]> each : PRIOR_ART.entrySet()) {
                int[] takes = each.getValue();
                boolean isAsked = seconds != null && !each.getKey().equals("queue");
                sum += takes[2] + (isAsked ? Integer.parseInt(seconds) : takes[full ? 1 : 0]);
            }
            System.out.printf("%s: %s, about %d minutes%n", name, String.join(", ", PRIOR_ART.keySet()), 1 + sum / 60);
            members.addAll(PRIOR_ART.keySet());
        }
        return members;
    }

    /** Each group and its members, for help. */
    public static String groups() {
        return GROUP + ": " + String.join(", ", PRIOR_ART.keySet()) + "; for docs/prior-art.md";
    }

    /** All names, in the order in which all of them run. */
    public static List<String> names() {
        return List.copyOf(ALL.keySet());
    }

    public static String question(String name) {
        return ALL.get(name).question();
    }

    /** The steps of a study. Their results go to the folder {@code out}. */
    public static List<Step> steps(String name, boolean full, String out) {
        List<Step> steps = new ArrayList<>();
        for (Step step : ALL.get(name).steps().apply(new Size(full))) {
            List<String> words = new ArrayList<>(step.words());
            if (step.isJmh()) {
                String file = "jmh-"
                        + words.get(0).replaceAll("([a-z])([A-Z])", "$1-$2").toLowerCase() + ".json";
                words.addAll(List.of("-rf", "json", "-rff", out + "/" + file, "-prof", "gc"));
            } else {
                words.addAll(List.of("--out", out));
            }
            steps.add(new Step(step.devices(), step.mounts(), words));
        }
        return steps;
    }

    private static List<String> words(String... texts) {
        return List.of(String.join(" ", texts).split(" "));
    }

    private static Step step(int devices, String... texts) {
        return new Step(devices, false, words(texts));
    }

    private static String waysOn(String medium) {
        return "bare@%1$s,c@%1$s,java-jni@%1$s,java-jna@%1$s,log4j-burst@%1$s".formatted(medium);
    }

    /** A quick run ends after these seconds. */
    private static List<Step> latency(
            String name,
            String title,
            int devices,
            int seconds,
            int warmUp,
            Size size,
            String baseline,
            String targets) {
        List<String> words = new ArrayList<>(List.of("latency", "--study", name, "--title", title));
        words.addAll(words(
                "--seconds",
                size.of(seconds, 36_000),
                "--warm-up",
                size.of(warmUp, 50_000),
                "--messages 1000000 --block",
                size.of(1000, 5000),
                "--baseline",
                baseline,
                "--targets",
                targets));
        return List.of(new Step(devices, false, words));
    }

    private static Step handOver(int bytes, Size size) {
        return step(2, "hand-over --study hand-over-" + bytes + " --bytes " + bytes + " --rounds", size.of(15, 300));
    }

    /** Rolls each megabyte, 100 times in 400,000 messages of 256 bytes, and compresses at once. */
    private static List<Step> rolling(Size size) {
        List<Step> steps = new ArrayList<>();
        for (String medium : List.of("mapped", "device", "ssd")) {
            List<String> words = new ArrayList<>(
                    List.of("latency", "--title", "Rolled while it is logged (" + medium + ")", "--study"));
            words.addAll(words(
                    "rolling-" + medium,
                    "--messages 400000 --seconds",
                    size.of(6, 36_000),
                    "--warm-up 15000 --block",
                    size.of(1000, 5000),
                    "--baseline log4j-burst@" + medium,
                    "--targets log4j-burst@%1$s,log4j-burst-policies@%1$s,log4j-burst-rolling@%1$s".formatted(medium)));
            steps.add(new Step(3, false, words));
        }
        return steps;
    }

    /** On the disk the index is synced beside the log file, while appends go to the same disk. */
    private static List<Step> readable(Size size) {
        List<Step> steps = new ArrayList<>();
        for (String medium : List.of("device", "ssd")) {
            List<String> words = new ArrayList<>(
                    List.of("latency", "--title", "Readable while it is logged (" + medium + ")", "--study"));
            words.addAll(words(
                    "readable-" + medium,
                    "--messages 400000 --seconds",
                    size.of(10, 36_000),
                    "--warm-up 15000 --block",
                    size.of(1000, 5000),
                    "--baseline log4j-burst@" + medium,
                    "--targets log4j-burst@%1$s,log4j-burst-index@%1$s,log4j-burst-window@%1$s".formatted(medium)));
            steps.add(new Step(3, false, words));
        }
        return steps;
    }

    private static List<Step> agreement(Size size) {
        return List.of(
                step(
                        2,
                        "latency --study agreement-harness --title Agreement --messages 1000000 --block 5000 --warm-up 20000"
                                + " --targets java-jni@device,log4j-burst@device,java-jni@ssd,log4j-burst@ssd --seconds",
                        size.of(6, 40)),
                step(
                        0,
                        "AppendBench -p way=java-jni,log4j -p ring="
                                + (size.full() ? "zram,ssd-file -wi 3 -i 5" : "zram -wi 1 -i 1")),
                step(0, "agreement"));
    }

    /** A run takes seven seconds, a quick one four. */
    private static List<Step> jvm(Size size) {
        return List.of(
                size.full()
                        ? step(1, "jvm --runs 3 --millis 4000")
                        : step(
                                1,
                                "jvm --runs 1 --millis 2000 --warm-up 3000 --collectors G1,Z --placements free"
                                        + " --neighbours quiet"));
    }

    private static List<Step> jmh(Size size) {
        if (!size.full()) {
            return List.of(
                    step(0, "HandOverBench -p size=64 -p way=disruptor,offer@zram,offer@ssd-file"),
                    step(0, "PolicyBench -wi 1 -i 2"),
                    step(0, "LayoutBench -wi 1 -i 2"),
                    step(0, "AppendBench -p ring=zram,ssd-file -p way=log4j,java-jni -wi 1 -i 2"),
                    step(0, "PeerBench -p peer=log4j-force,log4j-raf-buffered -wi 1 -i 2"));
        }
        String times = " -wi 5 -i 10 -f 3";
        return List.of(
                step(0, "HandOverBench -f 3"),
                step(0, "PolicyBench"),
                step(0, "LayoutBench"),
                step(0, "AppendBench" + times),
                step(0, "PeerBench -p peer=log4j-force,log4j-raf-flush,log4j-raf-buffered,log4j-async-raf" + times));
    }
}
