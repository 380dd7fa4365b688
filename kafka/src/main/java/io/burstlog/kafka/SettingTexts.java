// SPDX-License-Identifier: Apache-2.0
package io.burstlog.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.ConsumedRecords;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/** Settings of a shipper as text: in an element of a configuration, and as options of the command. */
final class SettingTexts {

    private static final Pattern NEEDS_NO_QUOTES = Pattern.compile("[\\w./:=,@%+-]+");

    private SettingTexts() {}

    /**
     * The key is the first group that the expression finds in the text of a record; a record without a match has no
     * key.
     */
    static Function<ConsumedRecords, byte[]> keyOf(String regularExpression) {
        Pattern pattern;
        try {
            pattern = Pattern.compile(regularExpression);
        } catch (PatternSyntaxException wrong) {
            throw ShipperConfig.refused("keyPattern=\"" + regularExpression + "\" is no regular expression: "
                    + wrong.getDescription() + ".");
        }
        if (pattern.matcher("").groupCount() != 1) {
            throw ShipperConfig.refused("keyPattern=\"" + regularExpression
                    + "\" cannot be used: put what is to be the key, and nothing else, between ( and ).");
        }
        return record -> {
            Matcher found = pattern.matcher(UTF_8.decode(record.data()));
            return found.find() && found.group(1) != null ? found.group(1).getBytes(UTF_8) : null;
        };
    }

    /** Reads a list of headers, as {@link #of} writes it. */
    static Set<ShipperConfig.Header> headers(String names) {
        Set<ShipperConfig.Header> headers = EnumSet.noneOf(ShipperConfig.Header.class);
        if (!names.equalsIgnoreCase("none")) {
            for (String name : names.split("\\s*,\\s*")) {
                headers.add(Arrays.stream(ShipperConfig.Header.values())
                        .filter(header -> header.name().equalsIgnoreCase(name))
                        .findFirst()
                        .orElseThrow(() -> ShipperConfig.refused("headers=\"" + names
                                + "\" cannot be used: name some of ring, stream, sequence, time, or none"
                                + ".")));
            }
        }
        return headers;
    }

    /** {@return the list of headers that {@link #headers} reads} */
    static String of(Set<ShipperConfig.Header> headers) {
        return headers.isEmpty()
                ? "none"
                : headers.stream()
                        .sorted()
                        .map(header -> header.name().toLowerCase(Locale.ROOT))
                        .collect(Collectors.joining(","));
    }

    /** {@return the text as one argument of a shell's command} */
    static String quoted(String text) {
        return NEEDS_NO_QUOTES.matcher(text).matches() ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
