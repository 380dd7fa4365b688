/* SPDX-License-Identifier: Apache-2.0 */
/* An open brings the records of one stream to their old place, though the second copy lacks them. The others' wait. */
#include "copied_ring.h"

#include "drain/stream.h"

static char old_place[sizeof host.file], new_place[sizeof host.file];
static uint16_t orders;
static int is_disk_full; /* for records of "orders" */

static int64_t write_while_there_is_room(const struct files *files, int file, const void *data, size_t bytes,
                                         uint64_t offset) {
    return is_disk_full && *(const char *)data == 'o' ? -ENOSPC
                                                      : files_posix.ops->write(files, file, data, bytes, offset);
}

static void open_orders(const char *path) {
    const struct engine_stream stream = {.name = "orders", .path = path};
    assert_int_equal(engine_add_stream(host.engine, &stream, &orders), 0);
}

/* The copy is empty, and the main stream and "orders" are open. */
static void open_two(void) {
    static struct files_ops ops;
    ops = *files_posix.ops;
    ops.write = write_while_there_is_room;
    host.files.ops = &ops;
    is_disk_full = 0;
    snprintf(old_place, sizeof old_place, "%.4000s/old", host.folder);
    snprintf(new_place, sizeof new_place, "%.4000s/new", host.folder);
    open_and_begin();
    open_orders(old_place);
}

static void append_order(void) {
    assert_true(ring_append(host.engine->ring, "order", 5, 0, STREAM(orders), &for_ever) > 0);
}

static long bytes_of(const char *path) {
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long bytes = ftell(file);
    fclose(file);
    return bytes;
}

static uint64_t noted(uint16_t id) {
    return drain_stream(host.engine->drainer.drain, id)->noted.drained_position;
}

static void no_other_stream_goes_ahead_of_the_copy(void **state) {
    (void)state;
    open_two();
    append(100);
    append_order();
    engine_remove_stream(host.engine, orders);
    assert_int_equal(bytes_of(old_place), 0);
    open_orders(new_place);
    assert_int_equal(bytes_of(old_place), 5);
    assert_int_equal(bytes_of(host.file), 0);
    append_order();
    drain_all();
    assert_int_equal(bytes_of(new_place), 0);
    assert_int_equal(bytes_of(host.file), 0);
    take_and_confirm_all();
    drain_all();
    assert_int_equal(bytes_of(old_place), 5);
    assert_int_equal(bytes_of(new_place), 5);
    assert_int_equal(bytes_of(host.file), 100);
    assert_true(engine_is_drained(host.engine));
}

/* The main stream holds it back. */
static void the_ring_keeps_what_the_copy_lacks_over_a_crash(void **state) {
    (void)state;
    open_two();
    append(100);
    append_order();
    engine_remove_stream(host.engine, orders);
    open_orders(new_place);
    drain_all();
    close_ring();
    open_and_begin();
    assert_int_equal(begun.missing, 0);
    assert_int_equal(begun.next_sequence, 1);
    take_and_confirm_all();
    assert_int_equal(copied.last, 2);
    drain_all();
    assert_int_equal(bytes_of(old_place), 5);
    assert_int_equal(bytes_of(host.file), 100);
}

/* No record has come since the open, so the next one may overwrite this epoch's marker. */
static void nor_does_the_one_pass_a_marker_that_may_give_way(void **state) {
    (void)state;
    open_two();
    append_order();
    append(100);
    take_and_confirm_all();
    is_disk_full = 1;
    drain_all();
    assert_int_equal(bytes_of(host.file), 100);
    assert_int_equal(bytes_of(old_place), 0);
    close_ring();
    is_disk_full = 0;
    open_ring();
    const uint64_t log_end = host.engine->view.recovery.log_end;
    assert_int_equal(noted(LAYOUT_MAIN_STREAM), log_end);
    assert_true(host.engine->ring->begin_position > log_end);
    open_orders(new_place);
    assert_int_equal(bytes_of(old_place), 5);
    assert_int_equal(noted(LAYOUT_MAIN_STREAM), log_end);
    assert_int_equal(noted(orders), log_end);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(no_other_stream_goes_ahead_of_the_copy),
        COPY_TEST(the_ring_keeps_what_the_copy_lacks_over_a_crash),
        COPY_TEST(nor_does_the_one_pass_a_marker_that_may_give_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
