// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.BurstException;
import io.burstlog.copy.CopyRecovery;
import io.burstlog.copy.CopyStore.RefusedException;
import io.burstlog.copy.CopyTarget;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The command of copies: what an operator does with the ledgers of a ring, on any host. */
final class Main {

    static final int FOUND = 1;
    static final int USAGE = 2;
    static final int REFUSED = 3;
    static final int FAILED = 4;

    private static final String RING = "[0-9a-f]{32}";

    private static final String HELP = """
            Looks after the copies of rings in ledgers of Apache BookKeeper, and brings the records back.

                java -jar burstlog-bookkeeper.jar COMMAND ARGUMENT.. [OPTION..]

              ledgers                  lists the ledgers of all rings, or of one
                  --ring ID            only of this one
              recover SOURCE --to FOLDER  ends every copier of the ring for good, and writes the records of each stream
                                       to a new file in FOLDER. SOURCE is the id of the ring, or any of its ledgers
              recover SOURCE --into RING  the same, but into a new ring, which moves them to log files and segments
                  --from SEQUENCE      for both: only the records from this one on; or STREAM=SEQUENCE,..
                  --files STREAM=PATH,..     with --into: the log files, as the application has them
                  --segments STREAM=PATH,..  with --into: the folders of segments, as the application has them
              compare SOURCE --with FILE  compares the copy with a log file. It ends no copier
                  --stream NAME        the stream of that log file, if the ring has several

              for each command:
                  --properties FILE    properties of BookKeeper's client: metadataServiceUri, TLS, ...
                  --property NAME=VALUE  one of them

            Exit codes: 0 done, 1 done, and records are missing or differ, 2 usage, 3 refused, as ledgers that are not of
            this ring are, 4 something cannot be read or written
            """;

    private final PrintStream out;
    private final PrintStream err;
    private final List<String> arguments = new ArrayList<>();
    private final Map<String, String> options = new TreeMap<>();
    private final Map<String, String> properties = new TreeMap<>();

    private Main(PrintStream out, PrintStream err) {
        this.out = out;
        this.err = err;
    }

    public static void main(String[] arguments) {
        System.exit(run(System.out, System.err, arguments));
    }

    /** Runs a command. {@return its exit code} */
    static int run(PrintStream out, PrintStream err, String... arguments) {
        if (arguments.length == 0 || List.of(arguments).contains("--help")) {
            out.print(HELP);
            return arguments.length == 0 ? USAGE : 0;
        }
        try {
            Main main = new Main(out, err);
            main.read(Arrays.copyOfRange(arguments, 1, arguments.length));
            return main.run(arguments[0]);
        } catch (IllegalArgumentException wrong) {
            err.println(wrong.getMessage() + "\nUsage: --help");
            return USAGE;
        } catch (BurstException | RefusedException refused) {
            err.println(refused.getMessage());
            boolean isUsage = refused instanceof BurstException
                    && ((BurstException) refused).code() == BurstException.Code.INVALID_ARGUMENT;
            return isUsage ? USAGE : REFUSED;
        } catch (IOException failed) {
            err.println(failed.getMessage() == null ? failed.toString() : failed.getMessage());
            return FAILED;
        } catch (InterruptedException stopped) {
            Thread.currentThread().interrupt();
            return FAILED;
        }
    }

    private void read(String[] words) throws IOException {
        for (int i = 0; i < words.length; i++) {
            if (!words[i].startsWith("--")) {
                arguments.add(words[i]);
            } else if (i + 1 == words.length) {
                throw new IllegalArgumentException(words[i] + " lacks its value.");
            } else if (words[i].equals("--property")) {
                String[] parts = words[++i].split("=", 2);
                properties.put(parts[0], parts.length == 2 ? parts[1] : "");
            } else if (words[i].equals("--properties")) {
                Properties file = new Properties();
                try (Reader reader = Files.newBufferedReader(Path.of(words[++i]))) {
                    file.load(reader);
                }
                file.stringPropertyNames().forEach(name -> properties.put(name, file.getProperty(name)));
            } else if (options.put(words[i].substring(2), words[++i]) != null) {
                throw new IllegalArgumentException(words[i - 1] + " is there twice.");
            }
        }
    }

    private int run(String command) throws IOException, InterruptedException {
        return switch (command) {
            case "ledgers" -> ledgers();
            case "recover" -> recover();
            case "compare" -> compare();
            default -> throw new IllegalArgumentException(command + " is no command.");
        };
    }

    /** Takes an option, so that {@link #requireNothingElse} finds those that no command knows. */
    private String option(String name) {
        return options.remove(name);
    }

    private void requireNothingElse(int argumentsMost) {
        if (!options.isEmpty()) {
            throw new IllegalArgumentException(
                    "--" + options.keySet().iterator().next() + " is no option here.");
        }
        if (arguments.size() > argumentsMost) {
            throw new IllegalArgumentException(arguments.get(argumentsMost) + " is one argument too many.");
        }
    }

    private String argument(String name) {
        if (arguments.isEmpty()) {
            throw new IllegalArgumentException(name + " is missing.");
        }
        return arguments.get(0);
    }

    private int ledgers() throws IOException, InterruptedException {
        String ring = option("ring");
        requireNothingElse(0);
        if (ring != null) {
            requireRing(ring);
        }
        try (Cluster cluster = new Cluster(properties)) {
            for (long each : cluster.ledgers(ring)) {
                LedgerNote note = cluster.note(each);
                out.println(each + " ring " + note.ring()
                        + (note.kind() == LedgerNote.Kind.TAKEN ? " taken over" : " epoch " + LedgerId.epoch(each)));
            }
        }
        return 0;
    }

    private int recover() throws IOException, InterruptedException {
        String source = argument("SOURCE");
        CopyTarget target = CopyTarget.of(options);
        requireNothingElse(1);
        try (BookKeeperStore store = new BookKeeperStore(ringOf(source), properties)) {
            store.takeOver();
            return tell(target.recover(store));
        }
    }

    private int compare() throws IOException, InterruptedException {
        String source = argument("SOURCE");
        Path file = Path.of(required("with", "FILE"));
        String stream = option("stream");
        requireNothingElse(1);
        try (BookKeeperStore store = new BookKeeperStore(ringOf(source), properties)) {
            return tell(CopyRecovery.of(store).compare(file, stream));
        }
    }

    private int tell(CopyRecovery.Report report) {
        report.summary().forEach(out::println);
        report.findings().forEach(err::println);
        return report.findings().isEmpty() ? 0 : FOUND;
    }

    private String required(String name, String meaning) {
        String value = option(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + " " + meaning + " is missing.");
        }
        return value;
    }

    private static void requireRing(String ring) {
        if (!ring.matches(RING)) {
            throw new IllegalArgumentException(ring + " is not the id of a ring, 32 hexadecimal digits.");
        }
    }

    private String ringOf(String source) throws IOException, InterruptedException {
        if (!source.matches("\\d{1,19}")) {
            requireRing(source);
            return source;
        }
        try (Cluster cluster = new Cluster(properties)) {
            return cluster.note(Long.parseLong(source)).ring();
        }
    }
}
