/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Durable appends by several threads. In each round each number of threads appends for a while, in turns, so
 * that the machine's other work hits all alike. Prints records a second, latencies, and the ratio to one
 * thread in the same round.
 *
 *     threads_bench RING LOG_FILE [ROUNDS [MILLISECONDS [THREADS..]]]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"

#define RECORD_BYTES 256
#define THREADS_MOST 256
#define CASES_MOST 16
#define ROUNDS_MOST 1000
#define LATENCIES_A_THREAD 20000

struct appender {
    pthread_t thread;
    burst_t *log;
    uint64_t count;
    uint32_t *latency_ns; /* the last LATENCIES_A_THREAD */
};

struct result {
    double rate[ROUNDS_MOST], ratio[ROUNDS_MOST], p50[ROUNDS_MOST], p99[ROUNDS_MOST];
    double commit_size[ROUNDS_MOST], fairness[ROUNDS_MOST];
};

static _Atomic int stop;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "threads_bench: %s: %s\n", what, burst_last_error());
    exit(1);
}

static void *append(void *argument) {
    struct appender *self = argument;
    char record[RECORD_BYTES];
    memset(record, 'r', sizeof record);
    record[sizeof record - 1] = '\n';
    for (self->count = 0; !atomic_load_explicit(&stop, memory_order_relaxed); self->count++) {
        const int64_t begin_ns = now_ns();
        if (burst_append(self->log, record, sizeof record, 0) < 0) {
            die("append");
        }
        self->latency_ns[self->count % LATENCIES_A_THREAD] = (uint32_t)(now_ns() - begin_ns);
    }
    return NULL;
}

static int compare_u32(const void *a, const void *b) {
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_double(const void *a, const void *b) {
    const double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static double median(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare_double);
    return values[count / 2];
}

static void run(burst_t *log, int threads, int milliseconds, struct appender *appenders, struct result *result,
                int round) {
    burst_stats_t before = {.struct_bytes = sizeof before}, after = {.struct_bytes = sizeof after};
    burst_await_drained(log, -1);
    burst_stats(log, &before);
    atomic_store(&stop, 0);
    const int64_t begin_ns = now_ns();
    for (int i = 0; i < threads; i++) {
        appenders[i].log = log;
        if (pthread_create(&appenders[i].thread, NULL, append, &appenders[i]) != 0) {
            die("pthread_create");
        }
    }
    usleep((useconds_t)milliseconds * 1000);
    atomic_store(&stop, 1);
    uint64_t total = 0, least = UINT64_MAX;
    size_t kept = 0;
    static uint32_t all[THREADS_MOST * LATENCIES_A_THREAD];
    for (int i = 0; i < threads; i++) {
        pthread_join(appenders[i].thread, NULL);
        total += appenders[i].count;
        least = appenders[i].count < least ? appenders[i].count : least;
        const uint64_t here = appenders[i].count < LATENCIES_A_THREAD ? appenders[i].count : LATENCIES_A_THREAD;
        for (uint64_t k = 0; k < here; k++) {
            all[kept++] = appenders[i].latency_ns[k];
        }
    }
    const double seconds = (double)(now_ns() - begin_ns) / 1e9;
    burst_stats(log, &after);
    qsort(all, kept, sizeof *all, compare_u32);
    result->rate[round] = (double)total / seconds;
    result->p50[round] = all[kept / 2] / 1e3;
    result->p99[round] = all[kept * 99 / 100] / 1e3;
    result->commit_size[round] = (double)total / (double)(after.commits - before.commits);
    result->fairness[round] = (double)least * threads / (double)total;
}

int main(int argc, char **argv) {
    static const int usual[] = {1, 2, 4, 16};
    if (argc < 3) {
        fprintf(stderr, "usage: threads_bench RING LOG_FILE [ROUNDS [MILLISECONDS [THREADS..]]]\n");
        return 2;
    }
    const int rounds = argc > 3 ? atoi(argv[3]) : 5, milliseconds = argc > 4 ? atoi(argv[4]) : 200;
    int cases = argc > 5 ? argc - 5 : (int)(sizeof usual / sizeof *usual);
    static int threads[CASES_MOST];
    static struct result results[CASES_MOST];
    static struct appender appenders[THREADS_MOST];
    for (int i = 0; i < cases; i++) {
        threads[i] = argc > 5 ? atoi(argv[5 + i]) : usual[i];
        if (cases > CASES_MOST || threads[i] < 1 || threads[i] > THREADS_MOST || rounds < 1 || rounds > ROUNDS_MOST) {
            fprintf(stderr, "threads_bench: at most %d cases of 1 to %d threads, 1 to %d rounds\n", CASES_MOST,
                    THREADS_MOST, ROUNDS_MOST);
            return 2;
        }
    }
    for (int i = 0; i < THREADS_MOST; i++) {
        appenders[i].latency_ns = malloc(LATENCIES_A_THREAD * sizeof(uint32_t));
    }
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = argv[2]};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = argv[1];
    config.main = &main_config;
    config.durability = BURST_DURABILITY_PROCESS;
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        die("open");
    }
    static struct result warm_up;
    run(log, threads[cases - 1], milliseconds, appenders, &warm_up, 0);
    for (int round = 0; round < rounds; round++) {
        for (int i = 0; i < cases; i++) {
            run(log, threads[i], milliseconds, appenders, &results[i], round);
        }
    }
    printf(
        "threads  records/s  to %2d thread(s)  records a commit   p50 us   p99 us  slowest thread to its fair share\n",
        threads[0]);
    for (int i = cases; i-- > 0;) { /* the others' ratios need the first one's unsorted rates */
        struct result *result = &results[i];
        for (int round = 0; round < rounds; round++) {
            result->ratio[round] = result->rate[round] / results[0].rate[round];
        }
        printf("%7d %10.0f %15.2fx %17.1f %8.1f %8.1f %10.2f\n", threads[i], median(result->rate, rounds),
               median(result->ratio, rounds), median(result->commit_size, rounds), median(result->p50, rounds),
               median(result->p99, rounds), median(result->fairness, rounds));
    }
    return burst_close(log) < 0;
}
