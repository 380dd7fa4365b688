// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which ledgers are a folder's, and what they say of themselves. */
class LedgerIdTest {

    private static final String LAST = "ffffffffffffffffffffffffffffffff";

    @Test
    void the_ids_follow_from_folder_and_epoch() {
        // 0001020304 05.. : the first 38 bits are 0x00010203 and 0b000001
        assertThat(LedgerId.of(Blocks.FOLDER, 1)).isEqualTo(0x4000_0000_0000_0000L | 0x40_80C1L << 24 | 1);
        assertThat(LedgerId.of(LAST, LedgerId.LAST_EPOCH)).isEqualTo(Long.MAX_VALUE);
        assertThat(LedgerId.epoch(LedgerId.of(LAST, 70_000))).isEqualTo(70_000);
        assertThat(LedgerId.of(Blocks.FOLDER, 2)).isGreaterThan(LedgerId.of(Blocks.FOLDER, 1));
    }

    @Test
    void a_ledger_is_of_one_folder_or_of_none() {
        long ledger = LedgerId.of(Blocks.FOLDER, LedgerId.LAST_EPOCH);
        assertThat(LedgerId.isOf(ledger, Blocks.FOLDER)).isTrue();
        assertThat(LedgerId.isOf(ledger, LAST)).isFalse();
        assertThat(LedgerId.isOurs(ledger)).isTrue();
        assertThat(LedgerId.isOurs(4711)).isFalse();
        assertThat(LedgerId.isOf(4711, Blocks.FOLDER)).isFalse();
    }

    @Test
    void the_note_is_what_the_ledger_keeps() {
        LedgerNote note =
                new LedgerNote(LedgerNote.Kind.COPY, Blocks.FOLDER, "Aufträge", Blocks.RING, 12, 34, "a writer");
        assertThat(LedgerNote.of(1, note.toMetadata())).isEqualTo(note);
    }

    @Test
    void a_strange_ledger_is_refused_in_a_sentence() {
        assertThatThrownBy(() -> LedgerNote.of(9, Map.of("application", new byte[] {1})))
                .isInstanceOf(RefusedException.class)
                .hasMessage("ledger 9 is none of Burstlog");
        Map<String, byte[]> newer = new HashMap<>(Blocks.note(1).toMetadata());
        newer.put("burstlog-format", "2".getBytes());
        assertThatThrownBy(() -> LedgerNote.of(9, newer)).hasMessageContaining("has format 2, which is newer");
        Map<String, byte[]> incomplete = new HashMap<>(Blocks.note(1).toMetadata());
        incomplete.remove("burstlog-first");
        assertThatThrownBy(() -> LedgerNote.of(9, incomplete)).hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> Blocks.note(1).requireOf(Blocks.OTHER_FOLDER, 9))
                .hasMessageContaining("is of folder " + Blocks.FOLDER);
    }
}
