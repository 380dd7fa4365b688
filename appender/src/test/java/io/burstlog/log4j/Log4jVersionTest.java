// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import org.apache.logging.log4j.core.LoggerContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** The build runs all tests with the oldest and the newest Log4j; this test proves it. */
class Log4jVersionTest {

    @Test
    @EnabledIfSystemProperty(
            named = "expected.log4j.version",
            matches = ".+",
            disabledReason = "SKIPPED: only the Maven build knows which version of Log4j it wants to test")
    void the_version_under_test_is_the_one_the_build_asked_for() {
        assertThat(LoggerContext.class.getPackage().getImplementationVersion())
                .isEqualTo(System.getProperty("expected.log4j.version"));
    }
}
