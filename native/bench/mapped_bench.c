/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cost of an append to a mapped ring beyond that of memory itself. One thread does these in turns: an append as on
 * persistent memory, which writes its lines back; a bare copy of as many lines into another mapped file, written back
 * and fenced; an append as on tmpfs, which only has to outlive the process; and nothing, which is the clock's own cost.
 *
 *     mapped_bench FOLDER [RECORDS [RECORD_BYTES]]
 *
 * FOLDER: on a file system in memory, or with DAX. Makes ring, log file and the other file in it, and leaves them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"
#include "device/backend/mapped.h"
#include "device/host/writeback.h"
#include "log/log.h"

#define BARE_BYTES (64u << 20)

enum { CLOCK, BARE, WRITTEN_BACK, APPEND, KINDS };

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what, const char *why) {
    fprintf(stderr, "mapped_bench: %s: %s\n", what, why);
    exit(1);
}

static uint8_t *map_bare(const char *path) {
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    if (fd < 0 || ftruncate(fd, BARE_BYTES) < 0) {
        die(path, strerror(errno));
    }
    uint8_t *bare = mmap(NULL, BARE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    if (bare == MAP_FAILED) {
        die(path, strerror(errno));
    }
    memset(bare, 1, BARE_BYTES);
    close(fd);
    return bare;
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static void print(int64_t *ns[KINDS], size_t count) {
    static const char *const names[KINDS] = {"clock", "copy, write back, fence", "append, written back", "append"};
    static const double percentiles[] = {0.5, 0.9, 0.99, 0.999};
    printf("%-26s%9s%9s%9s%9s   ns\n", "", "p50", "p90", "p99", "p99.9");
    for (int kind = 0; kind < KINDS; kind++) {
        qsort(ns[kind], count, sizeof *ns[kind], compare);
        printf("%-26s", names[kind]);
        for (size_t i = 0; i < sizeof percentiles / sizeof percentiles[0]; i++) {
            printf("%9lld", (long long)ns[kind][(size_t)(percentiles[i] * (double)(count - 1))]);
        }
        printf("\n");
    }
}

static int64_t append(burst_t *log, const void *record, size_t length, int written_back) {
    mapped_write_back(log->device, written_back);
    const int64_t begin_ns = now_ns();
    if (burst_append(log, record, length, 0) < 0) {
        die("append", burst_last_error());
    }
    return now_ns() - begin_ns;
}

int main(int argc, char **argv) {
    if (argc < 2) {
        fprintf(stderr, "usage: mapped_bench FOLDER [RECORDS [RECORD_BYTES]]\n");
        return 2;
    }
    const size_t count = argc > 2 ? strtoul(argv[2], NULL, 10) : 1000000;
    const size_t length = argc > 3 ? strtoul(argv[3], NULL, 10) : 256;
    const size_t lines = align_up(RECORD_HEADER_BYTES + length, LAYOUT_LINE_BYTES);
    char ring[512], file[512], other[512];
    snprintf(ring, sizeof ring, "%s/ring", argv[1]);
    snprintf(file, sizeof file, "%s/log", argv[1]);
    snprintf(other, sizeof other, "%s/bare", argv[1]);
    const burst_stream_config_t main_config = {.struct_bytes = sizeof main_config, .file_name = file};
    burst_config_t config;
    burst_config_init(&config);
    config.ring = ring;
    config.main = &main_config;
    config.io = BURST_IO_MAPPED;
    config.durability = BURST_DURABILITY_PROCESS;
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        die("open", burst_last_error());
    }
    uint8_t *bare = map_bare(other), *record = calloc(1, lines);
    int64_t *ns[KINDS];
    for (int kind = 0; kind < KINDS; kind++) {
        ns[kind] = calloc(count, sizeof *ns[kind]);
    }
    const struct writeback *writeback = writeback_choose(writeback_features_here());
    size_t at = 0;
    for (size_t i = 0; i < count; i++) {
        memcpy(record, &i, sizeof i);
        ns[CLOCK][i] = -now_ns();
        ns[CLOCK][i] += now_ns();
        ns[APPEND][i] = append(log, record, length, 0);
        ns[WRITTEN_BACK][i] = append(log, record, length, 1);
        const int64_t appended_ns = now_ns();
        memcpy(bare + at, record, lines);
        writeback->range(bare + at, lines);
        atomic_thread_fence(memory_order_seq_cst); /* the fence of an append that is acknowledged */
        ns[BARE][i] = now_ns() - appended_ns;
        at = at + 2 * lines <= BARE_BYTES ? at + lines : 0;
    }
    printf("%zu records of %zu bytes, %zu of lines, %s\n", count, length, lines, writeback->name);
    print(ns, count);
    return burst_close(log) < 0;
}
