/* SPDX-License-Identifier: Apache-2.0 */
/* A burst_t: an engine, its threads, and the calls that use it. */
#ifndef BURST_LOG_H
#define BURST_LOG_H

#include <pthread.h>

#include "base/limit.h"
#include "base/worker.h"
#include "burstlog.h"
#include "flight/recorder.h"
#include "log/engine.h"
#include "log/threads.h"
#include "log/users.h"
#include "ring/append.h"
#include "rolling/rolling.h"
#include "rolling/tidier.h"
#include "window/door.h"

enum stream_refusal {
    STREAM_IS_ABSENT, /* the main stream of a ring that was opened without one */
    STREAM_TAKES_RECORDS,
    STREAM_ROLLS, /* takes records, and each append may roll its file */
    STREAM_IS_CLOSED,
};

struct roll_slot;    /* log/roll_slot.h */
struct retention;    /* consume/retention.h */
struct stream_names; /* log/stream_names.h */
struct hand_over;    /* log/hand_over.h */

/* Never freed, like the log: a late caller gets -ESHUTDOWN. Appends touch only this struct and the ring's control
 * block. */
struct burst_stream {
    struct ring *ring;
    struct ring_rule rule; /* for calls without a rule of their own */
    struct ring_stream in_ring;
    _Atomic uint32_t refusal;   /* enum stream_refusal */
    _Atomic uint64_t discarded; /* number of dropped records */
    burst_t *log;
    struct roll_slot *rolls;       /* NULL: the engine performs the stream's rolls */
    struct rolling *rolling;       /* NULL: the stream does not roll by itself */
    struct roll_rules_head rights; /* the rules of its rolls, as far as they are about new files */
    struct rolling_host rolling_host;
    struct retention *retention; /* of its segments; NULL: it has none */
    struct stream_names *names;  /* NULL: it has no names that others must not take */
    _Atomic uint32_t is_kept;    /* the stream or its log is closed, and the next two are its last figures */
    burst_stream_stats_t last_stats;
    char last_file[BURST_PATH_BYTES];
    burst_stream_t *next;          /* the next stream of the same log */
    struct request_ticket request; /* which opened it; the main stream has none */
};

/*
 * Appends touch only the ring's control block, which outlives the close. A closed ring refuses claims, so no thread
 * touches its image after the last commit. (The image of a failed ring stays mapped, since nobody waits for its last
 * commit.) Slower calls enter and leave, and the engine goes only after they have left. A closed handle is never freed
 * (some 50 KiB, one mapping), so that a late caller gets -ESHUTDOWN and no crash.
 *
 * Closing: burst_close refuses all new calls (users.h), and waits within its limit. The drain, which may hang in the
 * kernel, does the rest. It owns everything it needs for that until it is done (`closed`), even if no caller waits any
 * longer.
 */
struct burst {
    struct ring *ring;
    uint8_t uuid[16];                  /* the ring's */
    struct burst_stream main;          /* room for the main stream; one of `streams` if it was opened */
    _Atomic(burst_stream_t *) streams; /* all streams that were opened */
    pthread_mutex_t names_lock;        /* guards `names`, and what is added to `streams` */
    struct stream_names *names;        /* names of all open streams */
    uint32_t durability_asked;         /* enum burst_durability */
    int is_external;                   /* BURST_DRAIN_EXTERNAL */
    struct engine *engine;             /* NULL when closed; guarded by `users` */
    struct device *device;
    struct log_threads threads;
    struct { /* the thread burst-segments: log/segments.h */
        _Atomic uint32_t is_started;
        struct worker worker;
        struct event_count changed;
    } segments;
    struct { /* the thread burst-tidy: log/tidying.h */
        _Atomic uint32_t is_ready, is_wanted;
        struct tidier_host host;
        struct tidier tidier;
    } tidying;
    struct { /* what readers of other processes see: log/log_window.h */
        struct window_memory memory;
        struct door *door; /* NULL: there is none */
    } window;
    struct hand_over *hand_over; /* NULL: the open has not come so far, or the log is closed */
    struct recorder recorder;
    struct events events;
    struct stages *stages; /* never freed, like the ring */
    int64_t shutdown_timeout_ns;
    _Atomic uint32_t survives;
    char durability[1024];       /* burst_durability_statement */
    _Atomic int64_t give_up_ns;  /* when the drain gives up, in a closing log */
    _Atomic uint32_t closed;     /* the drain has let go of ring and log file */
    _Atomic uint32_t close_step; /* enum close_step */
    struct log_users users;      /* after the last call has left, last_stats and the counts of the stages are final */
    uint64_t provably_lost;
    uint32_t gaps; /* ranges of the ring that recovery found damaged or void */
    char statement[1024];
    burst_stats_t last_stats; /* valid in a closed log */
    /* Next handle in the list of all that were ever opened: no leak checker then counts one as leaked. */
    struct burst *next;
};

/* The step at which an unfinished close waits. */
enum close_step {
    CLOSE_DRAIN_STEP, /* the drain's step under way ends */
    CLOSE_COMMIT,     /* accepted records become durable in the ring */
    CLOSE_DRAIN,      /* the remaining records go to the log file */
    CLOSE_RELEASE,    /* calls leave; files and memory are let go of */
};

/* The engine stays between log_enter or log_look and log_leave. They return 0, or -ESHUTDOWN with a sentence. log_enter
 * is for calls that wait, and fails once the log is being closed. log_look fails once the log has left its last
 * figures. */
static inline int log_enter(burst_t *log) {
    return users_enter(&log->users, log->ring);
}

static inline int log_look(burst_t *log) {
    return users_look(&log->users, log->ring);
}

static inline void log_leave(burst_t *log) {
    users_leave(&log->users);
}

/* Returns -EOWNERDEAD with a sentence in a forked child, else 0. A child has neither threads nor image, and must not
 * wait. */
int log_check_alive(const burst_t *log);

/* Fills everything but struct_bytes. The caller has entered, or closes the log. */
void log_fill_stats(const burst_t *log, burst_stats_t *stats);

/* burst_await_drained for a log or a stream: is_drained tells whether all records up to a sequence are drained. */
int log_await_drained(burst_t *log, int (*is_drained)(const void *argument, uint64_t sequence), const void *argument,
                      int64_t timeout_ns);

/* burst_is_drained for a log or a stream. */
int log_is_drained(burst_t *log, int (*is_drained)(const void *argument, uint64_t sequence), const void *argument,
                   uint64_t sequence);

/* Waits for the answer to a request. Returns NULL if the time is over or the log is being closed. The caller has
 * entered. */
const struct stream_answer *log_await_answer(burst_t *log, const struct request_ticket *ticket, struct limit *limit);

/* Returns 0, or -errno with a sentence if the stream takes no records. */
int stream_check(const burst_stream_t *stream);

/* Counts the record if it was dropped. `sequence` is the result of its append, and is returned. */
int64_t stream_count(burst_stream_t *stream, int64_t sequence);

/* The drain's figures of the stream; all zero if it is absent. The caller has entered, or closes the log. */
void stream_get_figures(const burst_stream_t *stream, struct drain_figures *figures);

/* Keeps the last figures of all streams, since the engine is about to go. */
void stream_keep_figures(burst_t *log);

/* The drain calls this at its end (threads_start); `log` is a burst_t. */
void log_let_go(void *log);

/* After an open was refused with -EBUSY: adds to the sentence if an unfinished close of this process holds the ring. */
void log_explain_busy(const burst_t *logs, const char *ring_path);

#endif
