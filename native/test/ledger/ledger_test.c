/* SPDX-License-Identifier: Apache-2.0 */
/* Checkpoints of many streams: what a write replaces, what is released, and what a torn slot leaves. */
#include "ledger/ledger_medium.h"

static void a_ring_just_formatted_is_empty_and_whole(void **state) {
    (void)state;
    static struct stream_state read;
    assert_int_equal(view()->superblock.version, 2);
    for (unsigned i = 0; i < 2; i++) {
        assert_int_equal(view()->copies[i], SUPERBLOCK_VALID);
        assert_true(slots()->is_valid[i]);
        assert_true(view()->note_is_valid[i]);
    }
    ledger_stream(ledger, slots()->newest, 0, &read);
    assert_int_equal(read.id, 0);
    assert_string_equal(read.outlet.path, "");
    const struct ledger_sum sum = ledger_sum(ledger);
    assert_int_equal(sum.start.drained_position, 0);
    assert_int_equal(sum.start.next_sequence, 1);
    assert_int_equal(sum.durable_position, 0);
    assert_int_equal(sum.durable_sequence, 1);
    assert_int_equal(sum.epoch_highest, 0);
    repair();
    assert_nothing_told();
}

static void a_format_that_is_cut_short_leaves_no_first_superblock(void **state) {
    (void)state;
    int rc = -1;
    for (int whole = 0; rc != 0; whole++) {
        assert_in_range(whole, 0, 100);
        memset(medium, 0, sizeof medium);
        blocks_left = 0;
        writes_before = whole;
        rc = ledger_format(&platform_linux, &device, MEDIUM_BYTES);
        assert_int_equal(medium[LAYOUT_SUPERBLOCK_OFFSET(0)] != 0, rc == 0);
    }
}

static void a_ring_that_is_larger_than_its_medium_is_refused(void **state) {
    (void)state;
    static uint8_t before[MEDIUM_BYTES];
    memcpy(before, medium, sizeof medium);
    assert_int_equal(ledger_format(&platform_linux, &device, MEDIUM_BYTES + BLOCK), -EINVAL);
    assert_memory_equal(before, medium, sizeof medium);
}

static void checkpoints_take_turns_and_release_what_both_have_let_go_of(void **state) {
    (void)state;
    make_streams(3, 20);
    for (unsigned i = 1; i < 6; i++) {
        const unsigned older = 1 - slots()->newest;
        checkpoint(i * BLOCK);
        assert_int_equal(slots()->newest, older);
        assert_int_equal(ledger_released(ledger), (i - 1) * BLOCK);
        open_ledger();
        assert_int_equal(slots()->newest, older);
        assert_int_equal(ledger_released(ledger), (i - 1) * BLOCK);
        assert_newest_has(i * BLOCK);
    }
}

static void the_stream_that_has_drained_the_least_holds_the_space(void **state) {
    (void)state;
    make_streams(3, 20);
    for (int i = 0; i < 2; i++) {
        streams[0].drained_position = 3 * BLOCK, streams[0].next_sequence = 30;
        streams[1].drained_position = BLOCK, streams[1].next_sequence = 10;
        streams[2].drained_position = 2 * BLOCK, streams[2].next_sequence = 20;
        assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), 0);
    }
    assert_int_equal(ledger_released(ledger), BLOCK);
    open_ledger();
    const struct ledger_sum sum = ledger_sum(ledger);
    assert_int_equal(sum.start.id, 1);
    assert_int_equal(sum.start.drained_position, BLOCK);
    assert_int_equal(sum.start.next_sequence, 10);
    assert_int_equal(sum.durable_position, 3 * BLOCK); /* one stream drained up to here, so it was durable */
    assert_int_equal(sum.durable_sequence, 30);
}

/* A tear leaves each prefix and each suffix of the write's blocks. */
static void a_torn_write_of_several_blocks_leaves_the_other_slot(void **state) {
    (void)state;
    make_streams(6, 3500);
    assert_true(checkpoint_size(states, count) > 5 * BLOCK);
    const int blocks = (int)align_up(checkpoint_size(states, count), BLOCK) / (int)BLOCK;
    checkpoint(BLOCK);
    checkpoint(2 * BLOCK);
    for (int end = 0; end < 2; end++) {
        for (int whole = 0; whole < blocks; whole++) {
            const unsigned newest = slots()->newest;
            for (unsigned i = 0; i < count; i++) {
                streams[i].drained_position += BLOCK;
            }
            memset(slot(1 - newest), 0x5a, LAYOUT_CHECKPOINT_BYTES); /* so each block matters */
            blocks_left = whole;
            from_the_end = end;
            assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 2, states, count), -EIO);
            assert_int_equal(slots()->newest, newest);
            assert_newest_has(2 * BLOCK);
            open_ledger();
            assert_int_equal(slots()->newest, newest);
            assert_false(slots()->is_valid[1 - newest]);
            assert_newest_has(2 * BLOCK);
            repair();
            assert_told("checkpoint slot");
            open_ledger();
            assert_true(slots()->is_valid[0] && slots()->is_valid[1]);
            assert_int_equal(ledger_released(ledger), 2 * BLOCK);
            assert_newest_has(2 * BLOCK);
            for (unsigned i = 0; i < count; i++) {
                streams[i].drained_position -= BLOCK;
            }
        }
    }
}

static void a_failed_checkpoint_releases_nothing(void **state) {
    (void)state;
    checkpoint(BLOCK);
    streams[0].drained_position = 2 * BLOCK;
    for (int i = 0; i < 3; i++) {
        blocks_left = i % 2; /* in turn nothing or one block reaches the medium */
        assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), -EIO);
        assert_int_equal(ledger_released(ledger), 0);
    }
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), 0);
    assert_int_equal(ledger_released(ledger), BLOCK);
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), 0);
    assert_int_equal(ledger_released(ledger), 2 * BLOCK);
}

static void what_does_not_fit_in_a_slot_is_refused_and_nothing_is_written(void **state) {
    (void)state;
    static uint8_t before[MEDIUM_BYTES];
    memcpy(before, medium, sizeof medium);
    make_streams(LAYOUT_STREAMS_MAX, 4000);
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), -E2BIG);
    assert_non_null(strstr(error_text(), "use fewer streams, or shorter paths"));
    make_streams(LAYOUT_STREAMS_MAX + 1, 10);
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), -E2BIG);
    assert_memory_equal(before, medium, sizeof medium);
    make_streams(LAYOUT_STREAMS_MAX, 1700);
    checkpoint(BLOCK);
    open_ledger();
    assert_newest_has(BLOCK);
}

static void room_for_longer_states_changes_no_checkpoint(void **state) {
    (void)state;
    make_streams(2, 30);
    checkpoint(BLOCK);
    checkpoint(2 * BLOCK);
    make_streams(6, 3500);
    assert_int_equal(checkpoints_make_room(ledger_checkpoints(ledger), states, count), 0);
    make_streams(LAYOUT_STREAMS_MAX, 4000);
    assert_int_equal(checkpoints_make_room(ledger_checkpoints(ledger), states, count), -E2BIG);
    const struct checkpoints *checkpoints = ledger_checkpoints(ledger);
    const unsigned newest = slots()->newest;
    assert_int_equal(checkpoints_position(checkpoints, newest, 0).drained_position, 2 * BLOCK);
    assert_int_equal(checkpoints_position(checkpoints, 1 - newest, 0).drained_position, BLOCK);
}

static void an_older_slot_that_had_drained_more_is_not_believed(void **state) {
    (void)state;
    make_streams(2, 30);
    checkpoint(BLOCK);
    checkpoint(2 * BLOCK);
    const unsigned older = 1 - slots()->newest;
    struct checkpoint_entry *second = &slot(older)->stream + 1;
    second->drained_position = 3 * BLOCK;
    one_stream_seal(slot(older), view()->crc_seed);
    open_ledger();
    assert_false(slots()->is_valid[older]);
    assert_int_equal(ledger_sum(ledger).durable_position, 2 * BLOCK + 8);
    repair();
    assert_told("checkpoint slot");
    assert_int_equal(ledger_released(ledger), 2 * BLOCK);
}

static void of_two_slots_the_newer_counts(void **state) {
    (void)state;
    for (unsigned i = 1; i < 4; i++) {
        checkpoint(i * BLOCK);
        const unsigned newest = slots()->newest;
        open_ledger();
        assert_int_equal(slots()->newest, newest);
        assert_newest_has(i * BLOCK);
        assert_int_equal(ledger_sum(ledger).start.drained_position, i * BLOCK);
    }
}

/* A checkpoint grows from one block to many and shrinks again: old bytes behind it are not part of it. */
static void a_checkpoint_of_any_length_takes_the_place_of_another(void **state) {
    static const unsigned many[] = {1, 20, 2, 64, 1, 33, 64, 3};
    (void)state;
    for (unsigned i = 0; i < sizeof many / sizeof many[0]; i++) {
        make_streams(many[i], i % 2 == 0 ? 10 : 1500);
        checkpoint((i + 1) * BLOCK);
        open_ledger();
        assert_true(slots()->is_valid[0] && slots()->is_valid[1]);
        assert_newest_has((i + 1) * BLOCK);
        repair();
        assert_nothing_told();
        open_ledger();
        assert_true(slots()->is_valid[0] && slots()->is_valid[1]);
        assert_newest_has((i + 1) * BLOCK);
    }
}

/* The two may be two processes: each has read the head for itself, and writes its own part. */
static void a_writer_and_a_drain_do_not_undo_each_other(void **state) {
    (void)state;
    struct ledger *writers;
    assert_int_equal(ledger_read(&platform_linux, &device, &writers), 0);
    for (uint64_t i = 1; i <= 5; i++) {
        const struct ledger_note wanted = {.epoch = 1, .durable_position = i * 128, .next_sequence = 1 + 2 * i};
        checkpoint(i * 64);
        assert_int_equal(notes_write(ledger_notes(writers), &wanted), 0);
    }
    ledger_close(writers);
    open_ledger();
    assert_newest_has(5 * 64);
    assert_int_equal(ledger_released(ledger), 4 * 64);
    assert_int_equal(ledger_sum(ledger).durable_position, 5 * 128);
    assert_true(slots()->is_valid[0] && slots()->is_valid[1] && view()->note_is_valid[0] && view()->note_is_valid[1]);
}

/* While another process drains, only that one may write a slot. */
static void a_repair_of_the_notes_levels_no_slot(void **state) {
    (void)state;
    checkpoint(64);
    note(0)->crc++;
    open_ledger();
    const uint64_t older = ledger_released(ledger);
    assert_int_equal(ledger_repair_notes(ledger, &events), 0);
    open_ledger();
    assert_true(view()->note_is_valid[0]);
    assert_told("is written anew");
    assert_true(older < 64);
    assert_int_equal(ledger_released(ledger), older);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_writer_and_a_drain_do_not_undo_each_other),
        TEST(a_repair_of_the_notes_levels_no_slot),
        TEST(a_ring_just_formatted_is_empty_and_whole),
        TEST(a_format_that_is_cut_short_leaves_no_first_superblock),
        TEST(a_ring_that_is_larger_than_its_medium_is_refused),
        TEST(checkpoints_take_turns_and_release_what_both_have_let_go_of),
        TEST(the_stream_that_has_drained_the_least_holds_the_space),
        TEST(a_torn_write_of_several_blocks_leaves_the_other_slot),
        TEST(a_failed_checkpoint_releases_nothing),
        TEST(what_does_not_fit_in_a_slot_is_refused_and_nothing_is_written),
        TEST(room_for_longer_states_changes_no_checkpoint),
        TEST(an_older_slot_that_had_drained_more_is_not_believed),
        TEST(of_two_slots_the_newer_counts),
        TEST(a_checkpoint_of_any_length_takes_the_place_of_another),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
