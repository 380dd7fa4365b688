/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A reader beside a writer. Its device reads block by block; between two blocks the writer does what the test chooses.
 * So engine, medium and order are the same each time.
 */
#ifndef BURST_TEST_LOG_LIVE_READER_H
#define BURST_TEST_LOG_LIVE_READER_H

#include "text_log.h"

#include "base/error.h"
#include "recovery/reader.h"

#define RECORD_BYTES (BLOCK_BYTES - RECORD_HEADER_BYTES) /* with its header one block */
#define SECOND_NS 1000000000ll
#define DATA_BLOCKS (CAPACITY_BYTES / BLOCK_BYTES)

static struct {
    struct device device;
    void (*before_block)(uint64_t offset); /* called before each block is read from the medium */
    unsigned data_reads;                   /* reads of the data area's first block */
    unsigned tearing;                      /* so many more reads find both checkpoints torn */
    unsigned written;
    uint64_t random;
    int64_t slept_ns;
} beside;

static char stalled_by; /* records that begin so cannot be written; 0: all can */

static inline int64_t write_unless_stalled(const struct files *files, int file, const void *data, size_t bytes,
                                           uint64_t offset) {
    return stalled_by != 0 && *(const char *)data == stalled_by
               ? -ENOSPC
               : files_posix.ops->write(files, file, data, bytes, offset);
}

static inline int sync_at_once(const struct files *files, int file) {
    (void)files, (void)file;
    return 0;
}

static inline int read_beside(struct device *device, uint64_t offset, void *data, size_t bytes) {
    (void)device;
    for (size_t done = 0; done < bytes; done += BLOCK_BYTES) {
        const uint64_t at = offset + done;
        const size_t step = bytes - done < BLOCK_BYTES ? bytes - done : BLOCK_BYTES;
        if (beside.before_block != NULL) {
            beside.before_block(at);
        }
        beside.data_reads += at == LAYOUT_DATA_OFFSET;
        memcpy((uint8_t *)data + done, medium + at, step);
        if (beside.tearing > 0 && (at == LAYOUT_CHECKPOINT_OFFSET(0) || at == LAYOUT_CHECKPOINT_OFFSET(1))) {
            ((uint8_t *)data + done)[100] ^= 1;
            beside.tearing--;
        }
    }
    return 0;
}

static const struct device_ops beside_ops = {.name = "beside", .read = read_beside};

static inline void sleep_beside(const struct platform *platform, int64_t duration_ns) {
    (void)platform;
    beside.slept_ns += duration_ns;
}

static const struct platform *platform_beside(void) {
    static struct platform_ops own;
    static const struct platform platform = {&own};
    own = *platform_linux.ops;
    own.sleep_ns = sleep_beside;
    return &platform;
}

static inline void begin(void) {
    memset(&beside, 0, sizeof beside);
    stalled_by = 0;
    struct files_ops *own = own_ops();
    own->write = write_unless_stalled;
    own->sync = sync_at_once; /* no power is cut here */
    open_ring();
    beside.device = host.device;
    beside.device.ops = &beside_ops;
}

static inline uint64_t watermark(void) {
    uint64_t position, sequence;
    ring_durable(host.engine->ring, &position, &sequence);
    return position;
}

/* Writes a record of one block; 0 if there is no room for it. */
static inline int write_record_to(uint16_t stream, char first) {
    static char record[RECORD_BYTES];
    memset(record, first, sizeof record);
    record[RECORD_BYTES - 1] = '\n';
    const int64_t sequence = ring_append(host.engine->ring, record, sizeof record, 0, STREAM(stream), &unless_full);
    assert_true(sequence > 0 || sequence == -EAGAIN);
    beside.written += sequence > 0;
    return sequence > 0;
}

static inline int write_record(void) {
    return write_record_to(0, 'a');
}

static inline void drain(void) {
    engine_step(host.engine, 1);
}

static inline void write_a_lap(void) {
    for (unsigned i = 0; i < DATA_BLOCKS; i++) {
        if (!write_record()) {
            drain();
            drain();
            write_record();
        }
    }
}

static inline struct ring_view *look(void) {
    struct ring_view *view;
    if (ring_view_open(platform_beside(), &beside.device, &view) < 0) {
        fail_msg("refused: %s", error_text());
    }
    if (ring_view_check(&beside.device, view) < 0) {
        fail_msg("refused: %s", error_text());
    }
    return view;
}

/* The reader hands out the log that recovery found, and leaves no number out. */
static inline void assert_contiguous(const struct ring_view *view) {
    const struct recovery_input input = ring_view_input(view);
    struct reader reader;
    uint64_t next = view->recovery.first_sequence;
    reader_begin(&reader, &input, &view->recovery);
    for (struct reader_item item; reader_next(&reader, &item) == 1;) {
        if (item.kind == READER_DAMAGE) {
            next += item.jump->gap.count;
        } else if (item.record != NULL && record_has_sequence(item.record)) {
            assert_int_equal(item.record->sequence, next);
            next++;
        }
    }
    assert_int_equal(next, view->recovery.next_sequence);
}

/* The reader calls nothing lost, and misses nothing that was durable before it came. */
static inline void assert_sees_no_loss(uint64_t durable_before) {
    struct ring_view *view = look();
    char text[1024];
    recovery_statement(&view->recovery, text, sizeof text);
    for (size_t i = 0; i < view->recovery.jump_count; i++) {
        if (view->recovery.jumps[i].gap.damaged) {
            fail_msg("%s", text);
        }
    }
    assert_int_equal(view->recovery.lost, 0);
    assert_int_equal(view->unreadable_bytes, 0);
    assert_true(view->recovery.next_sequence > durable_before);
    assert_contiguous(view);
    ring_view_close(platform_beside(), view);
}

static uint16_t other;

static inline void begin_with_other(void) {
    begin();
    char path[sizeof host.folder + 8];
    snprintf(path, sizeof path, "%s/other", host.folder);
    const struct engine_stream stream = {.name = "other", .path = path};
    assert_int_equal(engine_add_stream(host.engine, &stream, &other), 0);
}

static inline void spoil_block(uint64_t position) {
    memset(medium + LAYOUT_DATA_OFFSET + position % CAPACITY_BYTES + 8, 0xee, 500);
}

#endif
