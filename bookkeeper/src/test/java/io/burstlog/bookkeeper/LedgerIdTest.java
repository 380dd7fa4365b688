// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bookkeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.copy.CopyStore.RefusedException;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Which ledgers are a ring's, and what they say of themselves. */
class LedgerIdTest {

    private static final String RING = "000102030405060708090a0b0c0d0e0f";
    private static final String LAST = "ffffffffffffffffffffffffffffffff";
    private static final LedgerNote NOTE = new LedgerNote(LedgerNote.Kind.COPY, RING, "a writer");

    @Test
    void the_ids_follow_from_ring_and_epoch() {
        // 0001020304 05.. : the first 38 bits are 0x00010203 and 0b000001
        assertThat(LedgerId.of(RING, 1)).isEqualTo(0x4000_0000_0000_0000L | 0x40_80C1L << 24 | 1);
        assertThat(LedgerId.of(LAST, LedgerId.LAST_EPOCH)).isEqualTo(Long.MAX_VALUE);
        assertThat(LedgerId.epoch(LedgerId.of(LAST, 70_000))).isEqualTo(70_000);
        assertThat(LedgerId.of(RING, 2)).isGreaterThan(LedgerId.of(RING, 1));
    }

    @Test
    void a_ledger_is_of_one_ring_or_of_none() {
        long ledger = LedgerId.of(RING, LedgerId.LAST_EPOCH);
        assertThat(LedgerId.isOf(ledger, RING)).isTrue();
        assertThat(LedgerId.isOf(ledger, LAST)).isFalse();
        assertThat(LedgerId.isOurs(ledger)).isTrue();
        assertThat(LedgerId.isOurs(4711)).isFalse();
        assertThat(LedgerId.isOf(4711, RING)).isFalse();
    }

    @Test
    void the_note_is_what_the_ledger_keeps() {
        assertThat(LedgerNote.of(1, NOTE.toMetadata())).isEqualTo(NOTE);
    }

    @Test
    void a_strange_ledger_is_refused_in_a_sentence() {
        assertThatThrownBy(() -> LedgerNote.of(9, Map.of("application", new byte[] {1})))
                .isInstanceOf(RefusedException.class)
                .hasMessage("ledger 9 is none of Burstlog");
        Map<String, byte[]> newer = new HashMap<>(NOTE.toMetadata());
        newer.put("burstlog-format", "2".getBytes());
        assertThatThrownBy(() -> LedgerNote.of(9, newer)).hasMessageContaining("has format 2, which is newer");
        Map<String, byte[]> incomplete = new HashMap<>(NOTE.toMetadata());
        incomplete.remove("burstlog-kind");
        assertThatThrownBy(() -> LedgerNote.of(9, incomplete)).hasMessageContaining("cannot be read");
        assertThatThrownBy(() -> NOTE.requireOf(LAST, 9)).hasMessageContaining("is of ring " + RING);
    }
}
