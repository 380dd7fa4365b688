/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring: records are claimed, copied and published into its image in memory, and commits make ranges of the image
 * durable at the same offsets of the medium.
 *
 * DESIGN. Three positions chase each other, each moved by one role only:
 *
 *     released <= durable <= claimed <= released + capacity - RING_MARKER_BLOCKS blocks
 *     (drain)     (leader)   (producers)
 *
 * A producer takes position and sequence with one compare-and-swap on `claim`, which never waits. A thread that needs
 * durability leads if nobody commits: it seals what is claimed (moves `claim` to the next block boundary, on a mapped
 * medium to the next cache line, so that no later record shares one with this commit), waits for producers that still
 * copy, finishes the headers, writes, advances `durable` to the end of the contiguous completed writes, lets go, and
 * wakes others. These sleep until their record is durable or it is their turn to lead (leader.c).
 */
#ifndef BURST_RING_RING_H
#define BURST_RING_RING_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/events.h"
#include "base/platform.h"
#include "base/event_count.h"
#include "device/device.h"
#include "media/layout.h"
#include "media/walk.h"
#include "ring/stages.h"

#ifndef RING_WRITE_BYTES
#define RING_WRITE_BYTES (1024u * 1024u) /* a longer commit is written in pieces of this size */
#endif
#define RING_WRITES_UNDER_WAY 8u
#define RING_STAGE_BYTES 4096u
#define RING_MARKER_BLOCKS 2u           /* for the markers of the next opens, which take turns in them (recovery.c) */
#define RING_STRAGGLER_NS 10000000000ll /* so long leaders sleep for a producer that does not publish; then fail-stop */
#define RING_FAILURE_BYTES 384u
#define RING_FAILING 1u /* the reason is being written down */
#define RING_FAILED 2u

struct ring_geometry {
    uint64_t data_offset;
    uint64_t capacity_bytes;
    uint64_t block_bytes;
    uint32_t line_bytes; /* a commit ends at a multiple of this; 0: at a block */
    uint32_t crc_seed;   /* of headers, from the ring's uuid */
};

struct ring_limits {
    uint64_t max_record_bytes;
    uint32_t cpus; /* number of CPUs that the process may run on; 0: not known */
};

/* Where an open begins: right after its marker. */
struct ring_start {
    uint64_t position; /* a block boundary */
    uint64_t next_sequence;
    uint64_t released;
    uint32_t epoch;
};

/* The threads that wait for commits, as the leader counts them: leader.c. Only the leader touches it. */
struct gathering {
    uint32_t expected;      /* threads that waited for the last commit or wait for the next one; 1: only its leader */
    uint32_t gather_credit; /* grows while gathering pays */
    uint32_t passed;        /* chances to gather that leaders did not take */
    int64_t until_ns;       /* a leader that begins later does not gather */
    int64_t began_ns;       /* when the commit under way was sealed, or 0 */
};

/* The range of a commit and how far it has got. */
struct ring_round {
    uint64_t from;          /* everything below it is submitted; at first the watermark */
    uint64_t records_end;   /* end of its last record */
    uint64_t end;           /* records_end up to the boundary of a block, or of a line */
    uint64_t next_sequence; /* the first one after it */
    uint64_t sealed;        /* headers below this position are finished */
    uint64_t sealed_sequence;
    uint64_t whole;          /* end of the last record that lies wholly in the pieces prepared so far */
    uint64_t whole_sequence; /* the first sequence after it */
};

/* The record that leaders wait for, and how long they have slept for it in all. */
struct straggler {
    uint64_t position;
    int64_t slept_ns;
};

/* A write of a commit, and the watermark once it and all writes before it are complete. */
struct ring_write {
    struct device_write write;
    uint64_t durable_position;
    uint64_t next_sequence;
    int64_t submitted_ns; /* 0: it is not timed */
    int done;
};

/* Since when appends wait for space, and when the operator was told: full.c. */
struct ring_full {
    _Atomic int64_t since_ns;
    _Atomic int64_t seen_ns;   /* when an append last found no space */
    _Atomic int64_t told_ns;   /* 0: nobody was told */
    _Atomic uint64_t released; /* then */
};

/* Of the word `leader`. */
#define LEADER_FREE 0u
#define LEADER_CLAIMED 1u   /* somebody leads and has not sealed yet */
#define LEADER_GATHERING 2u /* somebody leads, and whatever was claimed before this was seen will be sealed */
#define LEADER_SEALED 3u    /* + the first sequence that is not part of the commit under way */

struct ring {
    const struct platform *platform;
    struct device *device;
    struct events *events;
    uint8_t *image;
    struct ring_geometry geometry;
    struct ring_limits limits;
    uint64_t salt;
    uint64_t begin_position; /* right after this epoch's marker */
    uint32_t epoch;
    _Atomic uint32_t *alive; /* reads 0 in a forked child */
    struct stages *stages;   /* NULL, or where the time goes; set before ring_begin; the log owns it */

    /* Groups on cache lines of their own: a thread that writes one must not take another from its readers' caches. */
    _Alignas(128) _Atomic uint64_t claim; /* claim_word.h */
    _Atomic uint64_t lap_begin;           /* of the lap that was last claimed in: claim.c */

    _Alignas(128) _Atomic uint64_t leader;
    union {
        _Atomic uint32_t generation[2]; /* both count finished commits; leader.c says who sleeps on which */
        _Atomic uint64_t generations;   /* the two at once */
    };
    _Atomic uint32_t sleepers[2];
    struct event_count ended; /* a commit has ended, or the ring has failed: awaits with a limit sleep here */
    _Atomic uint32_t spinners;
    _Atomic uint64_t commit_ns; /* what a commit takes while several threads wait: a moving average; 0: not known yet */
    struct gathering gathering;

    _Alignas(128) _Atomic uint64_t durable_position;
    _Atomic uint64_t durable_next_sequence; /* every sequence below it is durable */
    _Atomic uint32_t durable_version;       /* odd while the pair above changes */
    _Atomic uint32_t drain_asked;
    _Atomic uint64_t drain_looked;                   /* the watermark when the drain last looked */
    _Atomic uint32_t failed;                         /* RING_FAILING, RING_FAILED or 0 */
    struct ring_write writes[RING_WRITES_UNDER_WAY]; /* the leader's */
    struct ring_round unfinished;                    /* the leader's; end 0: none. One whose leader had no time left */
    uint64_t commit_lap;                             /* the leader's: where the lap begins that it last looked at */
    struct straggler straggler;                      /* the leader's */

    _Alignas(128) _Atomic uint64_t released;

    _Alignas(128) struct event_count space; /* released has moved */
    struct event_count drain;               /* the drain should look now */

    _Alignas(
        128) struct event_count committer; /* something was enqueued: then `enqueued` is 1 until the committer looks */
    _Atomic uint32_t enqueued;
    _Atomic uint32_t hurried; /* somebody waits for it: the committer lets no batch come */

    _Alignas(128) _Atomic uint64_t commits, device_writes, device_bytes;
    _Atomic uint64_t full_waits, discarded, lost_enqueued;
    struct ring_full full;
    char failure[RING_FAILURE_BYTES]; /* written before `failed` is set */
    char path[4096];                  /* of the device, for sentences */

    uint64_t staged_bytes; /* what is left of a commit is written from `stage` if it is no more than that; 0: never */
    _Alignas(RING_STAGE_BYTES) uint8_t stage[RING_STAGE_BYTES]; /* the leader's */
};

/* Allocates the image. 0 or -errno with a sentence. *ring is whole but not started. */
int ring_create(const struct platform *platform, struct device *device, struct events *events,
                const struct ring_geometry *geometry, const struct ring_limits *limits, struct ring **ring);

/* The marker of this epoch is durable: appends may begin. */
void ring_begin(struct ring *ring, const struct ring_start *start);

/* Frees everything. Nobody may be in a call. */
void ring_destroy(struct ring *ring);

/* The sequence that the next claim will get. */
uint64_t ring_next_sequence(const struct ring *ring);

/* The watermark and the sequence of the first record at or behind it, as one consistent pair. */
void ring_durable(const struct ring *ring, uint64_t *position, uint64_t *next_sequence);

/* End of what is claimed, as a full position. */
uint64_t ring_claimed(const struct ring *ring);

/* The drain has made everything below `position` durable elsewhere. Called by the drain only. */
void ring_release(struct ring *ring, uint64_t position);

/* No claim succeeds any more (-ESHUTDOWN); those made are still committed. */
void ring_refuse(struct ring *ring);

/* Fail-stop with a reason. The first reason stays. */
void ring_fail(struct ring *ring, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 0 in a forked child, which must not touch the parent's ring. */
static inline int ring_is_alive(const struct ring *ring) {
    return atomic_load_explicit(ring->alive, memory_order_relaxed) != 0;
}

/* Whether nothing will be acknowledged any more; why may still be being written down. */
static inline int ring_is_failing(const struct ring *ring) {
    return atomic_load_explicit(&ring->failed, memory_order_acquire) != 0;
}

/* Whether the ring has failed and says why in ring->failure. */
static inline int ring_has_failed(const struct ring *ring) {
    return atomic_load_explicit(&ring->failed, memory_order_acquire) == RING_FAILED;
}

static inline struct walk_shape ring_shape(const struct ring *ring) {
    return (struct walk_shape){.capacity_bytes = ring->geometry.capacity_bytes,
                               .block_bytes = ring->geometry.block_bytes,
                               .line_bytes = ring->geometry.line_bytes};
}

static inline uint8_t *ring_at(const struct ring *ring, uint64_t position) {
    return ring->image + position % ring->geometry.capacity_bytes;
}

#endif
