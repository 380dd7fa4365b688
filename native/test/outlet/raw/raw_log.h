/* SPDX-License-Identifier: Apache-2.0 */
/* A log on the device in memory: a short drain for the outlet, and a short ledger. */
#ifndef BURST_TEST_OUTLET_RAW_RAW_LOG_H
#define BURST_TEST_OUTLET_RAW_RAW_LOG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "media/checkpoint.h"
#include "outlet/raw/fake_medium.h"
#include "outlet/raw/raw.h"

#define LOG_BATCH_BYTES 10000u
#define LOG_MOST_BYTES (2u * RAW_MIN_CAPACITY_BYTES)

static struct raw_log {
    struct raw_outlet_parts parts;
    struct outlet *outlet;
    struct events events;
    struct outlet_state state; /* in the newest checkpoint */
    struct outlet_noted noted;
    uint64_t noted_bytes; /* bytes of the log that are checkpointed */
    uint64_t written;     /* bytes of the log that were given to the device */
    uint64_t batch_bytes;
    unsigned notes;
    uint8_t bytes[LOG_MOST_BYTES]; /* as appended */
} raw_log;

static inline void log_make_outlet(void) {
    assert_int_equal(raw_outlet_create(&raw_log.parts, &raw_log.outlet), 0);
    raw_log.noted.state = &raw_log.state;
    raw_log.noted.sequence = 17;
}

/* Notes the new state in both slots: all that was written so far counts as drained. */
static inline void log_note(const struct outlet_state *state) {
    raw_log.state = *state;
    raw_log.noted_bytes = raw_log.written;
    raw_log.notes++;
    raw_log.outlet->ops->noted(raw_log.outlet, &raw_log.noted);
}

static inline int log_bind(void) {
    struct outlet_state state;
    const int rc = raw_log.outlet->ops->bind(raw_log.outlet, "/dev/fake", &raw_log.noted, &state);
    if (rc == OUTLET_NOTE)
        log_note(&state);
    return rc;
}

/* Another process opens the log: what was not noted must be written again. */
static inline int log_reopen(void) {
    struct outlet_state state;
    raw_log.outlet->ops->destroy(raw_log.outlet);
    log_make_outlet();
    raw_log.written = raw_log.noted_bytes;
    const int rc = raw_log.outlet->ops->open(raw_log.outlet, &raw_log.noted, OUTLET_NOT_MOVED, &state);
    if (rc == OUTLET_NOTE)
        log_note(&state);
    return rc;
}

static inline int log_sync(void) {
    struct outlet_state state;
    const int rc = raw_log.outlet->ops->sync(raw_log.outlet, &raw_log.noted, &state);
    if (rc == OUTLET_READY) {
        raw_log.state = state;
        raw_log.noted_bytes = raw_log.written;
    }
    return rc;
}

/* Writes the log up to byte `until`: 0 or -errno. */
static inline int log_write(uint64_t until) {
    const struct outlet_ops *ops = raw_log.outlet->ops;
    for (int turn = 0; raw_log.written < until; turn++) {
        struct outlet_state state;
        const uint8_t *data = raw_log.bytes + raw_log.written;
        const uint64_t rest = until - raw_log.written;
        const size_t bytes = rest < raw_log.batch_bytes ? (size_t)rest : (size_t)raw_log.batch_bytes;
        int rc = ops->ready(raw_log.outlet, &raw_log.noted, data, bytes, 0, &state);
        if (rc == OUTLET_READY) {
            const int64_t taken = ops->write(raw_log.outlet, data, bytes);
            if (taken < 0)
                return (int)taken;
            raw_log.written += (uint64_t)taken;
        } else if (rc == OUTLET_NOTE) {
            log_note(&state);
        } else if (rc == OUTLET_SYNC) {
            rc = log_sync();
        }
        if (rc == OUTLET_REWIND)
            raw_log.written = raw_log.noted_bytes;
        if (rc < 0)
            return rc;
        assert_true(turn < 1000);
    }
    return 0;
}

static uint64_t random_state = 1;

static inline uint64_t next_random(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    return random_state ^= random_state << 17;
}

static inline int log_begin(void **state) {
    (void)state;
    memset(&raw_log, 0, sizeof raw_log);
    events_init(&raw_log.events, &platform_linux);
    raw_log.parts =
        (struct raw_outlet_parts){.platform = &platform_linux, .media = &fake.media, .events = &raw_log.events};
    raw_log.batch_bytes = LOG_BATCH_BYTES;
    random_state = 88172645463325252ull;
    for (size_t i = 0; i < sizeof raw_log.bytes; i++)
        raw_log.bytes[i] = (uint8_t)(next_random() >> 32);
    fake_make();
    fake_format();
    log_make_outlet();
    return log_bind() != OUTLET_NOTE;
}

static inline int log_end(void **state) {
    (void)state;
    raw_log.outlet->ops->destroy(raw_log.outlet);
    return fake.is_held; /* each log was closed */
}

/* The device has these bytes of the log, those from `from` on, at byte `at`. */
static inline void assert_device_has(uint64_t at, uint64_t from, uint64_t bytes) {
    assert_true(at + bytes <= RAW_MIN_CAPACITY_BYTES);
    if (memcmp(fake.durable + RAW_DATA_OFFSET + at, raw_log.bytes + from, bytes) != 0)
        fail_msg("other bytes are durable at %llu", (unsigned long long)at);
}

/* Returns the severity. */
static inline uint32_t assert_told(const char *words) {
    struct event event;
    while (events_take(&raw_log.events, &event, 0) == 1) {
        if (strstr(event.text, words) != NULL)
            return event.severity;
    }
    fail_msg("\"%s\" was not told", words);
    return EVENT_INFO;
}

static inline void assert_error_says(const char *words) {
    if (strstr(error_text(), words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error_text());
}

#endif
