/* SPDX-License-Identifier: Apache-2.0 */
/* A ledger on a medium in memory, whose writes can be torn. */
#ifndef BURST_TEST_LEDGER_MEDIUM_H
#define BURST_TEST_LEDGER_MEDIUM_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "base/events.h"
#include "ledger/ledger.h"
#include "media/record.h"
#include "media/writer_note.h"
#include "one_stream.h"

#define BLOCK 4096u
#define CAPACITY (16u * BLOCK)
#define MEDIUM_BYTES (LAYOUT_DATA_OFFSET + CAPACITY)

static _Alignas(4096) uint8_t medium[MEDIUM_BYTES];
static struct device device;
static struct events events;
static struct ledger *ledger;
static struct stream_state streams[LAYOUT_STREAMS_MAX + 1];
static const struct stream_state *states[LAYOUT_STREAMS_MAX + 1];
static unsigned count;

/* The next write is torn, or the one behind so many others: so many of its blocks reach the medium, from
 * either end, and then it fails. */
static int blocks_left = -1, from_the_end, writes_before;

static int write_blocks(struct device *to, uint64_t offset, const void *data, size_t bytes) {
    (void)to;
    assert_int_equal(bytes % BLOCK, 0);
    if (blocks_left < 0 || writes_before-- > 0) {
        memcpy(medium + offset, data, bytes);
        return 0;
    }
    const size_t torn = (size_t)blocks_left * BLOCK;
    const size_t done = torn < bytes ? torn : bytes, begin = from_the_end ? bytes - done : 0;
    memcpy(medium + offset + begin, (const uint8_t *)data + begin, done);
    blocks_left = -1;
    writes_before = 0;
    return error_set(EIO, "the write was torn");
}

static int read_blocks(struct device *from, uint64_t offset, void *data, size_t bytes) {
    (void)from;
    assert_true(offset + bytes <= MEDIUM_BYTES);
    memcpy(data, medium + offset, bytes);
    return 0;
}

static const struct device_ops ledger_medium_ops = {.name = "memory", .write = write_blocks, .read = read_blocks};

static int close_ledger(void **state) {
    (void)state;
    ledger_close(ledger);
    ledger = NULL;
    return 0;
}

static int read_again(void) {
    close_ledger(NULL);
    return ledger_read(&platform_linux, &device, &ledger);
}

static void open_ledger(void) {
    assert_int_equal(read_again(), 0);
}

static inline const struct notes_view *view(void) {
    return ledger_view(ledger);
}

static inline const struct checkpoints_view *slots(void) {
    return ledger_slots(ledger);
}

static inline void repair(void) {
    assert_int_equal(ledger_repair(ledger, &events), 0);
}

static int format(void **state) {
    (void)state;
    memset(medium, 0, sizeof medium);
    blocks_left = -1;
    from_the_end = 0;
    writes_before = 0;
    device = (struct device){.ops = &ledger_medium_ops,
                             .medium_bytes = MEDIUM_BYTES,
                             .block_bytes = BLOCK,
                             .logical_block_bytes = 512,
                             .path = "/ring"};
    events_init(&events, &platform_linux);
    for (unsigned i = 0; i <= LAYOUT_STREAMS_MAX; i++) {
        states[i] = &streams[i];
    }
    count = 1;
    stream_state_first(&streams[0]);
    assert_int_equal(ledger_format(&platform_linux, &device, MEDIUM_BYTES), 0);
    open_ledger();
    return 0;
}

/* Makes streams 0, 1, .. with paths of about so many bytes. */
static void make_streams(unsigned many, size_t path_bytes) {
    count = many;
    for (unsigned i = 0; i < many; i++) {
        stream_state_first(&streams[i]);
        streams[i].id = (uint16_t)i;
        snprintf(streams[i].name, sizeof streams[i].name, "stream %u", i);
        memset(streams[i].outlet.path, 'a' + (int)(i % 26), path_bytes);
        streams[i].outlet.path[0] = '/';
        streams[i].outlet.path[path_bytes] = '\0';
    }
}

static inline void checkpoint(uint64_t drained) {
    for (unsigned i = 0; i < count; i++) {
        streams[i].drained_position = drained + 8u * i;
        streams[i].next_sequence = 1 + drained / 64;
        streams[i].epoch = 1;
    }
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), 0);
}

static inline struct one_stream *slot(unsigned index) {
    return (struct one_stream *)(medium + LAYOUT_CHECKPOINT_OFFSET(index));
}

static inline struct writer_note *note(unsigned index) {
    return (struct writer_note *)(medium + LAYOUT_NOTE_OFFSET(index));
}

static inline void assert_newest_has(uint64_t drained) {
    static struct stream_state read;
    assert_int_equal(ledger_streams(ledger, slots()->newest), count);
    for (unsigned i = 0; i < count; i++) {
        ledger_stream(ledger, slots()->newest, i, &read);
        assert_int_equal(read.drained_position, drained + 8u * i);
        assert_string_equal(read.name, streams[i].name);
        assert_string_equal(read.outlet.path, streams[i].outlet.path);
    }
}

static inline void assert_told(const char *wanted) {
    struct event event;
    while (events_take(&events, &event, 0) == 1) {
        if (strstr(event.text, wanted) != NULL) {
            return;
        }
    }
    fail_msg("nobody told \"%s\"", wanted);
}

static inline void assert_nothing_told(void) {
    struct event event;
    assert_int_equal(events_take(&events, &event, 0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, format, close_ledger)

#endif
