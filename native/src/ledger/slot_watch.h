/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's look at the checkpoint slots: how much space the drain has let go of. No word of the drain counts, only
 * what stands in both slots.
 *
 * The drain may be another process, which may be writing a slot at this moment, or may have died in the middle. A torn
 * slot says nothing: what its last whole checkpoint said holds on. A slot that went back says nothing either: an older
 * drain wrote it, which did not know that it has a successor. So the space that was let go of never shrinks, and is
 * never more than each of the two slots has proved.
 *
 * Only one thread at a time may call these functions.
 */
#ifndef BURST_LEDGER_SLOT_WATCH_H
#define BURST_LEDGER_SLOT_WATCH_H

#include "ledger/checkpoints.h"

/* The newest whole checkpoint that a slot had. */
struct slot_seen {
    uint64_t generation;
    uint64_t least; /* the least drained position over all its streams */
};

struct slot_watch {
    const struct platform *platform;
    struct device *device;
    uint32_t crc_seed;
    uint64_t capacity_bytes;
    struct slot_seen seen[LAYOUT_CHECKPOINT_SLOTS];
    uint8_t *bytes;                         /* room for a slot; NULL: it does not read the medium */
    uint8_t *kept[LAYOUT_CHECKPOINT_SLOTS]; /* the checkpoints of `seen`, unless `bytes` is NULL */
};

/* Begins with slots that were just read, and are level. reads: it will read the medium, for which it needs memory now,
 * since a log that runs allocates none. Returns 0, or -ENOMEM with a sentence. */
int slot_watch_begin(struct slot_watch *watch, const struct checkpoints *checkpoints, int reads);
void slot_watch_end(struct slot_watch *watch);

/* Reads both slots from the medium. Returns 0; or the error of the medium, with a sentence: what was known
 * holds on. */
int slot_watch_look(struct slot_watch *watch);

/* Takes over what the drain of this process has surely written, without a read of the medium. */
void slot_watch_take(struct slot_watch *watch, const struct checkpoints *checkpoints);

/* Whether both slots name the stream: then its records have a destination, whichever slot the next open finds.
 * checkpoints: of the drain of this process; NULL: the medium is read. */
int slot_watch_names(struct slot_watch *watch, const struct checkpoints *checkpoints, uint16_t id);

/* No stream needs the log before this position any more, whichever slot the next open finds. */
uint64_t slot_watch_released(const struct slot_watch *watch);

/* For one that reads the medium: the older of the two checkpoints. The write of the newer one may not be durable yet. */
const uint8_t *slot_watch_surely(const struct slot_watch *watch);

/* For one that reads the medium: the sequence of the first record that the stream may not have drained, whichever slot the
 * next open finds; 0: not both name the stream. */
uint64_t slot_watch_next_sequence(const struct slot_watch *watch, uint16_t id);

/* The least drained position in the newest checkpoint. */
uint64_t slot_watch_drained(const struct slot_watch *watch);

#endif
