/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the ledger: what it holds of the fixed head, and room to write it. */
#ifndef BURST_LEDGER_SLOTS_H
#define BURST_LEDGER_SLOTS_H

#include "ledger/ledger.h"

/* A checkpoint as it is on the medium. */
struct ledger_slot {
    uint8_t *bytes;
    size_t room; /* whole blocks */
};

struct ledger {
    const struct platform *platform;
    struct device *device;
    struct ledger_view view;
    struct ledger_slot slots[LAYOUT_CHECKPOINT_SLOTS];
    uint64_t released
        [LAYOUT_CHECKPOINT_SLOTS]; /* the least drained position of the last one that was surely written there */
    uint8_t *block;                /* to read and write what fits in one */
    size_t block_bytes;
};

/* Makes room for so many bytes; what was there is gone if it was too small. 0, or -ENOMEM with a sentence. */
int ledger_slot_room(struct ledger *ledger, struct ledger_slot *slot, size_t bytes);

/* Makes a ledger with a block and without slots. 0, or -ENOMEM with a sentence. */
int ledger_allocate(const struct platform *platform, struct device *device, struct ledger **ledger);

/* Writes `bytes` in whole blocks, of a struct that fits in one. 0, or -errno with a sentence. */
int ledger_write_block(const struct ledger *ledger, uint64_t offset, const void *data, size_t bytes);

/* The slot of the newest valid note, or -1. */
int ledger_newest_note(const struct ledger *ledger);

#endif
