/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls at times of the wall clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "rolling/time.h"

#define HOUR_S 3600
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define SANTIAGO "<-04>4<-03>,M9.1.6/24,M4.1.6/24"       /* changes its clocks at midnight */
#define LORD_HOWE "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0" /* changes its clocks by half an hour */

static void zone(const char *name) {
    setenv("TZ", name, 1);
    tzset();
}

/* `utc`: YYYY-mm-dd HH:MM:SS */
static int64_t at(const char *utc) {
    struct tm time = {.tm_isdst = 0};
    assert_int_equal(sscanf(utc, "%d-%d-%d %d:%d:%d", &time.tm_year, &time.tm_mon, &time.tm_mday, &time.tm_hour,
                            &time.tm_min, &time.tm_sec),
                     6);
    time.tm_year -= 1900;
    time.tm_mon--;
    return timegm(&time);
}

static void assert_next(int64_t interval_s, const char *utc, const char *next_utc) {
    char text[32];
    const time_t next = (time_t)rolling_time_next(at(utc), interval_s);
    struct tm time;
    strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S", gmtime_r(&next, &time));
    if (strcmp(text, next_utc) != 0) {
        fail_msg("after %s: %s, and not %s", utc, text, next_utc);
    }
}

static void an_interval_begins_where_the_clock_shows_a_multiple_of_it(void **state) {
    (void)state;
    zone("UTC0");
    assert_next(60, "2026-05-04 10:20:30", "2026-05-04 10:21:00");
    assert_next(15 * 60, "2026-05-04 10:45:00", "2026-05-04 11:00:00");
    assert_next(6 * HOUR_S, "2026-05-04 18:00:00", "2026-05-05 00:00:00");
    assert_next(DAY_S, "2026-12-31 23:59:59", "2027-01-01 00:00:00");
    assert_next(DAY_S, "1969-12-30 12:00:00", "1969-12-31 00:00:00");
    zone(BERLIN);
    assert_next(DAY_S, "2026-01-10 22:59:59", "2026-01-10 23:00:00");
    assert_next(DAY_S, "2026-01-10 23:00:00", "2026-01-11 23:00:00");
    zone("<+0545>-5:45");
    assert_next(HOUR_S, "2026-01-10 10:00:00", "2026-01-10 10:15:00");
}

static void a_week_begins_on_monday(void **state) {
    (void)state;
    zone("UTC0");
    assert_next(WEEK_S, "2026-11-22 10:00:00", "2026-11-23 00:00:00");
    assert_next(WEEK_S, "2026-11-23 00:00:00", "2026-11-30 00:00:00");
    zone(BERLIN);
    assert_next(WEEK_S, "2026-03-24 10:00:00", "2026-03-29 22:00:00"); /* a week of 167 hours */
}

static void a_day_of_23_or_25_hours_is_a_day(void **state) {
    (void)state;
    zone(BERLIN);
    assert_next(DAY_S, "2026-03-28 23:00:00", "2026-03-29 22:00:00");
    assert_next(DAY_S, "2026-10-24 22:00:00", "2026-10-25 23:00:00");
    assert_next(6 * HOUR_S, "2026-03-28 23:30:00", "2026-03-29 04:00:00");
    zone(LORD_HOWE);
    assert_next(DAY_S, "2026-10-03 14:00:00", "2026-10-04 13:00:00");
}

static void an_hour_that_comes_twice_is_two_hours(void **state) {
    (void)state;
    zone(BERLIN);
    assert_next(HOUR_S, "2026-10-25 00:30:00", "2026-10-25 01:00:00");
    assert_next(HOUR_S, "2026-10-25 01:00:00", "2026-10-25 02:00:00");
    assert_next(HOUR_S, "2026-03-29 00:30:00", "2026-03-29 01:00:00");
}

static void a_moment_that_the_clock_leaves_out_is_that_of_the_change(void **state) {
    (void)state;
    zone(BERLIN);
    assert_next(2 * HOUR_S, "2026-03-29 00:30:00", "2026-03-29 01:00:00");
    assert_next(2 * HOUR_S, "2026-03-29 01:00:00", "2026-03-29 02:00:00");
    zone(SANTIAGO);
    assert_next(DAY_S, "2026-09-05 10:00:00", "2026-09-06 04:00:00"); /* this day has no midnight */
    assert_next(DAY_S, "2026-09-06 04:00:00", "2026-09-07 03:00:00");
    assert_next(DAY_S, "2026-04-04 10:00:00", "2026-04-05 04:00:00"); /* 23 o'clock comes twice */
}

/* In any zone, with any interval. */
static void the_next_moment_is_later_and_not_too_late(void **state) {
    (void)state;
    static const char *const zones[] = {"UTC0", BERLIN, SANTIAGO, LORD_HOWE};
    static const int64_t intervals[] = {1, 60, 900, HOUR_S, 2 * HOUR_S, 6 * HOUR_S, DAY_S, WEEK_S};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++) {
        zone(zones[i]);
        for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
            for (int64_t time = at("2026-01-01 00:00:00"); time < at("2027-01-01 00:00:00"); time += 1777) {
                const int64_t next = rolling_time_next(time, intervals[k]);
                assert_true(next > time && next <= time + intervals[k] + HOUR_S);
                assert_true(rolling_time_next(next - 1, intervals[k]) == next || intervals[k] > HOUR_S);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_interval_begins_where_the_clock_shows_a_multiple_of_it),
        cmocka_unit_test(a_week_begins_on_monday),
        cmocka_unit_test(a_day_of_23_or_25_hours_is_a_day),
        cmocka_unit_test(an_hour_that_comes_twice_is_two_hours),
        cmocka_unit_test(a_moment_that_the_clock_leaves_out_is_that_of_the_change),
        cmocka_unit_test(the_next_moment_is_later_and_not_too_late),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
