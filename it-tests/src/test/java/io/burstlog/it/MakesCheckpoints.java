// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.BurstStream;
import io.burstlog.StreamConfig;
import io.burstlog.it.crac.Core;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * A child process that makes checkpoints while its threads log. Instead of an image it looks at what would be in it,
 * and lets another writer have ring and log file meanwhile. Arguments: framework; folder of the ring. Half of its
 * threads are virtual ones, where the JVM has these.
 */
final class MakesCheckpoints {

    static final int THREADS = 4;
    static final int STREAMS = 2;
    static final int CHECKPOINTS = 2;

    /** The thread number of the lines that the other writer logs, to the first stream. */
    static final int OTHER_WRITER = THREADS + 1;

    private static final int LINES = 40;
    private static final long LOOK_MILLIS = 150;
    private static final long ENDING_NANOS = 10_000_000_000L;

    private final Logging logging;
    private final Path folder;
    private final AtomicInteger logged = new AtomicInteger();
    private volatile boolean isOver;
    private int images;

    private MakesCheckpoints(Logging logging, Path folder) {
        this.logging = logging;
        this.folder = folder;
    }

    public static void main(String[] arguments) throws Exception {
        Logging logging =
                Logging.Framework.valueOf(arguments[0]).create(System.getProperty("log4j2.configurationFile"));
        logging.start(STREAMS);
        try {
            new MakesCheckpoints(logging, Path.of(arguments[1])).run();
        } catch (Throwable failure) {
            fail(failure); // its threads log for ever
        }
        System.exit(0); // Spring leaves a thread behind that is to keep the JVM alive until the restore
    }

    private static void fail(Throwable failure) {
        failure.printStackTrace();
        Runtime.getRuntime().halt(3);
    }

    private void run() throws Exception {
        List<Thread> threads = new ArrayList<>();
        for (int number = 1; number <= THREADS; number++) {
            threads.add(start(number));
        }
        Core.setImage(this::lookAtImage);
        for (int i = 0; i < CHECKPOINTS; i++) {
            awaitMore();
            org.crac.Core.checkpointRestore();
        }
        awaitMore();
        isOver = true; // a stop would refuse a call that it meets
        for (Thread thread : threads) {
            thread.join();
        }
        logging.stop();
        require(images == CHECKPOINTS, images + " images");
    }

    private Thread start(int number) throws ReflectiveOperationException {
        int stream = VictimOfKills.streamOf(number, STREAMS);
        Predicate<String> log = line -> {
            boolean isLogged = !isOver && logging.log(stream, line);
            logged.incrementAndGet();
            return isLogged;
        };
        Runnable task = () -> LoggingThreads.log(log, 1, number, Integer.MAX_VALUE - 1, false);
        if (number % 2 == 0 && VirtualThreads.areThere()) {
            return VirtualThreads.start(Executors.callable(task));
        }
        Thread thread = new Thread(task);
        thread.setUncaughtExceptionHandler((failed, failure) -> fail(failure));
        thread.start();
        return thread;
    }

    private void awaitMore() throws InterruptedException {
        for (int begin = logged.get(); logged.get() < begin + LINES; ) {
            Thread.sleep(1);
        }
    }

    private void lookAtImage() throws Exception {
        images++;
        int before = logged.get();
        List<String> open = namesIn("/proc/self/fd").stream()
                .filter(file -> file.startsWith(folder + "/it"))
                .toList();
        require(open.isEmpty(), "open files: " + open);
        List<String> threads = threads();
        for (long end = System.nanoTime() + ENDING_NANOS; !threads.isEmpty() && System.nanoTime() < end; ) {
            Thread.sleep(1); // a thread that nobody joins has announced its end, and may still run
            threads = threads();
        }
        require(threads.isEmpty(), "threads: " + threads);
        logAsTheOtherWriter();
        refuseThisThread();
        Thread.sleep(LOOK_MILLIS);
        int returned = logged.get() - before;
        // A call of each thread may have returned before the image, and have been counted after it had begun.
        require(returned <= THREADS, returned + " log calls returned");
    }

    private void logAsTheOtherWriter() throws IOException {
        BurstConfig ring =
                BurstConfig.builder().ring(folder.resolve("it.ring").toString()).build();
        StreamConfig file = StreamConfig.builder()
                .fileName(Installation.fileOf(folder, 1).toString())
                .build();
        try (BurstLog log = BurstLog.open(ring);
                BurstStream stream = log.stream(null, file)) {
            stream.append((new LineText(1, OTHER_WRITER, images).text() + '\n').getBytes(StandardCharsets.UTF_8));
        }
        Acknowledged.tell(OTHER_WRITER, images);
    }

    /** It would wait for itself. */
    private void refuseThisThread() {
        try {
            logging.log(1, "logged by the thread that makes the checkpoint");
        } catch (RuntimeException refusal) {
            require(refusal.getMessage().contains("checkpoint"), refusal.toString());
            return;
        }
        require(false, "the thread that makes the checkpoint logged");
    }

    private static List<String> namesIn(String folder) throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> links = Files.list(Path.of(folder))) {
            for (Path link : links.toList()) {
                try {
                    names.add(Files.readSymbolicLink(link).toString());
                } catch (IOException closedMeanwhile) {
                    // the list's own
                }
            }
        }
        return names;
    }

    /** Threads of the engine; those of Java may be in an image. */
    private static List<String> threads() throws IOException {
        List<String> names = new ArrayList<>();
        try (Stream<Path> tasks = Files.list(Path.of("/proc/self/task"))) {
            for (Path task : tasks.toList()) {
                try {
                    String name = Files.readString(task.resolve("comm")).strip();
                    if (name.startsWith("burst-")) {
                        names.add(name);
                    }
                } catch (IOException endedMeanwhile) {
                    // it is no thread any more
                }
            }
        }
        return names;
    }

    private static void require(boolean met, String found) {
        if (!met) {
            throw new IllegalStateException("in the image: " + found);
        }
    }
}
