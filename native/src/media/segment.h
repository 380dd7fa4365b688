/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec of segments, a folder that receives the records of a stream as they are: the last section of
 * docs/media-format.md. No I/O.
 *
 *     FOLDER/head                        struct segments_head
 *     FOLDER/00000000000000000001.seg    struct segment_header, then frames: numbers 1, 2, ...
 *     FOLDER/00000000000000048213.seg    the same, from the next number on
 *
 * A frame is a record as it stands in the ring: header, payload, and zeros up to a multiple of 8. All integers are
 * little-endian; all sizes and offsets are bytes.
 */
#ifndef BURST_MEDIA_SEGMENT_H
#define BURST_MEDIA_SEGMENT_H

#include "media/layout.h"

#define SEGMENT_VERSION 1u
#define SEGMENTS_HEAD_MAGIC 0x4c4f465453525542ull /* "BURSTFOL" */
#define SEGMENT_MAGIC 0x4745535453525542ull       /* "BURSTSEG" */
#define SEGMENTS_HEAD_NAME "head"                 /* the head's file name in the folder */
#define SEGMENT_NAME_BYTES 25u                    /* length of a segment's file name, with its terminator */

/* The drain writes it once, when the folder is first used. */
struct segments_head {
    uint64_t magic;
    uint32_t version;                    /* SEGMENT_VERSION; readers refuse any other */
    uint32_t head_bytes;                 /* sizeof(struct segments_head) */
    uint8_t uuid[16];                    /* random; seeds the CRC of each segment's header */
    int64_t created_ns;                  /* CLOCK_REALTIME */
    uint32_t name_bytes;                 /* below LAYOUT_STREAM_NAME_BYTES */
    uint32_t reserved;                   /* zero */
    char name[LAYOUT_STREAM_NAME_BYTES]; /* the stream's name when the folder was first used, then zeros */
    uint8_t reserved_end[204];           /* zero */
    uint32_t crc;                        /* CRC32C of all bytes before it, seed 0 */
};

/* The first bytes of a segment. */
struct segment_header {
    uint64_t magic;
    uint32_t version;        /* SEGMENT_VERSION */
    uint32_t header_bytes;   /* sizeof(struct segment_header): the first frame follows */
    uint8_t folder_uuid[16]; /* uuid of the folder's head */
    uint8_t ring_uuid[16];   /* uuid of the ring that the records come from; seeds the CRC of their headers */
    uint64_t first_number;   /* number of the first frame; numbers have no gaps in a folder */
    uint64_t first_sequence; /* no record of the segment has a lower one */
    uint8_t reserved[60];    /* zero */
    uint32_t crc;            /* CRC32C of all bytes before it, seeded with the CRC of the folder's uuid */
};

_Static_assert(sizeof(struct segments_head) == 512, "segments_head size");
_Static_assert(offsetof(struct segments_head, uuid) == 16, "segments_head.uuid");
_Static_assert(offsetof(struct segments_head, created_ns) == 32, "segments_head.created_ns");
_Static_assert(offsetof(struct segments_head, name) == 48, "segments_head.name");
_Static_assert(offsetof(struct segments_head, crc) == 508, "segments_head.crc");
_Static_assert(sizeof(struct segment_header) == 128, "segment_header size");
_Static_assert(offsetof(struct segment_header, ring_uuid) == 32, "segment_header.ring_uuid");
_Static_assert(offsetof(struct segment_header, first_number) == 48, "segment_header.first_number");
_Static_assert(offsetof(struct segment_header, crc) == 124, "segment_header.crc");
_Static_assert(sizeof(struct segment_header) % RECORD_ALIGN_BYTES == 0, "frames are aligned");

#define SEGMENTS_POSITION_MAGIC 0x534f505453525542ull /* "BURSTPOS" */
/* Name of the folder, inside the segments' folder, that has a file for each consumer. */
#define SEGMENTS_POSITIONS_NAME "consumers"
#define SEGMENTS_POSITION_SLOTS 2u
#define SEGMENTS_POSITION_OFFSET(slot) ((uint64_t)(slot)*4096u)

/* How far a consumer has got. The consumer writes it into two slots in turn. */
struct segments_position {
    uint64_t magic;
    uint64_t generation;  /* one more than the other slot's; the higher one is the newer */
    uint64_t next_number; /* number of the first frame that the consumer has not acknowledged */
    int64_t written_ns;   /* CLOCK_REALTIME */
    uint8_t reserved[28]; /* zero */
    uint32_t crc;         /* CRC32C of all bytes before it, seeded with the CRC of the folder's uuid */
};

_Static_assert(sizeof(struct segments_position) == 64, "segments_position size");
_Static_assert(offsetof(struct segments_position, next_number) == 16, "segments_position.next_number");
_Static_assert(offsetof(struct segments_position, crc) == 60, "segments_position.crc");

/* A frame that says which records the ring lost. Its type follows the ring's record types, and only segments have it.
 * The payload is a struct marker_loss. */
#define SEGMENT_FRAME_LOSS 5u

enum segment_verdict {
    SEGMENT_VALID,
    SEGMENT_ABSENT,  /* no magic */
    SEGMENT_DAMAGED, /* has the magic, but its CRC or a field is wrong */
    SEGMENT_UNKNOWN, /* whole, but of another version */
};

/* Makes a head. Cuts the name to the length that a stream's name may have. */
void segments_head_make(struct segments_head *head, const uint8_t uuid[16], const char *name, int64_t created_ns);

enum segment_verdict segments_head_judge(const struct segments_head *head);

void segment_header_make(struct segment_header *header, const uint8_t folder_uuid[16], const uint8_t ring_uuid[16],
                         uint64_t first_number, uint64_t first_sequence);

/* Judges a segment's header in the folder of that uuid. */
enum segment_verdict segment_header_judge(const struct segment_header *header, const uint8_t folder_uuid[16]);

void segment_name(char name[SEGMENT_NAME_BYTES], uint64_t first_number);

/* The number in a segment's file name; 0: it is no segment's name. */
uint64_t segment_number_of(const char *name);

/* Writes the record as a frame of record_bytes(header->length). */
void segment_frame_put(const struct record_header *header, const uint8_t *payload, uint8_t *out);

/* Writes a loss as a frame. Returns its length, record_bytes(sizeof *loss). */
size_t segment_loss_put(const struct marker_loss *loss, uint32_t crc_seed, uint8_t *out);

enum frame_verdict {
    FRAME_WHOLE,
    FRAME_IS_LONGER, /* the header is whole, and says that the frame is longer than the bytes that are there */
    FRAME_NONE,
};

/* Whether this header begins a frame, in a segment whose records' headers have that seed: crc_seed_of. */
int segment_frame_begins(const struct record_header *header, uint32_t crc_seed);

/* Judges the frame that begins at `bytes`. */
enum frame_verdict segment_frame_judge(const uint8_t *bytes, size_t count, uint32_t crc_seed);

void segments_position_make(struct segments_position *position, const uint8_t folder_uuid[16], uint64_t generation,
                            uint64_t next_number, int64_t written_ns);

/* The valid slot with the higher generation, of a consumer of the folder of that uuid. -1: neither is valid. */
int segments_position_newest(const struct segments_position slots[SEGMENTS_POSITION_SLOTS],
                             const uint8_t folder_uuid[16]);

#endif
