/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of a log that is being opened: what is there, or a file made for it. */
#ifndef BURST_RING_OPEN_H
#define BURST_RING_OPEN_H

#include "base/events.h"
#include "burstlog.h"
#include "device/device.h"

/* Of a new ring file: the least that costs no append anything (docs/benchmarks.md). It is locked in memory, for each log. */
#define DEFAULT_RING_BYTES (16ull << 20)

struct opened_ring {
    struct device *device;
    int is_created;           /* by this open, where nothing was or an empty file */
    int was_empty;            /* such a file, whose mode and owner the ring has */
    unsigned folders_missing; /* above it, before */
    int is_ring;              /* there is a ring to be read; if not, opening the log says why */
    int is_untouched;         /* nobody has opened it since it was formatted */
};

/* Opens the ring as writer, under its lock. 0, or -errno with a sentence and nothing left behind. */
int ring_open(const burst_config_t *config, struct opened_ring *ring);

/* The ring is to be written: a file gets the blocks that it lacks, which is told. 0, or -errno with a sentence. */
int ring_open_blocks(const struct opened_ring *ring, struct events *events);

/* The log cannot be opened after all: closes the ring, and takes away what was made for it. */
void ring_open_undo(const burst_config_t *config, const struct opened_ring *ring);

#endif
