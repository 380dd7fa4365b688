// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * {@code burstlog drain} on the ring of an {@link Installation}: it is killed after a while, and starts again after
 * another one, until {@link #staysAlive}. A seed decides when. The first one that is killed has moved records.
 */
final class ExternalDrain implements AutoCloseable {

    /** Below the folder of the log files. */
    static final String WINDOW = "w";

    static final String ERRORS = "drain.err";

    /** The first tenth of a second goes into its start. */
    private static final int LONGEST_LIFE_MILLIS = 1_000;

    private static final int LONGEST_PAUSE_MILLIS = 200;

    /** The exit code of a process that SIGKILL has ended, as the JDK gives it. */
    private static final int KILLED = 128 + 9;

    private final Installation installation;
    private final Random random;
    private final Thread killer = new Thread(this::killAgainAndAgain, "kills the drain");
    private Process drain;
    private int kills;
    private boolean isSafe;
    private IOException failure;

    ExternalDrain(Installation installation, long seed) {
        this.installation = installation;
        this.random = new Random(~seed);
        killer.setDaemon(true);
        killer.start();
    }

    private void killAgainAndAgain() {
        try {
            while (startUnlessSafe()) {
                awaitRecords();
                pause(LONGEST_LIFE_MILLIS);
                killUnlessSafe();
                pause(LONGEST_PAUSE_MILLIS);
            }
        } catch (IOException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** It alone writes the log file. Later ones may be killed before they come so far. */
    private void awaitRecords() throws InterruptedException {
        while (isFirst() && drain.isAlive() && installation.file(1).toFile().length() == 0) {
            TimeUnit.MILLISECONDS.sleep(5);
        }
    }

    private synchronized boolean isFirst() {
        return kills == 0 && !isSafe;
    }

    private void pause(int mostMillis) {
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(random.nextInt(mostMillis)));
    }

    private synchronized boolean startUnlessSafe() throws IOException {
        if (isSafe) {
            return false;
        }
        start();
        return true;
    }

    private void start() throws IOException {
        Path errors = installation.directory().resolve(ERRORS);
        drain = new ProcessBuilder(
                        System.getProperty("burstlog.cli"),
                        "drain",
                        "--window",
                        installation.directory().resolve(WINDOW).toString(),
                        installation.ring().toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.appendTo(errors.toFile()))
                .start();
        // A test that fails half-way leaves no process behind.
        Runtime.getRuntime().addShutdownHook(new Thread(drain.toHandle()::destroyForcibly));
    }

    /** One that finds no ring yet ends by itself, and does not count. */
    private synchronized void killUnlessSafe() throws InterruptedException {
        if (!isSafe) {
            ChildJvm.kill(drain);
            kills += drain.exitValue() == KILLED ? 1 : 0;
            notifyAll();
        }
    }

    /** From now on a drain lives. Waits until one was killed. */
    void staysAlive() throws IOException, InterruptedException {
        synchronized (this) {
            while (kills == 0 && killer.isAlive()) {
                wait(10);
            }
            isSafe = true;
        }
        killer.join();
        if (failure != null) {
            throw failure;
        }
        if (!drain.isAlive()) {
            start();
        }
    }

    /** How often it was killed. */
    synchronized int kills() {
        return kills;
    }

    /** Lets it end by itself. */
    void end() throws InterruptedException {
        ChildJvm.terminate(drain);
        if (!drain.waitFor(1, TimeUnit.MINUTES) || drain.exitValue() != 0) {
            throw new AssertionError("SIGTERM does not end the drain with 0: "
                    + (drain.isAlive() ? "it still runs" : drain.exitValue()));
        }
    }

    @Override
    public void close() throws InterruptedException {
        synchronized (this) {
            isSafe = true;
        }
        killer.join();
        if (drain != null) {
            ChildJvm.kill(drain);
        }
    }
}
