// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.jmx.RingMXBean;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import javax.management.JMX;
import javax.management.ObjectName;
import org.apache.logging.log4j.Level;
import org.apache.logging.log4j.core.appender.AppenderLoggingException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The promise {@code ack="copied"}, and the element that keeps the copy. */
@Timeout(120)
class CopyElementTest {

    private static final String BOOKKEEPER =
            "<BookKeeper><Property name=\"metadataServiceUri\">zk://here/ledgers</Property></BookKeeper>";
    private static final String COPIED = "ack=\"copied\" ";
    private static final String SOON = "blockTimeout=\"50 ms\" ";

    @TempDir
    Path temporary;

    private OrdersDirectory directory;
    private MemoryCopy copy;

    @BeforeEach
    void chooseDirectory() {
        directory = new OrdersDirectory(temporary);
        copy = MemoryCopy.come();
    }

    @AfterEach
    void leaveTheOtherTestsWithoutCopies() {
        MemoryCopy.go();
    }

    private String xml(final String attributes, final String elements) {
        return RunningLog4j.xml(burst(attributes, elements));
    }

    private String burst(final String attributes, final String elements) {
        return directory.burst("io=\"pwrite\" " + attributes, OrdersDirectory.MESSAGE + elements);
    }

    private RunningLog4j with(final String attributes, final String elements) {
        return RunningLog4j.with(xml(attributes, elements));
    }

    private String second(final String attributes, final String elements) {
        return burst(attributes, elements).replace("\"Orders\"", "\"Second\"").replace("orders.log", "second.log");
    }

    private static CompletableFuture<Void> info(final RunningLog4j log4j, final String text) {
        return CompletableFuture.runAsync(() -> log4j.logger().info(text), task -> new Thread(task).start());
    }

    private static void awaitEnd(final CompletableFuture<Void> call) throws Exception {
        call.get(Patience.TIME.toSeconds(), TimeUnit.SECONDS);
    }

    private static void assertThatItWaits(final CompletableFuture<Void> call) {
        Patience.await().until(() -> call.isDone() || oneWaitsForTheCopy());
        assertThat(call).isNotDone();
    }

    private static boolean oneWaitsForTheCopy() {
        return Thread.getAllStackTraces().values().stream()
                .flatMap(Arrays::stream)
                .anyMatch(frame -> frame.getClassName().equals("io.burstlog.doors.RingCopy")
                        && frame.getMethodName().equals("await"));
    }

    private void awaitCopied(final String line) {
        Patience.await().until(() -> copy.lines().contains(line + "\n"));
    }

    @Test
    void a_call_returns_when_ring_and_copy_have_its_event_and_below_the_level_at_once() throws Exception {
        try (RunningLog4j log4j = with(COPIED + "ackLevel=\"INFO\"", BOOKKEEPER)) {
            log4j.logger().info("order 1");
            assertThat(copy.lines()).containsExactly("order 1\n");
            copy.hold();
            log4j.logger().debug("nobody waits");
            final CompletableFuture<Void> call = info(log4j, "order 2");
            awaitCopied("order 2");
            assertThatItWaits(call);
            copy.release();
            awaitEnd(call);
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
        assertThat(directory.lines()).containsExactly("order 1", "nobody waits", "order 2");
        assertThat(copy.request().properties()).isEqualTo(Map.of("metadataServiceUri", "zk://here/ledgers"));
        assertThat(copy.request().settings()).isEmpty();
        assertThat(copy.request().ring()).isEqualTo(directory.ring().toString());
        assertThat(copy.request().ringId()).hasSize(32);
    }

    @Test
    void with_ack_durable_no_call_waits_and_the_copy_gets_the_events_all_the_same() {
        copy.hold();
        try (RunningLog4j log4j = with("", BOOKKEEPER)) {
            log4j.logger().info("order 1");
            awaitCopied("order 1");
            copy.release();
        }
        assertThat(directory.lines()).containsExactly("order 1");
    }

    @Test
    void while_the_copy_is_away_a_call_throws_behind_block_timeout_and_its_event_is_logged_once() {
        copy.reach(false);
        try (RunningLog4j log4j = with(COPIED + SOON, BOOKKEEPER)) {
            assertThatThrownBy(() -> log4j.logger().info("order 1"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageContaining("record 1 is durable in the ring " + directory.ring())
                    .hasMessageContaining("its copy, <BookKeeper>, did not confirm it within blockTimeout, 50 ms")
                    .hasMessageContaining("do not log it again")
                    .cause()
                    .isInstanceOfSatisfying(
                            BurstException.class,
                            cause -> assertThat(cause.code()).isEqualTo(BurstException.Code.NOT_COPIED));
            copy.reach(true);
            awaitCopied("order 1");
            assertThat(log4j.status(Level.ERROR))
                    .anyMatch(line -> line.contains("did not confirm it"))
                    .noneMatch(line -> line.contains("not logged"));
        }
        assertThat(directory.lines()).containsExactly("order 1");
        assertThat(copy.lines()).containsExactly("order 1\n");
    }

    @Test
    void a_copy_that_may_be_away_holds_up_no_call_and_the_operator_is_told() {
        copy.reach(false);
        try (RunningLog4j log4j = with(COPIED + "copyAway=\"degrade\"", BOOKKEEPER)) {
            log4j.logger().info("order 1");
            log4j.awaitDrained();
            assertThat(log4j.status(Level.ERROR)).anyMatch(line -> line.contains("copy BookKeeper of ring"));
        }
        assertThat(directory.lines()).containsExactly("order 1");
    }

    @Test
    void management_tells_where_the_copy_is_once_it_was_reached() throws Exception {
        copy.reach(false);
        try (RunningLog4j log4j = with("", BOOKKEEPER)) {
            final RingMXBean shown = JMX.newMXBeanProxy(
                    ManagementFactory.getPlatformMBeanServer(),
                    new ObjectName("io.burstlog:type=Ring,name=\"" + directory.ring() + "\""),
                    RingMXBean.class);
            assertThat(shown.getCopyPlace()).isNull();
            copy.reach(true);
            log4j.logger().info("order 1");
            awaitCopied("order 1");
            assertThat(shown.getCopyPlace()).isEqualTo("memory of 2");
        }
    }

    @Test
    void a_weaker_copy_than_asked_for_is_refused() {
        try (RunningLog4j log4j = with(
                COPIED + SOON,
                BOOKKEEPER.replace("<Book", "<Book").replace("<BookKeeper>", "<BookKeeper atLeast=\"disk of 2\">"))) {
            assertThatThrownBy(() -> log4j.logger().info("order 1")).hasMessageContaining("do not log it again");
            assertThat(log4j.status(Level.WARN)).anyMatch(line -> line.contains("disk of 2"));
        }
    }

    @Test
    void a_failover_does_not_log_an_event_again_that_lacks_its_copy_alone() throws Exception {
        copy.reach(false);
        final Path other = temporary.resolve("other.log");
        final String xml = RunningLog4j.xml(
                burst(COPIED + SOON, BOOKKEEPER) + "<File name=\"Other\" fileName=\"" + other
                        + "\"><PatternLayout pattern=\"%m%n\"/></File>"
                        + "<Failover name=\"Safe\" primary=\"Orders\" ignoreExceptions=\"false\"><Failovers>"
                        + "<AppenderRef ref=\"Other\"/></Failovers></Failover>",
                "<Root level=\"all\"><AppenderRef ref=\"Safe\"/></Root>");
        try (RunningLog4j log4j = RunningLog4j.with(xml)) {
            assertThatThrownBy(() -> log4j.logger().info("order 1"))
                    .isInstanceOf(AppenderLoggingException.class)
                    .hasMessageContaining("do not log it again");
            copy.reach(true);
            awaitCopied("order 1");
            log4j.logger().info("order 2");
        }
        assertThat(directory.lines()).containsExactly("order 1", "order 2");
        assertThat(other).hasContent("");
    }

    @Test
    void a_log_call_of_the_copiers_own_thread_waits_for_nothing() {
        try (RunningLog4j log4j = with(COPIED, BOOKKEEPER)) {
            copy.atSend(() -> log4j.logger().info("from the client"));
            log4j.logger().info("order 1");
            awaitCopied("from the client");
        }
        assertThat(directory.lines()).containsExactly("order 1", "from the client");
    }

    /** A roll waits for space in the ring, which the ring gets when the copier goes on. */
    @Test
    void the_copiers_own_thread_rolls_no_file() {
        final String rolling = " filePattern=\"" + temporary.resolve("orders-%i.log") + "\"";
        final String policies = "<SizeBasedTriggeringPolicy size=\"1\"/>";
        try (RunningLog4j log4j = with(rolling, BOOKKEEPER + policies)) {
            copy.atSend(() -> {
                Patience.await().until(() -> log4j.orders().getManager().getFileSize() > 0); // a roll is due
                log4j.logger().info("from the client");
            });
            log4j.logger().info("order 1");
            awaitCopied("from the client");
        }
        assertThat(directory.lines()).containsExactly("order 1", "from the client");
    }

    @Test
    void a_stop_waits_for_calls_that_wait_and_their_events_are_logged_and_copied_once() throws Exception {
        copy.reach(false);
        final CompletableFuture<Void> call;
        try (RunningLog4j log4j = with(COPIED + "blockTimeout=\"1 s\" shutdownTimeout=\"2 s\"", BOOKKEEPER)) {
            call = info(log4j, "order 1");
            Patience.await().until(() -> log4j.orders().ring().log().durableSequence() >= 1);
        }
        assertThatThrownBy(() -> awaitEnd(call))
                .isInstanceOf(ExecutionException.class)
                .hasMessageContaining("do not log it again");
        copy.reach(true);
        try (RunningLog4j log4j = with(COPIED, BOOKKEEPER)) {
            log4j.logger().info("order 2");
        }
        assertThat(directory.lines()).containsExactly("order 1", "order 2");
        assertThat(copy.lines()).containsExactly("order 1\n", "order 2\n");
    }

    @Test
    void appenders_of_one_ring_have_one_copy_and_each_its_own_ack() throws Exception {
        final String both = burst(COPIED, BOOKKEEPER) + second("", "");
        final String loggers =
                "<Logger name=\"second\" level=\"all\" additivity=\"false\"><AppenderRef ref=\"Second\"/>"
                        + "</Logger><Root level=\"all\"><AppenderRef ref=\"Orders\"/></Root>";
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(both, loggers))) {
            copy.hold();
            log4j.logger("second").info("nobody waits");
            final CompletableFuture<Void> call = info(log4j, "order 1");
            awaitCopied("order 1");
            assertThatItWaits(call);
            assertThat(copy.lines()).containsExactly("nobody waits\n", "order 1\n");
            copy.release();
            awaitEnd(call);
            try (RunningLog4j beside = RunningLog4j.with(RunningLog4j.xml(
                    second(COPIED, "").replace("second.log", "third.log").replace("\"Second\"", "\"Orders\"")))) {
                beside.logger().info("order 2");
                assertThat(copy.lines()).contains("order 2\n");
            }
            assertThat(log4j.status(Level.WARN)).isEmpty();
        }
    }

    @Test
    void who_says_something_else_of_the_copy_is_refused_and_no_value_of_a_property_is_told() {
        final String other = second(
                COPIED + "copyAway=\"degrade\"",
                BOOKKEEPER
                        .replace("<BookKeeper>", "<BookKeeper blockSize=\"64 KB\">")
                        .replace("here", "secret"));
        try (RunningLog4j first = with(COPIED, BOOKKEEPER);
                RunningLog4j beside = RunningLog4j.with(RunningLog4j.xml(other.replace("\"Second\"", "\"Orders\"")))) {
            assertThat(beside.status(Level.ERROR).get(0))
                    .contains("says something else")
                    .contains("copyAway is \"wait\" there and \"degrade\" here")
                    .contains("blockSize of <BookKeeper> is")
                    .contains(
                            "the property metadataServiceUri of <BookKeeper> is \"one value\" there and \"another\" here")
                    .doesNotContain("secret");
            first.logger().info("order 1");
        }
    }

    @Test
    void a_reconfiguration_that_asks_an_open_ring_for_a_copy_is_refused_and_goes_on_as_before() {
        try (RunningLog4j log4j = with("", "")) {
            log4j.reconfigure(xml(COPIED, BOOKKEEPER));
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR).get(0))
                    .contains("the change of its configuration is refused")
                    .contains("nothing keeps a copy of the ring " + directory.ring());
        }
        assertThat(directory.lines()).containsExactly("order 1");
        assertThat(copy.lines()).isEmpty();
    }

    @Test
    void a_reconfiguration_under_load_loses_and_doubles_nothing_in_log_and_copy() throws Exception {
        final LoadOfEvents load = new LoadOfEvents(3);
        final String[] configurations = {
            xml(COPIED, BOOKKEEPER), xml("", BOOKKEEPER), xml(COPIED + "blockTimeout=\"10 min\"", BOOKKEEPER)
        };
        final int[] count = {0};
        try (RunningLog4j log4j = RunningLog4j.with(configurations[0])) {
            load.logUnder(
                    () -> log4j.reconfigure(configurations[++count[0] % configurations.length]), 20, log4j.logger());
            assertThat(log4j.status(Level.WARN)).allMatch(line -> line.contains(" has been full for "));
        }
        load.assertExactlyOnceInOrder(directory.lines());
        load.assertExactlyOnceInOrder(
                copy.lines().stream().map(String::stripTrailing).toList());
    }

    @Test
    void what_makes_no_sense_is_refused_in_one_sentence() {
        assertThat(complaintAbout(COPIED, ""))
                .contains(
                        "ack=\"copied\" cannot be used, because nothing keeps a copy of the ring " + directory.ring());
        assertThat(directory.ring()).doesNotExist();
        assertThat(complaintAbout("copyAway=\"wait\"", ""))
                .contains("copyAway says nothing without an element that keeps the copy");
        assertThat(complaintAbout(COPIED + "copyAway=\"hope\"", BOOKKEEPER)).contains("use \"wait\" or \"degrade\"");
        assertThat(complaintAbout(COPIED, BOOKKEEPER + BOOKKEEPER))
                .contains("there are 2 elements that keep a copy, and a ring has one: remove <BookKeeper>");
        assertThat(complaintAbout(COPIED, "<BookKeeper/>")).contains("<BookKeeper>: metadataServiceUri is missing.");
        assertThat(complaintAbout(COPIED, "<KafkaCopy/>"))
                .contains("<KafkaCopy>: the attribute topic is missing: set it to a topic that is there");
        assertThat(complaintAbout(COPIED, "<KafkaCopy topic=\"copy\"/>"))
                .contains("<KafkaCopy>: burstlog-kafka or kafka-clients is not on the class path");
        assertThat(complaintAbout(COPIED, BOOKKEEPER.replace("<BookKeeper>", "<BookKeeper atLeast=\"paper of 2\">")))
                .contains("<BookKeeper>: atLeast=\"paper of 2\" cannot be used: use \"memory of 2\", \"disk of 2\"");
        assertThat(complaintAbout(COPIED + "drain=\"external\" window=\"" + temporary + "\"", BOOKKEEPER))
                .contains("copy=BookKeeper", "drain=external");
    }

    private String complaintAbout(final String attributes, final String elements) {
        try (RunningLog4j log4j = with(attributes, elements)) {
            assertThatThrownBy(() -> log4j.logger().info("order 1")).isInstanceOf(AppenderLoggingException.class);
            return log4j.status(Level.ERROR).get(0);
        }
    }

    @Test
    void among_the_appenders_it_says_where_it_belongs() {
        try (RunningLog4j log4j = RunningLog4j.with(RunningLog4j.xml(BOOKKEEPER + burst("", "")))) {
            log4j.logger().info("order 1");
            assertThat(log4j.status(Level.ERROR))
                    .anyMatch(line -> line.contains("have an effect in <Burst> alone: put one of them into"));
        }
        assertThat(directory.lines()).containsExactly("order 1");
    }
}
