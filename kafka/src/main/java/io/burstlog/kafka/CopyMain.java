// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import io.burstlog.BurstException;
import io.burstlog.copy.CopyRecovery;
import io.burstlog.copy.CopyStore.RefusedException;
import io.burstlog.copy.CopyTarget;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;

/** The copy of a ring, on a host that does not have the ring: {@code recover}, and {@code compare}. */
final class CopyMain {

    static final int FOUND = 1;
    static final int USAGE = 2;
    static final int REFUSED = 3;
    static final int FAILED = 4;

    private final PrintStream out;
    private final PrintStream err;
    private final Map<String, String> options = new HashMap<>();
    private final Map<String, String> properties = new TreeMap<>();
    private String ring;

    private CopyMain(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    /** Whether arguments begin with one of its commands. */
    static boolean isCommand(String[] arguments) {
        return arguments.length > 0 && (arguments[0].equals("recover") || arguments[0].equals("compare"));
    }

    /**
     * Runs a command.
     *
     * @return the exit code: 0 done, 1 done and something is missing or differs, and those above
     */
    static int run(String[] arguments, PrintStream out, PrintStream err) {
        CopyMain main = new CopyMain(out, err);
        try {
            main.read(arguments);
            return arguments[0].equals("recover") ? main.recover() : main.compare();
        } catch (IllegalArgumentException | BurstException wrong) {
            err.println(wrong.getMessage());
            return USAGE;
        } catch (RefusedException refused) {
            err.println(refused.getMessage());
            return REFUSED;
        } catch (IOException failed) {
            err.println(failed.getMessage() == null ? failed.toString() : failed.getMessage());
            return FAILED;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
    }

    private void read(String[] words) {
        for (int i = 1; i < words.length; i++) {
            if (!words[i].startsWith("--") && ring == null) {
                ring = words[i];
            } else if (!words[i].startsWith("--") || i + 1 == words.length) {
                throw new IllegalArgumentException(words[i] + " is no option, or lacks its value.");
            } else if (!Main.readProperty(words[i], words[++i], properties::put)
                    && options.put(words[i - 1].substring(2), words[i]) != null) {
                throw new IllegalArgumentException(words[i - 1] + " is there twice.");
            }
        }
        if (ring == null || !ring.matches("[0-9a-f]{32}")) {
            throw new IllegalArgumentException((ring == null ? "RING-ID is missing" : ring + " is no RING-ID")
                    + "; write the 32 hexadecimal digits that burstlog info shows.");
        }
    }

    /** Takes an option, so that {@link #requireNothingElse} finds those that no command knows. */
    private String required(String name) {
        String value = options.remove(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + " is missing.");
        }
        return value;
    }

    private void requireNothingElse() {
        if (!options.isEmpty()) {
            throw new IllegalArgumentException(
                    "--" + options.keySet().iterator().next() + " is no option here.");
        }
    }

    private int recover() throws IOException, InterruptedException {
        String topic = required("topic");
        CopyTarget target = CopyTarget.of(options);
        requireNothingElse();
        try (KafkaCopyStore store = new KafkaCopyStore(ring, topic, properties)) {
            if (!store.take()) {
                throw new IOException("topic " + topic + " has no block of ring " + ring);
            }
            return told(target.recover(store));
        }
    }

    private int compare() throws IOException, InterruptedException {
        String topic = required("topic");
        String file = required("with");
        String stream = options.remove("stream");
        requireNothingElse();
        try (KafkaCopyStore store = new KafkaCopyStore(ring, topic, properties)) {
            return told(CopyRecovery.of(store).compare(Path.of(file), stream));
        }
    }

    private int told(CopyRecovery.Report report) {
        report.summary().forEach(out::println);
        report.findings().forEach(err::println);
        return report.findings().isEmpty() ? 0 : FOUND;
    }
}
