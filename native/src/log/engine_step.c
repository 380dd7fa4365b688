/* SPDX-License-Identifier: Apache-2.0 */
/* The periodic work of an open log: a step of the drain, and checks that only the engine can make. */
#include <errno.h>

#include "base/alarm.h"
#include "burstlog.h"
#include "base/error.h"
#include "burstlog.h"
#include "device/ring_name.h"
#include "log/engine.h"
#include "ring/full.h"
#include "ring/progress.h"

static const struct platform *platform_of(const struct engine *engine) {
    return engine->parts.platform;
}

/* Until this epoch's first commit, its marker may give way to the next one's (recovery/marker_rules.h). So no note may
 * then have a watermark beyond the end of the log that the marker names. */
static void watermark(const struct engine *engine, struct ledger_note *note) {
    const struct recovery *recovery = &engine->view.recovery;
    const struct ring *ring = engine->ring;
    ring_durable_since(ring, &note->durable_position, &note->next_sequence, &note->durable_ns);
    if (note->durable_position == ring->begin_position &&
        ledger_released(engine->view.ledger) < note->durable_position) {
        note->durable_position = recovery->log_end;
        note->next_sequence = recovery->next_sequence;
    }
}

static uint64_t in_flight_end(const struct ring *ring) {
    /* Without a record in this epoch no write is under way. The ledger keeps the end of earlier epochs' writes. */
    return ring_has_failed(ring) && ring_claimed(ring) > ring->begin_position
               ? align_up(ring_claimed(ring), ring->geometry.block_bytes)
               : 0;
}

void engine_count_failure(struct engine *engine) {
    atomic_fetch_add(&engine->failed_checkpoints, 1);
    event_count_notify(&engine->drained, platform_of(engine));
    progress_drained(engine->ring);
}

static struct ledger_note note_of(const struct engine *engine) {
    struct ledger_note note = {.epoch = engine->ring->epoch, .in_flight_end = in_flight_end(engine->ring)};
    watermark(engine, &note);
    return note;
}

static int write_note(struct engine *engine, const struct ledger_note *note) {
    const int rc = notes_write(ledger_notes(engine->view.ledger), note);
    if (rc < 0) {
        ring_fail(engine->ring, "a note (how far its records are durable) could not be written to ring %s: %s",
                  engine->parts.device->path, device_failure(rc));
        engine_count_failure(engine);
    }
    return rc;
}

int engine_note_writer(struct engine *engine) {
    const struct ledger_note note = note_of(engine);
    return write_note(engine, &note);
}

/* Notes on the failed ring how far its writes may have reached, if its medium still takes that. */
static void note_failure(struct engine *engine) {
    if (ring_has_failed(engine->ring) && !engine->failure_noted) {
        engine->failure_noted = 1;
        engine_note_writer(engine);
    }
}

/* ring_fail has told the operator. This tells it again each minute. */
static void tell_failure_again(struct engine *engine) {
    const int64_t now_ns = platform_monotonic_ns(platform_of(engine));
    if (!ring_has_failed(engine->ring)) {
        return;
    }
    if (engine->failure_told_ns == 0) {
        engine->failed_since_ns = engine->failure_told_ns = now_ns;
    } else if (now_ns - engine->failure_told_ns >= ALARM_EVERY_NS) {
        engine->failure_told_ns = now_ns;
        events_post(engine->parts.events, EVENT_ERROR,
                    "for %lld s every append has failed: %s; none succeeds until the log is "
                    "closed and opened again: mend the cause, then restart the process",
                    (long long)((now_ns - engine->failed_since_ns) / 1000000000), engine->ring->failure);
    }
}

/* A ring that others moved works as before in this process. */
static void check_name(struct engine *engine) {
    char now[LAYOUT_FILE_NAME_BYTES];
    const struct device *device = engine->parts.device;
    const int lost = ring_name_is_lost(device, now, sizeof now);
    if (lost && !engine->name_lost) {
        events_post(engine->parts.events, EVENT_WARN,
                    "ring %s is not under its name any more, it is now %s: records go on "
                    "being durable in it, but the next open would not find it and would begin an empty one; move it "
                    "back, or run `burstlog recover` on it when this log is closed",
                    device->path, *now != '\0' ? now : "where it cannot be seen (below another mount?)");
    }
    engine->name_lost = lost;
}

void engine_check_medium(struct engine *engine) {
    struct device *device = engine->parts.device;
    if (ring_has_failed(engine->ring)) {
        return;
    }
    if (device->ops->check != NULL && device->ops->check(device) < 0) {
        ring_fail(engine->ring, "%s; what is durable still goes to the log file", error_text());
    } else {
        check_name(engine);
    }
}

/* An outlet stalls behind a burst of records. Then the ring itself notes the watermark, once for each value. */
static void note_watermark(struct engine *engine, uint64_t durable) {
    if (durable == engine->stalled_at && durable != engine->watermark_noted && !ring_has_failed(engine->ring)) {
        engine->watermark_noted = durable;
        engine_note_writer(engine);
    }
    engine->stalled_at = durable;
}

void engine_ask(struct engine *engine, struct engine_call *call) {
    call->next = atomic_load(&engine->calls);
    while (!atomic_compare_exchange_weak(&engine->calls, &call->next, call)) {
    }
    event_count_notify(&engine->ring->drain, platform_of(engine));
}

/* Does the requests in the order in which they came: a stream that is opened again was closed before. */
static void run_calls(struct engine *engine) {
    struct engine_call *asked = atomic_exchange(&engine->calls, NULL), *call = NULL;
    while (asked != NULL) {
        struct engine_call *before = asked->next;
        asked->next = call;
        call = asked;
        asked = before;
    }
    while (call != NULL) {
        struct engine_call *next = call->next; /* the asking thread may free a request that is done */
        call->run(call, engine);
        event_count_notify(&engine->drained, platform_of(engine));
        call = next;
    }
}

int engine_step(struct engine *engine, int sync) {
    struct ring *ring = engine->ring;
    uint64_t durable, next_sequence;
    run_calls(engine);
    stages_drain_looks(ring->stages);
    ring_durable(ring, &durable, &next_sequence);
    atomic_store(&ring->drain_looked, durable);
    atomic_store(&ring->drain_asked, 0);
    engine_check_medium(engine);
    note_failure(engine);
    tell_failure_again(engine);
    full_may_end(ring);
    const int rc = drain_step(engine->drain, sync);
    if (rc < 0) {
        note_watermark(engine, durable);
    }
    return rc;
}

void engine_note_end(struct engine *engine) {
    struct ledger_note note = note_of(engine);
    if (ring_has_failed(engine->ring)) {
        if (!drain_is_done(engine->drain) || !engine->failure_noted) {
            write_note(engine, &note);
        }
        return;
    }
    note.closed = 1;
    if (!drain_is_done(engine->drain)) {
        write_note(engine, &note);
    } else {
        notes_write(ledger_notes(engine->view.ledger),
                    &note); /* the checkpoints say the rest, so a failure needs no alarm */
    }
}
