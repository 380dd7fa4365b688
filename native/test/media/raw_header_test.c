/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "media/raw_header.h"

#define MIB (1024u * 1024u)

static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static struct raw_header some_header(void) {
    struct raw_header header;
    raw_header_make(&header, 8 * MIB, uuid, 12345);
    return header;
}

static enum raw_verdict judge_with_good_crc(struct raw_header *header) {
    header->crc = crc32c(0, header, offsetof(struct raw_header, crc));
    return raw_header_judge(header);
}

static void a_new_header_is_valid_and_says_what_it_was_told(void **state) {
    (void)state;
    const struct raw_header header = some_header();
    assert_int_equal(raw_header_judge(&header), RAW_VALID);
    assert_memory_equal(&header, "BURSTRAW", 8);
    assert_int_equal(header.version, 1);
    assert_int_equal(header.header_bytes, 512);
    assert_memory_equal(header.uuid, uuid, sizeof uuid);
    assert_int_equal(header.data_offset, MIB);
    assert_int_equal(header.capacity_bytes, 7 * MIB);
    assert_int_equal(header.medium_bytes, 8 * MIB);
    assert_int_equal(header.created_ns, 12345);
}

static void every_flipped_bit_of_a_header_is_noticed(void **state) {
    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof(struct raw_header); bit++) {
        struct raw_header header = some_header();
        ((uint8_t *)&header)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(raw_header_judge(&header), bit < 64 ? RAW_ABSENT : RAW_DAMAGED);
    }
}

static void zeros_and_a_ring_are_no_log_device(void **state) {
    (void)state;
    struct raw_header header = {0};
    assert_int_equal(raw_header_judge(&header), RAW_ABSENT);
    header.magic = SUPERBLOCK_MAGIC;
    assert_int_equal(raw_header_judge(&header), RAW_ABSENT);
}

static void another_version_is_told_apart_from_damage(void **state) {
    (void)state;
    struct raw_header header = some_header();
    header.version = 2;
    assert_int_equal(raw_header_judge(&header), RAW_DAMAGED);
    assert_int_equal(judge_with_good_crc(&header), RAW_UNKNOWN);
}

static void a_geometry_that_no_format_makes_is_damage(void **state) {
    (void)state;
    struct raw_header header = some_header();
    header.data_offset = 2 * MIB;
    assert_int_equal(judge_with_good_crc(&header), RAW_DAMAGED);
    header = some_header();
    header.capacity_bytes = RAW_MIN_CAPACITY_BYTES - 1;
    assert_int_equal(judge_with_good_crc(&header), RAW_DAMAGED);
    header = some_header();
    header.capacity_bytes = 7 * MIB + 1;
    assert_int_equal(judge_with_good_crc(&header), RAW_DAMAGED);
    header = some_header();
    header.capacity_bytes = RAW_MAX_CAPACITY_BYTES + 1;
    header.medium_bytes = UINT64_MAX;
    assert_int_equal(judge_with_good_crc(&header), RAW_DAMAGED);
    header = some_header();
    header.header_bytes = 1024;
    assert_int_equal(judge_with_good_crc(&header), RAW_DAMAGED);
}

static void make_ends(struct raw_end ends[RAW_END_SLOTS], const struct raw_header *header, uint64_t one,
                      uint64_t other) {
    raw_end_make(&ends[0], header, one, 1000 + one);
    raw_end_make(&ends[1], header, other, 1000 + other);
}

static void the_higher_generation_says_how_far_the_log_goes(void **state) {
    (void)state;
    const struct raw_header header = some_header();
    struct raw_end ends[RAW_END_SLOTS];
    make_ends(ends, &header, 7, 8);
    assert_int_equal(raw_end_newest(ends, &header), 1);
    assert_int_equal(ends[1].length, 1008);
    make_ends(ends, &header, 9, 8);
    assert_int_equal(raw_end_newest(ends, &header), 0);
}

static void every_flipped_bit_of_an_end_leaves_the_other_slot(void **state) {
    (void)state;
    const struct raw_header header = some_header();
    for (size_t bit = 0; bit < 8 * sizeof(struct raw_end); bit++) {
        struct raw_end ends[RAW_END_SLOTS];
        make_ends(ends, &header, 7, 8);
        ((uint8_t *)&ends[1])[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(raw_end_newest(ends, &header), 0);
        ((uint8_t *)&ends[0])[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(raw_end_newest(ends, &header), -1);
    }
}

static void an_end_of_another_format_of_the_device_is_none(void **state) {
    (void)state;
    const struct raw_header header = some_header();
    struct raw_header anew = some_header();
    struct raw_end ends[RAW_END_SLOTS];
    anew.uuid[15]++;
    make_ends(ends, &header, 7, 8);
    assert_int_equal(raw_end_newest(ends, &anew), -1);
}

static void an_end_beyond_the_capacity_is_none(void **state) {
    (void)state;
    const struct raw_header header = some_header();
    struct raw_end ends[RAW_END_SLOTS];
    make_ends(ends, &header, 7, 8);
    raw_end_make(&ends[1], &header, 8, header.capacity_bytes);
    assert_int_equal(raw_end_newest(ends, &header), 1);
    raw_end_make(&ends[1], &header, 8, header.capacity_bytes + 1);
    assert_int_equal(raw_end_newest(ends, &header), 0);
    raw_end_make(&ends[1], &header, LAYOUT_NUMBER_MAX + 1, 1);
    assert_int_equal(raw_end_newest(ends, &header), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_header_is_valid_and_says_what_it_was_told),
        cmocka_unit_test(every_flipped_bit_of_a_header_is_noticed),
        cmocka_unit_test(zeros_and_a_ring_are_no_log_device),
        cmocka_unit_test(another_version_is_told_apart_from_damage),
        cmocka_unit_test(a_geometry_that_no_format_makes_is_damage),
        cmocka_unit_test(the_higher_generation_says_how_far_the_log_goes),
        cmocka_unit_test(every_flipped_bit_of_an_end_leaves_the_other_slot),
        cmocka_unit_test(an_end_of_another_format_of_the_device_is_none),
        cmocka_unit_test(an_end_beyond_the_capacity_is_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
