/* SPDX-License-Identifier: Apache-2.0 */
/* A log with drain=external, and its drain in another thread: its locks are those of another open file, as another process's
 * are. */
#ifndef BURST_TEST_DRAIN_BESIDE_H
#define BURST_TEST_DRAIN_BESIDE_H

#include <glob.h>

#include "base/error.h"
#include "base/events.h"
#include "log/ring_drain.h"
#include "log_fixture.h"
#include "window/locks.h"

struct drain_beside {
    pthread_t thread;
    _Atomic uint32_t stop, has_ended;
    int rc;
    char window[128];
    char error[512];
    struct events events;
};

static inline void *drain_beside_run(void *argument) {
    struct drain_beside *drain = argument;
    const struct ring_drain_config config = {.ring = ring_path, .window = drain->window, .interval_ns = 5000000};
    drain->rc = ring_drain_run(&config, &drain->events, &drain->stop);
    snprintf(drain->error, sizeof drain->error, "%s", drain->rc < 0 ? error_text() : "");
    atomic_store(&drain->has_ended, 1);
    return NULL;
}

static inline struct drain_beside *drain_beside_start_in(const char *window) {
    struct drain_beside *drain = calloc(1, sizeof *drain);
    snprintf(drain->window, sizeof drain->window, "%s", window);
    events_init(&drain->events, &platform_linux);
    assert_int_equal(pthread_create(&drain->thread, NULL, drain_beside_run, drain), 0);
    return drain;
}

static inline struct drain_beside *drain_beside_start(void) {
    return drain_beside_start_in(folder);
}

/* Returns how it ended. */
static inline int drain_beside_stop(struct drain_beside *drain) {
    atomic_store(&drain->stop, 1);
    assert_int_equal(pthread_join(drain->thread, NULL), 0);
    const int rc = drain->rc;
    free(drain);
    return rc;
}

static inline int await_event_of(struct events *events, const char *text) {
    struct event event;
    while (events_take(events, &event, PATIENCE_NS) == 1) {
        if (strstr(event.text, text) != NULL) {
            return 1;
        }
    }
    return 0;
}

static inline int await_event(burst_t *log, const char *text) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, PATIENCE_NS) == 1) {
        if (strstr(event.text, text) != NULL) {
            return 1;
        }
    }
    return 0;
}

static inline burst_config_t external_config(void) {
    burst_config_t config = small_config();
    config.window = folder;
    config.drain = BURST_DRAIN_EXTERNAL;
    return config;
}

static inline void remove_locks(void) {
    char command[128];
    snprintf(command, sizeof command, "rm %s/*.locks", folder);
    assert_int_equal(system(command), 0);
}

/* A ring with the log, which has been open once. */
static inline void make_ring(void) {
    const burst_config_t config = external_config();
    assert_int_equal(burst_close(open_with(&config)), 0);
}

static inline void append_text(burst_t *log, const char *text) {
    assert_true(burst_append(log, text, strlen(text), 0) > 0);
}

/* Waits until the log file has this text. */
static inline void await_file(const char *wanted) {
    for (int i = 0; i < 12000; i++) {
        size_t bytes;
        char *text = read_file(&bytes);
        const int is_there = strcmp(text, wanted) == 0;
        free(text);
        if (is_there) {
            return;
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_file_is(wanted);
}

/* Waits until a byte of the ring's lock file is free, and locks it as a process does that writes nothing there: neither its
 * number nor its turn. Closing what is returned lets go of it. */
static inline int lock_silently(enum locks_byte byte) {
    char pattern[128];
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte, .l_len = 1};
    glob_t files;
    snprintf(pattern, sizeof pattern, "%s/*" LOCKS_SUFFIX, folder);
    assert_int_equal(glob(pattern, 0, NULL, &files), 0);
    assert_int_equal(files.gl_pathc, 1);
    const int fd = open(files.gl_pathv[0], O_RDWR | O_CLOEXEC);
    globfree(&files);
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLKW, &lock), 0);
    return fd;
}

#endif
