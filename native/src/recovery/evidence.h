/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that whole headers prove. They may stand anywhere on the medium, even where the log cannot be followed. */
#ifndef BURST_RECOVERY_EVIDENCE_H
#define BURST_RECOVERY_EVIDENCE_H

#include "recovery/record_map.h"
#include "recovery/record_run.h"

/* An epoch is a run or two. The records of later runs are judged again on the walk. */
#define EVIDENCE_RUNS 64u

/* A loss as a marker lists it. */
struct listed_loss {
    const struct marker_loss *loss;
    const struct record_header *marker;
};

struct evidence {
    const struct platform *platform;
    struct bounded_validation bounded_validation;
    uint64_t window_end;       /* records of the log lie below it */
    uint64_t durable_position; /* the watermark that is proved: the highest in the fixed head or in any header */
    uint64_t durable_sequence; /* sequence of the first record at or behind durable_position */
    uint32_t epoch_highest;
    uint32_t epoch_of_markers;            /* the highest epoch of a whole marker */
    const struct record_header **markers; /* the valid markers, sorted by the log_end that they name */
    size_t marker_count;
    size_t marker_room;
    struct listed_loss *losses; /* sorted by position */
    size_t loss_count;
    struct record_map map;                 /* of the window; made when the walk first meets damage */
    struct record_run runs[EVIDENCE_RUNS]; /* within the window, sorted by position */
    size_t run_count;
    size_t run_next; /* the walk has passed all runs before this one */
};

/* Reads each header in the window: one capacity from input->head.start on. Returns 0, or with a sentence -ENOMEM, or
 * -EUCLEAN if a record beyond the window proves that newer checkpoints were lost. The caller calls evidence_free() in
 * each case. */
int evidence_gather(const struct platform *platform, const struct recovery_input *input, struct evidence *evidence);

void evidence_free(struct evidence *evidence);

/* Finds the marker that says the log ended at `position`, with `sequence` as the next. Its epoch must be above `epoch`,
 * and it must lie behind `position`. If several do, returns the one with the highest epoch; if none does, NULL. */
const struct record_header *evidence_marker_ending(const struct evidence *evidence, uint64_t position, uint32_t epoch,
                                                   uint64_t sequence);

/* The loss that begins at `position`, as a marker behind it lists it. The marker's epoch must be above `epoch`. NULL if
 * there is none. */
const struct listed_loss *evidence_known_loss(const struct evidence *evidence, uint64_t position, uint32_t epoch);

/* The run that begins at `position`, or NULL. Ask for ever higher positions. */
const struct record_run *evidence_run_at(struct evidence *evidence, uint64_t position);

/* Whether a marker or a listed loss says something about a place inside the run, behind its first record. */
int evidence_speaks_within(const struct evidence *evidence, const struct record_run *run);

/*
 * Finds where the log goes on behind damage at `position`: the first record of the map in (position, durable_position)
 * that can follow `epoch` and `sequence`, or durable_position if there is none. Returns 0, or -ENOMEM with a sentence.
 */
int evidence_resume(struct evidence *evidence, uint64_t position, uint32_t epoch, uint64_t sequence, uint64_t *resume);

#endif
