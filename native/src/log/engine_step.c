/* SPDX-License-Identifier: Apache-2.0 */
/* The periodic work of an open log: requests, and a step of the drain between the two halves of the keeper's. */
#include <errno.h>

#include "base/error.h"
#include "log/engine.h"

void engine_ask(struct engine *engine) {
    event_count_notify(&engine->ring->drain, engine->parts.platform);
}

/* An answer says that both slots name the stream. So the slots are asked, and not the drain alone. */
static int open_requested(void *argument, const struct engine_stream *stream, uint16_t *id) {
    struct engine *engine = argument;
    const struct checkpoints *written = engine->parts.reads_slots ? NULL : ledger_checkpoints(engine->view.ledger);
    const int rc = engine_add_stream(engine, stream, id);
    if (rc < 0 || slot_watch_names(&engine->keeper.slots, written, *id)) {
        return rc;
    }
    engine_remove_stream(engine, *id);
    return error_set(
        EIO,
        "the checkpoints of ring %s do not both name log file %s, so its records could be lost: look at the "
        "errors of the ring's medium, and open the log file again",
        engine->parts.device->path, stream->path);
}

static void close_requested(void *argument, uint16_t id) {
    engine_remove_stream(argument, id);
}

static void answered(void *argument) {
    struct engine *engine = argument;
    event_count_notify(&engine->keeper.drained, engine->parts.platform);
}

static int step_without_drain(struct engine *engine) {
    keeper_begin_step(&engine->keeper);
    atomic_store(&engine->keeper.is_cut_off, 0); /* it is another process that drains */
    engine_far_look(engine);
    return 0;
}

int engine_step(struct engine *engine, int sync) {
    if (!engine_drains_here(engine)) {
        return step_without_drain(engine);
    }
    if (requests_wait(engine->requests)) {
        const struct request_server server = {
            .argument = engine, .open = open_requested, .close = close_requested, .answered = answered};
        requests_serve(engine->requests, &server);
    }
    const uint64_t durable = keeper_begin_step(&engine->keeper);
    const int rc = drain_step(engine->drainer.drain, sync);
    keeper_end_step(&engine->keeper, durable, rc, drain_is_cut_off(engine->drainer.drain));
    return rc;
}

void engine_note_end(struct engine *engine) {
    keeper_note_end(&engine->keeper, engine_is_drained(engine));
}
