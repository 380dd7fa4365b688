/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the operator that appends wait for space. Any thread. */
#ifndef BURST_RING_FULL_H
#define BURST_RING_FULL_H

#include "ring/ring.h"

/* An append has found no space, and waits from now on. */
void full_begins(struct ring *ring, int64_t now_ns);

/* The append still waits. Tells the operator if it is time to. Returns in how many nanoseconds to call this again. */
int64_t full_lasts(struct ring *ring, int64_t waited_ns, int64_t now_ns);

/* Tells the operator, if he was told that the ring is full, when there is space and nobody has waited for a second. The thread
 * that releases space. */
void full_may_end(struct ring *ring);

#endif
