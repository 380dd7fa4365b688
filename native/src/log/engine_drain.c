/* SPDX-License-Identifier: Apache-2.0 */
/* The drain in an open log: the ring is its source, the keeper its host. */
#include <errno.h>

#include "base/error.h"
#include "log/engine.h"
#include "ring/leader.h"

static const struct engine *engine_of(const struct log_source *source) {
    return (const struct engine *)((const char *)source - offsetof(struct engine, source));
}

static void live_durable(const struct log_source *source, uint64_t *position, uint64_t *next_sequence) {
    ring_durable(engine_of(source)->ring, position, next_sequence);
}

static int live_has_lost_pages(const struct log_source *source) {
    return device_lost_pages(engine_of(source)->parts.device) > 0;
}

/* The source of the drain: the ring of this process below its watermark. */
static const struct log_source_ops live_ops = {.durable = live_durable, .has_lost_pages = live_has_lost_pages};

static struct engine *engine_behind(void *drainer) {
    return (struct engine *)((char *)drainer - offsetof(struct engine, drainer));
}

static void noted(void *drainer) {
    struct engine *engine = engine_behind(drainer);
    const struct checkpoints *written = engine->parts.reads_slots ? NULL : ledger_checkpoints(engine->view.ledger);
    keeper_hear_noted(&engine->keeper, written, drain_progress(engine->drainer.drain));
}

/* An engine that need not drain leaves that to the other process. */
static void failed(void *drainer, int rc) {
    struct engine *engine = engine_behind(drainer);
    if (rc == -ESTALE && engine->far != NULL) {
        const uint32_t severity = engine->drain_is_lost ? EVENT_INFO : EVENT_ERROR;
        events_post(engine->parts.events, severity, "this process drains ring %s no more: %s",
                    engine->parts.device->path, error_text());
        engine->drain_is_lost = 1;
    } else {
        keeper_hear_failed(&engine->keeper, rc);
    }
}

static int unreadable(void *drainer) {
    return keeper_hear_unreadable(&engine_behind(drainer)->keeper);
}

static int is_space_awaited(void *drainer) {
    return keeper_awaits_space(&engine_behind(drainer)->keeper);
}

static uint64_t copied(void *drainer) {
    const struct engine *engine = engine_behind(drainer);
    return engine->copy == NULL ? UINT64_MAX : copier_position(engine->copy);
}

static uint64_t owed(void *drainer) {
    return copier_owed(engine_behind(drainer)->copy);
}

static void rolled(void *drainer) {
    const struct engine *engine = engine_behind(drainer);
    if (engine->parts.rolled != NULL) {
        engine->parts.rolled(engine->parts.rolled_argument);
    }
}

static int is_wanted(void *drainer) {
    return requests_wait(engine_behind(drainer)->requests);
}

int engine_add_stream(struct engine *engine, const struct engine_stream *stream, uint16_t *id) {
    /* First gives all accepted records of a stream that is now closed their place in the log: another stream may take
     * its file or its id next. A failed ring commits no more. */
    ring_commit(engine->ring);
    return drainer_add_stream(&engine->drainer, stream, id);
}

void engine_remove_stream(struct engine *engine, uint16_t id) {
    drainer_remove_stream(&engine->drainer, id);
}

int engine_open_drain(struct engine *engine, const struct engine_config *config) {
    const struct recovery *recovery = &engine->view.recovery;
    struct device *device = engine->parts.device;
    const uint64_t most = engine->ring->limits.max_record_bytes;
    const struct drain_host host = {.argument = &engine->drainer,
                                    .noted = noted,
                                    .failed = failed,
                                    .unreadable = unreadable,
                                    .is_space_awaited = is_space_awaited,
                                    .copied = copied,
                                    .owed = engine->copy == NULL ? NULL : owed,
                                    .rolled = rolled,
                                    .is_wanted = is_wanted};
    engine->source = ring_view_source(&engine->view);
    engine->source.ops = &live_ops;
    struct drainer_parts parts = {
        .platform = engine->parts.platform,
        .files = engine->parts.files,
        .raw_media = engine->parts.raw_media,
        .events = engine->parts.events,
        .host = &host,
        .ring_path = device->path,
        .ring_uuid = ring_view_superblock(&engine->view)->uuid,
        .untrusted_ring_owner = config->untrusted_ring_owner,
        .absent_stream_wait_ns = config->absent_stream_wait_ns,
        .drain = {.platform = engine->parts.platform,
                  .checkpoints = ledger_checkpoints(engine->view.ledger),
                  .source = &engine->source,
                  .epoch = engine->ring->epoch,
                  .epoch_begin = engine->ring->begin_position,
                  .longest = recovery->longest > most ? recovery->longest /* of an open with a higher limit */ : most},
    };
    int rc = drainer_open(&engine->drainer, &parts, config->main);
    if (rc < 0 && device_lost_pages(device) > 0) {
        const int lost = device->ops->check(device);
        rc = lost < 0 ? lost : rc;
    }
    return rc;
}
