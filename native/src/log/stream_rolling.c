/* SPDX-License-Identifier: Apache-2.0 */
#include "log/stream_rolling.h"

#include "log/config.h"
#include "log/roll.h"

#define START_WAIT_NS 2000000000 /* so long the open lets the drain move records that wait for the file */

int stream_rolling_create(const char *ring, const char *file, const burst_rolling_t *given, uint64_t max_record_bytes,
                          struct rolling **rolling) {
    burst_rolling_t values;
    const int rc = config_copy_rolling(given, &values);
    return rc < 0 ? rc : rolling_create(ring, file, &values, max_record_bytes, rolling);
}

static burst_stream_t *stream_of(const struct rolling_host *host) {
    return (burst_stream_t *)((char *)host - offsetof(burst_stream_t, rolling_host));
}

/* Whether the drain has passed that sequence. The caller has entered. */
static int is_passed(const burst_stream_t *stream, uint64_t sequence, struct rolling_state *now) {
    struct drain_figures figures = {.length = 0};
    engine_get_figures(stream->log->engine, stream->in_ring.id, &figures);
    *now = (struct rolling_state){
        .bytes = figures.length, .file_number = figures.file_number, .born_ns = figures.file_born_ns};
    return figures.drained_sequence >= sequence;
}

static int await_passed(const struct rolling_host *host, uint64_t sequence, const struct worker *worker,
                        struct rolling_state *now) {
    const burst_stream_t *stream = stream_of(host);
    if (log_look(stream->log) < 0) {
        return 0;
    }
    struct event_count *drained = &stream->log->engine->keeper.drained;
    for (;;) {
        const uint32_t ticket = event_count_register(drained);
        const int passed = is_passed(stream, sequence, now);
        if (passed || worker_is_stopped(worker)) {
            event_count_leave(drained);
            log_leave(stream->log);
            return passed;
        }
        event_count_wait(drained, &platform_linux, ticket, -1);
    }
}

static int64_t enqueue(const struct rolling_host *host, const struct rolling_roll *roll, int64_t time_ns,
                       int may_wait) {
    static const struct ring_rule wait = {.on_full = RING_ON_FULL_BLOCK, .timeout_ns = -1};
    static const struct ring_rule never_wait = {.on_full = RING_ON_FULL_FAIL, .timeout_ns = 0};
    return roll_enqueue(stream_of(host), roll, time_ns, may_wait ? &wait : &never_wait);
}

static int take_rules(const struct rolling_host *host, struct outlet_rules *rules) {
    const burst_stream_t *stream = stream_of(host);
    if (log_look(stream->log) < 0) {
        return 0;
    }
    const int taken = engine_take_rules(stream->log->engine, stream->in_ring.id, rules);
    log_leave(stream->log);
    return taken;
}

void stream_rolling_begin(burst_stream_t *stream) {
    struct rolling_state now;
    if (stream->rolling == NULL) {
        return;
    }
    stream->rolling_host = (struct rolling_host){.ring = stream->ring->path,
                                                 .events = &stream->log->events,
                                                 .await_passed = await_passed,
                                                 .enqueue = enqueue,
                                                 .take_rules = take_rules,
                                                 .is_tidied_elsewhere = stream->log->engine->far != NULL};
    const uint64_t begins_after = ring_next_sequence(stream->ring) - 1;
    int is_there = burst_stream_await_drained(stream, START_WAIT_NS) == 1 && log_look(stream->log) == 0;
    if (is_there) {
        is_passed(stream, begins_after, &now);
        log_leave(stream->log);
    }
    rolling_open(stream->rolling, &stream->rolling_host, begins_after, is_there ? &now : NULL);
}
