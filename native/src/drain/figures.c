/* SPDX-License-Identifier: Apache-2.0 */
/* The drain's answers to other threads. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "drain/stream.h"

int drain_get_figures(struct drain *drain, uint16_t id, struct drain_figures *figures) {
    pthread_mutex_lock(&drain->table_lock);
    const struct drain_stream *stream = drain_stream(drain, id);
    if (stream != NULL) {
        const uint64_t drained_sequence = atomic_load(&stream->drained_sequence); /* first: stream_publish_noted */
        *figures = (struct drain_figures){.drained_sequence = drained_sequence,
                                          .records = atomic_load(&stream->records),
                                          .bytes = atomic_load(&stream->bytes),
                                          .length = atomic_load(&stream->length),
                                          .file_number = atomic_load(&stream->file_number),
                                          .file_born_ns = atomic_load(&stream->file_born_ns),
                                          .kind = atomic_load(&stream->kind),
                                          .held_bytes = atomic_load(&stream->held_bytes),
                                          .stalled = atomic_load(&stream->stalled),
                                          .began_empty = atomic_load(&stream->began_empty)};
    }
    pthread_mutex_unlock(&drain->table_lock);
    return stream != NULL ? 0 : -ENOENT;
}

/* Takes the rules that wait. The caller holds the lock. */
static int take_rules(struct drain_stream *stream, struct outlet_rules *rules) {
    const int are_there = stream->has_rules;
    if (are_there) {
        *rules = stream->rules;
        stream->has_rules = 0;
    }
    return are_there;
}

int drain_take_rules(struct drain *drain, uint16_t id, struct outlet_rules *rules) {
    pthread_mutex_lock(&drain->table_lock);
    struct drain_stream *stream = drain_stream(drain, id);
    const int taken = stream != NULL && take_rules(stream, rules);
    pthread_mutex_unlock(&drain->table_lock);
    return taken;
}

int drain_next_rules(struct drain *drain, struct outlet_rules *rules) {
    int id = -ENOENT;
    pthread_mutex_lock(&drain->table_lock);
    EACH_STREAM(drain, stream) {
        if (id < 0 && !stream->is_tidied && take_rules(stream, rules)) {
            id = (int)id_of_stream;
        }
    }
    pthread_mutex_unlock(&drain->table_lock);
    return id;
}

void drain_return_rules(struct drain *drain, uint16_t id) {
    pthread_mutex_lock(&drain->table_lock);
    struct drain_stream *stream = drain_stream(drain, id);
    if (stream != NULL) {
        stream->has_rules = stream->rules.head.bytes > 0;
    }
    pthread_mutex_unlock(&drain->table_lock);
}

uint64_t drain_sequence(struct drain *drain) {
    uint64_t least = UINT64_MAX;
    pthread_mutex_lock(&drain->table_lock);
    EACH_STREAM(drain, stream) {
        const uint64_t sequence = atomic_load(&stream->drained_sequence);
        least = sequence < least ? sequence : least;
    }
    pthread_mutex_unlock(&drain->table_lock);
    return least;
}

uint32_t drain_kind_of(struct drain *drain, const char *path) {
    uint32_t kind = 0;
    EACH_STREAM(drain, stream) {
        if (strcmp(stream->noted.outlet.path, path) == 0) {
            kind = stream->noted.outlet.kind;
        }
    }
    return kind;
}

uint64_t drain_progress(struct drain *drain) {
    uint64_t sum = 0;
    pthread_mutex_lock(&drain->table_lock);
    EACH_STREAM(drain, stream) {
        sum += atomic_load(&stream->drained_sequence);
    }
    pthread_mutex_unlock(&drain->table_lock);
    return sum;
}

int drain_is_stalled(struct drain *drain) {
    uint32_t stalled = 0;
    pthread_mutex_lock(&drain->table_lock);
    EACH_STREAM(drain, stream) {
        stalled |= atomic_load(&stream->stalled);
    }
    pthread_mutex_unlock(&drain->table_lock);
    return stalled != 0;
}

void drain_copy_path(struct drain *drain, uint16_t id, char *path, size_t path_bytes) {
    pthread_mutex_lock(&drain->table_lock);
    const struct drain_stream *stream = drain_stream(drain, id);
    snprintf(path, path_bytes, "%s", stream == NULL ? "" : stream->path);
    pthread_mutex_unlock(&drain->table_lock);
}

int drain_copy_name(struct drain *drain, uint16_t id, char *name, size_t name_bytes) {
    pthread_mutex_lock(&drain->table_lock);
    const struct drain_stream *stream = drain_stream(drain, id);
    if (stream != NULL && stream->name[0] == '\0' && stream->path[0] == '\0') {
        snprintf(name, name_bytes, "stream %u", id); /* another stream has taken its file over */
    } else if (stream != NULL) {
        snprintf(name, name_bytes, "%s", stream->name[0] == '\0' ? stream->path : stream->name);
    }
    pthread_mutex_unlock(&drain->table_lock);
    return stream == NULL ? -ENOENT : 0;
}
