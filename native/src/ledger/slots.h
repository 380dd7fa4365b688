/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the ledger: its copy of the fixed head, and room to write it. */
#ifndef BURST_LEDGER_SLOTS_H
#define BURST_LEDGER_SLOTS_H

#include "ledger/ledger.h"

/* A checkpoint, byte by byte as on the medium. */
struct ledger_slot {
    uint8_t *bytes;
    size_t room; /* size of `bytes`, in whole blocks */
};

struct ledger {
    const struct platform *platform;
    struct device *device;
    struct ledger_view view;
    struct ledger_slot slots[LAYOUT_CHECKPOINT_SLOTS];
    /* For each slot, the least drained position in the last checkpoint that was surely written to it. */
    uint64_t released[LAYOUT_CHECKPOINT_SLOTS];
    struct window *window; /* gets a copy of each checkpoint; NULL: there is none */
    uint8_t *block;        /* buffer to read and write any struct that fits in one block */
    size_t block_bytes;
};

/* Makes room for `bytes` in the slot. If the old room was too small, its content is lost. Returns 0, or -ENOMEM with a
 * sentence. */
int ledger_slot_room(struct ledger *ledger, struct ledger_slot *slot, size_t bytes);

/* Makes a ledger with its block buffer and without slots. Returns 0, or -ENOMEM with a sentence. */
int ledger_allocate(const struct platform *platform, struct device *device, struct ledger **ledger);

/* Writes a struct of `bytes` that fits in one block, padded with zeros to whole blocks. Returns 0, or -errno with a
 * sentence. */
int ledger_write_block(const struct ledger *ledger, uint64_t offset, const void *data, size_t bytes);

/* The slot of the newest valid note, or -1. */
int ledger_newest_note(const struct ledger *ledger);

#endif
