/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of a ring's size. In each round rings of several sizes take the same appends in turns, so that the machine's
 * other work hits all alike. Prints medians over the rounds for each size and number of threads, and for a burst of
 * enqueued records that is longer than most of the rings.
 *
 *     size_bench DIRECTORY [ROUNDS [MILLISECONDS [RECORD_BYTES [DEVICE..]]]]
 *
 * The rings are files in DIRECTORY, of 2 to 64 MiB, or the devices in that order, which must be formatted. The
 * log files are in DIRECTORY.
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"

#define MIB (1ull << 20)
#define SIZES 6
#define CASES 4
#define ROUNDS_MOST 200
#define THREADS_MOST 8
#define LATENCIES_MOST 4000000
#define BURST_BYTES (32 * MIB)

static const unsigned sizes_mib[SIZES] = {2, 4, 8, 16, 32, 64};
static const int threads_of[CASES] = {1, 4, 8, 0}; /* 0: a burst of enqueued records */

struct appender {
    pthread_t thread;
    burst_t *log;
    uint32_t *latency_ns;
    size_t count;
};

struct result {
    double rate[ROUNDS_MOST], p50[ROUNDS_MOST], p99[ROUNDS_MOST], p999[ROUNDS_MOST], worst[ROUNDS_MOST],
        waits[ROUNDS_MOST];
};

static _Atomic int stop;
static size_t record_bytes = 256;
static char *record;

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "size_bench: %s: %s\n", what, burst_last_error());
    exit(1);
}

static void note(struct appender *self, int64_t begin_ns) {
    if (self->count < LATENCIES_MOST) {
        self->latency_ns[self->count] = (uint32_t)(now_ns() - begin_ns);
    }
    self->count++;
}

static void *append(void *argument) {
    struct appender *self = argument;
    while (!atomic_load_explicit(&stop, memory_order_relaxed)) {
        const int64_t begin_ns = now_ns();
        if (burst_append(self->log, record, record_bytes, 0) < 0) {
            die("append");
        }
        note(self, begin_ns);
    }
    return NULL;
}

static void burst(struct appender *self) {
    for (size_t written = 0; written < BURST_BYTES; written += record_bytes) {
        const int64_t begin_ns = now_ns();
        if (burst_enqueue(self->log, record, record_bytes, 0) < 0) {
            die("enqueue");
        }
        note(self, begin_ns);
    }
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
        appenders[i].count = 0;
        if (pthread_create(&appenders[i].thread, NULL, append, &appenders[i]) != 0) {
            die("pthread_create");
        }
    }
    if (threads > 0) {
        usleep((useconds_t)milliseconds * 1000);
    } else {
        appenders[0].log = log;
        appenders[0].count = 0;
        burst(&appenders[0]);
    }
    const double burst_seconds = (double)(now_ns() - begin_ns) / 1e9;
    atomic_store(&stop, 1);
    static uint32_t all[LATENCIES_MOST];
    size_t kept = 0, total = 0;
    for (int i = 0; i < (threads > 0 ? threads : 1); i++) {
        if (threads > 0) {
            pthread_join(appenders[i].thread, NULL);
        }
        total += appenders[i].count;
        for (size_t k = 0; k < appenders[i].count && k < LATENCIES_MOST && kept < LATENCIES_MOST; k++) {
            all[kept++] = appenders[i].latency_ns[k];
        }
    }
    const double seconds = threads > 0 ? (double)(now_ns() - begin_ns) / 1e9 : burst_seconds;
    burst_stats(log, &after);
    qsort(all, kept, sizeof *all, compare_u32);
    result->rate[round] = (double)total / seconds;
    result->p50[round] = all[kept / 2] / 1e3;
    result->p99[round] = all[kept * 99 / 100] / 1e3;
    result->p999[round] = all[kept * 999 / 1000] / 1e3;
    result->worst[round] = all[kept - 1] / 1e3;
    result->waits[round] = (double)(after.full_waits - before.full_waits);
}

static burst_t *open_ring(const char *directory, unsigned mib, const char *device) {
    char ring[4096], file[4096];
    snprintf(ring, sizeof ring, "%s/%u.ring", directory, mib);
    snprintf(file, sizeof file, "%s/%u.log", directory, mib);
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = file};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = device != NULL ? device : ring;
    config.ring_bytes = device != NULL ? 0 : mib * MIB;
    config.main = &main_config;
    config.durability = BURST_DURABILITY_PROCESS;
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        die("open");
    }
    return log;
}

int main(int argc, char **argv) {
    if (argc < 2 || (argc > 5 && argc != 5 + SIZES)) {
        fprintf(stderr, "usage: size_bench DIRECTORY [ROUNDS [MILLISECONDS [RECORD_BYTES [DEVICE.. (%d)]]]]\n", SIZES);
        return 2;
    }
    const int rounds = argc > 2 ? atoi(argv[2]) : 9, milliseconds = argc > 3 ? atoi(argv[3]) : 300;
    record_bytes = argc > 4 ? (size_t)atol(argv[4]) : record_bytes;
    if (rounds < 1 || rounds > ROUNDS_MOST || milliseconds < 1 || record_bytes < 1 || record_bytes > MIB / 4) {
        fprintf(stderr, "size_bench: 1 to %d rounds, records of 1 to %llu bytes\n", ROUNDS_MOST, MIB / 4);
        return 2;
    }
    record = malloc(record_bytes);
    memset(record, 'r', record_bytes);
    record[record_bytes - 1] = '\n';
    static struct appender appenders[THREADS_MOST];
    for (int i = 0; i < THREADS_MOST; i++) {
        appenders[i].latency_ns = malloc(LATENCIES_MOST * sizeof(uint32_t));
    }
    static struct result results[SIZES][CASES], warm_up;
    burst_t *logs[SIZES];
    for (int size = 0; size < SIZES; size++) {
        logs[size] = open_ring(argv[1], sizes_mib[size], argc > 5 ? argv[5 + size] : NULL);
        run(logs[size], 1, milliseconds, appenders, &warm_up, 0);
    }
    for (int round = 0; round < rounds; round++) {
        for (int c = 0; c < CASES; c++) {
            for (int i = 0; i < SIZES; i++) {
                const int size = (i + round) % SIZES; /* so a size does not always follow the same one */
                run(logs[size], threads_of[c], milliseconds, appenders, &results[size][c], round);
            }
        }
    }
    printf("threads   MiB  records/s    p50 us    p99 us  p99.9 us  worst us  found it full\n");
    for (int c = 0; c < CASES; c++) {
        for (int size = 0; size < SIZES; size++) {
            struct result *result = &results[size][c];
            printf("%7s %5u %10.0f %9.1f %9.1f %9.1f %9.0f %14.0f\n",
                   threads_of[c] == 0 ? "burst" : (char[]){(char)('0' + threads_of[c]), 0}, sizes_mib[size],
                   median(result->rate, rounds), median(result->p50, rounds), median(result->p99, rounds),
                   median(result->p999, rounds), median(result->worst, rounds), median(result->waits, rounds));
        }
    }
    int rc = 0;
    for (int size = 0; size < SIZES; size++) {
        rc |= burst_close(logs[size]) < 0;
    }
    return rc;
}
