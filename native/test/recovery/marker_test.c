/* SPDX-License-Identifier: Apache-2.0 */
/* The place of the next epoch's marker: one of two blocks in turn as long as nothing follows it, else behind all. */
#include "recovery/log_image.h"

static uint64_t marker_position;

/* Makes a log of one record, and an open after it that wrote only its marker. */
static int unused_marker(void **state) {
    empty_ring(state);
    put_marker(0, NULL);
    put_record();
    marker_position = put_marker(writer.position, NULL);
    return 0;
}

static void assert_takes_turns(void) {
    recover();
    assert_int_equal(recovery.log_end, marker_position);
    assert_int_equal(recovery.marker_position, marker_position + BLOCK);
}

static void assert_goes_behind(uint64_t position) {
    recover();
    assert_int_equal(recovery.log_end, position);
    assert_int_equal(recovery.marker_position, position);
}

static void a_marker_that_nothing_followed_gives_way_to_one_in_the_other_block(void **state) {
    (void)state;
    assert_takes_turns();
}

/* Opens without end use two blocks: each marker names the same end of the log, and the newest one counts. */
static void the_two_blocks_take_turns(void **state) {
    (void)state;
    const uint64_t end = marker_position;
    for (int i = 0; i < 5; i++) {
        recover();
        assert_int_equal(recovery.log_end, end);
        assert_int_equal(recovery.marker_position, end + (i % 2 == 0 ? BLOCK : 0));
        assert_int_equal(recovery.epoch_highest, writer.epoch);
        assert_int_equal(recovery.marker_first_position, end);
        writer.position = recovery.marker_position;
        writer.marker_in_turn = i % 2 == 0;
        put_marker(end, NULL);
    }
    const uint64_t first_of_it = put_record();
    recover();
    assert_int_equal(recovery.records, 2);
    assert_jump(0, end, first_of_it - BLOCK, 0, 0, 0);
}

static void a_torn_marker_leaves_the_one_before_it(void **state) {
    (void)state;
    const uint64_t end = marker_position;
    writer.marker_in_turn = 1;
    put_marker(end, NULL);
    damage_block(end + BLOCK);
    assert_takes_turns();
    writer.position = end + BLOCK;
    put_marker(end, NULL);
    damage_block(end);
    recover();
    assert_int_equal(recovery.log_end, end);
    assert_int_equal(recovery.marker_position, end);
    assert_int_equal(recovery.jump_count, 0);
}

static void behind_failed_writes_the_two_blocks_take_turns_as_well(void **state) {
    (void)state;
    const uint64_t end = marker_position;
    head.in_flight_end = writer.position = end + 2 * BLOCK;
    damage_block(end);
    for (int i = 0; i < 3; i++) {
        writer.marker_in_turn = i % 2;
        put_marker(end, NULL);
        recover();
        head.in_flight_end = 0; /* the marker itself says in which of the two blocks it is */
        assert_int_equal(recovery.log_end, end);
        assert_int_equal(recovery.marker_position, end + (i % 2 == 0 ? 3 : 2) * BLOCK);
        assert_int_equal(recovery.jump_count, 0);
        writer.position = recovery.marker_position;
    }
}

static void not_if_a_record_of_its_epoch_follows(void **state) {
    (void)state;
    put_record();
    assert_goes_behind(writer.position);
}

static void not_if_its_epoch_wrote_behind_it_what_is_torn_now(void **state) {
    (void)state;
    damage_payload(put_record());
    assert_goes_behind(marker_position + BLOCK);
}

/* The epoch wrote behind its marker. The next epoch's marker took the place of those records, and only its header
 * got through: that header proves everything before it. */
static void not_if_a_torn_marker_behind_it_proves_that_it_was_durable(void **state) {
    (void)state;
    const uint64_t end = marker_position;
    writer.marker_in_turn = 1;
    const uint64_t used = put_marker(end, NULL);
    writer.marker_in_turn = 0;
    damage_payload(put_marker(used + BLOCK, NULL));
    assert_goes_behind(used + BLOCK);
    writer.position = recovery.marker_position;
    put_marker(recovery.log_end, NULL);
    recover();
    assert_int_equal(recovery.records, 1);
    assert_jump(0, end, used, 0, 0, 0);
    assert_int_equal(recovery.jump_count, 1); /* and nothing looks damaged */
}

static void not_if_a_checkpoint_says_that_it_was_durable(void **state) {
    (void)state;
    head.durable_position = marker_position;
    assert_takes_turns();
    head.durable_position = marker_position + BLOCK;
    head.durable_sequence = writer.sequence;
    assert_goes_behind(marker_position + BLOCK);
}

static void not_if_a_failed_write_may_reach_behind_it(void **state) {
    (void)state;
    head.in_flight_end = marker_position;
    assert_takes_turns();
    head.in_flight_end = marker_position + BLOCK;
    assert_goes_behind(marker_position + BLOCK);
}

static void one_that_takes_its_place_lists_its_losses(void **state) {
    (void)state;
    empty_ring(state);
    put_marker(0, NULL);
    const uint64_t lost = put_record();
    const struct marker_loss loss = {.from = lost, .to = lost + BLOCK, .first_sequence = 1, .count = 1};
    for (int i = 0; i < 3; i++) {
        put_record();
    }
    marker_position = put_marker(writer.position, &loss);
    assert_int_equal(marker_position, 5 * BLOCK);
    assert_takes_turns();
    struct marker marker;
    recovery_make_marker(&recovery, 3, 0, &marker);
    assert_int_equal(marker.log_end, 5 * BLOCK);
    assert_int_equal(marker.loss_count, 1);
    assert_memory_equal(&marker.losses[0], &loss, sizeof loss);
    put_record();
    assert_goes_behind(writer.position);
    recovery_make_marker(&recovery, 3, 0, &marker);
    assert_int_equal(marker.loss_count, 0); /* the earlier marker stays and lists them */
}

/* Damage before the marker leads to it, and not the log's end that it names. */
static void a_marker_behind_damage_stays(void **state) {
    (void)state;
    damage_payload(BLOCK);
    assert_goes_behind(marker_position + BLOCK);
    assert_int_equal(recovery.lost, 1);
}

static void where_no_other_block_is_left_it_is_replaced_in_place(void **state) {
    empty_ring(state);
    put_marker(0, NULL);
    while (writer.position < CAPACITY - BLOCK) {
        put_record();
    }
    marker_position = put_marker(writer.position, NULL);
    assert_goes_behind(marker_position);
}

/* A void marker of an earlier epoch says that the log ended where a later marker stands now. */
static void one_that_the_log_goes_on_at_is_not_passed_over_for_an_earlier_epoch(void **state) {
    empty_ring(state);
    put_marker(0, NULL);
    writer.epoch = 0;
    writer.position = 5 * BLOCK;
    put_marker(BLOCK, NULL);
    writer.position = BLOCK;
    writer.marker_in_turn = 1;
    put_marker(0, NULL);
    put_record();
    writer.marker_in_turn = 0;
    assert_goes_behind(writer.position);
    assert_int_equal(recovery.records, 1);
}

/* No writer lists a loss that another one overwrites later. */
static void one_written_after_a_loss_was_listed_there_counts(void **state) {
    empty_ring(state);
    const struct marker_loss loss = {.from = 0, .to = BLOCK, .first_sequence = 1, .count = 2};
    writer.position = 6 * BLOCK;
    put_marker(BLOCK, &loss);
    writer.position = 0;
    put_marker(0, NULL);
    recover();
    assert_int_equal(recovery.lost, 0);
    assert_int_equal(recovery.next_sequence, 1);
}

/* In a full ring the first marker's block rots together with the record before it. */
static void in_the_last_block_also_behind_damage(void **state) {
    empty_ring(state);
    put_marker(0, NULL);
    while (writer.position < CAPACITY - 2 * BLOCK) {
        put_record();
    }
    damage_payload(CAPACITY - 3 * BLOCK);
    const uint64_t rotten = put_marker(writer.position, NULL);
    marker_position = put_marker(writer.position, NULL);
    damage_block(rotten);
    assert_goes_behind(marker_position);
    assert_int_equal(recovery.lost, 1);
    const struct marker_loss loss = {
        .from = CAPACITY - 3 * BLOCK, .to = marker_position, .first_sequence = 5, .count = 1};
    struct marker marker;
    recovery_make_marker(&recovery, 4, 0, &marker);
    assert_int_equal(marker.loss_count, 1);
    assert_memory_equal(&marker.losses[0], &loss, sizeof loss);
    for (int i = 0; i < 3; i++) {
        writer.position = marker_position;
        put_marker(marker_position, &loss);
        assert_goes_behind(marker_position);
        assert_jump(0, loss.from, loss.to, 5, 1, 1);
    }
    damage_payload(marker_position); /* the marker is torn when it is replaced */
    assert_goes_behind(marker_position);
    assert_int_equal(recovery.lost, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_marker_that_nothing_followed_gives_way_to_one_in_the_other_block,
                                        unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(the_two_blocks_take_turns, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(a_torn_marker_leaves_the_one_before_it, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(behind_failed_writes_the_two_blocks_take_turns_as_well, unused_marker,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(not_if_a_record_of_its_epoch_follows, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(not_if_its_epoch_wrote_behind_it_what_is_torn_now, unused_marker,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(not_if_a_torn_marker_behind_it_proves_that_it_was_durable, unused_marker,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(not_if_a_checkpoint_says_that_it_was_durable, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(not_if_a_failed_write_may_reach_behind_it, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(one_that_takes_its_place_lists_its_losses, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(a_marker_behind_damage_stays, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(where_no_other_block_is_left_it_is_replaced_in_place, unused_marker,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(one_that_the_log_goes_on_at_is_not_passed_over_for_an_earlier_epoch,
                                        unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(one_written_after_a_loss_was_listed_there_counts, unused_marker, free_recovery),
        cmocka_unit_test_setup_teardown(in_the_last_block_also_behind_damage, unused_marker, free_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
