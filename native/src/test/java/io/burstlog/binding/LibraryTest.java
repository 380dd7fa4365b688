// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.jna.Library;
import io.burstlog.BurstConfig;
import io.burstlog.BurstLog;
import io.burstlog.Durability;
import io.burstlog.Skip;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Each question is asked in a class loader of its own, because each loads a library only once. */
class LibraryTest {

    private static final int MACHINE_OFFSET = 18;

    @TempDir
    private Path directory;

    @Test
    void anExplicitLibraryIsLoaded() throws Exception {
        assertThat(openWith(copyOfTheLibrary("elsewhere.so").toString())).isEqualTo(OpenAttempt.OPENED);
    }

    @Test
    void aMissingLibraryIsRefusedByNameWithoutFallback() throws Exception {
        Path missing = directory.resolve("missing.so");
        assertRefused(openWith(missing.toString())).contains(missing + " does not exist");
    }

    @Test
    void theSystemPropertyNamesTheOnlyLibraryToo() throws Exception {
        Path missing = directory.resolve("missing.so");
        System.setProperty("burstlog.library", missing.toString());
        try {
            assertRefused(openWith("")).contains(missing + " does not exist");
            assertThat(openWith(copyOfTheLibrary("elsewhere.so").toString())).isEqualTo(OpenAttempt.OPENED);
        } finally {
            System.clearProperty("burstlog.library");
        }
    }

    @Test
    void aLibraryForAnotherArchitectureIsRefusedNamingBoth() throws Exception {
        Path other = copyOfTheLibrary("other.so");
        byte[] bytes = Files.readAllBytes(other);
        int ours = bytes[MACHINE_OFFSET] & 0xff;
        bytes[MACHINE_OFFSET] = (byte) (ours == 62 ? 183 : 62);
        Files.write(other, bytes);
        assertRefused(openWith(other.toString()))
                .contains(other.toString())
                .contains("x86-64")
                .contains("aarch64");
    }

    @Test
    void aFileThatIsNoLibraryIsRefused() throws Exception {
        Path text = Files.writeString(directory.resolve("text.so"), "This is not a library at all.");
        assertRefused(openWith(text.toString())).contains(text.toString()).contains("ELF");
        Path empty = Files.createFile(directory.resolve("empty.so"));
        assertRefused(openWith(empty.toString())).contains(empty.toString()).contains("ELF");
    }

    @Test
    void aLibraryThatIsCutShortIsRefusedNamingBothLengths() throws Exception {
        Path whole = copyOfTheLibrary("whole.so");
        byte[] bytes = Files.readAllBytes(whole);
        for (int length : new int[] {4096, bytes.length - 1}) {
            Path cut = Files.write(directory.resolve("cut.so"), Arrays.copyOf(bytes, length));
            assertRefused(openWith(cut.toString())).contains(cut.toString()).contains(length + " of " + bytes.length);
        }
    }

    @Test
    void aLibraryThatCannotBeLinkedIsRefusedWithTheLinkersWords() throws Exception {
        Path other = compiled("unlinked.so", "int missing_symbol(void); int call(void) { return missing_symbol(); }");
        assertRefused(openWith(other.toString())).contains(other.toString()).contains("missing_symbol");
    }

    @Test
    void anUnpackedLibraryIsNamedByItsJarAndNotByTheCopy() throws Exception {
        Path copy = compiled("jna123.tmp", "int missing_symbol(void); int call(void) { return missing_symbol(); }");
        assertThatThrownBy(() -> LibraryLocation.loadFile("in app.jar", copy, Map.of(Library.OPTION_OPEN_FLAGS, 2)))
                .hasMessage("The Burstlog library in app.jar cannot be loaded: undefined symbol: missing_symbol.");
    }

    @Test
    void aLibraryForANewerGlibcIsRefusedNamingThatVersion() throws Exception {
        // It is linked against a libc with a version that this host's lacks.
        Path versions = Files.writeString(directory.resolve("versions"), "GLIBC_9.87 { global: from_later; };");
        Files.createDirectory(directory.resolve("later"));
        compiled(
                "later/libc.so.6",
                "int from_later(void) { return 1; }",
                "-nostdlib",
                "-Wl,-soname,libc.so.6",
                "-Wl,--version-script=" + versions);
        Path copy = compiled(
                "jna123.tmp",
                "int from_later(void); int call(void) { return from_later(); }",
                "-nostdlib",
                directory.resolve("later/libc.so.6").toString());
        assertThatThrownBy(() -> LibraryLocation.loadFile("in app.jar", copy, Map.of()))
                .hasMessage(
                        "The Burstlog library in app.jar needs glibc 9.87 or later, and this system's is older; build"
                                + " Burstlog on this system or an older one, or name a library that was built so with"
                                + " -Dburstlog.library.");
    }

    @Test
    void aLibraryOfAnotherAbiVersionIsRefusedNamingBothVersions() throws Exception {
        Path other = compiled("abi.so", "unsigned burst_abi_version(void) { return 4711; }");
        assertRefused(openWith(other.toString()))
                .contains("4711")
                .contains("version 1")
                .contains(other.toString());
    }

    @Test
    void aLibraryThatIsNotBurstlogIsRefused() throws Exception {
        Path other = compiled("other.so", "int something_else(void) { return 1; }");
        assertRefused(openWith(other.toString())).contains(other.toString()).contains("burst_abi_version");
    }

    @Test
    void aLibraryThatLacksAFunctionIsRefusedNamingIt() throws Exception {
        Path other = compiled("partial.so", "unsigned burst_abi_version(void) { return 1; }");
        assertRefused(openWith(other.toString())).contains("burst_");
    }

    @Test
    void aFailedLoadCanBeTriedAgainWithTheRightLibrary() throws Exception {
        String missing = directory.resolve("missing.so").toString();
        assertThat(openWith(missing, "")).isEqualTo(OpenAttempt.OPENED);
    }

    @Test
    void aSecondLibraryInOneClassLoaderIsRefusedNamingBoth() throws Exception {
        String first = copyOfTheLibrary("first.so").toString();
        String second = copyOfTheLibrary("second.so").toString();
        assertThat(openWith(first, first)).isEqualTo(OpenAttempt.OPENED);
        assertThat(openWith(first, "")).isEqualTo(OpenAttempt.OPENED);
        assertRefused(openWith(first, second)).contains(first).contains(second);
    }

    @Test
    void aRingHeldThroughAnotherCopyOfTheLibraryIsRefusedNamingThisProcess() throws Exception {
        BurstConfig config = BurstConfig.builder()
                .ring(directory.resolve("orders.ring").toString())
                .fileName(directory.resolve("orders.log").toString())
                .durability(Durability.PROCESS)
                .build();
        try (BurstLog log = BurstLog.open(config)) {
            String outcome = openWith(copyOfTheLibrary("copy.so").toString());
            assertThat(outcome)
                    .startsWith("BUSY")
                    .contains(String.valueOf(ProcessHandle.current().pid()));
            assertThat(log.append(new byte[1])).isEqualTo(1);
        }
    }

    private String openWith(String... libraries) throws Exception {
        String[] arguments = new String[libraries.length + 1];
        arguments[0] = directory.toString();
        System.arraycopy(libraries, 0, arguments, 1, libraries.length);
        return IsolatedLoader.ask(OpenAttempt.class, arguments);
    }

    private static AbstractStringAssert<?> assertRefused(String outcome) {
        return assertThat(outcome).startsWith("LIBRARY: ").hasLineCount(1);
    }

    private Path copyOfTheLibrary(String name) throws IOException {
        String resource = "/" + JvmPlatform.CURRENT.library() + "/libburstlog.so";
        Path copy = directory.resolve(name);
        try (var in = LibraryTest.class.getResourceAsStream(resource)) {
            Files.copy(in, copy);
        }
        return copy;
    }

    private Path compiled(String name, String source, String... options) throws Exception {
        Path c = Files.writeString(directory.resolve(name + ".c"), source + "\n");
        Path library = directory.resolve(name);
        Process compiler;
        try {
            List<String> command =
                    new ArrayList<>(List.of("cc", "-shared", "-fPIC", "-o", library.toString(), c.toString()));
            command.addAll(List.of(options));
            compiler = new ProcessBuilder(command).inheritIO().start();
        } catch (IOException missing) {
            Skip.unless(false, "this test needs a C compiler: " + missing.getMessage());
            throw missing;
        }
        assertThat(compiler.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(compiler.exitValue()).isZero();
        return library;
    }
}
