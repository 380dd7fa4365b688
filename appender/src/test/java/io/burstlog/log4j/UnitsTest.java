// SPDX-License-Identifier: Apache-2.0
package io.burstlog.log4j;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {

    @ParameterizedTest
    @ValueSource(strings = {"1 us", "999 us", "10 ms", "1500 ms", "10 s", "90 s", "5 min", "999999999999 min"})
    void a_time_is_written_as_it_is_read(final String text) {
        assertThat(Units.of(new AttributeReader(Map.of("drainInterval", text)).time("drainInterval")))
                .isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 bytes", "1000 bytes", "4 KB", "64 MB", "1536 MB", "2 GB", "4096 GB"})
    void a_size_is_written_as_it_is_read(final String text) {
        assertThat(Units.ofBytes(new AttributeReader(Map.of("ringSize", text.replace(" bytes", ""))).size("ringSize")))
                .isEqualTo(text);
    }

    @Test
    void nothing_has_the_smallest_unit() {
        assertThat(Units.of(Duration.ZERO)).isEqualTo("0 ns");
        assertThat(Units.ofBytes(0)).isEqualTo("0 bytes");
    }
}
