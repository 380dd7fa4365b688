// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstConfig;
import io.burstlog.BurstException;
import io.burstlog.BurstLog;
import io.burstlog.RingFailedException;
import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.LogRecordProcessor;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.logs.export.SimpleLogRecordProcessor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class BurstLogRecordExporterTest {

    private static final int RECORDS = 300;
    private static final int KILLS = 2;

    @TempDir
    Path folder;

    private final List<String> told = new ArrayList<>();

    private Map<String, String> settings(String... more) {
        Map<String, String> settings = new HashMap<>(Map.of(
                "ring",
                folder.resolve("otel.ring").toString(),
                "ringSize",
                "4 MB",
                "shutdownTimeout",
                "1 min",
                "file",
                file().toString()));
        for (int i = 0; i < more.length; i += 2) {
            settings.put(more[i], more[i + 1]);
        }
        return settings;
    }

    private Path file() {
        return folder.resolve("otel.jsonl");
    }

    private BurstLogRecordExporter open(String... more) {
        return BurstLogRecordExporter.open(settings(more), event -> told.add(event.severity() + " " + event.text()));
    }

    private static CompletableResultCode done(CompletableResultCode result) {
        assertThat(result.join(60, TimeUnit.SECONDS).isDone()).isTrue();
        return result;
    }

    private static List<String> bodies(String prefix, int count) {
        return IntStream.range(0, count).mapToObj(number -> prefix + number).toList();
    }

    /** Counts the records of the exports that have succeeded. */
    private static final class Counting implements LogRecordExporter {
        private final LogRecordExporter behind;
        private final List<CompletableResultCode> results = new ArrayList<>();

        Counting(LogRecordExporter behind) {
            this.behind = behind;
        }

        @Override
        public synchronized CompletableResultCode export(Collection<LogRecordData> logs) {
            CompletableResultCode result = behind.export(logs);
            results.add(result);
            return result;
        }

        @Override
        public CompletableResultCode flush() {
            return behind.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return behind.shutdown();
        }
    }

    private void logThrough(
            Function<LogRecordExporter, LogRecordProcessor> processor,
            BiFunction<SdkLoggerProvider, LogRecordExporter, CompletableResultCode> flush)
            throws IOException {
        Counting exporter = new Counting(open());
        SdkLoggerProvider provider = SdkLoggerProvider.builder()
                .addLogRecordProcessor(processor.apply(exporter))
                .build();
        Logger logger = provider.get("orders");
        for (int number = 0; number < RECORDS; number++) {
            logger.logRecordBuilder().setBody("order " + number).emit();
        }
        assertThat(done(flush.apply(provider, exporter)).isSuccess()).isTrue();
        assertThat(exporter.results).isNotEmpty().allMatch(CompletableResultCode::isSuccess);
        assertThat(done(provider.shutdown()).isSuccess()).isTrue();
        assertThat(Otlp.bodies(file())).isEqualTo(bodies("order ", RECORDS));
        assertThat(Otlp.lines(file())).hasSameSizeAs(exporter.results);
    }

    @Test
    void a_batch_processor_has_each_record_in_the_file_once() throws IOException {
        logThrough(
                exporter -> BatchLogRecordProcessor.builder(exporter)
                        .setMaxExportBatchSize(40)
                        .setScheduleDelay(Duration.ofMillis(10))
                        .build(),
                (provider, exporter) -> provider.forceFlush());
    }

    @Test
    void the_program_of_the_docs_logs() throws IOException {
        String ring = folder.resolve("otel.ring").toString();
        String file = file().toString();
        // doc: open
        LogRecordExporter exporter = BurstLogRecordExporter.open(Map.of("ring", ring, "file", file));
        SdkLoggerProvider provider = SdkLoggerProvider.builder()
                .addLogRecordProcessor(BatchLogRecordProcessor.builder(exporter).build())
                .build();
        // end
        provider.get("orders").logRecordBuilder().setBody("order 0").emit();
        assertThat(done(provider.shutdown()).isSuccess()).isTrue();
        assertThat(Otlp.bodies(file())).containsExactly("order 0");
    }

    @Test
    void a_simple_processor_has_each_record_in_the_file_once() throws IOException {
        // A flush or shutdown of this processor may wait for ever while results complete on another thread: it counts
        // them, and then looks through those that are left.
        logThrough(SimpleLogRecordProcessor::create, (provider, exporter) -> exporter.flush());
    }

    @Test
    void an_export_succeeds_when_its_batch_is_durable() throws Exception {
        BurstLogRecordExporter exporter = open();
        assertThat(done(exporter.export(Captured.bodies("order ", 3))).isSuccess())
                .isTrue();
        assertThat(done(exporter.flush()).isSuccess()).isTrue();
        assertThat(done(exporter.export(List.of())).isSuccess()).isTrue();
        assertThat(done(exporter.shutdown()).isSuccess()).isTrue();
        assertThat(Otlp.bodies(file())).isEqualTo(bodies("order ", 3));
        assertThat(told).noneMatch(sentence -> !sentence.startsWith("INFO"));
    }

    @Test
    void a_long_batch_becomes_several_lines() throws Exception {
        BurstLogRecordExporter exporter = open("maxRecordSize", "4 KB");
        assertThat(done(exporter.export(Captured.bodies("order ", 200))).isSuccess())
                .isTrue();
        done(exporter.shutdown());
        assertThat(Otlp.bodies(file())).isEqualTo(bodies("order ", 200));
        assertThat(Otlp.lines(file())).hasSizeGreaterThan(1);
    }

    @Test
    void a_record_that_is_too_long_fails_its_batch_with_the_reason() throws Exception {
        BurstLogRecordExporter exporter = open("maxRecordSize", "4 KB");
        List<LogRecordData> batch = new ArrayList<>(Captured.bodies("order ", 2));
        batch.addAll(Captured.bodies("x".repeat(5000), 1));
        CompletableResultCode result = done(exporter.export(batch));
        assertThat(result.isSuccess()).isFalse();
        assertThat(result.getFailureThrowable()).hasMessageContaining("maxRecordSize");
        assertThat(done(exporter.shutdown()).isSuccess()).isTrue();
        assertThat(file()).isEmptyFile();
    }

    @Test
    void an_export_after_the_shutdown_fails() {
        BurstLogRecordExporter exporter = open();
        CompletableResultCode end = done(exporter.shutdown());
        assertThat(exporter.shutdown()).isSameAs(end);
        assertThat(exporter.flush()).isSameAs(end);
        CompletableResultCode late = done(exporter.export(Captured.bodies("order ", 1)));
        assertThat(late.isSuccess()).isFalse();
        assertThat(((BurstException) late.getFailureThrowable()).code()).isEqualTo(BurstException.Code.CLOSED);
    }

    /** Keeps the thread that completes results until the gate opens: what is exported from now on stays under way. */
    private static void hold(BurstLogRecordExporter exporter, CountDownLatch gate) throws InterruptedException {
        Thread caller = Thread.currentThread();
        CountDownLatch held = new CountDownLatch(1);
        AtomicBoolean isTooLate = new AtomicBoolean();
        do {
            isTooLate.set(false);
            exporter.export(Captured.bodies("held ", 1)).whenComplete(() -> {
                if (Thread.currentThread() == caller) {
                    isTooLate.set(true); // the batch was durable before this was registered
                } else {
                    held.countDown();
                    awaitOpen(gate);
                }
            });
        } while (isTooLate.get());
        assertThat(held.await(60, TimeUnit.SECONDS)).isTrue();
    }

    private static void awaitOpen(CountDownLatch gate) {
        try {
            gate.await();
        } catch (InterruptedException nobodyInterrupts) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void batches_under_way_are_decided_by_the_shutdown() throws Exception {
        BurstLogRecordExporter exporter = open();
        CountDownLatch gate = new CountDownLatch(1);
        hold(exporter, gate);
        List<CompletableResultCode> results = new ArrayList<>();
        for (int number = 0; number < 50; number++) {
            results.add(exporter.export(Captured.bodies("order ", 1)));
        }
        CompletableResultCode end = exporter.shutdown();
        gate.countDown();
        assertThat(done(end).isSuccess()).isTrue();
        assertThat(results).allMatch(result -> done(result).isSuccess());
        assertThat(Otlp.bodies(file())).filteredOn("order 0"::equals).hasSize(50);
    }

    @Test
    void an_action_of_a_caller_that_throws_ends_no_thread() throws Exception {
        BurstLogRecordExporter exporter = open();
        CountDownLatch gate = new CountDownLatch(1);
        hold(exporter, gate);
        exporter.export(Captured.bodies("order ", 1)).whenComplete(() -> {
            throw new IllegalStateException("of a caller");
        });
        CompletableResultCode next = exporter.export(Captured.bodies("order ", 1));
        gate.countDown();
        assertThat(done(next).isSuccess()).isTrue();
        assertThat(done(exporter.flush()).isSuccess()).isTrue();
        assertThat(done(exporter.shutdown()).isSuccess()).isTrue();
    }

    @Test
    void after_the_ring_has_failed_each_export_flush_and_shutdown_fails() throws Exception {
        BurstLogRecordExporter exporter = open();
        assertThat(done(exporter.export(Captured.bodies("order ", 1))).isSuccess())
                .isTrue();
        List<CompletableResultCode> results = new ArrayList<>();
        pullTheDisk();
        try {
            results.add(exporter.export(Captured.bodies("lost ", 1)));
            results.add(exporter.flush());
            results.forEach(BurstLogRecordExporterTest::done);
        } finally {
            limitFiles("unlimited");
        }
        results.add(done(exporter.export(Captured.bodies("lost ", 1))));
        assertThat(results).noneMatch(CompletableResultCode::isSuccess);
        assertThat(results)
                .extracting(CompletableResultCode::getFailureThrowable)
                .allMatch(RingFailedException.class::isInstance);
        assertThat(done(exporter.shutdown()).isSuccess()).isFalse();
    }

    /** Each write of this process fails with EFBIG. */
    private static void pullTheDisk() throws Exception {
        if (!limitFiles("1")) {
            System.err.println("SKIPPED: prlimit cannot make the writes of this process fail");
            Assumptions.abort("prlimit cannot make the writes of this process fail");
        }
    }

    private static boolean limitFiles(String bytes) throws Exception {
        String pid = Long.toString(ProcessHandle.current().pid());
        Process prlimit = new ProcessBuilder("prlimit", "--pid", pid, "--fsize=" + bytes + ":")
                .inheritIO()
                .start();
        return prlimit.waitFor() == 0;
    }

    @Test
    void a_setting_that_cannot_be_used_is_told() {
        assertThatThrownBy(() -> open("ack", "enqueued")).hasMessageContaining("ack cannot be set");
        assertThatThrownBy(() -> open("ringsize", "1 MB")).hasMessageContaining("ringsize");
        assertThatThrownBy(() -> BurstLogRecordExporter.open(Map.of())).hasMessageContaining("file");
    }

    @Test
    void a_batch_whose_export_succeeded_is_in_the_file_once_after_kills() throws Exception {
        int acknowledged = 0;
        for (int run = 0; run < KILLS; run++) {
            acknowledged += KilledExporter.kill(folder, settings(), 60 + 30 * run);
        }
        // The next open moves what the last run left in the ring.
        done(open().shutdown());
        List<String> bodies = Otlp.bodies(file());
        assertThat(bodies).doesNotHaveDuplicates();
        assertThat(bodies).containsAll(KilledExporter.acknowledged(folder));
        assertThat(acknowledged)
                .isEqualTo(KilledExporter.acknowledged(folder).size())
                .isGreaterThan(100);
        assertThat(bodies).hasSizeLessThanOrEqualTo(acknowledged + KILLS * KilledExporter.UNDER_WAY);
    }

    @Test
    void another_process_may_not_have_the_file_meanwhile() {
        BurstLogRecordExporter exporter = open();
        assertThatThrownBy(() -> BurstLog.open(BurstConfig.builder()
                        .ring(folder.resolve("otel.ring").toString())
                        .build()))
                .isInstanceOf(BurstException.class);
        done(exporter.shutdown());
        assertThat(Files.exists(file())).isTrue();
    }
}
