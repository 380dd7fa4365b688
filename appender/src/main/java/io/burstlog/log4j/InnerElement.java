// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.doors.Settings;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;
import org.apache.logging.log4j.core.config.Node;

/**
 * An element inside {@code <Burst>} as it stands in the configuration, with its lookups resolved.
 *
 * @param kind what it is
 * @param inner the attributes of the elements inside, by their names
 * @param unknown the names of elements that have no place there
 * @param twice the names that two elements inside have
 */
record InnerElement<K extends InnerElement.Kind>(
        K kind,
        SortedMap<String, String> attributes,
        Map<String, Map<String, String>> inner,
        List<String> unknown,
        List<String> twice) {

    /**
     * The common part of all elements of one name.
     *
     * @param name the name of the element
     * @param jars these are missing from the class path if there is no provider
     * @param inner the name of the elements inside
     * @param formOfInner how one of these is written
     */
    record Form(String name, String jars, String inner, String formOfInner, List<Attribute> attributes) {

        /** The form of an element whose properties are those of a client. */
        static Form withProperties(final String name, final String jars, final List<Attribute> attributes) {
            return new Form(name, jars, "Property", "write <Property name=\"..\">..</Property>", attributes);
        }
    }

    /** The row of a table of elements. */
    interface Kind {

        Form form();

        /**
         * Returns the row of an element by its name, since its type may be something else of that name, such as Log4j's
         * own appender; null if the table has none.
         */
        static <K extends Kind> K of(final K[] rows, final Node element) {
            return Arrays.stream(rows)
                    .filter(each -> isNamed(element, each.form().name()))
                    .findFirst()
                    .orElse(null);
        }
    }

    /** Tells whether the element has this name, or is of a type with this name. */
    static boolean isNamed(final Node element, final String name) {
        return element.getName().equalsIgnoreCase(name)
                || element.getType().getKey().equalsIgnoreCase(name);
    }

    /**
     * An attribute of the element.
     *
     * @param setting its name in a request to the provider
     * @param read reads it; null if it is absent
     */
    record Attribute(String name, String setting, BiFunction<Settings, String, Object> read) {

        /** An attribute that must be there. */
        static Attribute required(final String name, final String meaning) {
            return new Attribute(name, name, (reader, each) -> reader.requiredPath(each, meaning));
        }
    }

    InnerElement(final K kind) {
        this(kind, insensitive(), new HashMap<>(), new ArrayList<>(), new ArrayList<>());
    }

    /** Returns a new map whose keys are the same in capital and small letters, as Log4j's attributes are. */
    static SortedMap<String, String> insensitive() {
        return new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
    }

    /** Returns a reader of the attributes. */
    Settings reader() {
        return new Settings(attributes, BurstAppenderBuilder.WORDING);
    }

    /**
     * Reads the attributes of its kind, and complains about all that has no place there.
     *
     * @return the values by the names in a request
     */
    Map<String, String> settings(final Settings reader) {
        final Map<String, String> settings = new TreeMap<>();
        kind.form().attributes().forEach(each -> {
            final Object value = each.read().apply(reader, each.name());
            if (value != null) {
                settings.put(each.setting(), value.toString());
            }
        });
        reader.complainAboutWhatNobodyRead();
        unknown.forEach(each -> reader.complain("the element <" + each + "> is unknown here, or has no name: "
                + kind.form().formOfInner()));
        twice.forEach(each -> reader.complain("two elements <" + kind.form().inner() + "> have the name " + each
                + ": give one of them another one, or remove it"));
        return settings;
    }

    /** Complains that there is no provider. */
    void complainAboutClassPath(final Settings reader, final String why) {
        reader.complain(kind.form().jars() + " is not on the class path: add both, or remove the element" + why);
    }

    /** Passes the complaints about this element on to the reader of the outer one. */
    void complain(final Settings reader, final Settings around) {
        if (reader.complaints() != null) {
            around.complain("<" + kind + ">: " + reader.complaints());
        }
    }
}
