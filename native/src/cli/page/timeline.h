/* SPDX-License-Identifier: Apache-2.0 */
/* A flight recorder's last day as columns of equal time, and what happened in it. No I/O. */
#ifndef BURST_CLI_PAGE_TIMELINE_H
#define BURST_CLI_PAGE_TIMELINE_H

#include "flight/file.h"

#define TIMELINE_COLUMNS 480u
#define TIMELINE_SLOWEST 10u
#define TIMELINE_NOTES 4096u
#define TIMELINE_NOTE_BYTES 640u

struct timeline_column {
    double seconds; /* that lines tell of; 0: the log was not open, or stood still */
    uint64_t records;
    uint64_t full_waits;
    uint64_t max_ns;
    uint64_t p99_ns;   /* of the worst second */
    unsigned fill_ppm; /* highest fill of the ring */
    uint64_t latency[FLIGHT_BUCKETS];
};

/* Something that happened at one time. */
struct timeline_note {
    int64_t time_ns;
    unsigned severity; /* enum burst_severity */
    unsigned is_break; /* an open, a close, a death, a loss, a step of the clock: marked in the charts */
    char text[TIMELINE_NOTE_BYTES];
};

struct timeline {
    int64_t from_ns, to_ns; /* in the time of the newest line's clock */
    unsigned columns;       /* 0: there are no lines */
    double column_seconds;
    struct timeline_column column[TIMELINE_COLUMNS];
    const struct flight_line *slowest[TIMELINE_SLOWEST];
    unsigned slowest_count;
    const struct flight_line *last;
    uint64_t lost; /* since the last open, and by its recovery */
    uint64_t all[FLIGHT_BUCKETS];
    uint64_t all_max_ns;
    struct timeline_note *notes; /* in order of time */
    size_t note_count;
};

/* Makes the timeline of at most the last 24 hours of the lines. A step of the clock moves no line: times are counted back from
 * the newest line. Returns 0, or -ENOMEM. The log must outlast the timeline. */
int timeline_make(const struct flight_log *log, struct timeline *timeline);
void timeline_free(struct timeline *timeline);

/* The time up to which that share of the counts lies: the end of its bucket. 0: there are no counts. */
uint64_t timeline_percentile(const uint64_t counts[FLIGHT_BUCKETS], double share);

#endif
