/* SPDX-License-Identifier: Apache-2.0 */
/* The table of streams: opening the drain, adding a stream and removing one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "drain/stream.h"

static const struct platform *platform_of(const struct drain *drain) {
    return drain->parts.platform;
}

static void destroy_outlet(struct outlet **outlet) {
    if (*outlet != NULL) {
        (*outlet)->ops->destroy(*outlet);
        *outlet = NULL;
    }
}

void stream_unbind(struct drain_stream *stream) {
    destroy_outlet(&stream->outlet);
    stream->next.outlet = (struct outlet_state){.kind = stream->noted.outlet.kind};
    stream->next.follows = 0;
}

static void stand_at(struct drain *drain, struct drain_stream *stream, const struct stream_state *state) {
    stream->noted = stream->next = *state;
    stream->noted_at = stream->next_at = stream->written =
        log_source_at(drain->parts.source, state->drained_position, state->next_sequence, state->epoch);
    stream_publish_noted(drain, stream);
}

static struct drain_stream *stream_allocate(const struct drain *drain) {
    struct drain_stream *stream = platform_allocate(platform_of(drain), sizeof *stream, PLATFORM_PLAIN);
    if (stream == NULL) {
        error_set(ENOMEM, "no memory for a stream of the drain: %zu bytes", sizeof *stream);
    }
    return stream;
}

static void stream_free(const struct drain *drain, struct drain_stream *stream) {
    destroy_outlet(&stream->outlet);
    platform_release(platform_of(drain), stream, sizeof *stream);
}

/* Makes the outlet of a stream's noted destination. It opens when there are bytes for it. */
static int give_outlet(const struct drain *drain, struct drain_stream *stream) {
    const struct drain_host *host = drain->parts.host;
    return stream->noted.outlet.path[0] == '\0'
               ? 0
               : host->make_outlet(host->argument, &stream->noted.outlet, &stream->outlet);
}

static int read_streams(struct drain *drain) {
    const struct checkpoints *checkpoints = drain->parts.checkpoints;
    const unsigned newest = checkpoints_view(checkpoints)->newest;
    for (unsigned i = 0; i < checkpoints_streams(checkpoints, newest); i++) {
        struct stream_state state;
        struct drain_stream *stream = stream_allocate(drain);
        if (stream == NULL) {
            return -ENOMEM;
        }
        checkpoints_stream(checkpoints, newest, i, &state);
        snprintf(stream->name, sizeof stream->name, "%s", state.name);
        snprintf(stream->path, sizeof stream->path, "%s", state.outlet.path);
        stand_at(drain, stream, &state);
        drain->streams[state.id] = stream;
        const int rc = give_outlet(drain, stream);
        if (rc < 0) {
            return rc;
        }
    }
    return 0;
}

/* The place of the stream that has drained the least. */
static struct log_cursor least(const struct drain *drain) {
    struct log_cursor cursor = {.walk = {.position = UINT64_MAX}};
    EACH_STREAM(drain, stream) {
        if (stream->noted_at.walk.position < cursor.walk.position) {
            cursor = stream->noted_at;
        }
    }
    return cursor;
}

int drain_open(const struct drain_parts *parts, struct drain **drain_out) {
    struct drain *drain = platform_allocate(parts->platform, sizeof *drain, PLATFORM_PLAIN);
    if (drain == NULL) {
        return error_set(ENOMEM, "no memory for the drain: %zu bytes", sizeof *drain);
    }
    uint64_t next_sequence;
    drain->parts = *parts;
    pthread_mutex_init(&drain->table_lock, NULL);
    atomic_store(&drain->give_up_ns, INT64_MAX);
    parts->source->ops->durable(parts->source, &drain->durable, &next_sequence);
    drain->batch_room = align_up(DRAIN_BATCH_BYTES + parts->longest + RECORD_LOSS_BYTES, 4096);
    drain->batch = platform_allocate(parts->platform, drain->batch_room, PLATFORM_PLAIN);
    int rc = drain->batch != NULL ? 0 : error_set(ENOMEM, "no memory for the drain: %zu bytes", drain->batch_room);
    rc = rc < 0 ? rc : read_streams(drain);
    if (rc < 0) {
        drain_close(drain);
        return rc;
    }
    *drain_out = drain;
    return 0;
}

void drain_close(struct drain *drain) {
    EACH_STREAM(drain, stream) {
        stream_free(drain, stream);
    }
    if (drain->batch != NULL) {
        platform_release(platform_of(drain), drain->batch, drain->batch_room);
    }
    platform_release(platform_of(drain), drain, sizeof *drain);
}

/* Moves the stream, for which nothing waits, up to the watermark, so that it need not look there again. While this
 * epoch's marker may give way (drain_reach), the stream must not be the first behind it: a step later takes all streams
 * there. */
static void pass(const struct drain *drain, struct drain_stream *stream) {
    uint64_t until = drain->parts.is_apart ? drain_reach(drain) : drain->durable;
    EACH_STREAM(drain, other) {
        if (other != stream && other->noted_at.walk.position < until && drain->durable <= drain->parts.epoch_begin) {
            until = drain->parts.source->recovery->log_end;
        }
    }
    struct log_item item;
    while (log_source_next(drain->parts.source, &stream->written, until, &item) == 1) {
    }
}

/* Does at once what the outlet has answered, with the checkpoints and the release that follow. Returns 0 or -errno. */
static int obey_at_once(struct drain *drain, struct drain_stream *stream, int answer,
                        const struct outlet_state *state) {
    const struct drain_host *host = drain->parts.host;
    const int rc = stream_obey(drain, stream, answer, state);
    const int noted = rc < 0 ? rc : drain_checkpoint(drain);
    if (noted > 0) {
        host->noted(host->argument);
    }
    return noted < 0 ? noted : 0;
}

static int bind(struct drain *drain, struct drain_stream *stream, const char *path) {
    struct outlet_state state;
    struct feed feed;
    feed_make(&feed, drain, stream);
    const int rc = stream->outlet->ops->bind(stream->outlet, path, &feed.noted, &state);
    if (rc < 0) {
        return rc;
    }
    if (!stream_has_waiting(drain, stream)) {
        pass(drain, stream);
    }
    return obey_at_once(drain, stream, rc, &state);
}

/* Calls `open` once and obeys. Returns the outlet's answer, or -errno. */
static int ask_open(struct drain *drain, struct drain_stream *stream, int moved) {
    struct outlet_state state;
    struct feed feed;
    feed_make(&feed, drain, stream);
    const int answer = stream->outlet->ops->open(stream->outlet, &feed.noted, moved, &state);
    const int rc = obey_at_once(drain, stream, answer, &state);
    return rc < 0 ? rc : answer;
}

/* Finds the destination again. If the log is in another place than configured, the drain brings that up to date and
 * asks again; then the outlet goes back if it can. */
static int find_again(struct drain *drain, struct drain_stream *stream) {
    int answer = ask_open(drain, stream, OUTLET_NOT_MOVED);
    while (answer == OUTLET_MOVE || answer == OUTLET_SYNC || answer == OUTLET_REWIND) {
        const int moved = answer == OUTLET_MOVE ? drain_stream_dry(drain, stream) : stream_dry_as_copied(drain, stream);
        if (drain->checkpoint_rc < 0) {
            return drain->checkpoint_rc;
        }
        answer = ask_open(drain, stream, moved);
    }
    return answer < 0 ? answer : 0;
}

/* No record waits for the stream. If others have moved its destination away, the next one begins now, and not with the
 * next record. */
static int look_at(struct drain *drain, struct drain_stream *stream) {
    struct outlet_state state;
    struct feed feed;
    feed_make(&feed, drain, stream);
    const int rc = stream->outlet->ops->ready(stream->outlet, &feed.noted, NULL, 0, 0, &state);
    return rc < 0 ? 0 : obey_at_once(drain, stream, rc, &state); /* a step will tell about a stall */
}

/* Moves the waiting records to the destination that the stream is bound to, by an outlet made for it. Returns 0, or
 * -errno with a sentence. */
static int drain_where_bound(struct drain *drain, struct drain_stream *stream) {
    struct outlet *configured = stream->outlet;
    stream->outlet = NULL;
    int rc = give_outlet(drain, stream);
    if (rc == 0) {
        rc = ask_open(drain, stream, OUTLET_NOT_MOVED);
        const int dry = rc < 0 ? 0 : drain_stream_dry(drain, stream);
        rc = dry < 0 ? stream_refuse_to_move(stream, dry) : rc < 0 ? rc : 0;
        destroy_outlet(&stream->outlet);
    }
    stream->outlet = configured;
    return rc;
}

/* Opens the stream with the configured outlet, which has taken the place of the one that it had. */
static int open_stream(struct drain *drain, struct drain_stream *stream, const struct drain_stream_config *config) {
    const char *bound = stream->noted.outlet.path;
    const int is_bound_here = config->path == NULL || strcmp(config->path, bound) == 0;
    if (bound[0] == '\0' && config->path == NULL) {
        return error_set(EINVAL, "the ring was never opened with a log file: there is nothing to move");
    }
    if (bound[0] == '\0' || (!is_bound_here && !stream_has_waiting(drain, stream))) {
        return bind(drain, stream, config->path); /* nobody looks at the old file any more */
    }
    if (!is_bound_here) {
        const int rc = drain_where_bound(drain, stream);
        return rc < 0 ? rc : bind(drain, stream, config->path);
    }
    const int rc = find_again(drain, stream);
    return rc < 0 || stream_has_waiting(drain, stream) ? rc : look_at(drain, stream);
}

static struct drain_stream *find_stream(const struct drain *drain, const struct drain_stream_config *config) {
    if (config->is_main) {
        return drain_stream(drain, LAYOUT_MAIN_STREAM);
    }
    if (config->follows != NULL) {
        return stream_follower(drain, *config->follows);
    }
    EACH_STREAM(drain, stream) {
        const struct stream_state *noted = &stream->noted;
        if (noted->id != LAYOUT_MAIN_STREAM && !stream_follows(stream) && strcmp(noted->name, config->name) == 0 &&
            (config->name[0] != '\0' || (config->path != NULL && strcmp(noted->outlet.path, config->path) == 0))) {
            return stream;
        }
    }
    return NULL;
}

/* Frees the path if another stream is bound to it: moves that stream's records there first, and then unbinds it, unless
 * it is open. The next checkpoint notes that together with the stream that takes over. */
static int take_over(struct drain *drain, const struct drain_stream *taker, const char *path) {
    EACH_STREAM(drain, stream) {
        if (stream == taker || path == NULL || strcmp(stream->noted.outlet.path, path) != 0) {
            continue;
        }
        if (stream->is_open) {
            return error_set(EBUSY,
                             "log file %s is written by %s%s of the same ring: give every stream a file of its own",
                             path, stream->noted.name[0] == '\0' ? "another stream" : "stream ", stream->noted.name);
        }
        const int rc = drain_stream_dry(drain, stream);
        if (rc < 0) {
            return stream_refuse_to_move(stream, rc);
        }
        stream_unbind(stream);
    }
    return 0;
}

/* Binds the streams again that take_over unbound. */
static void take_back(struct drain *drain) {
    EACH_STREAM(drain, stream) {
        if (stream->outlet == NULL && stream->noted.outlet.path[0] != '\0' && give_outlet(drain, stream) == 0) {
            stream->next.outlet = stream->noted.outlet;
            stream->next.follows = stream->noted.follows;
        }
    }
}

/* The streams whose records the second copy may yet get, a bit each by its id. */
static uint64_t owed(struct drain *drain) {
    const struct drain_host *host = drain->parts.host;
    if (host->owed == NULL) {
        return 0;
    }
    drain_look(drain);
    const uint64_t durable = drain->durable;
    while (drain_copied_reach(drain) == drain_reach(drain) && drain_step(drain, 1) > 0 &&
           least(drain).walk.position < durable) {
        /* A copy that is away gets nothing before the newest checkpoint. */
    }
    return host->owed(host->argument);
}

/* Finds an id that no stream has; else the id of a stream that is not open, and whose records are where they belong: the
 * second copy would get them under the new stream's name. */
static int free_id(struct drain *drain, const struct drain_stream_config *config) {
    if (config->is_main) {
        return LAYOUT_MAIN_STREAM;
    }
    for (unsigned id = LAYOUT_MAIN_STREAM + 1; id < LAYOUT_STREAMS_MAX; id++) {
        if (drain_stream(drain, id) == NULL) {
            return (int)id;
        }
    }
    const uint64_t streams_owed = owed(drain);
    int is_owed = 0;
    for (unsigned id = LAYOUT_MAIN_STREAM + 1; id < LAYOUT_STREAMS_MAX; id++) {
        struct drain_stream *stream = drain_stream(drain, id);
        if (stream->is_open) {
            continue;
        }
        if (streams_owed >> id & 1) {
            is_owed = 1;
        } else if (stream_dry_as_copied(drain, stream) == 0 && !stream_has_waiting(drain, stream)) {
            return (int)id;
        }
    }
    return error_set(
        ENOSPC, "a ring has at most %u streams, and all of them are open or hold records%s", LAYOUT_STREAMS_MAX,
        is_owed ? ", some of which its second copy may yet get: try again when the copy has them" : ": close one");
}

/* Makes a stream that is in no checkpoint yet. Its records come behind those that are durable now. */
static int new_stream(struct drain *drain, const struct drain_stream_config *config, struct drain_stream **added) {
    const int id = free_id(drain, config);
    if (id < 0) {
        return id;
    }
    struct drain_stream *stream = stream_allocate(drain);
    if (stream == NULL) {
        return -ENOMEM;
    }
    const struct drain_stream *before = drain_stream(drain, (unsigned)id);
    stream->written = before != NULL ? before->noted_at : least(drain);
    pass(drain, stream);
    stream_let_go(stream);
    stream->next.id = (uint16_t)id;
    stream->next.follows = config->follows != NULL ? (uint16_t)(*config->follows + 1) : 0;
    snprintf(stream->next.name, sizeof stream->next.name, "%s", config->name);
    snprintf(stream->name, sizeof stream->name, "%s", config->name);
    stream->noted = stream->next;
    stream->noted_at = stream->next_at;
    *added = stream;
    return 0;
}

/* Puts the stream into the table, and returns the one that had the place. */
static struct drain_stream *put_stream(struct drain *drain, unsigned id, struct drain_stream *stream) {
    pthread_mutex_lock(&drain->table_lock);
    struct drain_stream *before = drain->streams[id];
    drain->streams[id] = stream;
    pthread_mutex_unlock(&drain->table_lock);
    return before;
}

/* Opens the stream with the configured outlet. Closes the old outlet, but frees it only after that has succeeded. */
static int open_with(struct drain *drain, struct drain_stream *stream, const struct drain_stream_config *config) {
    struct outlet *before = stream->outlet;
    const int is_idle = !stream_has_waiting(drain, stream);
    if (before != NULL) {
        before->ops->close(before);
        stream_rewind(stream); /* unsynced bytes are not noted: the new outlet writes them again */
    }
    stream->outlet = config->outlet;
    stream->is_open = 1;
    stream_publish_tidied(drain, stream, config->is_tidied);
    const int rc = open_stream(drain, stream, config);
    if (rc < 0) {
        stream->outlet = before;
        stream->is_open = 0;
        stream_publish_tidied(drain, stream, 0);
        stream_rewind(stream);
        return rc;
    }
    destroy_outlet(&before);
    atomic_store(&stream->length, stream->outlet->ops->length(stream->outlet));
    atomic_store(&stream->began_empty, is_idle && atomic_load(&stream->length) == 0);
    stream_publish_path(drain, stream);
    return 0;
}

static int add_stream(struct drain *drain, const struct drain_stream_config *config, uint16_t *id) {
    struct drain_stream *stream = find_stream(drain, config), *replaced = NULL;
    const int is_new = stream == NULL;
    if (!is_new && stream->is_open) {
        return error_set(
            EBUSY,
            "stream \"%s\" of this ring is open already: let all that write this log file share the one that "
            "has it open, or give each a file of its own",
            config->name[0] == '\0' ? config->path : config->name);
    }
    int rc = take_over(drain, stream, config->path);
    rc = rc == 0 && is_new ? new_stream(drain, config, &stream) : rc;
    if (rc < 0) {
        return rc;
    }
    *id = stream->next.id;
    if (is_new) {
        replaced = put_stream(drain, *id, stream);
    }
    rc = open_with(drain, stream, config);
    if (rc < 0 && is_new) {
        put_stream(drain, *id, replaced);
        replaced = stream;
    }
    if (replaced != NULL) {
        stream_free(drain, replaced);
    }
    return rc;
}

int drain_add_stream(struct drain *drain, const struct drain_stream_config *config, uint16_t *id) {
    struct outlet *outlet = config->outlet;
    drain_look(drain);
    const int rc = add_stream(drain, config, id);
    if (rc < 0) {
        take_back(drain);
        destroy_outlet(&outlet);
    }
    return rc;
}
