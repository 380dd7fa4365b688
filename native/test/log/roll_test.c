/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls that the engine performs. */
#include <sys/stat.h>
#include <unistd.h>

#include "roll_log.h"
#include "skip_with.h"

static void the_engine_rolls_to_the_target(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    append(stream, "1 ");
    append(stream, "2 ");
    const int64_t sequence = roll(stream, archive);
    assert_int_equal(sequence, 3);
    append(stream, "3 ");
    drain(stream);
    assert_holds(archive, "1 2 <");
    assert_holds(paths[0], ">3 ");
    const burst_stream_stats_t stats = stream_stats(stream);
    assert_int_equal(stats.file_number, 2);
    assert_int_equal(stats.file_born_ns, 1000);
    assert_int_equal(stats.file_bytes, 3);
    assert_int_equal(stats.drained_records, 3);
    roll(stream, second_archive);
    assert_int_equal(burst_close(log), 0);
    assert_holds(second_archive, ">3 <");
    assert_holds(paths[0], ">");
    assert_int_equal(stream_stats(stream).file_number, 3);
}

static void the_main_stream_rolls_as_well(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "1 ", 2, 0), 1);
    roll(burst_main_stream(log), archive);
    assert_int_equal(burst_append(log, "2 ", 2, 0), 3);
    assert_int_equal(burst_close(log), 0);
    assert_holds(archive, "1 <");
    assert_file_is(">2 ");
}

static void other_streams_do_not_roll(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *rolled = open_stream_with(log, "r", paths[0], 0), *other = open_stream_with(log, "o", paths[1], 0);
    append(other, "o1 ");
    append(rolled, "r1 ");
    roll(rolled, archive);
    append(other, "o2 ");
    append(rolled, "r2 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(archive, "r1 <");
    assert_holds(paths[0], ">r2 ");
    assert_holds(paths[1], "o1 o2 ");
    assert_int_equal(stream_stats(other).file_number, 1);
}

static void a_taken_target_is_not_replaced(void **state) {
    (void)state;
    char twin[sizeof archive + 8], next[sizeof archive + 8], third[sizeof archive + 8];
    snprintf(next, sizeof next, "%s.1", archive);
    snprintf(twin, sizeof twin, "%s.2.gz", archive);
    snprintf(third, sizeof third, "%s.3", archive);
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    append(stream, "1 ");
    roll(stream, archive);
    append(stream, "2 ");
    roll(stream, archive);
    drain(stream);
    assert_holds(archive, "1 <");
    assert_holds(next, ">2 <");
    put_file(twin, "compressed");
    append(stream, "3 ");
    roll(stream, archive);
    drain(stream);
    assert_holds(third, ">3 <");
    assert_int_equal(is_told(log, BURST_WARN, "which is there, or compressed"), 1); /* once */
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], ">");
    snprintf(next, sizeof next, "%s.2", archive);
    assert_is_missing(next);
}

static void an_empty_target_is_replaced(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    put_file(paths[1], "");
    append(stream, "1 ");
    roll(stream, paths[1]);
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[1], "1 <");
}

/* Log4j calls that direct writing: each file has its name from the beginning. */
static void a_file_may_keep_its_name(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    burst_roll_t values = roll_to(NULL);
    values.next_file = paths[1];
    append(stream, "1 ");
    append_roll(stream, &values, 1);
    append(stream, "2 ");
    drain(stream);
    char current[BURST_PATH_BYTES];
    assert_int_equal(burst_stream_current_file(stream, current, sizeof current), 0);
    assert_string_equal(current, paths[1]);
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "1 <");
    assert_holds(paths[1], ">2 ");
    log = open_without_file();
    append(open_stream_with(log, "s", paths[1], 0), "3 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[1], ">2 3 ");
}

static void a_next_file_with_bytes_of_others_is_left_alone(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    burst_roll_t values = roll_to(NULL);
    char diverted[sizeof paths[0] + 8];
    values.next_file = paths[1];
    put_file(paths[1], "theirs");
    append(stream, "1 ");
    snprintf(diverted, sizeof diverted, "%s.burst-%d", paths[1], (int)append_roll(stream, &values, 1));
    append(stream, "2 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "1 <");
    assert_holds(paths[1], "theirs");
    assert_holds(diverted, ">2 ");
}

/* No folder can be made where a file stands. */
static void a_file_that_cannot_be_renamed_goes_on(void **state) {
    (void)state;
    char impossible[sizeof paths[1] + 8];
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    put_file(paths[1], "a file");
    snprintf(impossible, sizeof impossible, "%s/x", paths[1]);
    append(stream, "1 ");
    roll(stream, impossible);
    append(stream, "2 ");
    roll(stream, impossible);
    append(stream, "3 ");
    drain(stream);
    assert_holds(paths[0], "1 <2 <3 ");
    assert_int_equal(stream_stats(stream).file_number, 1);
    assert_int_equal(is_told(log, BURST_WARN, "could not be rolled"), 1);
    roll(stream, archive);
    append(stream, "4 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(archive, "1 <2 <3 <");
    assert_holds(paths[0], ">4 ");
    assert_int_equal(stream_stats(stream).file_number, 2);
}

/* An application appends nothing but rolls. */
static void an_empty_file_rolls(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    burst_roll_t values;
    burst_roll_init(&values);
    values.target = archive;
    append_roll(stream, &values, 1);
    assert_int_equal(burst_close(log), 0);
    assert_holds(archive, "");
    assert_holds(paths[0], "");
}

static void assert_roll_refused(burst_stream_t *stream, const burst_roll_t *values, int code, const char *word) {
    assert_int_equal(burst_stream_roll(stream, values, 0), -code);
    if (strstr(burst_last_error(), word) == NULL) {
        fail_msg("\"%s\" does not name %s", burst_last_error(), word);
    }
}

/* The caller has freed the names by then. */
static void every_file_has_the_owner_and_the_group_of_the_first(void **state) {
    (void)state;
    if (geteuid() != 0) {
        SKIP_WITH("only root gives files away");
    }
    char owner[] = "1", group[] = "2";
    burst_t *log = open_without_file();
    burst_stream_t *stream;
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    config.name = "s";
    config.file_name = paths[0];
    config.file_owner = owner;
    config.file_group = group;
    assert_int_equal(burst_stream_open(log, &config, &stream), 0);
    owner[0] = group[0] = '0';
    append(stream, "1 ");
    roll(stream, archive);
    append(stream, "2 ");
    drain(stream);
    struct stat status;
    assert_int_equal(stat(paths[0], &status), 0);
    assert_int_equal(status.st_uid, 1);
    assert_int_equal(status.st_gid, 2);
    assert_int_equal(burst_close(log), 0);
}

static void what_cannot_be_rolled_is_refused(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 0);
    burst_roll_t values = roll_to(NULL);
    assert_roll_refused(stream, &values, EINVAL, "neither a target nor a next file");
    values.target = archive;
    values.note_bytes = BURST_ROLL_NOTE_BYTES + 1;
    assert_roll_refused(stream, &values, EINVAL, "1025");
    values.note_bytes = 0;
    values.footer_bytes = 1 << 24;
    assert_roll_refused(stream, &values, EMSGSIZE, "maxRecordSize");
    values.footer_bytes = 0;
    values.next_file = ring_path;
    assert_roll_refused(stream, &values, EINVAL, "same file");
    values.next_file = NULL;
    values.next_time_ns = -1;
    assert_roll_refused(stream, &values, EINVAL, "negative");
    values.struct_bytes = 8;
    assert_roll_refused(stream, &values, EINVAL, "burst_roll_t");
    assert_roll_refused(burst_main_stream(log), &values, EINVAL, "without a main stream");
    burst_roll_request_t request = {.struct_bytes = sizeof request};
    assert_int_equal(burst_stream_next_roll(stream, &request, 0), -EINVAL);
    assert_int_equal(burst_stream_rolled(stream, 1, 0, NULL, NULL), -EINVAL);
    assert_int_equal(burst_stream_close(stream, PATIENCE_NS), 1);
    values = roll_to(archive);
    assert_roll_refused(stream, &values, ESHUTDOWN, "closed");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "");
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_paths, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_engine_rolls_to_the_target),
        TEST(the_main_stream_rolls_as_well),
        TEST(other_streams_do_not_roll),
        TEST(a_taken_target_is_not_replaced),
        TEST(an_empty_target_is_replaced),
        TEST(a_file_may_keep_its_name),
        TEST(a_next_file_with_bytes_of_others_is_left_alone),
        TEST(a_file_that_cannot_be_renamed_goes_on),
        TEST(an_empty_file_rolls),
        TEST(every_file_has_the_owner_and_the_group_of_the_first),
        TEST(what_cannot_be_rolled_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
