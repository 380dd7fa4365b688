// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import io.burstlog.doors.Settings;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiFunction;

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

    /** The description of an element, which all of that name share. */
    interface Kind {

        /** Returns the name of the element. */
        @Override
        String toString();

        /** Returns what is missing from the class path if there is no provider. */
        String jars();

        /** Returns the name of the elements inside. */
        String inner();

        /** Returns how one of these is written. */
        String formOfInner();

        List<Attribute> attributes();
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
        kind.attributes().forEach(each -> {
            final Object value = each.read().apply(reader, each.name());
            if (value != null) {
                settings.put(each.setting(), value.toString());
            }
        });
        reader.complainAboutWhatNobodyRead();
        unknown.forEach(each ->
                reader.complain("the element <" + each + "> is unknown here, or has no name: " + kind.formOfInner()));
        twice.forEach(each -> reader.complain("two elements <" + kind.inner() + "> have the name " + each
                + ": give one of them another one, or remove it"));
        return settings;
    }

    /** Complains that there is no provider. */
    void complainAboutClassPath(final Settings reader, final String why) {
        reader.complain(kind.jars() + " is not on the class path: add both, or remove the element" + why);
    }

    /** Passes the complaints about this element on to the reader of the outer one. */
    void complain(final Settings reader, final Settings around) {
        if (reader.complaints() != null) {
            around.complain("<" + kind + ">: " + reader.complaints());
        }
    }
}
