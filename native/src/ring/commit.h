/* SPDX-License-Identifier: Apache-2.0 */
/* One round of a commit. Only the leader runs it. */
#ifndef BURST_RING_COMMIT_H
#define BURST_RING_COMMIT_H

#include "base/limit.h"
#include "ring/ring.h"

/* Makes everything claimed so far durable, or fails the ring. The caller has set ring->leader to LEADER_CLAIMED. If the
 * limit ends while the leader waits for a producer, the round stays unfinished, and the next leader continues it. */
void commit_round(struct ring *ring, struct limit *limit);

#endif
