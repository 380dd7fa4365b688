/* SPDX-License-Identifier: Apache-2.0 */
/* When the marker of an open that wrote nothing may be replaced in place, and when the next one goes behind it. */
#include "recovery/log_image.h"

static uint64_t marker_position;

/* A log of one record, and an open after it that wrote nothing but its marker. */
static int unused_marker(void **state) {
    empty_ring(state);
    put_marker(0, NULL);
    put_record();
    marker_position = put_marker(writer.position, NULL);
    return 0;
}

static void assert_replaced(void) {
    recover();
    assert_int_equal(recovery.log_end, marker_position + BLOCK);
    assert_int_equal(recovery.marker_position, marker_position);
    assert_int_equal(recovery.marker_log_end, marker_position);
}

static void assert_not_replaced(void) {
    recover();
    assert_true(recovery.marker_position >= marker_position + BLOCK);
    assert_int_equal(recovery.marker_log_end, recovery.log_end);
}

static void a_marker_that_nothing_followed_is_replaced(void **state) {
    (void)state;
    assert_replaced();
}

static void not_if_a_record_of_its_epoch_follows(void **state) {
    (void)state;
    put_record();
    assert_not_replaced();
    assert_int_equal(recovery.marker_position, writer.position);
}

static void not_if_its_epoch_wrote_behind_it_what_is_torn_now(void **state) {
    (void)state;
    damage_payload(put_record());
    assert_not_replaced();
    assert_int_equal(recovery.marker_position, marker_position + BLOCK);
}

static void not_if_a_checkpoint_says_that_it_was_durable(void **state) {
    (void)state;
    other.durable_position = marker_position;
    assert_replaced();
    other.durable_position = marker_position + BLOCK;
    other.next_sequence = writer.sequence;
    assert_not_replaced();
}

static void not_if_a_failed_write_may_reach_behind_it(void **state) {
    (void)state;
    other.in_flight_end = marker_position;
    assert_replaced();
    other.in_flight_end = marker_position + BLOCK;
    assert_not_replaced();
}

static void one_that_lists_losses_only_if_no_other_block_is_left(void **state) {
    (void)state;
    empty_ring(state);
    put_marker(0, NULL);
    const uint64_t lost = put_record();
    const struct marker_loss loss = {.from = lost, .to = lost + BLOCK, .first_sequence = 1, .count = 1};
    for (int i = 0; i < 4; i++) {
        put_record();
    }
    marker_position = put_marker(writer.position, &loss);
    assert_int_equal(marker_position, 6 * BLOCK);
    assert_not_replaced();
    struct marker marker;
    recovery_make_marker(&recovery, 3, 0, &marker);
    assert_int_equal(marker.loss_count, 0); /* the one before it stays and has them */

    writer.position = marker_position;
    writer.epoch = 1;
    writer.sequence = 6;
    put_record();
    marker_position = put_marker(writer.position, &loss);
    assert_int_equal(marker_position, 7 * BLOCK);
    assert_replaced();
    recovery_make_marker(&recovery, 3, 0, &marker);
    assert_int_equal(marker.loss_count, 1);
    assert_memory_equal(&marker.losses[0], &loss, sizeof loss);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_marker_that_nothing_followed_is_replaced, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(not_if_a_record_of_its_epoch_follows, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(not_if_its_epoch_wrote_behind_it_what_is_torn_now, unused_marker,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(not_if_a_checkpoint_says_that_it_was_durable, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(not_if_a_failed_write_may_reach_behind_it, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(one_that_lists_losses_only_if_no_other_block_is_left, unused_marker,
                                        free_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
