/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream whose files the engine rolls by itself: when it rolls them, their names, and the work on rolled files.
 *
 * DESIGN. The appending thread looks whether the record would make the file too long, or whether the time has come: two
 * loads, and the clock if files are rolled by time. The first thread to find so takes `lock` and enqueues the roll. The
 * roll is a record in memory, which no crash can separate from the records behind it. This thread touches no file. The
 * thread burst-roll does all other work once the drain has passed the roll: it compresses and deletes, and looks
 * whether the roll was given up. Only for that it takes `lock`. A thread that finds `lock` taken does not roll, and
 * only burst_stream_roll waits for it.
 *
 * This room knows no stream, no ring and no drain: `struct rolling_host` stands for them.
 */
#ifndef BURST_ROLLING_ROLLING_H
#define BURST_ROLLING_ROLLING_H

#include "base/events.h"
#include "base/worker.h"
#include "outlet/file/file_outlet.h"
#include "rolling/files.h"

/* The drain's state of the file that it writes. */
struct rolling_state {
    uint64_t bytes, file_number;
    int64_t born_ns; /* 0: unknown */
};

/* The content of a roll record. Paths are absolute. */
struct rolling_roll {
    char target[BURST_PATH_BYTES]; /* the new name of the file that ends; "": it keeps its name */
    char next[BURST_PATH_BYTES];   /* the name of the file that begins; "": the name of the file that ends */
    int64_t next_time_ns;          /* the plan for the next roll, with next_file_bytes; both 0: none */
    uint64_t next_file_bytes;
};

/* The stream whose files are rolled. It stays as long as any thread may append to it. */
struct rolling_host {
    const char *ring; /* the ring's path, for sentences */
    struct events *events;
    /* Waits until the drain has passed that sequence. Returns 1 with *now; 0 if `worker` is to end first, or if the log
     * is gone. */
    int (*await_passed)(const struct rolling_host *host, uint64_t sequence, const struct worker *worker,
                        struct rolling_state *now);
    /* Enqueues a roll record. may_wait: waits for room in the ring without a limit. Returns its sequence, or <= 0 if
     * the ring did not accept it. */
    int64_t (*enqueue)(const struct rolling_host *host, const struct rolling_roll *roll, int64_t time_ns, int may_wait);
    /* Takes the rules of the newest roll that the drain has passed and nobody has followed. Returns 1, or 0 if there is
     * none, or if it has no rules, as those of older versions: then the configuration of the stream decides. */
    int (*take_rules)(const struct rolling_host *host, struct outlet_rules *rules);
    int is_tidied_elsewhere; /* whoever drains follows the rules of the rolls, and the configuration as they say it */
};

struct rolling {
    struct roller roller;           /* makes the outlet note when its file is to be rolled */
    char file[BURST_PATH_BYTES];    /* absolute path of the log file */
    char pattern[BURST_PATH_BYTES]; /* absolute path of rolled files, with its fields */
    struct rolling_files files;
    uint64_t size_bytes; /* UINT64_MAX: size does not matter */
    int64_t interval_s;  /* 0: time does not matter */

    /* These describe the file that gets the records appended now. */
    _Atomic uint64_t bytes;   /* accepted for this file */
    _Atomic int64_t next_ns;  /* when to roll it; INT64_MAX: never */
    _Atomic int64_t quiet_ns; /* no roll for its length before this time */

    pthread_mutex_t lock; /* guards the fields below, and all changes but additions to `bytes` */
    int64_t born_ns;
    uint64_t ending_bytes;        /* bytes of the file that the roll under way ends */
    _Atomic uint64_t file_number; /* number of this file once all rolls are performed */
    uint64_t next_index;          /* 0: not known yet */
    uint32_t takes_index;         /* 1: the roll under way gives the file that ends this index */
    _Atomic uint64_t rolled;      /* sequence of the last roll */

    _Atomic(const struct rolling_host *) host; /* NULL: the stream is not open yet */
    /* The drain has performed all rolls of earlier runs once it has passed this sequence. */
    uint64_t begins_after;
    /* 0: nothing is rolled yet, since names and figures are still those of earlier runs. */
    _Atomic uint32_t has_begun;
    struct worker worker;
    struct event_count changed;
    struct { /* of the worker alone */
        int has_rules;
        struct outlet_rules rules; /* of the newest roll */
        struct rolling_files files;
    } ruled;
};

/* Makes the rolling of a stream, with its waiting thread. max_record_bytes: the ring's limit; 0: so large that any roll fits. Returns 0, or
 * -errno with a sentence if a value cannot be used, or the thread cannot start. */
int rolling_create(const char *ring, const char *file, const burst_rolling_t *values, uint64_t max_record_bytes,
                   struct rolling **rolling);

/* Destroys the rolling of a stream that no caller got. NULL: does nothing. */
void rolling_destroy(struct rolling *rolling);

/* The stream is open; its records up to `begins_after` may hold rolls of an earlier run. now NULL: the drain has not
 * passed these records, and files are rolled once it has. */
void rolling_open(struct rolling *rolling, const struct rolling_host *host, uint64_t begins_after,
                  const struct rolling_state *now);

/* Asks the thread to end soon. NULL: does nothing. */
void rolling_stop(struct rolling *rolling);
void rolling_await_end(struct rolling *rolling, struct limit *limit);

/* Rolls the file if a record of this length makes that due. may_wait: whether the roll, as the record, may wait for
 * room in the ring. */
void rolling_roll_if_due(struct rolling *rolling, size_t length, int may_wait);

/* The ring has accepted a record of this length for the file. */
static inline void rolling_count(struct rolling *rolling, size_t length) {
    atomic_fetch_add_explicit(&rolling->bytes, length, memory_order_relaxed);
}

/* Adds to the rules of a roll what is done with rolled files. The pattern stays as long as the rolling does. */
void rolling_rules(const struct rolling *rolling, struct roll_rules *rules);

/*
 * Begins a roll that somebody asked for: fills the fields that it leaves open. Returns 0 with the lock held until
 * rolling_end_roll; or -errno with a sentence if nobody knows the next name, if rolls of an earlier run come first, or
 * if another thread rolls the file and the caller may not wait for it. rolling_end_roll gets the sequence of the roll
 * record, or 0 if the ring did not accept it.
 */
int rolling_begin_roll(struct rolling *rolling, struct rolling_roll *roll, int64_t time_ns, int may_wait);
void rolling_end_roll(struct rolling *rolling, uint64_t sequence, int64_t time_ns);

#endif
