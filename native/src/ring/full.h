/* SPDX-License-Identifier: Apache-2.0 */
/* Tells the operator that appends wait for space. Any thread. */
#ifndef BURST_RING_FULL_H
#define BURST_RING_FULL_H

#include "ring/ring.h"

/* An append found no space and begins to wait. */
void full_begins(struct ring *ring, int64_t now_ns);

/* The append still waits. Tells the operator when a message is due. Returns after how many nanoseconds to call
 * again. */
int64_t full_lasts(struct ring *ring, int64_t waited_ns, int64_t now_ns);

/* Tells the operator that the ring has space again, if the operator was told that it was full. "Again" means: space was
 * released, and for a second nobody waited. Only the drain calls this, again and again. */
void full_may_end(struct ring *ring);

#endif
