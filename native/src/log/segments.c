/* SPDX-License-Identifier: Apache-2.0 */
#include "log/segments.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "log/log.h"

#define LEAST_SEGMENT_BYTES (64ull * 1024)
#define MOST_SEGMENT_BYTES (1ull << 40)
#define LOOK_EVERY_NS 2000000000

/* ------------------------------------------------------------------------------------------------------- check */

static void check_values(const char *ring, const burst_stream_config_t *config, struct error_list *errors) {
    const uint64_t bytes = config->segment_bytes;
    if (bytes != 0 && (bytes < LEAST_SEGMENT_BYTES || bytes > MOST_SEGMENT_BYTES)) {
        error_list_add(errors, error_set(EINVAL,
                                         "segment_bytes of a stream of ring %s is %llu: a segment has at least %llu "
                                         "bytes, and at most %llu",
                                         ring, (unsigned long long)bytes, LEAST_SEGMENT_BYTES, MOST_SEGMENT_BYTES));
    }
    if (config->segments_over_limit > BURST_SEGMENTS_RELEASE) {
        error_list_add(errors, error_set(EINVAL,
                                         "segments_over_limit=\"%u\" of a stream of ring %s cannot be used: use hold "
                                         "(0) or release (1)",
                                         config->segments_over_limit, ring));
    }
    if (config->segments_keep_ns > INT64_MAX || config->segments_limit_ns > INT64_MAX) {
        error_list_add(errors, error_set(EINVAL,
                                         "a time of the segments of a stream of ring %s is longer than 292 years: set "
                                         "what you mean, or nothing",
                                         ring));
    }
    if ((config->segments_limit_bytes != 0 && config->segments_keep_bytes > config->segments_limit_bytes) ||
        (config->segments_limit_ns != 0 && config->segments_keep_ns > config->segments_limit_ns)) {
        error_list_add(errors, error_set(EINVAL,
                                         "segments of a stream of ring %s are to be kept longer than their limit "
                                         "allows: let segments_keep be below segments_limit",
                                         ring));
    }
}

int segments_check(const char *ring, const burst_stream_config_t *config, struct checked_segments *segments) {
    struct error_list errors = {.code = 0};
    *segments = (struct checked_segments){.segment_bytes = config->segment_bytes};
    if (config->segments == NULL || *config->segments == '\0') {
        return 0;
    }
    const int rc = path_absolute(config->segments, segments->folder, sizeof segments->folder);
    if (rc < 0) {
        error_list_add(&errors, error_set(-rc, "segments=\"%s\" of a stream of ring %s cannot be used: %s",
                                          config->segments, ring, error_name(-rc)));
    }
    check_values(ring, config, &errors);
    segments->limits = (struct retention_limits){
        .keep_bytes = config->segments_keep_bytes,
        .keep_ns = (int64_t)config->segments_keep_ns,
        .limit_bytes = config->segments_limit_bytes == 0 ? UINT64_MAX : config->segments_limit_bytes,
        .limit_ns = config->segments_limit_ns == 0 ? INT64_MAX : (int64_t)config->segments_limit_ns,
        .releases = config->segments_over_limit == BURST_SEGMENTS_RELEASE,
    };
    return error_list_result(&errors);
}

int segments_prepare(burst_t *log, const struct checked_segments *segments, struct retention **retention) {
    *retention = NULL;
    if (segments->folder[0] == '\0') {
        return 0;
    }
    *retention = retention_create(segments->folder, &segments->limits, &log->events);
    return *retention == NULL ? error_set(ENOMEM, "no memory for segments folder %s", segments->folder) : 0;
}

/* ------------------------------------------------------------------------------------------------------ thread */

static void look_at(const burst_stream_t *stream) {
    if (stream->retention != NULL && atomic_load(&stream->refusal) != STREAM_IS_CLOSED) {
        retention_look(stream->retention, platform_realtime_ns(&platform_linux));
    }
}

static void segments_loop(void *argument) {
    burst_t *log = argument;
    worker_step_back();
    for (;;) {
        const uint32_t ticket = event_count_register(&log->segments.changed);
        if (worker_is_stopped(&log->segments.worker)) {
            event_count_leave(&log->segments.changed);
            return;
        }
        for (const burst_stream_t *stream = atomic_load(&log->streams); stream != NULL; stream = stream->next) {
            look_at(stream);
        }
        event_count_wait(&log->segments.changed, &platform_linux, ticket, LOOK_EVERY_NS);
    }
}

void segments_begin(burst_stream_t *stream) {
    burst_t *log = stream->log;
    if (stream->retention == NULL || atomic_exchange(&log->segments.is_started, 1)) {
        return;
    }
    if (worker_start(&log->segments.worker, "burst-segments", segments_loop, log) < 0) {
        events_post(&log->events, EVENT_WARN, "no old segment is deleted: %s", error_text());
        atomic_store(&log->segments.is_started, 0);
    } else {
        worker_leave(&log->segments.worker);
    }
}

void segments_stop(burst_t *log) {
    worker_stop(&log->segments.worker, &log->segments.changed);
}

void segments_await_end(burst_t *log, struct limit *limit) {
    if (atomic_load(&log->segments.is_started)) {
        worker_await_end(&log->segments.worker, limit);
    }
}
