// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jul;

import io.burstlog.doors.RecordTerms;
import io.burstlog.doors.Settings;
import io.burstlog.doors.Wording;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.LogManager;

/** Reads the properties of one handler: the settings of Burstlog, and those that every handler of the JDK has. */
final class Properties {

    private static final List<String> OF_HANDLERS = List.of("level", "filter", "formatter", "encoding", "failClosed");

    private Properties() {}

    /**
     * Returns the properties of the LogManager. It answers only for a given name, so a mistyped property stays unseen.
     */
    static Settings ofLogManager(Class<?> handler) {
        SortedMap<String, String> texts = new TreeMap<>();
        for (List<String> names : List.of(OF_HANDLERS, RecordTerms.NAMES, RecordTerms.NAMES_OF_ROLLING)) {
            for (String name : names) {
                String text = LogManager.getLogManager().getProperty(handler.getName() + "." + name);
                if (text != null) {
                    texts.put(name, text);
                }
            }
        }
        return new Settings(texts, Wording.of("property"));
    }

    static Settings of(Map<String, String> properties) {
        return new Settings(new TreeMap<>(properties), Wording.of("property"));
    }

    static Level level(String name, Settings settings) {
        String text = settings.text(name);
        try {
            return text == null ? Level.ALL : Level.parse(text);
        } catch (IllegalArgumentException unknown) {
            settings.refuse(name, text, "use the name of a level such as INFO or FINE");
            return Level.ALL;
        }
    }

    /** Makes an object of the named class, from the class loader that the JDK's handlers use. */
    static <T> T instance(String name, Class<T> type, Supplier<T> unset, Settings settings) {
        String text = settings.text(name);
        if (text != null) {
            try {
                return type.cast(ClassLoader.getSystemClassLoader()
                        .loadClass(text)
                        .getDeclaredConstructor()
                        .newInstance());
            } catch (ReflectiveOperationException | ClassCastException | LinkageError unusable) {
                settings.refuse(
                        name,
                        text,
                        unusable + "; name a public class on the class path that is a " + type.getSimpleName()
                                + " with a constructor without arguments");
            }
        }
        return unset == null ? null : unset.get();
    }
}
