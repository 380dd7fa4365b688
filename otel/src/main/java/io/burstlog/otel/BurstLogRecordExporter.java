// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import io.burstlog.BurstEvent;
import io.burstlog.BurstException;
import io.burstlog.RingFailedException;
import io.burstlog.doors.Holder;
import io.burstlog.doors.RecordStream;
import io.burstlog.doors.RecordTerms;
import io.burstlog.doors.Settings;
import io.burstlog.doors.StreamTerms;
import io.burstlog.doors.Wording;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * An exporter of OpenTelemetry: an export succeeds when its batch is durable.
 *
 * <pre>{@code
 * LogRecordExporter exporter = BurstLogRecordExporter.open(
 *         Map.of("ring", "/var/lib/gateway/orders.ring", "file", "logs/orders.jsonl"));
 * SdkLoggerProvider logs = SdkLoggerProvider.builder()
 *         .addLogRecordProcessor(BatchLogRecordProcessor.builder(exporter).build())
 *         .build();
 * }</pre>
 *
 * <p><b>Durability.</b> {@link #export} enqueues the batch and returns. Its result succeeds once the batch is durable
 * in the ring, and fails if it was not accepted or the ring failed. The drain moves the batch to the log file in the
 * background; after a crash the next start does so. A batch whose export succeeded is in the log file once.
 *
 * <p><b>Format.</b> A batch is a line of OTLP in JSON, as in the file exporter of the OpenTelemetry specification. A
 * batch that is longer than {@code maxRecordSize}, 1 MB by default, becomes several lines.
 *
 * <p><b>Thread safety.</b> Any thread may call any method at any time. Only {@link #export} may wait, and only for
 * space: when the ring is full, as {@code onFull} says.
 */
public final class BurstLogRecordExporter implements LogRecordExporter {

    private final RecordStream stream;
    private final PendingBatches pending;

    private BurstLogRecordExporter(RecordStream stream) {
        this.stream = stream;
        this.pending = PendingBatches.start(stream);
    }

    /**
     * Opens ring and log file; sentences for the operator go to {@link System#err}.
     *
     * @param settings the settings of docs/opentelemetry.md by their names
     * @return the open exporter
     * @throws BurstException if a setting cannot be used, or ring or log file cannot be opened
     */
    public static BurstLogRecordExporter open(Map<String, String> settings) {
        return open(settings, event -> {
            if (event.severity() != BurstEvent.Severity.INFO) {
                System.err.println("BurstLogRecordExporter: " + event.text());
            }
        });
    }

    /**
     * Opens ring and log file.
     *
     * @param settings the settings of docs/opentelemetry.md by their names
     * @param listener gets the sentences for the operator; it must not log through this exporter
     * @return the open exporter
     * @throws BurstException if a setting cannot be used, or ring or log file cannot be opened
     */
    public static BurstLogRecordExporter open(Map<String, String> settings, Consumer<BurstEvent> listener) {
        Settings reader = new Settings(new TreeMap<>(settings), Wording.of("setting"));
        if (reader.has("ack")) {
            reader.complain("ack cannot be set: an export succeeds when its batch is durable, and waits for nothing;"
                    + " remove it");
        }
        StreamTerms terms = RecordTerms.read(reader, RecordTerms.rolling(reader));
        if (terms == null) {
            throw new BurstException(BurstException.Code.INVALID_ARGUMENT, reader.complaints());
        }
        return new BurstLogRecordExporter(RecordStream.open(terms, new Operator(listener)));
    }

    /** Presents this exporter to the core of the doors. */
    private record Operator(Consumer<BurstEvent> listener) implements Holder {
        @Override
        public String name() {
            return BurstLogRecordExporter.class.getSimpleName();
        }

        @Override
        public String place() {
            return name() + " of a program";
        }

        @Override
        public void tell(BurstEvent.Severity severity, String sentence) {
            listener.accept(new BurstEvent(severity, Instant.now(), sentence));
        }

        @Override
        public void hear(BurstEvent event) {
            listener.accept(event);
        }
    }

    /**
     * Enqueues a batch.
     *
     * @param logs left as they are
     * @return succeeds when the batch is durable; fails, with the reason, if it was not accepted, if the ring failed
     *     before, or if the exporter was shut down. After a failure a part of the batch may be in the log file
     */
    @Override
    public CompletableResultCode export(Collection<LogRecordData> logs) {
        if (logs.isEmpty()) {
            return CompletableResultCode.ofSuccess();
        }
        try {
            List<byte[]> lines = OtlpLines.of(List.copyOf(logs), stream.maxRecordBytes());
            lines.forEach(this::requireSpace); // before the first is accepted
            long last = 0;
            for (byte[] line : lines) {
                last = stream.append(line, false);
                if (last == 0) {
                    return CompletableResultCode.ofExceptionalFailure(new BurstException(
                            BurstException.Code.RING_FULL,
                            "a batch was discarded, because the ring is full and onFull is \"discard\"."));
                }
            }
            return pending.add(last);
        } catch (BurstException notAccepted) {
            if (notAccepted instanceof RingFailedException) {
                pending.fail(notAccepted);
            }
            return CompletableResultCode.ofExceptionalFailure(notAccepted);
        }
    }

    private void requireSpace(byte[] line) {
        if (line.length > stream.maxRecordBytes()) {
            throw new BurstException(
                    BurstException.Code.RECORD_TOO_LARGE,
                    "A log record has " + line.length + " bytes as OTLP, and maxRecordSize is "
                            + stream.maxRecordBytes()
                            + "; its batch was not written. Raise maxRecordSize, or limit attributes by LogLimits.");
        }
    }

    /**
     * Waits for nothing.
     *
     * @return succeeds when every batch that was exported before is durable
     */
    @Override
    public CompletableResultCode flush() {
        return pending.flush();
    }

    /**
     * Begins to close ring and log file, as far as no other appender has them open.
     *
     * @return completes when they are closed, within {@code shutdownTimeout}; succeeds if every batch is durable
     */
    @Override
    public CompletableResultCode shutdown() {
        return pending.end();
    }

    @Override
    public String toString() {
        return "BurstLogRecordExporter";
    }
}
