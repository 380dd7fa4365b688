/* SPDX-License-Identifier: Apache-2.0 */
/* The records that wait for a stream, and moving them before its destination changes. */
#include "base/error.h"
#include "drain/stream.h"

int stream_has_waiting(const struct drain *drain, const struct drain_stream *stream) {
    struct log_cursor cursor = stream->written;
    struct log_item item;
    while (log_source_next(drain->parts.source, &cursor, drain->durable, &item) == 1) {
        if (item.kind == LOG_LOSS ? item.gap.count > 0 : stream_takes(stream, &item.header)) {
            return 1;
        }
    }
    return stream->unsynced > 0;
}

int drain_has_waiting(struct drain *drain, uint16_t id) {
    const struct drain_stream *stream = drain_stream(drain, id);
    drain_look(drain);
    return stream != NULL && stream_has_waiting(drain, stream);
}

int stream_dry_as_copied(struct drain *drain, const struct drain_stream *stream) {
    drain_look(drain);
    const uint64_t durable = drain->durable;
    for (;;) {
        const uint64_t until = stream_reach(drain, stream, drain_copied_reach(drain));
        if (stream_is_done(stream, until < durable ? until : durable)) {
            return 0;
        }
        drain_step(drain, 1);
        if (drain->checkpoint_rc < 0 || stream->rc < 0) {
            return drain->checkpoint_rc < 0 ? drain->checkpoint_rc : stream->rc;
        }
    }
}

int drain_stream_dry(struct drain *drain, struct drain_stream *stream) {
    stream->is_drying = 1;
    const int rc = stream_dry_as_copied(drain, stream);
    stream->is_drying = 0;
    return rc;
}

int stream_refuse_to_move(const struct drain_stream *stream, int rc) {
    char path[LAYOUT_FILE_NAME_BYTES];
    stream->outlet->ops->copy_path(stream->outlet, path, sizeof path);
    return error_set(-rc,
                     "the ring holds records for log file %s, which cannot be written: %s; make it writable, "
                     "or open the ring with that name",
                     path, error_name(-rc));
}
