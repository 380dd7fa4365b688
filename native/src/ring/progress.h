/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waiting for the ring on behalf of many: a runtime's tasks must not wait inside the engine, so one thread of the
 * runtime, the waker, awaits here what they wait for, and leads the commits of their records.
 */
#ifndef BURST_RING_PROGRESS_H
#define BURST_RING_PROGRESS_H

#include "ring/ring.h"

/* The state that the waker has read. Between two calls it stays as it is. */
struct progress {
    uint64_t durable_next_sequence;
    uint64_t freed;
    uint64_t drains;
    uint32_t nudges;
    uint32_t is_failed, is_closing, is_over; /* is_over: nothing will become durable any more */
    uint32_t wants_space;                    /* the waker waited for space in its last call */
};

/* Returns at once if anything differs from *seen, else when something does, or after timeout_ns (< 0: no limit). It
 * leads the commits of records that were put in, if no other thread leads: then it takes as long as the medium does.
 * space_since_ns: since when a record has waited for space, by CLOCK_MONOTONIC; 0: none does. Returns 1 with *seen
 * filled, or 0. */
int ring_await_progress(struct ring *ring, struct progress *seen, int64_t space_since_ns, int64_t timeout_ns);

/* A record was put in: the waker has it committed. */
void progress_put(struct ring *ring);

/* Has everything accepted committed, and the waker return. */
void progress_nudge(struct ring *ring);

/* A stream's drained sequence has moved, or cannot move. */
void progress_drained(struct ring *ring);

/* No record becomes durable any more. */
void progress_end(struct ring *ring);

#endif
