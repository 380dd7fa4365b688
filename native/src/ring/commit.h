/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the ring: one round of a commit (commit.c), and who leads it (leader.c). */
#ifndef BURST_RING_COMMIT_H
#define BURST_RING_COMMIT_H

#include "base/limit.h"
#include "ring/ring.h"

#define LEADER_FREE 0u
#define LEADER_CLAIMED 1u   /* somebody leads and has not sealed yet */
#define LEADER_GATHERING 2u /* somebody leads, and whatever was claimed before this was seen will be sealed */
#define LEADER_SEALED 3u    /* + the first sequence that is not part of the commit under way */

/* Makes everything claimed so far durable, or fails the ring. The caller has set ring->leader to LEADER_CLAIMED. If the limit
 * ends while a producer is waited for, the round is left as it is, and the next leader goes on with it. */
void commit_round(struct ring *ring, struct limit *limit);

/* Waits until the sequence is durable, and leads where nobody else does, as long as the limit is not over. 1, 0 (the limit),
 * or -EIO with a sentence. */
int leader_await(struct ring *ring, uint64_t sequence, struct limit *limit);

#endif
