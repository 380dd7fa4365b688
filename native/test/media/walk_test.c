/* SPDX-License-Identifier: Apache-2.0 */
/* Where the log continues behind a record and behind a gap. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "media/walk.h"

#define BLOCK 4096u
#define CAPACITY (8u * BLOCK)

static const struct walk_shape blocks = {.capacity_bytes = CAPACITY, .block_bytes = BLOCK};
static const struct walk_shape lines = {.capacity_bytes = CAPACITY, .block_bytes = BLOCK, .line_bytes = 64};

static uint64_t end_of(const struct walk_shape *shape, uint64_t position, uint8_t type, uint32_t length,
                       uint8_t flags) {
    const struct record_header header = {.type = type, .length = length, .flags = flags};
    return walk_end_of_record(shape, position, &header);
}

static void the_next_record_is_aligned_or_at_the_next_block_behind_the_last_of_a_commit(void **state) {
    (void)state;
    assert_int_equal(end_of(&blocks, 0, RECORD_DATA, 0, 0), 56);
    assert_int_equal(end_of(&blocks, 0, RECORD_DATA, 1, 0), 64);
    assert_int_equal(end_of(&blocks, 0, RECORD_DATA, 8, 0), 64);
    assert_int_equal(end_of(&blocks, 0, RECORD_DATA, 9, 0), 72);
    assert_int_equal(end_of(&blocks, 0, RECORD_DATA, 1, RECORD_LAST), BLOCK);
    assert_int_equal(end_of(&blocks, 0, RECORD_DATA, BLOCK - RECORD_HEADER_BYTES, RECORD_LAST), BLOCK);
    assert_int_equal(end_of(&blocks, 0, RECORD_DATA, BLOCK - RECORD_HEADER_BYTES + 1, RECORD_LAST), 2 * BLOCK);
    assert_int_equal(end_of(&blocks, CAPACITY - 112, RECORD_DATA, 8, 0), CAPACITY);
    assert_int_equal(end_of(&blocks, CAPACITY - 112, RECORD_DATA, 0, 0), CAPACITY - 56);
}

static void in_memory_the_next_record_stands_at_the_next_line_but_behind_a_marker_at_the_next_block(void **state) {
    (void)state;
    assert_int_equal(end_of(&lines, BLOCK, RECORD_DATA, 256, RECORD_LAST), BLOCK + 320);
    assert_int_equal(end_of(&blocks, BLOCK, RECORD_DATA, 256, RECORD_LAST), 2 * BLOCK);
    assert_int_equal(end_of(&lines, BLOCK, RECORD_DATA, 256, 0), BLOCK + 312);
    assert_int_equal(end_of(&lines, BLOCK, RECORD_MARKER, 56, RECORD_LAST), 2 * BLOCK);
    /* A lap's last line has room for one more header. */
    assert_int_equal(end_of(&lines, CAPACITY - 128, RECORD_DATA, 0, RECORD_LAST), CAPACITY - 64);
    assert_int_equal(end_of(&lines, CAPACITY - 64, RECORD_DATA, 0, RECORD_LAST), CAPACITY);
}

static void a_walk_does_not_begin_where_no_header_fits(void **state) {
    (void)state;
    assert_int_equal(walk_from(&blocks, CAPACITY - 48, 5, 2).position, CAPACITY);
    const struct walk walk = walk_from(&blocks, CAPACITY - 56, 5, 2);
    assert_int_equal(walk.position, CAPACITY - 56);
    assert_int_equal(walk.sequence, 5);
    assert_int_equal(walk.epoch, 2);
}

static void only_data_and_void_records_take_a_sequence(void **state) {
    (void)state;
    static const struct {
        uint8_t type;
        uint64_t sequence;
    } rows[] = {{RECORD_DATA, 8}, {RECORD_VOID, 8}, {RECORD_PAD, 7}, {RECORD_MARKER, 7}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct walk walk = {.position = 2 * BLOCK, .sequence = 7, .epoch = 1};
        const struct record_header header = {.type = rows[i].type, .length = 8, .sequence = 7, .epoch = 3};
        walk_over_record(&walk, &blocks, &header);
        assert_int_equal(walk.position, 2 * BLOCK + 64);
        assert_int_equal(walk.sequence, rows[i].sequence);
        assert_int_equal(walk.epoch, 3);
    }
}

static void behind_a_gap_the_sequences_that_it_lost_are_used_up(void **state) {
    (void)state;
    struct walk walk = {.position = BLOCK, .sequence = 7, .epoch = 1};
    const struct walk_gap gap = {.from = BLOCK, .to = 3 * BLOCK, .first_sequence = 7, .count = 4, .damaged = 1};
    walk_over_gap(&walk, &gap);
    assert_int_equal(walk.position, 3 * BLOCK);
    assert_int_equal(walk.sequence, 11);
    assert_int_equal(walk.epoch, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_next_record_is_aligned_or_at_the_next_block_behind_the_last_of_a_commit),
        cmocka_unit_test(in_memory_the_next_record_stands_at_the_next_line_but_behind_a_marker_at_the_next_block),
        cmocka_unit_test(a_walk_does_not_begin_where_no_header_fits),
        cmocka_unit_test(only_data_and_void_records_take_a_sequence),
        cmocka_unit_test(behind_a_gap_the_sequences_that_it_lost_are_used_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
