/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which things of an ordered list stay: rolled files, segments. Their owners list them, ask for each, from the newest one on, and delete
 * what goes, the oldest one first.
 *
 * A thing is beyond the limits if it is too old, or if it and the newer ones are too many or have too many bytes. A thing that nobody
 * needs may go sooner: once the newer ones have enough bytes, and it is old enough.
 */
#ifndef BURST_BASE_KEEP_H
#define BURST_BASE_KEEP_H

#include <stdint.h>

struct keep_limits {
    uint64_t count, bytes; /* UINT64_MAX: any number */
    int64_t age_ns;        /* INT64_MAX: any age */
};

struct keep_rule {
    struct keep_limits limits;
    /* What nobody needs stays until both are over; 0: that is over at once. */
    uint64_t least_bytes;
    int64_t least_ns;
    int in_order; /* none goes before all older ones: so one that is too old may stay, and counts among the newer ones */
};

enum keep_need {
    KEEP_FREE,   /* nobody needs it */
    KEEP_NEEDED, /* it goes beyond the limits only */
    KEEP_ALWAYS,
};

struct keep_thing {
    uint64_t bytes;
    int64_t changed_ns;
    enum keep_need need;
};

struct keep_sum {
    uint64_t count, bytes;
};

/* `newer` begins as zeros: of what was asked for so far. */
struct keep {
    const struct keep_rule *rule;
    int64_t now_ns;
    struct keep_sum newer;
};

/* Whether the next thing, from the newest one on, goes. */
int keep_goes(struct keep *keep, const struct keep_thing *thing);

/* Whether a thing of that age is beyond the limits, if it and the newer ones have that sum. */
int keep_is_beyond(const struct keep_limits *limits, const struct keep_sum *sum, int64_t age_ns);

#endif
