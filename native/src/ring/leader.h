/* SPDX-License-Identifier: Apache-2.0 */
/* Waiting for durability: some waiting thread leads the commits meanwhile. */
#ifndef BURST_RING_LEADER_H
#define BURST_RING_LEADER_H

#include "base/limit.h"
#include "ring/claim.h"
#include "ring/ring.h"

/* Whether a thread leads a commit. */
static inline int leader_is_there(const struct ring *ring) {
    return (atomic_load(&ring->claim) & CLAIM_LED) != 0;
}

/* Waits until the sequence is durable. This thread leads commits when nobody else does. Returns 1 when durable, 0 when
 * the limit is over, or -EIO with a sentence. */
int leader_await(struct ring *ring, uint64_t sequence, struct limit *limit);

/* Commits the one record of these bytes that claim_alone claimed and this thread has published, and lets go. Returns
 * whether it is durable; if not, the ring fails. */
int leader_commit_alone(struct ring *ring, const struct claim *claim, uint64_t bytes);

/* Leads one commit of everything claimed, unless another thread leads. Returns whether it led. */
int leader_lead(struct ring *ring);

/* Waits until all sequences <= `sequence` are durable. With timeout_ns < 0 the wait has no limit, and this thread leads
 * commits when nobody else does. Otherwise the committer leads, so that this call returns in time even if the medium
 * hangs. Returns 1 when durable, 0 after the time, -EIO if the ring failed, -EINVAL if no record has this sequence
 * yet. */
int ring_await_durable(struct ring *ring, uint64_t sequence, int64_t timeout_ns);

/* Commits everything that is claimed. Returns 1 if something was claimed, 0 if nothing was, -EIO with a sentence. */
int ring_commit(struct ring *ring);

/* Asks the committer to commit at once everything claimed so far. */
void ring_hurry(struct ring *ring);

/* Wakes the drain, unless another thread woke it since the drain last looked. */
void ring_ask_drain(struct ring *ring);

/* Waits until no commit is under way. No later commit touches the device if ring_refuse and ring_commit came before, or
 * if the ring has failed. */
void ring_quiesce(struct ring *ring);

#endif
