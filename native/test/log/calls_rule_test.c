/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a rule of their own: what they do when the ring is full, and how long they wait. */
#include "log_fixture.h"

typedef int64_t (*call_within)(burst_t *log, const void *data, size_t length, int64_t event_time_ns,
                               enum burst_on_full on_full, int64_t timeout_ns);

static const call_within calls[] = {burst_append_within, burst_enqueue_within};
static const size_t call_count = sizeof calls / sizeof calls[0];

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static burst_t *open_full(uint32_t on_full, uint64_t block_timeout_ns) {
    burst_config_t config = small_config();
    main_config.on_full = on_full;
    main_config.block_timeout_ns = block_timeout_ns;
    burst_t *log = open_with(&config);
    assert_int_equal(burst_append(log, "first\n", 6, 0), 1);
    await_released(log);
    block_file();
    fill_log(log);
    return log;
}

/* The call returns rc, counts so many discarded records, and found the ring full once. */
static void assert_call(burst_t *log, call_within call, uint32_t on_full, int64_t timeout_ns, int64_t rc,
                        uint64_t discarded) {
    const burst_stats_t before = stats_of(log);
    const int64_t begin_ns = now_ns();
    assert_int_equal(call(log, "over\n", 5, 0, on_full, timeout_ns), rc);
    if (rc == -ETIMEDOUT) {
        assert_true(now_ns() - begin_ns >= timeout_ns);
    }
    const burst_stats_t after = stats_of(log);
    assert_int_equal(after.discarded - before.discarded, discarded);
    assert_int_equal(after.full_waits - before.full_waits, 1);
    assert_int_equal(after.accepted_sequence, before.accepted_sequence);
}

static void a_call_keeps_its_own_rule_and_counts_once_whatever_that_of_the_log_is(void **state) {
    (void)state;
    for (uint32_t of_the_log = BURST_ON_FULL_BLOCK; of_the_log <= BURST_ON_FULL_DISCARD; of_the_log++) {
        burst_t *log = open_full(of_the_log, SECOND_NS / 100);
        for (size_t i = 0; i < call_count; i++) {
            assert_call(log, calls[i], BURST_ON_FULL_DISCARD, -1, 0, 1);
            assert_call(log, calls[i], BURST_ON_FULL_FAIL, -1, -EAGAIN, 0);
            assert_call(log, calls[i], BURST_ON_FULL_BLOCK, SECOND_NS / 20, -ETIMEDOUT, 0);
            assert_non_null(strstr(burst_last_error(), "blockTimeout, 50 ms"));
            assert_call(log, calls[i], BURST_ON_FULL_BLOCK, 0, -ETIMEDOUT, 0);
        }
        assert_int_equal(burst_offer(log, "over\n", 5, 0), -EAGAIN); /* the caller of offer learns of it */
        assert_true(burst_close(log) > 0);
        unblock_file();
        remove_folder(NULL);
        make_folder(NULL);
    }
}

static void a_roll_that_is_offered_to_a_full_ring_counts_for_no_record(void **state) {
    (void)state;
    burst_t *log = open_full(BURST_ON_FULL_BLOCK, 0);
    const burst_stats_t before = stats_of(log);
    char target[sizeof file_path + 4];
    burst_roll_t roll;
    burst_roll_init(&roll);
    snprintf(target, sizeof target, "%s.old", file_path);
    roll.target = target;
    assert_int_equal(burst_stream_offer_roll(burst_main_stream(log), &roll, 1000), -EAGAIN);
    assert_int_equal(stats_of(log).full_waits, before.full_waits);
    assert_int_equal(burst_offer(log, "over\n", 5, 0), -EAGAIN);
    assert_int_equal(stats_of(log).full_waits, before.full_waits + 1);
    unblock_file();
    assert_int_equal(burst_close(log), 0);
}

static void a_rule_that_does_not_exist_is_refused(void **state) {
    (void)state;
    burst_t *log = open_small();
    for (size_t i = 0; i < call_count; i++) {
        assert_int_equal(calls[i](log, "x", 1, 0, BURST_ON_FULL_DISCARD + 1, -1), -EINVAL);
        assert_non_null(strstr(burst_last_error(), "on_full 3"));
    }
    assert_int_equal(burst_append(log, "first\n", 6, 0), 1);
    assert_int_equal(burst_close(log), 0);
}

struct waiting {
    burst_t *log;
    call_within call;
    int64_t timeout_ns;
    int64_t rc;
};

static void *wait_for_space(void *argument) {
    static char large[200000];
    struct waiting *waiting = argument;
    waiting->rc = waiting->call(waiting->log, large, sizeof large, 0, BURST_ON_FULL_BLOCK, waiting->timeout_ns);
    return NULL;
}

/* Space comes after the log's own limit is over: only the call's own rule says how long it waits. */
static void assert_waits(call_within call, int64_t timeout_ns) {
    burst_t *log = open_full(BURST_ON_FULL_BLOCK, 1);
    const burst_stats_t before = stats_of(log);
    struct waiting waiting = {.log = log, .call = call, .timeout_ns = timeout_ns};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, wait_for_space, &waiting), 0);
    while (stats_of(log).full_waits == before.full_waits) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    unblock_file();
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(waiting.rc, before.accepted_sequence + 1);
    assert_int_equal(stats_of(log).full_waits, before.full_waits + 1);
    assert_int_equal(burst_close(log), 0);
    remove_folder(NULL);
    make_folder(NULL);
}

static void a_wait_ends_when_there_is_space(void **state) {
    (void)state;
    for (size_t i = 0; i < call_count; i++) {
        assert_waits(calls[i], PATIENCE_NS);
    }
}

static void a_negative_timeout_waits_for_ever(void **state) {
    (void)state;
    for (size_t i = 0; i < call_count; i++) {
        assert_waits(calls[i], -1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_call_keeps_its_own_rule_and_counts_once_whatever_that_of_the_log_is),
        TEST(a_roll_that_is_offered_to_a_full_ring_counts_for_no_record),
        TEST(a_rule_that_does_not_exist_is_refused),
        TEST(a_wait_ends_when_there_is_space),
        TEST(a_negative_timeout_waits_for_ever),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
