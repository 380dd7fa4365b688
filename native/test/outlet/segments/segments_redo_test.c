/* SPDX-License-Identifier: Apache-2.0 */
/* A redo that stops behind its first batch, and does not find its segment again. */
#include "outlet/segments/segments_log.h"

#define LAST 21

static uint64_t unreadable_from; /* offset; UINT64_MAX: all can be read */

static int64_t read_or_fail(const struct files *files, int file, void *data, size_t bytes, uint64_t offset) {
    return offset >= unreadable_from ? -EIO : files_posix.ops->read(files, file, data, bytes, offset);
}

/* The records up to 6 are noted, in four frames. The redo has written the next batch, and cannot read the one behind it. */
static int begin(void **state) {
    unreadable_from = UINT64_MAX;
    if (log_begin(state) != 0) {
        return 1;
    }
    seg_log.ops.read = read_or_fail;
    seg_log.batch_records = 3;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_write(LAST), 0);
    assert_int_equal(log_reopen(), OUTLET_READY);
    unreadable_from = seg_log.state.length + 1;
    assert_int_equal(log_write(LAST), -EIO);
    assert_int_equal(seg_log.written, 10); /* 7 9 10 */
    unreadable_from = UINT64_MAX;
    return 0;
}

/* Each record behind 6 is there once, in order, from that number on. */
static void assert_has_the_rest(uint64_t first_number) {
    assert_int_equal(log_write(LAST), 0);
    const struct found *found = read_folder(first_number);
    uint64_t sequence = 6;
    for (uint64_t number = first_number; sequence < LAST; number++) {
        sequence = sequence_behind(sequence);
        assert_int_equal(found->sequences[number], sequence);
    }
    assert_int_equal(found->frames, 10);
}

static void what_it_had_written_is_in_the_next_segment_if_its_own_is_gone(void **state) {
    (void)state;
    assert_int_equal(unlink(segment_path(1)), 0);
    assert_has_the_rest(5);
    assert_told("is gone");
}

static void or_was_cut(void **state) {
    (void)state;
    assert_int_equal(truncate(segment_path(1), 300), 0);
    assert_has_the_rest(5);
    assert_told("is not as the log wrote it");
}

static void or_its_folder_is_begun_anew(void **state) {
    (void)state;
    char command[700];
    snprintf(command, sizeof command, "rm -r '%s'/* && : > '%s/head'", seg_log.path, seg_log.path);
    assert_int_equal(system(command), 0);
    assert_has_the_rest(5);
    assert_told("was begun anew");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, log_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_it_had_written_is_in_the_next_segment_if_its_own_is_gone),
        TEST(or_was_cut),
        TEST(or_its_folder_is_begun_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
