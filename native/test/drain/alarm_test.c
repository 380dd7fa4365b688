/* SPDX-License-Identifier: Apache-2.0 */
/* Each reason for which an append waits or fails is an ERROR, at once and every minute, under a
 * clock that the test moves. */
#include "text_log.h"

#define SECOND_NS 1000000000ll

static int64_t clock_ns;

static int64_t moved_clock_ns(const struct platform *platform) {
    (void)platform;
    return clock_ns;
}

/* Nobody wakes the thread: the time passes. */
static int park_until_the_timeout(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected,
                                  int64_t timeout_ns) {
    (void)platform, (void)word, (void)expected;
    assert_true(timeout_ns > 0);
    clock_ns += timeout_ns;
    return -ETIMEDOUT;
}

static void open_with_clock(void) {
    static struct platform_ops platform_ops;
    static const struct platform platform = {&platform_ops};
    platform_ops = *platform_linux.ops;
    platform_ops.monotonic_ns = moved_clock_ns;
    platform_ops.park = park_until_the_timeout;
    clock_ns = 1000 * SECOND_NS;
    const struct engine_parts parts = {
        .platform = &platform, .device = &host.device, .files = &host.files, .events = &host.events};
    const struct engine_stream main_stream = {.name = "", .path = host.file};
    const struct engine_config config = {.main = &main_stream};
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    host.events.first = host.events.end;
}

static void assert_silence(void) {
    struct event event;
    if (events_take(&host.events, &event, 0) == 1) {
        fail_msg("told: %s", event.text);
    }
}

static void assert_next(uint32_t severity, const char *words) {
    struct event event;
    if (events_take(&host.events, &event, 0) != 1) {
        fail_msg("nobody told: %s", words);
    }
    if (strstr(event.text, words) == NULL || event.severity != severity) {
        fail_msg("\"%s\" (%u) does not say: %s", event.text, event.severity, words);
    }
}

static int write_error;

static int64_t failing_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    return write_error != 0 ? -write_error : files_posix.ops->write(files, file, data, bytes, offset);
}

static void a_log_file_that_cannot_be_written_is_an_error_every_minute(void **state) {
    (void)state;
    open_with_clock();
    append_text("first\n");
    own_ops()->write = failing_write;
    write_error = ENOSPC;
    assert_int_equal(engine_step(host.engine, 0), -ENOSPC);
    assert_next(EVENT_ERROR, "log cannot be written: ENOSPC");
    for (int minute = 1; minute <= 3; minute++) {
        clock_ns += 59 * SECOND_NS;
        assert_int_equal(engine_step(host.engine, 0), -ENOSPC);
        assert_silence();
        clock_ns += SECOND_NS;
        assert_int_equal(engine_step(host.engine, 0), -ENOSPC);
        char words[100];
        snprintf(words, sizeof words,
                 "(for %d s now; 4096 bytes wait), and when it is full appends wait or fail: free space", 60 * minute);
        assert_next(EVENT_ERROR, words);
    }
    write_error = EROFS;
    assert_int_equal(engine_step(host.engine, 0), -EROFS);
    assert_next(EVENT_ERROR, "log cannot be written: EROFS");
    write_error = 0;
    assert_true(engine_step(host.engine, 0) >= 0);
    assert_next(EVENT_ERROR, "is being written again");
    append_text("second\n");
    write_error = EROFS; /* a new stall is reported at once */
    assert_int_equal(engine_step(host.engine, 0), -EROFS);
    assert_next(EVENT_ERROR, "log cannot be written: EROFS");
    assert_silence();
}

static void fill_ring(void) {
    char record[3000];
    memset(record, 'x', sizeof record);
    while (ring_append(host.engine->ring, record, sizeof record, 0, &stream_0, &unless_full) > 0) {
    }
}

static void a_full_ring_is_an_error_every_minute_as_long_as_appends_wait(void **state) {
    static const struct ring_rule rule = {.on_full = RING_ON_FULL_BLOCK, .timeout_ns = 150 * SECOND_NS};
    char record[3000];
    (void)state;
    memset(record, 'x', sizeof record);
    open_with_clock();
    fill_ring();
    assert_silence(); /* nobody waits */
    assert_int_equal(ring_append(host.engine->ring, record, sizeof record, 0, &stream_0, &rule), -ETIMEDOUT);
    assert_next(EVENT_ERROR, "has been full for 1 s: appends wait until its records are in the log file");
    assert_next(EVENT_ERROR, "has been full for 61 s");
    assert_next(EVENT_ERROR, "has been full for 121 s");
    assert_silence();
    /* The next call waits for the same reason: the state has not changed. */
    clock_ns += 5 * SECOND_NS;
    assert_int_equal(ring_append(host.engine->ring, record, sizeof record, 0, &stream_0, &rule), -ETIMEDOUT);
    assert_next(EVENT_ERROR, "has been full for 181 s");
    assert_next(EVENT_ERROR, "has been full for 241 s");
    assert_next(EVENT_ERROR, "has been full for 301 s");
    assert_silence();
    drain_all();
    fill_ring();
    clock_ns += 5 * SECOND_NS;
    assert_int_equal(ring_append(host.engine->ring, record, sizeof record, 0, &stream_0, &rule), -ETIMEDOUT);
    assert_next(EVENT_ERROR, "has been full for 1 s");
    assert_next(EVENT_ERROR, "has been full for 61 s");
    assert_next(EVENT_ERROR, "has been full for 121 s");
    clock_ns += SECOND_NS;
    own_ops()->write = failing_write;
    write_error = EROFS;
    assert_int_equal(engine_step(host.engine, 0), -EROFS);
    assert_next(EVENT_ERROR, "log cannot be written: EROFS"); /* the ring has no space either */
    assert_silence();
    write_error = 0;
    drain_all();
    assert_next(EVENT_ERROR, "is being written again");
    assert_true(engine_step(host.engine, 0) >= 0);
    assert_next(EVENT_ERROR, "has space again");
    assert_true(engine_step(host.engine, 0) >= 0);
    assert_silence();
}

static void append_in_vain(int64_t timeout_ns) {
    const struct ring_rule rule = {.on_full = RING_ON_FULL_BLOCK, .timeout_ns = timeout_ns};
    static char record[3000];
    assert_int_equal(ring_append(host.engine->ring, record, sizeof record, 0, &stream_0, &rule), -ETIMEDOUT);
}

static void a_wait_of_less_than_a_second_for_space_is_not_told(void **state) {
    (void)state;
    open_with_clock();
    fill_ring();
    append_in_vain(SECOND_NS / 2);
    assert_silence();
}

static void that_there_is_space_again_is_told_when_nobody_waits_for_it(void **state) {
    (void)state;
    open_with_clock();
    fill_ring();
    append_in_vain(2 * SECOND_NS);
    assert_next(EVENT_ERROR, "has been full for 1 s");
    atomic_fetch_add(&host.engine->ring->space.waiters, 1);
    drain_all();
    clock_ns += 5 * SECOND_NS;
    assert_true(engine_step(host.engine, 0) >= 0);
    assert_silence();
    atomic_fetch_sub(&host.engine->ring->space.waiters, 1);
    assert_true(engine_step(host.engine, 0) >= 0);
    assert_next(EVENT_ERROR, "has space again");
}

static void a_ring_that_was_full_and_has_failed_has_no_space_again(void **state) {
    struct event event;
    (void)state;
    open_with_clock();
    fill_ring();
    append_in_vain(2 * SECOND_NS);
    assert_next(EVENT_ERROR, "has been full for 1 s");
    drain_all();
    ring_fail(host.engine->ring, "as a test wants it");
    clock_ns += 5 * SECOND_NS;
    engine_step(host.engine, 0);
    while (events_take(&host.events, &event, 0) == 1) {
        assert_null(strstr(event.text, "has space again"));
    }
}

static void a_failed_ring_is_an_error_every_minute(void **state) {
    (void)state;
    open_with_clock();
    host.fail_submitted = 1;
    assert_int_equal(ring_append(host.engine->ring, "first\n", 6, 0, &stream_0, &for_ever), -EIO);
    assert_next(EVENT_ERROR, "every append fails until the log is closed and opened again");
    for (int minute = 1; minute <= 3; minute++) {
        engine_step(host.engine, 0);
        clock_ns += 59 * SECOND_NS;
        engine_step(host.engine, 0);
        assert_silence();
        clock_ns += SECOND_NS;
        engine_step(host.engine, 0);
        char words[100];
        snprintf(words, sizeof words, "for %d s every append has failed: ", 60 * minute);
        assert_next(EVENT_ERROR, words);
    }
}

static void a_log_file_whose_bytes_others_took_is_an_error(void **state) {
    (void)state;
    open_with_clock();
    append_text("first\n");
    drain_all();
    assert_int_equal(truncate(host.file, 0), 0);
    append_text("second\n");
    drain_all();
    assert_next(EVENT_ERROR, "was cut by others");
    assert_next(EVENT_WARN, "records from 2 on go to log file ");
    assert_silence();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_log_file_that_cannot_be_written_is_an_error_every_minute),
        RING_TEST(a_full_ring_is_an_error_every_minute_as_long_as_appends_wait),
        RING_TEST(a_wait_of_less_than_a_second_for_space_is_not_told),
        RING_TEST(that_there_is_space_again_is_told_when_nobody_waits_for_it),
        RING_TEST(a_ring_that_was_full_and_has_failed_has_no_space_again),
        RING_TEST(a_failed_ring_is_an_error_every_minute),
        RING_TEST(a_log_file_whose_bytes_others_took_is_an_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
