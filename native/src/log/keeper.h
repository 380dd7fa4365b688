/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The keeper: the part of the engine's periodic work that stays with the ring, whoever drains it. It writes the notes,
 * looks after the medium, tells a failure, and gives space back as the slots say.
 *
 * The drain tells it when it has written a checkpoint. How much space that frees is not taken from this word: the keeper
 * looks at both slots (slot_watch.h).
 *
 * Only one thread at a time may call these functions.
 */
#ifndef BURST_LOG_KEEPER_H
#define BURST_LOG_KEEPER_H

#include "base/event_count.h"
#include "ledger/notes.h"
#include "ledger/slot_watch.h"
#include "log/copier.h"
#include "recovery/recovery.h"
#include "ring/ring.h"

struct keeper_parts {
    const struct platform *platform;
    struct device *device;
    struct events *events;
    struct ring *ring;               /* begun; outlives the keeper */
    struct notes *notes;             /* outlives the keeper */
    const struct recovery *recovery; /* of the log before this epoch; outlives the keeper */
    int reads_slots;                 /* keeper_hear_noted may get no checkpoints */
    struct copier *copy;             /* NULL: the log has no second copy. Outlives the keeper */
};

struct keeper {
    struct keeper_parts parts;
    struct slot_watch slots;
    /* Notified when a stream's drained sequence moves, or cannot move, and when a request was done. */
    struct event_count drained;
    uint64_t progress; /* drain_progress at the last notification */
    /* Writes to the fixed head that failed, in a row; the first of them failed the ring. */
    _Atomic uint32_t failed_writes;
    _Atomic uint32_t is_cut_off; /* drain_is_cut_off */
    int failure_noted;           /* a note says how far the writes of the failed ring may have reached */
    int name_lost;               /* the ring has lost its name, and the operator knows */
    uint64_t stalled_at;         /* the watermark when the drain last stalled */
    uint64_t watermark_noted;    /* the watermark that was noted then */
    int64_t failure_told_ns;     /* 0: the ring has not failed */
    int64_t failed_since_ns;
};

/* `checkpoints` were just read, and are level. Returns 0, or -ENOMEM with a sentence. */
int keeper_begin(struct keeper *keeper, const struct keeper_parts *parts, const struct checkpoints *checkpoints);
void keeper_end(struct keeper *keeper);

/* Before a step of the drain: looks after medium, failure and space. Returns the watermark that the step sees at
 * least. */
uint64_t keeper_begin_step(struct keeper *keeper);

/* Behind it, with its result and drain_is_cut_off. */
void keeper_end_step(struct keeper *keeper, uint64_t durable, int rc, int is_cut_off);

/* The drain tells these, as in struct drain_host. checkpoints: those of the drain of this process; NULL: the slots are
 * read from the medium. progress: drain_progress. */
void keeper_hear_noted(struct keeper *keeper, const struct checkpoints *checkpoints, uint64_t progress);
/* The slots were just read. */
void keeper_hear_looked(struct keeper *keeper, uint64_t progress);
void keeper_hear_failed(struct keeper *keeper, int rc);
int keeper_hear_unreadable(struct keeper *keeper);
int keeper_awaits_space(const struct keeper *keeper);

/* Finds out what others have done to the medium, and fails the ring if needed. An append does not look: it only
 * writes. */
void keeper_check_medium(struct keeper *keeper);

/* Notes the watermark in the ring. After a failure of the ring also notes how far its writes may have reached. Returns
 * 0, or -errno: the ring has then failed. */
int keeper_note(struct keeper *keeper);

/* Writes the last note: it says that the log is closed, unless the ring has failed. is_drained: the checkpoints say all
 * that the note would. */
void keeper_note_end(struct keeper *keeper, int is_drained);

#endif
