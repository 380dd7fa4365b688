/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ring of another process, or of nobody, as a source: through its window, or from its medium.
 */
#ifndef BURST_READ_RING_SOURCE_H
#define BURST_READ_RING_SOURCE_H

#include "media/checkpoint.h"
#include "read/source.h"

struct ring_source_config {
    const char *ring;   /* path of the ring, or of a window's socket */
    const char *window; /* burst_reader_config_t.window */
    uint32_t wait;      /* enum burst_read_wait */
    uint32_t stream;    /* only records of this stream; BURST_ALL_STREAMS: all */
};

/* Opens the ring, at its oldest record. Returns 0, or -errno with a sentence. */
int ring_source_open(const struct platform *platform, const struct ring_source_config *config,
                     struct read_source **source);

/* Chooses the stream whose records the source gives from now on. */
void ring_source_choose(struct read_source *source, uint32_t stream);

/* The newest checkpoint that the source can read now: the number of streams, and the state of each. Returns 0, or -errno
 * with a sentence. */
int ring_source_look(struct read_source *source); /* reads it again */
unsigned ring_source_streams(const struct read_source *source);
void ring_source_stream(const struct read_source *source, unsigned index, struct stream_state *state);

/* Goes to a position that a checkpoint has. Returns 1; 0 if the ring does not have it any more: then a newer checkpoint
 * exists, or will in a moment; -errno with a sentence. */
int ring_source_go(struct read_source *source, uint64_t position, uint64_t sequence, uint32_t epoch);

/* crc_seed_of the ring's uuid. */
uint32_t ring_source_seed(const struct read_source *ring);

/* The number of records that the last seek from the last N has found, at most N. */
uint64_t ring_source_found(const struct read_source *source);

/* Counts the records from the place to the watermark. Returns 0, -ESTALE if they were written over meanwhile, or another
 * -errno with a sentence. The place stays. */
int ring_source_count(struct read_source *source, uint64_t *count);

/* The place of the next record. */
struct ring_source_place {
    uint64_t position;
    uint64_t sequence;
    uint32_t epoch;
};
struct ring_source_place ring_source_place(const struct read_source *source);

/* The place, with what is sought from there. */
struct ring_source_mark {
    struct ring_source_place place, loss;
    int has_loss;
    uint64_t wanted;
    int64_t wanted_ns;
    uint64_t given;
};
struct ring_source_mark ring_source_mark(const struct read_source *source);
void ring_source_return(struct read_source *source, const struct ring_source_mark *mark);

#endif
