/* SPDX-License-Identifier: Apache-2.0 */
/* The C API under pressure: full rings, many threads, closing under load. */
#include "log_fixture.h"

/* Waits some drain intervals for the state. */
static void await_state(burst_t *log, uint32_t state) {
    for (int i = 0; i < 12000 && stats_of(log).state != state; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(stats_of(log).state, state);
}

static void a_full_ring_fails_discards_or_times_out_as_configured(void **state) {
    (void)state;
    for (uint32_t policy = BURST_ON_FULL_BLOCK; policy <= BURST_ON_FULL_DISCARD; policy++) {
        burst_config_t config = small_config();
        main_config.on_full = policy;
        main_config.block_timeout_ns = SECOND_NS / 20;
        burst_t *log = open_with(&config);
        burst_append(log, "first\n", 6, 0);
        await_released(log);
        block_file();
        fill_log(log);
        const int64_t before = stats_of(log).accepted_sequence;
        const int64_t rc = burst_append(log, "over\n", 5, 0);
        assert_int_equal(rc, policy == BURST_ON_FULL_BLOCK ? -ETIMEDOUT : policy == BURST_ON_FULL_FAIL ? -EAGAIN : 0);
        assert_int_equal(stats_of(log).accepted_sequence, before);
        assert_int_equal(stats_of(log).discarded, policy == BURST_ON_FULL_DISCARD);
        await_state(log, BURST_STATE_STALLED);
        assert_true(burst_close(log) > 0);
        unblock_file();
        log = open_small();
        assert_int_equal(burst_append(log, "again\n", 6, 0), before + 1);
        assert_int_equal(burst_close(log), 0);
        remove_folder(NULL);
        make_folder(NULL);
    }
}

static void a_blocked_append_goes_on_when_the_file_can_be_written_again(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_append(log, "first\n", 6, 0);
    await_released(log);
    block_file();
    const int64_t last = fill_log(log);
    const pid_t child = fork();
    if (child == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
        rmdir(file_path);
        _exit(0);
    }
    static char large[200000];
    memset(large, 'l', sizeof large);
    assert_true(burst_append(log, large, sizeof large, 0) > last);
    assert_true(stats_of(log).full_waits > 0);
    waitpid(child, NULL, 0);
    burst_close(log);
}

struct worker {
    burst_t *log;
    int number;
    int count;
    int enqueue;
    _Atomic int *stop;
};

static void *append_lines(void *argument) {
    const struct worker *worker = argument;
    int64_t last = 0;
    for (int i = 0; i < worker->count; i++) {
        char line[64];
        const int length = snprintf(line, sizeof line, "%d %d\n", worker->number, i);
        const int64_t sequence = worker->enqueue ? burst_enqueue(worker->log, line, (size_t)length, 0)
                                                 : burst_append(worker->log, line, (size_t)length, 0);
        if (sequence < 0 && worker->stop != NULL) {
            return (void *)(intptr_t)i;
        }
        if (sequence <= last || (!worker->enqueue && burst_durable_sequence(worker->log) < sequence)) {
            abort();
        }
        last = sequence;
    }
    return (void *)(intptr_t)worker->count;
}

static void assert_lines(const int *counts, int workers, int exactly) {
    size_t bytes;
    char *text = read_file(&bytes), *rest = text;
    int next[32] = {0};
    for (char *line; (line = strsep(&rest, "\n")) != NULL && *line != '\0';) {
        int worker, number;
        assert_int_equal(sscanf(line, "%d %d", &worker, &number), 2);
        assert_int_equal(number, next[worker]++);
    }
    for (int i = 0; i < workers; i++) {
        assert_true(exactly ? next[i] == counts[i] : next[i] >= counts[i]);
    }
    free(text);
}

static void many_threads_lose_nothing_and_keep_their_order(void **state) {
    (void)state;
    burst_t *log = open_small();
    struct worker workers[12];
    pthread_t threads[12];
    int counts[12];
    for (int i = 0; i < 12; i++) {
        workers[i] = (struct worker){.log = log, .number = i, .count = i % 3 == 0 ? 20000 : 300, .enqueue = i % 3 == 0};
        pthread_create(&threads[i], NULL, append_lines, &workers[i]);
    }
    for (int i = 0; i < 12; i++) {
        void *count;
        pthread_join(threads[i], &count);
        counts[i] = (int)(intptr_t)count;
    }
    assert_int_equal(burst_flush(log, -1), 1);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_lines(counts, 12, 1);
}

static void closing_under_load_keeps_what_was_acknowledged(void **state) {
    (void)state;
    for (int round = 0; round < 10; round++) {
        burst_t *log = open_small();
        _Atomic int stop = 0;
        struct worker workers[6];
        pthread_t threads[6];
        int counts[6];
        for (int i = 0; i < 6; i++) {
            workers[i] = (struct worker){.log = log, .number = i, .count = 1 << 30, .enqueue = i % 2, .stop = &stop};
            pthread_create(&threads[i], NULL, append_lines, &workers[i]);
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        assert_true(burst_close(log) >= 0);
        for (int i = 0; i < 6; i++) {
            void *count;
            pthread_join(threads[i], &count);
            counts[i] = (int)(intptr_t)count;
        }
        assert_int_equal(burst_append(log, "x", 1, 0), -ESHUTDOWN);
        assert_int_equal(burst_close(log), -ESHUTDOWN);
        assert_int_equal(stats_of(log).state, BURST_STATE_CLOSED);
        burst_close(open_small());
        assert_lines(counts, 6, 1);
        remove_folder(NULL);
        make_folder(NULL);
    }
}

static void a_record_longer_than_todays_limit_is_drained(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.ring_bytes = 32 << 20;
    config.max_record_bytes = 4 << 20;
    burst_t *log = open_with(&config);
    burst_append(log, "first\n", 6, 0);
    await_released(log);
    block_file();
    char *record = calloc(1, 4 << 20);
    memset(record, 'x', 4 << 20);
    assert_int_equal(burst_append(log, record, 4 << 20, 0), 2);
    assert_int_equal(burst_close(log), 1);
    unblock_file();
    config.max_record_bytes = 1000;
    log = open_with(&config);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    size_t bytes;
    char *text = read_file(&bytes);
    assert_int_equal(bytes, 4 << 20); /* the deleted file had the first record */
    assert_memory_equal(text, record, 4 << 20);
    free(text);
    free(record);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_full_ring_fails_discards_or_times_out_as_configured),
        TEST(a_blocked_append_goes_on_when_the_file_can_be_written_again),
        TEST(many_threads_lose_nothing_and_keep_their_order),
        TEST(closing_under_load_keeps_what_was_acknowledged),
        TEST(a_record_longer_than_todays_limit_is_drained),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
