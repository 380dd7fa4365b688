// SPDX-License-Identifier: Apache-2.0
package io.burstlog.copy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.burstlog.BurstException;
import io.burstlog.copy.CopyPlace.Medium;
import org.junit.jupiter.api.Test;

class CopyPlaceTest {

    @Test
    void aDiskBeatsMemoryAndMoreBeatFewer() {
        CopyPlace memory = new CopyPlace(Medium.MEMORY, 3, 3, "brokers");
        CopyPlace disk = new CopyPlace(Medium.DISK, 1, 3, "bookies");

        assertThat(disk.isAtLeast(memory)).isTrue();
        assertThat(memory.isAtLeast(disk)).isFalse();
        assertThat(memory.isAtLeast(CopyPlace.parse("memory of 3"))).isTrue();
        assertThat(memory.isAtLeast(CopyPlace.parse("memory of 4"))).isFalse();
    }

    @Test
    void aPlaceIsWrittenAsItIsRead() {
        assertThat(new CopyPlace(Medium.DISK, 2, 3, "bookies")).hasToString("disk of 2 of 3 bookies");
        assertThat(CopyPlace.parse("disk of 2")).hasToString("disk of 2");
        assertThat(CopyPlace.parse("memory of 12").copies()).isEqualTo(12);
    }

    @Test
    void otherTextsAreRefusedWithOneSentence() {
        for (String text : new String[] {"", "disk", "disk of 0", "Disk of 2", "tape of 2", "disk of 2 bookies"}) {
            assertThatThrownBy(() -> CopyPlace.parse(text))
                    .isInstanceOf(BurstException.class)
                    .hasMessageContaining("\"" + text + "\" is no place of a copy; write memory of 2");
        }
    }
}
