/* SPDX-License-Identifier: Apache-2.0 */
/* A stream as the drain has it, and the drain as its own files see it. */
#ifndef BURST_DRAIN_STREAM_H
#define BURST_DRAIN_STREAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "drain/drain.h"

struct drain_stream {
    struct stream_state noted; /* what the newest checkpoint says */
    struct stream_state next;  /* what the next one is to say */
    struct log_cursor noted_at, next_at;
    struct log_cursor written; /* whole batches up to here are in the outlet */
    uint64_t partly;          /* bytes of the batch behind it that are there too: that one stalled, and is made again */
    uint64_t unsynced;        /* bytes written since the last sync */
    int64_t unnoted_since_ns; /* when `written` left `noted` */
    struct outlet *outlet;    /* NULL: bound to nothing */
    int is_open;              /* somebody may append to it */
    int must_sync;            /* the outlet asks for it */
    int awaits_note;          /* no byte before both slots have `next` */
    int rc;                   /* of this step: it stalls */
    int is_unreadable;        /* that is why, and it is told */
    int told_rc;              /* of the stall that was told, or 0 */
    int64_t stalled_since_ns;
    int64_t stall_told_ns;
    int64_t waits_since_ns; /* for somebody else to perform a roll; 0: it does not */
    _Atomic uint64_t drained_sequence, records, bytes, length, held_bytes;
    _Atomic uint64_t file_number;
    _Atomic int64_t file_born_ns;
    _Atomic uint32_t stalled, began_empty, kind;
    char path[LAYOUT_FILE_NAME_BYTES]; /* of the destination, under drain->table_lock */
};

struct drain {
    struct drain_parts parts;
    pthread_mutex_t table_lock; /* of figures and paths, and of the table when it changes: never held for long */
    struct drain_stream *streams[LAYOUT_STREAMS_MAX]; /* by id */
    uint8_t *batch;
    size_t batch_room;   /* at least the largest record and a loss */
    uint64_t durable;    /* the watermark when this step began */
    unsigned wanted;     /* checkpoints that are to be written */
    int older_is_behind; /* the older slot says less than the newer one */
    int ledger_rc;       /* of the last checkpoint */
    _Atomic int64_t give_up_ns;
};

static inline struct drain_stream *drain_stream(const struct drain *drain, unsigned id) {
    return id < LAYOUT_STREAMS_MAX ? drain->streams[id] : NULL;
}

/* Whether it gets the record. */
static inline int stream_takes(const struct drain_stream *stream, const struct record_header *header) {
    return header->stream == stream_source(&stream->noted);
}

static inline int stream_follows(const struct drain_stream *stream) {
    return stream->noted.follows != 0;
}

/* The stream that gets the records of that one as well, or NULL. */
struct drain_stream *stream_follower(const struct drain *drain, uint16_t id);

/* Steps until everything that is durable now is in the outlet of the stream. 0 or -errno. */
int drain_stream_dry(struct drain *drain, const struct drain_stream *stream);

/* It is bound to nothing from the next checkpoint on. */
void stream_unbind(struct drain_stream *stream);

/* The records that wait for the stream do not go where it is bound to: -errno with a sentence. */
int stream_refuse_to_move(const struct drain_stream *stream, int rc);

#define EACH_STREAM(drain, stream)                                                                                     \
    for (unsigned id_of_##stream = 0; id_of_##stream < LAYOUT_STREAMS_MAX; id_of_##stream++)                           \
        for (struct drain_stream *stream = drain_stream(drain, id_of_##stream); stream != NULL; stream = NULL)

/* Looks how far the log is durable. */
void drain_look(struct drain *drain);

/* How far streams may go while that is so. */
uint64_t drain_reach(const struct drain *drain);

/* Writes what is wanted. 1 if anything was, 0: nothing is to be noted, -errno: the host was told. */
int drain_checkpoint(struct drain *drain);

#define BATCH_IS_AT_ROLL (-65538) /* no errno: a roll stands at the cursor */

/* Bytes of the batch that begins at *cursor, which is moved to its end; BATCH_IS_AT_ROLL, or -errno if nothing can be taken:
 * -EIO, the records are not there any more; -EMSGSIZE, a record is longer than any that was recovered or can be appended.
 * *records is added to. */
int64_t batch_make(struct drain *drain, const struct drain_stream *stream, struct log_cursor *cursor, uint64_t until,
                   uint64_t *records);

/* The roll at the cursor, which is moved over it. What it points to is in the buffer of the batch. 0 or -EIO. */
int batch_roll(struct drain *drain, struct log_cursor *cursor, struct outlet_roll_record *record);

/* What the outlet is given of what is noted. */
struct feed {
    struct outlet_noted noted;
    struct drain *drain;
    const struct drain_stream *stream;
    struct log_cursor cursor;
};

void feed_make(struct feed *feed, struct drain *drain, const struct drain_stream *stream);

/* Takes at most a batch towards `until`. 1: something was done, 0: nothing is left, or stream->rc says why it stalls. */
int stream_move(struct drain *drain, struct drain_stream *stream, uint64_t until);

/* Makes durable what was written, and so `next` what is written. 1, or 0: it was left, and stream->rc may say why. */
int stream_sync(struct drain *drain, struct drain_stream *stream);

/* If it awaits that: both slots have `next`. */
void stream_begin(struct drain *drain, struct drain_stream *stream);

/* Whether everything before `durable` is noted, and it is ready for more. */
int stream_is_done(const struct drain_stream *stream, uint64_t durable);

/* One that nobody has open lets go of its destination while nothing waits for it. */
void stream_rest(const struct drain *drain, struct drain_stream *stream);

/* Does what the outlet has answered. 1, 0 if it was OUTLET_READY, or -errno. */
int stream_obey(struct drain *drain, struct drain_stream *stream, int answer, const struct outlet_state *state);

/* `written` is durable in the outlet. */
void stream_let_go(struct drain_stream *stream);

/* Back to what is noted. */
void stream_rewind(struct drain_stream *stream);

void stream_publish_path(struct drain *drain, struct drain_stream *stream);

/* Makes known what `noted` says. */
void stream_publish_noted(struct drain_stream *stream);

/* Tells the stall of this step when it begins, when the reason changes, and every minute; or that it is over. */
void stream_tell(struct drain *drain, struct drain_stream *stream);

#endif
