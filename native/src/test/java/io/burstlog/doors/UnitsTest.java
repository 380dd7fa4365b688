// SPDX-License-Identifier: Apache-2.0
package io.burstlog.doors;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class UnitsTest {

    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "7 B, 7",
        "3 KB, 3072",
        "1.5 mb, 1572864",
        "2G, 2147483648",
        "1 TB, 1099511627776",
        "4096.5 kb, 4194816",
        "9999999999999999999 B, -1",
        "8388608 TB, -1",
        "KB, -1",
        "-1, -1"
    })
    void a_size_is_in_powers_of_1024(String text, long bytes) {
        assertThat(Units.bytesOf(text)).isEqualTo(bytes);
    }

    @ParameterizedTest
    @CsvSource({
        "7, PT0.007S",
        "7 us, PT0.000007S",
        "7 ms, PT0.007S",
        "7s, PT7S",
        "7 min, PT7M",
        "7 H, PT7H",
        "7 d, P7D",
        "7 y,",
        "-1,"
    })
    void a_time_without_a_unit_is_in_milliseconds(String text, Duration time) {
        assertThat(Units.timeOf(text)).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 us", "999 us", "10 ms", "1500 ms", "10 s", "90 s", "5 min", "999999999999 min"})
    void a_time_is_written_as_it_is_read(String text) {
        assertThat(Units.of(Units.timeOf(text))).isEqualTo(text);
    }

    @ParameterizedTest
    @ValueSource(strings = {"1 bytes", "1000 bytes", "4 KB", "64 MB", "1536 MB", "2 GB", "4096 GB"})
    void a_size_is_written_as_it_is_read(String text) {
        assertThat(Units.ofBytes(Units.bytesOf(text.replace(" bytes", "")))).isEqualTo(text);
    }

    @Test
    void nothing_has_the_smallest_unit() {
        assertThat(Units.of(Duration.ZERO)).isEqualTo("0 ns");
        assertThat(Units.ofBytes(0)).isEqualTo("0 bytes");
    }
}
