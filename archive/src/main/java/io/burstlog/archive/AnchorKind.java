// SPDX-License-Identifier: Apache-2.0
package io.burstlog.archive;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;

/** The anchors that an option of the command, or an element of a configuration, can name. */
enum AnchorKind {
    AUTHORITY("caFile", (name, url, file) -> new TimeStampAnchor(name, url, Path.of(file))),
    WITNESS("key", WitnessAnchor::new),
    KAFKA("properties", (name, topic, file) -> new KafkaAnchor(name, topic, settings(file))),
    FILE(null, (name, file, none) -> new FileAnchor(name, Path.of(file)));

    private interface Maker {
        Anchor make(String name, String first, String second) throws IOException;
    }

    /** The attribute that has the second value; null if there is none. The first one has the name of the kind. */
    final String second;

    private final Maker maker;

    AnchorKind(String second, Maker maker) {
        this.second = second;
        this.maker = maker;
    }

    /**
     * Makes an anchor.
     *
     * @throws IllegalArgumentException if a value is none; {@link io.burstlog.BurstException} if a library is missing
     * @throws IOException if a file cannot be read
     */
    Anchor make(String name, String firstValue, String secondValue) throws IOException {
        return maker.make(name, firstValue, secondValue);
    }

    static Map<String, Object> settings(String file) throws IOException {
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

    /** {@return the name of the option, and of the attribute} */
    @Override
    public String toString() {
        return name().toLowerCase(Locale.ROOT);
    }
}
