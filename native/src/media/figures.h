/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The figures that a log gives through its window: counts since it was opened, histograms, and its last event. No I/O.
 *
 * The log fills them only when a reader asks (window/protocol.h). Shared memory may be hostile: figures_tame makes a copy
 * safe to use.
 */
#ifndef BURST_MEDIA_FIGURES_H
#define BURST_MEDIA_FIGURES_H

#include <stdint.h>

#include "base/histogram.h"

#define FIGURES_STAGES 7u        /* by enum stage */
#define FIGURES_CONSUMERS 16u    /* more are not told */
#define FIGURES_NAME_BYTES 256u  /* with the terminator */
#define FIGURES_TEXT_BYTES 512u  /* with the terminator */
#define FIGURES_PATH_BYTES 4096u /* with the terminator */
#define FIGURES_COPY_BYTES 124u  /* with the terminator */

struct figures_consumer {
    char name[FIGURES_NAME_BYTES];
    uint64_t stream;          /* id of the stream whose segments it reads */
    uint64_t segments_behind; /* as in struct retention_consumer */
    uint64_t bytes_behind;
};

/* The log's second copy. */
struct figures_copy {
    uint32_t state; /* enum burst_copy_state; 0: the log has none */
    char name[FIGURES_COPY_BYTES];
    uint64_t sequence; /* its last record, with all before it but for those that are missing */
    uint64_t records_behind;
    uint64_t records_missing;
};

struct figures {
    uint32_t bytes;    /* sizeof(struct figures) in the log; another length is another version */
    uint32_t state;    /* enum burst_state */
    uint32_t survives; /* enum burst_durability */
    uint32_t io;       /* enum burst_io */
    int64_t time_ns;   /* CLOCK_REALTIME when they were filled */
    int64_t monotonic_ns;
    uint64_t pid;
    uint64_t accepted_sequence;
    uint64_t durable_sequence;
    uint64_t drained_sequence;
    uint64_t capacity_bytes;
    uint64_t claimed_position; /* end of the last record that has a place */
    uint64_t durable_position;
    uint64_t drained_position; /* all before it is durable in all log files */
    uint64_t commits;
    uint64_t device_writes;
    uint64_t device_bytes;
    uint64_t full_waits;
    uint64_t discarded;
    uint64_t lost_enqueued;
    uint64_t provably_lost; /* records that the open found lost */
    uint32_t epoch;         /* number of the open in the ring's life */
    uint32_t gaps;          /* ranges of the ring that the open found damaged or void */
    uint64_t events;        /* so many events were posted */
    int64_t event_ns;       /* CLOCK_REALTIME of the last one */
    uint32_t event_severity;
    uint32_t consumer_count;
    char event[FIGURES_TEXT_BYTES];
    char failure[FIGURES_TEXT_BYTES]; /* why the ring has failed; "": it has not */
    char ring[FIGURES_PATH_BYTES];    /* its path in the log's process */
    struct figures_consumer consumers[FIGURES_CONSUMERS];
    struct figures_copy copy;
    struct histogram stages[FIGURES_STAGES];
};

_Static_assert(sizeof(struct figures) % 8 == 0, "figures are copied in words");

/* Makes copied figures safe: all strings end, all counts are within their arrays, and no histogram leads out of its
 * buckets. Returns 1, or 0 if they are of another version, or none were ever filled. */
int figures_tame(struct figures *figures);

#endif
