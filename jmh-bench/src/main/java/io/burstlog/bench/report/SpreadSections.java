// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;

/** The sections of studies whose distributions are shown with both ends. */
final class SpreadSections {

    private static final List<String> FIGURES =
            List.of("min", "average", "deviation", "p75", "p90", "p99", "p99.9", "p99.99", "p99.999", "max");

    private final Results results;
    private final Html html;
    private final BiConsumer<String, String> figure;

    SpreadSections(Results results, Html html, BiConsumer<String, String> figure) {
        this.results = results;
        this.html = html;
        this.figure = figure;
    }

    /** The time of a submission, and the time until it is durable. */
    void queues() {
        results.study("queue").ifPresent(study -> {
            String title = (String) study.get("title");
            List<Map<String, Object>> submits = Results.targets(study);
            List<Map<String, Object>> lags = submits.stream()
                    .filter(target -> target.containsKey("lag"))
                    .map(target -> Json.object(target.get("lag")))
                    .toList();
            html.heading(2, title);
            html.paragraph(
                    ("%s messages of %s bytes, each timed from its call to its return, as fast as they go: with the reading of"
                                    + " the clock, with page faults, and with waits for a queue that is full. Open loop: %s a second,"
                                    + " from the intended time. The mapped file grows under the messages; +spin, +yield, +nap, +park and"
                                    + " +block say how the thread at the other end waits.")
                            .formatted(study.get("messagesOfWay"), study.get("bytes"), study.get("rate")));
            table("submission, us", submits, "perSecond", "messages/s");
            percentiles(title + ": queues by hand", study, "(copy|mapped|set).*", submits);
            percentiles(title + ": queues of libraries", study, "(jctools|agrona|disruptor).*", submits);
            percentiles(title + ": offer", study, "offer.*", submits);
            if (!lags.isEmpty()) {
                html.paragraph("From the offer until the message is durable in the ring, of one message in 64. Durable"
                        + " messages a second: until the last one is durable.");
                table("durable after, us", lags, null, "");
                html.table(
                        List.of("way", "durable messages/s"),
                        submits.stream()
                                .filter(target -> target.containsKey("durablePerSecond"))
                                .map(target -> List.of(
                                        TargetWords.of((String) target.get("name")),
                                        Html.digits(Json.number(target.get("durablePerSecond")))))
                                .toList());
                figure.accept(
                        Charts.percentiles("Durable after", study, lags, new Losses.Table(results)),
                        title + ": from the offer until the message is durable in the ring, by percentile.");
            }
        });
    }

    private void percentiles(String title, Map<String, Object> study, String names, List<Map<String, Object>> targets) {
        List<Map<String, Object>> some = targets.stream()
                .filter(target -> ((String) target.get("name")).matches(names))
                .toList();
        if (!some.isEmpty()) {
            figure.accept(
                    Charts.percentiles(title, study, some, new Losses.Table(results)),
                    title + ": what the submission takes, by percentile.");
        }
    }

    void fileSystems() {
        results.study("file-systems").ifPresent(study -> {
            String title = (String) study.get("title");
            List<Map<String, Object>> all = Results.targets(study);
            html.heading(2, title);
            html.paragraph(
                    ("%s messages a second of %s bytes through Log4j, for %s s each, in turns of a second; response time from"
                                    + " the intended time (open loop). The file systems are on loop devices whose files lie beside the"
                                    + " log files: compare them with each other. What is not named lies on the run's own.")
                            .formatted(study.get("rate"), study.get("bytes"), study.get("seconds")));
            table("response, us", all, null, "");
            for (String what : List.of("ring", "log")) {
                List<Map<String, Object>> some = all.stream()
                        .filter(target -> ((String) target.get("name")).contains(what))
                        .toList();
                figure.accept(
                        Charts.percentiles(title + ": " + what, study, some, new Losses.Table(results)),
                        title + ": response time by percentile, " + what + " on each.");
            }
        });
    }

    private void table(String what, List<Map<String, Object>> targets, String rate, String rateTitle) {
        List<String> head = new ArrayList<>(List.of(what, "messages"));
        head.addAll(FIGURES);
        if (rate != null) {
            head.add(rateTitle);
        }
        List<List<String>> rows = new ArrayList<>();
        for (Map<String, Object> target : targets) {
            List<String> row = new ArrayList<>(List.of(
                    TargetWords.of((String) target.get("name")), "%,d".formatted((Long) target.get("messages"))));
            FIGURES.forEach(name -> row.add(Html.micros(Json.number(target.get(name)))));
            if (rate != null) {
                row.add(Html.digits(Json.number(target.get(rate))));
            }
            rows.add(row);
        }
        html.table(head, rows);
    }
}
