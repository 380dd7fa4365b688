// SPDX-License-Identifier: Apache-2.0
package io.burstlog.binding;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The header of a shared library or a program. The loader reads a library's header before it loads the library, for two
 * reasons. The dynamic linker says "No such file or directory" about a library of another architecture. A library that
 * was cut short kills the JVM with SIGBUS.
 *
 * <pre>
 *   0        4       5      6     16     18        20    32      40      48    54          56      58          60      62
 *   | 7f ELF | class | data | ... | type | machine | ... | phoff | shoff | ... | phentsize | phnum | shentsize | shnum | .. |
 * </pre>
 *
 * The section headers, {@code shnum} entries of {@code shentsize} bytes at {@code shoff}, are the last thing in the
 * file. There are {@code phnum} program headers at {@code phoff}; the one of type INTERP says where the path of the
 * dynamic linker is.
 */
final class ElfHeader {

    private static final int LENGTH = 64;
    private static final int MAGIC = 0x7f454c46;
    private static final int CLASS_OFFSET = 4;
    private static final int CLASS_64 = 2;
    private static final int DATA_OFFSET = 5;
    private static final int LITTLE_ENDIAN_DATA = 1;
    private static final int MACHINE_OFFSET = 18;
    private static final int PROGRAM_OFFSET = 32;
    private static final int SECTIONS_OFFSET = 40;
    private static final int PROGRAM_BYTES_OFFSET = 54;
    private static final int PROGRAM_COUNT_OFFSET = 56;
    private static final int SECTION_BYTES_OFFSET = 58;
    private static final int SECTION_COUNT_OFFSET = 60;

    private static final int MACHINE_X86_64 = 62;
    private static final int MACHINE_AARCH64 = 183;

    /** A program header has the type of a part of the file, its offset, and its length. */
    private static final int SEGMENT_BYTES = 56;

    private static final int SEGMENT_OFFSET = 8;
    private static final int SEGMENT_FILE_BYTES = 32;
    private static final int INTERPRETER = 3;
    private static final int LONGEST_PATH = 4096;

    private final Path file;
    private final ByteBuffer header;

    private ElfHeader(Path file, ByteBuffer header) {
        this.file = file;
        this.header = header;
    }

    /** Throws if the file is no 64-bit ELF file, or cannot be read. */
    static ElfHeader read(Path file) throws IOException {
        ByteBuffer header = bytes(file, 0, LENGTH);
        if (!isElf(header) || header.get(CLASS_OFFSET) != CLASS_64) {
            throw new IOException(file + " is no 64-bit ELF file");
        }
        return new ElfHeader(file, inItsOrder(header));
    }

    /**
     * Throws if the file is not a whole library for this JVM's architecture. The exception calls the file by
     * {@code name}.
     */
    static void check(String name, Path library) {
        ByteBuffer header;
        long fileBytes;
        try {
            header = bytes(library, 0, LENGTH);
            fileBytes = Files.size(library);
        } catch (IOException failure) {
            throw new LibraryException(
                    "The Burstlog library " + name + " cannot be read (" + failure + "); check its permissions.",
                    failure);
        }
        if (!isElf(header)) {
            throw new LibraryException("The file " + name + " is not a shared library (it does not begin with an ELF"
                    + " header); name the libburstlog.so that belongs to this version.");
        }
        ElfHeader elf = new ElfHeader(library, inItsOrder(header));
        elf.checkArchitecture(name);
        elf.checkLength(name, fileBytes);
    }

    private void checkArchitecture(String name) {
        String built = architecture();
        String running = JvmPlatform.CURRENT.architecture();
        if (!built.equals(running)) {
            throw new LibraryException("The Burstlog library " + name + " is built for " + built
                    + ", but this JVM runs on " + running + "; use a library built for " + running + ".");
        }
    }

    private void checkLength(String name, long fileBytes) {
        long sectionHeaderBytes = (long) Short.toUnsignedInt(header.getShort(SECTION_BYTES_OFFSET))
                * Short.toUnsignedInt(header.getShort(SECTION_COUNT_OFFSET));
        long wholeBytes = header.getLong(SECTIONS_OFFSET) + sectionHeaderBytes;
        if (fileBytes < wholeBytes) {
            throw new LibraryException("The Burstlog library " + name + " is cut short (it has " + fileBytes + " of "
                    + wholeBytes + " bytes); copy it again.");
        }
    }

    /** Returns this project's name for the processor. */
    String architecture() {
        int machine = Short.toUnsignedInt(header.getShort(MACHINE_OFFSET));
        return switch (machine) {
            case MACHINE_X86_64 -> "x86-64";
            case MACHINE_AARCH64 -> "aarch64";
            default -> "another architecture (ELF machine " + machine + ")";
        };
    }

    /** Returns the path of the dynamic linker that starts this program, or null if it needs none. */
    String interpreter() throws IOException {
        int entryBytes = Short.toUnsignedInt(header.getShort(PROGRAM_BYTES_OFFSET));
        int count = Short.toUnsignedInt(header.getShort(PROGRAM_COUNT_OFFSET));
        ByteBuffer entries = inOrderOf(header, bytes(file, header.getLong(PROGRAM_OFFSET), entryBytes * count));
        for (int at = 0; at + SEGMENT_BYTES <= entries.limit(); at += Math.max(entryBytes, SEGMENT_BYTES)) {
            if (entries.getInt(at) == INTERPRETER) {
                long length = Math.min(entries.getLong(at + SEGMENT_FILE_BYTES), LONGEST_PATH);
                ByteBuffer path = bytes(file, entries.getLong(at + SEGMENT_OFFSET), (int) length);
                return StandardCharsets.UTF_8.decode(path).toString().replace("\0", "");
            }
        }
        return null;
    }

    private static boolean isElf(ByteBuffer header) {
        return header.limit() == LENGTH && header.getInt(0) == MAGIC;
    }

    private static ByteBuffer inItsOrder(ByteBuffer header) {
        return header.get(DATA_OFFSET) == LITTLE_ENDIAN_DATA ? header.order(ByteOrder.LITTLE_ENDIAN) : header;
    }

    private static ByteBuffer inOrderOf(ByteBuffer header, ByteBuffer other) {
        return other.order(header.order());
    }

    /** Reads {@code count} bytes, or fewer if the file ends before. */
    private static ByteBuffer bytes(Path file, long offset, int count) throws IOException {
        ByteBuffer bytes = ByteBuffer.allocate(count);
        try (FileChannel channel = FileChannel.open(file)) {
            while (bytes.hasRemaining() && channel.read(bytes, offset + bytes.position()) >= 0) {
                continue;
            }
        }
        return bytes.flip();
    }
}
