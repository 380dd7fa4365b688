/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which things of an ordered list stay: rolled files, or segments. The owner of a list asks for each thing, from the
 * newest on, then deletes those that go, the oldest first.
 *
 * A thing is beyond the limits if it is too old, or if it and the newer ones are too many or have too many bytes. A
 * thing that nobody needs may go sooner: once it is old enough and the newer ones have enough bytes.
 */
#ifndef BURST_BASE_KEEP_H
#define BURST_BASE_KEEP_H

#include <stdint.h>
#include <time.h>

struct keep_limits {
    uint64_t count, bytes; /* UINT64_MAX: any number */
    int64_t age_ns;        /* INT64_MAX: any age */
};

struct keep_rule {
    struct keep_limits limits;
    /* Things that nobody needs stay until both minimums are passed. 0: that minimum is always passed. */
    uint64_t least_bytes;
    int64_t least_ns;
    /* 1: a thing goes only after all older ones. So one that is too old may stay, and then counts among the newer ones. */
    int in_order;
};

enum keep_need {
    KEEP_FREE,   /* nobody needs the thing */
    KEEP_NEEDED, /* the thing goes only when it is beyond the limits */
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

/* The time of a change, for `changed_ns`. One before 1970 counts as 1970, and one too late for the type as the latest. */
int64_t keep_time_ns(const struct timespec *changed);

/* `newer` begins as zeros. It adds up the things asked for so far. */
struct keep {
    const struct keep_rule *rule;
    int64_t now_ns;
    struct keep_sum newer;
};

/* Whether the next thing goes. The caller asks from the newest thing on. */
int keep_goes(struct keep *keep, const struct keep_thing *thing);

/* Whether a thing of that age is beyond the limits. `sum` adds it up with the newer ones. */
int keep_is_beyond(const struct keep_limits *limits, const struct keep_sum *sum, int64_t age_ns);

#endif
