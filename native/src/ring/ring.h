/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring: records are claimed, copied and published into its image in memory, and commits make ranges of the image
 * durable at the same offsets of the medium.
 *
 * DESIGN. Four positions chase each other, each moved by one role only:
 *
 *     released <= freed <= durable <= claimed <= released + capacity - RING_MARKER_BLOCKS blocks
 *     (producers) (drain)  (leader)   (producers)
 *
 * A producer that finds no space left grants the next part of the space that the drain freed. So most of the ring holds
 * its last records, for readers that come late.
 *
 * A producer takes position and sequence with one compare-and-swap on `claim`, and never waits for that.
 *
 * A thread that needs durability leads if nobody commits: it sets CLAIM_LED in the claim word. The leader seals what is
 * claimed: it moves `claim` to the next block boundary (on a mapped medium to the next cache line), so that no later
 * record shares a block with this commit. It waits for producers that still copy, finishes the headers, and writes. It
 * advances `durable` to the end of the writes that are complete without a gap, lets go, and wakes others. Threads sleep
 * until their record is durable, or until it is their turn to lead (leader.c).
 *
 * A thread that finds all durable and nobody who leads goes alone: one exchange claims, seals and leads (claim_alone).
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
#include "media/durable_stamp.h"
#include "media/layout.h"
#include "media/walk.h"
#include "media/window.h"
#include "ring/stages.h"

#ifndef RING_WRITE_BYTES
#define RING_WRITE_BYTES (1024u * 1024u) /* the leader writes a longer commit in pieces of this size */
#endif
#define RING_WRITES_UNDER_WAY 8u
#define RING_STAGE_BYTES 4096u
/* Kept free for the markers of the next opens, which take turns in these blocks: recovery.c. */
#define RING_MARKER_BLOCKS 2u
#define RING_TOUCH_BYTES 4096u /* a page of memory is not smaller */
#define RING_START_SHARE 16u   /* a part of the ring's space that is granted at once, if the drain frees as finely */
/* Leaders sleep this long in all for a producer that does not publish. Then the ring fails. */
#define RING_STRAGGLER_NS 10000000000ll
#define RING_FAILURE_BYTES 384u
#define RING_FAILING 1u /* the failing thread still writes down the reason */
#define RING_FAILED 2u

struct ring_geometry {
    uint64_t data_offset;
    uint64_t capacity_bytes;
    uint64_t block_bytes;
    uint32_t line_bytes; /* a commit ends at a multiple of this; 0: at the end of a block */
    uint32_t crc_seed;   /* seeds the CRC of headers; derived from the ring's uuid */
};

struct ring_limits {
    uint64_t max_record_bytes;
    uint32_t cpus; /* number of CPUs that the process may use; 0: unknown */
};

/* The first position and sequence behind the marker of an open. */
struct ring_start {
    uint64_t position; /* a block boundary */
    uint64_t next_sequence;
    uint64_t released;
    uint32_t epoch;
};

/* How many threads wait for commits, as leaders counted them: leader.c. Only the leader writes it. */
struct gathering {
    /* threads that wait for the next commit or waited for the last one; 1: only its leader. claim_alone reads it, too */
    _Atomic uint32_t expected;
    uint32_t gather_credit; /* grows each time that gathering pays */
    uint32_t passed;        /* chances to gather that leaders let pass */
    int64_t until_ns;       /* a leader that begins after this time does not gather */
    int64_t began_ns;       /* when the leader sealed the commit under way, or 0 */
};

/* The range of a commit, and how far the leader has got with it. */
struct ring_round {
    uint64_t from;          /* the leader has submitted everything below it; at first the watermark */
    uint64_t records_end;   /* end of its last record */
    uint64_t end;           /* records_end rounded up to the end of a block, or of a line */
    uint64_t next_sequence; /* the first sequence behind the commit */
    uint64_t sealed;        /* headers below this position are finished */
    uint64_t sealed_sequence;
    uint64_t whole;          /* end of the last record that lies wholly in the pieces sealed so far */
    uint64_t whole_sequence; /* the first sequence behind `whole` */
    /* The stamp of the commit before, not sealed; durable_ns 0: the epoch has none, or nobody takes the time. */
    struct durable_stamp before;
};

/* The record whose producer the leaders wait for, and how long they have slept for it in all. */
struct straggler {
    uint64_t position;
    int64_t slept_ns;
};

/* One write of a commit, and the watermark that holds once this write and all before it are complete. */
struct ring_write {
    struct device_write write;
    uint64_t durable_position;
    uint64_t next_sequence;
    int64_t submitted_ns; /* 0: this write is not timed */
    int done;
};

/* When appends began to wait for space, and when the operator was told: full.c. */
struct ring_full {
    _Atomic int64_t since_ns;
    _Atomic int64_t seen_ns; /* when an append last found no space */
    _Atomic int64_t told_ns; /* 0: nobody was told */
    _Atomic uint64_t freed;  /* the ring's `freed` when the last append began to wait */
};

/* ring_await_progress needs this beside the positions: progress.c. */
struct parked {
    _Atomic uint32_t awaited; /* a record was put in, and no leader has sealed since */
    _Atomic uint32_t nudges;
    _Atomic uint64_t drains; /* grows when a stream's drained sequence moves, or cannot move */
    _Atomic uint32_t is_over;
};

/* A second copy of the records, which somebody takes from the image before they are durable here: log/copier.h. */
struct ring_copy {
    uint32_t is_kept;        /* set before ring_begin; 0: the ring has no copy */
    struct event_count more; /* notified when `sealed` moves */
    /* The records before it are whole, and have finished headers. Only the leader moves it */
    _Atomic uint64_t sealed;
    /* The records behind it wait for the copy; UINT64_MAX: none do. */
    _Alignas(128) _Atomic uint64_t kept;
};

/* Values of the word `leader`. Only the thread that has set CLAIM_LED in the claim word writes it. */
#define LEADER_CLAIMED 0u /* nobody leads; or a thread leads and has not sealed, or still copies its own record */
/* a thread leads, and will seal at least everything claimed before another thread read this value */
#define LEADER_GATHERING 1u
#define LEADER_SEALED 2u /* + the first sequence behind the commit under way */

struct ring {
    const struct platform *platform;
    struct device *device;
    struct events *events;
    uint8_t *image;
    struct ring_geometry geometry;
    struct ring_limits limits;
    uint64_t usual_space; /* bytes behind `released` that claim_usual may claim: it leaves the last of them alone */
    uint64_t salt;
    uint64_t begin_position; /* right behind this epoch's marker */
    uint32_t epoch;
    _Atomic uint32_t *short_bytes; /* a record of 1 to this many bytes is short; reads 0 in a forked child */
    struct stages *stages;         /* where the time goes, or NULL; the log owns it and sets it before ring_begin */
    struct window *window;         /* readers of other processes see these copies; NULL: none. Set before ring_begin */
    uint64_t unit_bytes;           /* a commit ends at a multiple of this: a line, or a block */

    /* Each group has cache lines of its own: a thread that writes to one group must not take another group's lines from
     * the caches of its readers. */
    _Alignas(128) _Atomic uint64_t claim; /* claim_word.h */
    _Atomic uint64_t lap_begin;           /* where the lap of the newest claim begins: claim.h */

    _Alignas(128) _Atomic uint64_t leader;
    union {
        _Atomic uint32_t generation[2]; /* both count finished commits; leader.c says which threads sleep on which */
        _Atomic uint64_t generations;   /* both counters as one word */
    };
    /* for each word: a mark of the last commit whose end somebody sleeps for there; 0: nobody does. leader.c */
    _Atomic uint32_t due[2];
    _Atomic uint32_t sleepers;   /* threads that sleep on either word, or were woken and have no CPU yet */
    struct event_count ended;    /* notified when a commit ends or the ring fails; awaits with a limit sleep here */
    struct event_count progress; /* notified when what ring_await_progress reads has changed */
    _Atomic uint32_t spinners;
    _Atomic uint64_t commit_ns; /* moving average of a commit's time while several threads wait; 0: not known yet */
    struct gathering gathering;

    _Alignas(128) _Atomic uint64_t durable_position;
    _Atomic uint64_t durable_next_sequence; /* every sequence below it is durable */
    _Atomic int64_t durable_ns;             /* when the leader moved the pair; 0: not in this epoch, or mapped memory */
    _Atomic uint32_t durable_version;       /* odd while the three above change */
    _Atomic uint32_t drain_asked;
    _Atomic uint64_t drain_looked;                   /* the watermark when the drain last looked */
    _Atomic uint32_t failed;                         /* RING_FAILING, RING_FAILED or 0 */
    struct ring_write writes[RING_WRITES_UNDER_WAY]; /* only the leader's */
    struct ring_round unfinished; /* only the leader's: a round whose leader ran out of time; end 0: none */
    uint64_t commit_lap;          /* only the leader's: where the lap of its last look begins */
    struct straggler straggler;   /* only the leader's */

    _Alignas(128) _Atomic uint64_t released;

    _Alignas(128) _Atomic uint64_t freed;
    uint64_t last_start;                    /* only the drain's: the newest of `starts` */
    uint32_t starts_count;                  /* only the drain's */
    _Atomic uint64_t starts[WINDOW_STARTS]; /* positions that were freed, in turns; `released` moves along them */

    _Alignas(128) struct event_count space; /* notified when `freed` moves */
    struct event_count drain;               /* notified when the drain should look at once */

    /* notified after an enqueue; `enqueued` then stays 1 until the committer looks */
    _Alignas(128) struct event_count committer;
    _Atomic uint32_t enqueued;
    _Atomic uint32_t hurried; /* a thread waits for the commit: the committer does not wait for more records */

    _Alignas(128) struct parked parked;

    _Alignas(128) struct ring_copy copy;

    _Alignas(128) _Atomic uint64_t commits, device_writes, device_bytes;
    _Atomic uint64_t full_waits, discarded, lost_enqueued;
    struct ring_full full;
    char failure[RING_FAILURE_BYTES]; /* complete before `failed` is RING_FAILED */
    char path[4096];                  /* the device's path, for sentences */

    uint64_t staged_bytes; /* the leader copies the rest of a commit to `stage` if it is at most this long; 0: never */
    _Alignas(RING_STAGE_BYTES) uint8_t stage[RING_STAGE_BYTES]; /* only the leader's */
};

/* Allocates the ring and its image. Returns 0, or -errno with a sentence. Claims fail until ring_begin. */
int ring_create(const struct platform *platform, struct device *device, struct events *events,
                const struct ring_geometry *geometry, const struct ring_limits *limits, struct ring **ring);

/* Opens the ring for appends. The caller has made this epoch's marker durable. */
void ring_begin(struct ring *ring, const struct ring_start *start);

/* Frees the ring. No thread may be in a call. */
void ring_destroy(struct ring *ring);

/* The sequence that the next claim will get. */
uint64_t ring_next_sequence(const struct ring *ring);

/* The watermark and the sequence of the first record at or behind it, as one consistent pair. */
void ring_durable(const struct ring *ring, uint64_t *position, uint64_t *next_sequence);

/* Also the time when the leader moved it there, CLOCK_REALTIME; 0: not known. */
void ring_durable_since(const struct ring *ring, uint64_t *position, uint64_t *next_sequence, int64_t *durable_ns);

/* The end of everything claimed, as a full position. */
uint64_t ring_claimed(const struct ring *ring);

/* The drain made everything below `position` durable elsewhere and gives its space back: wakes those who wait for space,
 * unless the position is that of the call before. Only the drain calls this. */
void ring_release(struct ring *ring, uint64_t position);

/* Grants producers the next part of what the drain freed. `released`: the value with which the caller found no space.
 * Returns 1 if there is more space now, else 0. */
int ring_grant(struct ring *ring, uint64_t released);

/* Refuses all later claims with -ESHUTDOWN. Claims made before are still committed. */
void ring_refuse(struct ring *ring);

/* Stops the ring for good, with a reason. If the ring has already failed, the earlier reason stays. */
void ring_fail(struct ring *ring, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* 0 in a forked child, which must not touch the parent's ring. */
static inline int ring_is_alive(const struct ring *ring) {
    return atomic_load_explicit(ring->short_bytes, memory_order_relaxed) != 0;
}

/* Whether a record of this length may be claimed without more checks, as most are. */
static inline int ring_takes_short(const struct ring *ring, size_t length) {
    return length - 1 < atomic_load_explicit(ring->short_bytes, memory_order_relaxed);
}

/* Whether the ring acknowledges no more records. Perhaps the failing thread still writes down the reason. */
static inline int ring_is_failing(const struct ring *ring) {
    return atomic_load_explicit(&ring->failed, memory_order_acquire) != 0;
}

/* Whether the ring has failed and ring->failure holds the reason. */
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
