/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The index of a log file: which record begins at which byte, when its event was, and when it was durable. No I/O.
 *
 *     byte 0       64         4096                     INDEX_DATA_OFFSET
 *     +-----------+----------+------------------------+---------------------------------------------------
 *     | header:   | text:    | table: an entry for    | data: chunk, chunk, ...; each has items: records,
 *     | never     | which    | each block of the text | losses, and times
 *     | changes   | file     |                        |
 *     +-----------+----------+------------------------+---------------------------------------------------
 *
 * The drain appends a chunk at each sync, and an entry when a block is full. Both are written once. A chunk's CRC is
 * seeded with that of the chunk before it, the first one's of a block with that of its entry: so bytes that an earlier
 * write left never follow on. A reader finds a block in the table (one read), its items (a second), the text (a third).
 */
#ifndef BURST_MEDIA_INDEX_H
#define BURST_MEDIA_INDEX_H

#include <stddef.h>
#include <stdint.h>

#define INDEX_MAGIC 0x5844495453525542ull /* "BURSTIDX" */
#define INDEX_VERSION 1u
#define INDEX_FOLDER ".burstlog-index" /* in the folder of the log file */

#ifndef INDEX_BLOCK_BYTES
#define INDEX_BLOCK_BYTES (256u * 1024u) /* a block ends with the record that makes its text so long */
#define INDEX_ENTRIES 4096u              /* behind so many blocks another index begins */
#define INDEX_CHUNK_BYTES (32u * 1024u)  /* longest items of a chunk */
#endif
#define INDEX_TEXT_OFFSET 64u
#define INDEX_TABLE_OFFSET 4096u
#define INDEX_DATA_OFFSET (INDEX_TABLE_OFFSET + INDEX_ENTRIES * (uint32_t)sizeof(struct index_entry))
#define INDEX_ENTRY_OFFSET(number) (INDEX_TABLE_OFFSET + (uint64_t)(number) * sizeof(struct index_entry))
#define INDEX_TEXT_BYTES 4096u
#define INDEX_ITEM_BYTES 42u /* longest item */

struct index_header {
    uint64_t magic;
    uint32_t version; /* INDEX_VERSION; readers refuse any other */
    uint32_t header_bytes;
    uint64_t sequence; /* no record of the index has a lower one */
    uint64_t offset;   /* the text before it is not in the index */
    uint32_t entries;  /* INDEX_ENTRIES of the writer */
    uint8_t reserved[24];
    uint32_t crc; /* CRC32C of all bytes before it, seed 0; seeds the CRC of text and entries */
};

/* The log file to which the index belongs, under whatever name. Written anew until INDEX_TEXT_BYTES are known. */
struct index_text {
    uint32_t bytes;    /* so many first bytes of the file ... */
    uint32_t text_crc; /* ... have this CRC32C, seed 0 */
    uint32_t reserved;
    uint32_t crc;
};

/* Where a block begins. */
struct index_entry {
    uint64_t sequence; /* of its first item, or a lower one */
    uint64_t offset;   /* of its text in the log file */
    uint64_t data;     /* of its first chunk behind INDEX_DATA_OFFSET */
    int64_t latest_ns; /* the latest event time of all records of the index before it; INT64_MIN: it has none */
    uint32_t number;   /* 0 for the first one */
    uint8_t reserved[24];
    uint32_t crc;
};

struct index_chunk {
    uint32_t bytes;    /* of its items, which follow */
    uint32_t epoch;    /* of its records; 0: not known, of an older version */
    uint64_t sequence; /* from here on the items count */
    uint64_t offset;
    int64_t time_ns;
    uint32_t reserved_end;
    uint32_t crc; /* of all bytes before it, then of the items */
};

_Static_assert(sizeof(struct index_header) == 64, "index_header size");
_Static_assert(offsetof(struct index_header, crc) == 60, "index_header.crc");
_Static_assert(sizeof(struct index_text) == 16, "index_text size");
_Static_assert(sizeof(struct index_entry) == 64, "index_entry size");
_Static_assert(offsetof(struct index_entry, crc) == 60, "index_entry.crc");
_Static_assert(sizeof(struct index_chunk) == 40, "index_chunk size");
_Static_assert(offsetof(struct index_chunk, crc) == 36, "index_chunk.crc");

enum index_kind {
    INDEX_AWAITED = 0,  /* a record whose caller waited until it was durable */
    INDEX_ENQUEUED = 1, /* a record whose caller did not */
    INDEX_LOSS = 2,     /* a line that tells of lost records */
    INDEX_DURABLE = 3,  /* all records below `sequence` were durable at time_ns, CLOCK_REALTIME; 0: not known when */
};

struct index_item {
    uint32_t kind;
    uint64_t sequence; /* of the record, or the first lost one */
    uint64_t count;    /* LOSS: number of lost records */
    uint64_t bytes;    /* its length in the text */
    uint64_t offset;   /* its place in the text; index_take fills it, index_put has it from the place */
    int64_t time_ns;   /* event time of a record */
    uint32_t epoch;    /* of the record, as its chunk says; index_put takes it from there */
};

/* A place between two items. */
struct index_place {
    uint64_t sequence;
    uint64_t offset;
    int64_t time_ns;
};

/* Writes the item that follows at the place, at most INDEX_ITEM_BYTES, and moves the place. Returns its length. */
size_t index_put(struct index_place *place, const struct index_item *item, uint8_t *out);

/* Reads the item at the place, and moves the place. Returns its length; 0 if these bytes are none. */
size_t index_take(struct index_place *place, const uint8_t *bytes, size_t left, struct index_item *item);

void index_seal_header(struct index_header *header);
int index_is_header(const struct index_header *header);

void index_seal_text(struct index_text *text, const struct index_header *header);
int index_is_text(const struct index_text *text, const struct index_header *header);

void index_seal_entry(struct index_entry *entry, const struct index_header *header);
int index_is_entry(const struct index_entry *entry, const struct index_header *header);

/* The items follow the chunk. `chain` is the CRC of the chunk or entry before it. */
void index_seal_chunk(struct index_chunk *chunk, uint32_t chain);

/* Whether a whole chunk stands at the start of these bytes, of any alignment. *chunk gets its head. */
int index_is_chunk(const uint8_t *bytes, size_t left, uint32_t chain, struct index_chunk *chunk);

/* The place of a valid chunk's first item. */
struct index_place index_chunk_place(const struct index_chunk *chunk);

#endif
