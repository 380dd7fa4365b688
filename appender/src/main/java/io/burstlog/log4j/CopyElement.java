// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.apache.logging.log4j.core.config.Node;

/** The elements in {@code <Burst>} that keep the copy of its ring. */
enum CopyElement implements InnerElement.Kind {

    /** Copies to bookies. */
    BOOKKEEPER("BookKeeper", "burstlog-bookkeeper or bookkeeper-server", List.of()),

    /** Copies to a topic. */
    KAFKA(
            "KafkaCopy",
            "burstlog-kafka or kafka-clients",
            List.of(InnerElement.Attribute.required(
                    "topic", "a topic that is there, for the copy of this ring alone")));

    private final String text;
    private final String jars;
    private final List<InnerElement.Attribute> attributes;

    CopyElement(final String text, final String jars, final List<InnerElement.Attribute> attributes) {
        this.text = text;
        this.jars = jars;
        this.attributes = attributes;
    }

    /** Returns the row of an element by its name; null if it keeps no copy. */
    static CopyElement of(final Node element) {
        return Arrays.stream(values())
                .filter(each -> ShipperElement.isNamed(element, each.text))
                .findFirst()
                .orElse(null);
    }

    /** Names all of them, for a sentence. */
    static String names() {
        return Arrays.stream(values()).map(each -> "<" + each + ">").collect(Collectors.joining(" or "));
    }

    @Override
    public String toString() {
        return text;
    }

    @Override
    public String jars() {
        return jars;
    }

    @Override
    public String inner() {
        return "Property";
    }

    @Override
    public String formOfInner() {
        return "write <Property name=\"..\">..</Property>";
    }

    @Override
    public List<InnerElement.Attribute> attributes() {
        return attributes;
    }
}
