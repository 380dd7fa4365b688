/* SPDX-License-Identifier: Apache-2.0 */
/* A log in one process and its reader in another, in a folder of their own. */
#ifndef BURST_TEST_READERS_PAIR_H
#define BURST_TEST_READERS_PAIR_H

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"
#include "harness/readers/record.h"

#define SECOND_NS 1000000000ll
#define HANG_NS (120 * SECOND_NS) /* nothing that must come takes so long, on a busy machine too */

static char folder[200], ring_path[256], file_path[256], segments_path[256], pattern[256];
static unsigned long long violations;

static inline int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static inline void pause_us(long us) {
    nanosleep(&(struct timespec){.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000}, NULL);
}

#define VIOLATION(...)                                                                                                 \
    do {                                                                                                               \
        printf("VIOLATION in %s: ", folder);                                                                           \
        printf(__VA_ARGS__);                                                                                           \
        putchar('\n');                                                                                                 \
        fflush(stdout);                                                                                                \
        violations++;                                                                                                  \
    } while (0)

/* In memory if there is room: the subject is order between processes, not a disk. */
static inline void make_folder(void) {
    struct statvfs free_space;
    const int has_room =
        statvfs("/dev/shm", &free_space) == 0 && (uint64_t)free_space.f_bavail * free_space.f_frsize > (2ull << 30);
    snprintf(folder, sizeof folder, "%s/burst-readers-XXXXXX", has_room ? "/dev/shm" : ".");
    if (mkdtemp(folder) == NULL) {
        perror(folder);
        exit(2);
    }
    snprintf(ring_path, sizeof ring_path, "%s/ring", folder);
    snprintf(file_path, sizeof file_path, "%s/log", folder);
    snprintf(segments_path, sizeof segments_path, "%s/segments", folder);
    snprintf(pattern, sizeof pattern, "%s/rolled-%%i", folder);
}

/* A folder with a violation stays. */
static inline void remove_folder(unsigned long long violations_before) {
    char command[256];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    if (violations == violations_before && system(command) != 0) {
        perror(command);
    }
}

/* Memory that both processes write. */
static inline void *share(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return memory;
}

struct log_terms {
    uint32_t io;
    uint64_t ring_bytes;
    uint64_t roll_bytes; /* 0: the log file is not rolled */
    int has_segments;
};

static inline int open_log(const struct log_terms *terms, burst_t **log) {
    burst_rolling_t rolling;
    burst_stream_config_t stream;
    burst_config_t config;
    burst_rolling_init(&rolling);
    rolling.pattern = pattern;
    rolling.size_bytes = terms->roll_bytes;
    burst_stream_config_init(&stream);
    stream.file_name = file_path;
    stream.rolling = terms->roll_bytes != 0 ? &rolling : NULL;
    stream.segments = terms->has_segments ? segments_path : NULL;
    burst_config_init(&config);
    config.ring = ring_path;
    config.main = &stream;
    config.ring_bytes = terms->ring_bytes;
    config.durability = BURST_DURABILITY_PROCESS;
    config.io = terms->io;
    config.drain_interval_ns = 5000000;
    config.window = folder;
    return burst_open(&config, log);
}

static inline const char *io_name(uint32_t io) {
    return io == BURST_IO_PWRITE ? "pwrite" : io == BURST_IO_MAPPED ? "mapped" : "uring";
}

/* Whether this host lets the log write with io_uring. */
static inline int has_uring(void) {
    const struct log_terms terms = {.io = BURST_IO_URING, .ring_bytes = 2 << 20};
    burst_t *log;
    make_folder();
    const int rc = open_log(&terms, &log);
    if (rc == 0) {
        burst_close(log);
    } else {
        printf("SKIPPED uring: %s\n", burst_last_error());
    }
    remove_folder(violations);
    return rc == 0;
}

#endif
