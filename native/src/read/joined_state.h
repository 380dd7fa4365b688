/* SPDX-License-Identifier: Apache-2.0 */
/* The insides of read/joined.h, for its files alone. */
#ifndef BURST_READ_JOINED_STATE_H
#define BURST_READ_JOINED_STATE_H

#include "media/checkpoint.h"
#include "read/source.h"

#define JOINED_TRIES_MOST 20

struct joined {
    struct read_source source;
    const struct platform *platform;
    struct read_source *ring;
    struct read_source *past; /* NULL: the stream has no file that can be read */
    int is_segments;          /* `past` has records, else lines */
    int is_past;              /* the next record comes from there */
    uint16_t id;
    int64_t next_sequence; /* segments: the sequence behind the last record that came from them; 0: none came */
    /* The file offset that belongs to the reader's place in the ring; is_counted 0: unknown. */
    int is_counted;
    int has_live; /* lines: the last one of their files is that which the checkpoint named */
    uint64_t offset;
    int64_t seam_ns;              /* when the seam was last looked for */
    char *archives;               /* NULL: those beside the log file */
    struct stream_state state;    /* of the stream, in the newest checkpoint that was looked at */
    struct stream_state follower; /* of its segments; path "": it has none */
};

static inline struct joined *joined_of(struct read_source *source) {
    return (struct joined *)source;
}

/* Reads the newest checkpoint again. */
int joined_look(struct joined *self);

/* Goes to the place in the ring that the checkpoint has. Returns as ring_source_go. */
int joined_go_to_seam(struct joined *self);

/* Lists archives and live file, all of one checkpoint. */
int joined_list_files(struct joined *self);

/* The ring was written over before the reader got there. Returns 1 if the segments have what it missed; 0 if they have none of
 * it, or only the end of it: *missed then counts what is before that. */
int joined_go_back_in_segments(struct joined *joined, burst_read_t *missed);

/* The segments have no more: goes on in the ring behind their last record, if that was of this ring. Returns 1 if there may
 * be more, 0 if not, or -errno with a sentence. */
int joined_leave_segments(struct joined *joined);

int joined_seek(struct read_source *source, enum burst_read_from from, int64_t value);

#endif
