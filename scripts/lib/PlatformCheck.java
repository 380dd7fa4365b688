// SPDX-License-Identifier: Apache-2.0

import static java.nio.charset.StandardCharsets.UTF_8;

import io.burstlog.Binding;
import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.logging.log4j.LogManager;
import org.apache.logging.log4j.core.config.Configurator;

/** Logs a hundred lines through a binding, or through Log4j, reopens, logs a hundred more, and reads them all back. */
final class PlatformCheck {

    private PlatformCheck() {}

    public static void main(String[] arguments) throws Exception {
        Path directory = Path.of(arguments[1]);
        for (int from : new int[] {0, 100}) {
            switch (arguments[0]) {
                case "jni" -> log(directory, Binding.JNI, from);
                case "jna" -> log(directory, Binding.JNA, from);
                default -> logThroughLog4j(directory, from);
            }
        }
        List<String> lines = Files.readAllLines(directory.resolve("a.log"));
        for (int i = 0; i < 200; i++) {
            if (lines.size() != 200 || !lines.get(i).equals("line " + i)) {
                throw new IllegalStateException(lines.size() + " lines, and not line " + i + " in its place: " + lines);
            }
        }
        System.out.println("200 lines, each in its place");
    }

    private static void log(Path directory, Binding binding, int from) {
        BurstConfig config = BurstConfig.builder()
                .ring(directory.resolve("a.ring").toString())
                .fileName(directory.resolve("a.log").toString())
                .ringBytes(4 << 20)
                .durability(Durability.PROCESS)
                .binding(binding)
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            for (int i = from; i < from + 100; i++) {
                log.append(("line " + i + "\n").getBytes(UTF_8));
            }
        }
    }

    private static void logThroughLog4j(Path directory, int from) throws IOException {
        Path configuration = directory.resolve("log4j2.xml");
        Files.writeString(configuration, """
                <Configuration status="WARN">
                  <Appenders>
                    <Burst name="a" ring="%1$s/a.ring" fileName="%1$s/a.log" ringSize="4 MB" durability="process">
                      <PatternLayout pattern="%%m%%n"/>
                    </Burst>
                  </Appenders>
                  <Loggers><Root level="info"><AppenderRef ref="a"/></Root></Loggers>
                </Configuration>
                """.formatted(directory));
        try (var context = Configurator.initialize("a", configuration.toString())) {
            for (int i = from; i < from + 100; i++) {
                LogManager.getLogger("a").info("line {}", i);
            }
        }
    }
}
