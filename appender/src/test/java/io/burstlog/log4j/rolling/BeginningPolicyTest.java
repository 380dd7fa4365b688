// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j.rolling;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import org.apache.logging.log4j.core.appender.rolling.DefaultRolloverStrategy;
import org.apache.logging.log4j.core.appender.rolling.OnStartupTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.SizeBasedTriggeringPolicy;
import org.apache.logging.log4j.core.appender.rolling.TriggeringPolicy;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A policy that rolls as it begins, or that cannot begin, at a start and in a new configuration. */
class BeginningPolicyTest {

    private static final Instant BEFORE_THIS_JVM = Instant.parse("2020-01-01T00:00:00Z");

    @TempDir
    Path folder;

    private FileWritingStream stream;

    @BeforeEach
    void write() {
        stream = new FileWritingStream(folder.resolve("app.log"), BEFORE_THIS_JVM);
        stream.write("of before\n".getBytes(StandardCharsets.UTF_8));
    }

    @SuppressWarnings("deprecation") // Older versions of Log4j lack the factory's replacement.
    private RollingSettings settings(final String pattern, final TriggeringPolicy policy) {
        return RolledLog.settings(
                folder,
                pattern,
                policy,
                DefaultRolloverStrategy.createStrategy(
                        null, null, "nomax", null, null, true, RolledLog.configuration()));
    }

    private RollingSettings bySize() {
        return settings("app-%i.log", SizeBasedTriggeringPolicy.createPolicy("1 MB"));
    }

    private RollingSettings atStartup() {
        return settings("app-%i.log", OnStartupTriggeringPolicy.createPolicy(1));
    }

    @Test
    void a_roll_at_start_waits_for_no_space_and_is_made_up_for_without_a_footer() {
        stream.refuseRolls(true);
        try (RolledLog log = RolledLog.open(PlannedRollsTest.withHeader(atStartup(), 3), stream)) {
            assertThat(stream.offers()).isOne();
            stream.refuseRolls(false);
            await().atMost(RolledLog.PATIENCE).until(() -> {
                log.rolling().beforeEvent(RolledLog.event("order 1", System.currentTimeMillis()), true);
                return !log.manager().hasFailed();
            });
            assertThat(stream.lastRoll().footer()).isEmpty();
        }
        assertThat(RolledLog.files(folder)).containsEntry("app-1.log", "of before\n");
    }

    @Test
    void nor_does_the_roll_of_another_configuration() {
        try (RolledLog log = RolledLog.open(bySize(), stream)) {
            stream.refuseRolls(true);
            log.rolling().update(atStartup(), RolledLog.PATIENCE);
            assertThat(stream.offers()).isOne();
        }
    }

    @Test
    void a_configuration_whose_policy_throws_changes_nothing() {
        final RollingSettings before = bySize();
        try (RolledLog log = RolledLog.open(before, stream)) {
            final RollingSettings other = settings("new-%i.log", new FailingPolicy());
            assertThatThrownBy(() -> log.rolling().update(other, RolledLog.PATIENCE))
                    .hasMessage("broken");
            assertThat((Object) log.manager().getTriggeringPolicy()).isSameAs(before.policy());
            assertThat((Object) log.manager().getRolloverStrategy()).isSameAs(before.strategy());
            assertThat(log.manager().getPatternProcessor().getPattern()).endsWith("app-%i.log");
            log.manager().rollover();
            assertThat(stream.lastRoll().target()).endsWith("/app-1.log");
        }
        assertThat(RolledLog.files(folder)).containsOnlyKeys("app-1.log", "app.log");
    }
}
