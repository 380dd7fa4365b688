/* SPDX-License-Identifier: Apache-2.0 */
/* The drain's pace: when it syncs, when it stops, and how often it reports. */
#define CAPACITY_BYTES (64u * 4096u) /* the drain syncs at an eighth of it, which no test here reaches */
#include "drain/stream.h"
#include "memory_ring.h"

static struct files_ops ops;
static int syncs;
static int write_error; /* of the log file's writes; 0: they succeed */

static int count_sync(const struct files *files, int file) {
    syncs++;
    return files_posix.ops->sync(files, file);
}

static int64_t write_or_fail(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    return write_error != 0 ? -write_error : files_posix.ops->write(files, file, data, bytes, offset);
}

static void open_counted(void) {
    open_ring();
    ops = *files_posix.ops;
    ops.sync = count_sync;
    ops.write = write_or_fail;
    host.files.ops = &ops;
    write_error = 0;
    append(10);
    while (engine_step(host.engine, 1) > 0) {
    }
}

/* Takes all events, and counts those with this text. */
static int told(const char *text) {
    struct event event;
    int times = 0;
    while (events_take(&host.events, &event, 0) == 1) {
        times += strstr(event.text, text) != NULL;
    }
    return times;
}

/* Appends one record and lets the drain look. */
static void come_and_look(void) {
    append(10);
    assert_int_equal(engine_step(host.engine, 0), 1);
}

static void records_that_come_without_a_pause_are_synced_two_seconds_after_the_first(void **state) {
    (void)state;
    open_counted();
    for (int again = 0; again < 2; again++) {
        syncs = 0;
        come_and_look();
        host.now_ns += DRAIN_SYNC_AFTER_NS / 2;
        come_and_look();
        host.now_ns += DRAIN_SYNC_AFTER_NS / 2 - 1;
        come_and_look();
        assert_int_equal(syncs, 0);
        host.now_ns += 1;
        come_and_look();
        assert_int_equal(syncs, 1);
        assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->noted.next_sequence, 6 + 4 * again);
    }
}

static void without_time_they_are_synced_when_an_eighth_of_the_ring_waits(void **state) {
    (void)state;
    open_counted();
    syncs = 0;
    for (int i = 1; i < 8; i++) {
        come_and_look();
    }
    assert_int_equal(syncs, 0);
    come_and_look();
    assert_int_equal(syncs, 1);
}

static void a_stall_is_told_once_for_each_reason(void **state) {
    (void)state;
    open_counted();
    told("");
    append(10);
    const int errors[] = {ENOSPC, ENOSPC, EROFS, EROFS, ENOSPC};
    const int times[] = {1, 0, 1, 0, 1};
    for (int i = 0; i < 5; i++) {
        write_error = errors[i];
        assert_int_equal(engine_step(host.engine, 0), -errors[i]);
        assert_int_equal(told("cannot be written: "), times[i]);
    }
    write_error = 0;
    assert_int_equal(engine_step(host.engine, 0), 1);
    assert_int_equal(told("is being written again"), 1);
    assert_int_equal(engine_step(host.engine, 0), 0);
    assert_int_equal(told(""), 0);
}

static int checkpoints_written;

static int count_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    checkpoints_written += offset < LAYOUT_DATA_OFFSET;
    return memory_write(device, offset, data, bytes);
}

static void a_stalled_drain_notes_the_end_of_a_burst_once(void **state) {
    (void)state;
    static struct device_ops counted;
    open_counted();
    counted = *host.device.ops;
    counted.write = count_write;
    host.device.ops = &counted;
    append(10);
    write_error = ENOSPC;
    checkpoints_written = 0;
    for (int look = 0; look < 10; look++) {
        engine_step(host.engine, 1);
    }
    assert_int_equal(checkpoints_written, 1);
    append(10);
    for (int look = 0; look < 10; look++) {
        engine_step(host.engine, 1);
    }
    assert_int_equal(checkpoints_written, 2);
    const uint64_t durable = atomic_load(&host.engine->ring->durable_position);
    assert_true(note(0)->durable_position == durable || note(1)->durable_position == durable);
    host.device.ops = &memory_ops;
}

/* Each write takes a second. */
static int64_t slow_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    host.now_ns += 1000000000;
    return files_posix.ops->write(files, file, data, bytes, offset);
}

static void no_batch_is_begun_after_the_time_that_a_close_has(void **state) {
    (void)state;
    open_counted();
    for (int i = 0; i < 6; i++) {
        append(RECORD_LOSS_BYTES);
    }
    ops.write = slow_write;
    host.engine->drainer.drain->batch_room = RECORD_LOSS_BYTES; /* a batch holds one record */
    drain_give_up_at(host.engine->drainer.drain, host.now_ns + 2000000000);
    assert_int_equal(engine_step(host.engine, 1) >= 0, 1);
    assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->written.walk.sequence, 4);
}

static void who_waits_for_many_batches_waits_for_one_sync(void **state) {
    (void)state;
    open_counted();
    syncs = 0;
    for (int i = 0; i < 6; i++) {
        append(RECORD_LOSS_BYTES);
    }
    host.engine->drainer.drain->batch_room = RECORD_LOSS_BYTES; /* of a batch: a record */
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_int_equal(syncs, 1);
    assert_int_equal(drain_stream(host.engine->drainer.drain, 0)->noted.next_sequence, 8);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(without_time_they_are_synced_when_an_eighth_of_the_ring_waits),
        RING_TEST(a_stall_is_told_once_for_each_reason),
        RING_TEST(a_stalled_drain_notes_the_end_of_a_burst_once),
        RING_TEST(no_batch_is_begun_after_the_time_that_a_close_has),
        RING_TEST(who_waits_for_many_batches_waits_for_one_sync),
        RING_TEST(records_that_come_without_a_pause_are_synced_two_seconds_after_the_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
