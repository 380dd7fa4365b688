/* SPDX-License-Identifier: Apache-2.0 */
/*
 * From durable to seen: a process appends, another one reads. Each record has the time of CLOCK_MONOTONIC right before
 * its append; the writer keeps the time right after the append returned, when the record was durable. The reader keeps
 * the time when it had the record. Prints the reader's time less the writer's, for each record that was not missed.
 *
 *     reader_bench spin|nap|sleep|medium RING LOG_FILE ENGINE RECORDS PAUSE_NS
 *
 * PAUSE_NS: between two appends. RING must not exist.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"
#include "device/medium.h"

#define RING_BYTES (64ull << 20)
#define RECORD_BYTES 200
#define IO_KINDS 8
#define WARM_UP 1000

/* Shared by both processes. */
struct times {
    _Atomic int ready;
    size_t count;
    int64_t durable_ns[];
};

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static void die(const char *what) {
    fprintf(stderr, "reader_bench: %s: %s\n", what, burst_last_error());
    exit(1);
}

static void pause_until(int64_t until_ns) {
    while (now_ns() < until_ns) {
    }
}

static void append_all(burst_t *log, struct times *times, int64_t pause_ns) {
    char record[RECORD_BYTES] = "order";
    for (size_t i = 0; i < times->count; i++) {
        const int64_t next_ns = now_ns() + pause_ns;
        if (burst_append(log, record, sizeof record, 0) != (int64_t)i + 1) {
            die("append");
        }
        times->durable_ns[i] = now_ns();
        pause_until(next_ns);
    }
}

static int compare(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

static void print(const char *how, int64_t *took_ns, size_t count, size_t missed) {
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    qsort(took_ns, count, sizeof *took_ns, compare);
    printf("%-6s %zu records, %zu missed: p50 %.2f us, p99 %.2f, p99.9 %.2f, max %.1f; the reader used %.2f s of CPU\n",
           how, count, missed, (double)took_ns[count / 2] / 1e3, (double)took_ns[count * 99 / 100] / 1e3,
           (double)took_ns[count * 999 / 1000] / 1e3, (double)took_ns[count - 1] / 1e3,
           (double)used.ru_utime.tv_sec + (double)used.ru_stime.tv_sec +
               (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
}

/* Reads to the last record. The writer's time of a record may come a moment after the record itself. */
static void read_all(burst_reader_t *reader, struct times *times, const char *how) {
    burst_read_t record = {.struct_bytes = sizeof record};
    int64_t *seen_ns = calloc(times->count, sizeof *seen_ns);
    size_t missed = 0, count = 0;
    while (record.sequence < (int64_t)times->count - 1) {
        const int rc = burst_reader_next(reader, &record, 5000000000);
        if (rc <= 0) {
            if (rc < 0) {
                die("read");
            }
            break;
        }
        if (record.kind == BURST_READ_MISSED) {
            missed += record.count;
        } else if (record.sequence > 0) {
            seen_ns[record.sequence - 1] = now_ns();
        }
    }
    usleep(100000);
    for (size_t i = WARM_UP; i < times->count; i++) {
        if (seen_ns[i] != 0) {
            seen_ns[count++] = seen_ns[i] - times->durable_ns[i];
        }
    }
    if (count == 0) {
        die("no record was seen");
    }
    print(how, seen_ns, count, missed);
}

int main(int argc, char **argv) {
    if (argc != 7) {
        fprintf(stderr, "usage: reader_bench spin|nap|sleep|medium RING LOG_FILE ENGINE RECORDS PAUSE_NS\n");
        return 2;
    }
    const char *const how = argv[1];
    const size_t count = strtoull(argv[5], NULL, 10);
    char folder[4096] = ".";
    struct times *times = mmap(NULL, sizeof *times + count * sizeof times->durable_ns[0], PROT_READ | PROT_WRITE,
                               MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (times == MAP_FAILED || count <= WARM_UP) {
        return 2;
    }
    times->count = count;
    if (strrchr(argv[2], '/') != NULL) {
        snprintf(folder, sizeof folder, "%.*s", (int)(strrchr(argv[2], '/') - argv[2]), argv[2]);
    }
    const pid_t child = fork();
    if (child == 0) {
        burst_reader_config_t config;
        burst_reader_t *reader;
        while (!times->ready) {
            usleep(1000);
        }
        burst_reader_config_init(&config);
        config.source = argv[2];
        config.window = strcmp(how, "medium") == 0 ? "" : folder;
        config.from = BURST_FROM_RING;
        config.wait = strcmp(how, "spin") == 0  ? BURST_WAIT_SPIN
                      : strcmp(how, "nap") == 0 ? BURST_WAIT_NAP
                                                : BURST_WAIT_SLEEP;
        if (burst_reader_open(&config, &reader) < 0) {
            die("open reader");
        }
        read_all(reader, times, how);
        burst_reader_close(reader);
        return 0;
    }
    burst_stream_config_t stream;
    burst_config_t config;
    burst_t *log;
    burst_stream_config_init(&stream);
    stream.file_name = argv[3];
    burst_config_init(&config);
    config.ring = argv[2];
    config.main = &stream;
    config.ring_bytes = RING_BYTES;
    config.durability = BURST_DURABILITY_PROCESS;
    config.window = folder;
    for (config.io = 0; config.io < IO_KINDS && strcmp(device_io_name(config.io), argv[4]) != 0; config.io++) {
    }
    if (burst_open(&config, &log) < 0) {
        die("open");
    }
    times->ready = 1;
    usleep(200000);
    append_all(log, times, strtoll(argv[6], NULL, 10));
    waitpid(child, NULL, 0);
    return burst_close(log) < 0;
}
