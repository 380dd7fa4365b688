// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.Core;
import org.apache.logging.log4j.core.Filter;
import org.apache.logging.log4j.core.Layout;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.apache.logging.log4j.core.config.plugins.Plugin;
import org.apache.logging.log4j.core.config.plugins.PluginAttribute;
import org.apache.logging.log4j.core.config.plugins.PluginFactory;
import org.apache.logging.log4j.core.filter.ThresholdFilter;
import org.apache.logging.log4j.core.layout.PatternLayout;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Plugins whose class is a factory: their {@code elementType} says what they build. Some of Elasticsearch's do that.
 */
class ElementPartsTest {

    @TempDir
    Path temporary;

    private OrdersDirectory directory;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
    }

    private static RunningLog4j with(final String burst) {
        return RunningLog4j.with(RunningLog4j.xml(burst)
                .replace(
                        "<Configuration ",
                        "<Configuration packages=\"" + ElementPartsTest.class.getPackageName() + "\" "));
    }

    @Test
    void a_plugin_that_is_no_layout_and_builds_one_is_the_layout() {
        try (RunningLog4j log4j = with(directory.burst("", "<LayoutFactory text=\"built\"/>"))) {
            assertThat(log4j.status(Level.ERROR)).isEmpty();
            log4j.logger().info("order 1");
        }
        assertThat(directory.lines()).containsExactly("built order 1");
    }

    @Test
    void one_that_is_no_filter_and_builds_one_is_the_filter_beside_a_layout() {
        try (RunningLog4j log4j = with(directory.burst("", "<FilterFactory/>" + OrdersDirectory.LEVEL_AND_MESSAGE))) {
            assertThat(log4j.status(Level.ERROR)).isEmpty();
            log4j.logger().info("order 1");
            log4j.logger().warn("order 2");
        }
        assertThat(directory.lines()).containsExactly("WARN order 2");
    }

    @Test
    void one_that_says_it_builds_a_layout_and_builds_another_thing_is_refused() {
        try (RunningLog4j log4j = with(directory.burst("", "<LiesAboutLayout/>"))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("the element <LiesAboutLayout> is unknown here");
            assertThatThrownBy(() -> log4j.logger().info("order 1")).isInstanceOf(AppenderLoggingException.class);
        }
    }

    @Test
    void one_that_builds_what_an_appender_does_not_take_is_refused_and_not_built() {
        ActionFactory.built = false;
        try (RunningLog4j log4j = with(directory.burst("", "<ActionFactory/>" + OrdersDirectory.LEVEL_AND_MESSAGE))) {
            assertThat(log4j.status(Level.ERROR))
                    .singleElement()
                    .asString()
                    .contains("the element <ActionFactory> is unknown here");
        }
        assertThat(ActionFactory.built).isFalse();
    }

    @Plugin(name = "LayoutFactory", category = Core.CATEGORY_NAME, elementType = Layout.ELEMENT_TYPE)
    public static final class LayoutFactory {

        private LayoutFactory() {}

        @PluginFactory
        public static PatternLayout layout(@PluginAttribute("text") final String text) {
            return PatternLayout.newBuilder().withPattern(text + " %m%n").build();
        }
    }

    @Plugin(name = "FilterFactory", category = Core.CATEGORY_NAME, elementType = Filter.ELEMENT_TYPE)
    public static final class FilterFactory {

        private FilterFactory() {}

        @PluginFactory
        public static ThresholdFilter filter() {
            return ThresholdFilter.createFilter(Level.WARN, Filter.Result.NEUTRAL, Filter.Result.DENY);
        }
    }

    @Plugin(name = "LiesAboutLayout", category = Core.CATEGORY_NAME, elementType = Layout.ELEMENT_TYPE)
    public static final class LiesAboutLayout {

        private LiesAboutLayout() {}

        @PluginFactory
        public static String layout() {
            return "no layout";
        }
    }

    @Plugin(name = "ActionFactory", category = Core.CATEGORY_NAME, elementType = "action")
    public static final class ActionFactory {

        private static volatile boolean built;

        private ActionFactory() {}

        @PluginFactory
        public static ActionFactory action() {
            built = true;
            return new ActionFactory();
        }
    }
}
