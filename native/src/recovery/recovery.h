/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recovery: finds the log that an image of the ring proves. It reads the image, changes nothing and does no I/O, so
 * running it again gives the same answer.
 */
#ifndef BURST_RECOVERY_RECOVERY_H
#define BURST_RECOVERY_RECOVERY_H

#include <stddef.h>

#include "base/platform.h"
#include "recovery/input.h"

struct recovery_jump {
    struct walk_gap gap;
    int fresh;          /* this recovery found it, or only a marker outside the log lists it */
    uint64_t listed_at; /* position of the marker that lists the loss; 0: no marker does */
};

/* How many records of the log wait for which kind of destination. Recovery itself knows no destinations. */
struct recovery_waiting {
    int is_known;      /* the caller has counted; 0: all records go to the log file */
    uint64_t any;      /* records that wait for at least one destination */
    uint64_t files;    /* records that wait for a log file or a log device */
    uint64_t segments; /* records that wait for a folder of segments */
};

struct recovery {
    struct recovery_waiting waiting;
    uint64_t start;          /* first position not drained */
    uint64_t first_sequence; /* sequence of the first record at or behind `start` */
    uint64_t log_end;        /* end of the log; unused markers behind it do not count */
    uint64_t next_sequence;
    uint64_t durable_position; /* the watermark that the medium proves; <= log_end */
    uint64_t durable_sequence; /* sequence of the first record at or behind durable_position */
    uint32_t epoch_highest;    /* highest epoch of anything on the medium */
    int closed;                /* the log that ends here was closed, and not opened since */
    uint64_t records;          /* records of the log from `start` on */
    uint64_t longest;          /* length of the longest of their payloads */
    uint64_t streams;          /* a bit for each stream that has one of them, by its id */
    int has_foreign_stream;    /* a record has a stream with an id of LAYOUT_STREAMS_MAX or above */
    uint64_t lost;             /* records that are provably missing, known before or fresh */
    /* Unreadable blocks at the end of the log, which may hold records that nothing else mentions; hidden_to 0: none do. */
    uint64_t hidden_from;
    uint64_t hidden_to;
    uint64_t marker_position; /* the place of the next epoch's marker: marker_first_position, or one block on */
    uint64_t marker_first_position;
    struct recovery_jump *jumps;
    size_t jump_count;
    size_t jump_room;
    const struct platform *platform;
};

/* Runs a recovery. Returns 0, or with a sentence -ENOMEM, or -EUCLEAN if the checkpoints are older than the records or
 * if no writer makes such bytes. The caller calls recovery_free() in each case. */
int recovery_run(const struct platform *platform, const struct recovery_input *input, struct recovery *recovery);

void recovery_free(struct recovery *recovery);

/* Adds a jump behind all earlier ones. Returns 0, or -ENOMEM with a sentence. */
int recovery_add_jump(struct recovery *recovery, const struct recovery_jump *jump);

/* Fills the payload of the marker that opens `epoch` on the recovered log. Returns its length in bytes. */
uint32_t recovery_make_marker(const struct recovery *recovery, uint32_t epoch, int64_t opened_ns,
                              struct marker *marker);

/* Says for people what was found. The sentence never claims that no record is lost. */
void recovery_statement(const struct recovery *recovery, char *text, size_t text_bytes);

#endif
