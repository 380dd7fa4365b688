/* SPDX-License-Identifier: Apache-2.0 */
/* A stop at each operation of a roll, and then another one at each of the redo: every file has what it is to have. */
#include "rolled_log.h"

#define LINES_BEFORE "first\nsecond\n"
#define FOOTER "the last line\n"
#define HEADER "the first line\n"

static char second_archive[sizeof archive];
static int slot_rots; /* the newest slot is lost with each stop */
static char when[100];

static void begin(void) {
    begin_rolled_log(NULL);
    snprintf(second_archive, sizeof second_archive, "%.4000s/old/2", host.folder);
}

/* Some of it drained before. */
static void append_everything(void) {
    append_text("first\n");
    drain_all();
    append_text("second\n");
    append_roll(FOOTER, HEADER, archive);
    append_text("third\n");
    append_text("fourth\n");
    append_roll(FOOTER, "", second_archive);
    append_text("fifth\n");
}

/* Ends the process as a crash does that leaves an ordinary file system whole: it has all that was written, and no more. */
static void stop(void) {
    start_anew();
    if (slot_rots) {
        memset(medium + LAYOUT_CHECKPOINT_OFFSET(newest_slot()), 0, BLOCK_BYTES);
    }
}

static void assert_rolled(void) {
    char beside[sizeof archive + 8];
    const struct drain_stream *stream = drain_stream(host.engine->drainer.drain, 0);
    assert_file(archive, LINES_BEFORE FOOTER);
    assert_file(second_archive, HEADER "third\nfourth\n" FOOTER);
    assert_file(host.file, "fifth\n");
    snprintf(beside, sizeof beside, "%s.1", archive);
    assert_missing(beside);
    snprintf(beside, sizeof beside, "%s.1", second_archive);
    assert_missing(beside);
    assert_int_equal(stream->noted.outlet.roll.phase, ROLL_NONE);
    assert_int_equal(stream->noted.outlet.roll.file_number, 3);
    assert_int_equal(stream->noted.outlet.roll.born_ns, 4711);
    assert_int_equal(stream->noted.outlet.roll.first_sequence, 7);
    assert_int_equal(checkpoint(0)->stream.roll.file_number, checkpoint(1)->stream.roll.file_number);
}

/* Opens and drains, with a stop after so many operations. 1 if it came to that. */
static int open_and_stop(int operations) {
    operations_left = operations;
    if (try_to_open() < 0) {
        host.engine = NULL;
        assert_true(crashed);
        crashed = 0;
        operations_left = -1;
        if (slot_rots) {
            memset(medium + LAYOUT_CHECKPOINT_OFFSET(newest_slot()), 0, BLOCK_BYTES);
        }
        return 1;
    }
    const int stopped = drain_until_stop(operations_left);
    if (stopped) {
        stop();
    }
    return stopped;
}

static void open_and_drain(void) {
    open_ring();
    drain_all();
}

static int stop_and_redo(int operations) {
    begin();
    open_ring();
    append_everything();
    const int stopped = drain_until_stop(operations);
    snprintf(when, sizeof when, "stopped before operation %d, %s", operations, last_operation);
    stop();
    open_and_drain();
    assert_rolled();
    remove_folder(NULL);
    return stopped;
}

static int stop_twice(int operations, int more) {
    begin();
    open_ring();
    append_everything();
    drain_until_stop(operations);
    stop();
    const int stopped = open_and_stop(more);
    snprintf(when, sizeof when, "stopped before operation %d, and then %d, %s", operations, more, last_operation);
    if (stopped) {
        open_and_drain();
    }
    assert_rolled();
    remove_folder(NULL);
    return stopped;
}

static void stop_everywhere(void) {
    int operations = 0;
    while (stop_and_redo(operations)) {
        operations++;
    }
    assert_true(operations > 30);
}

static void stop_everywhere_twice(void) {
    for (int operations = 1; operations < 60; operations += 3) {
        int more = 0;
        while (stop_twice(operations, more)) {
            more++;
        }
    }
}

static void one_stop_loses_and_doubles_nothing(void **state) {
    (void)state;
    slot_rots = 0;
    stop_everywhere();
}

static void nor_does_it_where_a_slot_rots(void **state) {
    (void)state;
    slot_rots = 1;
    stop_everywhere();
}

static void nor_do_two(void **state) {
    (void)state;
    slot_rots = 0;
    stop_everywhere_twice();
}

/* If one fails, it says where. */
static int tell_when(void **state) {
    (void)state;
    print_message("the last one: %s\n", when);
    return 0;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(one_stop_loses_and_doubles_nothing, tell_when),
        cmocka_unit_test_teardown(nor_does_it_where_a_slot_rots, tell_when),
        cmocka_unit_test_teardown(nor_do_two, tell_when),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
