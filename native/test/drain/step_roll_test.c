/* SPDX-License-Identifier: Apache-2.0 */
/* The drain at a roll, with an outlet whose rolls are made up. */
#include "rolled_log.h"

static struct outlet_ops fake_ops;
static const struct outlet_ops *file_ops;
static int answers[8]; /* of the first calls of `roll`; later calls answer READY */
static int calls, writes, writes_at_call, syncs, header_bytes;
static uint64_t written_sequence; /* the roll that the outlet got */

static struct drain_stream *stream(void) {
    return drain_stream(host.engine->drainer.drain, 0);
}

static int64_t count_write(struct outlet *outlet, const void *data, size_t bytes) {
    writes++;
    return file_ops->write(outlet, data, bytes);
}

static int count_sync(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state) {
    syncs++;
    const int rc = file_ops->sync(outlet, noted, state);
    return rc;
}

static int fake_roll(struct outlet *outlet, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                     struct outlet_state *state) {
    (void)outlet;
    const int answer = calls < 8 ? answers[calls] : OUTLET_READY;
    calls++;
    writes_at_call = writes;
    written_sequence = record->sequence;
    header_bytes = (int)record->roll.header_bytes;
    assert_int_equal(record->time_ns, 4711);
    assert_int_equal(noted->sequence, record->sequence); /* all before the roll is noted */
    assert_int_equal(checkpoint(newest_slot())->stream.next_sequence, record->sequence);
    *state = *noted->state;
    state->roll.phase = answer == OUTLET_NOTE ? noted->state->roll.phase + 1 : noted->state->roll.phase;
    if (calls > 1 && answers[calls - 2] == OUTLET_NOTE) { /* both slots have the phase by now */
        assert_int_equal(checkpoint(0)->stream.roll.phase, noted->state->roll.phase);
        assert_int_equal(checkpoint(1)->stream.roll.phase, noted->state->roll.phase);
        assert_true(noted->state->roll.phase > 0);
    }
    return answer;
}

static int begin(void **state) {
    begin_rolled_log(state);
    ops.write = files_posix.ops->write;
    open_ring();
    file_ops = stream()->outlet->ops;
    fake_ops = *file_ops;
    fake_ops.roll = fake_roll;
    fake_ops.write = count_write;
    fake_ops.sync = count_sync;
    stream()->outlet->ops = &fake_ops;
    memset(answers, 0, sizeof answers);
    calls = writes = writes_at_call = syncs = header_bytes = 0;
    return 0;
}

static void it_is_in_no_batch(void **state) {
    (void)state;
    append_text("a\n");
    append_text("b\n");
    append_roll("f", "head", archive);
    append_text("c\n");
    drain_all();
    assert_int_equal(calls, 1);
    assert_int_equal(writes_at_call, 1); /* one write for both records before it */
    assert_int_equal(writes, 2);
    assert_int_equal(written_sequence, 3);
    assert_int_equal(header_bytes, 4);
    assert_file(host.file, "a\nb\nc\n");
    assert_int_equal(stream()->noted.next_sequence, 5);
    struct drain_figures figures = {.records = 0};
    assert_int_equal(drain_get_figures(host.engine->drainer.drain, 0, &figures), 0);
    assert_int_equal(figures.records, 3);
}

/* This holds even if nobody asks for a sync, and none is due. */
static void what_stands_before_it_is_noted_first(void **state) {
    (void)state;
    drain_all(); /* past the marker */
    append_text("a\n");
    append_roll("", "", archive);
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_int_equal(calls, 1);
}

static void two_in_a_row_are_two(void **state) {
    (void)state;
    append_roll("", "", archive);
    append_roll("", "", archive);
    drain_all();
    assert_int_equal(calls, 2);
    assert_int_equal(written_sequence, 2);
}

static void what_is_to_be_noted_is_in_both_slots_before_it_is_asked_again(void **state) {
    (void)state;
    append_text("a\n");
    append_roll("", "", archive);
    append_text("b\n");
    answers[0] = answers[1] = OUTLET_NOTE;
    drain_all();
    assert_int_equal(calls, 3);
    assert_file(host.file, "a\nb\n");
}

/* A sync reports the outlet's state behind the roll. */
static void a_roll_is_synced_though_it_wrote_nothing(void **state) {
    (void)state;
    append_roll("", "", archive);
    answers[0] = OUTLET_NOTE;
    drain_all();
    assert_int_equal(syncs, 1);
    assert_int_equal(stream()->noted.outlet.roll.phase, ROLL_NONE);
    assert_int_equal(stream()->noted.next_sequence, 2);
}

static void one_that_was_left_is_asked_again(void **state) {
    (void)state;
    append_text("a\n");
    append_roll("", "", archive);
    answers[0] = OUTLET_REWIND;
    answers[1] = OUTLET_SYNC;
    drain_all();
    assert_int_equal(calls, 3);
    assert_file(host.file, "a\n");
}

static int told(const char *words) {
    struct event event;
    int count = 0;
    while (events_take(&host.events, &event, 0) == 1) {
        count += strstr(event.text, words) != NULL;
    }
    return count;
}

/* The caller who performs the roll may take a while: that is no stall. */
static void whoever_performs_it_has_a_minute(void **state) {
    (void)state;
    append_roll("", "", archive);
    append_text("b\n");
    for (int i = 0; i < 4; i++) {
        answers[i] = -EINPROGRESS;
    }
    assert_int_equal(engine_step(host.engine, 1), -EINPROGRESS);
    assert_false(drain_is_stalled(host.engine->drainer.drain));
    host.now_ns += 59000000000;
    assert_int_equal(engine_step(host.engine, 1), -EINPROGRESS);
    assert_false(drain_is_stalled(host.engine->drainer.drain));
    assert_int_equal(told("has not answered"), 0);
    host.now_ns += 1000000000;
    assert_int_equal(engine_step(host.engine, 1), -EINPROGRESS);
    assert_true(drain_is_stalled(host.engine->drainer.drain));
    assert_int_equal(told("has not answered"), 1);
    assert_int_equal(engine_step(host.engine, 1), -EINPROGRESS);
    assert_int_equal(told("has not answered"), 0);
    drain_all();
    assert_false(drain_is_stalled(host.engine->drainer.drain));
    assert_int_equal(told("is being written again"), 1);
    assert_file(host.file, "b\n");
    append_roll("", "", archive); /* the next roll has a minute of its own */
    answers[calls] = -EINPROGRESS;
    assert_int_equal(engine_step(host.engine, 1), -EINPROGRESS);
    assert_false(drain_is_stalled(host.engine->drainer.drain));
}

static void another_reason_is_told_at_once(void **state) {
    (void)state;
    append_roll("", "", archive);
    answers[0] = -ENOSPC;
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    assert_true(drain_is_stalled(host.engine->drainer.drain));
    assert_int_equal(told("ENOSPC"), 1);
    drain_all();
}

/* A device has no other place for the log. */
static void without_rolls_they_are_bytes(void **state) {
    (void)state;
    fake_ops.roll = NULL;
    append_text("a\n");
    append_roll("foot\n", "head\n", archive);
    append_text("b\n");
    drain_all();
    assert_int_equal(writes, 1);
    assert_file(host.file, "a\nfoot\nhead\nb\n");
    assert_missing(archive);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(it_is_in_no_batch),
        TEST(what_stands_before_it_is_noted_first),
        TEST(two_in_a_row_are_two),
        TEST(what_is_to_be_noted_is_in_both_slots_before_it_is_asked_again),
        TEST(a_roll_is_synced_though_it_wrote_nothing),
        TEST(one_that_was_left_is_asked_again),
        TEST(whoever_performs_it_has_a_minute),
        TEST(another_reason_is_told_at_once),
        TEST(without_rolls_they_are_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
