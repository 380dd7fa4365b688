/* SPDX-License-Identifier: Apache-2.0 */
#include "flight/recorder.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "flight/step.h"

#define LOCK_TRIES 10 /* seconds: the process before may be about to end */

_Static_assert((unsigned)FLIGHT_TEXT_BYTES == EVENT_TEXT_BYTES, "room for an event");

/* The thread's own memory. */
struct recording {
    struct recorder *recorder;
    struct flight_file file;
    uint64_t next_event; /* of the host's events */
    struct figures before;
    struct figures now;
    struct flight_scratch scratch;
};

static uint32_t most32(uint64_t value) {
    return value < UINT32_MAX ? (uint32_t)value : UINT32_MAX;
}

static void describe_end(const struct figures *now, struct flight_line *line) {
    line->state = (uint8_t)now->state;
    line->survives = (uint8_t)now->survives;
    line->time_ns = now->time_ns;
    line->epoch = now->epoch;
    line->durable_sequence = now->durable_sequence;
    line->drained_sequence = now->drained_sequence;
    line->capacity_bytes = now->capacity_bytes;
    line->used_bytes =
        now->claimed_position > now->drained_position ? now->claimed_position - now->drained_position : 0;
}

static void describe_step(const struct flight_step *step, const struct histogram *latency, struct flight_line *line) {
    line->elapsed_us = most32((uint64_t)(step->seconds * 1e6 + 0.5));
    line->records = most32(step->records);
    line->commits = most32(step->commits);
    line->written_kib = most32(step->bytes / 1024);
    line->full_waits = most32(step->full_waits);
    line->discarded = most32(step->discarded);
    line->lost = most32(step->lost);
    line->timed = most32(step->latency.count);
    if (step->latency.count > 0) {
        line->p50_ns = step->latency.p50_ns;
        line->p99_ns = step->latency.p99_ns;
        line->p999_ns = step->latency.p999_ns;
        line->max_ns = step->latency.max_ns;
    }
    line->slowest_ns = step->slowest_ns;
    line->slowest_stage = (uint8_t)step->slowest_stage;
    flight_pack(latency, line->latency);
}

/* Writes the events that came since the last call. */
static int put_events(struct recording *recording) {
    struct events *const events = recording->recorder->host.events;
    struct event event;
    int rc = 0;
    for (uint64_t next; rc == 0 && (next = events_since(events, recording->next_event, &event)) != 0;) {
        struct flight_event written = {
            .severity = event.severity, .time_ns = event.time_ns, .epoch = recording->now.epoch};
        memcpy(written.text, event.text, sizeof written.text);
        recording->next_event = next;
        rc = flight_file_put_event(&recording->file, &written);
    }
    return rc;
}

static int put_line(struct recording *recording, enum flight_kind kind) {
    const struct figures *const now = &recording->now;
    struct flight_line line = {.kind = (uint8_t)kind};
    struct flight_step step;
    describe_end(now, &line);
    if (kind == FLIGHT_OPEN) {
        line.lost = most32(now->provably_lost);
        line.gaps = now->gaps;
    } else if (flight_step(&recording->before, now, &recording->scratch, &step)) {
        describe_step(&step, &recording->scratch.latency, &line);
    }
    const int rc = put_events(recording);
    recording->before = recording->now;
    return rc < 0 ? rc : flight_file_put_line(&recording->file, &line);
}

/* Returns 0 once the log has been closed. */
static int look(struct recording *recording) {
    const struct recorder_host *const host = &recording->recorder->host;
    return host->fill(host->log, &recording->now);
}

/* Sleeps until the time, or until the log is closed. Returns 0 then. */
static int rest_until(struct recorder *recorder, int64_t time_ns) {
    const struct platform *const platform = recorder->host.platform;
    for (;;) {
        const uint32_t ticket = event_count_register(&recorder->changed);
        const int64_t left_ns = time_ns - platform_monotonic_ns(platform);
        if (worker_is_stopped(&recorder->worker) || left_ns <= 0) {
            event_count_leave(&recorder->changed);
            return !worker_is_stopped(&recorder->worker);
        }
        event_count_wait(&recorder->changed, platform, ticket, left_ns);
    }
}

/* The lock of a process that is just ending goes a moment later than that of its ring. */
static int open_file(struct recording *recording) {
    struct recorder *const recorder = recording->recorder;
    const struct recorder_host *const host = &recorder->host;
    const struct flight_wanted wanted = {.path = recorder->path,
                                         .ring = recorder->ring,
                                         .uuid = recorder->uuid,
                                         .mode = recorder->mode,
                                         .now_ns = platform_realtime_ns(host->platform),
                                         .id = (uint32_t)host->platform->ops->random(host->platform)};
    int began_anew = 0;
    int rc = flight_file_open(&recording->file, &wanted, &began_anew);
    for (int turn = 1; rc == -EBUSY && turn < LOCK_TRIES; turn++) {
        if (!rest_until(recorder, platform_monotonic_ns(host->platform) + RECORDER_PERIOD_NS)) {
            return rc;
        }
        rc = flight_file_open(&recording->file, &wanted, &began_anew);
    }
    if (rc == 0 && began_anew) {
        events_post(host->events, EVENT_INFO,
                    "the flight recorder of ring %s begins anew: %s was of another ring or version, or damaged",
                    recorder->ring, recorder->path);
    }
    return rc;
}

static int record(struct recording *recording) {
    struct recorder *const recorder = recording->recorder;
    const struct platform *const platform = recorder->host.platform;
    const int is_open = look(recording);
    int rc = put_line(recording, FLIGHT_OPEN);
    int64_t next_ns = platform_monotonic_ns(platform);
    for (int is_over = 0; rc == 0 && !is_over;) {
        const int64_t now_ns = platform_monotonic_ns(platform);
        next_ns += RECORDER_PERIOD_NS;
        next_ns = next_ns > now_ns ? next_ns : now_ns + RECORDER_PERIOD_NS; /* it was held up */
        is_over = !is_open || !rest_until(recorder, next_ns);
        is_over |= !look(recording);
        rc = put_line(recording, is_over ? FLIGHT_CLOSE : FLIGHT_SECOND);
    }
    return rc < 0 ? error_set(-rc, "%s cannot be written: %s", recorder->path, error_name(-rc)) : 0;
}

static void recorder_loop(void *argument) {
    struct recorder *const recorder = argument;
    const struct platform *const platform = recorder->host.platform;
    struct recording *const recording = platform_allocate(platform, sizeof *recording, PLATFORM_PLAIN);
    int rc = recording == NULL ? error_set(ENOMEM, "no memory for it") : 0;
    if (rc == 0) {
        recording->recorder = recorder;
        recording->file.fd = -1;
        rc = open_file(recording);
        rc = rc < 0 ? rc : record(recording);
    }
    if (rc < 0) {
        events_post(recorder->host.events, EVENT_WARN,
                    "ring %s goes on without its flight recorder, and loses no record by that: %s", recorder->ring,
                    error_text());
    }
    if (recording != NULL) {
        flight_file_close(&recording->file);
        platform_release(platform, recording, sizeof *recording);
    }
}

void recorder_start(struct recorder *recorder, const struct recorder_host *host) {
    recorder->host = *host;
    recorder->is_started = worker_start(&recorder->worker, "burst-flight", recorder_loop, recorder) == 0;
    if (recorder->is_started) {
        worker_leave(&recorder->worker);
    } else {
        events_post(host->events, EVENT_WARN,
                    "ring %s goes on without its flight recorder, and loses no record by that: %s", recorder->ring,
                    error_text());
    }
}

void recorder_end(struct recorder *recorder) {
    if (recorder->is_started) {
        worker_stop(&recorder->worker, &recorder->changed);
    }
}

void recorder_await_end(struct recorder *recorder, struct limit *limit) {
    if (recorder->is_started) {
        const int64_t left_ns = limit_left_ns(limit, recorder->host.platform);
        struct limit patience = limit_of(limit_pause_ns(left_ns, RECORDER_PATIENCE_NS));
        worker_await_end(&recorder->worker, &patience);
    }
}
