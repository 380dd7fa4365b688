// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * The library that a JVM gets depends on the first KiB of its executable: recorded from JVMs, and from programs linked
 * with musl.
 */
class JvmPlatformTest {

    @TempDir
    private Path directory;

    @ParameterizedTest
    @CsvSource({
        "java-17-debian-x86-64, x86-64, linux-x86-64",
        "java-25-temurin-x86-64, x86-64, linux-x86-64",
        "java-17-debian-aarch64, aarch64, linux-aarch64",
        "musl-x86-64, x86-64, linux-x86-64-musl",
        "musl-aarch64, aarch64, linux-aarch64-musl",
        "static-x86-64, x86-64, linux-x86-64 with no dynamic linker",
        "glibc-riscv64, another architecture (ELF machine 243), linux-another architecture (ELF machine 243)",
    })
    void thePlatformIsThatOfTheExecutable(String recorded, String architecture, String library) throws Exception {
        assertThat(JvmPlatform.of(file(recorded))).isEqualTo(new JvmPlatform(architecture, library));
    }

    @Test
    void anotherDynamicLinkerIsNamedAndHasNoLibrary() throws Exception {
        byte[] other = Files.readAllBytes(file("java-17-debian-x86-64"));
        String path = "/lib64/ld-linux-x86-64.so.2";
        int at = new String(other, "ISO-8859-1").indexOf(path);
        System.arraycopy("/lib64/ld-uClibc-x86-64.so.".getBytes("ISO-8859-1"), 0, other, at, path.length());
        assertThat(JvmPlatform.of(Files.write(directory.resolve("other"), other))
                        .library())
                .isEqualTo("linux-x86-64 with the dynamic linker /lib64/ld-uClibc-x86-64.so.");
    }

    @Test
    void whatIsNoProgramHasNoPlatform() throws Exception {
        byte[] whole = Files.readAllBytes(file("java-17-debian-x86-64"));
        for (byte[] wrong : new byte[][] {
            {}, Arrays.copyOf(whole, 63), "#!/bin/sh\n".repeat(100).getBytes("ISO-8859-1")
        }) {
            Path file = Files.write(directory.resolve("wrong"), wrong);
            assertThatThrownBy(() -> JvmPlatform.of(file)).isInstanceOf(IOException.class);
        }
        whole[4] = 1; // 32 bits
        Path file = Files.write(directory.resolve("wrong"), whole);
        assertThatThrownBy(() -> JvmPlatform.of(file)).hasMessage(file + " is no 64-bit ELF file");
    }

    @Test
    void thisJvmHasALibrary() {
        assertThat(JvmPlatformTest.class.getResource("/" + JvmPlatform.CURRENT.library() + "/libburstlog.so"))
                .isNotNull();
    }

    private static Path file(String recorded) throws Exception {
        return Path.of(JvmPlatformTest.class.getResource(recorded + ".elf").toURI());
    }
}
