/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for durability, and who commits meanwhile. */
#ifndef BURST_RING_LEADER_H
#define BURST_RING_LEADER_H

#include "base/limit.h"
#include "ring/ring.h"

/* Waits until the sequence is durable, and leads where nobody else does, as long as the limit is not over. 1, 0 (the limit),
 * or -EIO with a sentence. */
int leader_await(struct ring *ring, uint64_t sequence, struct limit *limit);

/* Waits until all sequences <= `sequence` are durable. timeout_ns < 0: for ever, leading commits where nobody else does; else
 * the committer leads, and the medium holds up this call no longer than that. 1 durable, 0 timed out, -EIO the ring failed,
 * -EINVAL the sequence was never given out. */
int ring_await_durable(struct ring *ring, uint64_t sequence, int64_t timeout_ns);

/* Commits what is claimed. 1 if something was, 0 if there is nothing, -EIO. */
int ring_commit(struct ring *ring);

/* Has the committer commit what is claimed now. */
void ring_hurry(struct ring *ring);

/* Wakes the drain unless somebody did since it last looked. */
void ring_ask_drain(struct ring *ring);

/* Waits until no commit is under way. After ring_refuse and ring_commit (or a failure) none will touch the device. */
void ring_quiesce(struct ring *ring);

#endif
