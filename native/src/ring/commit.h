/* SPDX-License-Identifier: Apache-2.0 */
/* One round of a commit. Only the leader runs it. */
#ifndef BURST_RING_COMMIT_H
#define BURST_RING_COMMIT_H

#include "base/limit.h"
#include "ring/claim.h"
#include "ring/ring.h"

/* Makes everything claimed so far durable, or fails the ring. The caller leads. If the
 * limit ends while the leader waits for a producer, the round stays unfinished, and the next leader continues it. */
void commit_round(struct ring *ring, struct limit *limit);

/* The same for the one record of these bytes that claim_alone claimed and this thread has published. */
void commit_alone(struct ring *ring, const struct claim *claim, uint64_t bytes);

/* Fails the ring, since the record's thread did not copy it within RING_STRAGGLER_NS. */
void commit_fail_stuck(struct ring *ring, uint64_t sequence);

#endif
