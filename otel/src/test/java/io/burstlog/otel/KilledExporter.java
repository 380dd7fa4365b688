// SPDX-License-Identifier: Apache-2.0
package io.burstlog.otel;

import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.logs.data.LogRecordData;
import io.opentelemetry.sdk.resources.Resource;
import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.TimeUnit;

/**
 * A process that exports batches of one record, some of them at a time, and prints the body of each whose export has
 * succeeded. Its parent kills it. Arguments: run; then names and values of settings.
 */
final class KilledExporter {

    /** Batches that are exported and not yet acknowledged. */
    static final int UNDER_WAY = 4;

    private static final String WITNESSED = "acknowledged";

    private KilledExporter() {}

    public static void main(String[] arguments) {
        Map<String, String> settings = new HashMap<>();
        for (int i = 1; i + 1 < arguments.length; i += 2) {
            settings.put(arguments[i], arguments[i + 1]);
        }
        FileOutputStream parent = new FileOutputStream(FileDescriptor.out);
        BurstLogRecordExporter exporter = BurstLogRecordExporter.open(settings);
        Queue<CompletableResultCode> results = new ArrayDeque<>();
        for (int number = 0; ; number++) {
            String body = arguments[0] + "-" + number;
            CompletableResultCode result = exporter.export(List.of(record(body)));
            result.whenComplete(() -> tell(parent, result, body));
            results.add(result);
            if (results.size() == UNDER_WAY) {
                results.remove().join(60, TimeUnit.SECONDS);
            }
        }
    }

    private static LogRecordData record(String body) {
        return Captured.records(Resource.empty(), provider -> {
                    Logger logger = provider.get("orders");
                    logger.logRecordBuilder().setBody(body).emit();
                })
                .get(0);
    }

    private static void tell(FileOutputStream parent, CompletableResultCode result, String body) {
        if (!result.isSuccess()) {
            Runtime.getRuntime().halt(3);
        }
        try {
            parent.write((body + "\n").getBytes(StandardCharsets.UTF_8)); // one call: a kill takes it whole or not
        } catch (IOException gone) {
            throw new UncheckedIOException(gone);
        }
    }

    /** In the parent: kills one after so many acknowledgements. Returns how many there were. */
    static int kill(Path folder, Map<String, String> settings, int after) throws Exception {
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString()));
        String nativeAccess = System.getProperty("native.access", "");
        if (!nativeAccess.isEmpty()) {
            command.add(nativeAccess);
        }
        command.addAll(List.of(
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("java.class.path"),
                KilledExporter.class.getName(),
                "run" + after));
        settings.forEach((name, value) -> command.addAll(List.of(name, value)));
        Process child = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        int count = 0;
        try (BufferedReader bodies = child.inputReader()) {
            for (String body = bodies.readLine(); body != null; body = bodies.readLine()) {
                Files.writeString(
                        folder.resolve(WITNESSED), body + "\n", StandardOpenOption.CREATE, StandardOpenOption.APPEND);
                count++;
                if (count == after) {
                    child.toHandle().destroyForcibly();
                }
            }
        }
        child.waitFor();
        return count;
    }

    static List<String> acknowledged(Path folder) throws IOException {
        return Files.readAllLines(folder.resolve(WITNESSED));
    }
}
