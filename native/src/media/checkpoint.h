/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The checkpoint codec: what the drain knows of all streams, as one slot of the fixed head holds it. No I/O.
 */
#ifndef BURST_MEDIA_CHECKPOINT_H
#define BURST_MEDIA_CHECKPOINT_H

#include "media/layout.h"

/* What a destination is, up to a position of the log: what an outlet needs to find it again and to go on behind it. */
struct outlet_state {
    uint32_t kind; /* enum outlet_kind */
    uint32_t tail_bytes;
    uint64_t length;            /* bytes of it that are durable */
    uint32_t tail_crc;          /* CRC32C of the tail_bytes before length, seed 0 */
    uint32_t diverted_attempt;  /* unless 0, "." + it is added to the name ... */
    uint64_t diverted_sequence; /* ... behind "." or ".burst-" + diverted_sequence; 0: the log is not diverted */
    uint32_t diverted_form;     /* enum diverted_form */
    struct outlet_mount mount;
    struct outlet_mark mark;
    struct outlet_roll roll;
    char path[LAYOUT_FILE_NAME_BYTES]; /* absolute; "": bound to nothing yet */
};

struct stream_state {
    uint16_t id;      /* below LAYOUT_STREAMS_MAX */
    uint16_t follows; /* 0: it has records of its own; else it gets those of stream follows - 1 */
    uint32_t epoch;
    uint64_t drained_position; /* every record of the stream before it is durable in the outlet */
    uint64_t next_sequence; /* of the first record of any stream at or after it; `epoch`: of the last one before it */
    char name[LAYOUT_STREAM_NAME_BYTES]; /* "": it is known by its path */
    struct outlet_state outlet;
};

/* What its records have as their stream. */
static inline uint16_t stream_source(const struct stream_state *state) {
    return state->follows == 0 ? state->id : (uint16_t)(state->follows - 1);
}

/* What is in the head of a checkpoint but the streams. */
struct checkpoint_facts {
    uint64_t generation;
    uint32_t epoch;
    int64_t written_ns;
};

/* The bytes that these states take in a slot; more than LAYOUT_CHECKPOINT_BYTES do not fit. */
size_t checkpoint_size(const struct stream_state *const *states, unsigned count);

/* Writes them, in any order, and zeros up to `room`, which is at least checkpoint_size(). Their strings have terminators. */
void checkpoint_encode(const struct checkpoint_facts *facts, const struct stream_state *const *states, unsigned count,
                       uint32_t crc_seed, uint8_t *slot, size_t room);

/* Puts other facts in the head of a valid one, or of one whose other fields are filled. */
void checkpoint_seal(uint8_t *slot, const struct checkpoint_facts *facts, uint32_t crc_seed);

/* The bytes that a slot says it has, of its first LAYOUT_MIN_BLOCK_BYTES; 0: it holds no checkpoint. */
size_t checkpoint_claims(const uint8_t *slot);

/* Whether the `bytes` there are of a slot hold one of this ring of `capacity_bytes`, whole and plausible. Only of such a
 * one the functions below may be asked. */
int checkpoint_is_valid(const uint8_t *slot, size_t bytes, uint32_t crc_seed, uint64_t capacity_bytes);

struct checkpoint_facts checkpoint_facts(const uint8_t *slot);
unsigned checkpoint_streams(const uint8_t *slot);

/* The stream of that index: they are sorted by id, and the first is stream 0. */
void checkpoint_decode(const uint8_t *slot, unsigned index, struct stream_state *state);

/* Only where it is. */
struct checkpoint_position {
    uint16_t id;
    uint32_t epoch;
    uint64_t drained_position;
    uint64_t next_sequence;
};

struct checkpoint_position checkpoint_position(const uint8_t *slot, unsigned index);

/* Of the stream that has drained the least. */
struct checkpoint_position checkpoint_least(const uint8_t *slot);

/* Whether an open goes on alike from either of two valid ones: at the same records, and with the same bytes of the same
 * destinations. */
int checkpoint_leads_to_the_same(const uint8_t *one, const uint8_t *other);

/* Whether a stream of `newer` had drained more in `older`: what is drained never goes back. */
int checkpoint_goes_back(const uint8_t *newer, const uint8_t *older);

/* The stream of a ring just formatted: nothing written, nothing drained, bound to nothing. */
void stream_state_first(struct stream_state *state);

/* Writes the name of the file that the outlet writes: path, or where it was diverted. 0 or -ENAMETOOLONG. */
int outlet_state_file(const struct outlet_state *state, char *path, size_t path_bytes);

#endif
