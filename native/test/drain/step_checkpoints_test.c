/* SPDX-License-Identifier: Apache-2.0 */
/* The ledger of a ring that has failed. */
#include "memory_ring.h"

static void fail_ring(void) {
    static const char record[6000];
    append(100);
    host.fail_submitted = 1;
    assert_int_equal(ring_enqueue(host.engine->ring, record, sizeof record, 0, &stream_0, &for_ever), 2);
    assert_int_equal(ring_commit(host.engine->ring), -EIO);
    host.fail_submitted = 0;
}

static uint64_t noted_in_flight(void) {
    const uint64_t first = note(0)->in_flight_end, second = note(1)->in_flight_end;
    return first > second ? first : second;
}

static void a_failed_ring_notes_how_far_its_writes_may_have_reached(void **state) {
    (void)state;
    open_ring();
    const uint64_t begin = host.engine->ring->begin_position;
    fail_ring();
    engine_step(host.engine, 1);
    const uint64_t reached = begin + 3 * BLOCK_BYTES;
    assert_int_equal(noted_in_flight(), reached);
    close_ring();
    open_ring();
    assert_int_equal(host.engine->ring->begin_position, reached + BLOCK_BYTES); /* the marker stands behind it */
    assert_int_equal(ring_next_sequence(host.engine->ring), 2);
}

static int notes_that_fail;

static int fail_notes(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (offset == LAYOUT_NOTE_OFFSET(slot) && notes_that_fail > 0) {
            notes_that_fail--;
            return -EIO;
        }
    }
    return memory_write(device, offset, data, bytes);
}

/* Returns how far the writes may have reached, which no note says. */
static uint64_t fail_ring_and_its_next_note(void) {
    static struct device_ops ops;
    open_ring();
    fail_ring();
    ops = memory_ops;
    ops.write = fail_notes;
    host.device.ops = &ops;
    notes_that_fail = 1;
    for (int i = 0; i < 3; i++) {
        engine_step(host.engine, 1);
    }
    assert_int_equal(notes_that_fail, 0);
    assert_true(engine_is_drained(host.engine));
    assert_int_equal(noted_in_flight(), 0);
    return host.engine->ring->begin_position + 3 * BLOCK_BYTES;
}

static void a_note_of_that_which_fails_is_tried_again_after_a_minute(void **state) {
    (void)state;
    const uint64_t reached = fail_ring_and_its_next_note();
    host.now_ns += 60000000000;
    engine_step(host.engine, 1);
    assert_int_equal(noted_in_flight(), reached);
}

static void a_note_of_that_which_fails_is_tried_again_by_the_end_of_the_log(void **state) {
    (void)state;
    const uint64_t reached = fail_ring_and_its_next_note();
    engine_note_end(host.engine);
    assert_int_equal(noted_in_flight(), reached);
    close_ring();
    open_ring();
    assert_int_equal(host.engine->ring->begin_position, reached + BLOCK_BYTES);
}

static void the_next_epoch_remembers_it(void **state) {
    (void)state;
    open_ring();
    fail_ring();
    engine_step(host.engine, 1);
    const uint64_t reached = host.engine->ring->begin_position + 3 * BLOCK_BYTES;
    close_ring();
    open_ring();
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        assert_int_equal(keeper_note(&host.engine->keeper), 0);
    }
    assert_int_equal(note(0)->in_flight_end, reached);
    assert_int_equal(note(1)->in_flight_end, reached);
}

static void what_was_durable_is_still_drained_from_a_failed_ring(void **state) {
    (void)state;
    open_ring();
    fail_ring();
    engine_step(host.engine, 1);
    assert_true(drain_is_done(host.engine->drainer.drain));
    struct file_identity identity;
    assert_int_equal(files_posix.ops->identity_of_path(&files_posix, host.file, &identity), 0);
    assert_int_equal(identity.bytes, 100);
}

static int checkpoints_seen;

/* Before each checkpoint, only space is released that both slots on the medium allow. */
static int write_looking_at_released(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    const uint64_t first = checkpoint(0)->stream.drained_position, second = checkpoint(1)->stream.drained_position;
    assert_true(atomic_load(&host.engine->ring->freed) <= (first < second ? first : second));
    checkpoints_seen++;
    return memory_write(device, offset, data, bytes);
}

static void nothing_is_released_before_both_checkpoints_say_so(void **state) {
    (void)state;
    static struct device_ops ops;
    open_ring();
    ops = memory_ops;
    ops.write = write_looking_at_released;
    host.device.ops = &ops;
    for (int lap = 0; lap < 3; lap++) {
        for (int i = 0; i < 8; i++) {
            append(100);
        }
        while (!drain_is_done(host.engine->drainer.drain)) {
            assert_true(engine_step(host.engine, 1) >= 0);
        }
        engine_step(host.engine, 1);
    }
    assert_true(checkpoints_seen >= 6);
    assert_int_equal(atomic_load(&host.engine->ring->freed), ring_claimed(host.engine->ring));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_failed_ring_notes_how_far_its_writes_may_have_reached),
        RING_TEST(a_note_of_that_which_fails_is_tried_again_after_a_minute),
        RING_TEST(a_note_of_that_which_fails_is_tried_again_by_the_end_of_the_log),
        RING_TEST(the_next_epoch_remembers_it),
        RING_TEST(what_was_durable_is_still_drained_from_a_failed_ring),
        RING_TEST(nothing_is_released_before_both_checkpoints_say_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
