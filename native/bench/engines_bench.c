/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of an append with one engine against another: two logs on two equal media get appends in turns, so that the
 * machine's other work hits both alike.
 *
 *     engines_bench IO_A RING_A IO_B RING_B LOG_FOLDER [RECORDS [RECORD_BYTES]]
 *
 * IO_A, IO_B: pwrite, uring, .. as in the configuration. RING_A, RING_B: rings, or files to be created.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burstlog.h"
#include "device/medium.h"

struct side {
    const char *io;
    burst_t *log;
    int64_t *took_ns;
};

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "engines_bench: %s: %s\n", what, burst_last_error());
    exit(1);
}

static uint32_t io_of(const char *name) {
    for (size_t i = 0; device_backends[i] != NULL; i++) {
        if (strcmp(device_backends[i]->name, name) == 0) {
            return device_backends[i]->io;
        }
    }
    die(name);
    return 0;
}

static void open_side(struct side *side, const char *io, const char *ring, const char *folder, int number,
                      size_t count) {
    char file[BURST_PATH_BYTES];
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = file};
    burst_config_t config;
    burst_config_init(&config);
    snprintf(file, sizeof file, "%s/%d.log", folder, number);
    config.ring = ring;
    config.main = &main_config;
    config.durability = BURST_DURABILITY_PROCESS;
    config.io = io_of(io);
    side->io = io;
    side->took_ns = malloc(count * sizeof *side->took_ns);
    if (side->took_ns == NULL || burst_open(&config, &side->log) < 0) {
        die(ring);
    }
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static const double percentiles[] = {0.5, 0.9, 0.99, 0.999};
#define PERCENTILES (sizeof percentiles / sizeof percentiles[0])

static double at(const struct side *side, size_t count, size_t percentile) {
    return (double)side->took_ns[(size_t)(percentiles[percentile] * (double)(count - 1))];
}

int main(int argc, char **argv) {
    if (argc < 6) {
        fprintf(stderr, "usage: engines_bench IO_A RING_A IO_B RING_B LOG_FOLDER [RECORDS [RECORD_BYTES]]\n");
        return 2;
    }
    const size_t count = argc > 6 ? strtoul(argv[6], NULL, 10) : 10000;
    const size_t length = argc > 7 ? strtoul(argv[7], NULL, 10) : 256;
    struct side sides[2];
    open_side(&sides[0], argv[1], argv[2], argv[5], 0, count);
    open_side(&sides[1], argv[3], argv[4], argv[5], 1, count);
    uint8_t *record = malloc(length);
    if (record == NULL || count == 0) {
        return 1;
    }
    for (size_t i = 0; i < length; i++) {
        record[i] = (uint8_t)(rand() >> 4);
    }
    /* A quarter more comes before them, so that code and media are warm. */
    const size_t warm_up = count / 4;
    for (size_t i = 0; i < warm_up + count; i++) {
        for (size_t turn = 0; turn < 2; turn++) {
            struct side *side = &sides[(i + turn) % 2];
            const int64_t begin_ns = now_ns();
            if (burst_append(side->log, record, length, 0) < 0) {
                die("append");
            }
            if (i >= warm_up) {
                side->took_ns[i - warm_up] = now_ns() - begin_ns;
            }
        }
    }
    printf("%-12s%13s%13s%13s%13s   %zu records of %zu bytes\n", "", "p50", "p90", "p99", "p99.9", count, length);
    for (int i = 0; i < 2; i++) {
        qsort(sides[i].took_ns, count, sizeof(int64_t), compare);
        printf("%-12s", sides[i].io);
        for (size_t p = 0; p < PERCENTILES; p++) {
            printf("%10.2f us", at(&sides[i], count, p) / 1000);
        }
        printf("\n");
    }
    printf("%-12s", "ratio");
    for (size_t p = 0; p < PERCENTILES; p++) {
        printf("%10.3f   ", at(&sides[1], count, p) / at(&sides[0], count, p));
    }
    printf("\n");
    return burst_close(sides[0].log) < 0 || burst_close(sides[1].log) < 0;
}
