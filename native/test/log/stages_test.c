/* SPDX-License-Identifier: Apache-2.0 */
/* The stage histograms as users of the C API see them, on a ring file with real threads. */
#include "log_fixture.h"

#define APPENDS 60 /* few enough that all are timed on any medium */

static burst_histogram_t histogram_of(const burst_t *log, uint32_t stage) {
    burst_histogram_t histogram = {.struct_bytes = sizeof histogram};
    assert_int_equal(burst_stage_histogram(log, stage, &histogram), 0);
    return histogram;
}

static void append_some(burst_t *log) {
    for (int i = 0; i < APPENDS; i++) {
        assert_true(burst_append(log, "record\n", 7, 0) > 0);
    }
    assert_int_equal(burst_await_drained(log, -1), 1);
}

static void assert_plausible(const burst_stage_stats_t *stage) {
    assert_true(stage->count > 0);
    assert_true(stage->p50_ns <= stage->p99_ns && stage->p99_ns <= stage->p999_ns);
    assert_true(stage->p999_ns <= stage->p9999_ns && stage->p9999_ns <= stage->max_ns);
    assert_true(stage->mean_ns > 0 && stage->mean_ns <= stage->max_ns);
}

static void every_stage_but_the_wait_for_space_has_figures(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log);
    const burst_stats_t stats = stats_of(log);
    assert_int_equal(stats.stages[BURST_STAGE_CLAIM_WAIT].count, 0);
    for (int stage = BURST_STAGE_COPY; stage <= BURST_STAGE_DRAIN_LAG; stage++) {
        assert_plausible(&stats.stages[stage]);
    }
    assert_int_equal(stats.stages[BURST_STAGE_COPY].count, APPENDS);
    assert_int_equal(stats.stages[BURST_STAGE_COMMIT_WAIT].count, APPENDS);
    assert_int_equal(stats.stages[BURST_STAGE_DEVICE_WRITE].count, stats.device_writes);
    burst_close(log);
}

static void what_is_enqueued_has_a_lag(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log);
    assert_int_equal(stats_of(log).stages[BURST_STAGE_ENQUEUE_LAG].count, 0);
    for (int i = 0; i < 640; i++) {
        assert_true(burst_enqueue(log, "record\n", 7, 0) > 0);
    }
    assert_int_equal(burst_flush(log, -1), 1);
    const burst_stats_t stats = stats_of(log);
    assert_plausible(&stats.stages[BURST_STAGE_ENQUEUE_LAG]);
    assert_int_equal(stats.stages[BURST_STAGE_ENQUEUE_LAG].count, stats.stages[BURST_STAGE_COPY].count - APPENDS);
    burst_close(log);
}

static void a_drain_that_was_held_up_shows_in_the_lag(void **state) {
    (void)state;
    burst_t *log = open_small();
    struct timespec begin, end;
    block_file();
    assert_int_equal(burst_append(log, "late\n", 5, 0), 1);
    clock_gettime(CLOCK_MONOTONIC, &begin);
    assert_int_equal(burst_await_drained(log, 50000000), 0);
    clock_gettime(CLOCK_MONOTONIC, &end);
    unblock_file();
    assert_int_equal(burst_await_drained(log, -1), 1);
    const uint64_t held_up_ns = (uint64_t)((end.tv_sec - begin.tv_sec) * SECOND_NS + end.tv_nsec - begin.tv_nsec);
    const burst_stats_t stats = stats_of(log);
    assert_int_equal(stats.stages[BURST_STAGE_DRAIN_LAG].count, 1);
    assert_true(stats.stages[BURST_STAGE_DRAIN_LAG].max_ns >= held_up_ns);
    burst_close(log);
}

static void who_waits_for_space_is_counted(void **state) {
    (void)state;
    burst_config_t config = small_config();
    main_config.block_timeout_ns = 20000000;
    burst_t *log = open_with(&config);
    static char record[100000];
    block_file();
    int64_t result;
    do {
        result = burst_append(log, record, sizeof record, 0);
    } while (result > 0);
    assert_int_equal(result, -ETIMEDOUT);
    const burst_stats_t stats = stats_of(log);
    assert_int_equal(stats.stages[BURST_STAGE_CLAIM_WAIT].count, stats.full_waits);
    assert_true(stats.stages[BURST_STAGE_CLAIM_WAIT].max_ns >= main_config.block_timeout_ns);
    unblock_file();
    burst_close(log);
}

static void a_closed_log_keeps_its_last_figures(void **state) {
    (void)state;
    static burst_histogram_t before[BURST_STAGES], after;
    burst_t *log = open_small();
    append_some(log);
    const burst_stats_t open = stats_of(log);
    for (uint32_t stage = 0; stage < BURST_STAGES; stage++) {
        before[stage] = histogram_of(log, stage);
    }
    assert_int_equal(burst_close(log), 0);
    const burst_stats_t closed = stats_of(log);
    assert_memory_equal(closed.stages, open.stages, sizeof open.stages);
    for (uint32_t stage = 0; stage < BURST_STAGES; stage++) {
        after = histogram_of(log, stage);
        assert_memory_equal(&after, &before[stage], sizeof after);
    }
}

static void a_histogram_says_what_the_summary_says(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log);
    const burst_stats_t stats = stats_of(log);
    for (uint32_t stage = 0; stage < BURST_STAGES; stage++) {
        const burst_histogram_t histogram = histogram_of(log, stage);
        uint64_t count = 0;
        for (uint32_t bucket = 0; bucket < histogram.bucket_count; bucket++) {
            count += histogram.counts[bucket];
        }
        assert_int_equal(count, stats.stages[stage].count);
        assert_int_equal(histogram.count, count);
        assert_int_equal(histogram.max_ns, stats.stages[stage].max_ns);
        assert_int_equal(burst_histogram_percentile(&histogram, 50), stats.stages[stage].p50_ns);
        assert_int_equal(burst_histogram_percentile(&histogram, 99.99), stats.stages[stage].p9999_ns);
    }
    burst_close(log);
}

static void figures_begin_anew_with_each_open(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log);
    burst_close(log);
    log = open_small();
    const burst_stats_t stats = stats_of(log);
    assert_int_equal(stats.stages[BURST_STAGE_COPY].count, 0);
    assert_int_equal(stats.stages[BURST_STAGE_DEVICE_WRITE].count, 0);
    burst_close(log);
}

static void a_caller_of_a_newer_header_gets_zeros_for_what_is_not_known_here(void **state) {
    (void)state;
    burst_t *log = open_small();
    append_some(log);
    struct {
        burst_stats_t stats;
        uint64_t newer, behind;
    } newer = {.stats.struct_bytes = sizeof newer.stats + sizeof newer.newer, .newer = 1, .behind = 2};
    assert_int_equal(burst_stats(log, &newer.stats), 0);
    assert_int_equal(newer.stats.accepted_sequence, APPENDS);
    assert_true(newer.stats.stages[BURST_STAGE_DEVICE_WRITE].count > 0);
    assert_int_equal(newer.newer, 0);
    assert_int_equal(newer.behind, 2);
    newer.stats.struct_bytes = sizeof newer.stats - 8; /* shorter than that of any header */
    assert_int_equal(burst_stats(log, &newer.stats), -EINVAL);
    newer.stats.struct_bytes = 1 << 20;
    assert_int_equal(burst_stats(log, &newer.stats), -EINVAL);
    burst_close(log);
}

static void what_is_no_stage_is_refused(void **state) {
    (void)state;
    burst_histogram_t histogram = {.struct_bytes = sizeof histogram};
    burst_t *log = open_small();
    assert_int_equal(burst_stage_histogram(log, BURST_STAGES, &histogram), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "no stage 7"));
    histogram.struct_bytes = 16;
    assert_int_equal(burst_stage_histogram(log, 0, &histogram), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "16"));
    burst_close(log);
}

static _Atomic int running;

static void *append_all_the_time(void *argument) {
    burst_t *log = argument;
    while (atomic_load(&running)) {
        assert_true(burst_append(log, "record\n", 7, 0) > 0);
        assert_true(burst_enqueue(log, "record\n", 7, 0) > 0);
    }
    return NULL;
}

static void figures_may_be_read_while_others_append(void **state) {
    (void)state;
    burst_t *log = open_small();
    pthread_t threads[2];
    atomic_store(&running, 1);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, append_all_the_time, log), 0);
    }
    uint64_t before = 0;
    while (before < 200) {
        const burst_histogram_t histogram = histogram_of(log, BURST_STAGE_COMMIT_WAIT);
        assert_true(histogram.count >= before);
        assert_true(stats_of(log).stages[BURST_STAGE_COMMIT_WAIT].count >= histogram.count);
        before = histogram.count;
    }
    atomic_store(&running, 0);
    for (int i = 0; i < 2; i++) {
        pthread_join(threads[i], NULL);
    }
    burst_close(log);
}

static void the_highest_value_of_each_bucket_is_told(void **state) {
    (void)state;
    assert_int_equal(burst_histogram_highest(255), 255);
    assert_int_equal(burst_histogram_highest(256), 257);
    assert_int_equal(burst_histogram_highest(BURST_HISTOGRAM_BUCKETS - 1), (1ull << 37) - 1);
    assert_int_equal(burst_histogram_highest(UINT32_MAX), (1ull << 37) - 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(every_stage_but_the_wait_for_space_has_figures),
        TEST(what_is_enqueued_has_a_lag),
        TEST(a_drain_that_was_held_up_shows_in_the_lag),
        TEST(who_waits_for_space_is_counted),
        TEST(a_closed_log_keeps_its_last_figures),
        TEST(a_histogram_says_what_the_summary_says),
        cmocka_unit_test(the_highest_value_of_each_bucket_is_told),
        TEST(figures_begin_anew_with_each_open),
        TEST(a_caller_of_a_newer_header_gets_zeros_for_what_is_not_known_here),
        TEST(what_is_no_stage_is_refused),
        TEST(figures_may_be_read_while_others_append),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
