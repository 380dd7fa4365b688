// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jul;

import io.burstlog.bridge.Settings;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.LogManager;

/** What stands in a configuration for one handler. Not thread-safe. */
record Properties(Map<String, String> texts) {

    private static final List<String> OF_HANDLERS = List.of("level", "filter", "formatter", "encoding");

    /** The LogManager answers for a name alone, so that a mistyped one is not seen. */
    static Properties ofLogManager(Class<?> handler) {
        Map<String, String> texts = new HashMap<>();
        for (List<String> names : List.of(OF_HANDLERS, Settings.names())) {
            for (String name : names) {
                String text = LogManager.getLogManager().getProperty(handler.getName() + "." + name);
                if (text != null) {
                    texts.put(name, text);
                }
            }
        }
        return new Properties(texts);
    }

    /** Those that no handler of the JDK has. */
    void read(Settings settings) {
        texts.forEach((name, text) -> {
            if (!OF_HANDLERS.contains(name)) {
                settings.set(name, text);
            }
        });
    }

    /** Null: nothing is said. */
    String text(String name) {
        String text = texts.get(name);
        return text == null || text.isBlank() ? null : text.trim();
    }

    Level level(String name, Settings settings) {
        String text = text(name);
        try {
            return text == null ? Level.ALL : Level.parse(text);
        } catch (IllegalArgumentException unknown) {
            settings.complain(name + "=\"" + text + "\" cannot be used: use the name of a level such as INFO or FINE");
            return Level.ALL;
        }
    }

    /** Of the class that is named, found as the JDK's handlers find theirs. */
    <T> T instance(String name, Class<T> type, Supplier<T> unset, Settings settings) {
        String text = text(name);
        if (text != null) {
            try {
                return type.cast(ClassLoader.getSystemClassLoader()
                        .loadClass(text)
                        .getDeclaredConstructor()
                        .newInstance());
            } catch (ReflectiveOperationException | ClassCastException | LinkageError unusable) {
                settings.complain(name + "=\"" + text + "\" cannot be used: " + unusable + "; name a public class on"
                        + " the class path that is a " + type.getSimpleName() + " with a constructor without"
                        + " arguments");
            }
        }
        return unset == null ? null : unset.get();
    }
}
