/* SPDX-License-Identifier: Apache-2.0 */
/* A burst_t: an engine, its threads, and how long callers may use them. */
#ifndef BURST_LOG_H
#define BURST_LOG_H

#include <pthread.h>

#include "base/limit.h"
#include "base/worker.h"
#include "burstlog.h"
#include "log/engine.h"
#include "log/threads.h"
#include "log/users.h"
#include "ring/append.h"
#include "rolling/rolling.h"

enum stream_refusal {
    STREAM_IS_ABSENT, /* the main stream of a ring that was opened without one */
    STREAM_TAKES_RECORDS,
    STREAM_ROLLS, /* takes them, and each may roll its file */
    STREAM_IS_CLOSED,
};

struct roll_slot;    /* log/roll_slot.h */
struct retention;    /* consume/retention.h */
struct stream_names; /* log/stream_names.h */

/* Never freed, as the log: a late caller gets -ESHUTDOWN. Appends touch it and the ring's control block only. */
struct burst_stream {
    struct ring *ring;
    struct ring_rule rule; /* of the calls that name none */
    uint16_t id;
    _Atomic uint32_t refusal;   /* enum stream_refusal */
    _Atomic uint64_t discarded; /* records */
    burst_t *log;
    struct roll_slot *rolls; /* NULL: the engine performs its rolls */
    struct rolling *rolling; /* NULL: nobody rolls it unasked */
    struct rolling_host rolling_host;
    struct retention *retention; /* of its segments; NULL: it has none */
    struct stream_names *names;  /* NULL: it has none to keep others from */
    _Atomic uint32_t is_kept;    /* the next two are there, once and for all: the stream is closed, or its log */
    burst_stream_stats_t last_stats;
    char last_file[BURST_PATH_BYTES];
    burst_stream_t *next;          /* of the same log */
    struct engine_call letting_go; /* of its log file, asked for by its close */
};

/*
 * Appends touch only the ring's control block, which outlives close: a closed ring refuses claims, so its image is
 * touched by nobody once the last commit is over (that of a failed ring, which nobody waits for, stays mapped). Slower
 * calls enter and leave, and the engine waits for them before it goes. A closed handle is never freed (some 40 KiB, one
 * mapping): a late caller gets -ESHUTDOWN, not a crash.
 *
 * Closing: burst_close refuses whatever comes (users.h) and waits, within its limit; the drain, which may hang in the
 * kernel, does the rest, and owns all that it needs for it until it is done (`closed`), whoever still waits by then.
 */
struct burst {
    struct ring *ring;
    struct burst_stream main;          /* its room; one of `streams` if it was opened */
    _Atomic(burst_stream_t *) streams; /* that were opened */
    pthread_mutex_t names_lock;        /* of the next one */
    struct stream_names *names;        /* of all open streams */
    uint32_t durability_asked;         /* enum burst_durability */
    struct engine *engine;             /* NULL when closed; guarded by `users` */
    struct device *device;
    struct log_threads threads;
    struct { /* the thread burst-segments: log/segments.h */
        _Atomic uint32_t is_started;
        struct worker worker;
        struct event_count changed;
    } segments;
    struct events events;
    struct stages *stages; /* never freed, as the ring */
    int64_t shutdown_timeout_ns;
    _Atomic uint32_t survives;
    char durability[1024];       /* burst_durability_statement */
    _Atomic int64_t give_up_ns;  /* of the drain, once it is closing */
    _Atomic uint32_t closed;     /* ring and log file are let go of */
    _Atomic uint32_t close_step; /* enum close_step */
    struct log_users users;      /* once nobody enters any more last_stats and the stages' counts are kept */
    uint64_t provably_lost;
    char statement[1024];
    burst_stats_t last_stats; /* of a closed log */
    struct burst *next;       /* list of every handle ever opened, so that no leak checker counts one as leaked */
};

/* An unfinished close waits for this. */
enum close_step {
    CLOSE_DRAIN_STEP, /* the end of the drain's step that was under way */
    CLOSE_COMMIT,     /* what was accepted becomes durable in the ring */
    CLOSE_DRAIN,      /* the rest goes to the log file */
    CLOSE_RELEASE,    /* callers leave; files and memory are let go of */
};

/* Between log_enter or log_look and log_leave the engine stays. 0 or -ESHUTDOWN with a sentence: log_enter, which is
 * for those who wait, once the log is being closed; log_look once it has left its last figures. */
static inline int log_enter(burst_t *log) {
    return users_enter(&log->users, log->ring);
}

static inline int log_look(burst_t *log) {
    return users_look(&log->users, log->ring);
}

static inline void log_leave(burst_t *log) {
    users_leave(&log->users);
}

/* -EOWNERDEAD with a sentence in a forked child, else 0. A child has neither threads nor image, and must not wait. */
int log_check_alive(const burst_t *log);

/* Fills everything but struct_bytes. The caller has entered, or is the one who closes. */
void log_fill_stats(const burst_t *log, burst_stats_t *stats);

/* burst_await_drained, of what `is_drained` says: it is asked whether all up to a sequence is. */
int log_await_drained(burst_t *log, int (*is_drained)(const void *argument, uint64_t sequence), const void *argument,
                      int64_t timeout_ns);

/* Waits until a call that the engine was asked for was run, of which this says so. 1, or 0: the time is over, or the log is being
 * closed. The caller has entered. */
int log_await_call(burst_t *log, const _Atomic uint32_t *was_run, struct limit *limit);

/* 0, or -errno with a sentence: the stream takes no records. */
int stream_check(const burst_stream_t *stream);

/* Counts a record that was dropped: `sequence` is what its append returns, and so does this. */
int64_t stream_count(burst_stream_t *stream, int64_t sequence);

/* What the drain says of the stream; all zero if it is absent. The caller has entered, or is the one who closes. */
void stream_get_figures(const burst_stream_t *stream, struct drain_figures *figures);

/* Leaves the last figures of all streams: the engine is about to go. */
void stream_keep_figures(burst_t *log);

/* The drain calls it in the end (threads_start); `log` is a burst_t. */
void log_let_go(void *log);

/* After an open was refused with -EBUSY: adds to its sentence if an unfinished close of this process holds the ring. */
void log_explain_busy(const burst_t *logs, const char *ring_path);

#endif
