/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The window: memory that the process of an open log shares with its readers, read-only. No I/O.
 *
 *     byte 0       4096        8192               gaps_offset    checkpoint_offset   figures_offset   image_offset
 *     +------------+-----------+------------------+--------------+-------------------+----------------+-------------+
 *     | head:      | lines:    | starts: where a  | gaps of the  | a copy of the     | figures of     | the ring's  |
 *     | never      | what      | record begins    | recovery:    | newest checkpoint | the log        | image, or   |
 *     | changes    | moves     |                  | never change |                   |                | nothing     |
 *     +------------+-----------+------------------+--------------+-------------------+----------------+-------------+
 *
 * DESIGN. All of it is a copy: the writer never reads it, so losing it loses nothing. Each cache line has one writer, but
 * for the floor, which only grows. Order of the writer:
 *
 *     leader    seals, writes, moves its own watermark, then the window's
 *     drain     checkpoint durable, its copy, then `freed`
 *     granter   the window's floor, then the ring's `released`; producers load `released` (acquire) before they store
 *
 * Order of a reader: watermark; header; fence; floor. If the floor is not above the record, the bytes were the record's.
 * Then the length, bounded by lap and watermark; payload; fence; floor; then position and both CRCs. A record that begins
 * below the floor may be written over at any time: it is never believed.
 */
#ifndef BURST_MEDIA_WINDOW_H
#define BURST_MEDIA_WINDOW_H

#include <stdatomic.h>

#include "media/figures.h"
#include "media/handover.h"
#include "media/layout.h"
#include "media/walk.h"

#define WINDOW_MAGIC 0x574f444e57525542ull /* "BURWNDOW" */
#define WINDOW_VERSION 1u
#define WINDOW_LINES_OFFSET 4096u
#define WINDOW_STARTS_OFFSET 8192u
#define WINDOW_STARTS 64u
#define WINDOW_GAPS_OFFSET 12288u
#define WINDOW_GAPS_MAX 4096u /* a log with more gaps has no window */
#define WINDOW_LINE_BYTES 128u

/* Written before the window is announced, and never again. */
struct window_head {
    uint64_t magic;
    uint32_t version;      /* WINDOW_VERSION; readers refuse any other */
    uint32_t head_bytes;   /* sizeof(struct window_head); a longer one has more fields */
    uint64_t incompatible; /* feature bits; readers refuse an unknown one */
    uint64_t compatible;   /* feature bits; readers ignore unknown ones */
    uint8_t uuid[16];      /* of the ring: as in struct superblock */
    uint64_t window_bytes; /* size of the whole window */
    uint64_t capacity_bytes;
    uint64_t data_offset; /* where the data area begins on the medium */
    uint32_t block_bytes;
    uint32_t line_bytes;        /* as in struct walk_shape */
    uint64_t image_offset;      /* a multiple of 4096; 0: the window has no image, and readers read the medium */
    uint64_t checkpoint_offset; /* LAYOUT_CHECKPOINT_BYTES for the copy */
    uint64_t figures_offset;    /* room for struct figures */
    uint64_t begin_position;    /* right behind the marker of this epoch */
    uint64_t log_end;           /* where the log of the earlier epochs ended */
    uint32_t epoch;
    uint32_t gap_count;
    int64_t opened_ns;        /* CLOCK_REALTIME */
    uint32_t requests_offset; /* of struct stream_requests; 0: this process drains, and no other one may */
    uint32_t crc;             /* CRC32C of all bytes before it, then of the gaps; seeded with the ring's uuid */
};

_Static_assert(offsetof(struct window_head, uuid) == 32, "window_head.uuid");
_Static_assert(offsetof(struct window_head, block_bytes) == 72, "window_head.block_bytes");
_Static_assert(offsetof(struct window_head, epoch) == 120, "window_head.epoch");
_Static_assert(sizeof(struct window_head) == 144, "window_head size");

/* A range that holds no record of the log: struct walk_gap. */
struct window_gap {
    uint64_t from;
    uint64_t to;
    uint64_t first_sequence;
    uint64_t count;
    uint64_t damaged;
};

enum window_state {
    WINDOW_OPEN = 0,
    WINDOW_CLOSED = 1, /* the log was closed, or goes away: look for a newer window, then at the medium */
};

/* The moving part. Each group has lines of its own. A pair is consistent if `version` was even, and the same before and
 * after. */
struct window_lines {
    /* The leader's: the watermark, and the sequence of the first record at or behind it. */
    _Alignas(WINDOW_LINE_BYTES) _Atomic uint32_t watermark_version;
    _Atomic uint64_t watermark;
    _Atomic uint64_t watermark_sequence;

    /* No record that begins below it may be believed. Any thread that grants space moves it. */
    _Alignas(WINDOW_LINE_BYTES) _Atomic uint64_t floor;

    /* The drain's: the copy of the newest checkpoint, `checkpoint_bytes` long. */
    _Alignas(WINDOW_LINE_BYTES) _Atomic uint32_t checkpoint_version;
    _Atomic uint32_t checkpoint_bytes;
    _Atomic uint32_t
        starts_count; /* so many starts were ever written: the newest is starts[(count - 1) % WINDOW_STARTS] */

    /* For the thread that answers readers. */
    _Alignas(WINDOW_LINE_BYTES) _Atomic uint32_t state; /* enum window_state */
    _Atomic uint32_t wakes;                             /* futex word of sleeping readers; grows at each wake-up */
    _Atomic uint32_t figures_version;                   /* 0: nobody has asked for figures yet */
};

_Static_assert(sizeof(struct window_lines) == 4 * WINDOW_LINE_BYTES, "window_lines size");
_Static_assert(sizeof(struct window_lines) <= WINDOW_STARTS_OFFSET - WINDOW_LINES_OFFSET, "lines fit");

/* Bytes of the parts before the image; and where an image begins, so that huge pages can hold it. */
#define WINDOW_CHECKPOINT_OFFSET (WINDOW_GAPS_OFFSET + WINDOW_GAPS_MAX * sizeof(struct window_gap))
#define WINDOW_FIGURES_OFFSET (WINDOW_CHECKPOINT_OFFSET + LAYOUT_CHECKPOINT_BYTES)
#define WINDOW_PAGES_BYTES (WINDOW_FIGURES_OFFSET + (sizeof(struct figures) + 4095) / 4096 * 4096)
#define WINDOW_IMAGE_OFFSET (2048u * 1024u)

/* The requests to a drain of another process, if there may be one: behind the other pages. */
#define WINDOW_REQUESTS_OFFSET WINDOW_PAGES_BYTES
#define WINDOW_REQUESTS_END (WINDOW_REQUESTS_OFFSET + (sizeof(struct stream_requests) + 4095) / 4096 * 4096)
_Static_assert(WINDOW_REQUESTS_END <= WINDOW_IMAGE_OFFSET, "the requests fit");

_Static_assert(sizeof(struct window_gap) == 40, "window_gap size");
_Static_assert(WINDOW_CHECKPOINT_OFFSET % 4096 == 0 && WINDOW_PAGES_BYTES <= WINDOW_IMAGE_OFFSET, "the pages fit");

/* Positions at which a record of the log begins, or a gap: the floor moves along them, and readers begin at one. */
struct window_starts {
    _Atomic uint64_t positions[WINDOW_STARTS];
};

_Static_assert(sizeof(struct window_starts) <= WINDOW_GAPS_OFFSET - WINDOW_STARTS_OFFSET, "starts fit");

/* The parts of a window in the writer's memory. */
struct window {
    struct window_head *head;
    struct window_lines *lines;
    struct window_starts *starts;
    struct window_gap *gaps;
    uint8_t *checkpoint;
    struct figures *figures;
    struct stream_requests *requests; /* NULL: this process drains */
};

/* The window in zeroed memory of WINDOW_PAGES_BYTES, aligned to a page. */
struct window window_at(void *memory);

/* Seals the head and its gaps. All other fields of the head are filled. */
void window_seal(struct window *window, uint32_t crc_seed);

/* Whether head and gaps are those that a writer sealed. The caller has checked that so many gaps are there. */
int window_is_sealed(const struct window_head *head, const struct window_gap *gaps);

/* Only the leader calls it, after its own watermark moved. `version`: an even number, another one at each call. Inlined,
 * and without a look at the version that stands there: each commit pays for it. */
static inline void window_put_watermark(struct window *window, uint32_t version, uint64_t position, uint64_t sequence) {
    struct window_lines *lines = window->lines;
    atomic_store_explicit(&lines->watermark_version, version - 1, memory_order_relaxed);
    atomic_thread_fence(memory_order_release);
    atomic_store_explicit(&lines->watermark, position, memory_order_relaxed);
    atomic_store_explicit(&lines->watermark_sequence, sequence, memory_order_relaxed);
    atomic_store_explicit(&lines->watermark_version, version, memory_order_release);
}

/* Only the drain calls it, after the checkpoint is durable. */
void window_put_checkpoint(struct window *window, const uint8_t *bytes, uint32_t count);

/* Only the drain calls it: a record or a gap begins at the position. */
void window_put_start(struct window *window, uint64_t position);

/* Moves the floor up; any thread calls it before it moves the ring's `released`. */
void window_raise_floor(struct window *window, uint64_t position);

/* Only the thread that answers readers calls the next two. Between them it fills window->figures. */
void window_begin_figures(struct window *window);
void window_end_figures(struct window *window);

/* For readers. A torn pair is read again, at most so often that a writer that died in the middle cannot stop a reader:
 * then -EAGAIN. */
int window_get_watermark(const struct window_lines *lines, uint64_t *position, uint64_t *sequence);

/* Copies the checkpoint; `out` has LAYOUT_CHECKPOINT_BYTES. Returns its length, 0 if there is none, or -EAGAIN. The
 * bytes are worth nothing until checkpoint_is_valid has judged them. */
int window_get_checkpoint(const struct window_lines *lines, const uint8_t *copy, uint8_t *out);

/* Copies the figures at `shared`, and makes them safe to use. Returns 1; 0 if there are none yet, or of another version;
 * or -EAGAIN. */
int window_get_figures(const struct window_lines *lines, const struct figures *shared, struct figures *out);

#endif
