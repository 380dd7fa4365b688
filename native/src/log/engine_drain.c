/* SPDX-License-Identifier: Apache-2.0 */
/* The drain's host in an open log: its source, its notifications, and its outlets. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "log/engine.h"
#include "outlet/raw/raw.h"
#include "outlet/segments/segments.h"
#include "ring/leader.h"
#include "ring/progress.h"

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

static void release(void *argument, uint64_t position) {
    struct engine *engine = argument;
    atomic_store(&engine->failed_checkpoints, 0);
    ring_release(engine->ring, position);
    stages_drained(engine->ring->stages, ledger_sum(engine->view.ledger).start.drained_position);
    const uint64_t progress = drain_progress(engine->drain);
    if (engine->progress != progress) {
        engine->progress = progress;
        /* A change of file alone notifies nobody: the waiting thread would ask for the next try at once. */
        event_count_notify(&engine->drained, engine->parts.platform);
        progress_drained(engine->ring);
    }
}

static void failed(void *argument, int rc) {
    struct engine *engine = argument;
    ring_fail(engine->ring, "a checkpoint (how much the log file has) could not be written to ring %s: %s",
              engine->parts.device->path, device_failure(rc));
    engine_count_failure(engine);
}

static int unreadable(void *argument) {
    struct engine *engine = argument;
    engine_check_medium(engine);
    return ring_has_failed(engine->ring);
}

static int is_space_awaited(void *argument) {
    const struct engine *engine = argument;
    return atomic_load(&engine->ring->space.waiters) != 0;
}

static int is_wanted(void *argument) {
    const struct engine *engine = argument;
    return atomic_load(&engine->calls) != NULL;
}

static void rolled(void *argument) {
    const struct engine *engine = argument;
    if (engine->parts.rolled != NULL) {
        engine->parts.rolled(engine->parts.rolled_argument);
    }
}

static int make_file_outlet(const struct engine *engine, const struct new_file *new_file, const struct roller *roller,
                            int has_index, struct outlet **outlet) {
    const struct file_outlet_parts parts = {.platform = engine->parts.platform,
                                            .events = engine->parts.events,
                                            .files = engine->parts.files,
                                            .new_file = *new_file,
                                            .roller = roller,
                                            .has_index = has_index,
                                            .mark_is_untrusted = engine->untrusted_ring_owner != 0};
    return file_outlet_create(&parts, outlet);
}

static int make_raw_outlet(const struct engine *engine, struct outlet **outlet) {
    const struct raw_outlet_parts parts = {.platform = engine->parts.platform,
                                           .media = engine->parts.raw_media,
                                           .events = engine->parts.events,
                                           .mark_is_untrusted = engine->untrusted_ring_owner != 0};
    return raw_outlet_create(&parts, outlet);
}

/* stream NULL: makes an outlet for an existing folder of a stream that is not open. */
static int make_segments_outlet(const struct engine *engine, const struct engine_stream *stream,
                                struct outlet **outlet) {
    struct segments_outlet_parts parts = {
        .platform = engine->parts.platform, .files = engine->parts.files, .events = engine->parts.events};
    if (stream != NULL) {
        parts.new_file = stream->new_file;
        parts.name = stream->name;
        parts.segment_bytes = stream->segment_bytes;
    }
    memcpy(parts.ring_uuid, ring_view_superblock(&engine->view)->uuid, sizeof parts.ring_uuid);
    return segments_outlet_create(&parts, outlet);
}

/* If a caller was to perform the roll, the stream may be opened soon: the roll waits for that caller. */
static int ask_for_absent(const struct roller *roller, const struct roll_question *question,
                          struct roll_answer *answer) {
    const struct engine *engine =
        (const struct engine *)((const char *)roller - offsetof(struct engine, absent_roller));
    (void)answer;
    return !question->record->roll.by_caller || question->is_renamed || engine->adds_stream ||
                   platform_monotonic_ns(engine->parts.platform) >= engine->absent_until_ns
               ? ROLL_NOBODY
               : -EINPROGRESS;
}

void engine_end_absent_wait(struct engine *engine) {
    engine->absent_until_ns = 0;
}

static int make_outlet(void *argument, const struct outlet_state *state, struct outlet **outlet) {
    const struct engine *engine = argument;
    const struct new_file new_file = {.mode = 0};
    return state->kind == OUTLET_FILE
               ? make_file_outlet(engine, &new_file, &engine->absent_roller,
                                  state->roll.index.sequence != 0 && engine->untrusted_ring_owner == 0, outlet)
           : state->kind == OUTLET_SEGMENTS ? make_segments_outlet(engine, NULL, outlet)
           : state->kind == OUTLET_RAW && engine->parts.raw_media != NULL
               ? make_raw_outlet(engine, outlet)
               : error_set(EPROTO,
                           "%s is of a kind (%u) that this version does not know: use the version that wrote it",
                           state->path, state->kind);
}

/* The kind of outlet that is bound to the stream's path; 0: none is. */
static uint32_t bound_kind(const struct engine *engine, const struct engine_stream *stream) {
    struct drain_figures figures = {.kind = 0};
    if (stream->path != NULL) {
        return drain_kind_of(engine->drain, stream->path);
    }
    drain_get_figures(engine->drain, LAYOUT_MAIN_STREAM, &figures);
    return figures.kind;
}

/* A bound path decides: a missing device must not become a file. Otherwise the existing file or device decides. */
static int make_configured_outlet(const struct engine *engine, const struct engine_stream *stream,
                                  struct outlet **outlet) {
    const uint32_t kind = bound_kind(engine, stream);
    const int is_raw = engine->parts.raw_media != NULL &&
                       (kind != 0 ? kind == OUTLET_RAW : stream->path != NULL && raw_is_device(stream->path));
    if (is_raw && stream->has_index) {
        return error_set(EINVAL, "index: the log on block device %s gets no index; leave it out", stream->path);
    }
    return is_raw ? make_raw_outlet(engine, outlet)
                  : make_file_outlet(engine, &stream->new_file, stream->roller, stream->has_index, outlet);
}

/* The ring's owner may have named any file in it, and may have written the records for that file. */
static int refuse_untrusted_ring_owner(const struct engine *engine, const struct outlet_state *state) {
    char bound[LAYOUT_FILE_NAME_BYTES] = "";
    outlet_state_file(state, bound, sizeof bound);
    return error_set(
        EPERM,
        "ring %s is of user %u and names log file %s for the records that wait in it: for another "
        "user root does not write there; move them with `burstlog recover`, which does so with that user's "
        "rights, or open the ring with that log file or as that user",
        engine->parts.device->path, engine->untrusted_ring_owner, bound);
}

/* The main stream may stay where it is bound if the caller names the same file. */
static int may_stay(const struct engine_stream *main, const struct stream_state *state) {
    return state->id == LAYOUT_MAIN_STREAM && main != NULL &&
           (main->path == NULL || strcmp(main->path, state->outlet.path) == 0);
}

/* Refuses to move waiting records to a path that only the ring names. This comes before anything is moved. */
static int check_owner(const struct engine *engine, const struct engine_stream *main) {
    const struct ledger *ledger = engine->view.ledger;
    const unsigned newest = ledger_newest(ledger);
    for (unsigned i = 0; engine->untrusted_ring_owner != 0 && i < ledger_streams(ledger, newest); i++) {
        struct stream_state state;
        ledger_stream(ledger, newest, i, &state);
        if (!may_stay(main, &state) && state.outlet.path[0] != '\0' && drain_has_waiting(engine->drain, state.id)) {
            return refuse_untrusted_ring_owner(engine, &state.outlet);
        }
    }
    return 0;
}

/* Opens the folder that gets the stream's records, too; or ends the one that did. */
static int follow(struct engine *engine, const struct engine_stream *stream, uint16_t id) {
    struct drain_stream_config config = {.name = "", .path = stream->segments, .follows = &id};
    uint16_t follower;
    if (stream->segments == NULL) {
        return drain_end_following(engine->drain, id);
    }
    const int rc = make_segments_outlet(engine, stream, &config.outlet);
    return rc < 0 ? rc : drain_add_stream(engine->drain, &config, &follower);
}

static int add_stream(struct engine *engine, const struct engine_stream *stream, int is_main, uint16_t *id) {
    struct drain_stream_config config = {
        .name = stream->name, .path = stream->path, .is_main = is_main, .is_tidied = stream->is_tidied};
    /* First gives all accepted records of a stream that is now closed their place in the log: another stream may take
     * its file or its id next. A failed ring commits no more. */
    ring_commit(engine->ring);
    int rc = make_configured_outlet(engine, stream, &config.outlet);
    rc = rc < 0 ? rc : drain_add_stream(engine->drain, &config, id);
    if (rc < 0 || stream->path == NULL) { /* without a path the stream keeps its folder of segments, too */
        return rc;
    }
    rc = follow(engine, stream, *id);
    if (rc < 0) {
        drain_remove_stream(engine->drain, *id);
    }
    return rc;
}

static int open_stream(struct engine *engine, const struct engine_stream *stream, int is_main, uint16_t *id) {
    engine->adds_stream = 1;
    const int rc = add_stream(engine, stream, is_main, id);
    engine->adds_stream = 0;
    return rc;
}

int engine_add_stream(struct engine *engine, const struct engine_stream *stream, uint16_t *id) {
    return open_stream(engine, stream, 0, id);
}

/* Whether only other streams are bound. Then these are drained. */
static int has_others_only(const struct engine *engine) {
    const struct ledger *ledger = engine->view.ledger;
    struct drain_figures figures = {.kind = 0};
    drain_get_figures(engine->drain, LAYOUT_MAIN_STREAM, &figures);
    return figures.kind == 0 && ledger_streams(ledger, ledger_newest(ledger)) > 1;
}

static int open_main(struct engine *engine, const struct engine_stream *main) {
    uint16_t id;
    return main == NULL || (main->path == NULL && has_others_only(engine)) ? 0 : open_stream(engine, main, 1, &id);
}

void engine_remove_stream(struct engine *engine, uint16_t id) {
    drain_remove_stream(engine->drain, id);
}

int engine_open_drain(struct engine *engine, const struct engine_config *config) {
    const struct recovery *recovery = &engine->view.recovery;
    struct device *device = engine->parts.device;
    const uint64_t most = engine->ring->limits.max_record_bytes;
    engine->untrusted_ring_owner = config->untrusted_ring_owner;
    engine->absent_roller.ask = ask_for_absent;
    engine->absent_until_ns = platform_deadline_ns(engine->parts.platform, config->absent_stream_wait_ns);
    engine->host = (struct drain_host){.argument = engine,
                                       .release = release,
                                       .failed = failed,
                                       .unreadable = unreadable,
                                       .is_space_awaited = is_space_awaited,
                                       .is_wanted = is_wanted,
                                       .rolled = rolled,
                                       .make_outlet = make_outlet};
    engine->source = ring_view_source(&engine->view);
    engine->source.ops = &live_ops;
    const struct drain_parts parts = {
        .platform = engine->parts.platform,
        .checkpoints = ledger_checkpoints(engine->view.ledger),
        .source = &engine->source,
        .host = &engine->host,
        .epoch = engine->ring->epoch,
        .epoch_begin = engine->ring->begin_position,
        .longest = recovery->longest > most ? recovery->longest /* of an open with a higher limit */ : most,
    };
    int rc = drain_open(&parts, &engine->drain);
    rc = rc < 0 ? rc : check_owner(engine, config->main);
    rc = rc < 0 ? rc : open_main(engine, config->main);
    if (ring_has_failed(engine->ring)) {
        return error_set(EIO, "ring %s cannot be written: %s", engine->ring->path, engine->ring->failure);
    }
    if (rc < 0 && device_lost_pages(device) > 0) {
        const int lost = device->ops->check(device);
        rc = lost < 0 ? lost : rc;
    }
    return rc;
}
