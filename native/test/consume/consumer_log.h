/* SPDX-License-Identifier: Apache-2.0 */
/* A consumer of the segments of segments_log.h. */
#ifndef BURST_TEST_CONSUME_CONSUMER_LOG_H
#define BURST_TEST_CONSUME_CONSUMER_LOG_H

#include "burstlog.h"
#include "outlet/segments/segments_log.h"

static burst_consumer_t *consumer;
static burst_consumed_t record;

static inline burst_consumer_t *open_consumer(const char *name) {
    burst_consumer_t *opened;
    if (burst_consumer_open(seg_log.path, name, &opened) < 0) {
        fail_msg("consumer: %s", burst_last_error());
    }
    return opened;
}

static inline int begin_with_consumer(void **state) {
    if (log_begin(state) != 0) {
        return 1;
    }
    consumer = open_consumer("reader");
    record = (burst_consumed_t){.struct_bytes = sizeof record};
    return 0;
}

static inline int end_with_consumer(void **state) {
    burst_consumer_close(consumer);
    return log_end(state);
}

static inline int next(int64_t timeout_ns) {
    const int rc = burst_consumer_next(consumer, &record, timeout_ns);
    if (rc < 0) {
        fail_msg("next: %s", burst_last_error());
    }
    return rc;
}

static inline void assert_next(uint64_t number, uint64_t sequence) {
    assert_int_equal(next(0), 1);
    assert_int_equal(record.kind, BURST_CONSUMED_RECORD);
    assert_int_equal(record.number, number);
    assert_int_equal(record.sequence, sequence);
    assert_int_equal(record.length, length_of(sequence));
    for (size_t i = 0; i < record.length; i++) {
        assert_int_equal(((const char *)record.data)[i], 'a' + (sequence + seg_log.salt) % 26);
    }
}

/* Reads from this number to this sequence, and checks each record. */
static inline uint64_t assert_all(uint64_t number, uint64_t last) {
    uint64_t sequence = 0;
    for (uint64_t at = 1; sequence < last; at++) {
        sequence = sequence_behind(sequence);
        if (at >= number) {
            assert_next(at, sequence);
            number = at + 1;
        }
    }
    return number;
}

static inline void reopen_consumer(void) {
    burst_consumer_close(consumer);
    consumer = open_consumer("reader");
}

#define CONSUMER_TEST(name) cmocka_unit_test_setup_teardown(name, begin_with_consumer, end_with_consumer)

#endif
