/* SPDX-License-Identifier: Apache-2.0 */
#include "drain/stream.h"

#include <errno.h>
#include <string.h>

#include "base/alarm.h"

void stream_let_go(struct drain_stream *stream) {
    stream->next_at = stream->written;
    stream->next.drained_position = stream->written.walk.position;
    stream->next.next_sequence = stream->written.walk.sequence;
    stream->next.epoch = stream->written.walk.epoch;
}

void stream_rewind(struct drain_stream *stream) {
    stream->next = stream->noted;
    stream->next_at = stream->written = stream->noted_at;
    stream->partly = stream->unsynced = 0;
    stream->must_sync = stream->awaits_note = 0;
}

void stream_begin(struct drain *drain, struct drain_stream *stream) {
    if (stream->awaits_note) {
        struct feed feed;
        stream->awaits_note = 0;
        feed_make(&feed, drain, stream);
        stream->outlet->ops->noted(stream->outlet, &feed.noted);
        stream_publish_path(drain, stream);
        atomic_store(&stream->length, stream->outlet->ops->length(stream->outlet));
    }
}

int stream_is_done(const struct drain_stream *stream, uint64_t durable) {
    return stream->noted_at.walk.position >= durable &&
           (!stream->is_open || stream->outlet->ops->is_open(stream->outlet));
}

/* A state that no checkpoint has room for is this stream's trouble alone: all checkpoints of the others must go on. */
static int note(struct drain *drain, struct drain_stream *stream, const struct outlet_state *state) {
    const struct stream_state *states[LAYOUT_STREAMS_MAX];
    stream_let_go(stream);
    stream->next.outlet = *state;
    const unsigned count = drain_states(drain, states);
    const int rc = checkpoints_make_room(drain->parts.checkpoints, states, count);
    if (rc < 0) {
        stream_rewind(stream);
        return rc;
    }
    stream->awaits_note = 1;
    if (memcmp(state, &stream->noted.outlet, sizeof *state) != 0) {
        drain->wanted = LAYOUT_CHECKPOINT_SLOTS;
    } else {
        stream_begin(drain, stream); /* both slots already have this state */
    }
    return 1;
}

int stream_obey(struct drain *drain, struct drain_stream *stream, int answer, const struct outlet_state *state) {
    switch (answer) {
    case OUTLET_SYNC:
        stream->must_sync = 1;
        return 1;
    case OUTLET_REWIND:
        stream_rewind(stream);
        return 1;
    case OUTLET_NOTE:
    case OUTLET_MOVE:
        return note(drain, stream, state);
    default:
        return answer;
    }
}

/* Writes the batch. Its first `partly` bytes are already in the outlet. Returns 1 if this or anything else was done, or
 * -errno. */
static int write_batch(struct drain *drain, struct drain_stream *stream, size_t used) {
    const struct outlet_ops *ops = stream->outlet->ops;
    struct outlet_state state;
    struct feed feed;
    feed_make(&feed, drain, stream);
    while (stream->partly < used) {
        const uint8_t *data = drain->batch + stream->partly;
        const size_t bytes = used - stream->partly;
        const int answer = ops->ready(stream->outlet, &feed.noted, data, bytes, stream->partly > 0, &state);
        if (answer != OUTLET_READY) {
            return stream_obey(drain, stream, answer, &state);
        }
        const int64_t written = ops->write(stream->outlet, data, bytes);
        if (written < 0) {
            return (int)written;
        }
        stream->partly += (uint64_t)written;
        stream->unsynced += (uint64_t)written;
    }
    atomic_fetch_add_explicit(&stream->bytes, used, memory_order_relaxed);
    return 1;
}

/* No bytes are waiting. If an open stream has lost its destination, it takes the next one now. */
static int keep_open(struct drain *drain, struct drain_stream *stream) {
    const struct outlet_ops *ops = stream->outlet == NULL ? NULL : stream->outlet->ops;
    struct outlet_state state;
    struct feed feed;
    if (!stream->is_open || ops == NULL || ops->is_open(stream->outlet)) {
        return 0;
    }
    feed_make(&feed, drain, stream);
    return stream_obey(drain, stream, ops->ready(stream->outlet, &feed.noted, NULL, 0, 0, &state), &state);
}

/* Notes the time when `written` moves ahead of `noted`. */
static void leave_noted(const struct drain *drain, struct drain_stream *stream) {
    if (stream->written.walk.position == stream->noted_at.walk.position && stream->partly == 0) {
        stream->unnoted_since_ns = platform_monotonic_ns(drain->parts.platform);
    }
}

/* The log's own records cannot be read. Returns rc. */
static int cannot_read(const struct drain *drain, struct drain_stream *stream, int rc) {
    const struct drain_host *host = drain->parts.host;
    const struct log_source *source = drain->parts.source;
    if (rc == -EIO && source->ops->has_lost_pages != NULL && source->ops->has_lost_pages(source)) {
        stream->is_unreadable = host->unreadable != NULL && host->unreadable(host->argument);
    }
    return rc;
}

/* Performs the roll at the cursor, which is no part of any batch. Everything before the roll is noted first. */
static int roll(struct drain *drain, struct drain_stream *stream) {
    struct log_cursor after = stream->written;
    struct outlet_roll_record record;
    struct outlet_state state;
    struct feed feed;
    if (stream->unsynced > 0 || stream->written.walk.position != stream->noted_at.walk.position) {
        stream->must_sync = 1;
        return 1;
    }
    int rc = batch_roll(drain, &after, &record);
    if (rc < 0) {
        return cannot_read(drain, stream, rc);
    }
    feed_make(&feed, drain, stream);
    rc = stream->outlet->ops->roll(stream->outlet, &feed.noted, &record, &state);
    if (rc != OUTLET_READY) {
        return stream_obey(drain, stream, rc, &state);
    }
    leave_noted(drain, stream);
    stream->written = after;
    stream->unsynced++; /* even if no byte was written: the outlet hands up its new state at the sync */
    atomic_store(&stream->length, stream->outlet->ops->length(stream->outlet));
    return 1;
}

static int move(struct drain *drain, struct drain_stream *stream, uint64_t until) {
    struct log_cursor after = stream->written;
    uint64_t records = 0;
    const int64_t used = batch_make(drain, stream, &after, until, &records);
    if (used == BATCH_IS_AT_ROLL) {
        return roll(drain, stream);
    }
    if (used < 0) {
        return cannot_read(drain, stream, (int)used);
    }
    /* The outlet has more of the batch: `until` went back (drain_copied_reach, stream_reach), or the log cannot be read
     * so far any more. The rest of the batch is still to come. */
    if ((uint64_t)used < stream->partly) {
        return after.walk.position < until ? cannot_read(drain, stream, -EIO) : 0;
    }
    if (after.walk.position == stream->written.walk.position) {
        return keep_open(drain, stream);
    }
    leave_noted(drain, stream);
    if (used > 0) {
        const int rc = write_batch(drain, stream, (size_t)used);
        if (rc < 0 || stream->partly < (uint64_t)used) {
            return rc;
        }
        atomic_fetch_add_explicit(&stream->records, records, memory_order_relaxed);
        atomic_store(&stream->length, stream->outlet->ops->length(stream->outlet));
    } else if (records > 0 && stream->outlet->ops->is_open(stream->outlet)) {
        stream->unsynced++; /* they have no bytes, but the outlet's index has them */
    }
    stream->written = after;
    stream->partly = 0;
    return 1;
}

int stream_move(struct drain *drain, struct drain_stream *stream, uint64_t until) {
    if (stream->rc < 0 || stream->awaits_note) {
        return 0;
    }
    const int rc = move(drain, stream, until);
    if (rc < 0) {
        stream->rc = rc;
        return 0;
    }
    return rc;
}

int stream_sync(struct drain *drain, struct drain_stream *stream) {
    stream->must_sync = 0;
    if (stream->unsynced > 0) {
        struct feed feed;
        feed_make(&feed, drain, stream);
        const int answer = stream->outlet->ops->sync(stream->outlet, &feed.noted, &stream->next.outlet);
        if (answer != OUTLET_READY) {
            stream_rewind(stream); /* the outlet has left its destination */
            stream->rc = answer < 0 ? answer : 0;
            stream->is_unreadable = 0; /* it has records again that can be read */
            return 0;
        }
        stream->unsynced = 0;
    }
    stream_let_go(stream);
    return 1;
}

/* Tells the host of rules that wait, unless the opener of the stream takes them. */
static void tell_rolled(const struct drain *drain, int are_left) {
    const struct drain_host *host = drain->parts.host;
    if (are_left && host->rolled != NULL) {
        host->rolled(host->argument);
    }
}

static void publish_rules(struct drain *drain, struct drain_stream *stream) {
    pthread_mutex_lock(&drain->table_lock);
    stream->rules = stream->noted.outlet.rules;
    stream->has_rules = stream->rules.head.bytes > 0;
    const int are_left = stream->has_rules && !stream->is_tidied;
    pthread_mutex_unlock(&drain->table_lock);
    tell_rolled(drain, are_left);
}

void stream_publish_tidied(struct drain *drain, struct drain_stream *stream, int is_tidied) {
    pthread_mutex_lock(&drain->table_lock);
    stream->is_tidied = is_tidied;
    const int are_left = stream->has_rules && !is_tidied;
    pthread_mutex_unlock(&drain->table_lock);
    tell_rolled(drain, are_left);
}

void stream_publish_noted(struct drain *drain, struct drain_stream *stream) {
    const struct outlet_state *outlet = &stream->noted.outlet;
    if (outlet->roll.file_number != atomic_load(&stream->file_number)) {
        publish_rules(drain, stream);
    }
    atomic_store(&stream->file_number, outlet->roll.file_number);
    atomic_store(&stream->file_born_ns, outlet->roll.born_ns);
    atomic_store(&stream->kind, outlet->path[0] == '\0' ? 0 : outlet->kind);
    /* The last: who sees that a roll has been passed sees the file's number, too. */
    atomic_store(&stream->drained_sequence, stream->noted.next_sequence - 1);
}

void stream_publish_path(struct drain *drain, struct drain_stream *stream) {
    pthread_mutex_lock(&drain->table_lock);
    stream->path[0] = '\0';
    if (stream->outlet != NULL) {
        stream->outlet->ops->copy_path(stream->outlet, stream->path, sizeof stream->path);
    }
    pthread_mutex_unlock(&drain->table_lock);
}

static void tell_stalled(struct drain *drain, struct drain_stream *stream) {
    const int64_t now_ns = platform_monotonic_ns(drain->parts.platform);
    if (stream->told_rc == 0) {
        stream->stalled_since_ns = now_ns;
    }
    if (stream->told_rc != stream->rc || now_ns - stream->stall_told_ns >= ALARM_EVERY_NS) {
        stream->stall_told_ns = now_ns;
        stream->outlet->ops->tell_stalled(stream->outlet, stream->rc, now_ns - stream->stalled_since_ns,
                                          atomic_load(&stream->held_bytes));
    }
    stream->told_rc = stream->rc;
}

/* Whether a caller performs a roll: that may take a while, and is no stall. */
static int is_waiting(const struct drain *drain, struct drain_stream *stream) {
    const int64_t now_ns = platform_monotonic_ns(drain->parts.platform);
    if (stream->rc != -EINPROGRESS) {
        stream->waits_since_ns = 0;
    } else if (stream->waits_since_ns == 0) {
        stream->waits_since_ns = now_ns;
    }
    return stream->rc == -EINPROGRESS && now_ns - stream->waits_since_ns < ALARM_EVERY_NS;
}

void stream_tell(struct drain *drain, struct drain_stream *stream) {
    const uint64_t noted = stream->noted_at.walk.position;
    atomic_store(&stream->held_bytes, drain->durable > noted ? drain->durable - noted : 0);
    if (stream->is_unreadable || stream->outlet == NULL || is_waiting(drain, stream)) {
        return;
    }
    if (stream->rc < 0) {
        tell_stalled(drain, stream);
    } else if (stream->told_rc != 0 && stream->partly == 0) {
        stream->told_rc = 0;
        stream->outlet->ops->tell_going(stream->outlet);
    }
    atomic_store(&stream->stalled, stream->told_rc != 0);
}

void stream_rest(const struct drain *drain, struct drain_stream *stream) {
    if (!stream->is_open && stream->outlet != NULL && stream_is_done(stream, drain->durable)) {
        stream->outlet->ops->close(stream->outlet);
    }
}
