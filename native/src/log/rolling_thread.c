/* SPDX-License-Identifier: Apache-2.0 */
/* What comes after a roll: nobody waits for it. */
#include "log/rolling_thread.h"

#include <errno.h>

#include "base/error.h"

#define PATIENCE_AT_START_NS 2000000000 /* with what waits for the file */

/* 0: the log is gone. */
static int look(const burst_stream_t *stream, struct drain_figures *figures) {
    const int rc = log_look(stream->log);
    if (rc == 0) {
        drain_get_figures(stream->log->engine->drain, stream->id, figures);
        log_leave(stream->log);
    }
    return rc == 0;
}

static struct rolling_start start_of(const struct drain_figures *figures) {
    return (struct rolling_start){
        .bytes = figures->length, .file_number = figures->file_number, .born_ns = figures->file_born_ns};
}

/* Waits until the drain has passed all rolls up to that one. 0: the stream is closed before. */
static int await_passed(const struct rolling *rolling, const burst_stream_t *stream, uint64_t sequence,
                        struct drain_figures *figures) {
    if (log_look(stream->log) < 0) {
        return 0;
    }
    struct event_count *drained = &stream->log->engine->drained;
    for (;;) {
        const uint32_t ticket = event_count_register(drained);
        drain_get_figures(stream->log->engine->drain, stream->id, figures);
        const int is_passed = figures->drained_sequence >= sequence;
        if (is_passed || worker_is_stopped(&rolling->worker)) {
            event_count_leave(drained);
            log_leave(stream->log);
            return is_passed;
        }
        event_count_wait(drained, &platform_linux, ticket, -1);
    }
}

static int tidy(struct rolling *rolling, const burst_stream_t *stream, int told_rc) {
    const int rc = rolling_files_tidy(&rolling->files, platform_realtime_ns(&platform_linux));
    if (rc < 0 && rc != told_rc) {
        events_post(&stream->log->events, EVENT_WARN, "after a roll of log file %s: %s", rolling->file, error_text());
    }
    return rc;
}

/* Waits for a roll that is not tidied up after. NULL: it is stopped. */
static const burst_stream_t *await_roll(struct rolling *rolling, uint64_t tidied) {
    for (;;) {
        const uint32_t ticket = event_count_register(&rolling->changed);
        const burst_stream_t *stream = atomic_load(&rolling->stream);
        const int is_stopped = worker_is_stopped(&rolling->worker);
        if (is_stopped || (stream != NULL && atomic_load(&rolling->rolled) != tidied)) {
            event_count_leave(&rolling->changed);
            return is_stopped ? NULL : stream;
        }
        event_count_wait(&rolling->changed, &platform_linux, ticket, -1);
    }
}

static void begin_late(struct rolling *rolling, const burst_stream_t *stream) {
    struct drain_figures figures = {.length = 0};
    if (await_passed(rolling, stream, rolling->begins_after, &figures)) {
        const struct rolling_start start = start_of(&figures);
        rolling_begin(rolling, &start);
    }
}

void rolling_loop(void *argument) {
    struct rolling *rolling = argument;
    const burst_stream_t *stream;
    struct drain_figures figures = {.length = 0};
    uint64_t tidied = UINT64_MAX; /* up to that roll; not even what was there before the first */
    int told_rc = 0;
    worker_step_back();
    while ((stream = await_roll(rolling, tidied)) != NULL) {
        const uint64_t rolled = atomic_load(&rolling->rolled);
        if (!atomic_load(&rolling->has_begun)) {
            begin_late(rolling, stream);
        } else if (await_passed(rolling, stream, rolled, &figures)) {
            const struct rolling_start now = start_of(&figures);
            rolling_passed(rolling, rolled, &now);
            told_rc = tidy(rolling, stream, told_rc);
            tidied = rolled;
        }
    }
}

void rolling_begin_stream(struct rolling *rolling, burst_stream_t *stream) {
    struct drain_figures figures = {.length = 0};
    if (rolling == NULL) {
        return;
    }
    rolling->begins_after = ring_next_sequence(stream->ring) - 1;
    if (burst_stream_await_drained(stream, PATIENCE_AT_START_NS) == 1 && look(stream, &figures)) {
        const struct rolling_start start = start_of(&figures);
        rolling_begin(rolling, &start);
    }
    atomic_store(&rolling->stream, stream);
    worker_leave(&rolling->worker);
    event_count_notify(&rolling->changed, &platform_linux);
}
