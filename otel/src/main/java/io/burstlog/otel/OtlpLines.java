// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toList;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.AttributeType;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.common.KeyValue;
import io.opentelemetry.api.common.Value;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.sdk.common.InstrumentationScopeInfo;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.resources.Resource;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Writes batches as lines of OTLP in JSON, as the file exporter of the OpenTelemetry specification does: each line is
 * one {@code LogsData}. 64-bit integers are strings, and identifiers of traces hexadecimal digits.
 */
final class OtlpLines {

    private static final JsonFactory JSON = new JsonFactory();

    private OtlpLines() {}

    /** Writes an element of an array or a map. */
    private interface Writer<T> {
        void write(JsonGenerator out, T value) throws IOException;
    }

    /**
     * Returns lines that together have all records in their order, each as long as possible. A single record may be
     * longer than the limit.
     *
     * @param maxBytes the limit of a line, with its end
     */
    static List<byte[]> of(List<LogRecordData> records, int maxBytes) {
        byte[] line = line(records);
        if (line.length <= maxBytes || records.size() == 1) {
            return List.of(line);
        }
        int half = records.size() / 2;
        List<byte[]> lines = new ArrayList<>(of(records.subList(0, half), maxBytes));
        lines.addAll(of(records.subList(half, records.size()), maxBytes));
        return lines;
    }

    private static byte[] line(List<LogRecordData> records) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = JSON.createGenerator(bytes)) {
            Map<Resource, List<LogRecordData>> ofResources =
                    records.stream().collect(groupingBy(LogRecordData::getResource, LinkedHashMap::new, toList()));
            out.writeStartObject();
            array(out, "resourceLogs", ofResources.entrySet(), OtlpLines::resourceLogs);
            out.writeEndObject();
            out.writeRaw('\n');
        } catch (IOException impossibleInMemory) {
            throw new UncheckedIOException(impossibleInMemory);
        }
        return bytes.toByteArray();
    }

    private static void resourceLogs(JsonGenerator out, Map.Entry<Resource, List<LogRecordData>> entry)
            throws IOException {
        Resource resource = entry.getKey();
        Map<InstrumentationScopeInfo, List<LogRecordData>> ofScopes = entry.getValue().stream()
                .collect(groupingBy(LogRecordData::getInstrumentationScopeInfo, LinkedHashMap::new, toList()));
        out.writeStartObject();
        out.writeObjectFieldStart("resource");
        attributes(out, resource.getAttributes());
        out.writeEndObject();
        array(out, "scopeLogs", ofScopes.entrySet(), OtlpLines::scopeLogs);
        text(out, "schemaUrl", resource.getSchemaUrl());
        out.writeEndObject();
    }

    private static void scopeLogs(JsonGenerator out, Map.Entry<InstrumentationScopeInfo, List<LogRecordData>> entry)
            throws IOException {
        InstrumentationScopeInfo scope = entry.getKey();
        out.writeStartObject();
        out.writeObjectFieldStart("scope");
        text(out, "name", scope.getName());
        text(out, "version", scope.getVersion());
        attributes(out, scope.getAttributes());
        out.writeEndObject();
        array(out, "logRecords", entry.getValue(), OtlpLines::logRecord);
        text(out, "schemaUrl", scope.getSchemaUrl());
        out.writeEndObject();
    }

    private static void logRecord(JsonGenerator out, LogRecordData record) throws IOException {
        out.writeStartObject();
        time(out, "timeUnixNano", record.getTimestampEpochNanos());
        time(out, "observedTimeUnixNano", record.getObservedTimestampEpochNanos());
        if (record.getSeverity().getSeverityNumber() != 0) {
            out.writeNumberField("severityNumber", record.getSeverity().getSeverityNumber());
        }
        text(out, "severityText", record.getSeverityText());
        if (record.getBodyValue() != null) {
            out.writeFieldName("body");
            value(out, record.getBodyValue());
        }
        attributes(out, record.getAttributes());
        int dropped = record.getTotalAttributeCount() - record.getAttributes().size();
        if (dropped > 0) {
            out.writeNumberField("droppedAttributesCount", dropped);
        }
        SpanContext span = record.getSpanContext();
        if (span.isValid()) {
            out.writeNumberField("flags", span.getTraceFlags().asByte() & 0xff);
            out.writeStringField("traceId", span.getTraceId());
            out.writeStringField("spanId", span.getSpanId());
        }
        text(out, "eventName", record.getEventName());
        out.writeEndObject();
    }

    private static void time(JsonGenerator out, String name, long epochNanos) throws IOException {
        if (epochNanos != 0) {
            out.writeStringField(name, Long.toUnsignedString(epochNanos));
        }
    }

    private static void text(JsonGenerator out, String name, String text) throws IOException {
        if (text != null && !text.isEmpty()) {
            out.writeStringField(name, text);
        }
    }

    private static <T> void array(JsonGenerator out, String name, Iterable<T> elements, Writer<T> writer)
            throws IOException {
        out.writeArrayFieldStart(name);
        for (T element : elements) {
            writer.write(out, element);
        }
        out.writeEndArray();
    }

    private static void attributes(JsonGenerator out, Attributes attributes) throws IOException {
        if (!attributes.isEmpty()) {
            array(out, "attributes", attributes.asMap().entrySet(), (to, entry) -> {
                Value<?> value = valueOf(entry.getKey(), entry.getValue());
                keyValue(to, KeyValue.of(entry.getKey().getKey(), value));
            });
        }
    }

    private static Value<?> valueOf(AttributeKey<?> key, Object value) {
        return key.getType() == AttributeType.VALUE ? (Value<?>) value : valueOf(value);
    }

    private static Value<?> valueOf(Object value) {
        if (value instanceof Boolean flag) {
            return Value.of(flag);
        } else if (value instanceof Long number) {
            return Value.of(number);
        } else if (value instanceof Double number) {
            return Value.of(number);
        } else if (value instanceof List<?> list) {
            return Value.of(list.stream().<Value<?>>map(OtlpLines::valueOf).toList());
        }
        return Value.of((String) value);
    }

    private static void keyValue(JsonGenerator out, KeyValue pair) throws IOException {
        out.writeStartObject();
        out.writeStringField("key", pair.getKey());
        out.writeFieldName("value");
        value(out, pair.getValue());
        out.writeEndObject();
    }

    private static void value(JsonGenerator out, Value<?> value) throws IOException {
        out.writeStartObject();
        switch (value.getType()) {
            case STRING -> out.writeStringField("stringValue", (String) value.getValue());
            case BOOLEAN -> out.writeBooleanField("boolValue", (Boolean) value.getValue());
            case LONG -> out.writeStringField("intValue", value.getValue().toString());
            case DOUBLE -> out.writeNumberField("doubleValue", (Double) value.getValue()); // NaN as a string
            case BYTES -> out.writeBinaryField("bytesValue", bytes((ByteBuffer) value.getValue()));
            case ARRAY -> {
                out.writeObjectFieldStart("arrayValue");
                array(out, "values", OtlpLines.<Value<?>>elements(value), OtlpLines::value);
                out.writeEndObject();
            }
            case KEY_VALUE_LIST -> {
                out.writeObjectFieldStart("kvlistValue");
                array(out, "values", OtlpLines.<KeyValue>elements(value), OtlpLines::keyValue);
                out.writeEndObject();
            }
            case EMPTY -> {} // a value that is not set
        }
        out.writeEndObject();
    }

    @SuppressWarnings("unchecked") // the type of the value says so
    private static <T> List<T> elements(Value<?> value) {
        return (List<T>) value.getValue();
    }

    private static byte[] bytes(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }
}
