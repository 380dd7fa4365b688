// SPDX-License-Identifier: Apache-2.0
package io.burstlog.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class UnitsTest {

    @ParameterizedTest
    @CsvSource({
        "7, 7",
        "7 B, 7",
        "3 KB, 3072",
        "1.5 mb, 1572864",
        "2G, 2147483648",
        "1 TB, 1099511627776",
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
}
