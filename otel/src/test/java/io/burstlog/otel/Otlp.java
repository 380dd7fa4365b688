// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.util.JsonFormat;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.logs.v1.LogRecord;
import io.opentelemetry.proto.logs.v1.LogsData;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Reads log files as others do: by the messages of OpenTelemetry's protocol, which refuse a field that they do not
 * know.
 */
final class Otlp {

    /** Protobuf's own JSON has bytes in base64; in OTLP these two fields are hexadecimal. */
    private static final Pattern IDENTIFIER = Pattern.compile("\"(traceId|spanId)\":\"([0-9a-f]+)\"");

    private Otlp() {}

    static LogsData parse(String line) throws InvalidProtocolBufferException {
        String json = IDENTIFIER
                .matcher(line)
                .replaceAll(match -> "\"" + match.group(1) + "\":\""
                        + Base64.getEncoder().encodeToString(HexFormat.of().parseHex(match.group(2))) + "\"");
        LogsData.Builder data = LogsData.newBuilder();
        JsonFormat.parser().merge(json, data);
        return data.build();
    }

    /** The records of a line, in order. */
    static List<LogRecord> records(LogsData line) {
        return line.getResourceLogsList().stream()
                .flatMap(resource -> resource.getScopeLogsList().stream())
                .flatMap(scope -> scope.getLogRecordsList().stream())
                .toList();
    }

    static List<LogsData> lines(Path file) throws IOException {
        List<LogsData> lines = new ArrayList<>();
        for (String line : Files.readAllLines(file)) {
            lines.add(parse(line));
        }
        return lines;
    }

    /** The bodies of all records in a log file, as texts. */
    static List<String> bodies(Path file) throws IOException {
        return lines(file).stream()
                .flatMap(line -> records(line).stream())
                .map(LogRecord::getBody)
                .map(AnyValue::getStringValue)
                .toList();
    }
}
