/* SPDX-License-Identifier: Apache-2.0 */
#include "log_fixture.h"
#include "cli/run.h"

static int64_t realtime_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static burst_t *open_to(uint32_t io) {
    burst_config_t config = small_config();
    config.io = io;
    return open_with(&config);
}

/* Events an hour and two hours ago, and one that is still to come, each in a commit of its own. */
static void append_three_seconds(burst_t *log) {
    const int64_t hour_ns = 3600 * SECOND_NS, now_ns = realtime_ns();
    for (int i = 0; i < 6; i++) {
        assert_true(burst_append(log, "record\n", 7, now_ns - (1 + i % 2) * hour_ns) > 0);
    }
    assert_true(burst_append(log, "record\n", 7, now_ns + hour_ns) > 0);
}

static void assert_figures(const char *records, const char *unknown, const char *early) {
    char line[96];
    const char *const names[] = {"records", "records_without_a_durable_time", "records_durable_before_their_event"};
    const char *const values[] = {records, unknown, early};
    for (size_t i = 0; i < 3; i++) {
        snprintf(line, sizeof line, "\n  \"%s\": %s", names[i], values[i]);
        assert_said(line);
    }
}

/* The number behind the first field of this name. */
static double figure_of(const char *name) {
    char start[64];
    snprintf(start, sizeof start, "\"%s\": ", name);
    const char *at = strstr(output, start);
    assert_non_null(at);
    return strtod(at + strlen(start), NULL);
}

static void a_closed_log_has_the_durable_time_of_each_record(void **state) {
    (void)state;
    burst_t *log = open_to(BURST_IO_PWRITE);
    append_three_seconds(log);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("spectrum --json %s", ring_path), 0);
    assert_figures("7", "0", "1");
    assert_int_equal(times_said("\"second\""), 3);
    assert_int_equal(times_said("\"records\": 3,"), 2); /* in two of the seconds */
    const double hours = figure_of("p50_ns") / 3600e9;  /* the oldest second comes first */
    assert_true(hours >= 2 && hours < 2.5);
    assert_int_equal(run("spectrum %s", ring_path), 0);
    assert_said("p99.9 us");
    assert_said("records durable before their event: 1");
}

static void the_last_commit_of_an_open_log_has_no_time_yet(void **state) {
    (void)state;
    burst_t *log = open_to(BURST_IO_PWRITE);
    append_three_seconds(log);
    assert_int_equal(burst_await_drained(log, -1), 1);
    assert_int_equal(run("spectrum --json %s", ring_path), 0);
    assert_figures("6", "1", "0");
    assert_int_equal(burst_close(log), 0);
}

static void each_open_ends_the_commits_of_the_one_before(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        const pid_t child = fork();
        if (child == 0) {
            burst_t *log = open_to(BURST_IO_PWRITE);
            append_three_seconds(log);
            _exit(0); /* the last commit has no note */
        }
        int status;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(run("spectrum --json %s", ring_path), 0);
    assert_figures("12", "2", "0");
}

static void a_mapped_ring_has_no_times(void **state) {
    (void)state;
    burst_t *log = open_to(BURST_IO_MAPPED);
    append_three_seconds(log);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("spectrum --json %s", ring_path), 0);
    assert_figures("0", "7", "0");
}

static void a_log_file_with_an_index_has_them_too(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        burst_config_t config = small_config();
        config.io = BURST_IO_PWRITE;
        main_config.index = 1;
        burst_t *log = open_with(&config);
        append_three_seconds(log);
        assert_int_equal(burst_close(log), 0);
    }
    assert_int_equal(run("spectrum --json %s", file_path), 0);
    assert_figures("12", "2", "0"); /* the last commit of each open has its time in a note only */
    assert_said("\"log_file\": ");
    const double hours = figure_of("p50_ns") / 3600e9;
    assert_true(hours >= 2 && hours < 2.5);
}

static void a_log_file_without_an_index_is_no_ring(void **state) {
    (void)state;
    burst_t *log = open_to(BURST_IO_PWRITE);
    append_three_seconds(log);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("spectrum %s", file_path), 3);
}

static void times_at_the_ends_of_the_calendar_are_told(void **state) {
    (void)state;
    burst_t *log = open_to(BURST_IO_PWRITE);
    assert_true(burst_append(log, "record\n", 7, INT64_MIN) > 0);
    assert_true(burst_append(log, "record\n", 7, INT64_MAX) > 0);
    assert_true(burst_append(log, "record\n", 7, 0) > 0);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(run("spectrum --json %s", ring_path), 0);
    assert_figures("2", "0", "1");
    assert_true(figure_of("max_ns") > 0);
    assert_int_equal(run("spectrum %s", ring_path), 0);
    assert_said("records without an event time: 1");
}

#define SPECTRUM_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        SPECTRUM_TEST(a_closed_log_has_the_durable_time_of_each_record),
        SPECTRUM_TEST(the_last_commit_of_an_open_log_has_no_time_yet),
        SPECTRUM_TEST(each_open_ends_the_commits_of_the_one_before),
        SPECTRUM_TEST(a_mapped_ring_has_no_times),
        SPECTRUM_TEST(a_log_file_with_an_index_has_them_too),
        SPECTRUM_TEST(a_log_file_without_an_index_is_no_ring),
        SPECTRUM_TEST(times_at_the_ends_of_the_calendar_are_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
