/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the drain: its streams, and its functions for its own files. */
#ifndef BURST_DRAIN_STREAM_H
#define BURST_DRAIN_STREAM_H

#include <pthread.h>
#include <stdatomic.h>

#include "drain/drain.h"

struct drain_stream {
    struct stream_state noted; /* as in the newest checkpoint */
    struct stream_state next;  /* as the next checkpoint will have it */
    struct log_cursor noted_at, next_at;
    struct log_cursor written; /* the outlet has whole batches up to here */
    /* Bytes of the next batch that the outlet also has: it stalled in the middle, and the batch is made again. Nothing
     * else is written before that batch is at least as long again. */
    uint64_t partly;
    uint64_t unsynced;        /* bytes written since the last sync */
    int64_t unnoted_since_ns; /* when `written` moved ahead of `noted` */
    struct outlet *outlet;    /* NULL: not bound to a destination */
    int is_open;              /* a thread may append to it */
    int must_sync;            /* the outlet asked for a sync */
    int awaits_note;          /* the outlet takes no byte before both slots have `next` */
    int is_drying;     /* a caller waits in drain_stream_dry, and the second copy cannot come before it returns */
    int rc;            /* -errno if the stream stalled in this step */
    int is_unreadable; /* it stalled since the log cannot be read, and the host has told that */
    int told_rc;       /* reason of the stall that was told, or 0 */
    int64_t stalled_since_ns;
    int64_t stall_told_ns;
    int64_t waits_since_ns; /* since when a caller performs a roll; 0: none does */
    _Atomic uint64_t drained_sequence, records, bytes, length, held_bytes;
    _Atomic uint64_t file_number;
    _Atomic int64_t file_born_ns;
    _Atomic uint32_t stalled, began_empty, kind;
    /* Guarded by drain->table_lock: */
    char path[LAYOUT_FILE_NAME_BYTES];   /* path of the destination */
    char name[LAYOUT_STREAM_NAME_BYTES]; /* as in `noted`, and as long as the stream is in the table */
    struct outlet_rules rules;           /* of the newest noted roll */
    int has_rules;                       /* they wait for the one who follows them */
    int is_tidied;                       /* that is the opener of the stream */
};

struct drain {
    struct drain_parts parts;
    /* Guards figures, paths and changes of the table; never held for long. */
    pthread_mutex_t table_lock;
    struct drain_stream *streams[LAYOUT_STREAMS_MAX]; /* by id */
    uint8_t *batch;
    size_t batch_room;   /* room for at least the largest record and a loss */
    uint64_t durable;    /* the watermark when this step began */
    unsigned wanted;     /* checkpoints that are still to be written */
    int older_is_behind; /* the older slot lets go of less than the newer one */
    int checkpoint_rc;   /* result of the last checkpoint */
    _Atomic int64_t give_up_ns;
};

static inline struct drain_stream *drain_stream(const struct drain *drain, unsigned id) {
    return id < LAYOUT_STREAMS_MAX ? drain->streams[id] : NULL;
}

/* Whether the stream gets the record. */
static inline int stream_takes(const struct drain_stream *stream, const struct record_header *header) {
    return header->stream == stream_source(&stream->noted);
}

/* Whether the item is a roll that the stream's outlet performs. */
static inline int stream_rolls_at(const struct drain_stream *stream, const struct log_item *item) {
    return item->kind == LOG_RECORD && stream_takes(stream, &item->header) && record_is_roll(&item->header) &&
           stream->outlet != NULL && stream->outlet->ops->roll != NULL;
}

static inline int stream_follows(const struct drain_stream *stream) {
    return stream->noted.follows != 0;
}

/* The stream that gets the records of stream `id`, too; or NULL. */
struct drain_stream *stream_follower(const struct drain *drain, uint16_t id);

/* Whether the stream has not yet written a record or a loss before the watermark. */
int stream_has_waiting(const struct drain *drain, const struct drain_stream *stream);

/* Steps until the stream has noted everything that is durable now and that the second copy has. Returns 0 or -errno. */
int stream_dry_as_copied(struct drain *drain, const struct drain_stream *stream);

/* Steps until the stream has noted everything that is durable now, whatever the second copy has: its destination is about to
 * change. The other streams go no further than the copy. Returns 0 or -errno. */
int drain_stream_dry(struct drain *drain, struct drain_stream *stream);

/* Unbinds the stream from its destination, as of the next checkpoint. */
void stream_unbind(struct drain_stream *stream);

/* Returns -errno with the sentence that the records waiting for the stream cannot be moved to its destination. */
int stream_refuse_to_move(const struct drain_stream *stream, int rc);

#define EACH_STREAM(drain, stream)                                                                                     \
    for (unsigned id_of_##stream = 0; id_of_##stream < LAYOUT_STREAMS_MAX; id_of_##stream++)                           \
        for (struct drain_stream *stream = drain_stream(drain, id_of_##stream); stream != NULL; stream = NULL)

/* Reads the watermark. */
void drain_look(struct drain *drain);

/* How far the log reaches in this step, and how far streams may go: not beyond the second copy. The latter goes back when a
 * copy that was away begins again. */
uint64_t drain_reach(const struct drain *drain);
uint64_t drain_copied_reach(const struct drain *drain);

/* How far this stream may go while the others may go to `until`: further in drain_stream_dry, behind which it goes back. */
uint64_t stream_reach(const struct drain *drain, const struct drain_stream *stream, uint64_t until);

/* The states that the next checkpoint has. Returns their number. */
unsigned drain_states(const struct drain *drain, const struct stream_state *states[LAYOUT_STREAMS_MAX]);

/* Writes the wanted checkpoints. Returns 1 if it wrote any, 0 if none was wanted, -errno if the host was told of a
 * failure. */
int drain_checkpoint(struct drain *drain);

#define BATCH_IS_AT_ROLL (-65538) /* no errno: a roll stands at the cursor */

/* Fills the batch from *cursor on, up to the record with which it has DRAIN_BATCH_BYTES, and moves the cursor to its end.
 * Returns its bytes; BATCH_IS_AT_ROLL; or -errno if
 * it is empty: -EIO if the records are lost, -EMSGSIZE if a record is longer than any that was recovered or can be
 * appended, -EDESTADDRREQ if the stream has no outlet. Adds to *records. */
int64_t batch_make(struct drain *drain, const struct drain_stream *stream, struct log_cursor *cursor, uint64_t until,
                   uint64_t *records);

/* Reads the roll at the cursor, and moves the cursor over it. The parts of *record point into the buffer of the batch.
 * Returns 0 or -EIO. */
int batch_roll(struct drain *drain, struct log_cursor *cursor, struct outlet_roll_record *record);

/* The noted state, as an outlet gets it, and the place for reading the records behind it. */
struct feed {
    struct outlet_noted noted;
    struct drain *drain;
    const struct drain_stream *stream;
    struct log_cursor cursor;
    struct log_item item; /* of the last call of `item` */
};

/* outlet_noted.item */
int feed_item(const struct outlet_noted *noted, struct outlet_item *item);

void feed_make(struct feed *feed, struct drain *drain, const struct drain_stream *stream);

/* Moves at most one batch towards `until`. Returns 1 if it did anything; 0 if nothing is left, or if stream->rc says
 * why it stalls. */
int stream_move(struct drain *drain, struct drain_stream *stream, uint64_t until);

/* Makes the written bytes durable, and so moves `next` to `written`. Returns 1, or 0 if the outlet has left its
 * destination; stream->rc may then say why. */
int stream_sync(struct drain *drain, struct drain_stream *stream);

/* Both slots have `next`. Tells the outlet, if it waits for that. */
void stream_begin(struct drain *drain, struct drain_stream *stream);

/* Whether everything before `durable` is noted, and an open stream is ready for more. */
int stream_is_done(const struct drain_stream *stream, uint64_t durable);

/* Closes the destination of a stream that is not open, while nothing waits for it. */
void stream_rest(const struct drain *drain, struct drain_stream *stream);

/* Does what the outlet has answered. Returns 1; 0 if the answer was OUTLET_READY; or -errno. -E2BIG and -ENOMEM have a
 * sentence: no checkpoint has room for the state that the outlet wants noted, and the stream is back at the noted place. */
int stream_obey(struct drain *drain, struct drain_stream *stream, int answer, const struct outlet_state *state);

/* The outlet has everything up to `written` durably. */
void stream_let_go(struct drain_stream *stream);

/* Goes back to the noted place. */
void stream_rewind(struct drain_stream *stream);

void stream_publish_path(struct drain *drain, struct drain_stream *stream);

/* Publishes the noted figures for other threads, and the rules of a roll. */
void stream_publish_noted(struct drain *drain, struct drain_stream *stream);

/* Whether the stream's opener follows the rules of its rolls from now on. */
void stream_publish_tidied(struct drain *drain, struct drain_stream *stream, int is_tidied);

/* Tells the stall of this step when it begins, when its reason changes, and each minute. Also tells when it is over. */
void stream_tell(struct drain *drain, struct drain_stream *stream);

#endif
