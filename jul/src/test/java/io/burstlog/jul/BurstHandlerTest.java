// SPDX-License-Identifier: Apache-2.0
package io.burstlog.jul;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.logging.Filter;
import java.util.logging.Formatter;
import java.util.logging.Handler;
import java.util.logging.LogManager;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.logging.XMLFormatter;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class BurstHandlerTest {

    @TempDir
    Path folder;

    private final ByteArrayOutputStream told = new ByteArrayOutputStream();
    private final PrintStream standardError = System.err;

    /** A formatter that can fail. */
    public static final class MessageFormatter extends Formatter {
        /** For the LogManager. */
        public MessageFormatter() {}

        @Override
        public String format(LogRecord record) {
            if (record.getMessage().startsWith("bad")) {
                throw new IllegalStateException("cannot be formatted");
            }
            return record.getLevel() + " " + formatMessage(record) + "\n";
        }
    }

    /** A filter that lets only orders pass. */
    public static final class OrdersFilter implements Filter {
        /** For the LogManager. */
        public OrdersFilter() {}

        @Override
        public boolean isLoggable(LogRecord record) {
            return record.getMessage().startsWith("order");
        }
    }

    /** It has properties under its own name. */
    public static final class AuditHandler extends BurstHandler {
        /** For the LogManager. */
        public AuditHandler() {}
    }

    @BeforeEach
    void listen() {
        System.setErr(new PrintStream(told, true, StandardCharsets.UTF_8));
    }

    @AfterEach
    void reset() throws IOException {
        LogManager.getLogManager().reset();
        System.setErr(standardError);
    }

    private List<String> told() {
        return told.toString(StandardCharsets.UTF_8).lines().toList();
    }

    private List<String> lines(String name) throws IOException {
        return Files.readAllLines(folder.resolve(name));
    }

    private static void configure(String properties) throws IOException {
        LogManager.getLogManager()
                .readConfiguration(new ByteArrayInputStream(properties.getBytes(StandardCharsets.ISO_8859_1)));
    }

    private String properties(String handler, String file, String more) {
        String name = handler + ".";
        return name + "ring = " + folder.resolve("app.ring") + "\n" + name + "ringSize = 4 MB\n" + name + "file = "
                + folder.resolve(file) + "\n" + name + "shutdownTimeout = 5 min\n" + name + "formatter = "
                + MessageFormatter.class.getName() + "\n" + more.replace("*", handler) + "\n";
    }

    private BurstHandler handler(Map<String, String> more) {
        Map<String, String> properties = new HashMap<>(Map.of(
                "ring",
                folder.resolve("app.ring").toString(),
                "file",
                folder.resolve("a.log").toString(),
                "ringSize",
                "4 MB",
                "shutdownTimeout",
                "5 min"));
        properties.putAll(more);
        BurstHandler handler = new BurstHandler(properties);
        if (!more.containsKey("formatter")) {
            handler.setFormatter(new MessageFormatter());
        }
        return handler;
    }

    private static Logger logger(Handler handler) {
        Logger logger = Logger.getAnonymousLogger();
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        return logger;
    }

    @Test
    void handlers_of_a_configuration_have_files_on_one_ring_until_the_LogManager_is_reset() throws IOException {
        String burst = BurstHandler.class.getName();
        String audit = AuditHandler.class.getName();
        configure("handlers = " + burst + ", " + audit + "\n"
                + properties(burst, "a.log", "*.level = WARNING\n*.encoding = ISO-8859-1")
                + properties(audit, "b.log", "*.filter = " + OrdersFilter.class.getName()));
        Logger.getLogger("orders").info("order 1");
        Logger.getLogger("orders").warning("tr\u00e8s {0}");
        LogManager.getLogManager().reset();
        assertThat(Files.readAllLines(folder.resolve("a.log"), StandardCharsets.ISO_8859_1))
                .containsExactly("WARNING tr\u00e8s {0}");
        assertThat(lines("b.log")).containsExactly("INFO order 1");
        assertThat(told()).isEmpty();
        try (var files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder("app.ring", "a.log", "b.log");
        }
    }

    @Test
    void an_encoding_that_marks_each_record_is_refused_and_none_is_that_of_the_JVM() throws IOException {
        Handler handler = handler(Map.of("encoding", "UTF-16LE"));
        assertThatThrownBy(() -> handler.setEncoding("UTF-16")).isInstanceOf(UnsupportedEncodingException.class);
        assertThat(handler.getEncoding()).isEqualTo("UTF-16LE");
        handler.setEncoding(null);
        logger(handler).info("order 1");
        handler.close();
        assertThat(lines("a.log")).containsExactly("INFO order 1");
    }

    @Test
    void a_handler_that_cannot_be_used_names_all_reasons_and_each_call_throws() throws IOException {
        String burst = BurstHandler.class.getName();
        configure("handlers = " + burst + "\n"
                + properties(burst, "a.log", "*.onFull = never\n*.keepFiles = 3\n*.filter = no.Such"));
        for (int i = 0; i < 2; i++) {
            assertThatThrownBy(() -> Logger.getLogger("orders").info("order 1"))
                    .isInstanceOf(BurstException.class)
                    .hasMessageContaining("its handler is not open: 3 things are wrong")
                    .hasMessageContainingAll("onFull=\"never\"", "keepFiles says nothing", "no.Such");
        }
        assertThat(told()).hasSize(2).first().asString().contains("It is not open: 3 things are wrong");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void a_record_that_is_not_logged_throws_and_the_next_is_logged() throws IOException {
        Logger logger = logger(handler(Map.of("maxRecordSize", "1 KB")));
        assertThatThrownBy(() -> logger.info("x".repeat(2000)))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("more than the 1024 bytes");
        assertThatThrownBy(() -> logger.info("bad order")).hasMessage("cannot be formatted");
        logger.info("order 1");
        logger.getHandlers()[0].close();
        assertThat(lines("a.log")).containsExactly("INFO order 1");
        assertThat(told()).hasSize(2);
    }

    @Test
    void without_failClosed_only_the_ErrorManager_is_told() throws IOException {
        Logger logger = logger(handler(Map.of("maxRecordSize", "1 KB", "failClosed", "false")));
        logger.info("x".repeat(2000));
        logger.info("order 1");
        logger.getHandlers()[0].close();
        assertThat(lines("a.log")).containsExactly("INFO order 1");
        assertThat(told()).singleElement().asString().contains("1024");
    }

    @Test
    void what_the_ring_tells_reaches_the_ErrorManager() {
        BurstHandler handler = handler(Map.of("onFull", "discard"));
        Logger logger = logger(handler);
        String large = "x".repeat(700_000); // the ring has room for five of these; the drain is slower
        for (int i = 0; i < 1000 && told().isEmpty(); i++) {
            logger.info(large);
        }
        assertThat(told()).first().asString().contains(BurstHandler.class.getName() + ": an event was discarded");
        handler.close();
    }

    @Test
    void a_record_after_close_throws() {
        BurstHandler handler = handler(Map.of());
        handler.close();
        handler.close();
        assertThatThrownBy(() -> logger(handler).info("order 1"))
                .isInstanceOf(BurstException.class)
                .extracting(failure -> ((BurstException) failure).code())
                .isEqualTo(BurstException.Code.CLOSED);
        assertThat(told()).hasSize(1);
    }

    @Test
    void what_is_accepted_is_durable_after_flush() throws IOException {
        BurstHandler handler = handler(Map.of("ack", "enqueued"));
        logger(handler).info("order 1");
        handler.flush();
        handler.close();
        assertThat(lines("a.log")).containsExactly("INFO order 1");
        assertThat(told()).isEmpty();
    }

    @Test
    void a_head_begins_a_new_file_and_a_tail_ends_each_run() throws IOException {
        for (int run = 1; run <= 2; run++) {
            Handler handler = handler(Map.of("formatter", XMLFormatter.class.getName()));
            logger(handler).info("run " + run);
            handler.close();
        }
        String text = Files.readString(folder.resolve("a.log"));
        assertThat(text.split("<\\?xml", -1)).hasSize(2);
        assertThat(text.split("</log>", -1)).hasSize(3);
        assertThat(text).contains("run 1", "run 2");
    }

    @Test
    void files_end_by_size_and_hold_each_line_once() throws IOException {
        BurstHandler handler = handler(Map.of(
                "rollPattern", folder.resolve("old/a-%i.log").toString(), "rollSize", "1 KB", "keepFiles", "100"));
        Logger logger = logger(handler);
        List<String> expected = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            logger.info("order " + i);
            expected.add("INFO order " + i);
        }
        handler.close();
        List<String> lines = new ArrayList<>(lines("old/a-1.log"));
        assertThat(Files.size(folder.resolve("old/a-1.log"))).isBetween(900L, 1024L);
        lines.addAll(lines("a.log"));
        assertThat(lines).isEqualTo(expected);
        assertThat(told()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "file | '' | the property file is missing",
                "ringsize | 1 MB | the property \"ringsize\" is unknown",
                "ringSize | 1,5 MB | ringSize=\"1,5 MB\" cannot be used",
                "blockTimeout | 0 | blockTimeout=\"0\" cannot be used",
                "blockTimeout | soon | blockTimeout=\"soon\" cannot be used",
                "ring | ${user.home}/a | a variable in it is not defined",
                "filePermissions | rw | use nine characters",
                "encoding | klingon | encoding=\"klingon\"",
                "encoding | UTF-16 | encoding=\"UTF-16\"",
                "formatter | java.lang.String | is a Formatter",
                "level | LOUD | use the name of a level",
                "failClosed | maybe | use \"true\" or \"false\"",
            })
    void what_cannot_be_used_is_named(String property, String value, String sentence) {
        handler(Map.of(property, value)).close();
        assertThat(told()).singleElement().asString().contains(sentence);
        assertThat(folder).isEmptyDirectory();
    }

    /** A formatter whose head fails, too. */
    public static final class HeadlessFormatter extends SimpleFormatter {
        /** For the LogManager. */
        public HeadlessFormatter() {}

        @Override
        public String getHead(Handler handler) {
            throw new IllegalStateException("no head");
        }
    }

    @Test
    void a_formatter_without_a_head_does_not_make_the_LogManager_go_on_without_the_handler() throws IOException {
        String burst = BurstHandler.class.getName();
        configure("handlers = " + burst + "\n" + properties(burst, "a.log", "") + burst + ".formatter = "
                + HeadlessFormatter.class.getName());
        assertThatThrownBy(() -> Logger.getLogger("orders").info("order 1"))
                .isInstanceOf(BurstException.class)
                .hasMessageContaining("no head");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.log.%i", "a.log.burst-%i"})
    void a_pattern_that_makes_the_name_of_a_log_that_cannot_go_on_is_refused(String pattern) {
        handler(Map.of("rollPattern", folder.resolve(pattern).toString(), "rollSize", "1 KB"))
                .close();
        assertThat(told()).singleElement().asString().contains("gets such a name itself", "let it have more");
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void a_head_and_rolling_exclude_each_other() {
        handler(Map.of("formatter", XMLFormatter.class.getName(), "rollPattern", "a-%i.log"))
                .close();
        assertThat(told()).singleElement().asString().contains("cannot be used with rollPattern");
    }
}
