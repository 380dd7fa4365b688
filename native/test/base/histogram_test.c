/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <pthread.h>

#include "base/histogram.h"

static struct histogram histogram, copy;

static int forget(void **state) {
    (void)state;
    memset(&histogram, 0, sizeof histogram);
    return 0;
}

static void every_value_falls_into_a_bucket_that_is_not_far_above_it(void **state) {
    (void)state;
    for (uint64_t value = 0; value < 1ull << HISTOGRAM_VALUE_BITS; value += value < 100000 ? 1 : 1 + value / 97777) {
        const unsigned bucket = histogram_bucket(value);
        assert_true(bucket < HISTOGRAM_BUCKETS);
        assert_true(histogram_top(bucket) >= value);
        assert_true(histogram_top(bucket) - value <= value / 128);
        assert_true(bucket == 0 || histogram_top(bucket - 1) < value);
    }
    assert_int_equal(histogram_bucket((1ull << HISTOGRAM_VALUE_BITS) - 1), HISTOGRAM_BUCKETS - 1);
    assert_int_equal(histogram_bucket(1ull << HISTOGRAM_VALUE_BITS), HISTOGRAM_BUCKETS - 1);
    assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
}

static void an_empty_histogram_has_zeros(void **state) {
    (void)state;
    struct histogram_figures stats;
    const struct histogram_figures zeros = {0};
    histogram_summarize(&histogram, &stats);
    assert_memory_equal(&stats, &zeros, sizeof zeros);
    assert_int_equal(histogram_percentile(&histogram, 99.99), 0);
}

static void percentiles_are_those_of_the_values(void **state) {
    (void)state;
    for (uint64_t value = 1; value <= 1000; value++) {
        histogram_record(&histogram, value);
    }
    assert_int_equal(histogram_percentile(&histogram, 0), 1);
    assert_int_equal(histogram_percentile(&histogram, 12.8), 128);
    assert_int_equal(histogram_percentile(&histogram, 50), 501);   /* 500 and 501 share a bucket */
    assert_int_equal(histogram_percentile(&histogram, 99.9), 999); /* 996 to 999 */
    assert_int_equal(histogram_percentile(&histogram, 100), 1000); /* not 1003, where the bucket of 1000 ends */
    assert_int_equal(histogram.max_ns, 1000);
    struct histogram_figures stats;
    histogram_summarize(&histogram, &stats);
    assert_int_equal(stats.count, 1000);
    assert_in_range(stats.mean_ns, 500, 502);
    assert_int_equal(stats.p50_ns, 501);
    assert_int_equal(stats.p99_ns, 991);
    assert_int_equal(stats.p999_ns, 999);
    assert_int_equal(stats.p9999_ns, 1000);
    assert_int_equal(stats.max_ns, 1000);
}

static void one_in_ten_thousand_is_the_p9999_and_not_the_p999(void **state) {
    (void)state;
    struct histogram_figures stats;
    for (int i = 0; i < 19998; i++) {
        histogram_record(&histogram, 100);
    }
    histogram_record(&histogram, 1u << 20);
    histogram_record(&histogram, 3u << 20);
    histogram_summarize(&histogram, &stats);
    assert_int_equal(stats.p999_ns, 100);
    assert_int_equal(stats.p9999_ns, 100); /* 19998 of 20000 */
    histogram_record(&histogram, 2u << 20);
    histogram_summarize(&histogram, &stats);
    assert_int_equal(stats.p999_ns, 100);
    assert_in_range(stats.p9999_ns, 1u << 20, (1u << 20) + (1u << 13));
    assert_int_equal(stats.max_ns, 3u << 20);
}

/* 99.9 percent of 167000 are 166833; the nearest double is slightly more. */
static void a_percentile_is_not_rounded_into_the_next_bucket(void **state) {
    (void)state;
    for (int i = 0; i < 166833; i++) {
        histogram_record(&histogram, 100);
    }
    for (int i = 0; i < 167; i++) {
        histogram_record(&histogram, 1000);
    }
    assert_int_equal(histogram_percentile(&histogram, 99.9), 100);
}

static void what_is_longer_than_the_last_bucket_is_told_as_the_longest(void **state) {
    (void)state;
    histogram_record(&histogram, 5);
    histogram_record(&histogram, 200000000000ull);
    histogram_record(&histogram, 300000000000ull);
    assert_int_equal(histogram_percentile(&histogram, 99.9), 300000000000ull);
    assert_int_equal(histogram.max_ns, 300000000000ull);
    assert_int_equal(histogram_percentile(&histogram, 33), 5);
}

static void a_copy_tells_the_same(void **state) {
    (void)state;
    for (uint64_t value = 1; value <= 100000; value += 7) {
        histogram_record(&histogram, value);
    }
    memset(&copy, 0xff, sizeof copy);
    histogram_copy(&histogram, &copy);
    assert_int_equal(copy.count, histogram_count(&histogram));
    assert_int_equal(copy.max_ns, histogram.max_ns);
    assert_int_equal(histogram_percentile(&copy, 99.9), histogram_percentile(&histogram, 99.9));
}

static void the_mean_does_not_exceed_the_longest(void **state) {
    (void)state;
    struct histogram_figures stats;
    histogram_record(&histogram, 1 << 20); /* the lowest value of its bucket */
    histogram_summarize(&histogram, &stats);
    assert_int_equal(stats.mean_ns, 1 << 20);
    histogram_record(&histogram, 1 << 21);
    histogram_summarize(&histogram, &stats);
    assert_in_range(stats.mean_ns, 3 << 19, (3 << 19) + (3 << 11));
}

#define THREADS 4
#define EACH 1000000

static pthread_barrier_t together;

static void *record_many(void *argument) {
    pthread_barrier_wait(&together);
    for (uint64_t i = 0; i < EACH; i++) {
        histogram_record(&histogram, i % 3 + (uint64_t)(uintptr_t)argument * (i == EACH / 2) * 1000000);
    }
    return NULL;
}

static void threads_that_record_at_once_lose_nothing(void **state) {
    (void)state;
    pthread_t threads[THREADS];
    pthread_barrier_init(&together, NULL, THREADS);
    for (uintptr_t i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, record_many, (void *)(i + 1)), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    assert_int_equal(histogram_count(&histogram), THREADS * EACH);
    assert_int_equal(histogram.max_ns, THREADS * 1000000 + EACH / 2 % 3);
}

static void what_is_subtracted_leaves_the_later_values(void **state) {
    (void)state;
    static struct histogram earlier, later;
    struct histogram_figures figures;
    memset(&later, 0, sizeof later);
    histogram_record(&later, 5000000);
    histogram_record(&later, 100);
    histogram_copy(&later, &earlier);
    histogram_record(&later, 100);
    histogram_record(&later, 3000);
    histogram_subtract(&later, &earlier);
    assert_int_equal(later.count, 2);
    histogram_summarize(&later, &figures);
    assert_int_equal(figures.p50_ns, 100);
    assert_in_range(figures.max_ns, 3000, 3030);
    histogram_add(&later, &earlier);
    assert_int_equal(later.count, 4);
    assert_int_equal(later.max_ns, 5000000);
    histogram_subtract(&earlier, &later); /* what no writer would do */
    assert_int_equal(earlier.count, 0);
    assert_int_equal(earlier.max_ns, 0);
}

#define HISTOGRAM_TEST(name) cmocka_unit_test_setup(name, forget)

int main(void) {
    const struct CMUnitTest tests[] = {
        HISTOGRAM_TEST(every_value_falls_into_a_bucket_that_is_not_far_above_it),
        HISTOGRAM_TEST(an_empty_histogram_has_zeros),
        HISTOGRAM_TEST(percentiles_are_those_of_the_values),
        HISTOGRAM_TEST(one_in_ten_thousand_is_the_p9999_and_not_the_p999),
        HISTOGRAM_TEST(a_percentile_is_not_rounded_into_the_next_bucket),
        HISTOGRAM_TEST(what_is_longer_than_the_last_bucket_is_told_as_the_longest),
        HISTOGRAM_TEST(a_copy_tells_the_same),
        HISTOGRAM_TEST(the_mean_does_not_exceed_the_longest),
        HISTOGRAM_TEST(threads_that_record_at_once_lose_nothing),
        HISTOGRAM_TEST(what_is_subtracted_leaves_the_later_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
