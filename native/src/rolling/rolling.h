/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream whose files the engine rolls by itself: when, to which names, and what is done with them afterwards.
 *
 * DESIGN. The thread that appends looks whether the record would make the file too long, or whether the time has come: two
 * loads, and the clock if files are rolled by time. The first one that finds so takes `lock`, which nobody waits for but
 * burst_stream_roll, and enqueues the roll: a record in memory, which no crash can part from those behind it. It
 * touches no file. All else is done by the thread burst-roll, once the drain has passed the roll: it compresses and deletes, and
 * sees whether the roll was given up. Only then it takes `lock`: who finds that taken does not roll.
 *
 * This room knows no stream, no ring and no drain: `struct rolling_host` says what they do.
 */
#ifndef BURST_ROLLING_ROLLING_H
#define BURST_ROLLING_ROLLING_H

#include "base/events.h"
#include "base/worker.h"
#include "outlet/file/file_outlet.h"
#include "rolling/files.h"

/* What the drain says of the file that it writes. */
struct rolling_state {
    uint64_t bytes, file_number;
    int64_t born_ns; /* 0: that is not known */
};

/* What the record of a roll says; paths are absolute. */
struct rolling_roll {
    char target[BURST_PATH_BYTES]; /* the name that the file gets which ends; "": it keeps its own */
    char next[BURST_PATH_BYTES];   /* of the file that begins; "": that of the file which ends */
    int64_t next_time_ns;          /* of the roll to come, as next_file_bytes; both 0: none is planned */
    uint64_t next_file_bytes;
};

/* The stream whose files are rolled. It stays as long as anybody may append to it. */
struct rolling_host {
    const char *ring; /* its path, for sentences */
    struct events *events;
    /* Waits until the drain has passed that sequence. 1 with *now; 0: `worker` is to end first, or the log is gone. */
    int (*await_passed)(const struct rolling_host *host, uint64_t sequence, const struct worker *worker,
                        struct rolling_state *now);
    /* Enqueues the record of a roll; may_wait: for room in the ring, however long. > 0: its sequence; else it was not accepted. */
    int64_t (*enqueue)(const struct rolling_host *host, const struct rolling_roll *roll, int64_t time_ns, int may_wait);
};

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
    uint64_t ending_bytes;        /* of the file that the roll under way ends */
    _Atomic uint64_t file_number; /* once all rolls are performed */
    uint64_t next_index;          /* 0: not known yet */
    _Atomic uint64_t rolled;      /* the sequence of the last roll */

    _Atomic(const struct rolling_host *) host; /* NULL: the stream is not open yet */
    uint64_t begins_after;      /* all rolls of earlier runs are behind the drain once this sequence is */
    _Atomic uint32_t has_begun; /* else nothing is rolled: names and figures are those of earlier runs */
    struct worker worker;
    struct event_count changed;
};

/* With its thread, which waits. max_record_bytes: of the ring, 0: it is large. 0, or -errno with a sentence: a value cannot
 * be used, or there is no thread. */
int rolling_create(const char *ring, const char *file, const burst_rolling_t *values, uint64_t max_record_bytes,
                   struct rolling **rolling);

/* Of a stream that is not open yet. NULL: nothing. */
void rolling_destroy(struct rolling *rolling);

/* Of a stream that is not open yet, and that the drain may ask as long as the log is open: its thread ends, and it stays. NULL: nothing. */
void rolling_leave(struct rolling *rolling);

/* The stream is open, and its records up to `begins_after` may hold rolls of an earlier run. now NULL: the drain has not passed
 * those; files are rolled once it has. */
void rolling_open(struct rolling *rolling, const struct rolling_host *host, uint64_t begins_after,
                  const struct rolling_state *now);

/* Ends the thread soon, and waits for that within the limit. NULL: nothing. */
void rolling_stop(struct rolling *rolling);
void rolling_await_end(struct rolling *rolling, struct limit *limit);

/* Before a record of this length: has the file rolled if that is due. may_wait: as the record may, for room in the ring. */
void rolling_roll_if_due(struct rolling *rolling, size_t length, int may_wait);

/* A record of this length was accepted for the file. */
static inline void rolling_count(struct rolling *rolling, size_t length) {
    atomic_fetch_add_explicit(&rolling->bytes, length, memory_order_relaxed);
}

/*
 * Around a roll that somebody asks for: completes what it does not say of the files. 0 with the lock held until rolling_end_roll, or
 * -errno with a sentence: which name is the next is not known, or rolls of an earlier run come first. `sequence`: that of the roll;
 * 0: it was not accepted.
 */
int rolling_begin_roll(struct rolling *rolling, struct rolling_roll *roll, int64_t time_ns);
void rolling_end_roll(struct rolling *rolling, uint64_t sequence, int64_t time_ns);

#endif
