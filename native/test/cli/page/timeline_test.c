/* SPDX-License-Identifier: Apache-2.0 */
/* The day of a flight recorder as columns, and what happened in it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "burstlog.h"
#include "cli/page/timeline.h"

#define SECOND_NS 1000000000ll
#define NOON_NS (1700000000 * SECOND_NS)
#define LINES_MOST 100000u

static struct flight_log flight;
static struct timeline timeline;

static int begin(void **state) {
    (void)state;
    flight.lines = calloc(LINES_MOST, sizeof *flight.lines);
    flight.events = calloc(10, sizeof *flight.events);
    flight.line_count = flight.event_count = 0;
    return flight.lines == NULL || flight.events == NULL;
}

static int end(void **state) {
    (void)state;
    timeline_free(&timeline);
    flight_log_free(&flight);
    return 0;
}

static struct flight_line *add(enum flight_kind kind, uint32_t epoch, int64_t second) {
    struct flight_line *const line = &flight.lines[flight.line_count++];
    *line = (struct flight_line){.kind = (uint8_t)kind,
                                 .epoch = epoch,
                                 .number = flight.line_count,
                                 .time_ns = NOON_NS + second * SECOND_NS,
                                 .elapsed_us = kind == FLIGHT_OPEN ? 0 : 1000000,
                                 .capacity_bytes = 1000};
    return line;
}

static void make(void) {
    timeline_free(&timeline);
    assert_int_equal(timeline_make(&flight, &timeline), 0);
}

static const struct timeline_note *find_note(const char *text) {
    for (size_t i = 0; i < timeline.note_count; i++) {
        if (strstr(timeline.notes[i].text, text) != NULL) {
            return &timeline.notes[i];
        }
    }
    return NULL;
}

static void each_second_has_a_column(void **state) {
    (void)state;
    add(FLIGHT_OPEN, 1, 0);
    for (int second = 1; second <= 100; second++) {
        struct flight_line *const line = add(FLIGHT_SECOND, 1, second);
        line->records = 10;
        line->latency[20] = 5;
        line->max_ns = (uint64_t)second;
        line->used_bytes = second == 50 ? 700 : 100;
        line->slowest_ns = (uint64_t)(second % 37) + 1;
    }
    make();
    assert_int_equal(timeline.columns, 101);
    uint64_t records = 0;
    for (unsigned i = 0; i < timeline.columns; i++) {
        records += timeline.column[i].records;
    }
    assert_int_equal(records, 1000);
    assert_int_equal(timeline.column[50].fill_ppm, 700000);
    assert_int_equal(timeline.all[20], 500);
    assert_int_equal(timeline.all_max_ns, 100);
    assert_int_equal(timeline.slowest_count, TIMELINE_SLOWEST);
    assert_int_equal(timeline.slowest[0]->slowest_ns, 37);
    assert_int_equal(timeline.slowest[9]->slowest_ns, 33);
    assert_null(find_note("clock"));
}

static void only_the_last_day_is_told(void **state) {
    (void)state;
    add(FLIGHT_OPEN, 1, -90000)->lost = 7;
    add(FLIGHT_SECOND, 1, -89999)->records = 1000000;
    add(FLIGHT_OPEN, 2, -1000)->lost = 2;
    add(FLIGHT_SECOND, 2, -999)->lost = 3;
    make();
    assert_int_equal(timeline.columns, 2);
    assert_int_equal(timeline.lost, 5);
    for (int second = -998; second <= 90000; second++) {
        add(FLIGHT_SECOND, 2, second)->records = 1;
    }
    make();
    assert_int_equal(timeline.columns, TIMELINE_COLUMNS);
    uint64_t records = 0;
    for (unsigned i = 0; i < timeline.columns; i++) {
        records += timeline.column[i].records;
    }
    assert_int_equal(records, 86401);
}

static void a_clock_that_steps_moves_no_line(void **state) {
    (void)state;
    add(FLIGHT_OPEN, 1, 0);
    for (int second = 1; second <= 60; second++) {
        add(FLIGHT_SECOND, 1, second <= 30 ? second : second - 7200)->records = 1;
    }
    make();
    assert_int_equal(timeline.columns, 61);
    for (unsigned i = 1; i < timeline.columns; i++) {
        assert_int_equal(timeline.column[i].records, 1);
    }
    assert_non_null(find_note("the clock stepped by -7200.0 s"));
    assert_int_equal(find_note("the clock stepped")->severity, BURST_WARN);
}

static void deaths_losses_and_standstills_are_told(void **state) {
    (void)state;
    add(FLIGHT_OPEN, 1, 0);
    add(FLIGHT_SECOND, 1, 1);
    struct flight_line *const late = add(FLIGHT_SECOND, 1, 61);
    late->elapsed_us = 60000000;
    struct flight_line *const opened = add(FLIGHT_OPEN, 2, 100); /* no close before it */
    opened->lost = 3;
    opened->gaps = 1;
    add(FLIGHT_SECOND, 2, 101)->lost = 4;
    add(FLIGHT_CLOSE, 2, 102);
    add(FLIGHT_OPEN, 3, 110);
    flight.events[flight.event_count++] =
        (struct flight_event){.severity = BURST_WARN, .time_ns = NOON_NS + SECOND_NS, .text = "hello"};
    make();
    assert_int_equal(timeline.lost, 0); /* since the last open */
    assert_non_null(find_note("no line for 60.0 s"));
    assert_int_equal(find_note("the last line of open 1, which ended without a close")->severity, BURST_ERROR);
    assert_null(find_note("the last line of open 2"));
    assert_int_equal(find_note("recovery found 3 records lost, and 1 gaps")->severity, BURST_ERROR);
    assert_non_null(find_note("4 enqueued records were lost"));
    assert_non_null(find_note("open 2 was closed"));
    assert_non_null(find_note("hello"));
    assert_int_equal(timeline.column[80].seconds, 0); /* nothing is told of the time between */
    for (size_t i = 1; i < timeline.note_count; i++) {
        assert_true(timeline.notes[i - 1].time_ns <= timeline.notes[i].time_ns);
    }
}

static void hostile_lines_lead_nowhere(void **state) {
    (void)state;
    static const int64_t times[] = {INT64_MAX, INT64_MIN, 0, -1, INT64_MAX, INT64_MIN};
    for (unsigned i = 0; i < 6; i++) {
        struct flight_line *const line = add(FLIGHT_SECOND, i / 2, 0);
        memset(line, 0xff, sizeof *line);
        line->number = i + 1;
        line->epoch = i / 2;
        line->kind = (uint8_t)i;
        line->time_ns = times[i];
        make();
        assert_in_range(timeline.columns, 1, TIMELINE_COLUMNS);
        assert_true(timeline.to_ns >= timeline.from_ns);
    }
    assert_int_equal(timeline.last->number, 6);
    flight.line_count = 0;
    make();
    assert_int_equal(timeline.columns, 0);
    assert_null(timeline.last);
}

static void a_percentile_is_the_end_of_its_bucket(void **state) {
    (void)state;
    uint64_t counts[FLIGHT_BUCKETS] = {0};
    assert_int_equal(timeline_percentile(counts, 0.5), 0);
    counts[10] = 99;
    counts[20] = 1;
    assert_int_equal(timeline_percentile(counts, 0.5), flight_bucket_begin(11));
    assert_int_equal(timeline_percentile(counts, 0.99), flight_bucket_begin(11));
    assert_int_equal(timeline_percentile(counts, 0.999), flight_bucket_begin(21));
}

int main(void) {
#define TIMELINE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TIMELINE_TEST(each_second_has_a_column),         TIMELINE_TEST(only_the_last_day_is_told),
        TIMELINE_TEST(a_clock_that_steps_moves_no_line), TIMELINE_TEST(deaths_losses_and_standstills_are_told),
        TIMELINE_TEST(hostile_lines_lead_nowhere),       TIMELINE_TEST(a_percentile_is_the_end_of_its_bucket),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
