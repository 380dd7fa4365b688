/* SPDX-License-Identifier: Apache-2.0 */
/* A log that an older version diverted to <file name>.<first sequence>, which patterns of rolled files make, too. */
#include "rolled_log.h"

static char old_name[sizeof host.file + 32], new_name[sizeof host.file + 32];
static char renamed_from[8][LAYOUT_FILE_NAME_BYTES];

static int noting_rename(const struct files *files, const char *from, const char *to) {
    snprintf(renamed_from[renames % 8], sizeof renamed_from[0], "%s", from);
    return stopping_rename(files, from, to);
}

static void open_diverted(void) {
    snprintf(old_name, sizeof old_name, "%s.2", host.file);
    snprintf(new_name, sizeof new_name, "%s.burst-2", host.file);
    ops.rename = noting_rename;
    open_ring();
    append_text("first\n");
    drain_all();
    put_file(host.file, "cut");
    append_text("second\n");
    drain_all();
}

/* As that version has left it. */
static void close_as_before(void) {
    close_ring();
    assert_int_equal(rename(new_name, old_name), 0);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        assert_int_equal(checkpoint(slot)->stream.diverted_form, DIVERTED_BY_WORD);
        checkpoint(slot)->stream.diverted_form = DIVERTED_BY_NUMBER;
        one_stream_seal(checkpoint(slot), crc_seed_of(superblock(0)->uuid));
    }
    host.events.first = host.events.end;
    renames = 0;
}

static void divert_as_before(void) {
    open_diverted();
    close_as_before();
}

/* Its footer is in the file, and it waits for its new name. */
static void divert_and_begin_to_roll(void) {
    open_diverted();
    append_roll("f", "h", archive);
    append_text("third\n");
    struct drain *drain = host.engine->drainer.drain;
    struct drain_stream *stream = drain_stream(drain, 0);
    drain_look(drain);
    for (int i = 0; i < 50 && stream->noted.outlet.roll.phase != ROLL_ROLLING; i++) {
        stream->rc = 0;
        stream_move(drain, stream, drain->durable);
        if (stream->must_sync) {
            drain->wanted = (unsigned)stream_sync(drain, stream);
        }
        assert_true(drain_checkpoint(drain) >= 0);
    }
    assert_int_equal(stream->noted.outlet.roll.phase, ROLL_ROLLING);
    close_as_before();
}

static void it_gets_a_name_at_an_open_that_no_pattern_makes(void **state) {
    (void)state;
    divert_as_before();
    open_ring();
    assert_told(" is called ");
    assert_told("records from 2 on go to log file ");
    append_text("third\n");
    drain_all();
    assert_file(new_name, "second\nthird\n");
    assert_missing(old_name);
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        assert_int_equal(checkpoint(slot)->stream.diverted_form, DIVERTED_BY_WORD);
    }
    close_ring();
    open_ring();
    append_text("fourth\n");
    drain_all();
    assert_file(new_name, "second\nthird\nfourth\n");
    assert_int_equal(renames, 1);
}

static void a_name_that_is_taken_is_left_to_its_file(void **state) {
    (void)state;
    char beside[sizeof new_name + 8];
    divert_as_before();
    put_file(new_name, "of others\n");
    snprintf(beside, sizeof beside, "%s.1", new_name);
    open_ring();
    append_text("third\n");
    drain_all();
    assert_file(new_name, "of others\n");
    assert_file(beside, "second\nthird\n");
    close_ring();
    open_ring();
    append_text("fourth\n");
    drain_all();
    assert_file(beside, "second\nthird\nfourth\n");
}

static void a_log_that_goes_back_leaves_no_file_of_the_old_name(void **state) {
    (void)state;
    divert_as_before();
    assert_int_equal(unlink(host.file), 0);
    open_ring();
    append_text("third\n");
    drain_all();
    assert_file(host.file, "third\n");
    assert_file(new_name, "second\n");
    assert_missing(old_name);
}

static int rename_refused(const struct files *files, const char *from, const char *to) {
    (void)files;
    (void)from;
    (void)to;
    return -EACCES;
}

static void it_goes_on_where_it_cannot_be_renamed(void **state) {
    (void)state;
    divert_as_before();
    ops.rename = rename_refused;
    open_ring();
    append_text("third\n");
    append_roll("f", "h", archive);
    append_text("fourth\n");
    drain_all();
    assert_file(old_name, "second\nthird\nffourth\n");
    assert_told("could not be rolled to ");
}

static void that_of_a_stranger_s_ring_keeps_its_name(void **state) {
    (void)state;
    divert_as_before();
    const struct engine_parts parts = {
        .platform = timeless_platform(), .device = &host.device, .files = &host.files, .events = &host.events};
    const struct engine_stream main_stream = {.name = "", .path = host.file};
    const struct engine_config config = {.main = &main_stream, .untrusted_ring_owner = 1000};
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    append_text("third\n");
    append_roll("f", "h", archive);
    append_text("fourth\n");
    drain_all();
    assert_int_equal(renames, 0);
    assert_file(old_name, "second\nthird\nffourth\n");
}

/* Nobody is asked for a name of a file that has one which a pattern makes. */
static void a_roll_that_waited_begins_with_the_new_name(void **state) {
    (void)state;
    divert_and_begin_to_roll();
    open_ring();
    drain_all();
    assert_int_equal(renames, 2);
    assert_string_equal(renamed_from[0], old_name);
    assert_string_equal(renamed_from[1], new_name);
    assert_file(archive, "second\nf");
    assert_missing(old_name);
    assert_missing(new_name);
}

static int has_text(const char *path, const char *wanted) {
    char text[64] = "";
    FILE *file = fopen(path, "r");
    if (file != NULL) {
        fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    return strcmp(text, wanted) == 0;
}

/* A stop between the new name and its note leaves the file there: it is whole, and nobody renames it again. */
static void a_stop_at_any_operation_leaves_each_record_once(void **state) {
    int stopped = 1;
    for (int operations = 0; stopped; operations++) {
        begin_rolled_log(state);
        divert_and_begin_to_roll();
        operations_left = operations;
        stopped = try_to_open() < 0 || drain_until_stop(operations_left) || crashed;
        if (host.engine != NULL) {
            start_anew();
        }
        crashed = 0;
        operations_left = -1;
        open_ring();
        append_text("fourth\n");
        drain_all();
        char next[sizeof host.file + 32];
        drain_copy_path(host.engine->drainer.drain, 0, next, sizeof next);
        if (has_text(archive, "second\nf") + has_text(new_name, "second\nf") != 1 ||
            !has_text(next, "hthird\nfourth\n")) {
            fail_msg("after %d operations, the last of which was %s", operations, last_operation);
        }
        assert_missing(old_name);
        remove_folder(NULL);
    }
    begin_rolled_log(state); /* of which the teardown lets go */
}

#define OLD_TEST(name) cmocka_unit_test_setup_teardown(name, begin_rolled_log, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        OLD_TEST(it_gets_a_name_at_an_open_that_no_pattern_makes),
        OLD_TEST(a_name_that_is_taken_is_left_to_its_file),
        OLD_TEST(a_log_that_goes_back_leaves_no_file_of_the_old_name),
        OLD_TEST(it_goes_on_where_it_cannot_be_renamed),
        OLD_TEST(that_of_a_stranger_s_ring_keeps_its_name),
        OLD_TEST(a_roll_that_waited_begins_with_the_new_name),
        cmocka_unit_test_teardown(a_stop_at_any_operation_leaves_each_record_once, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
