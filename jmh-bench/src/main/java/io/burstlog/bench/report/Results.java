// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.report;

import io.burstlog.bench.harness.Json;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** All studies of a directory, as they were stored. */
final class Results {

    private final Map<String, Map<String, Object>> studies = new TreeMap<>();
    private final List<Object> jmh = new ArrayList<>();

    Results(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            for (Path file : files.filter(path -> path.toString().endsWith(".json"))
                    .sorted()
                    .toList()) {
                Object json = Json.parse(Files.readString(file));
                if (json instanceof List<?> list) {
                    jmh.addAll(list);
                } else {
                    studies.put((String) Json.object(json).get("study"), Json.object(json));
                }
            }
        }
    }

    List<Object> jmh() {
        return jmh;
    }

    Iterable<Map<String, Object>> all() {
        return studies.values();
    }

    Optional<Map<String, Object>> study(String name) {
        return Optional.ofNullable(studies.get(name));
    }

    static List<Map<String, Object>> targets(Map<String, Object> study) {
        return Json.list(study.get("targets")).stream().map(Json::object).toList();
    }

    /** Figures without a latency of each message: only an average. */
    static List<Map<String, Object>> averages(Map<String, Object> study) {
        return study.containsKey("averages")
                ? Json.list(study.get("averages")).stream().map(Json::object).toList()
                : List.of();
    }

    Optional<Map<String, Object>> target(String study, String name) {
        return study(study)
                .flatMap(found -> targets(found).stream()
                        .filter(target -> target.get("name").equals(name))
                        .findFirst());
    }

    static double[] numbers(Object list) {
        return Json.list(list).stream().mapToDouble(Json::number).toArray();
    }
}
