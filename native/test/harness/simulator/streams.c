/* SPDX-License-Identifier: Apache-2.0 */
/* The streams of a log beside its main stream. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "harness/simulator/log.h"

void log_forget_streams(struct world *world) {
    for (unsigned which = 1; which < STREAMS_MAX; which++) {
        world->streams[which].is_open = 0;
    }
    world->writes_to = 0;
}

void log_write_to(struct world *world, unsigned which) {
    if (which > 0 && !world->streams[which].is_open) {
        violation(world, "the scenario writes to stream %u, which is not open", which);
    }
    world->writes_to = which;
}

int log_open_stream(struct world *world, unsigned which, const char *name, const char *path) {
    struct sim_stream *stream = &world->streams[which];
    const struct engine_stream config = {.name = name,
                                         .path = path,
                                         .segments = stream->has_segments ? SEGMENTS_FOLDER : NULL,
                                         .segment_bytes = SIM_SEGMENT_BYTES,
                                         .roller = sim_roller_of(world, which)};
    world->has_streams = 1;
    stream->name = name;
    stream->path = path;
    sim_copy_stream_opens(world, stream);
    const int rc = engine_add_stream(world->engine, &config, &stream->id);
    sim_copy_end_step(world);
    log_note_durable(world); /* closing a stream commits what is enqueued */
    stream->is_open = rc == 0;
    return rc;
}

void log_close_stream(struct world *world, unsigned which) {
    struct sim_stream *stream = &world->streams[which];
    engine_remove_stream(world->engine, stream->id);
    stream->is_open = 0;
    stream->path = NULL;
    world->writes_to = world->writes_to == which ? 0 : world->writes_to;
}

static int is_taken(const struct world *world, const struct sim_stream *stream) {
    for (unsigned which = 1; which < STREAMS_MAX; which++) {
        const struct sim_stream *other = &world->streams[which];
        if (other->is_open && (strcmp(other->path, stream->path) == 0 ||
                               (stream->name[0] != '\0' && strcmp(other->name, stream->name) == 0))) {
            return 1;
        }
    }
    return 0;
}

void log_open_wanted(struct world *world) {
    for (unsigned which = 1; which < STREAMS_MAX; which++) {
        const struct sim_stream *stream = &world->streams[which];
        const char *name = stream->name == NULL ? "given a file" : stream->name;
        if (stream->path == NULL || stream->is_open) {
            continue;
        }
        const struct sim_stream wanted = {.name = name, .path = stream->path};
        if (!is_taken(world, &wanted) && log_open_stream(world, which, name, stream->path) < 0) {
            violation(world, "stream \"%s\" cannot be opened with %s: %s", name, wanted.path, error_text());
        }
    }
}

void log_check_drained(struct world *world, unsigned which) {
    struct drain_figures figures;
    if (drain_get_figures(world->engine->drainer.drain, world->streams[which].id, &figures) < 0) {
        violation(world, "the drain does not know stream %u", which);
    }
    if (figures.held_bytes != 0) {
        violation(world, "%llu bytes of the ring wait for stream %u, whose file can be written",
                  (unsigned long long)figures.held_bytes, which);
    }
}
