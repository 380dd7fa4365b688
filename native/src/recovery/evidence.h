/* SPDX-License-Identifier: Apache-2.0 */
/* What whole headers anywhere on the medium prove, wherever the log itself can be followed to. */
#ifndef BURST_RECOVERY_EVIDENCE_H
#define BURST_RECOVERY_EVIDENCE_H

#include "media/record.h"
#include "recovery/recovery.h"

struct evidence {
    uint64_t durable_position; /* the provable watermark: the highest W in any header or checkpoint */
    uint64_t durable_sequence; /* of the first record at or after it */
    uint32_t epoch_highest;
    uint32_t epoch_of_markers; /* the highest of a whole marker */
    const struct record_header **markers; /* the valid ones, by position */
    size_t marker_count;
    size_t marker_room;
};

/* Reads every header in the window of one capacity from the newest checkpoint on. 0, or with a sentence -ENOMEM, or -EUCLEAN:
 * a record beyond the window proves that newer checkpoints were lost. */
int evidence_gather(const struct platform *platform, const struct recovery_input *input, struct evidence *evidence);

void evidence_free(const struct platform *platform, struct evidence *evidence);

/* Of the markers of an epoch above `epoch` that say the log ended at `position` the one of the highest epoch, if it lies
 * behind that position; else NULL. */
const struct record_header *evidence_marker_ending(const struct evidence *evidence, uint64_t position, uint32_t epoch);

/* The loss beginning at `position` that a marker behind it lists, of an epoch above `epoch`, or NULL. */
const struct marker_loss *evidence_known_loss(const struct evidence *evidence, uint64_t position, uint32_t epoch);

/*
 * Where the log goes on behind damage at `position`: the lowest valid record in (position, durable_position) that can
 * follow `epoch` and `sequence` and that no later record contradicts (a header of a higher epoch with the same or a
 * lower sequence: then it is a void record whose marker was lost too). durable_position if there is none.
 */
uint64_t evidence_resume(const struct evidence *evidence, const struct recovery_input *input, uint64_t position,
                         uint32_t epoch, uint64_t sequence, uint64_t window_end);

static inline const struct marker *marker_of(const struct record_header *header) {
    return (const struct marker *)(header + 1);
}

#endif
