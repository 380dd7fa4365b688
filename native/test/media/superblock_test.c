/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "media/superblock.h"

#define MIB (1024u * 1024u)

static const uint8_t uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};

static struct superblock some_superblock(void) {
    struct superblock superblock;
    superblock_make(&superblock, 3 * MIB + 5000, 8 * MIB, 4096, 512, 0, uuid, 12345);
    return superblock;
}

static enum superblock_verdict judge_with_good_crc(struct superblock *superblock) {
    superblock->crc = crc32c(0, superblock, offsetof(struct superblock, crc));
    return superblock_judge(superblock);
}

static void a_new_superblock_is_valid_and_says_what_it_was_told(void **state) {
    (void)state;
    const struct superblock superblock = some_superblock();
    assert_int_equal(superblock_judge(&superblock), SUPERBLOCK_VALID);
    assert_int_equal(superblock.magic, SUPERBLOCK_MAGIC);
    assert_int_equal(superblock.version, 2);
    assert_int_equal(superblock.data_offset, MIB);
    assert_int_equal(superblock.capacity_bytes, 2 * MIB + 4096);
    assert_int_equal(superblock.medium_bytes, 8 * MIB);
    assert_int_equal(superblock.block_bytes, 4096);
    assert_int_equal(superblock.logical_block_bytes, 512);
    assert_int_equal(superblock.record_align_bytes, 8);
    assert_int_equal(superblock.checkpoint_bytes, LAYOUT_CHECKPOINT_BYTES);
    assert_int_equal(superblock.created_ns, 12345);
    assert_memory_equal(superblock.uuid, uuid, sizeof uuid);
}

static void every_flipped_bit_is_noticed(void **state) {
    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof(struct superblock); bit++) {
        struct superblock superblock = some_superblock();
        ((uint8_t *)&superblock)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(superblock_judge(&superblock), bit < 64 ? SUPERBLOCK_ABSENT : SUPERBLOCK_DAMAGED);
    }
}

static void zeros_are_no_superblock(void **state) {
    (void)state;
    struct superblock superblock = {0};
    assert_int_equal(superblock_judge(&superblock), SUPERBLOCK_ABSENT);
}

static void another_version_and_unknown_incompatible_features_are_told_apart_from_damage(void **state) {
    (void)state;
    struct superblock superblock = some_superblock();
    superblock.version = LAYOUT_VERSION + 1;
    assert_int_equal(judge_with_good_crc(&superblock), SUPERBLOCK_UNKNOWN);
    superblock.version = 1;
    assert_int_equal(judge_with_good_crc(&superblock), SUPERBLOCK_UNKNOWN);
    superblock = some_superblock();
    superblock.incompatible = SUPERBLOCK_LINES << 1;
    assert_int_equal(judge_with_good_crc(&superblock), SUPERBLOCK_UNKNOWN);
    superblock.incompatible = 1ull << 63;
    assert_int_equal(judge_with_good_crc(&superblock), SUPERBLOCK_UNKNOWN);
    superblock = some_superblock();
    superblock.record_align_bytes = 64;
    assert_int_equal(judge_with_good_crc(&superblock), SUPERBLOCK_UNKNOWN);
}

static void a_ring_in_memory_says_that_its_commits_end_at_lines(void **state) {
    (void)state;
    struct superblock superblock = some_superblock();
    assert_int_equal(superblock_line_bytes(&superblock), 0);
    superblock_make(&superblock, 3 * MIB, 8 * MIB, 4096, 4096, SUPERBLOCK_LINES, uuid, 12345);
    assert_int_equal(superblock_judge(&superblock), SUPERBLOCK_VALID);
    assert_int_equal(superblock_line_bytes(&superblock), 64);
}

static void unknown_compatible_features_are_ignored(void **state) {
    (void)state;
    struct superblock superblock = some_superblock();
    superblock.compatible = 1;
    assert_int_equal(judge_with_good_crc(&superblock), SUPERBLOCK_VALID);
}

#define ASSERT_DAMAGED_IF(field, value)                                                                                \
    do {                                                                                                               \
        struct superblock superblock = some_superblock();                                                              \
        superblock.field = (value);                                                                                    \
        assert_int_equal(judge_with_good_crc(&superblock), SUPERBLOCK_DAMAGED);                                        \
    } while (0)

static void a_whole_superblock_with_an_impossible_field_is_damaged(void **state) {
    (void)state;
    ASSERT_DAMAGED_IF(block_bytes, 0);
    ASSERT_DAMAGED_IF(block_bytes, 2048);
    ASSERT_DAMAGED_IF(block_bytes, 5000);
    ASSERT_DAMAGED_IF(block_bytes, 2 * LAYOUT_MAX_BLOCK_BYTES);
    ASSERT_DAMAGED_IF(superblock_bytes, 256);
    ASSERT_DAMAGED_IF(checkpoint_bytes, 4096);
    ASSERT_DAMAGED_IF(data_offset, 2 * LAYOUT_DATA_OFFSET);
    ASSERT_DAMAGED_IF(capacity_bytes, 2 * MIB + 512);
    ASSERT_DAMAGED_IF(capacity_bytes, 7 * 4096);
    ASSERT_DAMAGED_IF(capacity_bytes, 2 * LAYOUT_MAX_CAPACITY_BYTES);
    ASSERT_DAMAGED_IF(medium_bytes, 3 * MIB);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_superblock_is_valid_and_says_what_it_was_told),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(zeros_are_no_superblock),
        cmocka_unit_test(another_version_and_unknown_incompatible_features_are_told_apart_from_damage),
        cmocka_unit_test(a_ring_in_memory_says_that_its_commits_end_at_lines),
        cmocka_unit_test(unknown_compatible_features_are_ignored),
        cmocka_unit_test(a_whole_superblock_with_an_impossible_field_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
