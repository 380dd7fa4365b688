/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery: from an image of the ring as the medium holds it to the log that it proves. Reads the image, changes
 * nothing, does no I/O: running it again gives the same answer.
 */
#ifndef BURST_RECOVERY_RECOVERY_H
#define BURST_RECOVERY_RECOVERY_H

#include <stddef.h>

#include "base/platform.h"
#include "recovery/input.h"

struct recovery_jump {
    struct walk_gap gap;
    int fresh;          /* found by this recovery, or known only to a marker that is not in the log */
    uint64_t listed_at; /* of a known loss: position of the marker that lists it */
};

/* Records of the log, by where they go and are not yet: recovery itself knows no destinations. */
struct recovery_waiting {
    int is_known;      /* somebody has counted; else all go to the log file */
    uint64_t any;      /* that wait for one destination or more */
    uint64_t files;    /* for a log file or log device */
    uint64_t segments; /* for a folder of segments */
};

struct recovery {
    struct recovery_waiting waiting;
    uint64_t start;          /* first position not drained */
    uint64_t first_sequence; /* of the first record at or after it */
    uint64_t log_end;        /* X: unused markers behind it do not count */
    uint64_t next_sequence;
    uint64_t durable_position; /* W that the medium proves; <= log_end */
    uint64_t durable_sequence; /* of the first record at or after it */
    uint32_t epoch_highest;    /* of anything on the medium */
    int closed;                /* the log that ends here was closed, and nobody has opened it since */
    uint64_t records;          /* present */
    uint64_t longest;          /* payload of any of them, bytes */
    uint64_t streams;          /* a bit for the stream of each of them, by its id */
    int has_foreign_stream;    /* of one of them: its id is LAYOUT_STREAMS_MAX or above */
    uint64_t lost;             /* provably missing, known before or fresh */
    uint64_t
        hidden_from;    /* what stands there, at the end of the log, cannot be read, and may be records that nothing */
    uint64_t hidden_to; /* else knows of. 0: no such place */
    uint64_t marker_position; /* where the marker of the next epoch belongs: at marker_first_position or a block on */
    uint64_t marker_first_position;
    struct recovery_jump *jumps;
    size_t jump_count;
    size_t jump_room;
    const struct platform *platform;
};

/* 0, or with a sentence -ENOMEM, or -EUCLEAN: the checkpoints are older than the records, or the bytes are such as no writer
 * makes. recovery_free() either way. */
int recovery_run(const struct platform *platform, const struct recovery_input *input, struct recovery *recovery);

void recovery_free(struct recovery *recovery);

/* Adds a jump; from must be above all earlier ones. 0 or -ENOMEM with a sentence. */
int recovery_add_jump(struct recovery *recovery, const struct recovery_jump *jump);

/* Fills the payload of the marker that opens `epoch` on what was recovered; returns its length in bytes. */
uint32_t recovery_make_marker(const struct recovery *recovery, uint32_t epoch, int64_t opened_ns,
                              struct marker *marker);

/* What was found, for people: never "none is lost". */
void recovery_statement(const struct recovery *recovery, char *text, size_t text_bytes);

#endif
