/* SPDX-License-Identifier: Apache-2.0 */
/* Rolling beside a host that is no stream: what it is asked for, and when. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "rolling/rolling.h"

#define BEGINS_AFTER 5
#define LIMIT_BYTES 100
#define LOOK_EVERY_NS 1000000

/* A host whose drain has passed `drained`; it wrote the file `start` when the stream was opened, and writes `now`. */
static struct events events;
static struct rolling *rolling;
static _Atomic uint64_t drained;
static _Atomic uint64_t awaited; /* the sequence that was asked for last */
static struct rolling_state start, now;
static int64_t answer; /* of the next enqueue */
static unsigned rolls;
static int may_wait_given;
static struct rolling_roll given;
static struct outlet_rules rules_to_take;
static _Atomic int rules_wait;
static char folder[64], file[BURST_PATH_BYTES];

static int await_passed(const struct rolling_host *host, uint64_t sequence, const struct worker *worker,
                        struct rolling_state *state) {
    (void)host;
    atomic_store(&awaited, sequence);
    while (atomic_load(&drained) < sequence && !worker_is_stopped(worker)) {
        platform_linux.ops->sleep_ns(&platform_linux, LOOK_EVERY_NS);
    }
    *state = now;
    return atomic_load(&drained) >= sequence;
}

static int64_t enqueue(const struct rolling_host *host, const struct rolling_roll *roll, int64_t time_ns,
                       int may_wait) {
    (void)host, (void)time_ns;
    rolls++;
    given = *roll;
    may_wait_given = may_wait;
    return answer;
}

static int take_rules(const struct rolling_host *host, struct outlet_rules *rules) {
    (void)host;
    *rules = rules_to_take;
    return atomic_exchange(&rules_wait, 0);
}

static const struct rolling_host host = {
    .ring = "/rings/r", .events = &events, .await_passed = await_passed, .enqueue = enqueue, .take_rules = take_rules};

/* The path of a file in the folder. */
static const char *at(const char *name) {
    static char path[BURST_PATH_BYTES];
    char relative[128];
    snprintf(relative, sizeof relative, "%s/%s", folder, name);
    assert_int_equal(path_absolute(relative, path, sizeof path), 0);
    return path;
}

static int begin(void **state) {
    (void)state;
    char pattern[BURST_PATH_BYTES];
    burst_rolling_t values;
    strcpy(folder, "burst-rolling-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(file, sizeof file, "%s", at("log"));
    snprintf(pattern, sizeof pattern, "%s", at("log-%i"));
    burst_rolling_init(&values);
    values.pattern = pattern;
    values.size_bytes = LIMIT_BYTES;
    values.keep_files = 1;
    events_init(&events, &platform_linux);
    atomic_store(&drained, 0);
    atomic_store(&awaited, 0);
    start = (struct rolling_state){.bytes = 60, .file_number = 3, .born_ns = 1};
    now = (struct rolling_state){.bytes = 0, .file_number = 4, .born_ns = 1};
    answer = 7;
    rolls = 0;
    return rolling_create(host.ring, file, &values, 0, &rolling);
}

static void put(const char *name) {
    FILE *made = fopen(at(name), "w");
    assert_non_null(made);
    fclose(made);
}

static int is_there(const char *name) {
    return access(at(name), F_OK) == 0;
}

static void await(const _Atomic uint64_t *value, uint64_t wanted) {
    while (atomic_load(value) != wanted) {
        platform_linux.ops->sleep_ns(&platform_linux, LOOK_EVERY_NS);
    }
}

/* Its thread ends although the drain may never pass anything. It stays, as that of a stream that was open. */
static int end(void **state) {
    (void)state;
    char command[128];
    struct limit limit = limit_of(-1);
    rolling_stop(rolling);
    rolling_await_end(rolling, &limit);
    events_close(&events);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void open_at_once(void) {
    rolling_open(rolling, &host, BEGINS_AFTER, &start);
}

static void append(size_t length, int may_wait) {
    rolling_roll_if_due(rolling, length, may_wait);
    rolling_count(rolling, length);
}

static void a_roll_is_enqueued_before_the_record_that_is_too_long(void **state) {
    (void)state;
    put("log-11");
    open_at_once();
    append(40, 1);
    assert_int_equal(rolls, 0);
    append(1, 1);
    assert_int_equal(rolls, 1);
    assert_int_equal(may_wait_given, 1);
    assert_string_equal(given.target, at("log-12"));
    assert_string_equal(given.next, "");
    assert_int_equal(given.next_file_bytes, LIMIT_BYTES);
    append(99, 0);
    assert_int_equal(rolls, 1);
    append(1, 0);
    assert_int_equal(rolls, 2);
    assert_int_equal(may_wait_given, 0);
}

static void a_roll_that_is_not_accepted_is_tried_with_the_next_record(void **state) {
    (void)state;
    answer = -EAGAIN;
    open_at_once();
    append(50, 0);
    append(1, 0);
    assert_int_equal(rolls, 2);
    answer = 9;
    append(1, 0);
    append(1, 0);
    assert_int_equal(rolls, 3);
}

/* Many records may come while the ring is full. */
static void a_roll_that_is_not_accepted_uses_up_no_number(void **state) {
    (void)state;
    struct rolling_roll refused = {.next_time_ns = 0}, named = {.target = "/a"};
    put("log-11");
    answer = -EAGAIN;
    open_at_once();
    append(50, 0);
    append(1, 0);
    assert_string_equal(given.target, at("log-12"));
    assert_int_equal(rolling_begin_roll(rolling, &refused, 1, 1), 0);
    rolling_end_roll(rolling, 0, 1);
    assert_string_equal(refused.target, at("log-12"));
    assert_int_equal(rolling_begin_roll(rolling, &named, 1, 1), 0);
    rolling_end_roll(rolling, 8, 1);
    answer = 9;
    append(200, 0);
    append(1, 0);
    assert_string_equal(given.target, at("log-12"));
    append(100, 0);
    assert_string_equal(given.target, at("log-13"));
}

static void nothing_is_rolled_before_the_drain_has_passed_the_earlier_runs(void **state) {
    (void)state;
    struct rolling_roll roll = {.next_time_ns = 0};
    rolling_open(rolling, &host, BEGINS_AFTER, NULL);
    await(&awaited, BEGINS_AFTER);
    append(1000, 1);
    append(1000, 1);
    assert_int_equal(rolls, 0);
    assert_int_equal(rolling_begin_roll(rolling, &roll, 1, 1), -EAGAIN);
    assert_non_null(strstr(error_text(), "of ring /rings/r is not rolled yet"));
    atomic_store(&drained, BEGINS_AFTER);
    await(&awaited, 0); /* what was there before is tidied up */
    append(1, 1);
    assert_int_equal(rolls, 1);
}

static void old_files_are_deleted_when_the_drain_has_passed_the_roll(void **state) {
    (void)state;
    put("log-1");
    put("log-2");
    atomic_store(&drained, 6);
    open_at_once();
    append(50, 1); /* rolls, with sequence 7 */
    await(&awaited, 7);
    put("log-3");
    assert_true(is_there("log-2"));
    atomic_store(&drained, 7);
    while (is_there("log-2")) {
        platform_linux.ops->sleep_ns(&platform_linux, LOOK_EVERY_NS);
    }
    assert_true(is_there("log-3"));
}

static void a_roll_that_was_given_up_is_not_tried_with_each_record(void **state) {
    (void)state;
    atomic_store(&drained, 6);
    now = start; /* the drain goes on with that file */
    open_at_once();
    append(50, 1);
    await(&awaited, 7);
    atomic_store(&drained, 7);
    while (atomic_load(&rolling->quiet_ns) == 0) {
        platform_linux.ops->sleep_ns(&platform_linux, LOOK_EVERY_NS);
    }
    append(1000, 1);
    append(1000, 1);
    assert_int_equal(rolls, 1);
}

static void a_roll_on_request_gets_what_it_does_not_say(void **state) {
    (void)state;
    struct rolling_roll roll = {.next_time_ns = 0}, said = {.target = "/a", .next_file_bytes = 5};
    open_at_once();
    assert_int_equal(rolling_begin_roll(rolling, &roll, 1, 1), 0);
    append(1000, 1); /* who finds a roll under way does not roll */
    rolling_end_roll(rolling, 0, 1);
    assert_int_equal(rolls, 0);
    assert_string_equal(roll.target, at("log-1"));
    assert_int_equal(roll.next_file_bytes, LIMIT_BYTES);
    assert_int_equal(rolling_begin_roll(rolling, &said, 1, 1), 0);
    rolling_end_roll(rolling, 9, 1);
    assert_string_equal(said.target, "/a");
    assert_int_equal(said.next_file_bytes, 5);
    assert_int_equal(atomic_load(&rolling->rolled), 9);
    append(1, 1); /* the bytes of the file that has ended are forgotten */
    append(1, 1);
    assert_int_equal(rolls, 0);
}

#define ROLLING_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        ROLLING_TEST(a_roll_is_enqueued_before_the_record_that_is_too_long),
        ROLLING_TEST(a_roll_that_is_not_accepted_is_tried_with_the_next_record),
        ROLLING_TEST(a_roll_that_is_not_accepted_uses_up_no_number),
        ROLLING_TEST(nothing_is_rolled_before_the_drain_has_passed_the_earlier_runs),
        ROLLING_TEST(old_files_are_deleted_when_the_drain_has_passed_the_roll),
        ROLLING_TEST(a_roll_that_was_given_up_is_not_tried_with_each_record),
        ROLLING_TEST(a_roll_on_request_gets_what_it_does_not_say),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
