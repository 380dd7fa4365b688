// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.harness;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** {@code --name value} pairs of the command line. */
public final class Options {

    private final Map<String, String> values = new HashMap<>();

    public Options(List<String> arguments) {
        for (int i = 0; i < arguments.size(); i += 2) {
            String name = arguments.get(i);
            if (!name.startsWith("--") || i + 1 == arguments.size()) {
                throw new IllegalArgumentException("\"" + name + "\" is not understood: options come as --name value.");
            }
            values.put(name.substring(2), arguments.get(i + 1));
        }
    }

    public String text(String name, String otherwise) {
        return values.getOrDefault(name, otherwise);
    }

    public String required(String name) {
        String value = values.get(name);
        if (value == null) {
            throw new IllegalArgumentException("--" + name + " is missing.");
        }
        return value;
    }

    public int number(String name, int otherwise) {
        String value = values.get(name);
        try {
            return value == null ? otherwise : Integer.parseInt(value);
        } catch (NumberFormatException notANumber) {
            throw new IllegalArgumentException("--" + name + " is \"" + value + "\", which is no whole number.");
        }
    }

    public Path path(String name, String otherwise) {
        return Path.of(text(name, otherwise));
    }

    public List<String> list(String name, String otherwise) {
        String value = text(name, otherwise);
        return value.isEmpty() ? List.of() : Arrays.asList(value.split(","));
    }
}
