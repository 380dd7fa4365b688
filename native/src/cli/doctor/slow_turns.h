/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Appends, bare writes and loops that do nothing, in turns, by one thread. Around each it reads the counters of the thread
 * and of the drain; the readings lie outside of what is timed. It keeps the slowest of each kind with what was read.
 */
#ifndef BURST_CLI_DOCTOR_SLOW_TURNS_H
#define BURST_CLI_DOCTOR_SLOW_TURNS_H

#include <stddef.h>

#include "base/histogram.h"
#include "burstlog.h"
#include "cli/doctor/bare_write.h"
#include "cli/doctor/slow_owner.h"

#define SLOW_RECORD_BYTES 256u

enum slow_kind {
    SLOW_APPEND,
    SLOW_BARE,    /* a bare write of the block that the append wrote */
    SLOW_NOTHING, /* a loop that reads the clock for as long as an append takes */
};
#define SLOW_KINDS 3

struct slow_turns {
    struct histogram took[SLOW_KINDS];
    struct histogram before, write; /* of appends */
    struct slow_call typical[SLOW_KINDS];
    struct slow_call *kept[SLOW_KINDS];
    size_t kept_count[SLOW_KINDS];
    size_t kept_room[SLOW_KINDS];
    uint64_t preemptions; /* of this thread, when the last append had returned */
    int64_t limit_ns;     /* a call is kept that takes so much longer than a typical one */
};

/* Takes turns for so many seconds, after a first lap of the ring that is not counted. bare: NULL if the medium has no
 * bare write. Returns 0, or -errno with a sentence. The caller frees. */
int slow_turns_take(burst_t *log, struct bare_write *bare, double seconds, struct slow_turns *turns);
void slow_turns_free(struct slow_turns *turns);

/* Those beyond a percentile of the appends, by what held them up. */
struct slow_beyond {
    double percent;
    int64_t took_ns;                          /* the percentile; 0: so few appends do not have it */
    uint64_t counts[SLOW_KINDS][SLOW_CAUSES]; /* by the cause with the greatest share; bare writes and loops are slow
                                                    that took as much longer than typical as such an append */
    int64_t time_ns[SLOW_CAUSES];             /* that appends lost to each */
    uint64_t stages[SLOW_STAGES];             /* where appends lost the most */
    uint64_t appends;                         /* sum of their counts */
    double owners[SLOW_OWNERS];
};

void slow_turns_sum(const struct slow_turns *turns, double percent, struct slow_beyond *beyond);

#endif
