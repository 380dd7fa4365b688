// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.BurstLog;
import io.burstlog.BurstReader;
import io.burstlog.BurstStream;
import io.burstlog.ReadRecords;
import io.burstlog.RecordBuffer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * A log appends, and the process of its archiver is killed at a random moment, again and again. After each kill verify
 * must find nothing, and the archive must go on from the head that was seen before; at the end it has each record once,
 * in order: the engine's reader says so, and zstd. An archiver that ends by itself is a violation, and so is a run in
 * which none got to a new head. scripts/prove/kill-archive runs it.
 */
final class KillArchive {

    private static final Duration LONG_ENOUGH = Duration.ofSeconds(60);
    private static final int MOST_MILLIS_TO_LIVE = 300;
    private static final int MOST_RECORDS = 600;
    private static final int POLL_BYTES = 1 << 20;

    /** The exit code of a process that SIGKILL has ended, as the JDK gives it. */
    private static final int KILLED = 128 + 9;

    private final Path folder;
    private final Path archive;
    private final Path key;
    private final VerifierKey publicKey;
    private final Random random;
    private final List<String> command;
    private final RecordBuffer record = RecordBuffer.allocate(64, 64);
    private final BurstLog log;
    private final BurstStream stream;
    private Checkpoint seen;
    private long appended;
    private long killed;
    private long grown;

    private KillArchive(Path folder, long seed, List<String> options) throws IOException {
        this.folder = folder;
        archive = folder.resolve("archive");
        key = folder.resolve("key");
        random = new Random(seed);
        publicKey = SigningKey.make("example.com/orders", key).verifier();
        seen = Archiver.create(archive, key, null);
        command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), Main.class.getName(), "archive"));
        command.addAll(List.of(segments(), archive.toString(), "--key", key.toString(), "--interval-ms", "5"));
        OrdersLog orders = OrdersLog.open(folder, 4 << 20);
        log = orders.log();
        stream = orders.stream();
    }

    public static void main(String[] arguments) throws Exception {
        long rounds = Long.MAX_VALUE;
        double seconds = Double.MAX_VALUE;
        long seed = 1;
        List<String> options = new ArrayList<>();
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            switch (arguments[i]) {
                case "--rounds" -> rounds = Long.parseLong(arguments[i + 1]);
                case "--seconds" -> seconds = Double.parseDouble(arguments[i + 1]);
                case "--seed" -> seed = Long.parseLong(arguments[i + 1]);
                case "--jvm-option" -> options.add(arguments[i + 1]);
                default -> throw new IllegalArgumentException(arguments[i]);
            }
        }
        KillArchive kills = new KillArchive(Path.of(arguments[0]), seed, options);
        long end = System.nanoTime() + (long) Math.min(seconds * 1e9, Long.MAX_VALUE / 4);
        String wrong = null;
        while (wrong == null && kills.killed < rounds && System.nanoTime() < end) {
            wrong = kills.round();
        }
        if (wrong == null && kills.grown == 0) {
            wrong = "no archiver got to a new head before it was killed";
        }
        wrong = wrong == null ? kills.last() : wrong;
        System.out.printf(
                "%d kills, %d of them behind a new head; %d records%n%s%n",
                kills.killed,
                kills.grown,
                kills.appended,
                wrong == null ? "each record is there once, in order" : wrong);
        System.out.printf(
                "PROOF kill-archive cases=%d violations=%d seeds=%d-%d%n",
                kills.killed, wrong == null ? 0 : 1, seed, seed);
        System.exit(wrong == null ? 0 : 1);
    }

    private String segments() {
        return OrdersLog.segments(folder);
    }

    private void append(int count) {
        for (int i = 0; i < count; i++) {
            stream.append(record.clear().put(ByteBuffer.wrap(payload(++appended))), appended);
        }
    }

    private static byte[] payload(long number) {
        return ("record " + number + " " + "x".repeat((int) (number % 40)) + "\n").getBytes(UTF_8);
    }

    /** Lets an archiver live for a moment. {@return what is wrong then; null if nothing is} */
    private String round() throws IOException, InterruptedException {
        append(random.nextInt(MOST_RECORDS));
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(
                        folder.resolve("archiver.out").toFile()))
                .start();
        boolean isLate = random.nextInt(4) > 0 && !awaitWork(process);
        long end = System.nanoTime() + random.nextInt(MOST_MILLIS_TO_LIVE * 1000) * 1000L;
        while (System.nanoTime() < end) {
            append(random.nextInt(20));
            TimeUnit.MILLISECONDS.sleep(1);
        }
        int code = process.destroyForcibly().waitFor();
        if (code != KILLED || isLate) {
            return "the archiver " + (code == KILLED ? "did not begin" : "ended by itself, with code " + code) + ": "
                    + output().strip();
        }
        killed++;
        long before = seen.size();
        String wrong = check();
        grown += seen.size() > before ? 1 : 0;
        return wrong;
    }

    private String output() throws IOException {
        return Files.readString(folder.resolve("archiver.out"));
    }

    /** {@return whether the archiver has said in time that it begins} */
    private boolean awaitWork(Process process) throws IOException, InterruptedException {
        long end = System.nanoTime() + LONG_ENOUGH.toNanos();
        while (!output().contains(" INFO ")) {
            if (!process.isAlive() || System.nanoTime() > end) {
                return false;
            }
            TimeUnit.MILLISECONDS.sleep(1);
        }
        return true;
    }

    private String check() throws IOException {
        Verification.Report report =
                Verification.of(archive).key(publicKey).known(seen).run();
        if (!report.isIntact()) {
            return report.findings().toString();
        }
        seen = report.head();
        return null;
    }

    /** Archives what is left. {@return what is wrong then; null if nothing is} */
    private String last() throws IOException, InterruptedException {
        log.awaitDrained(LONG_ENOUGH);
        ArchiverConfig config = ArchiverConfig.builder()
                .folder(segments())
                .archive(archive.toString())
                .key(key.toString())
                .build();
        Archiver archiver = Archiver.start(config);
        archiver.close(LONG_ENOUGH);
        log.close();
        String wrong = archiver.failure() == null ? check() : archiver.failure();
        wrong = wrong == null ? compare() : wrong;
        return wrong == null ? decompress() : wrong;
    }

    /** Reads the archive as a log. {@return what is wrong with its records; null if nothing is} */
    private String compare() {
        long number = 0;
        try (BurstReader reader = BurstReader.of(archive.toString()).open()) {
            ReadRecords records = reader.poll(POLL_BYTES, Duration.ZERO);
            while (!records.isEmpty()) {
                while (records.next()) {
                    number++;
                    if (records.kind() != ReadRecords.Kind.RECORD
                            || !records.data().equals(ByteBuffer.wrap(payload(number)))) {
                        return "record " + number + " is not what was appended, but " + records.kind() + ", sequence "
                                + records.sequence();
                    }
                }
                records = reader.poll(POLL_BYTES, Duration.ZERO);
            }
        }
        return number == appended ? null : "there are " + number + " records of " + appended;
    }

    /** Asks zstd, to which an archive is compressed text. {@return what is wrong with that; null if nothing is} */
    private String decompress() throws IOException, InterruptedException {
        List<String> zstd = new ArrayList<>(List.of("zstd", "-dcq"));
        zstd.addAll(payloads());
        Process process = new ProcessBuilder(zstd).redirectErrorStream(true).start();
        try (InputStream printed = process.getInputStream()) {
            for (long number = 1; number <= appended; number++) {
                byte[] wanted = payload(number);
                byte[] found = printed.readNBytes(wanted.length);
                if (!Arrays.equals(found, wanted)) {
                    return "zstd prints \"" + new String(found, UTF_8) + "\" in the place of record " + number;
                }
            }
            return printed.read() < 0 && process.waitFor() == 0 ? null : "zstd prints more than was appended, or fails";
        }
    }

    /** {@return the files with the payloads of the head, in order} */
    private List<String> payloads() {
        long last = seen.size() / Tiles.PAYLOAD_LEAVES;
        return Stream.concat(
                        LongStream.rangeClosed(0, last).mapToObj(Tiles::payload),
                        Stream.of(Tiles.payloadEdge(last, (int) (seen.size() % Tiles.PAYLOAD_LEAVES))))
                .map(archive::resolve)
                .filter(Files::exists)
                .map(Path::toString)
                .toList();
    }
}
