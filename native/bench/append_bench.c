/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of an append beyond that of its medium. One thread appends; after each append it makes a bare durable
 * O_DIRECT write of the very same block to the same medium. In turns, so that the machine's other work hits both alike.
 *
 *     append_bench RING BARE LOG_FILE [RECORDS [RECORD_BYTES [auto|off]]]
 *     append_bench --serve RING BARE LOG_FILE RECORD_BYTES auto|mapped     a block at a time, for the Java harness
 *
 * RING: a ring, or a file to be created. BARE: a file beside it, or the same device; the bare writes go to its second
 * half. auto, off: huge pages.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "burstlog.h"
#include "cli/doctor/bare_write.h"
#include "log/log.h"

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "append_bench: %s: %s\n", what, errno != 0 ? strerror(errno) : burst_last_error());
    exit(1);
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void print(const char *name, const int64_t *sorted, size_t count, const int64_t *base) {
    static const double percentiles[] = {0.5, 0.9, 0.99, 0.999, 0.9999};
    printf("%-12s", name);
    for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++) {
        const size_t at = (size_t)(percentiles[i] * (double)(count - 1));
        if (base == NULL) {
            printf("%10.2f us", (double)sorted[at] / 1000);
        } else {
            printf("%10.3f   ", (double)sorted[at] / (double)base[at]);
        }
    }
    printf("\n");
}

/* The bytes that the last commit wrote to the block at this position. */
static const void *written_to(const struct ring *ring, uint64_t position, size_t block_bytes) {
    const uint64_t offset = ring->geometry.data_offset + position % ring->geometry.capacity_bytes;
    for (unsigned i = 0; i < RING_WRITES_UNDER_WAY; i++) {
        const struct device_write *write = &ring->writes[i].write;
        if (write->offset == offset && write->bytes == block_bytes) {
            return write->data;
        }
    }
    errno = 0;
    die("the commit has written no such block");
    return NULL;
}

/* Measures both latencies of one record. */
static void measure(burst_t *log, struct bare_write *bare, uint8_t *record, size_t length, size_t number,
                    int64_t *append_ns, int64_t *bare_ns) {
    memcpy(record, &number, sizeof number < length ? sizeof number : length);
    uint64_t before, after, sequence;
    ring_durable(log->ring, &before, &sequence);
    const int64_t begin_ns = now_ns();
    if (burst_append(log, record, length, 0) < 0) {
        errno = 0;
        die("append");
    }
    *append_ns = now_ns() - begin_ns;
    ring_durable(log->ring, &after, &sequence);
    /* The commit wrote this block. At the end of a lap it wrote two pieces; this is the second. A mapped ring is not
     * written by blocks, so it has no bare write. */
    const size_t block = log->ring->geometry.block_bytes;
    *bare_ns = 0;
    if (bare->block != NULL && bare_write(bare, written_to(log->ring, after - block, block), block, bare_ns) < 0) {
        errno = 0;
        die("bare write");
    }
}

/* Prints the engine's own times of its writes, warm-up included. The rest of an append is the engine's share. */
static void print_writes(const burst_t *log) {
    static const double percents[] = {50, 90, 99, 99.9, 99.99};
    static burst_histogram_t writes = {.struct_bytes = sizeof writes};
    if (burst_stage_histogram(log, BURST_STAGE_DEVICE_WRITE, &writes) < 0) {
        die("histogram");
    }
    printf("%-12s", "its write");
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        printf("%10.2f us", (double)burst_histogram_percentile(&writes, percents[i]) / 1000);
    }
    printf("\n");
}

static void print_ratios(int64_t *append_ns, int64_t *bare_ns, size_t count, size_t length) {
    qsort(append_ns, count, sizeof *append_ns, compare);
    qsort(bare_ns, count, sizeof *bare_ns, compare);
    printf("%zu records of %zu bytes%12s%13s%13s%13s%13s\n", count, length, "p50", "p90", "p99", "p99.9", "p99.99");
    print("bare write", bare_ns, count, NULL);
    print("append", append_ns, count, NULL);
    print("ratio", append_ns, count, bare_ns);
}

/* Reads lines until the end of the input. "COUNT" is answered by COUNT latencies of appends, then COUNT of bare
 * writes: int64_t, nanoseconds. "drain" is answered by one number when the log file has all, so that no later
 * append pays for the drain. */
static void serve(burst_t *log, struct bare_write *bare, uint8_t *record, size_t length) {
    char line[32];
    size_t number = 0;
    while (fgets(line, sizeof line, stdin) != NULL) {
        if (strncmp(line, "drain", 5) == 0) {
            const int64_t drained = burst_await_drained(log, 60000000000ll);
            fwrite(&drained, sizeof drained, 1, stdout);
            fflush(stdout);
            continue;
        }
        const size_t count = strtoul(line, NULL, 10);
        int64_t *append_ns = malloc(2 * count * sizeof *append_ns), *bare_ns = append_ns + count;
        if (count == 0 || append_ns == NULL) {
            die("count");
        }
        for (size_t i = 0; i < count; i++) {
            measure(log, bare, record, length, number++, append_ns + i, bare_ns + i);
        }
        fwrite(append_ns, sizeof *append_ns, 2 * count, stdout);
        fflush(stdout);
        free(append_ns);
    }
}

static void compare_with_bare(burst_t *log, struct bare_write *bare, uint8_t *record, size_t length, size_t count) {
    int64_t *append_ns = malloc(count * sizeof *append_ns), *bare_ns = malloc(count * sizeof *bare_ns), ignored[2];
    if (append_ns == NULL || bare_ns == NULL) {
        die("memory");
    }
    /* One whole lap first, since the first lap also pays for allocating the medium. */
    const size_t warm_up = log->ring->geometry.capacity_bytes / log->ring->geometry.block_bytes + 1;
    for (size_t i = 0; i < count + warm_up; i++) {
        const bool counts = i >= warm_up;
        measure(log, bare, record, length, i, counts ? append_ns + i - warm_up : ignored,
                counts ? bare_ns + i - warm_up : ignored + 1);
    }
    print_ratios(append_ns, bare_ns, count, length);
    print_writes(log);
    free(append_ns);
    free(bare_ns);
}

int main(int argc, char **argv) {
    const bool serves = argc > 1 && strcmp(argv[1], "--serve") == 0;
    argv += serves;
    argc -= serves;
    if (argc < 4 || (serves && argc < 6)) {
        fprintf(stderr, "usage: append_bench RING BARE LOG_FILE [RECORDS [RECORD_BYTES [auto|off]]]\n"
                        "       append_bench --serve RING BARE LOG_FILE RECORD_BYTES auto|mapped\n");
        return 2;
    }
    const size_t count = !serves && argc > 4 ? strtoul(argv[4], NULL, 10) : 20000;
    const size_t length = serves ? strtoul(argv[4], NULL, 10) : argc > 5 ? strtoul(argv[5], NULL, 10) : 256;
    const bool mapped = serves && strcmp(argv[5], "mapped") == 0;
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = argv[3]};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = argv[1];
    config.main = &main_config;
    config.durability = BURST_DURABILITY_PROCESS;
    config.huge_pages =
        !serves && argc > 6 && strcmp(argv[6], "off") == 0 ? BURST_HUGE_PAGES_OFF : BURST_HUGE_PAGES_AUTO;
    config.io = mapped ? BURST_IO_MAPPED : BURST_IO_AUTO;
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        errno = 0;
        die("open");
    }
    struct bare_write bare = {0};
    if (!mapped && bare_write_open(&bare, argv[2]) < 0) {
        errno = 0;
        die("open");
    }
    uint8_t *record = malloc(length);
    if (record == NULL) {
        die("memory");
    }
    for (size_t i = 0; i < length; i++) {
        record[i] = (uint8_t)(rand() >> 4);
    }
    if (serves) {
        serve(log, &bare, record, length);
    } else {
        compare_with_bare(log, &bare, record, length, count);
    }
    free(record);
    return burst_close(log) < 0;
}
