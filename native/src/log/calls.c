/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on an open log. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "log/config.h"
#include "log/log.h"
#include "log/public_types.h"
#include "ring/leader.h"

#define STATS_MOST_BYTES 4096 /* a larger value is garbage */

int log_check_alive(const burst_t *log) {
    return ring_is_alive(log->ring) ? 0
                                    : error_set(EOWNERDEAD,
                                                "ring %s belongs to the parent of this forked process: "
                                                "open another ring in this one",
                                                log->ring->path);
}

int64_t burst_durable_sequence(const burst_t *log) {
    return (int64_t)atomic_load_explicit(&log->ring->durable_next_sequence, memory_order_acquire) - 1;
}

int burst_await_durable(burst_t *log, int64_t sequence, int64_t timeout_ns) {
    const int rc = log_check_alive(log);
    if (rc < 0 || sequence == 0) {
        return rc < 0 ? rc : 1; /* the record was discarded: there is nothing to wait for */
    }
    if (sequence < 0) {
        return error_set(EINVAL,
                         "there is no sequence %lld on ring %s: a negative value says that a record was refused",
                         (long long)sequence, log->ring->path);
    }
    return ring_await_durable(log->ring, (uint64_t)sequence, timeout_ns);
}

int burst_flush(burst_t *log, int64_t timeout_ns) {
    return burst_await_durable(log, (int64_t)ring_next_sequence(log->ring) - 1, timeout_ns);
}

/* Gives up after two failed checkpoints in a row; a single error may pass. Without a checkpoint nobody knows what is
 * durable in the log file. */
#define UNNOTED_MOST 2

/* Returns -errno if waiting any longer is useless, or 0. */
static int drained_never(const burst_t *log) {
    if (atomic_load(&log->engine->keeper.failed_writes) >= UNNOTED_MOST && ring_has_failed(log->ring)) {
        return error_set(EIO,
                         "ring %s has failed: %s; nor does it take note of what is in the log file, which the next "
                         "open finds out",
                         log->ring->path, log->ring->failure);
    }
    if (atomic_load(&log->engine->keeper.is_cut_off)) {
        return error_set(EIO,
                         "ring %s has failed: %s; the log file has all before the first record that is lost, and gets "
                         "no more until the ring is opened again",
                         log->ring->path, log->ring->failure);
    }
    return users_are_closing(&log->users)
               ? error_set(ESHUTDOWN, "the log on ring %s was closed while waiting", log->ring->path)
               : 0;
}

static int await_drained(burst_t *log, int (*is_drained)(const void *argument, uint64_t sequence), const void *argument,
                         uint64_t sequence, int64_t timeout_ns) {
    const struct platform *platform = &platform_linux;
    struct engine *engine = log->engine;
    const int64_t deadline_ns = platform_deadline_ns(platform, timeout_ns);
    const int durable = ring_await_durable(log->ring, sequence, timeout_ns);
    if (durable != 1) {
        return durable;
    }
    for (;;) {
        const uint32_t ticket = event_count_register(&engine->keeper.drained);
        const int64_t left_ns = timeout_ns < 0 ? -1 : deadline_ns - platform_monotonic_ns(platform);
        const int done = is_drained(argument, sequence);
        const int never = done ? 0 : drained_never(log);
        if (done || never < 0 || (timeout_ns >= 0 && left_ns <= 0)) {
            event_count_leave(&engine->keeper.drained);
            return done ? 1 : never;
        }
        threads_ask_sync(&log->threads);
        event_count_wait(&engine->keeper.drained, platform, ticket, left_ns);
    }
}

int log_await_drained(burst_t *log, int (*is_drained)(const void *argument, uint64_t sequence), const void *argument,
                      int64_t timeout_ns) {
    int rc = log_check_alive(log);
    rc = rc < 0 ? rc : log_enter(log);
    if (rc < 0) {
        return rc;
    }
    const uint64_t sequence = ring_next_sequence(log->ring) - 1;
    rc = sequence == 0 ? 1 : await_drained(log, is_drained, argument, sequence, timeout_ns);
    log_leave(log);
    return rc;
}

static int are_all_drained(const void *argument, uint64_t sequence) {
    const burst_t *log = argument;
    return engine_drained_sequence(log->engine) >= sequence;
}

int burst_await_drained(burst_t *log, int64_t timeout_ns) {
    return log_await_drained(log, are_all_drained, log, timeout_ns);
}

int log_is_drained(burst_t *log, int (*is_drained)(const void *argument, uint64_t sequence), const void *argument,
                   uint64_t sequence) {
    int rc = log_check_alive(log);
    rc = rc < 0 ? rc : log_look(log);
    if (rc < 0) {
        return rc;
    }
    rc = is_drained(argument, sequence) ? 1 : drained_never(log);
    if (rc == 0) {
        threads_ask_sync(&log->threads);
    }
    log_leave(log);
    return rc;
}

int burst_is_drained(burst_t *log, int64_t sequence) {
    return log_is_drained(log, are_all_drained, log, (uint64_t)sequence);
}

int burst_failure(const burst_t *log, char *text, size_t text_bytes) {
    const int failed = ring_has_failed(log->ring);
    snprintf(text, text_bytes, "%s", failed ? log->ring->failure : "");
    return failed;
}

int64_t burst_recovery_statement(const burst_t *log, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%s", log->statement);
    return (int64_t)log->provably_lost;
}

int burst_durability_statement(const burst_t *log, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%s", log->durability);
    return (int)log->survives;
}

static void fill_copy(struct copier *copy, int64_t durable_sequence, burst_copy_stats_t *stats) {
    struct copier_figures figures;
    copier_look(copy, &figures);
    stats->state = figures.state;
    snprintf(stats->name, sizeof stats->name, "%s", copier_name(copy));
    stats->copied_sequence = (int64_t)figures.next_sequence - 1;
    stats->records_missing = figures.missing;
    if (durable_sequence > stats->copied_sequence) {
        stats->records_behind = (uint64_t)(durable_sequence - stats->copied_sequence);
    }
}

void log_fill_stats(const burst_t *log, burst_stats_t *stats) {
    const struct ring *ring = log->ring;
    struct drain_figures of_main;
    uint64_t durable, next_sequence;
    stream_get_figures(&log->main, &of_main);
    stats->drained_sequence = (int64_t)engine_drained_sequence(log->engine);
    ring_durable(ring, &durable, &next_sequence);
    stats->durable_sequence = (int64_t)next_sequence - 1;
    stats->accepted_sequence = (int64_t)ring_next_sequence(ring) - 1;
    stats->state = users_are_closing(&log->users)   ? BURST_STATE_CLOSED
                   : ring_has_failed(ring)          ? BURST_STATE_FAILED
                   : engine_is_stalled(log->engine) ? BURST_STATE_STALLED
                                                    : BURST_STATE_OPEN;
    stats->commits = atomic_load(&ring->commits);
    stats->device_writes = atomic_load(&ring->device_writes);
    stats->device_bytes = atomic_load(&ring->device_bytes);
    stats->full_waits = atomic_load(&ring->full_waits);
    stats->discarded = atomic_load(&ring->discarded);
    stats->lost_enqueued = atomic_load(&ring->lost_enqueued);
    stats->capacity_bytes = ring->geometry.capacity_bytes;
    const uint64_t freed = atomic_load(&ring->freed);
    stats->used_bytes = ring_claimed(ring) - freed;
    stats->max_record_bytes = ring->limits.max_record_bytes;
    stats->file_bytes = of_main.length;
    stats->destination_empty = of_main.began_empty;
    stats->epoch = ring->epoch;
    stats->survives = log->survives;
    stats->io = ring->device->io;
    stats->copy = (burst_copy_stats_t){.state = BURST_COPY_NONE};
    if (log->engine->copy != NULL) {
        fill_copy(log->engine->copy, stats->durable_sequence, &stats->copy);
    }
    stages_summarize(ring->stages, log_figures_in(stats->stages));
}

int burst_stats(const burst_t *log_const, burst_stats_t *stats) {
    burst_t *log = (burst_t *)log_const; /* entering counts the caller */
    const uint32_t bytes = stats->struct_bytes;
    if (bytes < BYTES_UP_TO(burst_stats_t, stages) || bytes > STATS_MOST_BYTES) {
        return error_set(EINVAL,
                         "burst_stats_t has %zu bytes here and %u in the caller: set struct_bytes, and build "
                         "against the burstlog.h of this library",
                         sizeof *stats, bytes);
    }
    const int alive = log_check_alive(log);
    if (alive < 0) {
        return alive;
    }
    burst_stats_t now;
    if (log_look(log) < 0) {
        now = log->last_stats;
    } else {
        log_fill_stats(log, &now);
        log_leave(log);
    }
    now.struct_bytes = bytes;
    memset(stats, 0, bytes);
    memcpy(stats, &now, bytes < sizeof now ? bytes : sizeof now);
    return 0;
}

int burst_stage_histogram(const burst_t *log_const, uint32_t stage, burst_histogram_t *histogram) {
    burst_t *log = (burst_t *)log_const; /* entering counts the caller */
    if (histogram->struct_bytes != sizeof *histogram) {
        return error_set(EINVAL,
                         "burst_histogram_t has %zu bytes here and %u in the caller: set struct_bytes, and build "
                         "against the burstlog.h of this library",
                         sizeof *histogram, histogram->struct_bytes);
    }
    if (stage >= BURST_STAGES) {
        return error_set(EINVAL, "there is no stage %u: give one of enum burst_stage, 0 to %d", stage,
                         BURST_STAGES - 1);
    }
    const int alive = log_check_alive(log);
    if (alive < 0) {
        return alive;
    }
    histogram->bucket_count = BURST_HISTOGRAM_BUCKETS;
    if (log_look(log) < 0) {
        stages_copy_kept(log->stages, stage, log_histogram_in(histogram));
        return 0;
    }
    stages_copy(log->stages, stage, log_histogram_in(histogram));
    log_leave(log);
    return 0;
}

int burst_next_event(burst_t *log, burst_event_t *event, int64_t timeout_ns) {
    if (event->struct_bytes != sizeof *event) {
        return error_set(EINVAL,
                         "burst_event_t has %zu bytes here and %u in the caller: set struct_bytes, and build "
                         "against the burstlog.h of this library",
                         sizeof *event, event->struct_bytes);
    }
    struct event taken;
    int rc = log_check_alive(log);
    rc = rc < 0 ? rc : events_take(&log->events, &taken, timeout_ns);
    if (rc == 1) {
        event->severity = taken.severity;
        event->time_ns = taken.time_ns;
        memcpy(event->text, taken.text, sizeof event->text);
    }
    return rc;
}
