/* SPDX-License-Identifier: Apache-2.0 */
/* Claiming a record's place in the ring, and filling it. Any thread may; neither call waits. */
#ifndef BURST_RING_CLAIM_H
#define BURST_RING_CLAIM_H

#include "ring/ring.h"

struct claim {
    uint64_t position;
    struct record_header *header; /* the record's place in the image */
    uint64_t sequence;
    uint64_t pad_position; /* a pad record that is published before this record, or UINT64_MAX */
};

/* Claims bytes for one record. Returns 0, -EAGAIN (no space), -EIO (the ring has failed), -ESHUTDOWN (the ring is
 * closed). */
int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim);

/* The fields of a record's header besides sequence, length and time. */
struct claim_label {
    uint16_t stream;
    uint8_t flags; /* enum record_flags */
};

/* Fills the claimed record, and its pad if there is one, and publishes them. */
void claim_publish(struct ring *ring, const struct claim *claim, const void *data, uint32_t length,
                   int64_t event_time_ns, struct claim_label label);

#endif
