/* SPDX-License-Identifier: Apache-2.0 */
/* The checkpoint codec: how far the drain is with all streams, as one slot of the fixed head holds it. No I/O. */
#ifndef BURST_MEDIA_CHECKPOINT_H
#define BURST_MEDIA_CHECKPOINT_H

#include "media/roll.h"

/* The rules of the newest roll of a stream: for its rolled files, and for its next one. */
struct outlet_rules {
    struct roll_rules_head head; /* bytes 0: no roll has said that yet */
    char pattern[LAYOUT_FILE_NAME_BYTES];
};

/* Takes the rules of a roll, which may be NULL: then there are none. */
void outlet_rules_take(struct outlet_rules *rules, const struct roll_rules *given);

/* The destination of a stream up to a position of the log. From this state an outlet finds its destination again and
 * goes on behind it. */
struct outlet_state {
    uint32_t kind; /* enum outlet_kind */
    uint32_t tail_bytes;
    uint64_t length;            /* so many bytes of the destination are durable */
    uint32_t tail_crc;          /* CRC32C of the tail_bytes before length, seed 0 */
    uint32_t diverted_attempt;  /* unless 0, "." and this number end the name of the diverted file */
    uint64_t diverted_sequence; /* "." or ".burst-" and this sequence follow the path; 0: the log is not diverted */
    uint32_t diverted_form;     /* enum diverted_form */
    struct outlet_mount mount;
    struct outlet_mark mark;
    struct outlet_roll roll;
    char path[LAYOUT_FILE_NAME_BYTES]; /* absolute path; "": not bound to a destination yet */
    struct outlet_rules rules;
};

struct stream_state {
    uint16_t id;      /* below LAYOUT_STREAMS_MAX */
    uint16_t follows; /* 0: the stream has records of its own; else it gets the records of stream follows - 1 */
    uint32_t epoch;
    uint64_t drained_position; /* all records of the stream before it are durable in the outlet */
    /* Sequence of the first record of any stream at or behind drained_position; `epoch` is that of the last record
     * before it. */
    uint64_t next_sequence;
    char name[LAYOUT_STREAM_NAME_BYTES]; /* "": the stream is known by its path */
    struct outlet_state outlet;
};

/* The stream id that the records of this stream carry. */
static inline uint16_t stream_source(const struct stream_state *state) {
    return state->follows == 0 ? state->id : (uint16_t)(state->follows - 1);
}

/* The fields of a checkpoint's head besides the streams. */
struct checkpoint_facts {
    uint64_t generation;
    uint32_t epoch;
    int64_t written_ns;
    uint64_t drain;
};

/* The number of bytes that these states take in a slot. More than LAYOUT_CHECKPOINT_BYTES do not fit. */
size_t checkpoint_size(const struct stream_state *const *states, unsigned count);

/* Writes the states, in any order, and zeros up to `room`. room is at least checkpoint_size(). All strings of the
 * states are terminated. */
void checkpoint_encode(const struct checkpoint_facts *facts, const struct stream_state *const *states, unsigned count,
                       uint32_t crc_seed, uint8_t *slot, size_t room);

/* Puts other facts into the head of a checkpoint whose other fields are filled, and seals it. */
void checkpoint_seal(uint8_t *slot, const struct checkpoint_facts *facts, uint32_t crc_seed);

/* The length that a slot claims for its checkpoint; 0: it holds none. Reads only the first LAYOUT_MIN_BLOCK_BYTES of
 * the slot. */
size_t checkpoint_claims(const uint8_t *slot);

/* Whether the `bytes` read from a slot hold a whole and plausible checkpoint of this ring of `capacity_bytes`. The
 * functions below take only such a checkpoint. */
int checkpoint_is_valid(const uint8_t *slot, size_t bytes, uint32_t crc_seed, uint64_t capacity_bytes);

struct checkpoint_facts checkpoint_facts(const uint8_t *slot);
unsigned checkpoint_streams(const uint8_t *slot);

/* Decodes the stream of that index. Streams are sorted by id, and the first is stream 0. */
void checkpoint_decode(const uint8_t *slot, unsigned index, struct stream_state *state);

/* How far one stream is drained, without its destination. */
struct checkpoint_position {
    uint16_t id;
    uint32_t epoch;
    uint64_t drained_position;
    uint64_t next_sequence;
};

struct checkpoint_position checkpoint_position(const uint8_t *slot, unsigned index);

/* The position of the stream that has drained the least. */
struct checkpoint_position checkpoint_least(const uint8_t *slot);

/* Whether an open goes on alike from either of two valid checkpoints: at the same records, and with the same bytes of
 * the same destinations. */
int checkpoint_leads_to_the_same(const uint8_t *one, const uint8_t *other);

/* Whether a stream had drained more in `older` than in `newer`. Valid checkpoints never go back. */
int checkpoint_goes_back(const uint8_t *newer, const uint8_t *older);

/* The main stream of a newly formatted ring: nothing written, nothing drained, bound to no destination. */
void stream_state_first(struct stream_state *state);

/* Writes the name of the file that the outlet writes: the path, or the diverted file's. Returns 0 or -ENAMETOOLONG. */
int outlet_state_file(const struct outlet_state *state, char *path, size_t path_bytes);

#endif
