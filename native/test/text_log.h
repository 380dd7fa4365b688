/* SPDX-License-Identifier: Apache-2.0 */
/* A ring in memory, and a log file of lines whose file system a test can replace by functions of its own. */
#ifndef BURST_TEST_TEXT_LOG_H
#define BURST_TEST_TEXT_LOG_H

#include "memory_ring.h"

static struct files_ops ops;

/* The file system's table, for a test's own functions. */
static inline struct files_ops *own_ops(void) {
    ops = *files_posix.ops;
    host.files.ops = &ops;
    return &ops;
}

static inline void append_text(const char *text) {
    assert_true(ring_append(host.engine->ring, text, strlen(text), 0, &stream_0, &for_ever) > 0);
}

static inline void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static inline void assert_file(const char *path, const char *wanted) {
    char text[256] = {0};
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    fread(text, 1, sizeof text - 1, file);
    fclose(file);
    assert_string_equal(text, wanted);
}

static inline void drain_all(void) {
    while (!drain_is_done(host.engine->drainer.drain)) {
        assert_true(engine_step(host.engine, 1) >= 0);
    }
}

/* Returns the severity. */
static inline uint32_t assert_told(const char *words) {
    struct event event;
    while (events_take(&host.events, &event, 0) == 1) {
        if (strstr(event.text, words) != NULL) {
            return event.severity;
        }
    }
    fail_msg("nobody told: %s", words);
    return EVENT_INFO;
}

#endif
