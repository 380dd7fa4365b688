/* SPDX-License-Identifier: Apache-2.0 */
/* Appending a record: claim, copy, and the waits for space and for durability. */
#ifndef BURST_RING_APPEND_H
#define BURST_RING_APPEND_H

#include "ring/ring.h"

/* How an append behaves that finds the ring full. */
enum ring_on_full {
    RING_ON_FULL_BLOCK,
    RING_ON_FULL_FAIL,
    RING_ON_FULL_DISCARD,
};

/* How an append behaves in a full ring, and how long it may wait. A call that need not wait never reads the rule. */
struct ring_rule {
    uint32_t on_full;   /* enum ring_on_full */
    int64_t timeout_ns; /* limit for all waits of one call together; < 0: no limit */
    uint32_t is_retry;  /* 1: does not count in full_waits: an earlier call did, or the record behind a roll does */
};

/*
 * A stream, as its appends see it.
 *
 * INVARIANT. An append claims its place, and then asks whether the stream is closed. The close closes the stream, and then
 * asks what is claimed. So whoever has closed a stream knows the end of its records: what is claimed behind that is a VOID,
 * which no stream gets, and its call is refused. Otherwise an append that was held up in between would put a record in when
 * another stream may have the file already.
 */
struct ring_stream {
    uint16_t id;
    _Atomic uint32_t is_closed; /* only ring_close_stream writes it */
};

/* Refuses all appends of the stream with -ESHUTDOWN from now on, also those that wait for space. The sequences of its records
 * are below the ring_next_sequence that is read afterwards. */
void ring_close_stream(struct ring *ring, struct ring_stream *stream);

/* Returns -ESHUTDOWN with the sentence that the stream is closed. */
int ring_refuse_closed_stream(const struct ring *ring, const struct ring_stream *stream);

/* Appends a record of the stream and waits until the record is durable: see burst_append_within. */
int64_t ring_append(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                    const struct ring_stream *stream, const struct ring_rule *rule);

/* Appends a record of the stream and does not wait for its durability: see burst_enqueue_within. The call never waits
 * if the rule is to fail within 0 ns. */
int64_t ring_enqueue(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                     const struct ring_stream *stream, const struct ring_rule *rule);

/* Puts a record in as ring_append does, and returns its sequence without waiting for its durability:
 * ring_await_progress then commits it. The rule is to fail or to discard. */
int64_t ring_put(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                 const struct ring_stream *stream, const struct ring_rule *rule);

/* Appends a roll record as ring_append does. The payload is the one that media/roll.h makes. */
int64_t ring_append_roll(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                         const struct ring_stream *stream, const struct ring_rule *rule);

/* Enqueues a roll record as ring_enqueue does. */
int64_t ring_enqueue_roll(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                          const struct ring_stream *stream, const struct ring_rule *rule);

#endif
