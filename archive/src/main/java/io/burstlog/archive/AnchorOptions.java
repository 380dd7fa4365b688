// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.function.Function;

/** The command's options about anchors: {@code NAME=VALUE} or {@code NAME=VALUE,VALUE}. */
final class AnchorOptions {

    private final Function<String, List<String>> options;

    private record Named(String name, String value) {

        /** The part before the last comma, and that behind it. */
        String[] two(String option) {
            int comma = value.lastIndexOf(',');
            if (comma <= 0 || comma == value.length() - 1) {
                throw new IllegalArgumentException(
                        "--" + option + " " + name + "=" + value + " lacks its second part: --help has its form.");
            }
            return new String[] {value.substring(0, comma), value.substring(comma + 1)};
        }
    }

    private interface Maker {
        Anchor make(String name, Named value) throws IOException;
    }

    private static final Map<String, Maker> MAKERS = Map.of(
            "authority",
            (option, each) -> {
                String[] parts = each.two(option);
                return new TimeStampAnchor(each.name, parts[0], Path.of(parts[1]));
            },
            "witness",
            (option, each) -> {
                String[] parts = each.two(option);
                return new WitnessAnchor(each.name, parts[0], parts[1]);
            },
            "kafka",
            (option, each) -> {
                String[] parts = each.two(option);
                return new KafkaAnchor(each.name, parts[0], settings(parts[1]));
            },
            "file",
            (option, each) -> new FileAnchor(each.name, Path.of(each.value)));

    private interface CheckMaker {
        AnswerCheck make(Named value) throws IOException;
    }

    private static final Map<String, CheckMaker> CHECKS = Map.of(
            "authority-ca", each -> TimeStampAnchor.check(Path.of(each.value)),
            "witness-key", each -> WitnessAnchor.check(each.value),
            "kafka-topic",
                    each -> {
                        String[] parts = each.two("kafka-topic");
                        return KafkaAnchor.check(parts[0], settings(parts[1]));
                    },
            "anchor-file", each -> FileAnchor.check(Path.of(each.value)));

    /** @param options the values of an option */
    AnchorOptions(Function<String, List<String>> options) {
        this.options = options;
    }

    void addTo(ArchiverConfig.Builder config) throws IOException {
        for (Map.Entry<String, Maker> each : MAKERS.entrySet()) {
            for (String value : options.apply(each.getKey())) {
                config.anchor(each.getValue().make(each.getKey(), named(each.getKey(), value)));
            }
        }
        for (String each : options.apply("sealed-every")) {
            config.sealedEvery(number("sealed-every", each));
        }
        for (String each : options.apply("sealed-within-s")) {
            config.sealedWithin(Duration.ofSeconds(number("sealed-within-s", each)));
        }
    }

    void addTo(Verification verification) throws IOException {
        for (Map.Entry<String, CheckMaker> each : CHECKS.entrySet()) {
            for (String value : options.apply(each.getKey())) {
                Named named = named(each.getKey(), value);
                verification.anchor(named.name, each.getValue().make(named));
            }
        }
    }

    private static Named named(String option, String text) {
        int equals = text.indexOf('=');
        if (equals <= 0 || equals == text.length() - 1) {
            throw new IllegalArgumentException("--" + option + " " + text + " is not NAME=..: --help has its form.");
        }
        return new Named(text.substring(0, equals), text.substring(equals + 1));
    }

    private static Map<String, Object> settings(String file) throws IOException {
        Properties properties = new Properties();
        try (Reader text = Files.newBufferedReader(Path.of(file), UTF_8)) {
            properties.load(text);
        } catch (IOException | IllegalArgumentException failed) {
            throw new IOException(
                    "the properties of Kafka in " + file + " cannot be read: " + failed + "; name a file of properties",
                    failed);
        }
        Map<String, Object> settings = new HashMap<>();
        properties.stringPropertyNames().forEach(each -> settings.put(each, properties.getProperty(each)));
        return settings;
    }

    private static long number(String option, String text) {
        if (!text.matches("\\d{1,12}")) {
            throw new IllegalArgumentException(
                    "--" + option + " " + text + " is no number: write one of at most 12 digits.");
        }
        return Long.parseLong(text);
    }
}
