/* SPDX-License-Identifier: Apache-2.0 */
/* One round of a commit, by the one that leads. */
#ifndef BURST_RING_COMMIT_H
#define BURST_RING_COMMIT_H

#include "base/limit.h"
#include "ring/ring.h"

/* Makes everything claimed so far durable, or fails the ring. The caller has set ring->leader to LEADER_CLAIMED. If the
 * limit ends while a producer is waited for, the round is left as it is, and the next leader goes on with it. */
void commit_round(struct ring *ring, struct limit *limit);

#endif
