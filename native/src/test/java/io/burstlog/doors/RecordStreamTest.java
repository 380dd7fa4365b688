// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstConsumer;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.ConsumedRecords;
import io.burstlog.Segments;
import io.burstlog.jmx.RingMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.stream.IntStream;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.StandardMBean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordStreamTest {

    private static final MBeanServer CLIENTS = ManagementFactory.getPlatformMBeanServer();

    @TempDir
    Path folder;

    private final FakeHolder holder = new FakeHolder("log");

    private StreamTerms terms(String file, String... more) {
        SortedMap<String, String> texts = new TreeMap<>(Map.of(
                "ring",
                folder.resolve("app.ring").toString(),
                "ringSize",
                "4 MB",
                "shutdownTimeout",
                "5 min",
                "file",
                folder.resolve(file).toString()));
        for (int i = 0; i < more.length; i += 2) {
            texts.put(more[i], more[i + 1]);
        }
        Settings settings = new Settings(texts, Wording.of("setting"));
        StreamTerms terms = RecordTerms.read(settings, null);
        assertThat(settings.complaints()).isNull();
        return terms;
    }

    private RecordStream open(String file, String... more) {
        return RecordStream.open(terms(file, more), holder);
    }

    private static void append(RecordStream sink, String line) {
        sink.append((line + "\n").getBytes(StandardCharsets.UTF_8), true);
    }

    @Test
    void the_last_of_a_ring_closes_it() throws IOException {
        RecordStream first = open("a.log");
        RecordStream second = open("b.log");
        first.close(() -> null);
        append(second, "order 1");
        assertThatThrownBy(this::openFromElsewhere).hasMessageContaining("app.ring");
        second.close(() -> null);
        openFromElsewhere();
        assertThat(folder.resolve("b.log")).hasContent("order 1");
    }

    @Test
    void segments_receive_the_records_for_consumers() {
        String segments = folder.resolve("a.segments").toString();
        RecordStream sink = open("a.log", "segments", segments);
        append(sink, "order 1");
        sink.close(() -> null);
        try (BurstConsumer consumer = BurstConsumer.open(segments, "reader")) {
            ConsumedRecords records = consumer.poll(4096, Duration.ofSeconds(60));
            assertThat(records.next()).isTrue();
            assertThat(StandardCharsets.UTF_8.decode(records.data()).toString()).isEqualTo("order 1\n");
        }
    }

    @Test
    void the_limit_of_segments_is_what_the_settings_say() {
        String segments = folder.resolve("a.segments").toString();
        assertThat(terms("a.log", "segments", segments, "segmentsLimit", "1 GB")
                        .config()
                        .segments())
                .isEqualTo(Segments.in(segments).limitBytes(1L << 30));
        assertThat(terms("a.log", "segments", segments, "segmentsLimit", "1 GB", "segmentsOverLimit", "release")
                        .config()
                        .segments())
                .isEqualTo(Segments.in(segments).limitBytes(1L << 30).release(true));
    }

    @Test
    void a_thread_of_a_client_meets_no_exception() {
        RecordStream sink = open("a.log");
        sink.close(() -> null);
        long sequence = ClientThreads.call(() -> sink.append(new byte[1], true));
        assertThat(sequence).isZero();
        assertThatThrownBy(() -> append(sink, "order 1")).isInstanceOf(BurstException.class);
    }

    /** Its first worker is made by the client, and hands its group to those that it makes itself. */
    @Test
    void a_task_of_the_common_pool_is_no_clients() {
        CompletableFuture<Boolean> isOne = new CompletableFuture<>();
        ClientThreads.call(() -> {
            ForkJoinPool.commonPool().execute(() -> isOne.complete(ClientThreads.isOne()));
            return null;
        });
        assertThat(isOne.join()).isFalse();
        assertThat(ClientThreads.<Boolean>call(ClientThreads::isOne)).isTrue();
    }

    @Test
    void a_call_cannot_wait_for_a_copy_that_nobody_keeps() {
        assertThatThrownBy(() -> open("a.log", "ack", "copied"))
                .hasMessageContaining("nothing keeps a copy of the ring " + folder.resolve("app.ring"));
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void a_log_file_has_an_index_only_if_the_settings_say_so() {
        assertThat(terms("a.log").config().index()).isFalse();
        assertThat(terms("a.log", "index", "true").config().index()).isTrue();
    }

    private void openFromElsewhere() {
        BurstLog.open(BurstConfig.builder()
                        .ring(folder.resolve("app.ring").toString())
                        .build())
                .close();
    }

    @Test
    void a_ring_is_known_by_its_one_name() throws IOException {
        RecordStream first = open("a.log");
        Path link = Files.createSymbolicLink(folder.resolve("link"), folder);
        RecordStream second = open("b.log", "ring", link.resolve("app.ring").toString());
        second.close(() -> null);
        first.close(() -> null);
    }

    @Test
    void one_that_is_refused_leaves_the_ring_to_the_others() throws IOException {
        RecordStream first = open("a.log");
        FakeHolder second = new FakeHolder("second");
        StreamTerms other = terms("b.log", "drainInterval", "1 s");
        assertThatThrownBy(() -> RecordStream.open(other, second))
                .hasMessageContaining("app.ring is open already, as log of log.xml says, and second of second.xml says")
                .hasMessageContaining("drainInterval is at its default there and \"1 s\" here");
        StreamTerms same = terms("a.log");
        assertThatThrownBy(() -> RecordStream.open(same, second))
                .hasMessageContaining(
                        "a.log is open already, by log of log.xml, and second of second.xml cannot write");
        append(first, "order 1");
        first.close(() -> null);
        openFromElsewhere();
        assertThat(folder.resolve("a.log")).hasContent("order 1");
        assertThat(folder.resolve("b.log")).doesNotExist();
    }

    @Test
    void management_clients_see_ring_and_log_files_as_long_as_they_are_open() throws Exception {
        RecordStream first = open("a.log");
        RecordStream second = open("b.log");
        append(second, "order 1");
        assertThat(shown("Ring")).hasSize(1);
        assertThat(shown("Stream")).hasSize(2);
        ObjectName ring = shown("Ring").iterator().next();
        assertThat(CLIENTS.getAttribute(ring, "AcceptedSequence")).isEqualTo(1L);
        first.close(() -> null);
        assertThat(shown("Stream")).singleElement().asString().contains("b.log");
        second.close(() -> null);
        assertThat(shown("Ring")).isEmpty();
        assertThat(shown("Stream")).isEmpty();
    }

    @Test
    void what_cannot_be_shown_works_and_is_told() throws Exception {
        RecordStream first = open("a.log");
        ObjectName ring = shown("Ring").iterator().next();
        first.close(() -> null);
        CLIENTS.registerMBean(new StandardMBean((Runnable) () -> {}, Runnable.class), ring);
        try {
            RecordStream sink = open("a.log");
            append(sink, "order 1");
            sink.close(() -> null);
        } finally {
            CLIENTS.unregisterMBean(ring);
        }
        assertThat(holder.warnings())
                .singleElement()
                .asString()
                .contains("app.ring is not shown to management clients");
        assertThat(folder.resolve("a.log")).hasContent("order 1");
    }

    @Test
    void a_record_is_awaited_unless_nobody_waits_for_it_or_it_is_only_enqueued() throws JMException {
        RecordStream durable = open("a.log");
        RecordStream enqueued = open("b.log", "ack", "enqueued");
        RingMXBean ring = JMX.newMXBeanProxy(CLIENTS, shown("Ring").iterator().next(), RingMXBean.class);
        append(durable, "order 1");
        assertThat(ring.getCommitWait().getCount()).isOne();
        durable.append("order 2\n".getBytes(StandardCharsets.UTF_8), false);
        append(enqueued, "order 3");
        assertThat(ring.getCommitWait().getCount()).isOne();
        durable.close(() -> null);
        enqueued.close(() -> null);
    }

    /** The rings, or log files, of this test that management clients see. */
    private Set<ObjectName> shown(String type) throws JMException {
        String ring = "Ring".equals(type) ? "name" : "ring";
        String pattern = "io.burstlog:type=" + type + ',' + ring + "=\"" + folder + "/*\",*";
        return CLIENTS.queryNames(new ObjectName(pattern), null);
    }

    @Test
    void without_a_name_of_a_ring_it_lies_beside_the_file() {
        open("a.log", "ring", "").close(() -> null);
        assertThat(folder.resolve("burstlog.ring")).exists();
    }

    @Test
    void many_open_and_close_one_ring_at_once() throws Exception {
        List<Thread> threads = IntStream.range(0, 4)
                .mapToObj(number -> new Thread(() -> {
                    for (int i = 0; i < 4; i++) {
                        RecordStream sink = open(number + ".log");
                        append(sink, "line " + i);
                        sink.close(() -> null);
                    }
                }))
                .toList();
        threads.forEach(Thread::start);
        for (Thread thread : threads) {
            thread.join();
        }
        openFromElsewhere();
        String all = String.join(
                        "\n", IntStream.range(0, 4).mapToObj(i -> "line " + i).toList()) + "\n";
        for (int number = 0; number < 4; number++) {
            assertThat(folder.resolve(number + ".log")).hasContent(all);
        }
    }

    @Test
    void discarded_events_are_told_to_the_operator_and_last_bytes_still_written() {
        RecordStream sink = open("a.log", "onFull", "discard");
        byte[] large = new byte[700_000];
        // The ring takes five of these; the drain cannot be as fast as this.
        for (int i = 0; i < 1000 && holder.told.stream().noneMatch(RecordStreamTest::tellsOfDiscard); i++) {
            sink.append(large, false);
        }
        assertThat(holder.told).anyMatch(RecordStreamTest::tellsOfDiscard);
        sink.close(() -> "end".getBytes(StandardCharsets.UTF_8));
        assertThat(folder.resolve("a.log").toFile().length() % large.length).isEqualTo(3);
    }

    private static boolean tellsOfDiscard(String sentence) {
        return sentence.startsWith("ERROR an event was discarded, because the ring ");
    }

    @Test
    void a_closed_one_throws_and_is_closed_whatever_its_last_bytes_are() {
        RecordStream sink = open("a.log");
        assertThat(sink.close(() -> {
                    throw new IllegalStateException("no footer");
                }))
                .isFalse();
        assertThat(holder.told).containsExactly("ERROR not everything could be written at stop: no footer");
        openFromElsewhere();
        assertThatThrownBy(() -> append(sink, "late"))
                .isInstanceOf(BurstException.class)
                .extracting(failure -> ((BurstException) failure).code())
                .isEqualTo(BurstException.Code.CLOSED);
    }
}
