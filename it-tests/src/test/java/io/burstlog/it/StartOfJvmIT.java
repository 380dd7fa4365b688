// SPDX-License-Identifier: Apache-2.0
package io.burstlog.it;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** JVMs that lack something from the start: characters of their locale, or a library on their class path. */
@Timeout(120)
class StartOfJvmIT {

    private static final String BURST = """
            <Burst name="%s" ring="%s/%s.ring" ringSize="4 MB" fileName="%s/%s.log" durability="process">
              <PatternLayout pattern="%%m%%n"/>
            </Burst>
            """;

    @Test
    void twoRingsWhoseNamesTheLocaleHasNoCharactersForStayTwo() throws Exception {
        Installation installation = Installation.fresh("locale");
        Path directory = installation.directory();
        configure(
                installation,
                BURST.formatted("A", directory, "ü", directory, "ü")
                        + BURST.formatted("B", directory, "ö", directory, "ö"),
                """
                <Logger name="a" level="info"><AppenderRef ref="A"/></Logger>
                <Logger name="b" level="info"><AppenderRef ref="B"/></Logger>
                <Root level="off"/>
                """);
        run(installation, List.of("env", "LC_ALL=C"), List.of(), "a", "b");
        try (Stream<Path> files = Files.list(directory)) {
            // The names may look different here.
            assertThat(files.filter(file -> file.toString().endsWith(".log")).map(StartOfJvmIT::textOf))
                    .containsExactlyInAnyOrder("order of a\n", "order of b\n");
        }
    }

    @Test
    void withoutJnaFailoverTakesOver() throws Exception {
        Installation installation = Installation.fresh("without-jna");
        Path directory = installation.directory();
        configure(
                installation,
                BURST.formatted("A", directory, "a", directory, "a") + """
                <File name="Other" fileName="%s"><PatternLayout pattern="%%m%%n"/></File>
                <Failover name="Safe" primary="A"><Failovers><AppenderRef ref="Other"/></Failovers></Failover>
                """.formatted(installation.file()),
                "<Root level=\"info\"><AppenderRef ref=\"Safe\"/></Root>");
        String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("jna"))
                .collect(Collectors.joining(File.pathSeparator));
        String said = run(installation, List.of(), List.of("-cp", classPath), "a");
        assertThat(installation.file()).hasContent("order of a\n");
        assertThat(said).contains("Burst 'A' is not started: ", "com.sun.jna.Native", "class path");
    }

    private static void configure(Installation installation, String appenders, String loggers) throws Exception {
        Files.writeString(
                installation.configuration(),
                "<Configuration status=\"error\"><Appenders>" + appenders + "</Appenders><Loggers>" + loggers
                        + "</Loggers></Configuration>");
    }

    /** Returns its output. */
    private static String run(
            Installation installation, List<String> environment, List<String> options, String... loggers)
            throws Exception {
        Process child = ChildJvm.start(environment, options, installation, LogsToEach.class, loggers);
        String said = child.inputReader().lines().collect(Collectors.joining("\n"));
        assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
        installation.requireSuccess(child);
        return said + Files.readString(installation.errors());
    }

    private static String textOf(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }
}
