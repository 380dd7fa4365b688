/* SPDX-License-Identifier: Apache-2.0 */
/* Taking a place in the ring for a record, and filling it. Any thread; neither waits. */
#ifndef BURST_RING_CLAIM_H
#define BURST_RING_CLAIM_H

#include "ring/ring.h"

struct claim {
    uint64_t position;
    struct record_header *header; /* its place in the image */
    uint64_t sequence;
    uint64_t pad_position; /* a pad record to publish before it, or UINT64_MAX */
};

/* Claims bytes for one record. 0, -EAGAIN (no space), -EIO (failed), -ESHUTDOWN (closed). */
int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim);

/* What a record's header says beside sequence, length and time. */
struct claim_label {
    uint16_t stream;
    uint8_t flags; /* enum record_flags */
};

/* Fills the claimed record (and its pad) and publishes it. */
void claim_publish(struct ring *ring, const struct claim *claim, const void *data, uint32_t length,
                   int64_t event_time_ns, struct claim_label label);

#endif
