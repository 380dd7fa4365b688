// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jna.Native;
import io.burstlog.BurstLog;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The other tests run on the class path and from a directory. This one runs the named module, from a jar. */
class ModuleTest {

    private static final String PROGRAM = """
            import io.burstlog.*;

            public class Program {
                public static void main(String[] directory) {
                    for (Binding binding : Binding.values()) {
                        BurstConfig config = BurstConfig.builder()
                                .ring(directory[0] + "/orders.ring")
                                .fileName(directory[0] + "/orders.log")
                                .durability(Durability.PROCESS)
                                .binding(binding)
                                .listener(event -> {})
                                .build();
                        try (BurstLog log = BurstLog.open(config)) {
                            log.append((binding + "\\n").getBytes());
                        }
                    }
                    System.out.println(BurstLog.class.getModule());
                }
            }
            """;

    @TempDir
    private Path directory;

    @Test
    void theModuleRunsFromItsJarNeedsNativeAccessForJnaOnlyAndLeavesNoExtractedFile() throws Exception {
        Path program = Files.writeString(directory.resolve("Program.java"), PROGRAM);
        Path extracted = Files.createDirectory(directory.resolve("extracted"));
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 24) {
            command.add("--illegal-native-access=deny");
            command.add("--enable-native-access=com.sun.jna");
        }
        command.add("-Djna.tmpdir=" + extracted);
        command.addAll(
                List.of("-p", jarOf(BurstLog.class) + ":" + placeOf(Native.class), "--add-modules", "io.burstlog"));
        command.addAll(List.of(program.toString(), directory.toString()));
        Path output = directory.resolve("output");
        Process jvm = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        assertThat(jvm.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(Files.readString(output, StandardCharsets.UTF_8)).isEqualTo("module io.burstlog\n");
        assertThat(Files.readAllLines(directory.resolve("orders.log"))).containsExactly("AUTO", "JNI", "JNA");
        assertThat(extracted).isEmptyDirectory();
    }

    private Path jarOf(Class<?> type) throws Exception {
        Path jar = directory.resolve("burstlog.jar");
        ToolProvider tool = ToolProvider.findFirst("jar").orElseThrow();
        String[] arguments = {"--create", "--file", jar.toString(), "-C", placeOf(type), "."};
        assertThat(tool.run(System.out, System.err, arguments)).isZero();
        return jar;
    }

    private static String placeOf(Class<?> type) throws Exception {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI())
                .toString();
    }
}
