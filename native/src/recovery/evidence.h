/* SPDX-License-Identifier: Apache-2.0 */
/* What whole headers anywhere on the medium prove, wherever the log itself can be followed to. */
#ifndef BURST_RECOVERY_EVIDENCE_H
#define BURST_RECOVERY_EVIDENCE_H

#include "recovery/record_map.h"

/* A loss as a marker lists it. */
struct listed_loss {
    const struct marker_loss *loss;
    const struct record_header *marker;
};

struct evidence {
    const struct platform *platform;
    struct bounded_validation bounded_validation;
    uint64_t window_end;       /* nothing at or above it is of the log */
    uint64_t durable_position; /* the provable watermark: the highest that the head or any header says */
    uint64_t durable_sequence; /* of the first record at or after it */
    uint32_t epoch_highest;
    uint32_t epoch_of_markers;            /* the highest of a whole marker */
    const struct record_header **markers; /* the valid ones, by the log_end they name */
    size_t marker_count;
    size_t marker_room;
    struct listed_loss *losses; /* by where they begin */
    size_t loss_count;
    struct record_map map; /* of the window; made when damage is met for the first time */
};

/* Reads every header in the window of one capacity from input->head.start on. 0, or with a sentence -ENOMEM, or -EUCLEAN:
 * a record beyond the window proves that newer checkpoints were lost. evidence_free() either way. */
int evidence_gather(const struct platform *platform, const struct recovery_input *input, struct evidence *evidence);

void evidence_free(struct evidence *evidence);

/* Of the markers of an epoch above `epoch` and with `sequence` next that say the log ended at `position` the one of the
 * highest epoch, if it lies behind that position; else NULL. */
const struct record_header *evidence_marker_ending(const struct evidence *evidence, uint64_t position, uint32_t epoch,
                                                   uint64_t sequence);

/* The loss beginning at `position` that a marker behind it lists, of an epoch above `epoch`, or NULL. */
const struct listed_loss *evidence_known_loss(const struct evidence *evidence, uint64_t position, uint32_t epoch);

/*
 * Finds where the log goes on behind damage at `position`: the lowest record of the map in (position, durable_position)
 * that can follow `epoch` and `sequence`, or durable_position if there is none. 0 or -ENOMEM with a sentence.
 */
int evidence_resume(struct evidence *evidence, uint64_t position, uint32_t epoch, uint64_t sequence, uint64_t *resume);

#endif
