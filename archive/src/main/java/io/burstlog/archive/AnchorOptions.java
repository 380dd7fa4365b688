// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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

    private interface CheckMaker {
        AnswerCheck make(Named value) throws IOException;
    }

    private static final Map<String, CheckMaker> CHECKS = Map.of(
            "authority-ca", each -> TimeStampAnchor.check(Path.of(each.value)),
            "witness-key", each -> WitnessAnchor.check(each.value),
            "kafka-topic",
                    each -> {
                        String[] parts = each.two("kafka-topic");
                        return KafkaAnchor.check(parts[0], AnchorKind.settings(parts[1]));
                    },
            "anchor-file", each -> FileAnchor.check(Path.of(each.value)));

    /** @param options the values of an option */
    AnchorOptions(Function<String, List<String>> options) {
        this.options = options;
    }

    void addTo(ArchiverConfig.Builder config) throws IOException {
        for (AnchorKind kind : AnchorKind.values()) {
            for (String text : options.apply(kind.toString())) {
                Named named = named(kind.toString(), text);
                String[] parts = kind.second == null ? new String[] {named.value, null} : named.two(kind.toString());
                config.anchor(kind.make(named.name, parts[0], parts[1]));
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

    private static long number(String option, String text) {
        if (!text.matches("\\d{1,12}")) {
            throw new IllegalArgumentException(
                    "--" + option + " " + text + " is no number: write one of at most 12 digits.");
        }
        return Long.parseLong(text);
    }
}
