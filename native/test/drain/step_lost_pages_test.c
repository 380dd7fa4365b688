/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of the ring are lost while it is open: what stands before them is noted, and nobody waits for the rest. */
#include "memory_ring.h"

#define RECORD_BYTES 100u

static int check_pages(struct device *device) {
    return device_lost_pages(device) > 0 ? error_set(EIO, "pages of %s are gone", device->path) : 0;
}

static int syncs_that_fail, writes_that_fail;

static int sync_or_fail(const struct files *files, int file) {
    return syncs_that_fail-- > 0 ? -EIO : files_posix.ops->sync(files, file);
}

static int64_t write_or_fail(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    return writes_that_fail-- > 0 ? -EIO : files_posix.ops->write(files, file, data, bytes, offset);
}

/* The first record is noted. */
static void open_with_pages_that_may_go(void) {
    static struct device_ops device_ops;
    static struct files_ops ops;
    device_ops = memory_ops;
    device_ops.check = check_pages;
    host.device.ops = &device_ops;
    ops = *files_posix.ops;
    ops.sync = sync_or_fail;
    ops.write = write_or_fail;
    host.files.ops = &ops;
    syncs_that_fail = writes_that_fail = 0;
    open_ring();
    append(RECORD_BYTES);
    engine_step(host.engine, 1);
}

static void append_and_lose(void) {
    const uint64_t position = align_up(ring_claimed(host.engine->ring), BLOCK_BYTES);
    append(RECORD_BYTES);
    memset(image + position % CAPACITY_BYTES, 0, BLOCK_BYTES);
    host.device.lost_pages = 1;
}

static void open_and_lose_the_third_record(void) {
    open_with_pages_that_may_go();
    append(RECORD_BYTES);
    append_and_lose();
}

static void assert_noted(uint64_t sequence, int is_cut_off) {
    assert_int_equal(engine_drained_sequence(host.engine), sequence);
    assert_int_equal(host.engine->keeper.is_cut_off, is_cut_off);
}

static void records_before_a_lost_one_are_synced_and_noted(void **state) {
    (void)state;
    open_and_lose_the_third_record();
    assert_int_equal(engine_step(host.engine, 0), -EIO);
    assert_noted(1, 0); /* written; the next step is idle, and syncs */
    assert_int_equal(engine_step(host.engine, 0), -EIO);
    assert_noted(2, 1);
    assert_true(ring_has_failed(host.engine->ring));
    assert_int_equal(checkpoint(newest_slot())->stream.length, 2 * RECORD_BYTES);
}

static void a_close_notes_them_in_its_first_step(void **state) {
    (void)state;
    open_and_lose_the_third_record();
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    assert_noted(2, 1);
}

/* They go to another file, and nobody is told before that that no more will come. */
static void they_are_noted_though_a_sync_fails(void **state) {
    (void)state;
    open_and_lose_the_third_record();
    syncs_that_fail = 1;
    engine_step(host.engine, 1);
    assert_noted(1, 0);
    for (int i = 0; i < 5; i++) {
        engine_step(host.engine, 1);
    }
    assert_noted(2, 1);
}

/* The second record can be read. It is the log file that fails. */
static void an_error_of_the_log_file_is_no_lost_record(void **state) {
    (void)state;
    open_and_lose_the_third_record();
    writes_that_fail = 1;
    assert_int_equal(engine_step(host.engine, 1), -EIO);
    assert_noted(1, 0);
    for (int i = 0; i < 5; i++) {
        engine_step(host.engine, 1);
    }
    assert_noted(2, 1);
}

static void who_waits_for_the_rest_is_woken(void **state) {
    (void)state;
    open_with_pages_that_may_go();
    append_and_lose();
    struct event_count *drained = &host.engine->keeper.drained;
    const uint32_t ticket = event_count_register(drained);
    assert_int_equal(engine_step(host.engine, 0), -EIO);
    assert_int_equal(event_count_wait(drained, &platform_linux, ticket, 1), 0);
    assert_noted(1, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(records_before_a_lost_one_are_synced_and_noted),
        RING_TEST(a_close_notes_them_in_its_first_step),
        RING_TEST(they_are_noted_though_a_sync_fails),
        RING_TEST(an_error_of_the_log_file_is_no_lost_record),
        RING_TEST(who_waits_for_the_rest_is_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
