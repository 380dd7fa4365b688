/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for durability, and who commits meanwhile. */
#ifndef BURST_RING_LEADER_H
#define BURST_RING_LEADER_H

#include "base/limit.h"
#include "ring/ring.h"

/* Waits until the sequence is durable. Leads commits if nobody else does. 1 durable, 0 the limit is over, or -EIO with
 * a sentence. */
int leader_await(struct ring *ring, uint64_t sequence, struct limit *limit);

/* Waits until all sequences <= `sequence` are durable. timeout_ns < 0: for ever; this call leads commits if nobody else
 * does. Otherwise the committer leads, so that this call returns in time whatever the medium does. 1 durable, 0 timed
 * out, -EIO the ring failed, -EINVAL the sequence was never given out. */
int ring_await_durable(struct ring *ring, uint64_t sequence, int64_t timeout_ns);

/* Commits what is claimed. 1 if something was claimed, 0 if not, -EIO with a sentence. */
int ring_commit(struct ring *ring);

/* Asks the committer to commit at once what is claimed now. */
void ring_hurry(struct ring *ring);

/* Wakes the drain unless somebody has done so since it last looked. */
void ring_ask_drain(struct ring *ring);

/* Waits until no commit is under way. After ring_refuse and ring_commit, or a failure, no later commit touches the
 * device. */
void ring_quiesce(struct ring *ring);

#endif
