/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's notes, the repair of bad copies, and refusals. */
#include "ledger/ledger_medium.h"

static void repair_levels_the_slots_and_tells_of_no_damage(void **state) {
    (void)state;
    make_streams(2, 30);
    checkpoint(BLOCK);
    open_ledger();
    const unsigned newest = slots()->newest;
    assert_int_equal(ledger_released(ledger), 0);
    repair();
    assert_nothing_told();
    assert_int_equal(ledger_released(ledger), BLOCK);
    open_ledger();
    assert_int_equal(slots()->newest, 1 - newest);
    assert_int_equal(slots()->facts[1 - newest].generation, slots()->facts[newest].generation + 1);
    assert_int_equal(ledger_released(ledger), BLOCK);
    static uint8_t before[MEDIUM_BYTES];
    memcpy(before, medium, sizeof medium);
    repair(); /* a level ledger needs no repair */
    assert_memory_equal(before, medium, sizeof medium);
}

static void bad_copies_slots_and_notes_are_repaired_and_told(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        medium[LAYOUT_SUPERBLOCK_OFFSET(i) + 100] ^= 1;
        slot(i)->stream.length ^= 1;
        note(i)->next_sequence ^= 4;
        open_ledger();
        assert_int_equal(view()->copies[i], SUPERBLOCK_DAMAGED);
        assert_false(slots()->is_valid[i]);
        assert_false(view()->note_is_valid[i]);
        repair();
        char wanted[64];
        snprintf(wanted, sizeof wanted, "superblock copy %u of ring /ring was bad", i);
        assert_told(wanted);
        snprintf(wanted, sizeof wanted, "checkpoint slot %u of ring /ring was bad", i);
        assert_told(wanted);
        snprintf(wanted, sizeof wanted, "writer note %u of ring /ring was bad", i);
        assert_told(wanted);
        open_ledger();
        assert_true(view()->copies[i] == SUPERBLOCK_VALID && slots()->is_valid[i] && view()->note_is_valid[i]);
    }
}

static void both_slots_bad_is_refused(void **state) {
    (void)state;
    slot(0)->head.crc ^= 1;
    slot(1)->head.crc ^= 1;
    assert_int_equal(read_again(), -EUCLEAN);
    assert_non_null(strstr(error_text(), "both checkpoints"));
    assert_int_equal(view()->copies[0], SUPERBLOCK_VALID); /* a dump still needs that */
}

static void a_ring_of_version_1_is_refused_with_what_to_do(void **state) {
    (void)state;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        struct superblock *superblock = (struct superblock *)(medium + LAYOUT_SUPERBLOCK_OFFSET(copy));
        superblock->version = 1;
        superblock->crc = crc32c(0, superblock, offsetof(struct superblock, crc));
    }
    assert_int_equal(read_again(), -EPROTO);
    assert_non_null(strstr(error_text(), "drain it first with the version that wrote it"));
}

static void notes_take_turns_and_the_higher_watermark_counts(void **state) {
    (void)state;
    for (unsigned i = 1; i < 6; i++) {
        const struct ledger_note given = {.epoch = i, .durable_position = i * 64, .next_sequence = 1 + i};
        assert_int_equal(notes_write(ledger_notes(ledger), &given), 0);
        open_ledger();
        const struct ledger_sum sum = ledger_sum(ledger);
        assert_int_equal(sum.durable_position, i * 64);
        assert_int_equal(sum.durable_sequence, 1 + i);
        assert_int_equal(sum.epoch_highest, i);
        assert_int_equal(sum.start.drained_position, 0);
        assert_int_equal(note(0)->generation + note(1)->generation, 2 * i + 3);
    }
    checkpoint(BLOCK); /* drained beyond the note */
    assert_int_equal(ledger_sum(ledger).durable_position, BLOCK);
}

static void a_note_has_the_time_of_its_watermark_if_that_is_known(void **state) {
    (void)state;
    const struct ledger_note timed = {.epoch = 3, .durable_position = 64, .next_sequence = 2, .durable_ns = 77};
    const struct ledger_note untimed = {.epoch = 3, .durable_position = 128, .next_sequence = 3};
    assert_int_equal(notes_write(ledger_notes(ledger), &timed), 0);
    const unsigned first = note(1)->generation > note(0)->generation;
    assert_int_equal(notes_write(ledger_notes(ledger), &untimed), 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(view()->note_stamps[first].durable_ns, 77);
        assert_int_equal(view()->note_stamps[first].position, 64);
        assert_int_equal(view()->note_stamps[1 - first].durable_ns, 0);
        open_ledger();
    }
    ((uint8_t *)(note(first) + 1))[20] ^= 1; /* a torn stamp: the note stands */
    open_ledger();
    assert_true(view()->note_is_valid[first]);
    assert_int_equal(view()->note_stamps[first].durable_ns, 0);
    assert_int_equal(ledger_sum(ledger).durable_position, 128);
}

static void a_note_that_is_written_anew_has_what_the_other_says_of_epochs(void **state) {
    (void)state;
    for (unsigned i = 0; i < 2; i++) {
        const struct ledger_note given = {.epoch = 3 + i, .next_sequence = 1};
        assert_int_equal(notes_write(ledger_notes(ledger), &given), 0);
    }
    for (unsigned i = 0; i < 2; i++) {
        note(i)->next_sequence ^= 4;
        open_ledger();
        const uint32_t highest = note(1 - i)->epoch;
        repair();
        assert_int_equal(note(i)->epoch, highest);
    }
}

static void the_note_behind_one_that_failed_takes_its_place(void **state) {
    (void)state;
    const struct ledger_note given = {.epoch = 1, .durable_position = 64, .next_sequence = 2};
    assert_int_equal(notes_write(ledger_notes(ledger), &given), 0);
    const unsigned newest = note(1)->generation > note(0)->generation;
    const struct writer_note whole = *note(newest);
    for (int i = 0; i < 3; i++) {
        blocks_left = 0;
        assert_int_equal(notes_write(ledger_notes(ledger), &given), -EIO);
        assert_memory_equal(note(newest), &whole, sizeof whole);
    }
    assert_int_equal(notes_write(ledger_notes(ledger), &given), 0);
    assert_memory_equal(note(newest), &whole, sizeof whole);
    assert_true(note(1 - newest)->generation > whole.generation);
}

static void a_torn_note_leaves_the_other(void **state) {
    (void)state;
    const struct ledger_note given = {.epoch = 1, .durable_position = 64, .next_sequence = 2};
    assert_int_equal(notes_write(ledger_notes(ledger), &given), 0);
    const struct ledger_note next = {.epoch = 1, .durable_position = 128, .next_sequence = 3};
    blocks_left = 0;
    assert_int_equal(notes_write(ledger_notes(ledger), &next), -EIO);
    open_ledger();
    assert_int_equal(ledger_sum(ledger).durable_position, 64);
}

static void writes_under_way_stay_noted(void **state) {
    (void)state;
    const struct ledger_note failed = {.epoch = 1, .next_sequence = 1, .in_flight_end = 3 * BLOCK};
    assert_int_equal(notes_write(ledger_notes(ledger), &failed), 0);
    for (int i = 0; i < 3; i++) {
        const struct ledger_note later = {.epoch = 2, .durable_position = 64, .next_sequence = 2};
        assert_int_equal(notes_write(ledger_notes(ledger), &later), 0);
        open_ledger();
        assert_int_equal(ledger_sum(ledger).in_flight_end, 3 * BLOCK);
    }
    assert_int_equal(note(0)->in_flight_end, 3 * BLOCK);
    assert_int_equal(note(1)->in_flight_end, 3 * BLOCK);
    note(0)->crc ^= 1; /* also when either copy is repaired */
    open_ledger();
    repair();
    note(1)->crc ^= 1;
    open_ledger();
    repair();
    assert_int_equal(ledger_sum(ledger).in_flight_end, 3 * BLOCK);
}

static void a_note_beyond_what_was_released_proves_that_checkpoints_were_lost(void **state) {
    (void)state;
    struct ledger_note beyond = {.epoch = 1, .durable_position = CAPACITY, .next_sequence = 2};
    assert_int_equal(notes_write(ledger_notes(ledger), &beyond), 0);
    open_ledger();
    beyond.durable_position += 8;
    assert_int_equal(notes_write(ledger_notes(ledger), &beyond), 0);
    assert_int_equal(read_again(), -EUCLEAN);
    assert_non_null(strstr(error_text(), "lost checkpoints that it had acknowledged"));
    format(NULL);
    beyond = (struct ledger_note){.epoch = 1, .next_sequence = 1, .in_flight_end = CAPACITY + BLOCK};
    assert_int_equal(notes_write(ledger_notes(ledger), &beyond), 0);
    assert_int_equal(read_again(), -EUCLEAN);
}

static void a_calibration_is_kept_and_that_of_another_ring_is_not_believed(void **state) {
    (void)state;
    struct calibration calibration = {.io = 1, .engine_count = 1, .engines = {{.io = 1, .writes = 5, .p50_ns = 7}}};
    struct calibration read;
    assert_false(notes_read_calibration(ledger_notes(ledger), &read));
    notes_write_calibration(ledger_notes(ledger), &calibration);
    open_ledger();
    assert_true(notes_read_calibration(ledger_notes(ledger), &read));
    assert_memory_equal(&read, &calibration, sizeof read);
    assert_int_equal(ledger_format(&platform_linux, &device, MEDIUM_BYTES), 0);
    open_ledger();
    assert_false(notes_read_calibration(ledger_notes(ledger), &read));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(repair_levels_the_slots_and_tells_of_no_damage),
        TEST(bad_copies_slots_and_notes_are_repaired_and_told),
        TEST(both_slots_bad_is_refused),
        TEST(a_ring_of_version_1_is_refused_with_what_to_do),
        TEST(notes_take_turns_and_the_higher_watermark_counts),
        TEST(a_note_has_the_time_of_its_watermark_if_that_is_known),
        TEST(a_note_that_is_written_anew_has_what_the_other_says_of_epochs),
        TEST(the_note_behind_one_that_failed_takes_its_place),
        TEST(a_torn_note_leaves_the_other),
        TEST(writes_under_way_stay_noted),
        TEST(a_note_beyond_what_was_released_proves_that_checkpoints_were_lost),
        TEST(a_calibration_is_kept_and_that_of_another_ring_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
