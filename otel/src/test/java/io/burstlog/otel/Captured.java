// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import io.opentelemetry.api.logs.LogRecordBuilder;
import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.logs.export.SimpleLogRecordProcessor;
import io.opentelemetry.sdk.resources.Resource;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/** Records as the SDK makes them. */
final class Captured implements LogRecordExporter {

    private final List<LogRecordData> records = new ArrayList<>();

    private Captured() {}

    static List<LogRecordData> records(Resource resource, Consumer<SdkLoggerProvider> program) {
        Captured captured = new Captured();
        try (SdkLoggerProvider provider = SdkLoggerProvider.builder()
                .setResource(resource)
                .addLogRecordProcessor(SimpleLogRecordProcessor.create(captured))
                .build()) {
            program.accept(provider);
        }
        return captured.records;
    }

    static LogRecordData record(Consumer<LogRecordBuilder> program) {
        return records(Resource.empty(), provider -> {
                    LogRecordBuilder record = provider.get("orders").logRecordBuilder();
                    program.accept(record);
                    record.emit();
                })
                .get(0);
    }

    /** Records with these texts as bodies: the prefix and a number from 0 on. */
    static List<LogRecordData> bodies(String prefix, int count) {
        return records(Resource.empty(), provider -> {
            Logger logger = provider.get("orders");
            IntStream.range(0, count)
                    .forEach(number ->
                            logger.logRecordBuilder().setBody(prefix + number).emit());
        });
    }

    @Override
    public CompletableResultCode export(Collection<LogRecordData> logs) {
        records.addAll(logs);
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode flush() {
        return CompletableResultCode.ofSuccess();
    }

    @Override
    public CompletableResultCode shutdown() {
        return CompletableResultCode.ofSuccess();
    }
}
