/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of a log that is being opened: an existing one, or a file made for it. */
#ifndef BURST_RING_OPEN_H
#define BURST_RING_OPEN_H

#include "base/events.h"
#include "burstlog.h"
#include "device/device.h"

/* Size of a new ring file: the smallest that slows no append down (docs/benchmarks.md). Each log locks so much
 * memory. */
#define DEFAULT_RING_BYTES (16ull << 20)

struct opened_ring {
    struct device *device;
    int is_created;           /* this open made the ring, from an empty file or from nothing */
    int was_empty;            /* from an empty file; the ring keeps its mode and owner */
    unsigned folders_missing; /* missing folders above it, before this open */
    int is_ring;              /* there is a ring to read; if not, opening the log says why */
    int is_untouched;         /* nobody has opened it since its format */
    uint8_t uuid[16];         /* of the ring; zeros if it is none */
};

/* Opens the ring as writer, under its lock. Returns 0, or -errno with a sentence and nothing left behind. */
int ring_open(const burst_config_t *config, struct opened_ring *ring);

/* Gives a ring file the blocks that it lacks, before it is written, and tells so. Returns 0, or -errno with a
 * sentence. */
int ring_open_blocks(const struct opened_ring *ring, struct events *events);

/* The log cannot be opened after all: closes the ring, and removes everything made for it. */
void ring_open_undo(const burst_config_t *config, const struct opened_ring *ring);

#endif
