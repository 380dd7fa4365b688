// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The losses in a crash of the kernel or a loss of power, as far as system calls show them. */
final class Losses {

    private Losses() {}

    /** The losses of each target, from the study `syncs`, for a block of the page. */
    static final class Table {

        private final Map<String, List<String>> byWords = new HashMap<>();

        Table(String page) {
            int begin = page.indexOf("<!-- published: syncs -->");
            int end = page.indexOf("<!-- end of syncs -->");
            for (String line :
                    begin < 0 ? new String[0] : page.substring(begin, end).split("\n")) {
                String[] cells = line.split(" *\\| *");
                if (cells.length > 3) {
                    byWords.put(cells[1], List.of(cells[cells.length - 2], cells[cells.length - 1]));
                }
            }
        }

        /** A report has its own counts, or none. */
        Table(Results results) {
            results.study("syncs")
                    .ifPresent(study -> Results.targets(study)
                            .forEach(target -> byWords.put(
                                    TargetWords.of((String) target.get("name")),
                                    List.of(atKill(target), atPowerCut(target)))));
        }

        /** At a kill, and at a power cut. All ways into a ring lose the same, but for enqueueing. */
        List<String> of(String target) {
            String counted = target.replaceFirst(
                    "^(c|java-jni|java-jna|drain-\\w+|log4j-burst-(policies|rolling|index|window))@", "log4j-burst@");
            return byWords.getOrDefault(
                    TargetWords.of(target), byWords.getOrDefault(TargetWords.of(counted), List.of("-", "-")));
        }
    }

    /** In a few words, as counted. */
    static String atKill(Map<String, Object> target) {
        long lost = ((Number) target.get("lostByProcessDeath")).longValue();
        return lost == 0 ? "nothing" : "%,d of %,d".formatted(lost, (Long) target.get("eventsBeforeDeath"));
    }

    /** In a few words. */
    static String atPowerCut(Map<String, Object> target) {
        String name = (String) target.get("name");
        String words = ofPower(target);
        if (words.startsWith("nothing")) {
            return name.endsWith("@device") ? "nothing (zram itself: all)" : "nothing";
        }
        if (words.startsWith("the events of")) {
            return words.substring(0, words.indexOf(':'));
        }
        return words.startsWith("not seen")
                ? "not seen"
                : name.endsWith("@mapped") ? "all (tmpfs)" : "the last seconds";
    }

    static String ofPower(Map<String, Object> target) {
        double events = Json.number(target.get("events"));
        double durable = Json.number(target.get("durableWrites"))
                + Json.number(target.get("syncs"))
                + Json.number(target.get("waitingMsyncs"));
        if (durable >= events) {
            return "nothing, if the disk honours flushes: a durable write or a sync for each event";
        }
        if (Json.number(target.get("directWrites")) >= events) {
            return "nothing, if the device keeps what it has acknowledged (zram does not): a direct write for each event, past"
                    + " the page cache";
        }
        if (Json.number(target.get("ioUringEnters")) >= events) {
            return "not seen: written through io_uring, which strace does not show";
        }
        if (((String) target.get("name")).endsWith("@mapped")) {
            return "everything, here: a file in tmpfs survives the process only. On persistent memory nothing: there the lines of"
                    + " each event are written back before its call returns";
        }
        if (durable > 0) {
            return "the events of the last sync or two: %,.0f syncs for %,.0f events".formatted(durable, events);
        }
        return "everything that the kernel has not written back by itself, for seconds: no sync at all";
    }
}
