// SPDX-License-Identifier: Apache-2.0
package examples.manytoone;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * Several hosts, each a process with its own ring, log into one topic. One host is killed in the midst and started
 * again, and so is the broker. A reader merges the topic's records by time, and proves that it has every durable record
 * once.
 */
public final class ManyToOne {
    private static final String TOPIC = "audit";

    private ManyToOne() {}

    /** Arguments: an empty folder, the number of hosts, and how many records each of a host's four threads logs. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Path.of(arguments.length > 0 ? arguments[0] : "target/many-to-one")
                .toAbsolutePath();
        int hosts = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 3;
        int records = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 2_500;
        deleteTree(folder);
        Files.createDirectories(folder);
        long begin = System.nanoTime();
        try (Processes processes = new Processes(folder)) {
            LocalBroker broker = new LocalBroker(processes, folder.resolve("broker"));
            broker.createTopic(TOPIC, hosts);
            say("A broker runs, with topic %s of %d partitions.", TOPIC, hosts);
            Process[] running = new Process[hosts + 1];
            for (int host = 1; host <= hosts; host++) {
                running[host] = start(processes, folder, broker, host, 1, records);
            }
            say("%d hosts log %d records each, by 4 threads.", hosts, 4 * records);
            await(folder, "host-1", records);
            Processes.kill(running[1]);
            broker.kill();
            say("Host 1 is killed (kill -9) in the middle of it, and so is the broker; both are started again.");
            broker.start();
            running[1] = start(processes, folder, broker, 1, 2, records);
            for (int host = 1; host <= hosts; host++) {
                if (running[host].waitFor() != 0) {
                    throw new IllegalStateException("host " + host + " failed: see " + folder);
                }
            }
            prove(folder, Reader.of(broker.servers(), TOPIC), hosts);
        }
        say("It took %d s.", TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin));
    }

    private static Process start(Processes processes, Path folder, LocalBroker broker, int host, int run, int records)
            throws IOException {
        String name = "host-" + host;
        return processes.start(
                name,
                Host.class.getName(),
                Files.createDirectories(folder.resolve(name)).toString(),
                name,
                Integer.toString(run),
                broker.servers(),
                TOPIC,
                Integer.toString(records));
    }

    private static List<String> durable(Path folder, String host) throws IOException {
        Path said = folder.resolve(host + ".out");
        if (!Files.exists(said)) {
            return List.of();
        }
        // The last line may be cut.
        String text = Files.readString(said);
        return text.substring(0, text.lastIndexOf('\n') + 1)
                .lines()
                .filter(line -> line.startsWith("durable: "))
                .map(line -> line.substring("durable: ".length()))
                .toList();
    }

    private static void await(Path folder, String host, int records) throws IOException, InterruptedException {
        while (durable(folder, host).size() < records) {
            Thread.sleep(20);
        }
    }

    private static void prove(Path folder, Reader reader, int hosts) throws IOException {
        List<Reader.Event> merged = reader.merged();
        Path file = Files.write(
                folder.resolve("merged.log"),
                merged.stream()
                        .map(event -> event.timeNanos() + " " + event.text())
                        .toList());
        Map<String, Integer> times = new HashMap<>();
        merged.forEach(event -> times.merge(event.text(), 1, Integer::sum));
        reader.counts()
                .forEach((source, count) ->
                        say("  folder %s: numbers 1 to %d are there, no gap, none twice, in order", source, count));
        int durable = 0;
        for (int host = 1; host <= hosts; host++) {
            for (String text : durable(folder, "host-" + host)) {
                if (times.getOrDefault(text, 0) != 1) {
                    throw new IllegalStateException("\"" + text + "\" was durable, and is in the topic "
                            + times.getOrDefault(text, 0) + " times");
                }
                durable++;
            }
        }
        if (reader.counts().size() != hosts || durable == 0) {
            throw new IllegalStateException(
                    "the topic has records of " + reader.counts().size() + " hosts");
        }
        say("%d records were durable before a host said so; all of them are in the topic, each once.", durable);
        say("%d records of %d hosts, merged by time: %s", merged.size(), hosts, file);
    }

    private static void say(String format, Object... values) {
        System.out.println(String.format(format, values));
    }

    private static void deleteTree(Path directory) throws IOException {
        if (Files.exists(directory)) {
            try (Stream<Path> tree = Files.walk(directory)) {
                for (Path path : tree.sorted(Comparator.reverseOrder()).toList()) {
                    Files.delete(path);
                }
            }
        }
    }
}
