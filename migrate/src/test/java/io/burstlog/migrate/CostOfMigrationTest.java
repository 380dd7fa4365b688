// SPDX-License-Identifier: Apache-2.0
package io.burstlog.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Queues of Log4j that lose events which Burst would keep, the cost of the new appenders, and the last line. */
class CostOfMigrationTest {

    private static final String WAITS =
            " note: its events wait in a queue of Log4j before Burst gets them, and what is in"
                    + " there is lost when the process dies; to have each call return with its event durable, ";

    @TempDir
    Path folder;

    private List<String> told;

    /** Returns the exit code. The messages are kept without the file's name. */
    private int migrate(final String name, final String text, final String... options) throws IOException {
        final Path file = Files.writeString(folder.resolve(name), text);
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        final String[] arguments = Arrays.copyOf(options, options.length + 1);
        arguments[options.length] = file.toString();
        final int code = Migrate.run(new PrintStream(bytes, true, StandardCharsets.UTF_8), arguments);
        told = bytes.toString(StandardCharsets.UTF_8)
                .lines()
                .filter(line -> line.startsWith(file + ": "))
                .map(line -> line.substring((file + ": ").length()))
                .toList();
        return code;
    }

    private List<String> queues() {
        return told.stream().filter(line -> line.contains(WAITS)).toList();
    }

    private List<String> cost() {
        return told.stream().filter(line -> line.startsWith("cost: ")).toList();
    }

    private static String xml(final String appenders, final String loggers) {
        return "<Configuration>\n<Appenders>\n" + appenders + "\n</Appenders>\n<Loggers>\n" + loggers
                + "\n</Loggers>\n</Configuration>\n";
    }

    private static String file(final String name) {
        return "<File name='" + name + "' fileName='" + name + ".log'/>";
    }

    @Test
    void async_loggers_are_named_in_xml() throws Exception {
        migrate(
                "a.xml",
                xml(
                        file("A"),
                        "<AsyncLogger name='x' additivity='false'><AppenderRef ref='A'/></AsyncLogger>\n"
                                + "<AsyncRoot><AppenderRef ref='A'/></AsyncRoot>"));
        assertThat(queues())
                .containsExactly(
                        "line 6: AsyncLogger \"x\"" + WAITS + "make it Logger",
                        "line 7: AsyncRoot" + WAITS + "make it Root");
        assertThat(cost())
                .containsExactly("cost: none of 1 makes a log call wait, as long as a queue of Log4j is before it");
    }

    @Test
    void async_loggers_are_named_in_json() throws Exception {
        migrate("a.json", """
                {"Configuration": {
                  "Appenders": {"File": {"name": "A", "fileName": "a"}},
                  "Loggers": {
                    "AsyncLogger": [
                      {"name": "x", "additivity": "false", "AppenderRef": {"ref": "A"}},
                      {"name": "y", "additivity": "false", "AppenderRef": [{"ref": "Other"}]}
                    ],
                    "AsyncRoot": {"AppenderRef": {"ref": "A"}}
                  }}}
                """);
        assertThat(queues())
                .containsExactly(
                        "line 5: AsyncLogger \"x\"" + WAITS + "make it Logger",
                        "line 8: AsyncRoot" + WAITS + "make it Root");
    }

    @Test
    void async_loggers_are_named_in_yaml() throws Exception {
        migrate("a.yaml", """
                Configuration:
                  Appenders:
                    File:
                      name: A
                      fileName: a
                    Async:
                      name: Later
                      AppenderRef:
                        ref: A
                  Loggers:
                    AsyncLogger:
                      - name: x
                        additivity: false
                        AppenderRef:
                          - ref: A
                    asyncRoot: {level: info}
                """);
        assertThat(queues())
                .containsExactly(
                        "line 6: Async \"Later\"" + WAITS + "let loggers refer to A itself",
                        "line 12: AsyncLogger \"x\"" + WAITS + "make it Logger",
                        "line 16: asyncRoot" + WAITS + "make it Root");
    }

    @Test
    void async_loggers_are_named_in_properties() throws Exception {
        migrate("a.properties", """
                appender.a.type = File
                appender.a.name = A
                appender.a.fileName = a
                appender.b.type = Async
                appender.b.name = Later
                appender.b.appenderRef.x.ref = A
                logger.x.name = x
                logger.x.type = asyncLogger
                logger.y.name = y
                rootLogger.type = asyncRoot
                rootLogger.appenderRef.x.ref = A
                """);
        assertThat(queues())
                .containsExactly(
                        "line 4: Async \"Later\"" + WAITS + "let loggers refer to A itself",
                        "line 7: asyncLogger \"x\"" + WAITS + "remove its type",
                        "line 10: asyncRoot" + WAITS + "remove its type");
    }

    @Test
    void a_queue_in_front_of_a_queue_is_named_and_one_that_leads_elsewhere_is_not() throws Exception {
        final String async = "<Async name='%s'><AppenderRef ref='%s'/></Async>\n";
        migrate(
                "a.xml",
                xml(
                        file("A") + "<Console name='C'/>\n" + async.formatted("First", "Second")
                                + async.formatted("Second", "A") + async.formatted("Elsewhere", "C")
                                + async.formatted("Unknown", "${env:WHERE}"),
                        "<AsyncLogger name='x' additivity='false'><AppenderRef ref='C'/></AsyncLogger>\n"
                                + "<AsyncLogger name='of its parents'/>"
                                + "<AsyncLogger name='and of its parents'><AppenderRef ref='C'/></AsyncLogger>"));
        assertThat(queues())
                .hasSize(5)
                .anyMatch(line -> line.contains("\"First\""))
                .anyMatch(line -> line.contains("\"Second\""))
                .anyMatch(line -> line.contains("\"Unknown\""))
                .anyMatch(line -> line.contains("\"of its parents\""))
                .anyMatch(line -> line.contains("\"and of its parents\""));
    }

    @Test
    void an_appender_in_a_route_is_behind_the_queue_that_leads_to_the_route() throws Exception {
        migrate(
                "a.xml",
                xml(
                        "<Routing name='R'><Routes><Route>" + file("A") + "</Route></Routes></Routing>",
                        "<AsyncRoot><AppenderRef ref='R'/></AsyncRoot>"));
        assertThat(queues()).hasSize(1);
        assertThat(cost())
                .containsExactly("cost: none of 1 makes a log call wait, as long as a queue of Log4j is before it");
    }

    @Test
    void a_configuration_that_is_migrated_still_names_its_queues() throws Exception {
        final String text = xml("<Burst name='A' fileName='a'/>", "<AsyncRoot><AppenderRef ref='A'/></AsyncRoot>");
        assertThat(migrate("a.xml", text)).isZero();
        assertThat(told).containsExactly("line 6: AsyncRoot" + WAITS + "make it Root", "nothing to change");
    }

    @Test
    void queues_in_front_of_other_appenders_are_not_told() throws Exception {
        migrate("a.xml", xml("<Console name='C'/>", "<AsyncRoot><AppenderRef ref='C'/></AsyncRoot>"));
        assertThat(told).containsExactly("nothing to change");
    }

    @Test
    void of_a_brokers_six_files_five_are_read_by_people() throws Exception {
        try (InputStream in = CostOfMigrationTest.class.getResourceAsStream("broker.yaml")) {
            migrate("broker.yaml", new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
        assertThat(cost())
                .containsExactly(
                        "cost: 6 of 6 make a log call wait until its event is on the medium; by name and layout"
                                + " people read 5 of them (\"ServerAppender\", \"StateChangeAppender\", \"RequestAppender\","
                                + " \"CleanerAppender\", \"ControllerAppender\"): ack=\"enqueued\" there spares the wait, and the"
                                + " last events are lost when the process dies");
    }

    @Test
    void an_appender_behind_a_queue_alone_costs_no_wait() throws Exception {
        migrate(
                "a.xml",
                xml(
                        file("Audit") + file("Access") + file("Orders")
                                + "<Async name='Later'><AppenderRef ref='Access'/><AppenderRef ref='Orders'/></Async>",
                        "<Root><AppenderRef ref='Audit'/><AppenderRef ref='Orders'/><AppenderRef ref='Later'/></Root>"));
        assertThat(cost()).containsExactly("cost: 2 of 3 make a log call wait until its event is on the medium");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "<JsonTemplateLayout/>",
                "<PatternLayout pattern='{\"m\":\"%m\"}'/>",
                "<Layout type='EcsLayout'/>",
                "<PatternLayout/><Filters><x/></Filters><GelfLayout/>"
            })
    void a_layout_for_programs_is_not_read_by_people(final String layout) throws Exception {
        migrate("a.xml", xml("<File name='A' fileName='a'>" + layout + "</File>", ""));
        assertThat(cost()).containsExactly("cost: 1 of 1 make a log call wait until its event is on the medium");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "<PatternLayout pattern='%d %m%n'/>",
                "<Layout type='PatternLayout'/>",
                "<HtmlLayout/>",
                "<ThresholdFilter/>"
            })
    void a_layout_of_text_is_read_by_people(final String layout) throws Exception {
        migrate("a.xml", xml("<File name='A' fileName='a'>" + layout + "</File>", ""));
        assertThat(cost()).hasSize(1).first().asString().contains("people read 1 of them (\"A\")");
    }

    @Test
    void the_name_of_a_file_tells_of_records_too() throws Exception {
        migrate(
                "a.xml",
                xml(
                        "<RollingFile name='A' fileName='logs/AUDIT.log'/><RollingFile name='B' filePattern='trades-%i'/>",
                        ""));
        assertThat(cost()).containsExactly("cost: 2 of 2 make a log call wait until its event is on the medium");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ack=enqueued", "ackLevel=WARN"})
    void no_cost_is_told_to_who_has_decided(final String decision) throws Exception {
        migrate("a.xml", xml(file("A"), ""), "--set", decision);
        assertThat(cost()).isEmpty();
    }

    @Test
    void the_last_line_counts_each_element_that_is_left() throws Exception {
        final String mapped = "<MemoryMappedFile name='M' fileName='m'/>";
        assertThat(migrate("a.xml", xml(file("A") + mapped, ""))).isEqualTo(1);
        assertThat(told).last().asString().startsWith("1 to be changed, 1 left as they are;");
        assertThat(migrate("b.xml", xml(file("A") + mapped, ""), "--write")).isEqualTo(1);
        assertThat(told).last().asString().startsWith("1 changed, 1 left as they are;");
        assertThat(migrate("c.xml", xml(mapped, ""))).isEqualTo(1);
        assertThat(told).last().isEqualTo("nothing to change, 1 left as they are");
        assertThat(migrate("d.xml", xml("<File name='A' fileName='a' append='false'/>" + mapped, "")))
                .isEqualTo(1);
        assertThat(told).last().isEqualTo("nothing to change, 2 left as they are");
    }
}
