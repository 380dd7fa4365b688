// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A wrong element is reported in one sentence, to the operator and to each caller that logs, and no log file is made.
 * docs/mistakes.md has the sentences that this test has seen; {@code -Dmistakes.write=true} writes the page.
 */
class MistakesTest {

    private static final Path PAGE = Path.of("..", "docs", "mistakes.md");
    private static final String REFUSED = "ERROR Burst 'Orders' is not started: ";
    private static final Pattern ATTRIBUTE = Pattern.compile("(\\w+)=(\"[^\"]*\")\\s*");
    private static final String HEAD = """
            # Mistakes in a configuration

            The log's sentence about an element that cannot be used comes after `Burst 'Orders' is not started: `, in one
            ERROR of Log4j's status logger, and in the exception of each log call. No log file is made then. Each line is an
            element that is right except for what the first column shows:

            ```xml
            <Burst name="Orders" ring="/var/lib/gateway/orders.ring" ringSize="4 MB" fileName="/var/lib/gateway/orders.log"/>
            ```

            In the folder `/var/lib/gateway` there are a text file, `notes.txt`, and `existing.ring`, a ring of 4 MB.
            [messages.md](messages.md) has the sentences of a running log. The test that makes each of these mistakes writes
            this page (`appender/.../MistakesTest.java`).
            """;

    /** Stands between a mistake and the other element that makes it one. */
    private static final String BESIDE = " beside ";

    private static final String TAIL = """

            ## What no sentence says

            | what is wrong | what happens | what to do |
            |---|---|---|
            | virtual threads log behind `AsyncLogger` or `AsyncAppender` whose queue is full | Below JDK 24 a virtual thread that waits for room in such a queue may hold its carrier: Log4j's and Logback's own locks decide that, and no record has reached Burstlog yet. A queue that drops when it is full loses events unheard | Leave the queue out: a log call of a virtual thread waits parked, and holds neither carrier nor buffer ([which threads wait where](log4j.md#virtual-threads)) |
            | an async logger, an `AsyncAppender`, `ack="enqueued"`, `onFull="discard"`, `ignoreExceptions="true"` or a `Failover` on the way of audit events | The call returns although its record is not durable, or never will be: the action that it is about goes on without a record, and nothing says so | call the logger on the thread that acts, and let `<Burst>` be the appender itself, with its defaults ([audit.md](audit.md#the-setting)) |
            """;

    @TempDir
    Path temporary;

    @Test
    void each_is_told_in_the_sentence_that_the_page_has() throws Exception {
        final Path folder = temporary.toRealPath();
        Files.writeString(folder.resolve("notes.txt"), "buy milk\n".repeat(1_000));
        try (BurstLog ring = BurstLog.open(BurstConfig.builder()
                .ring(folder.resolve("existing.ring").toString())
                .ringBytes(4 << 20)
                .fileName(folder.resolve("before.log").toString())
                .build())) {
            ring.append(new byte[10]);
        }
        final List<Path> before = contents(folder);
        final StringBuilder page = new StringBuilder(HEAD);
        for (final String line : mistakes()) {
            if (line.startsWith("## ")) {
                page.append("\n").append(line).append("\n\n| what is wrong | what the log says |\n|---|---|\n");
            } else {
                page.append(row(line, sentenceOf(line, folder), folder));
                if (line.startsWith("fileName=") || line.contains(BESIDE)) {
                    // The start may make the ring before it finds the log file impossible.
                    Files.deleteIfExists(folder.resolve("orders.ring"));
                }
                if (line.contains(BESIDE)) {
                    // The other element has made its file; the two may name the same one.
                    Files.deleteIfExists(folder.resolve("orders.log"));
                    Files.deleteIfExists(folder.resolve("audit.log"));
                }
                assertThat(contents(folder)).as(line).isEqualTo(before);
            }
        }
        page.append(TAIL);
        if (Boolean.getBoolean("mistakes.write")) {
            Files.writeString(PAGE, page);
        }
        assertThat(page.toString())
                .as("docs/mistakes.md is not what was seen: write it with -Dtest=MistakesTest -Dmistakes.write=true")
                .isEqualTo(Files.exists(PAGE) ? Files.readString(PAGE) : "");
    }

    private static List<String> mistakes() throws IOException {
        try (InputStream in = MistakesTest.class.getResourceAsStream("mistakes.txt")) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8)
                    .lines()
                    .filter(line -> !line.startsWith("# "))
                    .toList();
        }
    }

    private static List<Path> contents(final Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            return all.sorted().toList();
        }
    }

    private static String sentenceOf(final String mistake, final Path folder) {
        final Map<String, String> attributes = new LinkedHashMap<>(Map.of(
                "ring", "\"" + folder.resolve("orders.ring") + "\"",
                "ringSize", "\"4 MB\"",
                "fileName", "\"" + folder.resolve("orders.log") + "\""));
        final String[] parts = mistake.replace("DIR", folder.toString()).split(BESIDE);
        final String other = parts.length == 1 ? "" : parts[1];
        String rest = parts[0];
        for (Matcher first = ATTRIBUTE.matcher(rest); first.lookingAt(); first = ATTRIBUTE.matcher(rest)) {
            attributes.put(first.group(1), first.group(2));
            rest = rest.substring(first.end());
        }
        final StringBuilder element = new StringBuilder("<Burst name=\"Orders\"");
        attributes.forEach(
                (name, value) -> element.append(' ').append(name).append('=').append(value));
        element.append('>')
                .append(OrdersDirectory.LEVEL_AND_MESSAGE)
                .append(rest)
                .append("</Burst>");
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(other + element))) {
            final List<String> refusals = log4j.status(Level.ERROR).stream()
                    .filter(line -> line.contains("Burst"))
                    .toList();
            assertThat(refusals).as(mistake).singleElement().asString().startsWith(REFUSED);
            final String sentence = refusals.get(0).substring(REFUSED.length());
            assertThatThrownBy(() -> log4j.logger().info("order 1"))
                    .as(mistake)
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageEndingWith(sentence);
            return sentence;
        }
    }

    /** A row without this host's names and folders. */
    private static String row(final String mistake, final String sentence, final Path folder) {
        final String anywhere = sentence.replace(folder.toString(), "/var/lib/gateway")
                .replaceAll("online here: [\\d,-]+", "online here: 0-7")
                .replace("|", "\\|")
                .replace("<", "&lt;");
        return "| `" + mistake.replace("DIR", "/var/lib/gateway") + "` | " + anywhere + " |\n";
    }
}
