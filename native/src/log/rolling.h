/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream whose files the engine rolls by itself: when, to which names, and what is done with them afterwards.
 *
 * DESIGN. The thread that appends looks whether the record would make the file too long, or whether the time has come: two
 * loads, and the clock if files are rolled by time. The first one that finds so takes `lock`, which nobody waits for but
 * burst_stream_roll, and enqueues the roll (log/roll.c): a record in memory, which no crash can part from those behind it. It
 * touches no file. All else is done by the thread burst-roll, once the drain has passed the roll: it compresses and deletes, and
 * sees whether the roll was given up. Only then it takes `lock`: who finds that taken does not roll.
 */
#ifndef BURST_LOG_ROLLING_H
#define BURST_LOG_ROLLING_H

#include "base/worker.h"
#include "log/rolling_files.h"
#include "outlet/file/file_outlet.h"

struct rolling {
    struct roller roller;        /* has the outlet note when its file is to be rolled */
    char file[BURST_PATH_BYTES]; /* the log file, absolute */
    struct rolling_files files;
    uint64_t size_bytes; /* UINT64_MAX: not by size */
    int64_t interval_s;  /* 0: not by time */

    /* Of the file that gets what is appended now. */
    _Atomic uint64_t bytes;   /* accepted for it */
    _Atomic int64_t next_ns;  /* it is to be rolled then; INT64_MAX: at no time */
    _Atomic int64_t quiet_ns; /* and not before, for its length */

    pthread_mutex_t lock; /* of what follows, and of all changes but additions to `bytes` */
    int64_t born_ns;
    _Atomic uint64_t file_number; /* once all rolls are performed */
    uint64_t next_index;          /* 0: not known yet */
    _Atomic uint64_t rolled;      /* the sequence of the last roll */

    _Atomic(burst_stream_t *) stream; /* NULL: it is not open yet */
    uint64_t begins_after;            /* all rolls of earlier runs are behind the drain once this sequence is */
    _Atomic uint32_t has_begun;       /* else nothing is rolled: names and figures are those of earlier runs */
    struct worker worker;
    struct event_count changed;
};

/* What the drain says of the file. */
struct rolling_start {
    uint64_t bytes, file_number;
    int64_t born_ns;
};

/* With its thread, which waits. max_record_bytes: of the ring, 0: it is large. 0, or -errno with a sentence: a value cannot
 * be used, or there is no thread. */
int rolling_create(const char *ring, const char *file, const burst_rolling_t *given, uint64_t max_record_bytes,
                   void (*loop)(void *rolling), struct rolling **rolling);

/* Of a stream that is not open yet. NULL: nothing. */
void rolling_destroy(struct rolling *rolling);

/* Of a stream that is not open yet, and that the drain may ask as long as the log is open: its thread ends, and it stays. NULL: nothing. */
void rolling_leave(struct rolling *rolling);

/* From now on files are rolled: none waits any more that an earlier run has rolled. */
void rolling_begin(struct rolling *rolling, const struct rolling_start *start);

/* Ends the thread soon, and waits for that within the limit. NULL: nothing. */
void rolling_stop(struct rolling *rolling);
void rolling_await_end(struct rolling *rolling, struct limit *limit);

/* Whether the file is to be rolled before a record of this length. */
int rolling_is_due(const struct rolling *rolling, size_t length);

/* When a file that is born then is to be rolled; 0: at no time. */
int64_t rolling_next_ns(const struct rolling *rolling, int64_t born_ns);

/* Under the lock: the path of the file that ends. 0, or -errno with a sentence: which is the next is not known, as the folder
 * could not be read when it began, nor now. */
int rolling_take_name(struct rolling *rolling, char *path, size_t path_bytes);

/* Under the lock: the file goes on, and is rolled again later. */
void rolling_put_off(struct rolling *rolling);

/* Under the lock: the roll was accepted, after so many bytes. Those that came since are counted for the next file, although some
 * may be in this one: better than a file that is taken for empty. */
void rolling_rolled(struct rolling *rolling, uint64_t sequence, uint64_t bytes, int64_t born_ns);

/* All rolls up to that sequence are behind the drain, which now writes the file `now`: if one was given up, the file is rolled
 * again later. */
void rolling_passed(struct rolling *rolling, uint64_t sequence, const struct rolling_start *now);

#endif
