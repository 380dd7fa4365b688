/* SPDX-License-Identifier: Apache-2.0 */
/* A ring in memory with a second copy, which the test keeps. */
#ifndef BURST_TEST_COPIED_RING_H
#define BURST_TEST_COPIED_RING_H

#include "memory_ring.h"

static uint8_t block_bytes[8 * BLOCK_BYTES];
static struct copier_block block;

/* The copy: the epoch of each of its records, by its sequence, what was durable then, and its first payload byte. */
#define COPIED_MOST 4096
static struct {
    uint32_t epoch[COPIED_MOST];
    uint64_t durable[COPIED_MOST];
    uint8_t first_byte[COPIED_MOST];
    uint64_t last;
} copied;

static inline int begin_test(void **state) {
    const int rc = format_ring(state);
    memset(&copied, 0, sizeof copied);
    host.copy = "B";
    return rc;
}

#define COPY_TEST(name) cmocka_unit_test_setup_teardown(name, begin_test, remove_folder)

static inline struct copier *copy(void) {
    return host.engine->copy;
}

/* Stores the block. Each record must be whole, and the next one. */
static inline void store(void) {
    size_t at = 0;
    for (uint64_t sequence = block.first_sequence; sequence <= block.last_sequence; sequence++) {
        const struct record_header *header = (const struct record_header *)(block_bytes + at);
        assert_true(record_header_is_whole(header, CAPACITY_BYTES, header->position, crc_seed_of(superblock(0)->uuid)));
        assert_int_equal(record_judge_payload(header), RECORD_VALID);
        assert_int_equal(header->sequence, sequence);
        assert_int_equal(header->epoch, block.epoch);
        assert_int_equal(sequence, copied.last + 1);
        copied.epoch[sequence] = header->epoch;
        copied.durable[sequence] = sequence - header->in_flight - 1;
        copied.first_byte[sequence] = ((const uint8_t *)record_payload(header))[0];
        copied.last = sequence;
        at += record_bytes(header->length);
    }
    assert_int_equal(at, block.bytes);
    assert_int_equal(block.durable_sequence, copied.durable[copied.last]);
}

static inline int take_within(size_t room) {
    const int rc = copier_take(copy(), block_bytes, room, 0, &block);
    if (rc == 1) {
        store();
    }
    return rc;
}

static inline int take(void) {
    return take_within(sizeof block_bytes);
}

static struct copier_begun begun;

static inline int try_to_begin(void) {
    return copier_begin(copy(), copied.last, copied.epoch[copied.last], copied.durable[copied.last], &begun);
}

/* Begins behind what the copy has, drops what is of no log, and notes where it goes on. */
static inline void begin(void) {
    assert_int_equal(try_to_begin(), 0);
    assert_int_equal(begun.next_sequence, copied.last + 1 + begun.missing - begun.surplus);
    copied.last = begun.next_sequence - 1;
    copied.epoch[copied.last] = begun.epoch;
    copied.durable[copied.last] = begun.durable_sequence;
}

static inline void open_and_begin(void) {
    open_ring();
    begin();
}

static inline void take_and_confirm_all(void) {
    while (take() == 1) {
        assert_int_equal(copier_confirm(copy(), copied.last), 0);
    }
}

/* The ring's write of the record fails while the copy gets it. Then the next epoch's record has that sequence. */
static inline void fail_with_a_record_in_the_copy(void) {
    open_and_begin();
    append(100);
    take_and_confirm_all();
    host.fail_submitted = 1;
    assert_true(ring_append(host.engine->ring, "lost", 4, 0, &stream_0, &for_ever) < 0);
    host.fail_submitted = 0;
    assert_int_equal(take(), 1);
    assert_int_equal(copied.last, 2);
    close_ring();
}

static inline void append_blocks(int count) {
    for (int i = 0; i < count; i++) {
        append(BLOCK_BYTES - RECORD_HEADER_BYTES);
    }
}

static inline void drain_all(void) {
    while (engine_step(host.engine, 1) > 0) {
    }
    engine_step(host.engine, 1);
}

static inline int is_told(const char *words) {
    struct event event;
    int told = 0;
    while (events_take(&host.events, &event, 0) == 1) {
        told |= strstr(event.text, words) != NULL;
    }
    return told;
}

#endif
