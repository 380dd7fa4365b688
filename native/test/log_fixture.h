/* SPDX-License-Identifier: Apache-2.0 */
/* A small ring file and its log file in a folder of their own, for tests of the C API. */
#ifndef BURST_TEST_LOG_FIXTURE_H
#define BURST_TEST_LOG_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"

#ifndef RENAME_EXCHANGE /* missing in old C libraries' headers, and in musl's */
#define RENAME_EXCHANGE (1 << 1)
#endif

#define SECOND_NS 1000000000ll
#define PATIENCE_NS (120 * SECOND_NS) /* for events that must come, on a busy machine too */

static char folder[64];
static char ring_path[128], file_path[128];

static inline int make_folder(void **state) {
    (void)state;
    strcpy(folder, "burst-calls-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(ring_path, sizeof ring_path, "%s/ring", folder);
    snprintf(file_path, sizeof file_path, "%s/log", folder);
    return 0;
}

static inline int remove_folder(void **state) {
    (void)state;
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

/* A CPU that this process may use, behind `skip` others; -1: there are no more. */
static inline int allowed_cpu(int skip) {
    cpu_set_t allowed;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &allowed) && skip-- == 0) {
            return cpu;
        }
    }
    return -1;
}

/* The first such CPU, as a configuration names it. */
static inline const char *first_cpu(void) {
    static char text[16];
    snprintf(text, sizeof text, "%d", allowed_cpu(0));
    return text;
}

/* The main stream of the configuration that was made last. */
static burst_stream_config_t main_config;

static inline const burst_stream_config_t *main_of(const char *file_name) {
    burst_stream_config_init(&main_config);
    main_config.file_name = file_name;
    return &main_config;
}

static inline burst_config_t small_config(void) {
    burst_config_t config;
    burst_config_init(&config);
    config.ring = ring_path;
    config.main = main_of(file_path);
    config.ring_bytes = 2 * 1024 * 1024;
    config.durability = BURST_DURABILITY_PROCESS;
    config.drain_interval_ns = 5000000;
    config.shutdown_timeout_ns = PATIENCE_NS;
    return config;
}

static inline burst_t *open_with(const burst_config_t *config) {
    burst_t *log = NULL;
    if (burst_open(config, &log) < 0) {
        fail_msg("open: %s", burst_last_error());
    }
    return log;
}

static inline burst_t *open_small(void) {
    const burst_config_t config = small_config();
    return open_with(&config);
}

static inline burst_stats_t stats_of(const burst_t *log) {
    burst_stats_t stats = {.struct_bytes = sizeof stats};
    assert_int_equal(burst_stats(log, &stats), 0);
    return stats;
}

static inline char *read_file(size_t *bytes) {
    FILE *file = fopen(file_path, "r");
    assert_non_null(file);
    char *text = calloc(1, 64 << 20);
    *bytes = fread(text, 1, 64 << 20, file);
    fclose(file);
    return text;
}

static inline void assert_file_is(const char *wanted) {
    size_t bytes;
    char *text = read_file(&bytes);
    assert_string_equal(text, wanted);
    free(text);
}

static inline void assert_refused(const burst_config_t *config, int code, const char *word) {
    burst_t *log;
    assert_int_equal(burst_open(config, &log), -code);
    assert_null(log);
    if (strstr(burst_last_error(), word) == NULL) {
        fail_msg("\"%s\" does not name %s", burst_last_error(), word);
    }
}

/* Stops the drain: a directory takes the log file's place, and the file is deleted. Both happen in one step, since
 * the drain makes a file that it misses. */
static inline void block_file(void) {
    char beside[sizeof file_path + 8];
    snprintf(beside, sizeof beside, "%s.beside", file_path);
    assert_int_equal(mkdir(beside, 0700), 0);
    assert_int_equal(syscall(SYS_renameat2, AT_FDCWD, beside, AT_FDCWD, file_path, RENAME_EXCHANGE), 0);
    assert_int_equal(unlink(beside), 0);
}

static inline void unblock_file(void) {
    assert_int_equal(rmdir(file_path), 0);
}

/* Waits for the space of drained records: it is free once both checkpoints say so, a moment after the first. */
static inline void await_released(burst_t *log) {
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    for (int i = 0; i < 12000 && stats_of(log).used_bytes > 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(stats_of(log).used_bytes, 0);
}

/* Fills the ring while the drain is stopped; returns the last sequence. */
static inline int64_t fill_log(burst_t *log) {
    static char record[1000];
    int64_t last = 0;
    memset(record, 'f', sizeof record - 1);
    record[sizeof record - 1] = '\n';
    for (;;) {
        const int64_t sequence = burst_enqueue_within(log, record, sizeof record, 0, BURST_ON_FULL_FAIL, 0);
        if (sequence == -EAGAIN && burst_flush(log, SECOND_NS) == 1 &&
            (burst_enqueue_within(log, record, sizeof record, 0, BURST_ON_FULL_FAIL, 0)) == -EAGAIN) {
            return last;
        }
        last = sequence > last ? sequence : last;
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, remove_folder)

#endif
