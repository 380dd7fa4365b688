/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"

/* RFC 3720, appendix B.4. */
static void known_inputs_have_the_sums_of_rfc_3720(void **state) {
    (void)state;
    uint8_t bytes[48];
    memset(bytes, 0, 32);
    assert_int_equal(crc32c(0, bytes, 32), 0x8a9136aau);
    memset(bytes, 0xff, 32);
    assert_int_equal(crc32c(0, bytes, 32), 0x62a8ab43u);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)i;
    assert_int_equal(crc32c(0, bytes, 32), 0x46dd794eu);
    for (int i = 0; i < 32; i++)
        bytes[i] = (uint8_t)(31 - i);
    assert_int_equal(crc32c(0, bytes, 32), 0x113fdb5cu);
    const uint8_t iscsi_read[48] = {0x01, 0xc0, 0, 0, 0, 0, 0,    0, 0,    0, 0, 0,    0, 0, 0, 0,
                                    0x14, 0,    0, 0, 0, 0, 0x04, 0, 0,    0, 0, 0x14, 0, 0, 0, 0x18,
                                    0x28, 0,    0, 0, 0, 0, 0,    0, 0x02, 0, 0, 0,    0, 0, 0, 0};
    assert_int_equal(crc32c(0, iscsi_read, 48), 0xd9963a56u);
    assert_int_equal(crc32c(0, "123456789", 9), 0xe3069283u);
    assert_int_equal(crc32c(0, "", 0), 0);
    assert_int_equal(crc32c_portable(0, iscsi_read, 48), 0xd9963a56u);
    assert_int_equal(crc32c_portable(0, "123456789", 9), 0xe3069283u);
}

static uint8_t noise[3 * 4096 * 2 + 1000];

static int fill_noise(void **state) {
    (void)state;
    uint64_t seed = 42;
    for (size_t i = 0; i < sizeof(noise); i++) {
        seed = seed * 6364136223846793005ull + 1442695040888963407ull;
        noise[i] = (uint8_t)(seed >> 56);
    }
    return 0;
}

/* Bit by bit, straight from the definition. */
static uint32_t crc32c_by_definition(uint32_t seed, const uint8_t *data, size_t length) {
    uint32_t crc = ~seed;
    for (size_t i = 0; i < length; i++) {
        crc ^= data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc & 1 ? crc >> 1 ^ 0x82f63b78u : crc >> 1;
    }
    return ~crc;
}

static void fast_and_portable_agree_with_the_definition_at_every_length_and_alignment(void **state) {
    (void)state;
    for (size_t length = 0; length <= 1700; length += length < 600 ? 1 : 7) {
        for (size_t start = 0; start < 9; start++) {
            uint32_t expected = crc32c_by_definition(7, noise + start, length);
            assert_int_equal(crc32c(7, noise + start, length), expected);
            assert_int_equal(crc32c_portable(7, noise + start, length), expected);
        }
    }
    for (size_t length = 12200; length <= sizeof(noise) - 8; length += 1021) {
        uint32_t expected = crc32c_by_definition(0, noise + 3, length);
        assert_int_equal(crc32c(0, noise + 3, length), expected);
        assert_int_equal(crc32c_portable(0, noise + 3, length), expected);
    }
}

static void a_copy_has_the_bytes_and_their_sum_at_every_length_and_alignment(void **state) {
    (void)state;
    static uint8_t copy[sizeof noise + 16];
    for (size_t length = 0; length <= sizeof noise - 8; length += length < 1100 ? 1 : 1021) {
        uint8_t *to = copy + length % 8;
        const uint8_t *from = noise + length % 7;
        memset(copy, 0x55, sizeof copy);
        assert_int_equal(crc32c_copy(to, from, length), crc32c_by_definition(0, from, length));
        assert_memory_equal(to, from, length);
        assert_int_equal(to[length], 0x55);
    }
}

static void the_sum_of_52_bytes_is_that_of_any_bytes(void **state) {
    (void)state;
    for (size_t start = 0; start < 1000; start++) {
        assert_int_equal(crc32c_52((uint32_t)start, noise + start),
                         crc32c_by_definition((uint32_t)start, noise + start, 52));
    }
}

static void a_sum_goes_on_over_pieces(void **state) {
    (void)state;
    uint32_t whole = crc32c(0, noise, sizeof(noise));
    for (size_t cut = 0; cut < sizeof(noise); cut += 997) {
        assert_int_equal(crc32c(crc32c(0, noise, cut), noise + cut, sizeof(noise) - cut), whole);
        assert_int_equal(crc32c_portable(crc32c(0, noise, cut), noise + cut, sizeof(noise) - cut), whole);
    }
}

static void every_flipped_bit_changes_the_sum(void **state) {
    (void)state;
    uint32_t good = crc32c(0, noise, 900);
    for (size_t bit = 0; bit < 900 * 8; bit += 11) {
        noise[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_not_equal(crc32c(0, noise, 900), good);
        noise[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_inputs_have_the_sums_of_rfc_3720),
        cmocka_unit_test(fast_and_portable_agree_with_the_definition_at_every_length_and_alignment),
        cmocka_unit_test(a_copy_has_the_bytes_and_their_sum_at_every_length_and_alignment),
        cmocka_unit_test(the_sum_of_52_bytes_is_that_of_any_bytes),
        cmocka_unit_test(a_sum_goes_on_over_pieces),
        cmocka_unit_test(every_flipped_bit_changes_the_sum),
    };
    return cmocka_run_group_tests(tests, fill_noise, NULL);
}
