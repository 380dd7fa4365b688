// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The conditions of a measurement, as far as the machine shows them. */
public final class Environment {

    private Environment() {}

    /** Name and value of each condition. */
    public static Map<String, Object> describe(Path logDirectory, List<Path> devices) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("time", Instant.now().truncatedTo(ChronoUnit.SECONDS).toString());
        facts.put("command", System.getProperty("bench.command", "unknown"));
        facts.put("revision", System.getProperty("bench.revision", "unknown"));
        facts.put(
                "kernel",
                System.getProperty("os.name") + " " + System.getProperty("os.version") + " "
                        + System.getProperty("os.arch"));
        facts.put(
                "cpu",
                valueIn("/proc/cpuinfo", "model name") + ", "
                        + Runtime.getRuntime().availableProcessors() + " processors for this JVM");
        facts.put(
                "governor",
                firstLine("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "none shown by this kernel"));
        facts.put(
                "hypervisor",
                valueIn("/proc/cpuinfo", "flags").contains(" hypervisor")
                        ? "yes: a virtual machine, others may share its processors and disk"
                        : "not shown");
        facts.put("memory", valueIn("/proc/meminfo", "MemTotal"));
        facts.put("huge pages", firstLine("/sys/kernel/mm/transparent_hugepage/enabled", "none shown"));
        facts.put("load average", firstLine("/proc/loadavg", "none shown"));
        facts.put("log files on", storeOf(logDirectory));
        for (Path device : devices) {
            facts.put(
                    "device " + device.getFileName(),
                    deviceFacts(device.getFileName().toString()));
        }
        facts.put(
                "JVM",
                System.getProperty("java.vm.name") + " " + System.getProperty("java.vm.version") + ", "
                        + System.getProperty("java.vendor"));
        facts.put(
                "JVM flags",
                ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                        .filter(flag -> !flag.startsWith("-Dbench."))
                        .collect(Collectors.joining(" ")));
        facts.put(
                "garbage collector",
                ManagementFactory.getGarbageCollectorMXBeans().stream()
                        .map(collector -> collector.getName())
                        .collect(Collectors.joining(", ")));
        facts.put(
                "Log4j",
                String.valueOf(org.apache.logging.log4j.core.LoggerContext.class
                        .getPackage()
                        .getImplementationVersion()));
        return facts;
    }

    private static String storeOf(Path directory) {
        try {
            FileStore store = Files.getFileStore(directory);
            String disk = store.name().replaceFirst("^/dev/", "");
            String options = mountOptions(store.name());
            return store.type() + " on " + store.name() + (options.isEmpty() ? "" : " (" + options + ")") + "; "
                    + deviceFacts(disk);
        } catch (IOException unreadable) {
            return "unknown: " + unreadable.getMessage();
        }
    }

    private static String mountOptions(String device) throws IOException {
        try (Stream<String> mounts = Files.lines(Path.of("/proc/mounts"))) {
            return mounts.map(line -> line.split(" "))
                    .filter(field -> field[0].equals(device))
                    .map(field -> field[3])
                    .findFirst()
                    .orElse("");
        }
    }

    private static String deviceFacts(String name) {
        Path queue = Path.of("/sys/class/block", name, "queue");
        if (!Files.isDirectory(queue)) {
            return "no block device of its own";
        }
        return model(Path.of("/sys/class/block", name, "device")) + "write cache: "
                + firstLine(queue.resolve("write_cache").toString(), "unknown")
                + ", logical block: "
                + firstLine(queue.resolve("logical_block_size").toString(), "unknown")
                + ", scheduler: " + firstLine(queue.resolve("scheduler").toString(), "unknown")
                + ", rotational: " + firstLine(queue.resolve("rotational").toString(), "unknown");
    }

    private static String model(Path device) {
        String model = firstLine(device.resolve("model").toString(), "").strip();
        return model.isEmpty() ? "" : "model: " + model + ", ";
    }

    private static String firstLine(String file, String otherwise) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.findFirst().orElse(otherwise);
        } catch (IOException | java.io.UncheckedIOException unreadable) {
            return otherwise;
        }
    }

    private static String valueIn(String file, String key) {
        try (Stream<String> lines = Files.lines(Path.of(file))) {
            return lines.filter(line -> line.startsWith(key))
                    .map(line -> line.substring(line.indexOf(':') + 1).trim())
                    .findFirst()
                    .orElse("unknown");
        } catch (IOException unreadable) {
            return "unknown";
        }
    }
}
