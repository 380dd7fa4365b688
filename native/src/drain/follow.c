/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that get the records of another one, too, and closing a stream with its follower. */
#include "drain/stream.h"

struct drain_stream *stream_follower(const struct drain *drain, uint16_t id) {
    EACH_STREAM(drain, stream) {
        if (stream_follows(stream) && stream_source(&stream->noted) == id) {
            return stream;
        }
    }
    return NULL;
}

int drain_end_following(struct drain *drain, uint16_t id) {
    const struct drain_host *host = drain->parts.host;
    struct drain_stream *follower = stream_follower(drain, id);
    if (follower == NULL) {
        return 0;
    }
    const int rc = drain_stream_dry(drain, follower);
    if (rc < 0) {
        return stream_refuse_to_move(follower, rc);
    }
    stream_unbind(follower);
    stream_publish_path(drain, follower);
    drain->wanted = LAYOUT_CHECKPOINT_SLOTS;
    const int noted = drain_checkpoint(drain);
    if (noted > 0) {
        host->noted(host->argument);
    }
    return noted < 0 ? noted : 0;
}

static void close_stream(struct drain *drain, struct drain_stream *stream) {
    if (stream != NULL && stream->is_open) {
        stream->is_open = 0;
        drain_step(drain, 1);
        if (stream->unsynced > 0 || stream->awaits_note) {
            stream_rewind(stream);
        }
        stream->outlet->ops->close(stream->outlet);
        stream_publish_tidied(drain, stream, 0);
    }
}

void drain_remove_stream(struct drain *drain, uint16_t id) {
    close_stream(drain, drain_stream(drain, id));
    close_stream(drain, stream_follower(drain, id));
}
