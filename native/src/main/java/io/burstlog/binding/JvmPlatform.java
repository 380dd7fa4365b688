// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The platform of this JVM: the processor that its own executable is built for, and the C library whose dynamic linker
 * starts it. A host may have both glibc and musl, and an emulator runs a JVM of another processor than the kernel's, so
 * neither the host's files nor its name for itself tell.
 *
 * @param architecture {@code x86-64}, {@code aarch64}, or the name of another one
 * @param library the folder of this platform's library in the jar, as {@code linux-x86-64-musl}
 */
record JvmPlatform(String architecture, String library) {

    static final JvmPlatform CURRENT = current();

    private static final String GLIBC = "ld-linux";
    private static final String MUSL = "ld-musl-";

    private static JvmPlatform current() {
        Path launcher = Path.of(System.getProperty("java.home", ""), "bin", "java");
        // The kernel hides /proc/self/exe in a JVM with capabilities of its own. Then the launcher serves as well: it
        // has the same linker.
        for (Path executable : new Path[] {Path.of("/proc/self/exe"), launcher}) {
            try {
                return of(executable);
            } catch (IOException unreadable) {
                continue;
            }
        }
        String named = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        String architecture = named.equals("amd64") || named.equals("x86_64") ? "x86-64" : named;
        return new JvmPlatform(architecture, System.getProperty("os.name") + ' ' + architecture);
    }

    /** Returns the platform of a program; throws if the program is no ELF file, or cannot be read. */
    static JvmPlatform of(Path executable) throws IOException {
        ElfHeader header = ElfHeader.read(executable);
        String linker = header.interpreter();
        String name = linker == null ? "" : linker.substring(linker.lastIndexOf('/') + 1);
        String suffix = name.startsWith(GLIBC) ? "" : name.startsWith(MUSL) ? "-musl" : " with " + described(linker);
        return new JvmPlatform(header.architecture(), "linux-" + header.architecture() + suffix);
    }

    private static String described(String linker) {
        return linker == null ? "no dynamic linker" : "the dynamic linker " + linker;
    }
}
