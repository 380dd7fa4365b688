/* SPDX-License-Identifier: Apache-2.0 */
/* What a burst_t is: an engine, its threads, and how long callers may use them. */
#ifndef BURST_LOG_H
#define BURST_LOG_H

#include "device/survival.h"
#include "engine.h"
#include "threads.h"

/*
 * Appends touch only the ring's control block, which outlives close: a closed ring refuses claims, so its image is
 * touched by nobody once the last commit is over (that of a failed ring, which nobody waits for, stays mapped). Slower
 * calls enter and leave, and close waits for them. A closed handle is never freed (some 40 KiB, one mapping): a late caller
 * gets -ESHUTDOWN, not a crash.
 */
struct burst {
    struct ring *ring;
    struct engine *engine; /* NULL when closed; guarded by `users` */
    struct device *device;
    struct log_threads threads;
    struct events events;
    struct stages *stages; /* never freed, as the ring */
    int64_t shutdown_timeout_ns;
    uint32_t survives;
    struct survival file_survives;
    char durability[1024]; /* burst_durability_statement */
    uint32_t destination_was_empty;
    _Atomic uint32_t closing;
    _Atomic uint32_t closed; /* last_stats and last_file are there */
    _Atomic uint32_t users;
    uint64_t provably_lost;
    char statement[1024];
    burst_stats_t last_stats; /* of a closed log */
    char last_file[BURST_PATH_BYTES];
    struct burst *next;       /* every handle ever opened, so that none counts as leaked */
};

/* Between these the engine stays. 0 or -ESHUTDOWN with a sentence. */
int log_enter(burst_t *log);
/* -EOWNERDEAD with a sentence in a forked child: it has neither our threads nor our image, and must wait for nothing. */
int log_check_alive(const burst_t *log);
void log_leave(burst_t *log);

/* Fills everything but struct_bytes. The caller has entered, or is the one who closes. */
void log_fill_stats(const burst_t *log, burst_stats_t *stats);

#endif
