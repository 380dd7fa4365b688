/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the ring: one round of a commit (commit.c), and who leads it (leader.c). */
#ifndef BURST_RING_COMMIT_H
#define BURST_RING_COMMIT_H

#include "ring/ring.h"

#define LEADER_FREE 0u
#define LEADER_CLAIMED 1u   /* somebody leads and has not sealed yet */
#define LEADER_GATHERING 2u /* somebody leads, and whatever was claimed before this was seen will be sealed */
#define LEADER_SEALED 3u    /* + the first sequence that is not part of the commit under way */

/* Makes everything claimed so far durable, or fails the ring. The caller has set ring->leader to LEADER_CLAIMED. */
void commit_round(struct ring *ring);

/* ring_await_durable without its check of the sequence. */
int leader_await(struct ring *ring, uint64_t sequence, int64_t timeout_ns);

#endif
