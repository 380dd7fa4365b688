/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/claim.h"

#include <errno.h>

uint64_t claim_begin_lap(struct ring *ring, uint64_t position) {
    const uint64_t offset = position % ring->geometry.capacity_bytes;
    atomic_store_explicit(&ring->lap_begin, position - offset, memory_order_relaxed);
    return offset;
}

int claim_record(struct ring *ring, uint64_t bytes, struct claim *claim) {
    for (;;) {
        uint64_t word, released;
        switch (claim_try(ring, bytes, claim, &word, &released)) {
        case CLAIM_TAKEN:
            return 0;
        case CLAIM_REFUSED:
            return word & CLAIM_FAILED ? -EIO : -ESHUTDOWN;
        case CLAIM_NO_SPACE:
            /* A word that is still there was not too old. */
            if (atomic_load_explicit(&ring->claim, memory_order_acquire) == word && !ring_grant(ring, released)) {
                return -EAGAIN;
            }
            break;
        case CLAIM_LOST:
            break;
        }
    }
}

void claim_publish_pad(struct ring *ring, uint64_t position, uint64_t sequence) {
    struct record_header *header = (struct record_header *)ring_at(ring, position);
    header->sequence = sequence;
    const uint64_t left = lap_remaining(position, ring->geometry.capacity_bytes);
    record_set_kind(header, (uint32_t)(left - RECORD_HEADER_BYTES), RECORD_PAD, 0, 0);
    header->event_time_ns = 0;
    header->payload_crc = 0;
    claim_publish_release(ring, header, position);
}
