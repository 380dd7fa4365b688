/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The effect of the committer's settings. One thread on CPU 0 offers records, with a pause before each. The committer
 * on CPU 1 has four settings in turns. Prints how long the offers took, and how long until each record was durable.
 *
 *     offer_bench RING LOG_FILE [PAUSE_US]     makes both anew, and removes them
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"

#define ROUNDS 24
#define RECORDS 1500 /* a round */
#define WARM_UP 200
#define SETTINGS 4
#define PRIORITY 50
#define RECORD_BYTES 256

static const char *const names[SETTINGS] = {"sleeps", "commit_spin", "realtime_priority", "both"};

static int64_t offered_ns[SETTINGS][ROUNDS * RECORDS], durable_ns[SETTINGS][ROUNDS * RECORDS];
static char record[RECORD_BYTES];

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static int64_t offer(burst_t *log) {
    const int64_t sequence = burst_offer(log, record, sizeof record, 0);
    if (sequence < 0) {
        fprintf(stderr, "offer_bench: %s\n", burst_last_error());
        exit(1);
    }
    return sequence;
}

static void pause_until(int64_t until_ns) {
    while (now_ns() < until_ns) {
    }
}

static void measure(const char *ring, const char *file, unsigned setting, int64_t pause_ns, unsigned round) {
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = file};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = ring;
    config.main = &main_config;
    config.ring_bytes = 64 << 20;
    config.durability = BURST_DURABILITY_PROCESS;
    config.io = BURST_IO_PWRITE;
    config.commit_cpu = "1";
    config.commit_spin = setting & 1;
    config.realtime_priority = setting & 2 ? PRIORITY : 0;
    unlink(ring);
    unlink(file);
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        fprintf(stderr, "offer_bench: %s\n", burst_last_error());
        exit(1);
    }
    for (int i = 0; i < WARM_UP; i++) {
        offer(log);
    }
    for (unsigned i = round * RECORDS; i < (round + 1) * RECORDS; i++) {
        pause_until(now_ns() + pause_ns);
        const int64_t begin_ns = now_ns();
        const int64_t sequence = offer(log);
        offered_ns[setting][i] = now_ns() - begin_ns;
        while (burst_durable_sequence(log) < sequence) {
        }
        durable_ns[setting][i] = now_ns() - begin_ns;
    }
    burst_close(log);
    unlink(ring);
    unlink(file);
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void print(const char *what, int64_t *times_ns) {
    const size_t count = ROUNDS * RECORDS;
    qsort(times_ns, count, sizeof *times_ns, compare);
    printf("  %s p50 %8.2f p99 %8.2f p99.9 %8.2f us", what, (double)times_ns[count / 2] / 1e3,
           (double)times_ns[count * 99 / 100] / 1e3, (double)times_ns[count * 999 / 1000] / 1e3);
}

int main(int argc, char **argv) {
    cpu_set_t first;
    if (argc < 3) {
        fprintf(stderr, "usage: offer_bench RING LOG_FILE [PAUSE_US]\n");
        return 2;
    }
    const int64_t pause_ns = 1000 * (argc > 3 ? atoll(argv[3]) : 50);
    memset(record, 'x', sizeof record - 1);
    record[sizeof record - 1] = '\n';
    CPU_ZERO(&first);
    CPU_SET(0, &first);
    sched_setaffinity(0, sizeof first, &first);
    for (unsigned round = 0; round < ROUNDS; round++) {
        for (unsigned i = 0; i < SETTINGS; i++) {
            measure(argv[1], argv[2], (round + i) % SETTINGS, pause_ns, round);
        }
    }
    for (unsigned setting = 0; setting < SETTINGS; setting++) {
        printf("%-18s", names[setting]);
        print("offer", offered_ns[setting]);
        print("durable", durable_ns[setting]);
        printf("\n");
    }
    return 0;
}
