// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import java.util.ArrayList;
import java.util.List;

/**
 * An element or an attribute of a configuration, with the places of its text. The root and the members of a JSON or
 * YAML list are elements without a name. The reader of the language fills it.
 */
final class Part {

    /** Offsets into the text. */
    record Span(int start, int end) {}

    private final String name;
    private final int line;
    private final List<Span> names = new ArrayList<>();
    private final List<Part> parts = new ArrayList<>();

    /** The value of an attribute; null for an element. */
    private String value;

    private Span valueSpan;

    /**
     * The offset at which another attribute can be inserted; -1: nowhere. The form below has its name, then its value.
     */
    private int insertAt = -1;

    private String insertForm;

    /** Whether its text could not be read. */
    private boolean opaque;

    Part(final String name, final int line) {
        this.name = name;
        this.line = line;
    }

    /** Notes a place where the part's name stands. */
    Part named(final int start, final int end) {
        names.add(new Span(start, end));
        return this;
    }

    Part valued(final String text, final int start, final int end) {
        value = text;
        valueSpan = new Span(start, end);
        return this;
    }

    void takesAttributesAt(final int offset, final String form) {
        insertAt = offset;
        insertForm = form;
    }

    void cannotBeRead() {
        opaque = true;
    }

    Part add(final Part part) {
        parts.add(part);
        return part;
    }

    String name() {
        return name;
    }

    int line() {
        return line;
    }

    List<Span> names() {
        return names;
    }

    List<Part> parts() {
        return parts;
    }

    String value() {
        return value;
    }

    Span valueSpan() {
        return valueSpan;
    }

    int insertAt() {
        return insertAt;
    }

    String insertForm() {
        return insertForm;
    }

    boolean isOpaque() {
        return opaque;
    }

    boolean isElement() {
        return value == null;
    }

    /** Whether this is a list of elements that share a name. */
    boolean isList() {
        return !parts.isEmpty() && parts.get(0).name == null;
    }

    Part attributePart(final String wanted) {
        return parts.stream()
                .filter(part -> !part.isElement() && wanted.equalsIgnoreCase(part.name))
                .findFirst()
                .orElse(null);
    }

    /** The value of an attribute; null if there is none or it is empty. */
    String attribute(final String wanted) {
        final Part part = attributePart(wanted);
        return part == null || part.value.isBlank() ? null : part.value.trim();
    }

    /** Whether an element of this type is somewhere below. */
    boolean hasBelow(final String type) {
        return parts.stream()
                .filter(Part::isElement)
                .anyMatch(part -> type.equalsIgnoreCase(part.attribute("type"))
                        || type.equalsIgnoreCase(part.name)
                        || part.hasBelow(type));
    }
}
