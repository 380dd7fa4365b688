// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.FileInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.concurrent.TimeUnit;
import org.apache.logging.log4j.core.LoggerContext;
import org.apache.logging.log4j.core.config.ConfigurationSource;
import org.apache.logging.log4j.core.config.xml.XmlConfiguration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Policies that compare the age of a log file with the start of the JVM: one JVM logs and ends, then another one
 * starts.
 */
@Timeout(60)
class RollAtStartIT {

    private static final DateTimeFormatter DAILY = DateTimeFormatter.ofPattern("s m H '* * ?'");

    private Installation installation;

    private void configure(LocalTime ofSchedule) throws IOException {
        Files.writeString(installation.configuration(), """
                <Configuration status="warn">
                  <Appenders>%s%s</Appenders>
                  <Loggers>
                    <Logger name="startup" additivity="false"><AppenderRef ref="startup"/></Logger>
                    <Logger name="cron" additivity="false"><AppenderRef ref="cron"/></Logger>
                    <Root level="info"/>
                  </Loggers>
                </Configuration>
                """.formatted(
                        burst("startup", "<OnStartupTriggeringPolicy/>"),
                        burst(
                                "cron",
                                "<CronTriggeringPolicy evaluateOnStartup=\"true\" schedule=\"%s\"/>"
                                        .formatted(ofSchedule.format(DAILY)))));
    }

    private String burst(String name, String policy) {
        return """
                <Burst name="%s" ring="%s" ringSize="4 MB" fileName="%s" filePattern="%s">
                  <PatternLayout pattern="%%m%%n"/>%s
                </Burst>
                """.formatted(name, installation.ring(), file(name + ".log"), file(name + "-%i.log"), policy);
    }

    private Path file(String name) {
        return installation.directory().resolve(name);
    }

    private void logHere(String... loggers) throws IOException {
        LoggerContext context = new LoggerContext("it");
        try (FileInputStream content =
                new FileInputStream(installation.configuration().toFile())) {
            context.start(new XmlConfiguration(context, new ConfigurationSource(content)));
        }
        for (String logger : loggers) {
            context.getLogger(logger).info("before");
        }
        context.stop();
    }

    @Test
    void aFileOfTheJvmBeforeEndsWithTheStartOfTheNextOne() throws Exception {
        installation = Installation.fresh("roll-at-start");
        configure(LocalTime.now().minusHours(1));
        logHere("startup", "cron");
        assertThat(file("startup.log")).hasContent("before\n");
        assertThat(file("cron.log")).hasContent("before\n");

        LocalTime between = LocalTime.now().plusSeconds(1).truncatedTo(ChronoUnit.SECONDS);
        configure(between);
        // Log4j counts whole seconds: in the scheduled second it does not yet consider the time as past.
        Thread.sleep(Math.max(
                        0,
                        Duration.between(LocalTime.now(), between.plusSeconds(1))
                                .toMillis())
                + 1);
        Process next = ChildJvm.start(installation, LogsToEach.class, "startup", "cron");
        assertThat(next.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(next.exitValue()).isZero();

        for (String name : new String[] {"startup", "cron"}) {
            assertThat(file(name + "-1.log")).hasContent("before\n");
            assertThat(file(name + ".log")).hasContent("order of " + name + "\n");
            assertThat(file(name + "-2.log")).doesNotExist();
        }
    }
}
