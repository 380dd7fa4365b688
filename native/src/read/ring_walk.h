/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The walk of a reader along a ring, record by record.
 *
 * DESIGN. A record is copied first and believed afterwards: the floor must not have passed it, position and both CRCs
 * must be right, and all of it must lie below the watermark. No pointer into the ring leaves this file.
 */
#ifndef BURST_READ_RING_WALK_H
#define BURST_READ_RING_WALK_H

#include "read/sight.h"

struct ring_walk {
    const struct platform *platform;
    struct sight *sight;
    struct sight_place place;
    /* Behind the last record that is no marker. The next open may write over the marker of an epoch without a commit, and
     * then its records begin before `place`: the walk of another sight begins here. */
    struct sight_place settled;
    size_t gap; /* the next of sight->gaps */
    uint8_t *payload;
    size_t room;
};

enum {
    STEP_NONE,     /* nothing more is durable */
    STEP_RECORD,   /* a record of any type; the payload of a data record is in walk->payload if it was wanted */
    STEP_GAP,      /* a gap of the log */
    STEP_LAPPED,   /* the record was written over before it could be read */
    STEP_OUTDATED, /* only another sight can tell what is at the place */
};

struct ring_step {
    struct record_header header; /* STEP_RECORD */
    uint64_t position;           /* STEP_RECORD */
    const struct walk_gap *gap;  /* STEP_GAP; of the sight */
};

/* Returns 0, or -ENOMEM with a sentence. The sight is set later. */
int ring_walk_begin(struct ring_walk *walk, const struct platform *platform);

void ring_walk_end(struct ring_walk *walk);

/* Goes to a place of the log that the sight shows. */
void ring_walk_go(struct ring_walk *walk, const struct sight_place *place);

/* Whether the record at the place may be written over at any time. */
int ring_walk_is_lapped(const struct ring_walk *walk);

/* Moves over the next record or gap below the watermark. Returns one of the values above, or -errno with a sentence. */
int ring_walk_step(struct ring_walk *walk, int with_payload, struct ring_step *step);

/* Sets the sentence for a place where no whole record is. Returns -EUCLEAN. */
int ring_walk_damaged(const struct ring_walk *walk);

#endif
