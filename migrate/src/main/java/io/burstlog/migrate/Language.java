// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.Locale;
import java.util.function.Function;
import java.util.function.UnaryOperator;

/** A language of configurations: how it is read, and how a value is written in it. */
enum Language {
    XML(text -> new XmlReader(text).read(), value -> value.replace("&", "&amp;").replace("\"", "&quot;")),
    JSON(text -> new JsonReader(text).read(), Language::escaped),
    YAML(text -> new YamlReader(text).read(), Language::escaped),
    PROPERTIES(text -> new PropertiesReader(text).read(), value -> value.replace("\\", "\\\\"));

    private final Function<String, Part> reader;
    private final UnaryOperator<String> escape;

    Language(final Function<String, Part> reader, final UnaryOperator<String> escape) {
        this.reader = reader;
        this.escape = escape;
    }

    /** Finds the language by the end of the file's name; null if no language has that end. */
    static Language of(final String fileName) {
        return switch (fileName.substring(fileName.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT)) {
            case "xml" -> XML;
            case "json", "jsn" -> JSON;
            case "yaml", "yml" -> YAML;
            case "properties" -> PROPERTIES;
            default -> null;
        };
    }

    /** Reads the text, and returns its root with the parts that Log4j would find below it. */
    Part read(final String text) {
        return reader.apply(text);
    }

    String attribute(final Part part, final String name, final String value) {
        return String.format(part.insertForm(), name, escape.apply(value));
    }

    /** Whether an object may have each name only once, as in JSON and YAML. */
    boolean namesAreUnique() {
        return this == JSON || this == YAML;
    }

    static int lineOf(final String text, final int offset) {
        return 1
                + (int) text.substring(0, offset).chars().filter(c -> c == '\n').count();
    }

    private static String escaped(final String value) {
        return value.replace("\\", "\\\\").replace("\"", "\\\"");
    }
}
