// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import io.burstlog.BurstException;
import java.io.IOException;
import java.io.PrintStream;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/** The command of copies: the copier as a process of its own, and what an operator does with its ledgers. */
final class Main {

    static final int FOUND = 1;
    static final int USAGE = 2;
    static final int REFUSED = 3;
    static final int FAILED = 4;

    private static final String HELP = """
            Copies the records of a folder of segments into ledgers of Apache BookKeeper, and brings them back.

                java -jar burstlog-bookkeeper.jar COMMAND ARGUMENT.. [OPTION..]

              copy FOLDER              copies until it is told to end (SIGTERM)
                  --consumer NAME      in the folder; default: to-bookkeeper
                  --block-bytes N      the most of one entry; default: 1 MiB
              ledgers                  lists the ledgers of all folders, or of one
                  --folder ID          only of this one
              recover SOURCE --to FILE ends every copier of the folder for good, and writes its records to a new file.
                                       SOURCE is the id of the folder, or of any of its ledgers

              for each command:
                  --properties FILE    properties of BookKeeper's client: metadataServiceUri, TLS, ...
                  --property NAME=VALUE  one of them

            Exit codes: 0 done, 1 done, and records are missing, 2 usage, 3 refused: another copier has begun, or the
            folder or its ledgers are refused, 4 something cannot be read or written
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
            } else {
                options.put(words[i].substring(2), words[++i]);
            }
        }
    }

    private int run(String command) throws IOException, InterruptedException {
        int code = switch (command) {
            case "copy" -> copy();
            case "ledgers" -> ledgers();
            case "recover" -> recover();
            default -> throw new IllegalArgumentException(command + " is no command.");
        };
        return code;
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

    private Cluster cluster() throws IOException, InterruptedException {
        if (properties.getOrDefault(CopierConfig.URI, "").isBlank()) {
            throw new IllegalArgumentException("--property " + CopierConfig.URI + "=URI is missing.");
        }
        return new Cluster(properties);
    }

    private int copy() throws InterruptedException {
        CopierConfig.Builder config = CopierConfig.builder()
                .folder(argument("FOLDER"))
                .listener(event -> err.println(event.time() + " " + event.severity() + " " + event.text()));
        properties.forEach(config::property);
        String consumer = option("consumer");
        String bytes = option("block-bytes");
        if (consumer != null) {
            config.consumer(consumer);
        }
        if (bytes != null && !bytes.matches("\\d{1,9}")) {
            throw new IllegalArgumentException(
                    "--block-bytes " + bytes + " is no number: write one of at most 9 digits.");
        } else if (bytes != null) {
            config.blockBytes(Integer.parseInt(bytes));
        }
        requireNothingElse(1);
        Copier copier = Copier.start(config.build());
        Runtime.getRuntime().addShutdownHook(new Thread(copier::close));
        while (!copier.awaitEnd(Duration.ofDays(1))) {}
        return copier.failure() == null ? 0 : REFUSED;
    }

    private int ledgers() throws IOException, InterruptedException {
        String folder = option("folder");
        requireNothingElse(0);
        try (Cluster cluster = cluster()) {
            for (long each : cluster.ledgers(folder)) {
                LedgerNote note = cluster.note(each);
                out.println(each + " folder " + note.folder() + " stream " + note.stream()
                        + (note.kind() == LedgerNote.Kind.TAKEN
                                ? " taken over"
                                : " from number " + note.first() + " ring " + note.ring()));
            }
        }
        return 0;
    }

    private int recover() throws IOException, InterruptedException {
        String source = argument("SOURCE");
        String file = option("to");
        requireNothingElse(1);
        if (file == null) {
            throw new IllegalArgumentException("--to FILE is missing.");
        }
        boolean isFolder = source.matches("[0-9a-f]{32}");
        if (!isFolder && !source.matches("\\d{1,19}")) {
            throw new IllegalArgumentException(
                    source + " is neither the id of a folder, 32 hexadecimal digits, nor that" + " of a ledger.");
        }
        if (Files.exists(Path.of(file))) {
            throw new IOException(file + " is there already: name a new file");
        }
        try (Cluster cluster = cluster()) {
            String folder =
                    isFolder ? source : cluster.note(Long.parseLong(source)).folder();
            Takeover.Report report = Takeover.of(cluster, folder).to(Path.of(file));
            out.println(report.records() + " records of folder " + folder + ", up to number " + report.last()
                    + ", are in " + file);
            report.findings().forEach(err::println);
            return report.findings().isEmpty() ? 0 : FOUND;
        }
    }
}
