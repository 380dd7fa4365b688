/* SPDX-License-Identifier: Apache-2.0 */
/* Closing a log: log.h. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/limit.h"
#include "base/path.h"
#include "burstlog.h"
#include "device/open.h"
#include "log/hand_over.h"
#include "log/log.h"
#include "log/log_window.h"
#include "log/segments.h"
#include "ring/leader.h"
#include "ring/progress.h"
#include "rolling/rolling.h"

#define ROLL_PAUSE_NS 10000000
#define LETTING_GO_SHARE 4 /* a quarter of the time for closing is kept for letting go of files */

/* The log file gets nothing that the copy lacks: nobody waits for a copy that never began. */
static int may_come(struct copier *copy) {
    return copy == NULL || copier_has_begun(copy);
}

/* Drains as much as the time allows. Waits for a caller that performs a roll, but for no file that cannot be
 * written. */
static void drain_rest(burst_t *log) {
    struct engine *engine = log->engine;
    struct event_count *answered = &engine->ring->drain;
    int stalls = 0;
    if (!engine_drains_here(engine)) {
        engine_step(engine, 1); /* the records are another process's: a look at how far it is */
        engine_note_end(engine);
        return;
    }
    drainer_end_absent_wait(&engine->drainer);
    while (!drain_is_done(engine->drainer.drain) && stalls < 2 && may_come(engine->copy) &&
           platform_monotonic_ns(&platform_linux) < atomic_load(&log->give_up_ns)) {
        const uint32_t ticket = event_count_register(answered);
        const int rc = engine_step(engine, 1);
        if (rc == -EINPROGRESS || rc == 0) { /* 0: the rest waits for the copy */
            event_count_wait(answered, &platform_linux, ticket, ROLL_PAUSE_NS);
        } else {
            event_count_leave(answered);
            stalls += rc < 0;
        }
    }
    engine_note_end(engine);
    if (engine->copy != NULL) {
        copier_end(engine->copy);
    }
}

void log_let_go(void *argument) {
    burst_t *log = argument;
    atomic_store(&log->close_step, CLOSE_COMMIT);
    worker_join(&log->threads.committer);
    ring_quiesce(log->ring);
    progress_end(log->ring);
    atomic_store(&log->close_step, CLOSE_DRAIN);
    drain_rest(log);
    atomic_store(&log->close_step, CLOSE_RELEASE);
    log_fill_stats(log, &log->last_stats);
    stream_keep_figures(log);
    stages_keep(log->stages);
    users_end(&log->users, &log->engine->keeper.drained);
    recorder_end(&log->recorder);
    stages_forget(log->stages);
    log_window_close(log);
    log->device->image_in_use = ring_has_failed(log->ring);
    engine_detach_ring(log->engine);
    engine_close(log->engine);
    log->engine = NULL;
    device_close(log->device);
    hand_over_end(log);
    log_window_free(log);
    events_close(&log->events);
    atomic_store(&log->closed, 1);
}

static const char *what_hangs(const burst_t *log) {
    switch (atomic_load(&log->close_step)) {
    case CLOSE_COMMIT:
        return "the medium of the ring has not answered, or a thread is in the middle of a record";
    case CLOSE_RELEASE:
        return "the kernel has not let go of ring and log file, or a call that looks at them has not returned";
    default:
        return "a write or sync of the log file, or the checkpoint of it in the ring, has not returned";
    }
}

/* Rounds to three digits, since the caller may give the rest of a longer time. */
static int64_t roughly(int64_t ns) {
    int64_t unit = 1;
    while (ns / unit >= 1000) {
        unit *= 10;
    }
    return (ns + unit / 2) / unit * unit;
}

/* The time is over: the drain finishes the close without the caller. */
static int64_t leave_it(burst_t *log, int64_t timeout_ns) {
    uint64_t durable, next_sequence;
    char waiting[64] = "all accepted records are durable";
    ring_durable(log->ring, &durable, &next_sequence);
    const uint64_t count = ring_next_sequence(log->ring) - next_sequence;
    if (count > 0) {
        snprintf(waiting, sizeof waiting, "%llu accepted records are not durable yet", (unsigned long long)count);
    }
    worker_leave(&log->threads.drain);
    return error_set(EINPROGRESS,
                     "the log on ring %s could not be closed within %s: %s; %s. The close goes on "
                     "by itself; until it has ended, or the process has, the ring cannot be opened again",
                     log->ring->path, error_time(roughly(timeout_ns)), what_hangs(log), waiting);
}

static int64_t close_log(burst_t *log, int64_t timeout_ns) {
    const int alive = log_check_alive(log);
    if (alive < 0) {
        return alive;
    }
    if (!users_begin_close(&log->users)) {
        return error_set(ESHUTDOWN, "the log on ring %s is closed", log->ring->path);
    }
    struct limit limit = limit_of(timeout_ns);
    const int64_t left_ns = limit_left_ns(&limit, &platform_linux);
    atomic_store(&log->give_up_ns, left_ns < 0 ? INT64_MAX : limit.deadline_ns - left_ns / LETTING_GO_SHARE);
    engine_give_up_at(log->engine, atomic_load(&log->give_up_ns));
    ring_refuse(log->ring);
    segments_stop(log);
    tidier_stop(&log->tidying.tidier);
    threads_stop(&log->threads);
    if (!worker_await_end(&log->threads.drain, &limit)) {
        return leave_it(log, timeout_ns);
    }
    worker_join(&log->threads.drain);
    recorder_await_end(&log->recorder, &limit);
    segments_await_end(log, &limit);
    tidier_await_end(&log->tidying.tidier, &limit);
    for (burst_stream_t *stream = atomic_load(&log->streams); stream != NULL; stream = stream->next) {
        rolling_await_end(stream->rolling, &limit);
    }
    if (log->last_stats.accepted_sequence > log->last_stats.durable_sequence) {
        return error_set(EIO, "ring %s has failed: %s", log->ring->path, log->ring->failure);
    }
    return log->last_stats.durable_sequence - log->last_stats.drained_sequence;
}

int64_t burst_close_within(burst_t *log, int64_t timeout_ns) {
    const int before = cancel_hold();
    const int64_t rc = close_log(log, timeout_ns);
    cancel_restore(before);
    return rc;
}

int64_t burst_close(burst_t *log) {
    return burst_close_within(log, log->shutdown_timeout_ns);
}

void log_explain_busy(const burst_t *logs, const char *ring_path) {
    char path[BURST_PATH_BYTES];
    if (path_absolute(ring_path, path, sizeof path) < 0) {
        return;
    }
    for (const burst_t *log = logs; log != NULL; log = log->next) {
        if (users_are_closing(&log->users) && !atomic_load(&log->closed) && strcmp(log->ring->path, path) == 0) {
            error_set(EBUSY,
                      "ring %s is still held by this process, whose close of it has not ended: %s; open it again when "
                      "that has passed, or after the process has ended",
                      path, what_hangs(log));
        }
    }
}
