/* SPDX-License-Identifier: Apache-2.0 */
/* Events that the engine has told, and that nobody has heard yet. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/events.h"

static int64_t now_ns;

static int64_t fake_now(const struct platform *platform) {
    (void)platform;
    return now_ns;
}

/* Each wait ends after a short time, without a reason. */
static int wakes;

static int fake_park(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    (void)platform, (void)word, (void)expected;
    now_ns += timeout_ns < 10 ? timeout_ns : 10;
    wakes++;
    return 0;
}

static void fake_unpark(const struct platform *platform, _Atomic uint32_t *word, int count) {
    (void)platform, (void)word, (void)count;
}

static const struct platform_ops ops = {
    .monotonic_ns = fake_now, .realtime_ns = fake_now, .park = fake_park, .unpark = fake_unpark};
static const struct platform platform = {&ops};
static struct events events;

static int set_up(void **state) {
    (void)state;
    memset(&events, 0, sizeof events);
    now_ns = 1000;
    wakes = 0;
    events_init(&events, &platform);
    return 0;
}

static void assert_next(const char *text) {
    struct event event;
    assert_int_equal(events_take(&events, &event, 0), 1);
    assert_string_equal(event.text, text);
}

static void assert_none(int code) {
    struct event event;
    assert_int_equal(events_take(&events, &event, 0), code);
}

static void as_many_as_are_kept_come_in_order(void **state) {
    (void)state;
    for (unsigned i = 0; i < EVENTS_KEPT; i++) {
        events_post(&events, EVENT_INFO, "%u", i);
    }
    for (unsigned i = 0; i < EVENTS_KEPT; i++) {
        char text[16];
        snprintf(text, sizeof text, "%u", i);
        assert_next(text);
    }
    assert_none(0);
}

static void the_newest_replace_the_oldest(void **state) {
    (void)state;
    for (unsigned i = 0; i < EVENTS_KEPT + 3; i++) {
        events_post(&events, EVENT_INFO, "%u", i);
    }
    assert_next("3");
    for (unsigned i = 4; i < EVENTS_KEPT + 2; i++) {
        struct event event;
        assert_int_equal(events_take(&events, &event, 0), 1);
    }
    assert_next("18");
    assert_none(0);
}

static void an_event_has_its_time_and_severity(void **state) {
    (void)state;
    struct event event;
    now_ns = 77;
    events_post(&events, EVENT_WARN, "%s", "one");
    now_ns = 88;
    assert_int_equal(events_take(&events, &event, 0), 1);
    assert_int_equal(event.time_ns, 77);
    assert_int_equal(event.severity, EVENT_WARN);
}

static void what_is_left_at_the_close_is_still_heard(void **state) {
    (void)state;
    events_post(&events, EVENT_ERROR, "last");
    events_close(&events);
    assert_next("last");
    assert_none(-ESHUTDOWN);
    assert_none(-ESHUTDOWN);
}

static void whoever_is_woken_for_nothing_waits_no_longer_than_he_wanted(void **state) {
    (void)state;
    struct event event;
    assert_int_equal(events_take(&events, &event, 95), 0);
    assert_int_equal(now_ns, 1095);
    assert_int_equal(wakes, 10);
}

static void a_text_that_is_too_long_is_cut_and_terminated(void **state) {
    (void)state;
    struct event event;
    char text[2 * EVENT_TEXT_BYTES];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = '\0';
    events_post(&events, EVENT_INFO, "%s", text);
    assert_int_equal(events_take(&events, &event, 0), 1);
    assert_int_equal(strlen(event.text), EVENT_TEXT_BYTES - 1);
}

static void behind_a_long_path_it_is_still_said_what_to_do(void **state) {
    (void)state;
    struct event event;
    char path[4096];
    memset(path, 'x', sizeof path);
    path[sizeof path - 1] = '\0';
    events_post(&events, EVENT_ERROR, "%s was moved to %s: move it back", path, path);
    assert_int_equal(events_take(&events, &event, 0), 1);
    assert_int_equal(strlen(event.text), EVENT_TEXT_BYTES - 1);
    assert_non_null(strstr(event.text, "x was moved to x"));
    assert_string_equal(event.text + EVENT_TEXT_BYTES - 1 - 14, ": move it back");
}

#define TEST(name) cmocka_unit_test_setup(name, set_up)

static void the_newest_event_is_known_after_it_was_taken(void **state) {
    (void)state;
    struct event event;
    assert_int_equal(events_last(&events, &event), 0);
    for (int i = 1; i <= 40; i++) {
        events_post(&events, EVENT_WARN, "event %d", i);
    }
    while (events_take(&events, &event, 0) == 1) {
    }
    strcpy(event.text, "");
    assert_int_equal(events_last(&events, &event), 40);
    assert_string_equal(event.text, "event 40");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(as_many_as_are_kept_come_in_order),
        TEST(the_newest_replace_the_oldest),
        TEST(an_event_has_its_time_and_severity),
        TEST(what_is_left_at_the_close_is_still_heard),
        TEST(whoever_is_woken_for_nothing_waits_no_longer_than_he_wanted),
        TEST(a_text_that_is_too_long_is_cut_and_terminated),
        TEST(behind_a_long_path_it_is_still_said_what_to_do),
        TEST(the_newest_event_is_known_after_it_was_taken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
