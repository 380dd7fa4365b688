/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose is a slow append? Assigns the time by which a call took longer than the typical one to causes, from what was
 * read right before it and right behind it. No I/O, no clock.
 *
 * Each cause takes what it can explain of the time that is left, in the order of the table; the one with the most is the
 * call's owner. A thread without a core, or with a stopped one, is known to have been held up, wherever in the call it
 * was: so these come first. A slow write comes behind them, and the rest has lain outside the write.
 *
 * Two causes have a control. A core can be stopped by what no counter shows (an interrupt, the host of a virtual
 * machine): a loop that only reads the clock, in the same turns, meets that as often. And the medium is slow to the bare
 * write as well. Only what an append suffers beyond its control is Burstlog's.
 */
#ifndef BURST_CLI_DOCTOR_SLOW_OWNER_H
#define BURST_CLI_DOCTOR_SLOW_OWNER_H

#include <stdint.h>

/* Counters of the calling thread, and of the drain. */
struct slow_reading {
    int64_t wall_ns;
    int64_t cpu_ns;       /* time on a core; without stolen time, where the kernel knows it */
    int64_t queued_ns;    /* time without a core while it could have run; -1: unknown */
    int64_t drain_cpu_ns; /* the drain's time on a core */
    uint64_t sleeps;      /* voluntary switches */
    uint64_t preemptions; /* involuntary ones */
    uint64_t faults;      /* page faults */
    uint64_t full_waits;  /* appends that found the ring full */
};

/* One call. The write is that of the medium; before_ns is the time from the call to its begin. */
struct slow_call {
    int64_t took_ns;
    int64_t before_ns;
    int64_t write_ns;
    int64_t queued_ns;
    int64_t stopped_ns; /* it had the core, which was stopped: stolen */
    int64_t asleep_ns;  /* it waited for something: in the write, or elsewhere */
    int64_t drain_ns;   /* time of the drain on a core meanwhile */
    uint32_t faults;
    uint8_t waited_for_space;
    uint8_t drain_at_work; /* the drain was on a core meanwhile, or waits for its disk */
    uint8_t was_preempted; /* another thread had the core between the call before and this one */
};

enum slow_cause {
    SLOW_QUEUED,          /* another thread had the core */
    SLOW_QUEUED_BY_DRAIN, /* the drain had it, or may have had it */
    SLOW_STOPPED,         /* the host stopped the core */
    SLOW_SPACE,           /* the ring was full */
    SLOW_WRITE,           /* the medium's write */
    SLOW_WRITE_AND_DRAIN, /* the medium's write, while the drain was at work */
    SLOW_FAULT,           /* a page fault */
    SLOW_ASLEEP,          /* it slept outside the write */
    SLOW_COLD,            /* another thread had just had the core, and left cold caches */
    SLOW_UNSEEN,          /* it was on its core, outside the write, and no counter moved */
};
#define SLOW_CAUSES 10

enum slow_owner { OWNER_MACHINE, OWNER_MEDIUM, OWNER_OURS };
#define SLOW_OWNERS 3

enum slow_stage { SLOW_BEFORE_WRITE, SLOW_IN_WRITE, SLOW_BEHIND_WRITE };
#define SLOW_STAGES 3

/* The id of a cause ("queued"), and its words for a table. */
const char *slow_cause_id(enum slow_cause cause);
const char *slow_cause_words(enum slow_cause cause);
const char *slow_owner_name(enum slow_owner owner);
const char *slow_stage_name(enum slow_stage stage);

/* Fills what lies between two readings. Leaves the three times of the call, and was_preempted. */
void slow_between(const struct slow_reading *before, const struct slow_reading *after, struct slow_call *call);

/* Assigns the time beyond typical->took_ns. Returns the cause with the greatest share. */
enum slow_cause slow_assign(const struct slow_call *call, const struct slow_call *typical,
                            int64_t shares_ns[SLOW_CAUSES]);

/* The stage that took the most beyond its typical time. */
enum slow_stage slow_stage_of(const struct slow_call *call, const struct slow_call *typical);

/* The same of as many turns of a control. */
struct slow_control {
    double writes; /* slow writes that the bare write had */
    double unseen; /* stops that no counter showed, in as much time as appends spend outside their write */
};

/* Counts slow appends by owner. A part of a count may belong to each. */
void slow_divide(const uint64_t counts[SLOW_CAUSES], const struct slow_control *control, double owners[SLOW_OWNERS]);

#endif
