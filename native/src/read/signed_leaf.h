/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The formats of a signed archive, as docs/archive.md has them: its head, its bundles of leaves, the names of its files.
 * No I/O. Anybody may have written these bytes.
 */
#ifndef BURST_READ_SIGNED_LEAF_H
#define BURST_READ_SIGNED_LEAF_H

#include <stddef.h>
#include <stdint.h>

#define SIGNED_WIDTH 256u                                /* leaves in a full bundle, frames in a full payload file */
#define SIGNED_FILE_LEAVES (SIGNED_WIDTH * SIGNED_WIDTH) /* in a full payload file */
#define SIGNED_LEAF_BYTES 112u                           /* a leaf without text */
#define SIGNED_BUNDLE_BYTES (SIGNED_WIDTH * (2u + SIGNED_LEAF_BYTES)) /* a full bundle without a text */
#define SIGNED_BUNDLE_BYTES_MOST (SIGNED_WIDTH * (2u + 0xffffu))
#define SIGNED_FRAME_BYTES_MOST (1u << 30) /* the payloads of a bundle */
#define SIGNED_NAME_BYTES 64u

enum signed_kind {
    SIGNED_RECORD = 1,
    SIGNED_ROLL = 2,
    SIGNED_LOST = 3,
    SIGNED_MISSING = 4,
    SIGNED_ACT = 16, /* this kind and higher ones are acts of the archive: lines "name: value" */
    SIGNED_EXPIRED = 18,
};

struct signed_leaf {
    uint8_t kind;
    uint32_t length;
    int64_t taken_ns, event_time_ns, sequence;
    uint64_t count;
    const uint8_t *ring, *digest; /* in the bundle */
    const char *text;
    size_t text_bytes;
};

/* The leaves of one bundle. */
struct signed_bundle {
    uint8_t *bytes;
    uint32_t
        at[SIGNED_WIDTH + 1]; /* where leaf i begins, behind its length; the next one is two bytes behind its end */
    uint64_t payload_at[SIGNED_WIDTH + 1]; /* where its payload begins in the frame */
    unsigned leaves;
};

/* Reads the number of leaves from a head. Returns 0, or -1 if the bytes are no head. */
int signed_head_size(const char *note, size_t bytes, uint64_t *size);

/* Finds the first `leaves` leaves in the bytes. Returns 0, or with a sentence -EUCLEAN or -EPROTO (another version). name:
 * for the sentence. */
int signed_bundle_split(struct signed_bundle *bundle, size_t bytes, unsigned leaves, const char *name);

struct signed_leaf signed_bundle_leaf(const struct signed_bundle *bundle, unsigned leaf);

/* The value of a line of an act. Returns 0, or -1 if it has no such line with a number. */
int signed_leaf_number(const struct signed_leaf *leaf, const char *name, uint64_t *value);

/* FOLDER/x001/234SUFFIX, or of a partial one FOLDER/x001/234.p/WIDTHSUFFIX; width 0: a full one. */
void signed_name(const char *folder, uint64_t number, unsigned width, const char *suffix, char name[SIGNED_NAME_BYTES]);

#endif
