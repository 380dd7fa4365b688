/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of an open log. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "log/config.h"
#include "log/log.h"
#include "log/roll_slot.h"
#include "log/stream_names.h"

#define STATS_MOST_BYTES 4096 /* a larger value is garbage */

static const struct ring_rule never_wait = {.on_full = RING_ON_FULL_FAIL, .timeout_ns = 0};

static __attribute__((noinline)) int64_t refuse(const burst_stream_t *stream) {
    return atomic_load(&stream->refusal) == STREAM_IS_CLOSED
               ? ring_refuse_closed_stream(stream->ring, &stream->in_ring)
               : error_set(EINVAL,
                           "ring %s was opened without a main stream, and nothing was written: open it with one "
                           "(main), or use another stream of it",
                           stream->ring->path);
}

static inline int64_t count(burst_stream_t *stream, int64_t sequence) {
    if (__builtin_expect(sequence == 0, 0)) {
        atomic_fetch_add_explicit(&stream->discarded, 1, memory_order_relaxed);
    }
    return sequence;
}

typedef int64_t ring_call(struct ring *ring, const void *data, size_t length, int64_t event_time_ns,
                          const struct ring_stream *stream, const struct ring_rule *rule);

/* Refuses the record if the stream is closed or absent. A stream that rolls by itself may roll its file first. */
static __attribute__((noinline)) int64_t put_otherwise(burst_stream_t *stream, ring_call *call, const void *data,
                                                       size_t length, int64_t event_time_ns,
                                                       const struct ring_rule *rule) {
    if (atomic_load(&stream->refusal) != STREAM_ROLLS) {
        return refuse(stream);
    }
    rolling_roll_if_due(stream->rolling, length, rule->on_full == RING_ON_FULL_BLOCK && rule->timeout_ns < 0);
    const int64_t sequence = count(stream, call(stream->ring, data, length, event_time_ns, &stream->in_ring, rule));
    if (sequence > 0) {
        rolling_count(stream->rolling, length);
    }
    return sequence;
}

static inline int takes_records(const burst_stream_t *stream) {
    return __builtin_expect(atomic_load_explicit(&stream->refusal, memory_order_relaxed) == STREAM_TAKES_RECORDS, 1);
}

static inline __attribute__((always_inline)) int64_t put(burst_stream_t *stream, ring_call *call, const void *data,
                                                         size_t length, int64_t event_time_ns,
                                                         const struct ring_rule *rule) {
    return takes_records(stream)
               ? count(stream, call(stream->ring, data, length, event_time_ns, &stream->in_ring, rule))
               : put_otherwise(stream, call, data, length, event_time_ns, rule);
}

int64_t burst_stream_append(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns) {
    return put(stream, ring_append, data, length, event_time_ns, &stream->rule);
}

int64_t burst_stream_enqueue(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns) {
    return put(stream, ring_enqueue, data, length, event_time_ns, &stream->rule);
}

int64_t burst_stream_offer(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns) {
    return takes_records(stream)
               ? ring_enqueue(stream->ring, data, length, event_time_ns, &stream->in_ring, &never_wait)
               : put_otherwise(stream, ring_enqueue, data, length, event_time_ns, &never_wait);
}

static int refuse_rule(const burst_stream_t *stream, uint32_t on_full) {
    return error_set(EINVAL,
                     "there is no on_full %u, and nothing was written to ring %s: give one of enum burst_on_full",
                     on_full, stream->ring->path);
}

int64_t burst_stream_append_within(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                                   enum burst_on_full on_full, int64_t timeout_ns) {
    const struct ring_rule rule = {.on_full = on_full, .timeout_ns = timeout_ns};
    return on_full > BURST_ON_FULL_DISCARD ? refuse_rule(stream, on_full)
                                           : put(stream, ring_append, data, length, event_time_ns, &rule);
}

int64_t burst_stream_enqueue_within(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                                    enum burst_on_full on_full, int64_t timeout_ns) {
    const struct ring_rule rule = {.on_full = on_full, .timeout_ns = timeout_ns};
    return on_full > BURST_ON_FULL_DISCARD ? refuse_rule(stream, on_full)
                                           : put(stream, ring_enqueue, data, length, event_time_ns, &rule);
}

int64_t burst_stream_put(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                         enum burst_on_full on_full, uint32_t choices) {
    const struct ring_rule rule = {.on_full =
                                       on_full == BURST_ON_FULL_DISCARD ? RING_ON_FULL_DISCARD : RING_ON_FULL_FAIL,
                                   .is_retry = (choices & BURST_PUT_RETRY) != 0};
    return on_full > BURST_ON_FULL_DISCARD       ? refuse_rule(stream, on_full)
           : (choices & BURST_PUT_ENQUEUED) != 0 ? put(stream, ring_enqueue, data, length, event_time_ns, &rule)
                                                 : put(stream, ring_put, data, length, event_time_ns, &rule);
}

int stream_check(const burst_stream_t *stream) {
    const uint32_t refusal = atomic_load(&stream->refusal);
    return refusal == STREAM_TAKES_RECORDS || refusal == STREAM_ROLLS ? 0 : (int)refuse(stream);
}

int64_t stream_count(burst_stream_t *stream, int64_t sequence) {
    return count(stream, sequence);
}

burst_stream_t *burst_main_stream(burst_t *log) {
    return &log->main;
}

int64_t burst_append(burst_t *log, const void *data, size_t length, int64_t event_time_ns) {
    return burst_stream_append(&log->main, data, length, event_time_ns);
}

int64_t burst_enqueue(burst_t *log, const void *data, size_t length, int64_t event_time_ns) {
    return burst_stream_enqueue(&log->main, data, length, event_time_ns);
}

int64_t burst_offer(burst_t *log, const void *data, size_t length, int64_t event_time_ns) {
    return burst_stream_offer(&log->main, data, length, event_time_ns);
}

int64_t burst_append_within(burst_t *log, const void *data, size_t length, int64_t event_time_ns,
                            enum burst_on_full on_full, int64_t timeout_ns) {
    return burst_stream_append_within(&log->main, data, length, event_time_ns, on_full, timeout_ns);
}

int64_t burst_enqueue_within(burst_t *log, const void *data, size_t length, int64_t event_time_ns,
                             enum burst_on_full on_full, int64_t timeout_ns) {
    return burst_stream_enqueue_within(&log->main, data, length, event_time_ns, on_full, timeout_ns);
}

static int is_absent(const burst_stream_t *stream) {
    return atomic_load(&stream->refusal) == STREAM_IS_ABSENT;
}

/* Returns 0, or -errno with a sentence if there is nothing to look at. */
static int check_there(const burst_stream_t *stream) {
    const int alive = log_check_alive(stream->log);
    return alive < 0 ? alive : is_absent(stream) ? (int)refuse(stream) : 0;
}

void stream_get_figures(const burst_stream_t *stream, struct drain_figures *figures) {
    *figures = (struct drain_figures){.drained_sequence = 0};
    if (!is_absent(stream)) {
        engine_get_figures(stream->log->engine, stream->in_ring.id, figures);
    }
}

static uint64_t drained_sequence(const burst_stream_t *stream) {
    struct drain_figures figures;
    stream_get_figures(stream, &figures);
    return figures.drained_sequence;
}

static int is_drained(const void *argument, uint64_t sequence) {
    return drained_sequence(argument) >= sequence;
}

int burst_stream_await_drained(burst_stream_t *stream, int64_t timeout_ns) {
    const int rc = check_there(stream);
    return rc < 0 ? rc : log_await_drained(stream->log, is_drained, stream, timeout_ns);
}

int burst_stream_is_drained(burst_stream_t *stream, int64_t sequence) {
    const int rc = check_there(stream);
    return rc < 0 ? rc : log_is_drained(stream->log, is_drained, stream, (uint64_t)sequence);
}

static void fill_stats(const burst_stream_t *stream, burst_stream_stats_t *stats) {
    struct drain_figures figures;
    stream_get_figures(stream, &figures);
    *stats = (burst_stream_stats_t){
        .state = atomic_load(&stream->refusal) == STREAM_IS_CLOSED ? BURST_STATE_CLOSED
                 : ring_has_failed(stream->ring)                   ? BURST_STATE_FAILED
                 : figures.stalled                                 ? BURST_STATE_STALLED
                                                                   : BURST_STATE_OPEN,
        .id = stream->in_ring.id,
        .drained_sequence = (int64_t)figures.drained_sequence,
        .drained_records = figures.records,
        .drained_bytes = figures.bytes,
        .held_bytes = figures.held_bytes,
        .file_bytes = figures.length,
        .discarded = atomic_load(&stream->discarded),
        .destination_empty = figures.began_empty,
        .file_number = figures.file_number,
        .file_born_ns = figures.file_born_ns,
    };
}

static void keep(burst_stream_t *stream) {
    if (!atomic_load(&stream->is_kept)) {
        roll_slot_close(stream->rolls);
        rolling_stop(stream->rolling);
        stream_names_let_go(stream);
        fill_stats(stream, &stream->last_stats);
        stream->last_stats.state = BURST_STATE_CLOSED;
        engine_copy_path(stream->log->engine, stream->in_ring.id, stream->last_file, sizeof stream->last_file);
        atomic_store(&stream->is_kept, 1);
    }
}

void stream_keep_figures(burst_t *log) {
    pthread_mutex_lock(&log->names_lock); /* a stream that is being opened is there by now, or will be refused */
    burst_stream_t *stream = atomic_load(&log->streams);
    pthread_mutex_unlock(&log->names_lock);
    for (; stream != NULL; stream = stream->next) {
        keep(stream);
    }
}

int burst_stream_stats(const burst_stream_t *stream, burst_stream_stats_t *stats) {
    const uint32_t bytes = stats->struct_bytes;
    if (bytes < BYTES_UP_TO(burst_stream_stats_t, file_born_ns) || bytes > STATS_MOST_BYTES) {
        return error_set(EINVAL,
                         "burst_stream_stats_t has %zu bytes here and %u in the caller: set struct_bytes, and build "
                         "against the burstlog.h of this library",
                         sizeof *stats, bytes);
    }
    const int rc = check_there(stream);
    if (rc < 0) {
        return rc;
    }
    burst_stream_stats_t now;
    if (atomic_load(&stream->is_kept) || log_look(stream->log) < 0) {
        now = stream->last_stats;
    } else {
        fill_stats(stream, &now);
        log_leave(stream->log);
    }
    now.struct_bytes = bytes;
    memset(stats, 0, bytes);
    memcpy(stats, &now, bytes < sizeof now ? bytes : sizeof now);
    return 0;
}

int burst_stream_current_file(const burst_stream_t *stream, char *path, size_t path_bytes) {
    const int rc = check_there(stream);
    *path = '\0';
    if (rc < 0) {
        return rc;
    }
    if (atomic_load(&stream->is_kept) || log_look(stream->log) < 0) {
        snprintf(path, path_bytes, "%s", stream->last_file);
        return 0;
    }
    engine_copy_path(stream->log->engine, stream->in_ring.id, path, path_bytes);
    log_leave(stream->log);
    return 0;
}

int burst_current_file(const burst_t *log, char *path, size_t path_bytes) {
    return burst_stream_current_file(&log->main, path, path_bytes);
}

const struct stream_answer *log_await_answer(burst_t *log, const struct request_ticket *ticket, struct limit *limit) {
    struct event_count *drained = &log->engine->keeper.drained;
    for (;;) {
        const uint32_t wake = event_count_register(drained);
        const int64_t left_ns = limit_left_ns(limit, &platform_linux);
        const struct stream_answer *answer = requests_answer(log->engine->requests, ticket);
        if (answer != NULL || left_ns == 0 || users_are_closing(&log->users)) {
            event_count_leave(drained);
            return answer;
        }
        event_count_wait(drained, &platform_linux, wake, left_ns);
    }
}

/* The drain has let go of the file. */
static void is_let_go(void *stream) {
    keep(stream);
}

/* A drain of another process that is away drains nothing: the request to close has this process do it. */
static int await_records(burst_stream_t *stream, int64_t timeout_ns) {
    return stream->log->is_external ? burst_flush(stream->log, timeout_ns)
                                    : burst_stream_await_drained(stream, timeout_ns);
}

static int close_stream(burst_stream_t *stream, int64_t timeout_ns) {
    burst_t *log = stream->log;
    struct limit limit = limit_of(timeout_ns);
    int rc = log_check_alive(log);
    if (rc < 0) {
        return rc;
    }
    if (stream == &log->main) {
        return error_set(EINVAL, "the main stream of ring %s is closed with its log: call burst_close",
                         log->ring->path);
    }
    if (atomic_exchange(&stream->refusal, STREAM_IS_CLOSED) == STREAM_IS_CLOSED) {
        return (int)refuse(stream);
    }
    limit_left_ns(&limit, &platform_linux); /* begins its time */
    rc = await_records(stream, timeout_ns);
    ring_close_stream(stream->ring, &stream->in_ring); /* before the drain may let another stream have the file */
    rc = rc == 1 ? await_records(stream, limit_left_ns(&limit, &platform_linux))
                 : rc; /* what had begun to be appended */
    roll_slot_close(stream->rolls);
    if (log_enter(log) < 0) {
        return rc < 0 ? rc : -ESHUTDOWN;
    }
    requests_close(log->engine->requests, &stream->request, is_let_go, stream);
    engine_ask(log->engine);
    log_await_answer(log, &stream->request, &limit);
    log_leave(log);
    if (log->is_external && rc == 1) {
        rc = burst_stream_await_drained(stream, limit_left_ns(&limit, &platform_linux));
    }
    rolling_await_end(stream->rolling, &limit);
    return rc;
}

int burst_stream_close(burst_stream_t *stream, int64_t timeout_ns) {
    const int before = cancel_hold();
    const int rc = close_stream(stream, timeout_ns);
    cancel_restore(before);
    return rc;
}
