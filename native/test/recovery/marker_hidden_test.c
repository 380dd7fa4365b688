/* SPDX-License-Identifier: Apache-2.0 */
/* Unreadable blocks may hide records and markers; these tests look where the marker goes then. */
#include "recovery/log_image.h"

static uint8_t unreadable[CAPACITY / BLOCK / 8 + 1];

static int begin(void **state) {
    memset(unreadable, 0, sizeof unreadable);
    return empty_ring(state);
}

static void hide(uint64_t position) {
    const uint64_t block = position % CAPACITY / BLOCK;
    unreadable[block / 8] |= (uint8_t)(1u << block % 8);
    memset(image + block * BLOCK, 0, BLOCK); /* the reader of a medium leaves such blocks as zeros */
}

static void recover_around(void) {
    const struct recovery_input input = {
        .image = image, .shape = log_shape, .crc_seed = CRC_SEED, .head = head, .unreadable = unreadable};
    recovery_free(&recovery);
    assert_int_equal(recovery_run(&platform_linux, &input, &recovery), 0);
}

/* Puts a log of one record; returns where it ends. */
static uint64_t put_a_log(void) {
    put_marker(0, NULL);
    put_record();
    return writer.position;
}

static void a_marker_of_which_a_later_one_may_be_hidden_does_not_give_way(void **state) {
    (void)state;
    const uint64_t unused = put_marker(put_a_log(), NULL);
    recover_around();
    assert_int_equal(recovery.marker_position, unused + BLOCK); /* in turn */
    hide(unused + BLOCK);
    hide(unused + 2 * BLOCK);
    recover_around();
    assert_int_equal(recovery.hidden_to, unused + 3 * BLOCK);
    assert_int_equal(recovery.marker_position, unused + 3 * BLOCK);
    assert_int_equal(recovery.log_end, unused + BLOCK);
}

/* An open put its marker behind the failed writes, and that marker cannot be read. */
static void a_marker_behind_failed_writes_may_be_hidden(void **state) {
    (void)state;
    const uint64_t end = put_a_log();
    head.in_flight_end = end + 2 * BLOCK;
    recover_around();
    assert_int_equal(recovery.hidden_to, 0);
    assert_int_equal(recovery.marker_position, end + 2 * BLOCK);
    for (uint64_t block = 2; block < 4; block++) {
        memset(unreadable, 0, sizeof unreadable);
        hide(end + block * BLOCK);
        recover_around();
        assert_int_equal(recovery.hidden_to, end + (block + 1) * BLOCK);
        assert_int_equal(recovery.marker_position, end + (block + 1) * BLOCK);
    }
    memset(unreadable, 0, sizeof unreadable);
    hide(end + 4 * BLOCK); /* no marker would go there */
    recover_around();
    assert_int_equal(recovery.hidden_to, 0);
}

/* Behind the end of the window come the places of its beginning, whose records wait or are drained. */
static void what_cannot_be_read_at_the_beginning_of_a_full_ring_hides_nothing_at_its_end(void **state) {
    (void)state;
    put_marker(0, NULL);
    while (writer.position < CAPACITY - BLOCK) {
        put_record();
    }
    put_marker(writer.position, NULL);
    hide(0);
    recover_around();
    assert_int_equal(recovery.hidden_to, 0);
    assert_int_equal(recovery.epoch_highest, 2);
}

/* A hidden record may be of the greatest length, and a marker may come before it. */
static void records_behind_a_hidden_one_are_thought_of_as_far_as_it_may_reach(void **state) {
    (void)state;
    const uint64_t end = put_a_log();
    const uint64_t reach = CAPACITY / 4 + 2 * BLOCK;
    hide(end);
    hide(end + reach);
    recover_around();
    assert_int_equal(recovery.hidden_to, end + reach + BLOCK);
    memset(unreadable, 0, sizeof unreadable);
    hide(end);
    hide(end + reach + BLOCK);
    recover_around();
    assert_int_equal(recovery.hidden_to, end + BLOCK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_marker_of_which_a_later_one_may_be_hidden_does_not_give_way, begin,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(a_marker_behind_failed_writes_may_be_hidden, begin, free_recovery),
        cmocka_unit_test_setup_teardown(what_cannot_be_read_at_the_beginning_of_a_full_ring_hides_nothing_at_its_end,
                                        begin, free_recovery),
        cmocka_unit_test_setup_teardown(records_behind_a_hidden_one_are_thought_of_as_far_as_it_may_reach, begin,
                                        free_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
