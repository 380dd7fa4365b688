/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The codec of a log device, a block device that receives a log: the last section of docs/media-format.md. No I/O.
 *
 *     byte 0      64K      128K     192K     256K       1M                        1M + capacity
 *     +-----------+--------+--------+--------+----------+-------------------------+
 *     | header    | header | end    | end    | zero     | the bytes of the log,   |
 *     | copy 0    | copy 1 | slot 0 | slot 1 |          | in order, `length` of   |
 *     +-----------+--------+--------+--------+----------+-------------------------+
 *
 * All integers are little-endian; all sizes and offsets are bytes.
 */
#ifndef BURST_MEDIA_RAW_HEADER_H
#define BURST_MEDIA_RAW_HEADER_H

#include "media/layout.h"

#define RAW_VERSION 1u
#define RAW_HEADER_MAGIC 0x5741525453525542ull /* "BURSTRAW" */
#define RAW_END_MAGIC 0x444e455453525542ull    /* "BURSTEND" */

#define RAW_HEADER_COPIES 2u
#define RAW_HEADER_OFFSET(copy) ((uint64_t)(copy)*LAYOUT_SLOT_BYTES)
#define RAW_END_SLOTS 2u
#define RAW_END_OFFSET(slot) ((uint64_t)(RAW_HEADER_COPIES + (slot)) * LAYOUT_SLOT_BYTES)
#define RAW_DATA_OFFSET (1024u * 1024u)
#define RAW_MIN_CAPACITY_BYTES (1024u * 1024u)
#define RAW_MAX_CAPACITY_BYTES (1ull << 61)

/* Only format writes it. */
struct raw_header {
    uint64_t magic;
    uint32_t version;        /* RAW_VERSION; readers refuse any other */
    uint32_t header_bytes;   /* sizeof(struct raw_header) */
    uint8_t uuid[16];        /* random, new at each format; seeds the CRC of the end slots */
    uint64_t data_offset;    /* offset of byte 0 of the log: RAW_DATA_OFFSET in version 1 */
    uint64_t capacity_bytes; /* longest log */
    uint64_t medium_bytes;   /* size of the device when it was formatted */
    int64_t created_ns;      /* CLOCK_REALTIME */
    uint8_t reserved[444];   /* zero */
    uint32_t crc;            /* CRC32C of all bytes before it, seed 0 */
};

/* How far the log goes. The outlet writes it into two slots in turn, after the bytes of the log are durable. */
struct raw_end {
    uint64_t magic;
    uint64_t generation; /* one more than the other slot's; the higher one is the newer */
    uint64_t length;     /* so many bytes of the log are durable */
    uint8_t reserved[36];
    uint32_t crc; /* CRC32C of all bytes before it, seeded with the CRC of the uuid */
};

_Static_assert(sizeof(struct raw_header) == 512, "raw_header size");
_Static_assert(offsetof(struct raw_header, version) == 8, "raw_header.version");
_Static_assert(offsetof(struct raw_header, uuid) == 16, "raw_header.uuid");
_Static_assert(offsetof(struct raw_header, data_offset) == 32, "raw_header.data_offset");
_Static_assert(offsetof(struct raw_header, capacity_bytes) == 40, "raw_header.capacity_bytes");
_Static_assert(offsetof(struct raw_header, medium_bytes) == 48, "raw_header.medium_bytes");
_Static_assert(offsetof(struct raw_header, created_ns) == 56, "raw_header.created_ns");
_Static_assert(offsetof(struct raw_header, crc) == 508, "raw_header.crc");
_Static_assert(sizeof(struct raw_end) == 64, "raw_end size");
_Static_assert(offsetof(struct raw_end, generation) == 8, "raw_end.generation");
_Static_assert(offsetof(struct raw_end, length) == 16, "raw_end.length");
_Static_assert(offsetof(struct raw_end, crc) == 60, "raw_end.crc");

enum raw_verdict {
    RAW_VALID,
    RAW_ABSENT,  /* no magic: no log device, or this copy is lost */
    RAW_DAMAGED, /* has the magic, but its CRC or a field is wrong */
    RAW_UNKNOWN, /* whole, but of another version */
};

/* Makes a header. The log may fill the device behind the data offset. */
void raw_header_make(struct raw_header *header, uint64_t medium_bytes, const uint8_t uuid[16], int64_t created_ns);

enum raw_verdict raw_header_judge(const struct raw_header *header);

void raw_end_make(struct raw_end *end, const struct raw_header *header, uint64_t generation, uint64_t length);

/* The slot that says how far the log goes: the valid one with the higher generation. -1: neither is valid. */
int raw_end_newest(const struct raw_end ends[RAW_END_SLOTS], const struct raw_header *header);

#endif
