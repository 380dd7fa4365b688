/* SPDX-License-Identifier: Apache-2.0 */
/* The segments of consumer_log.h, and the one that deletes them. */
#ifndef BURST_TEST_CONSUME_RETAINED_LOG_H
#define BURST_TEST_CONSUME_RETAINED_LOG_H

#include <fcntl.h>

#include "consume/consumer_log.h"
#include "consume/retention.h"

#define NO_LIMIT .limit_bytes = UINT64_MAX, .limit_ns = INT64_MAX

static struct retention *retention;

static inline void begin_to_retain(const struct retention_limits *limits) {
    retention = retention_create(seg_log.path, limits, &seg_log.events);
    assert_non_null(retention);
}

static inline int end_to_retain(void **state) {
    retention_destroy(retention);
    retention = NULL;
    return end_with_consumer(state);
}

static inline void look(void) {
    retention_look(retention, platform_realtime_ns(&platform_linux));
}

/* The first number of each segment in the folder. */
static uint64_t firsts[200];

static inline size_t list(void) {
    struct segment_list found;
    const int folder = open(seg_log.path, O_RDONLY | O_DIRECTORY);
    assert_int_equal(folder_segments(folder, &found), 0);
    close(folder);
    assert_true(found.count < 200);
    for (size_t i = 0; i < found.count; i++) {
        firsts[i] = found.segments[i].first_number;
    }
    const size_t count = found.count;
    segment_list_free(&found);
    return count;
}

/* Counts the events so far with these words. */
static inline unsigned count_told(const char *words) {
    struct event event;
    unsigned count = 0;
    while (events_take(&seg_log.events, &event, 0) == 1) {
        count += strstr(event.text, words) != NULL;
    }
    return count;
}

#define RETENTION_TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_consumer, end_to_retain)

#endif
