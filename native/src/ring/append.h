/* SPDX-License-Identifier: Apache-2.0 */
/* Appending a record: the claim, the copy, and what it has to wait for. */
#ifndef BURST_RING_APPEND_H
#define BURST_RING_APPEND_H

#include "ring/ring.h"

/* What an append does that finds the ring full. */
enum ring_on_full {
    RING_ON_FULL_BLOCK,
    RING_ON_FULL_FAIL,
    RING_ON_FULL_DISCARD,
};

/* What an append does in a full ring, and how long it may wait. A call that waits for nothing does not read it. */
struct ring_rule {
    uint32_t on_full;   /* enum ring_on_full */
    int64_t timeout_ns; /* of all its waits together; < 0: none */
};

/* Appends a record of the stream, and waits until it is durable: see burst_append_within. */
int64_t ring_append(struct ring *ring, const void *data, size_t length, int64_t event_time_ns, uint16_t stream,
                    const struct ring_rule *rule);

/* The same, but does not wait until it is durable: see burst_enqueue_within. Waits for nothing at all under a rule that
 * fails within 0 ns. */
int64_t ring_enqueue(struct ring *ring, const void *data, size_t length, int64_t event_time_ns, uint16_t stream,
                     const struct ring_rule *rule);

/* As ring_append, of a roll: the payload is what media/roll.h makes. */
int64_t ring_append_roll(struct ring *ring, const void *data, size_t length, int64_t event_time_ns, uint16_t stream,
                         const struct ring_rule *rule);

/* As ring_enqueue, of a roll. */
int64_t ring_enqueue_roll(struct ring *ring, const void *data, size_t length, int64_t event_time_ns, uint16_t stream,
                          const struct ring_rule *rule);

#endif
