/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/page/timeline.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "burstlog.h"

#define SECOND_NS 1000000000ll
#define DAY_NS (86400 * SECOND_NS)
#define STEP_NS (2 * SECOND_NS)       /* a clock that is off by more has stepped */
#define STOOD_STILL_US (5 * 1000000u) /* a line that took longer */

static void note(struct timeline *timeline, int64_t time_ns, unsigned severity, unsigned is_break, const char *format,
                 ...) __attribute__((format(printf, 5, 6)));

static void note(struct timeline *timeline, int64_t time_ns, unsigned severity, unsigned is_break, const char *format,
                 ...) {
    if (timeline->note_count == TIMELINE_NOTES) {
        return;
    }
    struct timeline_note *const added = &timeline->notes[timeline->note_count++];
    *added = (struct timeline_note){.time_ns = time_ns, .severity = severity, .is_break = is_break};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(added->text, sizeof added->text, format, arguments);
    va_end(arguments);
}

/* Times of the lines, counted back from the newest: within an open by the clock that does not step. */
static int64_t *count_back(const struct flight_log *log) {
    int64_t *const times = calloc(log->line_count + 1, sizeof *times);
    if (times == NULL || log->line_count == 0) {
        return times;
    }
    const struct flight_line *const lines = log->lines;
    int64_t at = lines[log->line_count - 1].time_ns;
    at = at < DAY_NS ? DAY_NS : at > INT64_MAX / 2 ? INT64_MAX / 2 : at; /* hostile */
    for (size_t i = log->line_count; i-- > 0;) {
        times[i] = at;
        if (i > 0 && lines[i].epoch == lines[i - 1].epoch && lines[i].kind != FLIGHT_OPEN) {
            at -= lines[i].elapsed_us * 1000ll;
        } else if (i > 0) {
            int64_t between;
            const int is_odd = __builtin_sub_overflow(lines[i].time_ns, lines[i - 1].time_ns, &between);
            at -= is_odd || between < 0 ? 0 : between < 2 * DAY_NS ? between : 2 * DAY_NS;
        }
        at = at < 0 ? 0 : at;
    }
    return times;
}

static void add_line(struct timeline *timeline, const struct flight_line *line, int64_t time_ns) {
    const double from = (double)(time_ns - timeline->from_ns) / 1e9;
    unsigned at = (unsigned)(from / timeline->column_seconds);
    at = at < timeline->columns ? at : timeline->columns - 1;
    struct timeline_column *const column = &timeline->column[at];
    const double fill = line->capacity_bytes == 0 ? 0 : 1e6 * (double)line->used_bytes / (double)line->capacity_bytes;
    const unsigned ppm = fill >= 1e6 ? 1000000 : (unsigned)fill;
    column->seconds += line->elapsed_us > STOOD_STILL_US ? 1 : line->elapsed_us / 1e6;
    column->records += line->records;
    column->full_waits += line->full_waits;
    column->max_ns = line->max_ns > column->max_ns ? line->max_ns : column->max_ns;
    column->p99_ns = line->p99_ns > column->p99_ns ? line->p99_ns : column->p99_ns;
    column->fill_ppm = ppm > column->fill_ppm ? ppm : column->fill_ppm;
    timeline->all_max_ns = line->max_ns > timeline->all_max_ns ? line->max_ns : timeline->all_max_ns;
    for (unsigned bucket = 0; bucket < FLIGHT_BUCKETS; bucket++) {
        column->latency[bucket] += flight_count(line->latency[bucket]);
        timeline->all[bucket] += flight_count(line->latency[bucket]);
    }
}

/* Keeps the slowest ones, the slowest first. */
static void add_slowest(struct timeline *timeline, const struct flight_line *line) {
    unsigned at = timeline->slowest_count;
    while (at > 0 && timeline->slowest[at - 1]->slowest_ns < line->slowest_ns) {
        at--;
    }
    if (line->slowest_ns == 0 || at == TIMELINE_SLOWEST) {
        return;
    }
    timeline->slowest_count += timeline->slowest_count < TIMELINE_SLOWEST;
    for (unsigned i = timeline->slowest_count - 1; i > at; i--) {
        timeline->slowest[i] = timeline->slowest[i - 1];
    }
    timeline->slowest[at] = line;
}

static void note_line(struct timeline *timeline, const struct flight_line *before, const struct flight_line *line,
                      int64_t time_ns, int64_t before_ns) {
    if (line->kind == FLIGHT_OPEN) {
        if (before != NULL && before->kind != FLIGHT_CLOSE) {
            note(timeline, before_ns, BURST_ERROR, 1, "the last line of open %u, which ended without a close",
                 before->epoch);
        }
        note(timeline, time_ns,
             line->lost > 0   ? BURST_ERROR
             : line->gaps > 0 ? BURST_WARN
                              : BURST_INFO,
             1, "open %u: durable to %llu, in all files to %llu; recovery found %u records lost, and %u gaps",
             line->epoch, (unsigned long long)line->durable_sequence, (unsigned long long)line->drained_sequence,
             line->lost, line->gaps);
    } else if (line->kind == FLIGHT_CLOSE) {
        note(timeline, time_ns, BURST_INFO, 1, "open %u was closed: durable to %llu, in all files to %llu", line->epoch,
             (unsigned long long)line->durable_sequence, (unsigned long long)line->drained_sequence);
    }
    if (line->kind != FLIGHT_OPEN && line->lost > 0) {
        note(timeline, time_ns, BURST_ERROR, 1, "%u enqueued records were lost", line->lost);
    }
    if (line->kind != FLIGHT_OPEN && before != NULL && before->epoch == line->epoch) {
        int64_t off;
        if (__builtin_sub_overflow(line->time_ns, before->time_ns, &off) ||
            __builtin_sub_overflow(off, line->elapsed_us * 1000ll, &off) || off > STEP_NS || off < -STEP_NS) {
            note(timeline, time_ns, BURST_WARN, 1, "the clock stepped by %.1f s", (double)off / 1e9);
        }
        if (line->elapsed_us > STOOD_STILL_US) {
            note(timeline, time_ns, BURST_WARN, 1, "no line for %.1f s: the process or its host stood still",
                 line->elapsed_us / 1e6);
        }
    }
}

static void sum_losses(struct timeline *timeline, const struct flight_line *line) {
    timeline->lost = line->kind == FLIGHT_OPEN ? line->lost : timeline->lost + line->lost;
}

static int by_time(const void *left, const void *right) {
    const int64_t a = ((const struct timeline_note *)left)->time_ns, b = ((const struct timeline_note *)right)->time_ns;
    return (a > b) - (a < b);
}

static void add_lines(struct timeline *timeline, const struct flight_log *log, const int64_t *times, size_t first) {
    const double span = (double)(timeline->to_ns - timeline->from_ns) / 1e9 + 1;
    timeline->columns = span < TIMELINE_COLUMNS ? (unsigned)span : TIMELINE_COLUMNS;
    timeline->column_seconds = span / timeline->columns;
    for (size_t i = first; i < log->line_count; i++) {
        const struct flight_line *const line = &log->lines[i];
        add_line(timeline, line, times[i]);
        add_slowest(timeline, line);
        sum_losses(timeline, line);
        note_line(timeline, i == 0 ? NULL : line - 1, line, times[i], i == 0 ? 0 : times[i - 1]);
    }
}

int timeline_make(const struct flight_log *log, struct timeline *timeline) {
    memset(timeline, 0, sizeof *timeline);
    timeline->notes = calloc(TIMELINE_NOTES, sizeof *timeline->notes);
    int64_t *const times = count_back(log);
    if (timeline->notes == NULL || times == NULL) {
        free(times);
        return -ENOMEM;
    }
    size_t first = 0;
    if (log->line_count > 0) {
        timeline->last = &log->lines[log->line_count - 1];
        timeline->to_ns = times[log->line_count - 1];
        while (times[first] < timeline->to_ns - DAY_NS) {
            first++;
        }
        timeline->from_ns = times[first];
        add_lines(timeline, log, times, first);
    }
    free(times);
    for (size_t i = 0; i < log->event_count; i++) {
        const struct flight_event *const event = &log->events[i];
        note(timeline, event->time_ns, event->severity, 0, "%s", event->text);
    }
    qsort(timeline->notes, timeline->note_count, sizeof *timeline->notes, by_time);
    return 0;
}

void timeline_free(struct timeline *timeline) {
    free(timeline->notes);
    timeline->notes = NULL;
}

uint64_t timeline_percentile(const uint64_t counts[FLIGHT_BUCKETS], double share) {
    uint64_t all = 0, seen = 0;
    for (unsigned bucket = 0; bucket < FLIGHT_BUCKETS; bucket++) {
        all += counts[bucket];
    }
    for (unsigned bucket = 0; all > 0 && bucket < FLIGHT_BUCKETS; bucket++) {
        seen += counts[bucket];
        if ((double)seen >= share * (double)all * (1 - 0x1p-40)) {
            return flight_bucket_begin(bucket + 1);
        }
    }
    return 0;
}
