// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.ConsumedRecords.Kind;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.Test;

/** The format of an entry, and that nothing else is taken for one. */
class BlockTest {

    private static Block read(byte[] entry) {
        return Block.read(entry, Blocks.FOLDER, "entry 7 of ledger 9");
    }

    private static void assertRefused(byte[] entry, String words) {
        assertThatThrownBy(() -> read(entry))
                .isInstanceOf(RefusedException.class)
                .hasMessageContaining("entry 7 of ledger 9")
                .hasMessageContaining(words);
    }

    /** Changes a value, and makes the CRC right again. */
    private static byte[] changed(Block block, int at, long value, int bytes) {
        byte[] copy = block.bytes().clone();
        ByteBuffer view = ByteBuffer.wrap(copy).order(ByteOrder.LITTLE_ENDIAN);
        if (bytes == Integer.BYTES) {
            view.putInt(at, (int) value);
        } else {
            view.putLong(at, value);
        }
        CRC32C crc = new CRC32C();
        crc.update(copy, 8, copy.length - 8);
        view.putInt(4, (int) crc.getValue());
        return copy;
    }

    @Test
    void what_is_written_is_read() {
        Block written = Blocks.of(Blocks.record(5), Blocks.missing(6, 8), Blocks.record(9));
        Block read = read(written.bytes());
        assertThat(read.folderId()).isEqualTo(Blocks.FOLDER);
        assertThat(read.ring()).isEqualTo(Blocks.RING);
        assertThat(read.first()).isEqualTo(5);
        assertThat(read.last()).isEqualTo(9);
        assertThat(read.lastSequence()).isEqualTo(1009);
        assertThat(read.entries()).isEqualTo(written.entries());
        assertThat(read.entries().get(1).kind()).isEqualTo(Kind.MISSING);
        assertThat(read.entries().get(1).first()).isEqualTo(6);
        assertThat(Blocks.text(read.entries().get(2))).isEqualTo("record 9");
    }

    /** Each byte by the table of docs/bookkeeper.md. */
    @Test
    void its_bytes_are_those_of_the_page() {
        byte[] bytes = Blocks.of(Blocks.record(1)).bytes();
        String head = "424c4b31" + "%08x" + "70000000" + "01000000" + Blocks.FOLDER + Blocks.RING
                + "0100000000000000" + "0100000000000000" + "08000000" + "00000000" + "0100000000000000"
                + "e903000000000000" + "4d00000000000000" + "0100000000000000" + "7265636f72642031";
        CRC32C crc = new CRC32C();
        crc.update(bytes, 8, bytes.length - 8);
        assertThat(HexFormat.of().formatHex(bytes))
                .isEqualTo(head.formatted(Integer.reverseBytes((int) crc.getValue())));
    }

    @Test
    void a_torn_block_is_refused_at_each_length() {
        byte[] whole = Blocks.of(1, 3).bytes();
        for (int length = 0; length < whole.length; length++) {
            assertRefused(Arrays.copyOf(whole, length), "");
        }
        assertRefused(Arrays.copyOf(whole, whole.length + 1), "is damaged");
    }

    @Test
    void each_changed_bit_is_found() {
        byte[] whole = Blocks.of(1, 2).bytes();
        for (int bit = 0; bit < whole.length * Byte.SIZE; bit++) {
            byte[] changed = whole.clone();
            changed[bit / Byte.SIZE] ^= (byte) (1 << bit % Byte.SIZE);
            assertRefused(changed, "");
        }
    }

    @Test
    void a_foreign_entry_and_one_of_another_folder_are_refused() {
        assertRefused(
                "some other program's entry, which is long enough to be a block of its own".getBytes(), "no block");
        byte[] others = Block.of(
                        Blocks.OTHER_FOLDER, Blocks.RING, Blocks.of(1, 2).entries())
                .bytes();
        assertRefused(others, "is of folder " + Blocks.OTHER_FOLDER);
    }

    /** A program that writes a wrong block writes a right CRC. */
    @Test
    void numbers_with_a_gap_and_lengths_that_do_not_fit_are_refused() {
        Block block = Blocks.of(4, 6);
        int second = Block.HEAD_BYTES + Block.RECORD_HEAD_BYTES + "record 4".length();
        assertRefused(Blocks.of(Blocks.record(4), Blocks.record(6)).bytes(), "do not go from number 4 to number 6");
        assertRefused(Blocks.of(Blocks.record(5), Blocks.record(4)).bytes(), "no valid block");
        assertRefused(changed(block, 12, 2, Integer.BYTES), "no valid block");
        assertRefused(changed(block, 48, 3, Long.BYTES), "no valid block");
        assertRefused(changed(block, 56, 7, Long.BYTES), "no valid block");
        assertRefused(changed(block, second, 9, Integer.BYTES), "no valid block");
        assertRefused(changed(block, second, -1, Integer.BYTES), "no valid block");
        assertRefused(changed(block, second, 1 << 30, Integer.BYTES), "no valid block");
        assertRefused(changed(block, second + 4, 9, Integer.BYTES), "no valid block");
        assertRefused(changed(block, second + 32, 0, Long.BYTES), "no valid block");
    }
}
