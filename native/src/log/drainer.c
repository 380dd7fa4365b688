/* SPDX-License-Identifier: Apache-2.0 */
#include "log/drainer.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"
#include "drain/drain.h"
#include "outlet/raw/raw.h"
#include "outlet/segments/segments.h"

static int make_file_outlet(const struct drainer *drainer, const struct new_file *new_file, const struct roller *roller,
                            int has_index, struct outlet **outlet) {
    const struct file_outlet_parts parts = {.platform = drainer->parts.platform,
                                            .events = drainer->parts.events,
                                            .files = drainer->parts.files,
                                            .new_file = *new_file,
                                            .roller = roller,
                                            .absent_roller = &drainer->absent_roller,
                                            .has_index = has_index,
                                            .mark_is_untrusted = drainer->parts.untrusted_ring_owner != 0};
    return file_outlet_create(&parts, outlet);
}

static int make_raw_outlet(const struct drainer *drainer, struct outlet **outlet) {
    const struct raw_outlet_parts parts = {.platform = drainer->parts.platform,
                                           .media = drainer->parts.raw_media,
                                           .events = drainer->parts.events,
                                           .mark_is_untrusted = drainer->parts.untrusted_ring_owner != 0};
    return raw_outlet_create(&parts, outlet);
}

/* stream NULL: makes an outlet for an existing folder of a stream that is not open. */
static int make_segments_outlet(const struct drainer *drainer, const struct engine_stream *stream,
                                struct outlet **outlet) {
    struct segments_outlet_parts parts = {
        .platform = drainer->parts.platform, .files = drainer->parts.files, .events = drainer->parts.events};
    if (stream != NULL) {
        parts.new_file = stream->new_file;
        parts.name = stream->name;
        parts.segment_bytes = stream->segment_bytes;
    }
    memcpy(parts.ring_uuid, drainer->parts.ring_uuid, sizeof parts.ring_uuid);
    return segments_outlet_create(&parts, outlet);
}

/* If a caller was to perform the roll, the stream may be opened soon: the roll waits for that caller. */
static int ask_for_absent(const struct roller *roller, const struct roll_question *question,
                          struct roll_answer *answer) {
    const struct drainer *drainer =
        (const struct drainer *)((const char *)roller - offsetof(struct drainer, absent_roller));
    (void)answer;
    return !question->record->roll.by_caller || question->is_renamed || drainer->adds_stream ||
                   platform_monotonic_ns(drainer->parts.platform) >= drainer->absent_until_ns
               ? ROLL_NOBODY
               : -EINPROGRESS;
}

void drainer_end_absent_wait(struct drainer *drainer) {
    drainer->absent_until_ns = 0;
}

static int make_outlet(void *argument, const struct outlet_state *state, struct outlet **outlet) {
    const struct drainer *drainer = argument;
    const struct new_file new_file = {.mode = 0};
    return state->kind == OUTLET_FILE
               ? make_file_outlet(drainer, &new_file, &drainer->absent_roller,
                                  state->roll.index.sequence != 0 && drainer->parts.untrusted_ring_owner == 0, outlet)
           : state->kind == OUTLET_SEGMENTS ? make_segments_outlet(drainer, NULL, outlet)
           : state->kind == OUTLET_RAW && drainer->parts.raw_media != NULL
               ? make_raw_outlet(drainer, outlet)
               : error_set(EPROTO,
                           "%s is of a kind (%u) that this version does not know: use the version that wrote it",
                           state->path, state->kind);
}

/* The kind of outlet that is bound to the stream's path; 0: none is. */
static uint32_t bound_kind(const struct drainer *drainer, const struct engine_stream *stream) {
    struct drain_figures figures = {.kind = 0};
    if (stream->path != NULL) {
        return drain_kind_of(drainer->drain, stream->path);
    }
    drain_get_figures(drainer->drain, LAYOUT_MAIN_STREAM, &figures);
    return figures.kind;
}

/* A bound path decides: a missing device must not become a file. Otherwise the existing file or device decides. */
static int make_configured_outlet(const struct drainer *drainer, const struct engine_stream *stream,
                                  struct outlet **outlet) {
    const uint32_t kind = bound_kind(drainer, stream);
    const int is_raw = drainer->parts.raw_media != NULL &&
                       (kind != 0 ? kind == OUTLET_RAW : stream->path != NULL && raw_is_device(stream->path));
    if (is_raw && stream->has_index) {
        return error_set(EINVAL, "index: the log on block device %s gets no index; leave it out", stream->path);
    }
    return is_raw ? make_raw_outlet(drainer, outlet)
                  : make_file_outlet(drainer, &stream->new_file, stream->roller, stream->has_index, outlet);
}

/* The ring's owner may have named any file in it, and may have written the records for that file. */
static int refuse_untrusted_ring_owner(const struct drainer *drainer, const struct outlet_state *state) {
    char bound[LAYOUT_FILE_NAME_BYTES] = "";
    outlet_state_file(state, bound, sizeof bound);
    return error_set(
        EPERM,
        "ring %s is of user %u and names log file %s for the records that wait in it: for another "
        "user root does not write there; move them with `burstlog recover`, which does so with that user's "
        "rights, or open the ring with that log file or as that user",
        drainer->parts.ring_path, drainer->parts.untrusted_ring_owner, bound);
}

/* The main stream may stay where it is bound if the caller names the same file. */
static int may_stay(const struct engine_stream *main, const struct stream_state *state) {
    return state->id == LAYOUT_MAIN_STREAM && main != NULL &&
           (main->path == NULL || strcmp(main->path, state->outlet.path) == 0);
}

/* Refuses to move waiting records to a path that only the ring names. This comes before anything is moved. */
static int check_owner(const struct drainer *drainer, const struct engine_stream *main) {
    const struct checkpoints *checkpoints = drainer->parts.drain.checkpoints;
    const unsigned newest = checkpoints_view(checkpoints)->newest;
    for (unsigned i = 0; drainer->parts.untrusted_ring_owner != 0 && i < checkpoints_streams(checkpoints, newest);
         i++) {
        struct stream_state state;
        checkpoints_stream(checkpoints, newest, i, &state);
        if (!may_stay(main, &state) && state.outlet.path[0] != '\0' && drain_has_waiting(drainer->drain, state.id)) {
            return refuse_untrusted_ring_owner(drainer, &state.outlet);
        }
    }
    return 0;
}

/* Opens the folder that gets the stream's records, too; or ends the one that did. */
static int follow(struct drainer *drainer, const struct engine_stream *stream, uint16_t id) {
    struct drain_stream_config config = {.name = "", .path = stream->segments, .follows = &id};
    uint16_t follower;
    if (stream->segments == NULL) {
        return drain_end_following(drainer->drain, id);
    }
    const int rc = make_segments_outlet(drainer, stream, &config.outlet);
    return rc < 0 ? rc : drain_add_stream(drainer->drain, &config, &follower);
}

static int add_stream(struct drainer *drainer, const struct engine_stream *stream, int is_main, uint16_t *id) {
    struct drain_stream_config config = {
        .name = stream->name, .path = stream->path, .is_main = is_main, .is_tidied = stream->is_tidied};
    int rc = make_configured_outlet(drainer, stream, &config.outlet);
    rc = rc < 0 ? rc : drain_add_stream(drainer->drain, &config, id);
    if (rc < 0 || stream->path == NULL) { /* without a path the stream keeps its folder of segments, too */
        return rc;
    }
    rc = follow(drainer, stream, *id);
    if (rc < 0) {
        drain_remove_stream(drainer->drain, *id);
    }
    return rc;
}

static int open_stream(struct drainer *drainer, const struct engine_stream *stream, int is_main, uint16_t *id) {
    drainer->adds_stream = 1;
    const int rc = add_stream(drainer, stream, is_main, id);
    drainer->adds_stream = 0;
    return rc;
}

int drainer_add_stream(struct drainer *drainer, const struct engine_stream *stream, uint16_t *id) {
    return open_stream(drainer, stream, stream->is_main, id);
}

/* Whether only other streams are bound. Then these are drained. */
static int has_others_only(const struct drainer *drainer) {
    const struct checkpoints *checkpoints = drainer->parts.drain.checkpoints;
    struct drain_figures figures = {.kind = 0};
    drain_get_figures(drainer->drain, LAYOUT_MAIN_STREAM, &figures);
    return figures.kind == 0 && checkpoints_streams(checkpoints, checkpoints_view(checkpoints)->newest) > 1;
}

static int open_main(struct drainer *drainer, const struct engine_stream *main) {
    uint16_t id;
    return main == NULL || (main->path == NULL && has_others_only(drainer)) ? 0 : open_stream(drainer, main, 1, &id);
}

void drainer_remove_stream(struct drainer *drainer, uint16_t id) {
    drain_remove_stream(drainer->drain, id);
}

int drainer_open(struct drainer *drainer, const struct drainer_parts *parts, const struct engine_stream *main) {
    drainer->parts = *parts;
    drainer->absent_roller.ask = ask_for_absent;
    drainer->absent_until_ns = platform_deadline_ns(parts->platform, parts->absent_stream_wait_ns);
    drainer->host = *parts->host; /* the caller's may go */
    drainer->parts.host = &drainer->host;
    drainer->host.make_outlet = make_outlet;
    drainer->parts.drain.host = &drainer->host;
    int rc = drain_open(&drainer->parts.drain, &drainer->drain);
    rc = rc < 0 ? rc : check_owner(drainer, main);
    return rc < 0 ? rc : open_main(drainer, main);
}

void drainer_close(struct drainer *drainer) {
    if (drainer->drain != NULL) {
        drain_close(drainer->drain);
        drainer->drain = NULL;
    }
}
