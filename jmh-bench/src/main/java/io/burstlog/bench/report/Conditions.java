// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.LongSummaryStatistics;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The conditions of a study in words, below a block of the page and in its pictures. */
final class Conditions {

    private static final String UNKNOWN = "unknown";

    private Conditions() {}

    /** Without what was skipped. Ends with a full stop. */
    static String ofBlock(Map<String, Object> study) {
        Map<String, Object> facts = Json.object(study.get("environment"));
        return String.join(
                        "; ",
                        "Made by `%s`".formatted(facts.get("command")),
                        date(facts) + (study.containsKey("bytes") ? "; %s bytes".formatted(study.get("bytes")) : ""),
                        "revision " + facts.get("revision"),
                        fact(facts, "kernel").replaceFirst("-\\S+", ""),
                        processors(facts),
                        disk(fact(facts, "log files on")),
                        fact(facts, "JVM"),
                        fact(facts, "garbage collector").replaceFirst(" .*", ""),
                        "load average before " + fact(facts, "load average").replaceFirst("^(\\S+) .*", "$1"))
                + ".";
    }

    /** Two lines: how many messages of which size, and when; and the machine. */
    static List<String> inPicture(Map<String, Object> study, List<Map<String, Object>> targets) {
        Map<String, Object> facts = Json.object(study.get("environment"));
        return List.of(messages(study, targets) + "; " + date(facts), machine(study, facts));
    }

    /** The command that made it, the date and the machine. */
    static String inShort(Map<String, Object> study) {
        Map<String, Object> facts = Json.object(study.get("environment"));
        return "Made by `%s`; %s; %s.".formatted(facts.get("command"), date(facts), machine(study, facts));
    }

    private static String machine(Map<String, Object> study, Map<String, Object> facts) {
        List<String> machine = new ArrayList<>(Stream.of(
                        processors(facts),
                        disk(fact(facts, "log files on")),
                        fact(facts, "kernel").replaceFirst("-\\S+", ""))
                .filter(word -> !word.equals(UNKNOWN))
                .toList());
        if (!study.containsKey("orders") && facts.containsKey("JVM")) { // else each target names its own
            machine.add(fact(facts, "JVM").replaceFirst(".* (\\d[\\w.]*).*", "JDK $1"));
        }
        return String.join("; ", machine);
    }

    private static String messages(Map<String, Object> study, List<Map<String, Object>> targets) {
        LongSummaryStatistics count = targets.stream()
                .mapToLong(target -> (long) Json.number(target.get("messages")))
                .summaryStatistics();
        String number = count.getMin() == count.getMax()
                ? "%,d".formatted(count.getMax())
                : "%,d to %,d".formatted(count.getMin(), count.getMax());
        String what = study.containsKey("orders") ? "orders" : "messages";
        String size = study.containsKey("bytes") ? " of %s bytes".formatted(study.get("bytes")) : "";
        return number + " " + what + size + (targets.size() > 1 ? " each" : "");
    }

    private static String fact(Map<String, Object> facts, String name) {
        return String.valueOf(facts.getOrDefault(name, UNKNOWN));
    }

    private static String date(Map<String, Object> facts) {
        return fact(facts, "time").replaceFirst("T.*", "");
    }

    private static String processors(Map<String, Object> facts) {
        String virtual = fact(facts, "hypervisor").startsWith("yes") ? ", virtual" : "";
        return fact(facts, "cpu").replace(" for this JVM", "") + virtual;
    }

    /** File system, kind of device and write cache, without path and mount options. */
    static String disk(String fact) {
        Matcher parts = Pattern.compile("(\\S+) on (\\S+).*?(?:model: ([^,]+), )?write cache: ([^,]+),.*")
                .matcher(fact);
        if (!parts.matches()) {
            return fact.replaceFirst(" on .*", "");
        }
        String device = parts.group(2).replaceFirst("/dev/", "");
        String kind = parts.group(3) != null
                ? parts.group(3)
                : device.startsWith("vd") ? "a virtio disk" : device.startsWith("nvme") ? "an NVMe disk" : "a disk";
        return parts.group(1) + " on " + kind + ", " + parts.group(4);
    }
}
