/* SPDX-License-Identifier: Apache-2.0 */
#include "log/figures.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "consume/retention.h"
#include "ring/stages.h"

_Static_assert((unsigned)FIGURES_STAGES == STAGES, "a histogram for each stage");
_Static_assert((unsigned)FIGURES_NAME_BYTES == CONSUMER_NAME_BYTES, "room for the name of a consumer");
_Static_assert((unsigned)FIGURES_COPY_BYTES == BURST_COPY_NAME_BYTES, "room for the name of a copy");
_Static_assert((unsigned)FIGURES_TEXT_BYTES == EVENT_TEXT_BYTES, "room for an event");

static void fill_consumers(const burst_t *log, struct figures *figures) {
    struct retention_consumer consumers[FIGURES_CONSUMERS];
    unsigned count = 0;
    for (const burst_stream_t *stream = atomic_load(&log->streams); stream != NULL; stream = stream->next) {
        if (stream->retention == NULL || atomic_load(&stream->refusal) == STREAM_IS_CLOSED) {
            continue;
        }
        const size_t found = retention_consumers(stream->retention, consumers, FIGURES_CONSUMERS - count);
        for (size_t i = 0; i < found; i++) {
            struct figures_consumer *const told = &figures->consumers[count++];
            memcpy(told->name, consumers[i].name, sizeof told->name);
            told->stream = stream->in_ring.id;
            told->segments_behind = consumers[i].segments_behind;
            told->bytes_behind = consumers[i].bytes_behind;
        }
    }
    figures->consumer_count = count;
}

static void fill_event(burst_t *log, struct figures *figures) {
    struct event last;
    figures->events = events_last(&log->events, &last);
    if (figures->events > 0) {
        figures->event_ns = last.time_ns;
        figures->event_severity = last.severity;
        memcpy(figures->event, last.text, sizeof figures->event);
    }
}

/* Fills what a closed log has, too. */
static void fill_stats(const burst_t *log, const burst_stats_t *stats, struct figures *figures) {
    const struct platform *platform = log->ring->platform;
    figures->bytes = sizeof *figures;
    figures->state = stats->state;
    figures->survives = stats->survives;
    figures->io = stats->io;
    figures->time_ns = platform_realtime_ns(platform);
    figures->monotonic_ns = platform_monotonic_ns(platform);
    figures->pid = (uint64_t)getpid();
    figures->accepted_sequence = (uint64_t)stats->accepted_sequence;
    figures->durable_sequence = (uint64_t)stats->durable_sequence;
    figures->drained_sequence = (uint64_t)stats->drained_sequence;
    figures->capacity_bytes = stats->capacity_bytes;
    figures->commits = stats->commits;
    figures->device_writes = stats->device_writes;
    figures->device_bytes = stats->device_bytes;
    figures->full_waits = stats->full_waits;
    figures->discarded = stats->discarded;
    figures->lost_enqueued = stats->lost_enqueued;
    figures->provably_lost = log->provably_lost;
    figures->gaps = log->gaps;
    figures->epoch = stats->epoch;
    figures->copy = (struct figures_copy){.state = stats->copy.state,
                                          .sequence = (uint64_t)stats->copy.copied_sequence,
                                          .records_behind = stats->copy.records_behind,
                                          .records_missing = stats->copy.records_missing};
    memcpy(figures->copy.name, stats->copy.name, sizeof figures->copy.name);
}

int log_fill_figures(void *argument, struct figures *figures) {
    burst_t *log = argument;
    const struct ring *ring = log->ring;
    burst_stats_t stats;
    uint64_t next_sequence;
    if (log_look(log) < 0) {
        fill_stats(log, &log->last_stats, figures);
        figures->drained_position = figures->claimed_position - log->last_stats.used_bytes;
        return 0;
    }
    log_fill_stats(log, &stats);
    fill_stats(log, &stats, figures);
    ring_durable(ring, &figures->durable_position, &next_sequence);
    figures->claimed_position = ring_claimed(ring);
    figures->drained_position = atomic_load(&ring->freed);
    fill_event(log, figures);
    snprintf(figures->failure, sizeof figures->failure, "%s", ring_has_failed(ring) ? ring->failure : "");
    snprintf(figures->ring, sizeof figures->ring, "%s", ring->path);
    fill_consumers(log, figures);
    for (unsigned stage = 0; stage < STAGES; stage++) {
        stages_copy(log->stages, stage, &figures->stages[stage]);
    }
    log_leave(log);
    return 1;
}
