/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder's thread: its lines, its events, and a disk that hangs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "flight/recorder.h"

static char folder[64], path[128];
static struct recorder *recorder;
static struct events *events;
static struct flight_log flight;
static struct { /* of the log behind the recorder */
    _Atomic int is_closed;
    _Atomic int fills;
    _Atomic int holds_up; /* fill waits while it is set */
} host_log;

static int begin(void **state) {
    (void)state;
    strcpy(folder, "/dev/shm/burst-flight-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ring.flight", folder);
    recorder = calloc(1, sizeof *recorder);
    events = calloc(1, sizeof *events);
    events_init(events, &platform_linux);
    memset(&host_log, 0, sizeof host_log);
    strcpy(recorder->path, path);
    strcpy(recorder->ring, "/a/ring");
    recorder->mode = 0600;
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[128];
    flight_log_free(&flight);
    free(recorder);
    free(events);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static void pause_ms(long ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

static int fill(void *argument, struct figures *figures) {
    assert_ptr_equal(argument, &host_log);
    while (atomic_load(&host_log.holds_up)) {
        pause_ms(1);
    }
    const uint64_t fills = (uint64_t)atomic_fetch_add(&host_log.fills, 1) + 1;
    figures->bytes = sizeof *figures;
    figures->pid = 1;
    figures->epoch = 42;
    figures->provably_lost = 5;
    figures->gaps = 6;
    figures->time_ns = platform_realtime_ns(&platform_linux);
    figures->monotonic_ns = platform_monotonic_ns(&platform_linux);
    figures->durable_sequence = 1000 * fills;
    figures->accepted_sequence = figures->durable_sequence;
    figures->commits = 10 * fills;
    histogram_record(&figures->stages[BURST_STAGE_COMMIT_WAIT], 50000);
    figures->stages[BURST_STAGE_COMMIT_WAIT].count++;
    return !atomic_load(&host_log.is_closed);
}

static void start(void) {
    const struct recorder_host host = {.platform = &platform_linux, .events = events, .fill = fill, .log = &host_log};
    recorder_start(recorder, &host);
    assert_true(recorder->is_started);
}

static void await_lines(size_t count) {
    for (int turn = 0; turn < 10000; turn++) {
        flight_log_free(&flight);
        if (flight_log_read(path, &flight) == 0 && flight.line_count >= count) {
            return;
        }
        pause_ms(5);
    }
    fail_msg("no %zu lines: %s", count, error_text());
}

static void close_log(void) {
    struct limit limit = limit_of(-1);
    atomic_store(&host_log.is_closed, 1);
    recorder_end(recorder);
    while (!atomic_load(&recorder->worker.has_ended)) {
        recorder_await_end(recorder, &limit);
    }
    pause_ms(20); /* its last wake-up touches the worker */
    flight_log_free(&flight);
    assert_int_equal(flight_log_read(path, &flight), 0);
}

static void an_open_its_seconds_and_its_close_are_lines(void **state) {
    (void)state;
    events_post(events, EVENT_INFO, "before the thread");
    start();
    await_lines(2);
    for (int i = 0; i < 3; i++) {
        events_post(events, EVENT_WARN, "event %d of one second", i);
    }
    await_lines(3);
    close_log();
    const struct flight_line *last = &flight.lines[flight.line_count - 1];
    assert_int_equal(flight.lines[0].kind, FLIGHT_OPEN);
    assert_int_equal(flight.lines[0].epoch, 42);
    assert_int_equal(flight.lines[0].lost, 5);
    assert_int_equal(flight.lines[0].gaps, 6);
    assert_int_equal(flight.lines[0].records, 0);
    assert_int_equal(flight.lines[1].kind, FLIGHT_SECOND);
    assert_int_equal(flight.lines[1].records, 1000);
    assert_int_equal(flight.lines[1].commits, 10);
    assert_int_equal(flight.lines[1].timed, 1);
    assert_int_equal(flight.lines[1].lost, 0);
    assert_true(flight.lines[1].elapsed_us >= 900000);
    assert_in_range(flight.lines[1].p99_ns, 50000, 50500);
    assert_int_equal(flight.lines[1].slowest_stage, BURST_STAGE_COMMIT_WAIT);
    assert_int_equal(last->kind, FLIGHT_CLOSE);
    assert_int_equal(last->durable_sequence, 1000ull * flight.line_count);
    assert_int_equal(flight.event_count, 4);
    assert_string_equal(flight.events[0].text, "before the thread");
    assert_string_equal(flight.events[3].text, "event 2 of one second");
    assert_int_equal(flight.events[3].epoch, 42);
    assert_int_equal(flight.events[3].severity, EVENT_WARN);
}

static void an_end_that_comes_at_once_is_written(void **state) {
    (void)state;
    start();
    close_log();
    assert_int_equal(flight.lines[flight.line_count - 1].kind, FLIGHT_CLOSE);
}

static const char *only_event(uint32_t severity) {
    static struct event event;
    assert_int_equal(events_take(events, &event, 10000000000), 1);
    assert_int_equal(event.severity, severity);
    pause_ms(50);
    struct event more;
    assert_int_equal(events_take(events, &more, 0), 0);
    return event.text;
}

static void a_file_that_cannot_be_opened_costs_one_warning(void **state) {
    (void)state;
    struct limit limit = limit_of(-1);
    assert_int_equal(mkdir(path, 0700), 0);
    start();
    const char *const text = only_event(EVENT_WARN);
    assert_non_null(strstr(text, "ring /a/ring goes on without its flight recorder"));
    assert_non_null(strstr(text, "EISDIR"));
    recorder_end(recorder);
    recorder_await_end(recorder, &limit);
    assert_true(atomic_load(&recorder->worker.has_ended));
    assert_int_equal(atomic_load(&host_log.fills), 0);
}

static void a_file_of_another_ring_begins_anew_and_that_is_told(void **state) {
    (void)state;
    start();
    await_lines(2);
    close_log();
    free(recorder);
    recorder = calloc(1, sizeof *recorder);
    strcpy(recorder->path, path);
    strcpy(recorder->ring, "/a/ring");
    recorder->uuid[0] = 1;
    atomic_store(&host_log.is_closed, 0);
    start();
    assert_non_null(strstr(only_event(EVENT_INFO), "begins anew"));
    await_lines(1);
    close_log();
    assert_int_equal(flight.lines[0].kind, FLIGHT_OPEN);
    assert_int_equal(flight.lines[0].number, 1);
}

/* The thread may take for ever: a close waits for its patience, and no longer. */
static void a_close_does_not_wait_for_a_thread_that_hangs(void **state) {
    (void)state;
    struct limit limit = limit_of(-1);
    start();
    await_lines(1);
    atomic_store(&host_log.holds_up, 1);
    atomic_store(&host_log.is_closed, 1);
    recorder_end(recorder);
    recorder_await_end(recorder, &limit); /* would wait for ever */
    assert_false(atomic_load(&recorder->worker.has_ended));
    atomic_store(&host_log.holds_up, 0);
    close_log();
    assert_int_equal(flight.lines[flight.line_count - 1].kind, FLIGHT_CLOSE);
}

int main(void) {
#define RECORDER_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        RECORDER_TEST(an_open_its_seconds_and_its_close_are_lines),
        RECORDER_TEST(an_end_that_comes_at_once_is_written),
        RECORDER_TEST(a_file_that_cannot_be_opened_costs_one_warning),
        RECORDER_TEST(a_file_of_another_ring_begins_anew_and_that_is_told),
        RECORDER_TEST(a_close_does_not_wait_for_a_thread_that_hangs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
