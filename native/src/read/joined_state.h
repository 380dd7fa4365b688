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

int joined_seek(struct read_source *source, enum burst_read_from from, int64_t value);

#endif
