/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Follows the rules of rolls whose stream nobody has open, or whose opener does not follow them: a roll that the next
 * open finds in the ring, and each roll in a process that drains without a configuration. The thread burst-tidy starts
 * with the first such roll.
 *
 * The tidier knows no drain: `struct tidier_host` stands for it.
 */
#ifndef BURST_ROLLING_TIDIER_H
#define BURST_ROLLING_TIDIER_H

#include "base/events.h"
#include "base/worker.h"
#include "media/checkpoint.h"
#include "rolling/files.h"

struct tidier_host {
    const char *ring; /* the ring's path, for sentences */
    struct events *events;
    /* Takes the rules of a roll that nobody has followed yet. Returns the id of its stream, or < 0 if there is none. */
    int (*next)(const struct tidier_host *host, struct outlet_rules *rules);
    /* A file of that stream is to stay plain for a while: `next` gives its rules again. */
    void (*put_back)(const struct tidier_host *host, int id);
};

/* Begins as zeros; it and its host stay until its thread has ended. */
struct tidier {
    const struct tidier_host *host;
    _Atomic uint32_t is_started;
    int told_rc;
    struct worker worker;
    struct event_count changed;
    struct outlet_rules rules; /* of the thread that runs it */
    struct rolling_files files;
};

/* Follows the rules of all rolls that nobody has followed. Returns how long until a file may be compressed, -1: none
 * waits. Posts a WARN event for what fails. Only one thread may call it, and not while burst-tidy runs. */
int64_t tidier_run(struct tidier *tidier);

/* A roll was performed: wakes the thread, and starts it first if there is none. Any thread may call it. */
void tidier_wake(struct tidier *tidier);

/* Asks the thread to end soon; the work that is left is done after the next roll or open. */
void tidier_stop(struct tidier *tidier);
void tidier_await_end(struct tidier *tidier, struct limit *limit);

#endif
