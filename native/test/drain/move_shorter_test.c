/* SPDX-License-Identifier: Apache-2.0 */
/* The disk is full in the middle of a batch, and then the batch cannot be made again as long as it was. */
#include "copied_ring.h"

#include "drain/stream.h"

#define RECORD_BYTES 1000u
#define RECORDS 4u
#define PARTLY (2 * RECORD_BYTES + RECORD_BYTES / 2)

static size_t disk_has; /* so many bytes more */

static int64_t write_what_the_disk_takes(const struct files *files, int file, const void *data, size_t bytes,
                                         uint64_t offset) {
    if (disk_has == 0) {
        return -ENOSPC;
    }
    bytes = bytes < disk_has ? bytes : disk_has;
    disk_has -= bytes;
    return files_posix.ops->write(files, file, data, bytes, offset);
}

static void open_on_a_small_disk(void) {
    static struct files_ops ops;
    ops = *files_posix.ops;
    ops.write = write_what_the_disk_takes;
    host.files.ops = &ops;
    disk_has = PARTLY;
    open_ring();
}

static uint64_t second_record;

static void append_records(void) {
    char record[RECORD_BYTES];
    for (unsigned number = 1; number <= RECORDS; number++) {
        second_record = number == 2 ? align_up(ring_claimed(host.engine->ring), BLOCK_BYTES) : second_record;
        memset(record, (int)('0' + number), sizeof record);
        assert_int_equal(ring_append(host.engine->ring, record, sizeof record, 0, &stream_0, &for_ever), number);
    }
}

static void assert_file_has(size_t bytes) {
    static char text[2 * RECORDS * RECORD_BYTES];
    FILE *file = fopen(host.file, "r");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, sizeof text, file), bytes);
    fclose(file);
    for (size_t at = 0; at < bytes; at++) {
        assert_int_equal(text[at], '1' + at / RECORD_BYTES);
    }
}

static int is_stalled(void) {
    return (int)atomic_load(&drain_stream(host.engine->drainer.drain, LAYOUT_MAIN_STREAM)->stalled);
}

/* The copy has the first record only, the outlet a part of the third one. Then the copy gets the rest. Until then the log file
 * is not written again, and nobody is told that it is. */
static void go_on_behind_the_copy(void) {
    assert_file_has(PARTLY);
    assert_int_equal(take_within(record_bytes(RECORD_BYTES)), 1);
    assert_int_equal(copied.last, 1);
    assert_int_equal(copier_confirm(copy(), 1), 0);
    disk_has = SIZE_MAX;
    const int was_stalled = is_stalled();
    assert_int_equal(engine_step(host.engine, 1), 0);
    assert_file_has(PARTLY);
    assert_int_equal(is_stalled(), was_stalled);
    take_and_confirm_all();
    drain_all();
    assert_false(is_stalled());
    assert_file_has(RECORDS * RECORD_BYTES);
    assert_true(engine_is_drained(host.engine));
}

static void a_batch_that_a_copy_makes_shorter_waits_for_its_rest(void **state) {
    (void)state;
    open_on_a_small_disk();
    begin();
    assert_int_equal(copier_away(copy()), 0);
    append_records();
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    assert_true(is_stalled());
    begin();
    go_on_behind_the_copy();
}

static void a_batch_that_went_beyond_the_copy_waits_for_its_rest(void **state) {
    (void)state;
    open_on_a_small_disk();
    begin();
    append_records();
    struct drain *drain = host.engine->drainer.drain;
    assert_int_equal(drain_stream_dry(drain, drain_stream(drain, LAYOUT_MAIN_STREAM)), -ENOSPC);
    go_on_behind_the_copy();
}

static void a_batch_whose_rest_is_lost_is_neither_noted_nor_written_on(void **state) {
    (void)state;
    host.copy = NULL;
    open_on_a_small_disk();
    append_records();
    assert_int_equal(engine_step(host.engine, 1), -ENOSPC);
    memset(image + second_record % CAPACITY_BYTES, 0, BLOCK_BYTES);
    host.device.lost_pages = 1;
    disk_has = SIZE_MAX;
    for (int i = 0; i < 3; i++) {
        assert_int_equal(engine_step(host.engine, 1), -EIO);
    }
    assert_file_has(PARTLY);
    assert_int_equal(checkpoint(newest_slot())->stream.length, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(a_batch_that_a_copy_makes_shorter_waits_for_its_rest),
        COPY_TEST(a_batch_that_went_beyond_the_copy_waits_for_its_rest),
        COPY_TEST(a_batch_whose_rest_is_lost_is_neither_noted_nor_written_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
