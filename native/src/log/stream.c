/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of an open log. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/cancel.h"
#include "base/error.h"
#include "base/sigxfsz.h"
#include "log/config.h"
#include "log/durability.h"
#include "log/log.h"
#include "log/log_file_open.h"
#include "log/roll.h"

#define STATS_MOST_BYTES 4096 /* a larger value is garbage */

static const struct ring_rule never_wait = {.on_full = RING_ON_FULL_FAIL, .timeout_ns = 0};

static __attribute__((noinline)) int64_t refuse(const burst_stream_t *stream) {
    return atomic_load(&stream->refusal) == STREAM_IS_CLOSED
               ? error_set(ESHUTDOWN, "stream %u of ring %s is closed", stream->id, stream->ring->path)
               : error_set(EINVAL,
                           "ring %s was opened without a log file, and the record was not written: open a "
                           "stream, or give file_name",
                           stream->ring->path);
}

static int is_refused(const burst_stream_t *stream) {
    return __builtin_expect(atomic_load_explicit(&stream->refusal, memory_order_relaxed) != STREAM_TAKES_RECORDS, 0);
}

static inline int64_t count(burst_stream_t *stream, int64_t sequence) {
    if (__builtin_expect(sequence == 0, 0)) {
        atomic_fetch_add_explicit(&stream->discarded, 1, memory_order_relaxed);
    }
    return sequence;
}

int64_t burst_stream_append(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns) {
    return is_refused(stream)
               ? refuse(stream)
               : count(stream, ring_append(stream->ring, data, length, event_time_ns, stream->id, &stream->rule));
}

int64_t burst_stream_enqueue(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns) {
    return is_refused(stream)
               ? refuse(stream)
               : count(stream, ring_enqueue(stream->ring, data, length, event_time_ns, stream->id, &stream->rule));
}

int64_t burst_stream_offer(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns) {
    return is_refused(stream) ? refuse(stream)
                              : ring_enqueue(stream->ring, data, length, event_time_ns, stream->id, &never_wait);
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
           : is_refused(stream)
               ? refuse(stream)
               : count(stream, ring_append(stream->ring, data, length, event_time_ns, stream->id, &rule));
}

int64_t burst_stream_enqueue_within(burst_stream_t *stream, const void *data, size_t length, int64_t event_time_ns,
                                    enum burst_on_full on_full, int64_t timeout_ns) {
    const struct ring_rule rule = {.on_full = on_full, .timeout_ns = timeout_ns};
    return on_full > BURST_ON_FULL_DISCARD ? refuse_rule(stream, on_full)
           : is_refused(stream)
               ? refuse(stream)
               : count(stream, ring_enqueue(stream->ring, data, length, event_time_ns, stream->id, &rule));
}

int stream_check(const burst_stream_t *stream) {
    return is_refused(stream) ? (int)refuse(stream) : 0;
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

void stream_begin_main(burst_stream_t *stream, burst_t *log, int has_file) {
    stream->ring = log->ring;
    stream->log = log;
    atomic_store(&stream->refusal, has_file ? STREAM_TAKES_RECORDS : STREAM_HAS_NO_FILE);
}

void burst_stream_config_init_bytes(burst_stream_config_t *config, size_t struct_bytes) {
    memset(config, 0, struct_bytes);
    config->struct_bytes = (uint32_t)struct_bytes;
}

/* What this call may have made for a stream that it cannot open is taken back. */
static int add(burst_t *log, burst_stream_t *stream, const struct checked_stream_config *config) {
    const burst_stream_config_t *values = &config->values;
    struct survival of_ring = {.survives = log->device->survives}, of_file;
    struct log_file_before before;
    snprintf(of_ring.because, sizeof of_ring.because, "%s", log->device->survives_because);
    survival_of_place(config->file_name, &of_file);
    int rc = durability_check((int)log->durability_asked, log->ring->path, &of_ring, config->file_name, &of_file);
    if (rc < 0) {
        return rc;
    }
    const struct engine_stream wanted = {
        .name = values->name == NULL ? "" : values->name,
        .path = config->file_name,
        .roller = stream->rolls != NULL ? &stream->rolls->roller : NULL,
        .how = {.mode = values->file_mode, .owner = values->file_owner, .group = values->file_group}};
    log_file_look(config->file_name, &before);
    rc = engine_add_stream(log->engine, &wanted, &stream->id);
    if (rc < 0) {
        log_file_take_back(&before);
    } else if (of_file.survives > (int)atomic_load(&log->survives)) {
        atomic_store(&log->survives, (uint32_t)of_file.survives);
    }
    return rc;
}

static int open_stream(burst_t *log, const burst_stream_config_t *given, burst_stream_t **stream_out) {
    struct checked_stream_config config;
    *stream_out = NULL;
    int rc = log_check_alive(log);
    rc = rc < 0 ? rc : config_check_stream(log->ring->path, given, &config);
    rc = rc < 0 ? rc : log_enter(log);
    if (rc < 0) {
        return rc;
    }
    burst_stream_t *stream = platform_allocate(&platform_linux, sizeof *stream, PLATFORM_PLAIN);
    struct roll_slot *rolls = config.values.rolls_by_caller ? roll_slot_create() : NULL;
    if (stream == NULL || (config.values.rolls_by_caller && rolls == NULL)) {
        rc = error_set(ENOMEM, "no memory for a stream of ring %s: %zu bytes", log->ring->path,
                       sizeof *stream + sizeof *rolls);
    } else {
        stream->rolls = rolls;
        rc = add(log, stream, &config);
    }
    if (rc == 0) {
        stream->ring = log->ring;
        stream->log = log;
        stream->rule.on_full = config.values.on_full;
        stream->rule.timeout_ns = config.values.block_timeout_ns == 0 ? -1 : (int64_t)config.values.block_timeout_ns;
        stream->next = atomic_load(&log->streams);
        while (!atomic_compare_exchange_weak(&log->streams, &stream->next, stream)) {
        }
        *stream_out = stream;
    } else {
        roll_slot_destroy(rolls);
        if (stream != NULL) {
            platform_release(&platform_linux, stream, sizeof *stream);
        }
    }
    log_leave(log);
    return rc;
}

int burst_stream_open(burst_t *log, const burst_stream_config_t *config, burst_stream_t **stream) {
    struct sigxfsz_state held;
    const int before = cancel_hold();
    sigxfsz_block(&held);
    const int rc = open_stream(log, config, stream);
    sigxfsz_restore(&held);
    cancel_restore(before);
    return rc;
}

static uint64_t drained_sequence(const burst_stream_t *stream) {
    struct drain_figures figures = {.drained_sequence = 0};
    drain_get_figures(stream->log->engine->drain, stream->id, &figures);
    return figures.drained_sequence;
}

static int is_drained(const void *argument, uint64_t sequence) {
    return drained_sequence(argument) >= sequence;
}

int burst_stream_await_drained(burst_stream_t *stream, int64_t timeout_ns) {
    return log_await_drained(stream->log, is_drained, stream, timeout_ns);
}

static void fill_stats(const burst_stream_t *stream, burst_stream_stats_t *stats) {
    struct drain_figures figures = {.stalled = 0};
    drain_get_figures(stream->log->engine->drain, stream->id, &figures);
    *stats = (burst_stream_stats_t){
        .state = atomic_load(&stream->refusal) == STREAM_IS_CLOSED ? BURST_STATE_CLOSED
                 : ring_has_failed(stream->ring)                   ? BURST_STATE_FAILED
                 : figures.stalled                                 ? BURST_STATE_STALLED
                                                                   : BURST_STATE_OPEN,
        .id = stream->id,
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
    roll_slot_close(stream->rolls);
    fill_stats(stream, &stream->last_stats);
    stream->last_stats.state = BURST_STATE_CLOSED;
    drain_copy_path(stream->log->engine->drain, stream->id, stream->last_file, sizeof stream->last_file);
    atomic_store(&stream->is_kept, 1);
}

void stream_keep_figures(burst_t *log) {
    keep(&log->main);
    for (burst_stream_t *stream = atomic_load(&log->streams); stream != NULL; stream = stream->next) {
        if (!atomic_load(&stream->is_kept)) {
            keep(stream);
        }
    }
}

int burst_stream_stats(const burst_stream_t *stream, burst_stream_stats_t *stats) {
    const uint32_t bytes = stats->struct_bytes;
    if (bytes < offsetof(burst_stream_stats_t, file_number) || bytes > STATS_MOST_BYTES) {
        return error_set(EINVAL,
                         "burst_stream_stats_t has %zu bytes here and %u in the caller: set struct_bytes, and build "
                         "against the burstlog.h of this library",
                         sizeof *stats, bytes);
    }
    const int alive = log_check_alive(stream->log);
    if (alive < 0) {
        return alive;
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
    const int alive = log_check_alive(stream->log);
    if (alive < 0) {
        return alive;
    }
    if (atomic_load(&stream->is_kept) || log_look(stream->log) < 0) {
        snprintf(path, path_bytes, "%s", stream->last_file);
        return 0;
    }
    drain_copy_path(stream->log->engine->drain, stream->id, path, path_bytes);
    log_leave(stream->log);
    return 0;
}

static int close_stream(burst_stream_t *stream, int64_t timeout_ns) {
    burst_t *log = stream->log;
    uint32_t expected = STREAM_TAKES_RECORDS;
    int rc = log_check_alive(log);
    if (rc < 0) {
        return rc;
    }
    if (stream == &log->main) {
        return error_set(EINVAL, "the main stream of ring %s is closed with its log: call burst_close",
                         log->ring->path);
    }
    if (!atomic_compare_exchange_strong(&stream->refusal, &expected, STREAM_IS_CLOSED)) {
        return (int)refuse(stream);
    }
    rc = burst_stream_await_drained(stream, timeout_ns);
    if (log_enter(log) < 0) {
        return rc < 0 ? rc : -ESHUTDOWN;
    }
    keep(stream);
    engine_remove_stream(log->engine, stream->id);
    log_leave(log);
    return rc;
}

int burst_stream_close(burst_stream_t *stream, int64_t timeout_ns) {
    const int before = cancel_hold();
    const int rc = close_stream(stream, timeout_ns);
    cancel_restore(before);
    return rc;
}
