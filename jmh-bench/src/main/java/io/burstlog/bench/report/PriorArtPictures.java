// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.TargetResult;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The pictures of prior-art.md. */
final class PriorArtPictures {

    private static final Chart.Group ALL_RUNS = new Chart.Group("All runs together", "");
    private static final Chart.Group ONE_RUN = new Chart.Group("Each run", "8 5");

    private PriorArtPictures() {}

    /** Pictures by the names of their files. */
    static Map<String, String> of(String name, Map<String, Object> study, Losses.Table losses) {
        Map<String, String> pictures = new LinkedHashMap<>();
        switch (name) {
            case "application-note" -> {
                pictures.put(name, Charts.percentiles("Fast ring and disk", study, Results.targets(study), losses));
                putEachMessage(name + "-jna", "Each message, Java over JNA", study, "java-jna@", pictures);
                putEachMessage(name + "-log4j", "Each message, Log4j", study, "log4j-burst@", pictures);
                List<Map<String, Object>> both = PriorArt.targets(study, List.of(PriorArt.FAST, PriorArt.DISK));
                pictures.put(name + "-distribution", Charts.distributions("Distribution, Log4j", study, both));
            }
            case "message-queues" -> {
                pictures.put(
                        name,
                        Charts.percentiles(
                                "Hand-over of a message", study, PriorArt.targets(study, PriorArt.QUEUES), losses));
            }
            case "gateway" -> putGateway(name, study, losses, pictures);
            case "gateway-file-systems" -> {
                for (String appender : List.of("File", "Burst")) {
                    List<Map<String, Object>> some = Results.targets(study).stream()
                            .filter(target -> target.get("appender").equals(appender))
                            .toList();
                    String title = "FIX gateway on each file system, " + appender;
                    String file = name + "-" + appender.toLowerCase(Locale.ROOT);
                    pictures.put(file, Charts.percentiles(title, study, some, losses));
                }
            }
            default -> {
                List<Map<String, Object>> submissions = PriorArt.targets(study, PriorArt.LOGGERS);
                List<Map<String, Object>> lags = submissions.stream()
                        .map(target -> Json.object(target.get("lag")))
                        .toList();
                pictures.put(name + "-1-submission", Charts.percentiles("Submission", study, submissions, losses));
                pictures.put(name + "-2-to-disk", Charts.percentiles("From submission to disk", study, lags, losses));
            }
        }
        return pictures;
    }

    private static void putEachMessage(
            String file, String title, Map<String, Object> study, String way, Map<String, String> pictures) {
        List<Map<String, Object>> pair = PriorArt.targets(study, List.of(way + "device", way + "ssd"));
        pictures.put(file + "-each-message", Charts.eachMessage(title, study, pair));
    }

    /** The appenders beside each other; then free and pinned, all runs together and each of them. */
    private static void putGateway(
            String name, Map<String, Object> study, Losses.Table losses, Map<String, String> pictures) {
        List<Map<String, Object>> appenders = new ArrayList<>();
        for (String way : List.of("log4j-file-flush", "log4j-force", PriorArt.DISK, PriorArt.FAST)) {
            PriorArt.target(study, way + ", free, quiet").ifPresent(target -> {
                Map<String, Object> named = new LinkedHashMap<>(target);
                named.put("name", way);
                appenders.add(named);
            });
        }
        String clients = "FIX gateway, " + study.get("sessions") + " clients";
        pictures.put(name + "-appenders", Charts.percentiles(clients, study, appenders, losses));
        for (String neighbour : List.of("quiet", "noisy")) {
            List<Map<String, Object>> pair = PriorArt.targets(
                    study, List.of(PriorArt.FAST + ", free, " + neighbour, PriorArt.FAST + ", pinned, " + neighbour));
            if (pair.isEmpty()) {
                continue;
            }
            List<Charts.Curve> curves = new ArrayList<>();
            for (int i = 0; i < pair.size(); i++) {
                String place = pair.get(i).get("pinned").equals(true) ? "pinned" : "free";
                curves.add(new Charts.Curve(ALL_RUNS, place, TargetResult.histogramOf(pair.get(i)), i));
                int run = 0;
                for (Object each : Json.list(pair.get(i).get("runs"))) {
                    String of = "%s, run %d".formatted(place, ++run);
                    curves.add(new Charts.Curve(ONE_RUN, of, TargetResult.histogramOf(Json.object(each)), i));
                }
            }
            String title = "%s, %s, %s neighbour".formatted(clients, TargetWords.of(PriorArt.FAST), neighbour);
            pictures.put(
                    name + "-pinned-" + neighbour,
                    Charts.percentiles(title, Conditions.inPicture(study, pair), curves));
        }
    }
}
