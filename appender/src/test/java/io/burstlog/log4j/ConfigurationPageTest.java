// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.logging.log4j.core.config.plugins.PluginBuilderAttribute;
import org.junit.jupiter.api.Test;

/** Attributes that the element has from its superclasses; {@code scripts/check/docs} knows the rest. */
class ConfigurationPageTest {

    @Test
    void every_attribute_that_log4j_gives_each_appender_has_a_row_in_the_docs() throws Exception {
        final String page = Files.readString(Path.of("..", "docs", "configuration.md"));
        final List<String> names = new ArrayList<>();
        for (Class<?> type = BurstAppenderBuilder.class; type != null; type = type.getSuperclass()) {
            for (final Field field : type.getDeclaredFields()) {
                final PluginBuilderAttribute mark = field.getAnnotation(PluginBuilderAttribute.class);
                if (mark != null) {
                    names.add(mark.value().isEmpty() ? field.getName() : mark.value());
                }
            }
        }
        assertThat(names).isNotEmpty().allMatch(name -> page.contains("\n| `" + name + "` |"));
    }
}
