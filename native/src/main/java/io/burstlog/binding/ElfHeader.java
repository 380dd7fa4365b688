// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * The header of a shared library. It is read before the library is loaded, because the dynamic linker says "No such
 * file or directory" about a library of another architecture, and a library that was cut short kills the JVM with
 * SIGBUS.
 *
 * <pre>
 *   0        4       5      6     16     18        20    40        48    58         60      62    64
 *   | 7f ELF | class | data | ... | type | machine | ... | shoff   | ... | shentsize | shnum | ... |
 * </pre>
 *
 * The section headers, {@code shnum} entries of {@code shentsize} bytes at {@code shoff}, are the last thing in the
 * file.
 */
final class ElfHeader {

    private static final int LENGTH = 64;
    private static final int MAGIC = 0x7f454c46;
    private static final int DATA_OFFSET = 5;
    private static final int LITTLE_ENDIAN_DATA = 1;
    private static final int MACHINE_OFFSET = 18;
    private static final int SECTIONS_OFFSET = 40;
    private static final int SECTION_BYTES_OFFSET = 58;
    private static final int SECTION_COUNT_OFFSET = 60;

    private static final int MACHINE_X86_64 = 62;
    private static final int MACHINE_AARCH64 = 183;

    private ElfHeader() {}

    /** Throws if the file, which its user knows by that name, is not a whole library for this JVM's architecture. */
    static void check(String name, Path library) {
        ByteBuffer header;
        long fileBytes;
        try (InputStream in = Files.newInputStream(library)) {
            header = ByteBuffer.wrap(in.readNBytes(LENGTH));
            fileBytes = Files.size(library);
        } catch (IOException failure) {
            throw new LibraryException(
                    "The Burstlog library " + name + " cannot be read (" + failure + "); check its permissions.",
                    failure);
        }
        if (header.limit() < LENGTH || header.getInt(0) != MAGIC) {
            throw new LibraryException("The file " + name + " is not a shared library (it does not begin with an ELF"
                    + " header); name the libburstlog.so that belongs to this version.");
        }
        if (header.get(DATA_OFFSET) == LITTLE_ENDIAN_DATA) {
            header.order(ByteOrder.LITTLE_ENDIAN);
        }
        checkArchitecture(name, header);
        checkLength(name, header, fileBytes);
    }

    private static void checkArchitecture(String name, ByteBuffer header) {
        String built = architecture(Short.toUnsignedInt(header.getShort(MACHINE_OFFSET)));
        String running = architectureOfJvm();
        if (!built.equals(running)) {
            throw new LibraryException("The Burstlog library " + name + " is built for " + built
                    + ", but this JVM runs on " + running + "; use a library built for " + running + ".");
        }
    }

    private static void checkLength(String name, ByteBuffer header, long fileBytes) {
        long sectionHeaderBytes = (long) Short.toUnsignedInt(header.getShort(SECTION_BYTES_OFFSET))
                * Short.toUnsignedInt(header.getShort(SECTION_COUNT_OFFSET));
        long wholeBytes = header.getLong(SECTIONS_OFFSET) + sectionHeaderBytes;
        if (fileBytes < wholeBytes) {
            throw new LibraryException("The Burstlog library " + name + " is cut short (it has " + fileBytes + " of "
                    + wholeBytes + " bytes); copy it again.");
        }
    }

    /** The name the JVM's architecture has in this project. */
    static String architectureOfJvm() {
        String name = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);
        return name.equals("amd64") || name.equals("x86_64") ? "x86-64" : name;
    }

    private static String architecture(int machine) {
        return switch (machine) {
            case MACHINE_X86_64 -> "x86-64";
            case MACHINE_AARCH64 -> "aarch64";
            default -> "another architecture (ELF machine " + machine + ")";
        };
    }
}
