/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An engine whose drain may be another process. The figures of its streams then come from the checkpoint slots, and from
 * the page of that drain.
 *
 * The thread that steps opens and closes the drain of this process, while other threads ask for figures: all of them go
 * through this file, which holds `lock` meanwhile.
 */
#include "log/engine.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

struct far_stream {
    int is_there;
    struct drain_figures figures;
    char path[LAYOUT_FILE_NAME_BYTES];
};

struct engine_far {
    pthread_mutex_t lock;
    uint64_t sequence; /* lowest drained sequence of all streams */
    uint64_t progress; /* their sum */
    int is_stalled;
    struct stream_state state; /* room for decoding */
    struct far_stream streams[LAYOUT_STREAMS_MAX];
};

int engine_far_create(struct engine *engine) {
    engine->far = platform_allocate(engine->parts.platform, sizeof *engine->far, PLATFORM_PLAIN);
    if (engine->far == NULL) {
        return error_set(ENOMEM, "no memory for the figures of ring %s: %zu bytes", engine->parts.device->path,
                         sizeof *engine->far);
    }
    pthread_mutex_init(&engine->far->lock, NULL);
    engine->far->progress = UINT64_MAX; /* none was seen */
    return 0;
}

void engine_far_destroy(struct engine *engine) {
    if (engine->far != NULL) {
        platform_release(engine->parts.platform, engine->far, sizeof *engine->far);
    }
}

/* ------------------------------------------------------------------------------------------- the drain is far away */

/* Takes what both slots say. The caller has the lock. */
static void take_slots(struct engine_far *far, const struct slot_watch *slots) {
    const uint8_t *surely = slot_watch_surely(slots);
    const unsigned count = checkpoint_streams(surely);
    far->sequence = UINT64_MAX;
    far->progress = 0;
    for (unsigned id = 0; id < LAYOUT_STREAMS_MAX; id++) {
        far->streams[id].is_there = 0;
    }
    for (unsigned i = 0; i < count; i++) {
        struct stream_state *state = &far->state;
        checkpoint_decode(surely, i, state);
        const uint64_t next_sequence = slot_watch_next_sequence(slots, state->id);
        struct far_stream *stream = &far->streams[state->id];
        struct drain_figures *figures = &stream->figures;
        stream->is_there = 1;
        figures->drained_sequence = next_sequence == 0 ? 0 : next_sequence - 1;
        figures->length = state->outlet.length;
        figures->file_number = state->outlet.roll.file_number;
        figures->file_born_ns = state->outlet.roll.born_ns;
        figures->kind = state->outlet.path[0] == '\0' ? 0 : state->outlet.kind;
        if (outlet_state_file(&state->outlet, stream->path, sizeof stream->path) < 0) {
            stream->path[0] = '\0';
        }
        far->sequence = figures->drained_sequence < far->sequence ? figures->drained_sequence : far->sequence;
        far->progress += figures->drained_sequence;
    }
}

static void share(const struct engine *engine) {
    const uint8_t *surely = slot_watch_surely(&engine->keeper.slots);
    if (engine->window != NULL) {
        window_put_checkpoint(engine->window, surely, (uint32_t)checkpoint_claims(surely));
    }
}

void engine_far_look(struct engine *engine) {
    struct engine_far *far = engine->far;
    slot_watch_look(&engine->keeper.slots); /* a slot that cannot be read now is read the next time */
    pthread_mutex_lock(&far->lock);
    const uint64_t before = far->progress;
    take_slots(far, &engine->keeper.slots);
    const uint64_t progress = far->progress;
    pthread_mutex_unlock(&far->lock);
    if (progress != before) {
        share(engine);
    }
    keeper_hear_looked(&engine->keeper, progress);
}

/* Both slots have to name a stream before it may take records: the word of the page is not enough. An open that the slots
 * do not show yet is answered later. */
static int are_named(const struct engine *engine, const struct drain_page *page) {
    int named = 1;
    for (unsigned i = 0; i < REQUESTS_MOST; i++) {
        const struct stream_answer *answer = &page->answers[i];
        if (answer->is_open && atomic_load(&answer->number) > atomic_load(&engine->requests->answered[i].number)) {
            named &= answer->id >= LAYOUT_STREAMS_MAX || /* is refused */
                     slot_watch_next_sequence(&engine->keeper.slots, answer->id) != 0;
        }
    }
    return named;
}

void engine_far_take_page(struct engine *engine, const struct drain_page *page) {
    struct engine_far *far = engine->far;
    if (page->epoch != engine->ring->epoch) {
        return; /* of another log */
    }
    pthread_mutex_lock(&far->lock);
    far->is_stalled = 0;
    for (unsigned id = 0; id < LAYOUT_STREAMS_MAX; id++) {
        const struct drain_page_stream *told = &page->streams[id];
        struct drain_figures *figures = &far->streams[id].figures;
        figures->stalled = told->is_there && told->is_stalled;
        far->is_stalled |= (int)figures->stalled;
        if (told->is_there) {
            figures->records = told->records;
            figures->bytes = told->bytes;
            figures->length = told->length;
            figures->held_bytes = told->held_bytes;
            figures->began_empty = told->began_empty;
        }
    }
    pthread_mutex_unlock(&far->lock);
    if (are_named(engine, page) && requests_take_answers(engine->requests, page->answers)) {
        event_count_notify(&engine->keeper.drained, engine->parts.platform);
    }
}

/* --------------------------------------------------------------------------------------------- this process drains */

/* The figures come from elsewhere from now on: one who waits may have looked in between, and there need be no progress any
 * more that wakes it. */
static void wake_all(struct engine *engine) {
    event_count_notify(&engine->keeper.drained, engine->parts.platform);
}

int engine_begin_draining(struct engine *engine) {
    struct checkpoints *checkpoints = ledger_checkpoints(engine->view.ledger);
    struct device *device = engine->parts.device;
    int rc = device->ops->flush(device);
    rc = rc < 0 ? rc : checkpoints_read(checkpoints);
    rc = rc < 0 ? rc : checkpoints_settle(checkpoints);
    rc = rc < 0 ? rc : checkpoints_take(checkpoints);
    rc = rc < 0 ? rc : checkpoints_level(checkpoints, engine->parts.events);
    if (rc < 0) {
        return rc;
    }
    engine->drain_is_lost = 0;
    /* The last drain may have moved all and died: then no checkpoint of this one tells of the space. */
    engine_far_look(engine);
    checkpoints_share(checkpoints, engine->window);
    requests_begin_anew(engine->requests);
    pthread_mutex_lock(&engine->far->lock);
    rc = engine_open_drain(engine, &engine->config);
    if (rc < 0) {
        drainer_close(&engine->drainer);
    }
    pthread_mutex_unlock(&engine->far->lock);
    wake_all(engine);
    return rc;
}

void engine_end_draining(struct engine *engine) {
    checkpoints_share(ledger_checkpoints(engine->view.ledger), NULL);
    pthread_mutex_lock(&engine->far->lock);
    drainer_close(&engine->drainer);
    pthread_mutex_unlock(&engine->far->lock);
    engine_far_look(engine);
    wake_all(engine);
}

/* ------------------------------------------------------------------------------------------------ for any thread */

/* The drain of this process, or NULL. A drain that is always here needs no lock. */
static struct drain *begin_look(const struct engine *engine) {
    if (engine->far != NULL) {
        pthread_mutex_lock(&engine->far->lock);
    }
    return engine->drainer.drain;
}

static void end_look(const struct engine *engine) {
    if (engine->far != NULL) {
        pthread_mutex_unlock(&engine->far->lock);
    }
}

int engine_get_figures(const struct engine *engine, uint16_t id, struct drain_figures *figures) {
    struct drain *drain = begin_look(engine);
    int rc = -ENOENT;
    if (drain != NULL) {
        rc = drain_get_figures(drain, id, figures);
    } else if (id < LAYOUT_STREAMS_MAX && engine->far->streams[id].is_there) {
        *figures = engine->far->streams[id].figures;
        rc = 0;
    }
    end_look(engine);
    return rc;
}

void engine_copy_path(const struct engine *engine, uint16_t id, char *path, size_t path_bytes) {
    struct drain *drain = begin_look(engine);
    path[0] = '\0';
    if (drain != NULL) {
        drain_copy_path(drain, id, path, path_bytes);
    } else if (id < LAYOUT_STREAMS_MAX && engine->far->streams[id].is_there) {
        snprintf(path, path_bytes, "%s", engine->far->streams[id].path);
    }
    end_look(engine);
}

int engine_copy_name(const struct engine *engine, uint16_t id, char *name, size_t name_bytes) {
    return drain_copy_name(engine->drainer.drain, id, name, name_bytes);
}

uint64_t engine_drained_sequence(const struct engine *engine) {
    struct drain *drain = begin_look(engine);
    const uint64_t sequence = drain != NULL ? drain_sequence(drain) : engine->far->sequence;
    end_look(engine);
    return sequence;
}

int engine_is_stalled(const struct engine *engine) {
    struct drain *drain = begin_look(engine);
    const int stalled = drain != NULL ? drain_is_stalled(drain) : engine->far->is_stalled;
    end_look(engine);
    return stalled;
}

int engine_is_drained(const struct engine *engine) {
    uint64_t durable, next_sequence;
    struct drain *drain = begin_look(engine);
    ring_durable(engine->ring, &durable, &next_sequence);
    const int is_drained = drain != NULL ? drain_is_done(drain) : engine->far->sequence + 1 >= next_sequence;
    end_look(engine);
    return is_drained;
}

int engine_take_rules(const struct engine *engine, uint16_t id, struct outlet_rules *rules) {
    struct drain *drain = begin_look(engine);
    const int taken = drain != NULL && drain_take_rules(drain, id, rules);
    end_look(engine);
    return taken;
}

int engine_next_rules(const struct engine *engine, struct outlet_rules *rules) {
    struct drain *drain = begin_look(engine);
    const int id = drain == NULL ? -ENOENT : drain_next_rules(drain, rules);
    end_look(engine);
    return id;
}

void engine_return_rules(const struct engine *engine, uint16_t id) {
    struct drain *drain = begin_look(engine);
    if (drain != NULL) {
        drain_return_rules(drain, id);
    }
    end_look(engine);
}

void engine_give_up_at(const struct engine *engine, int64_t when_ns) {
    struct drain *drain = begin_look(engine);
    if (drain != NULL) {
        drain_give_up_at(drain, when_ns);
    }
    end_look(engine);
}
