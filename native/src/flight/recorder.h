/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The flight recorder of a log: a thread that writes a line each second.
 *
 * DESIGN. Its disk may hang or be full, and nothing may wait for it then. So it has a thread of its own, which no other
 * thread waits for but the close, and that only RECORDER_PATIENCE_NS. The drain and the commit must not wait for a disk that
 * they do not write, and the door's thread has readers that wait. The thread opens the file, too: an open can hang as well.
 * It asks its host for figures and events and knows no engine, so each process that keeps a log can have one. It syncs
 * nothing: a line in the page cache outlives the process, and a loss of power costs the last half minute. The first failure
 * ends it, with one WARN.
 */
#ifndef BURST_FLIGHT_RECORDER_H
#define BURST_FLIGHT_RECORDER_H

#include "base/events.h"
#include "base/limit.h"
#include "base/worker.h"
#include "flight/file.h"
#include "media/figures.h"

#define RECORDER_PERIOD_NS 1000000000
#define RECORDER_PATIENCE_NS 500000000 /* longest wait of a close for the last line */
#define RECORDER_PATH_BYTES 4096u

struct recorder_host {
    const struct platform *platform;
    struct events *events;
    /* Fills figures. Returns 1; 0 if the log has been closed, and these are its last. Only the recorder's thread calls it. */
    int (*fill)(void *log, struct figures *figures);
    void *log;
};

/* Begins as zeros. It must outlive its thread, which may never end. */
struct recorder {
    struct recorder_host host;
    char path[RECORDER_PATH_BYTES];
    char ring[RECORDER_PATH_BYTES];
    uint8_t uuid[16];
    uint32_t mode;
    struct worker worker;
    struct event_count changed;
    int is_started;
};

/* Starts the thread, after path, ring, uuid and mode were set. If it cannot start, a WARN tells. */
void recorder_start(struct recorder *recorder, const struct recorder_host *host);

/* The log has been closed: makes the thread write its last line and end. Does not wait. Without a thread it does nothing. */
void recorder_end(struct recorder *recorder);

/* Waits for the end of the thread, at most RECORDER_PATIENCE_NS and within the limit. */
void recorder_await_end(struct recorder *recorder, struct limit *limit);

#endif
