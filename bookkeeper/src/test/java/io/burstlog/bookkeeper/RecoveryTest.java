// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** The order in which ledgers are put together. */
class RecoveryTest {

    private final List<String> found = new ArrayList<>();
    private final List<String> gaps = new ArrayList<>();

    private record Ledger(LedgerNote note, List<Block> blocks) implements Recovery.Source {

        static Ledger of(long first, Block... blocks) {
            return new Ledger(Blocks.note(first), List.of(blocks));
        }

        @Override
        public void read(Recovery.Reader reader) throws IOException {
            for (Block each : blocks) {
                reader.block(each);
            }
        }
    }

    private long recover(Ledger... chain) throws Exception {
        return Recovery.run(List.of(chain), new Recovery.Sink() {
            @Override
            public void record(Block.Entry record) {
                found.add(Blocks.text(record));
            }

            @Override
            public void gap(long first, long last) {
                gaps.add(first + "-" + last);
            }
        });
    }

    private static List<String> records(long first, long last) {
        return LongStream.rangeClosed(first, last)
                .mapToObj(each -> "record " + each)
                .toList();
    }

    @Test
    void ledgers_follow_each_other() throws Exception {
        long last =
                recover(Ledger.of(3, Blocks.of(3, 5), Blocks.of(6, 6)), Ledger.of(7), Ledger.of(7, Blocks.of(7, 9)));
        assertThat(last).isEqualTo(9);
        assertThat(found).isEqualTo(records(3, 9));
        assertThat(gaps).isEmpty();
    }

    /** The end of an older ledger may have records that a later writer did not find. */
    @Test
    void from_its_first_number_on_a_later_ledger_counts_alone() throws Exception {
        Block.Entry other =
                new Block.Entry(Blocks.record(4).kind(), 4, 9, 9, 1, ByteBuffer.wrap("another one".getBytes()));
        recover(Ledger.of(1, Blocks.of(1, 3), Blocks.of(other)), Ledger.of(4, Blocks.of(4, 5)));
        assertThat(found).isEqualTo(records(1, 5));
        assertThat(gaps).isEmpty();
    }

    @Test
    void a_record_that_comes_twice_is_recovered_once() throws Exception {
        recover(Ledger.of(1, Blocks.of(1, 3), Blocks.of(2, 4)));
        assertThat(found).isEqualTo(records(1, 4));
    }

    @Test
    void what_no_ledger_has_is_told() throws Exception {
        recover(Ledger.of(5, Blocks.of(5, 6)), Ledger.of(9, Blocks.of(9, 9)));
        assertThat(gaps).containsExactly("7-8");
        assertThat(found).containsExactly("record 5", "record 6", "record 9");
    }

    @Test
    void what_takes_a_folder_over_has_no_records() throws Exception {
        LedgerNote taken = new LedgerNote(LedgerNote.Kind.TAKEN, Blocks.FOLDER, "", "", 0, 0, "recovery");
        assertThat(recover(Ledger.of(1, Blocks.of(1, 2)), new Ledger(taken, List.of())))
                .isEqualTo(2);
        assertThat(found).isEqualTo(records(1, 2));
    }
}
