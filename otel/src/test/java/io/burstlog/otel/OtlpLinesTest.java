// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.context.Context;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.LogsData;
import io.opentelemetry.proto.logs.v1.ResourceLogs;
import io.opentelemetry.proto.logs.v1.ScopeLogs;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.resources.Resource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class OtlpLinesTest {

    private static final String TRACE = "0af7651916cd43dd8448eb211c80319c";
    private static final String SPAN = "b7ad6b7169203331";

    private static LogsData line(List<LogRecordData> records) throws Exception {
        List<byte[]> lines = OtlpLines.of(records, Integer.MAX_VALUE);
        assertThat(lines).hasSize(1);
        String text = new String(lines.get(0), UTF_8);
        assertThat(text).endsWith("}\n");
        assertThat(text.strip()).doesNotContain("\n");
        return Otlp.parse(text);
    }

    private static LogRecord record(LogRecordData record) throws Exception {
        return Otlp.records(line(List.of(record))).get(0);
    }

    @Test
    void each_field_of_a_record_is_where_the_protocol_has_it() throws Exception {
        SpanContext span = SpanContext.create(TRACE, SPAN, TraceFlags.getSampled(), TraceState.getDefault());
        LogRecord record = record(Captured.record(builder -> builder.setTimestamp(1_764_122_400L, TimeUnit.SECONDS)
                .setObservedTimestamp(Long.MAX_VALUE, TimeUnit.NANOSECONDS)
                .setSeverity(Severity.WARN2)
                .setSeverityText("careful")
                .setBody("order \"1\"\n\u20ac \ud83d\ude00")
                .setAttribute(AttributeKey.stringKey("client"), "alice")
                .setContext(Context.root().with(Span.wrap(span)))));
        assertThat(record.getTimeUnixNano()).isEqualTo(1_764_122_400_000_000_000L);
        assertThat(record.getObservedTimeUnixNano()).isEqualTo(Long.MAX_VALUE);
        assertThat(record.getSeverityNumberValue()).isEqualTo(14);
        assertThat(record.getSeverityText()).isEqualTo("careful");
        assertThat(record.getBody().getStringValue()).isEqualTo("order \"1\"\n\u20ac \ud83d\ude00");
        assertThat(record.getAttributes(0).getKey()).isEqualTo("client");
        assertThat(record.getAttributes(0).getValue().getStringValue()).isEqualTo("alice");
        assertThat(record.getTraceId()).isEqualTo(ByteString.fromHex(TRACE));
        assertThat(record.getSpanId()).isEqualTo(ByteString.fromHex(SPAN));
        assertThat(record.getFlags()).isEqualTo(1);
        assertThat(record.getDroppedAttributesCount()).isZero();
    }

    @Test
    void what_a_record_does_not_have_is_left_out() throws Exception {
        LogRecord record = record(Captured.record(builder -> {}));
        assertThat(record.hasBody()).isFalse();
        assertThat(record.getSeverityNumberValue()).isZero();
        assertThat(record.getTraceId().isEmpty()).isTrue();
        assertThat(record.getAttributesCount()).isZero();
    }

    @Test
    void each_kind_of_value_is_read_back() throws Exception {
        Attributes attributes = Attributes.builder()
                .put("text", "a")
                .put("flag", true)
                .put("whole", Long.MIN_VALUE)
                .put("real", 0.1)
                .put("nan", Double.NaN)
                .put("texts", "a", "b")
                .put("flags", true, false)
                .put("wholes", 1L, 2L)
                .put("reals", 1.5, Double.POSITIVE_INFINITY)
                .put(
                        AttributeKey.valueKey("map"),
                        Value.of(
                                KeyValue.of("bytes", Value.of(new byte[] {1, -1})), KeyValue.of("none", Value.empty())))
                .build();
        Map<String, AnyValue> values = new TreeMap<>();
        record(Captured.record(builder -> builder.setAllAttributes(attributes)))
                .getAttributesList()
                .forEach(pair -> values.put(pair.getKey(), pair.getValue()));
        assertThat(values).hasSize(attributes.size());
        assertThat(values.get("text").getStringValue()).isEqualTo("a");
        assertThat(values.get("flag").getBoolValue()).isTrue();
        assertThat(values.get("whole").getIntValue()).isEqualTo(Long.MIN_VALUE);
        assertThat(values.get("real").getDoubleValue()).isEqualTo(0.1);
        assertThat(values.get("nan").getDoubleValue()).isNaN();
        assertThat(values.get("texts").getArrayValue().getValuesList())
                .extracting(AnyValue::getStringValue)
                .containsExactly("a", "b");
        assertThat(values.get("flags").getArrayValue().getValuesList())
                .extracting(AnyValue::getBoolValue)
                .containsExactly(true, false);
        assertThat(values.get("wholes").getArrayValue().getValuesList())
                .extracting(AnyValue::getIntValue)
                .containsExactly(1L, 2L);
        assertThat(values.get("reals").getArrayValue().getValuesList())
                .extracting(AnyValue::getDoubleValue)
                .containsExactly(1.5, Double.POSITIVE_INFINITY);
        var map = values.get("map").getKvlistValue();
        assertThat(map.getValues(0).getValue().getBytesValue()).isEqualTo(ByteString.copyFrom(new byte[] {1, -1}));
        assertThat(map.getValues(1).getValue().getValueCase()).isEqualTo(AnyValue.ValueCase.VALUE_NOT_SET);
    }

    @Test
    void records_are_grouped_by_resource_and_scope() throws Exception {
        Resource resource = Resource.create(
                Attributes.builder().put("service.name", "gateway").build(), "https://schema/1");
        List<LogRecordData> records = Captured.records(resource, provider -> {
            var orders = provider.loggerBuilder("orders")
                    .setInstrumentationVersion("7")
                    .setSchemaUrl("https://schema/2")
                    .build();
            orders.logRecordBuilder().setBody("1").emit();
            provider.get("audit").logRecordBuilder().setBody("2").emit();
            orders.logRecordBuilder().setBody("3").emit();
        });
        LogsData line = line(records);
        assertThat(line.getResourceLogsCount()).isEqualTo(1);
        ResourceLogs ofResource = line.getResourceLogs(0);
        assertThat(ofResource.getSchemaUrl()).isEqualTo("https://schema/1");
        assertThat(ofResource.getResource().getAttributes(0).getValue().getStringValue())
                .isEqualTo("gateway");
        assertThat(ofResource.getScopeLogsList())
                .extracting(scope -> scope.getScope().getName())
                .containsExactly("orders", "audit");
        ScopeLogs orders = ofResource.getScopeLogs(0);
        assertThat(orders.getScope().getVersion()).isEqualTo("7");
        assertThat(orders.getSchemaUrl()).isEqualTo("https://schema/2");
        assertThat(orders.getLogRecordsList())
                .extracting(record -> record.getBody().getStringValue())
                .containsExactly("1", "3");
    }

    @Test
    void a_batch_that_is_too_long_becomes_lines_that_are_not() throws Exception {
        List<byte[]> lines = OtlpLines.of(Captured.bodies("order ", 100), 1000);
        assertThat(lines).hasSizeBetween(2, 50).allMatch(line -> line.length <= 1000);
        int next = 0;
        for (byte[] line : lines) {
            for (LogRecord record : Otlp.records(Otlp.parse(new String(line, UTF_8)))) {
                assertThat(record.getBody().getStringValue()).isEqualTo("order " + next++);
            }
        }
        assertThat(next).isEqualTo(100);
        assertThat(OtlpLines.of(Captured.bodies("order ", 1), 10)).hasSize(1);
    }
}
