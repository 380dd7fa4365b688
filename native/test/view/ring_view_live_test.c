/* SPDX-License-Identifier: Apache-2.0 */
/* A reader beside a writer that does the worst thing at the worst moment. */
#include "view/live_reader.h"

static unsigned trigger_block;

static int is_place(uint64_t offset, unsigned block) {
    return offset == LAYOUT_DATA_OFFSET + block * BLOCK_BYTES;
}

static void write_two_once(uint64_t offset) {
    if (is_place(offset, trigger_block) && beside.data_reads == 1) {
        assert_true(write_record() && write_record());
    }
}

static void what_is_written_behind_the_place_that_is_read_is_not_lost(void **state) {
    (void)state;
    begin();
    assert_true(write_record());
    const uint64_t next_block = watermark() / BLOCK_BYTES;
    trigger_block = (unsigned)next_block + 1; /* the first of the two is in a block that was read already */
    beside.before_block = write_two_once;
    assert_sees_no_loss(1);
    assert_int_equal(beside.written, 3);
    assert_int_equal(beside.data_reads, 2);
}

static void two_laps_once(uint64_t offset) {
    if (is_place(offset, trigger_block) && beside.data_reads == 1) {
        write_a_lap();
        write_a_lap();
    }
}

static void a_range_that_was_released_and_overwritten_is_not_lost(void **state) {
    (void)state;
    begin();
    for (trigger_block = 1; trigger_block < DATA_BLOCKS; trigger_block++) {
        drain();
        drain();
        assert_true(write_record() && write_record());
        beside.before_block = two_laps_once;
        beside.data_reads = 0;
        assert_sees_no_loss(beside.written);
        assert_true(beside.written >= trigger_block * 2 * DATA_BLOCKS);
    }
}

static void two_laps_before_second_data(uint64_t offset) {
    if (beside.data_reads == 1 && is_place(offset, 0)) {
        write_a_lap();
        write_a_lap();
    }
    write_two_once(offset);
}

static void nor_if_that_comes_between_the_two_reads(void **state) {
    (void)state;
    begin();
    assert_true(write_record());
    trigger_block = (unsigned)(watermark() / BLOCK_BYTES) + 1;
    beside.before_block = two_laps_before_second_data;
    assert_sees_no_loss(1);
    assert_int_equal(beside.data_reads, 2);
    assert_true(beside.written > 2 * DATA_BLOCKS);
}

static void laps_while_the_notes_are_due(uint64_t offset) {
    if (offset == LAYOUT_CHECKPOINT_OFFSET(0) || offset == LAYOUT_NOTE_OFFSET(0)) {
        write_a_lap();
        write_a_lap();
        assert_int_equal(keeper_note(&host.engine->keeper), 0);
    }
}

static void a_note_beyond_what_the_checkpoints_released_before_is_no_lost_checkpoint(void **state) {
    (void)state;
    begin();
    assert_true(write_record());
    beside.before_block = laps_while_the_notes_are_due;
    assert_sees_no_loss(1);
}

static void checkpoints_that_are_written_are_read_again(void **state) {
    (void)state;
    begin();
    assert_true(write_record());
    beside.tearing = 3; /* first both, then one */
    struct ring_view *view = look();
    assert_true(ledger_slots(view->ledger)->is_valid[0] && ledger_slots(view->ledger)->is_valid[1]);
    assert_true(beside.slept_ns > 0);
    ring_view_close(platform_beside(), view);
}

static void what_stays_bad_is_bad(void **state) {
    (void)state;
    begin();
    checkpoint(1 - newest_slot())->stream.length ^= 8;
    struct ring_view *view = look();
    assert_int_equal(ledger_slots(view->ledger)->is_valid[1 - newest_slot()], 0);
    assert_true(beside.slept_ns < SECOND_NS);
    ring_view_close(platform_beside(), view);
    checkpoint(newest_slot())->stream.length ^= 8;
    assert_int_equal(ring_view_open(platform_beside(), &beside.device, &view), -EUCLEAN);
    assert_non_null(strstr(error_text(), "both checkpoints"));
}

static void format_once(uint64_t offset) {
    if (is_place(offset, 1)) {
        memset(medium, 0, sizeof medium);
        assert_int_equal(ledger_format(&platform_linux, &host.device, MEDIUM_BYTES), 0);
    }
}

static void a_ring_that_is_formatted_meanwhile_is_another_one(void **state) {
    (void)state;
    begin();
    beside.before_block = format_once;
    struct ring_view *view;
    assert_int_equal(ring_view_open(platform_beside(), &beside.device, &view), -EBUSY);
    assert_non_null(strstr(error_text(), "formatted anew"));
}

static void other_stream_goes_on(uint64_t offset) {
    if (is_place(offset, trigger_block)) {
        assert_true(write_record_to(other, 'b') && write_record_to(other, 'b'));
        drain();
    }
}

/* The head may know more of a stream that drains on than the data that was read before it. */
static void a_stream_that_has_drained_more_proves_nothing_of_what_was_read_before(void **state) {
    (void)state;
    begin_with_other();
    stalled_by = 'a';
    assert_true(write_record());
    assert_true(write_record_to(other, 'b'));
    drain();
    trigger_block = DATA_BLOCKS - 1;
    beside.before_block = other_stream_goes_on;
    assert_sees_no_loss(2);
    assert_int_equal(beside.data_reads, 2);
}

/* ------------------------------------------------------------------------------------------------ real losses */

static void write_one_now_and_then(uint64_t offset) {
    if (offset >= LAYOUT_DATA_OFFSET && offset / BLOCK_BYTES % 5 == 1) {
        write_record();
    }
}

static void assert_sees_loss(uint64_t sequence, unsigned data_reads) {
    struct ring_view *view = look();
    assert_int_equal(view->recovery.lost, 1);
    assert_int_equal(view->recovery.jump_count > 0, 1);
    const struct walk_gap *gap = &view->recovery.jumps[view->recovery.jump_count - 1].gap;
    assert_int_equal(gap->first_sequence, sequence);
    assert_int_equal(gap->count, 1);
    assert_int_equal(beside.data_reads, data_reads);
    assert_contiguous(view);
    ring_view_close(platform_beside(), view);
}

static void lose_the_second_of_three(void) {
    begin();
    assert_true(write_record());
    const uint64_t position = watermark();
    assert_true(write_record() && write_record());
    spoil_block(position);
}

static void a_real_loss_is_told_beside_a_writer(void **state) {
    (void)state;
    lose_the_second_of_three();
    beside.before_block = write_one_now_and_then;
    assert_sees_loss(2, 2);
    assert_true(beside.written > 3);
}

static void a_real_loss_is_told_of_a_ring_at_rest(void **state) {
    (void)state;
    lose_the_second_of_three();
    assert_sees_loss(2, 2);
}

static void a_ring_at_rest_is_read_once(void **state) {
    (void)state;
    begin();
    assert_true(write_record() && write_record());
    assert_sees_no_loss(2);
    assert_int_equal(beside.data_reads, 1);
    assert_int_equal(beside.slept_ns, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(what_is_written_behind_the_place_that_is_read_is_not_lost),
        RING_TEST(a_range_that_was_released_and_overwritten_is_not_lost),
        RING_TEST(nor_if_that_comes_between_the_two_reads),
        RING_TEST(a_note_beyond_what_the_checkpoints_released_before_is_no_lost_checkpoint),
        RING_TEST(checkpoints_that_are_written_are_read_again),
        RING_TEST(what_stays_bad_is_bad),
        RING_TEST(a_ring_that_is_formatted_meanwhile_is_another_one),
        RING_TEST(a_stream_that_has_drained_more_proves_nothing_of_what_was_read_before),
        RING_TEST(a_real_loss_is_told_beside_a_writer),
        RING_TEST(a_real_loss_is_told_of_a_ring_at_rest),
        RING_TEST(a_ring_at_rest_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
