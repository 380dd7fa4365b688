// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bench.study;

import io.burstlog.bench.harness.Environment;
import io.burstlog.bench.harness.Json;
import io.burstlog.bench.harness.Options;
import io.burstlog.bench.harness.Study;
import io.burstlog.bench.subject.Media;
import io.burstlog.bench.subject.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Whose are the slowest appends? {@code burstlog doctor --slow-appends} measures and judges, one medium after the
 * other; this keeps what it said.
 */
public final class SlowAppendsStudy {

    private SlowAppendsStudy() {}

    public static void run(Options options) throws Exception {
        Media media = new Media(options);
        Study study = new Study(
                "slow-appends",
                "slow-appends",
                options.text("title", "Owners of the slowest appends"),
                Environment.describe(media.directory(), media.devices()));
        int seconds = options.number("seconds", 20);
        study.with("bytes", media.bytes()).with("seconds", seconds);
        for (String medium : options.list("media", "ssd,device,mapped")) {
            String name = "c@" + medium;
            try {
                Map<String, Object> judged = doctor(medium, media, seconds);
                Map<String, Object> target = new LinkedHashMap<>(Map.of("name", name, "medium", medium));
                target.putAll(judged);
                target.put("messages", judged.get("appends"));
                study.add(target);
                System.out.printf("slow-appends %-26s %,9d messages%n", name, (Long) judged.get("appends"));
            } catch (Media.NotPossible reason) {
                study.skip(name, reason.getMessage());
            }
        }
        media.clear();
        study.write(options.path("out", "target/bench"));
    }

    private static Map<String, Object> doctor(String medium, Media media, int seconds)
            throws IOException, Media.NotPossible {
        Path program = Programs.unpack("burstlog", media.directory());
        List<String> command = new ArrayList<>(List.of(program.toString(), "doctor", "--slow-appends"));
        Media.Ring ring = media.ring(medium, "slow");
        if (medium.equals("mapped")) {
            command.add(Files.createDirectories(media.memory()).toString());
        } else {
            command.add(media.directory().toString());
        }
        if (medium.equals("device")) {
            command.addAll(List.of(ring.path().toString(), "--force")); // its random bytes look like somebody's
        }
        command.addAll(List.of("--io", ring.io(), "--seconds", Integer.toString(seconds), "--json"));
        Process process = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try {
            if (process.waitFor() != 0) {
                throw new IOException(String.join(" ", command) + " failed");
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException(String.join(" ", command) + " was interrupted", interrupted);
        }
        return Json.object(Json.parse(said));
    }
}
