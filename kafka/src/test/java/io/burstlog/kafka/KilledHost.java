// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import java.io.DataInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * A host: a process that logs ({@link KilledApplication}); a shipper in that process or in one of its own; and the
 * records that the first called durable. Ended processes are started again.
 */
final class KilledHost {

    /** The same for all hosts. */
    record Setting(Path work, String topic, Path properties, Jvms jvms) {}

    private static final int FENCED = 3;

    private final Setting setting;
    private final String name;
    private final Path folder;
    private final Path segments;
    private final Path clock;
    private final boolean shipsItself;

    /** The last durable record, by run and thread. The rig and the listening threads use it. */
    private final Map<String, Integer> durable = new HashMap<>();

    private Process application;
    private Thread listening;
    private Process shipper;
    private Process secondShipper;
    private int run;
    private int consumer = 1;
    private long acknowledged;
    private int endedByItself;

    KilledHost(Setting setting, String name, Path segments, boolean shipsItself) throws IOException {
        this.setting = setting;
        this.name = name;
        this.segments = segments;
        this.shipsItself = shipsItself;
        folder = Files.createDirectories(setting.work.resolve(name));
        clock = folder.resolve("clock");
        Jvms.shiftClock(clock, 0);
    }

    String name() {
        return name;
    }

    boolean shipsItself() {
        return shipsItself;
    }

    Path segments() {
        return segments;
    }

    /** Starts the missing processes. A second shipper takes the place of the first one that it has fenced. */
    void revive() throws IOException {
        if (application == null || !application.isAlive()) {
            noteEnd(application);
            application = startApplication();
        }
        if (shipsItself) {
            return;
        }
        if (secondShipper != null && !secondShipper.isAlive() && shipper.isAlive()) {
            Files.deleteIfExists(segments.resolve("consumers").resolve("shipper-" + consumer--));
            secondShipper = null;
        }
        if (shipper != null && !shipper.isAlive() && secondShipper != null) {
            noteEnd(shipper);
            Files.deleteIfExists(segments.resolve("consumers").resolve("shipper-" + (consumer - 1)));
            shipper = secondShipper;
            secondShipper = null;
        }
        if (shipper == null || !shipper.isAlive()) {
            if (Files.exists(segments.resolve("head"))) {
                noteEnd(shipper);
                shipper = startShipper();
            }
        }
    }

    /** An end by a signal is expected. */
    private void noteEnd(Process process) {
        if (process != null && process.exitValue() < 128) {
            endedByItself++;
        }
    }

    private Process startApplication() throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of(KilledApplication.class.getName(), folder.toString(), segments.toString(), name, "" + ++run));
        if (shipsItself) {
            arguments.addAll(List.of(setting.properties.toString(), setting.topic));
        }
        Process started = java("application", arguments)
                .redirectOutput(ProcessBuilder.Redirect.PIPE)
                .redirectErrorStream(false)
                .redirectError(ProcessBuilder.Redirect.appendTo(
                        folder.resolve("application.out").toFile()))
                .start();
        int ofRun = run;
        listening = new Thread(() -> listen(started, ofRun));
        listening.setDaemon(true);
        listening.start();
        return started;
    }

    private Process startShipper() throws IOException {
        return java(
                        "shipper",
                        List.of(
                                Main.class.getName(),
                                segments.toString(),
                                "--topic",
                                setting.topic,
                                "--consumer",
                                "shipper-" + consumer,
                                "--properties",
                                setting.properties.toString()))
                .start();
    }

    /** The second shipper begins while the first one works, and fences it. */
    void startSecondShipper() throws IOException {
        if (shipper != null && secondShipper == null) {
            consumer++;
            secondShipper = startShipper();
        }
    }

    boolean hasTwoShippers() {
        return secondShipper != null;
    }

    private ProcessBuilder java(String kind, List<String> arguments) {
        ProcessBuilder builder = Broker.prepared(folder.resolve(kind + ".out"), arguments.toArray(String[]::new));
        setting.jvms.prepare(builder, name + '-' + kind, clock);
        return builder;
    }

    /** The file with its clock's error: see {@link Jvms}. */
    Path clock() {
        return clock;
    }

    private void listen(Process process, int ofRun) {
        try (DataInputStream said = new DataInputStream(process.getInputStream())) {
            while (true) {
                int thread = said.readInt();
                int order = said.readInt();
                synchronized (this) {
                    durable.put(ofRun + " " + thread, order);
                    acknowledged++;
                }
            }
        } catch (IOException itsEnd) {
            // The input has ended. A pipe takes these few bytes whole or not at all.
        }
    }

    Process application() {
        return application;
    }

    Process shipper() {
        return shipsItself ? application : shipper;
    }

    /** All processes that were started and not replaced. */
    List<Process> processes() {
        List<Process> all = new ArrayList<>();
        for (Process each : new Process[] {application, shipper, secondShipper}) {
            if (each != null) {
                all.add(each);
            }
        }
        return all;
    }

    /** All durable records so far, without those that the witness has confirmed. */
    synchronized Map<String, Integer> durable() {
        return new HashMap<>(durable);
    }

    /** The witness has seen this record, or later ones of the thread. */
    synchronized void forget(String runAndThread) {
        if (!runAndThread.startsWith(run + " ")) {
            durable.remove(runAndThread);
        }
    }

    synchronized long acknowledged() {
        return acknowledged;
    }

    int endedByItself() {
        return endedByItself;
    }

    /** The application logs no more. Returns whether all that it called durable is known now. */
    boolean fallSilent() throws IOException, InterruptedException {
        application.getOutputStream().write('.');
        application.getOutputStream().flush();
        listening.join(30_000);
        return !listening.isAlive() && application.isAlive();
    }

    /** Ends both in order. Returns whether both came to their ends. */
    boolean end() throws IOException, InterruptedException {
        application.getOutputStream().close();
        boolean hasEnded = application.waitFor(30, TimeUnit.SECONDS) && application.exitValue() == 0;
        if (!shipsItself) {
            shipper.destroy();
            hasEnded &= shipper.waitFor(30, TimeUnit.SECONDS) && shipper.exitValue() != FENCED;
        }
        return hasEnded;
    }

    /** Takes all free bytes of the disk for its segments; deleting the result gives them back. */
    Path fillDisk() throws IOException {
        Path filler = segments.resolveSibling("filler");
        byte[] block = new byte[1 << 16];
        try (RandomAccessFile file = new RandomAccessFile(filler.toFile(), "rw")) {
            while (true) {
                file.write(block);
            }
        } catch (IOException full) {
            return filler;
        }
    }
}
