/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The on-media structs: the only implementation of docs/media-format.md. No I/O, no logic beyond offsets.
 *
 *     byte 0   64K    128K   192K   256K         384K         512K    640K     704K  1M                  1M + capacity
 *     +-------+------+------+------+------------+------------+-------+--------+-----+-------------------+
 *     | super | super| note | note | checkpoint | checkpoint |scratch| cali-  | zero| data area: the    |
 *     | copy 0| copy1| 0    | 1    | slot 0     | slot 1     |       | bration|     | ring, position %  |
 *     |       |      |      |      |            |            |       |        |     | capacity          |
 *     +-------+------+------+------+------------+------------+-------+--------+-----+-------------------+
 *
 * All integers are little-endian; all sizes and offsets are bytes unless the name says otherwise.
 */
#ifndef BURST_MEDIA_LAYOUT_H
#define BURST_MEDIA_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "the media format is little-endian"
#endif

#define LAYOUT_VERSION 2u

#define LAYOUT_SLOT_BYTES (64u * 1024u) /* distance of the fixed structs; any block size fits */
#define LAYOUT_SUPERBLOCK_COPIES 2u
#define LAYOUT_SUPERBLOCK_OFFSET(copy) ((uint64_t)(copy)*LAYOUT_SLOT_BYTES)
#define LAYOUT_CHECKPOINT_SLOTS 2u
#define LAYOUT_CHECKPOINT_OFFSET(slot) (256ull * 1024u + (uint64_t)(slot)*LAYOUT_CHECKPOINT_BYTES)
#define LAYOUT_CHECKPOINT_BYTES                                                                                        \
    (128u * 1024u) /* size of a slot; a checkpoint takes as many whole blocks of it as it needs */
#define LAYOUT_NOTE_SLOTS 2u
#define LAYOUT_NOTE_OFFSET(slot) ((uint64_t)(2u + (slot)) * LAYOUT_SLOT_BYTES)
#define LAYOUT_SCRATCH_OFFSET (512u * 1024u) /* 128 KiB reserved, which calibration may overwrite */
#define LAYOUT_SCRATCH_BYTES (128u * 1024u)
#define LAYOUT_CALIBRATION_OFFSET (640u * 1024u) /* the result of a calibration; losing it costs one calibration */
#define LAYOUT_DATA_OFFSET (1024u * 1024u)

#define LAYOUT_MIN_BLOCK_BYTES 4096u
#define LAYOUT_MAX_BLOCK_BYTES LAYOUT_SLOT_BYTES
#define LAYOUT_LINE_BYTES 64u /* unit of a durable write to memory: a cache line */
#define LAYOUT_MIN_CAPACITY_BLOCKS 8u
#define LAYOUT_MAX_CAPACITY_BYTES (1ull << 38)
#define LAYOUT_FILE_NAME_BYTES 4096u
#define LAYOUT_STREAM_NAME_BYTES 256u
#define LAYOUT_STREAMS_MAX 64u         /* most streams in a checkpoint; each id is below it */
#define LAYOUT_MAIN_STREAM 0u          /* its id: in every checkpoint, bound to nothing if the ring never had one */
#define LAYOUT_NUMBER_MAX (1ull << 62) /* no reader believes a larger position, sequence or generation */

/* ---------------------------------------------------------------------------------------------- superblock */

#define SUPERBLOCK_MAGIC 0x474f4c5453525542ull /* "BURSTLOG" */

enum superblock_incompatible {
    SUPERBLOCK_LINES = 1, /* commits end at lines and not at blocks, since the ring lies in memory */
};

/* Format writes both copies. Later only a repair writes one, from the other. */
struct superblock {
    uint64_t magic;
    uint32_t version;             /* LAYOUT_VERSION; readers refuse any other */
    uint32_t superblock_bytes;    /* sizeof(struct superblock) */
    uint64_t incompatible;        /* enum superblock_incompatible; readers refuse an unknown bit */
    uint64_t compatible;          /* feature bits; readers ignore unknown ones */
    uint8_t uuid[16];             /* seeds every other CRC of this ring */
    uint64_t data_offset;         /* where the data area begins: LAYOUT_DATA_OFFSET */
    uint64_t capacity_bytes;      /* size of the data area, a multiple of block_bytes */
    uint64_t medium_bytes;        /* size of device or file when it was formatted */
    uint32_t block_bytes;         /* unit of a durable write: max(logical, physical block of the medium, 4096) */
    uint32_t logical_block_bytes; /* block size of the medium when it was formatted */
    uint32_t record_align_bytes;  /* RECORD_ALIGN_BYTES */
    uint32_t checkpoint_bytes;    /* size of a slot: LAYOUT_CHECKPOINT_BYTES */
    int64_t created_ns;           /* CLOCK_REALTIME */
    uint8_t reserved[412];        /* zero */
    uint32_t crc;                 /* CRC32C of all bytes before it, seed 0 */
};

_Static_assert(sizeof(struct superblock) == 512, "superblock size");
_Static_assert(offsetof(struct superblock, version) == 8, "superblock.version");
_Static_assert(offsetof(struct superblock, incompatible) == 16, "superblock.incompatible");
_Static_assert(offsetof(struct superblock, uuid) == 32, "superblock.uuid");
_Static_assert(offsetof(struct superblock, data_offset) == 48, "superblock.data_offset");
_Static_assert(offsetof(struct superblock, capacity_bytes) == 56, "superblock.capacity_bytes");
_Static_assert(offsetof(struct superblock, medium_bytes) == 64, "superblock.medium_bytes");
_Static_assert(offsetof(struct superblock, block_bytes) == 72, "superblock.block_bytes");
_Static_assert(offsetof(struct superblock, record_align_bytes) == 80, "superblock.record_align_bytes");
_Static_assert(offsetof(struct superblock, created_ns) == 88, "superblock.created_ns");
_Static_assert(offsetof(struct superblock, crc) == 508, "superblock.crc");

/* -------------------------------------------------------------------------------------------------- record */

/*
 *      0        8        16      20 21 22   24       32       40      44      48      52      56
 *     +--------+--------+-------+--+--+----+--------+--------+-------+-------+-------+-------+---------+-----+
 *     |position|sequence|length |ty|fl|strm| time   |durable |epoch  |in     |payload|header | payload | pad |
 *     |        |        |       |pe|ag|    |        |position|       |flight |CRC    |CRC    |         | -> 8|
 *     +--------+--------+-------+--+--+----+--------+--------+-------+-------+-------+-------+---------+-----+
 *
 * The producer fills sequence..event_time_ns, payload_crc and the payload. The leader of the commit fills the rest.
 */
struct record_header {
    /* Bytes of the log since format; the record stands at position % capacity. In memory it is position ^ salt (the
     * publish word) until the leader seals the record. */
    uint64_t position;
    uint64_t sequence;     /* DATA, VOID: the record's own. PAD, MARKER: that of the next record */
    uint32_t length;       /* payload bytes */
    uint8_t type;          /* enum record_type */
    uint8_t flags;         /* enum record_flags */
    uint16_t stream;       /* below LAYOUT_STREAMS_MAX */
    int64_t event_time_ns; /* as the caller gave it; not in order */
    /* The watermark when this record was sealed. In memory, an enqueued record has the time of its claim here until
     * then, or 0 if it is not timed. */
    uint64_t durable_position;
    uint32_t epoch;       /* epoch of the open that wrote the record */
    uint32_t in_flight;   /* sequence - in_flight is the sequence of the first record at or behind the watermark */
    uint32_t payload_crc; /* CRC32C of the payload, seed 0. PAD: 0, since its payload means nothing */
    uint32_t header_crc;  /* CRC32C of bytes 0..51, seeded with the ring's uuid */
};

enum record_type {
    RECORD_DATA = 1,
    RECORD_PAD = 2,    /* fills the end of a lap */
    RECORD_VOID = 3,   /* a sequence that carries nothing: ring/append.h. Readers pass over it */
    RECORD_MARKER = 4, /* struct marker: the first record of an epoch */
};

enum record_flags {
    /* The next record starts at the next block, or line: walk_end_of_record. Readers never look at the gap. */
    RECORD_LAST = 1,
    RECORD_ENQUEUED = 2, /* the caller did not wait for it */
    RECORD_ROLL = 4,     /* only of DATA: the payload begins with struct roll_head */
};

#define RECORD_HEADER_BYTES 56u
#define RECORD_ALIGN_BYTES 8u
#define RECORD_CRC_COVERS 52u

_Static_assert(sizeof(struct record_header) == RECORD_HEADER_BYTES, "record_header size");
_Static_assert(offsetof(struct record_header, sequence) == 8, "record_header.sequence");
_Static_assert(offsetof(struct record_header, length) == 16, "record_header.length");
_Static_assert(offsetof(struct record_header, type) == 20, "record_header.type");
_Static_assert(offsetof(struct record_header, flags) == 21, "record_header.flags");
_Static_assert(offsetof(struct record_header, stream) == 22, "record_header.stream");
_Static_assert(offsetof(struct record_header, event_time_ns) == 24, "record_header.event_time_ns");
_Static_assert(offsetof(struct record_header, durable_position) == 32, "record_header.durable_position");
_Static_assert(offsetof(struct record_header, epoch) == 40, "record_header.epoch");
_Static_assert(offsetof(struct record_header, in_flight) == 44, "record_header.in_flight");
_Static_assert(offsetof(struct record_header, payload_crc) == 48, "record_header.payload_crc");
_Static_assert(offsetof(struct record_header, header_crc) == RECORD_CRC_COVERS, "record_header.header_crc");

/* -------------------------------------------------------------------------------------------------- marker */

/* A range of the ring that is provably damaged. The log goes on at `to`, with sequence first + count. */
struct marker_loss {
    uint64_t from;
    uint64_t to;
    uint64_t first_sequence;
    uint64_t count;
};

#define MARKER_LOSSES_MAX 120u

/* The payload of a MARKER record. The record starts at a block boundary and fills at most 4096 bytes with its
 * header. */
struct marker {
    /* Where the log of the earlier epochs ended; everything from there up to this marker is void. */
    uint64_t log_end;
    uint64_t durable_position; /* the watermark that the medium proved when this epoch was opened */
    uint64_t next_sequence;    /* sequence of the first record behind the marker */
    uint32_t epoch;
    uint32_t loss_count;
    int64_t opened_ns;       /* CLOCK_REALTIME */
    uint64_t first_position; /* markers of this log_end take turns in two blocks, of which this is the first */
    uint64_t reserved;
    struct marker_loss losses[MARKER_LOSSES_MAX]; /* only the first loss_count are written */
};

_Static_assert(offsetof(struct marker, first_position) == 40, "marker.first_position");
_Static_assert(offsetof(struct marker, losses) == 56, "marker.losses");
_Static_assert(sizeof(struct marker_loss) == 32, "marker_loss size");
_Static_assert(RECORD_HEADER_BYTES + sizeof(struct marker) <= LAYOUT_MIN_BLOCK_BYTES, "a marker fits one block");

/* ---------------------------------------------------------------------------------------------- checkpoint */

#define CHECKPOINT_MAGIC 0x544b504354535242ull /* "BRSTCPKT" */

#define CHECKPOINT_TAIL_BYTES 4096u

/* Where a log file is mounted. */
struct outlet_mount {
    uint64_t file_system; /* f_fsid of the file system if it stays the same over mounts; else 0 */
    /* Length of the part of the file's path that leads onto its mount from another one; 0: unknown, or there is none. */
    uint32_t entry_bytes;
    uint32_t folder_crc; /* CRC32C of the folder's path without links, seed 0 */
};

/*
 * How a log file is recognised under any name: see struct file_mark. The handle itself is not kept, since it is only
 * ever compared. The CRC of two handles of equal inode number and length differs if their differences lie within 32
 * bits that stand together, as an inode's generation does.
 */
struct outlet_mark {
    uint64_t inode;  /* 0: nothing is known of the file */
    int64_t born_ns; /* CLOCK_REALTIME of the file's birth, or 0 */
    uint32_t handle_type;
    uint32_t handle_bytes; /* 0: the file system gives no handle that stays */
    uint32_t handle_crc;   /* CRC32C of the handle, seed 0 */
    uint32_t reserved;     /* 0 */
};

/* How far a roll has got. The roll record is then the next record of its stream. */
enum roll_phase {
    ROLL_NONE,     /* no roll has begun */
    ROLL_ROLLING,  /* the file is complete; it is being renamed, or was */
    ROLL_ROLLED,   /* the next file exists and is empty */
    ROLL_GIVEN_UP, /* the file could not be renamed; the stream goes on in it */
};

/* The index of the file up to `length`: media/index.h. */
struct outlet_index {
    uint64_t sequence;   /* the first one that a record in it may have, which is its name; 0: there is none */
    uint32_t bytes;      /* so many bytes of its data are durable */
    uint32_t chain;      /* CRC of its last chunk, or entry */
    uint32_t length_crc; /* CRC32C of `length`, seed 0: an older version moves the length and leaves the index */
    uint16_t entries;
    uint16_t attempt; /* the second part of its name */
};

/* Which of its files a stream writes. */
struct outlet_roll {
    uint32_t phase;    /* enum roll_phase */
    uint32_t reserved; /* 0 */
    /* 1 for the first file, one more at each roll; 0: not known. OUTLET_SEGMENTS: number of the segment's first frame. */
    uint64_t file_number;
    int64_t born_ns;          /* CLOCK_REALTIME of the roll that began the file, else of its birth; 0: not known */
    uint64_t first_sequence;  /* no record in the file has a lower sequence; 0: not known */
    int64_t next_time_ns;     /* as in struct roll_head */
    uint64_t next_file_bytes; /* as in struct roll_head */
    uint64_t frames;          /* OUTLET_SEGMENTS: number of frames in the segment up to `length`; else 0 */
    struct outlet_index index;
};

enum outlet_kind {
    OUTLET_FILE = 1,
    OUTLET_RAW = 2,      /* a block device, or a file written like one */
    OUTLET_SEGMENTS = 3, /* a folder: media/segment.h */
};

/*
 * The drain writes checkpoints into two slots in turn. A slot holds the head, an entry for each stream sorted by id,
 * then each stream's name and path. Neither string is terminated.
 */
struct checkpoint_head {
    uint64_t magic;
    uint64_t generation;   /* one more than the other slot's; the higher one is the newer */
    uint32_t epoch;        /* epoch of the open that wrote it */
    uint32_t stream_count; /* 1..LAYOUT_STREAMS_MAX */
    uint32_t bytes;        /* length of head, entries and strings together */
    uint32_t entry_bytes;  /* sizeof(struct checkpoint_entry) */
    int64_t written_ns;    /* CLOCK_REALTIME */
    uint64_t drain;        /* random number of the drain that wrote it; 0: not known */
    uint8_t reserved[12];  /* zero */
    uint32_t crc;          /* CRC32C of `bytes` bytes without these four, seeded with the ring's uuid */
};

#define DIVERTED_WORD "burst-"

/* How the name of a diverted file is made. The log is diverted when it cannot go on under the path. */
enum diverted_form {
    DIVERTED_BY_NUMBER =
        0, /* path + "." + diverted_sequence, as older versions did. Patterns of rolled files make such names, too */
    DIVERTED_BY_WORD = 1, /* path + "." + DIVERTED_WORD + diverted_sequence */
};

/* How far a stream is drained, and into which destination. */
struct checkpoint_entry {
    uint16_t id;                /* as in record_header.stream */
    uint16_t kind;              /* enum outlet_kind */
    uint32_t epoch;             /* epoch of the last record before drained_position */
    uint64_t drained_position;  /* all records of the stream before it are durable in the destination */
    uint64_t next_sequence;     /* sequence of the first record, of any stream, at or behind drained_position */
    uint64_t length;            /* length of the destination up to drained_position */
    uint32_t tail_bytes;        /* min(length, CHECKPOINT_TAIL_BYTES) */
    uint32_t tail_crc;          /* CRC32C of the tail_bytes before length, seed 0 */
    uint64_t diverted_sequence; /* 0: the file has the path as its name. Else path + "." + diverted_sequence ... */
    uint32_t diverted_attempt;  /* ... and, unless 0, "." + diverted_attempt */
    uint32_t name_bytes;        /* below LAYOUT_STREAM_NAME_BYTES; 0: the stream is known by its path */
    /* Below LAYOUT_FILE_NAME_BYTES; 0: not bound to a destination yet. The path is absolute. */
    uint32_t path_bytes;
    /* 0: the stream has records of its own; else it gets those of stream follows - 1, and nobody appends to it. */
    uint16_t follows;
    uint16_t diverted_form; /* enum diverted_form */
    struct outlet_mount mount;
    struct outlet_mark mark;
    struct outlet_roll roll;
};

_Static_assert(sizeof(struct outlet_mount) == 16, "outlet_mount size");
_Static_assert(sizeof(struct outlet_mark) == 32, "outlet_mark size");
_Static_assert(offsetof(struct outlet_roll, born_ns) == 16, "outlet_roll.born_ns");
_Static_assert(offsetof(struct outlet_roll, next_file_bytes) == 40, "outlet_roll.next_file_bytes");
_Static_assert(offsetof(struct outlet_roll, index) == 56, "outlet_roll.index");
_Static_assert(sizeof(struct outlet_index) == 24, "outlet_index size");
_Static_assert(sizeof(struct outlet_roll) == 80, "outlet_roll size");
_Static_assert(offsetof(struct checkpoint_head, epoch) == 16, "checkpoint_head.epoch");
_Static_assert(offsetof(struct checkpoint_head, bytes) == 24, "checkpoint_head.bytes");
_Static_assert(offsetof(struct checkpoint_head, written_ns) == 32, "checkpoint_head.written_ns");
_Static_assert(offsetof(struct checkpoint_head, drain) == 40, "checkpoint_head.drain");
_Static_assert(offsetof(struct checkpoint_head, crc) == 60, "checkpoint_head.crc");
_Static_assert(sizeof(struct checkpoint_head) == 64, "checkpoint_head size");
_Static_assert(offsetof(struct checkpoint_entry, drained_position) == 8, "checkpoint_entry.drained_position");
_Static_assert(offsetof(struct checkpoint_entry, length) == 24, "checkpoint_entry.length");
_Static_assert(offsetof(struct checkpoint_entry, diverted_sequence) == 40, "checkpoint_entry.diverted_sequence");
_Static_assert(offsetof(struct checkpoint_entry, name_bytes) == 52, "checkpoint_entry.name_bytes");
_Static_assert(offsetof(struct checkpoint_entry, follows) == 60, "checkpoint_entry.follows");
_Static_assert(offsetof(struct checkpoint_entry, mount) == 64, "checkpoint_entry.mount");
_Static_assert(offsetof(struct checkpoint_entry, mark) == 80, "checkpoint_entry.mark");
_Static_assert(offsetof(struct checkpoint_entry, roll) == 112, "checkpoint_entry.roll");
_Static_assert(sizeof(struct checkpoint_entry) == 192, "checkpoint_entry size");

/* --------------------------------------------------------------------------------------------- writer note */

#define WRITER_NOTE_MAGIC 0x45544f4e54535242ull /* "BRSTNOTE" */

/* How far the log is durable. The writer notes it in two slots in turn, when no record or checkpoint will soon say
 * it. */
struct writer_note {
    uint64_t magic;
    uint64_t generation;       /* one more than the other slot's; the higher one is the newer */
    uint64_t durable_position; /* a watermark */
    uint64_t next_sequence;    /* sequence of the first record at or behind durable_position */
    /* End of the writes under way when the ring failed, or 0; the next marker goes behind it. */
    uint64_t in_flight_end;
    int64_t written_ns;  /* CLOCK_REALTIME */
    uint32_t epoch;      /* epoch of the open that wrote it */
    uint32_t closed;     /* 1: that log was closed without a record at or behind durable_position. Else 0 */
    uint8_t reserved[4]; /* zero */
    uint32_t crc;        /* CRC32C of all bytes before it, seeded with the ring's uuid */
};

_Static_assert(offsetof(struct writer_note, durable_position) == 16, "writer_note.durable_position");
_Static_assert(offsetof(struct writer_note, written_ns) == 40, "writer_note.written_ns");
_Static_assert(offsetof(struct writer_note, closed) == 52, "writer_note.closed");
_Static_assert(offsetof(struct writer_note, crc) == 60, "writer_note.crc");
_Static_assert(sizeof(struct writer_note) == 64, "writer_note size");

/* --------------------------------------------------------------------------------------------- calibration */

#define CALIBRATION_MAGIC 0x42494c4143525542ull /* "BURCALIB" */
#define CALIBRATION_ENGINES_MAX 8u

/* The cost of durable writes of one block with one engine. */
struct calibration_engine {
    uint32_t io;     /* enum burst_io */
    uint32_t writes; /* number of measured writes; 0: the engine failed meanwhile */
    uint32_t faster; /* how many of them took less than the first engine's write in the same turn */
    uint32_t reserved;
    uint64_t p50_ns;
    uint64_t p99_ns;
};

/* Which engine writes this ring, and why. It is advice: no part of the log depends on it. */
struct calibration {
    uint64_t magic;
    uint32_t io; /* enum burst_io: the chosen engine */
    uint32_t engine_count;
    int64_t measured_ns; /* CLOCK_REALTIME */
    uint32_t kernel_crc; /* CRC32C of the kernel's release */
    uint32_t device_crc; /* CRC32C of the medium's name, model and size, and of the way of writing it */
    uint32_t write_bytes;
    uint32_t reserved;
    struct calibration_engine engines[CALIBRATION_ENGINES_MAX]; /* in order of preference */
    uint8_t reserved_end[212];                                  /* zero */
    uint32_t crc; /* CRC32C of all bytes before it, seeded with the uuid */
};

_Static_assert(sizeof(struct calibration_engine) == 32, "calibration_engine size");
_Static_assert(offsetof(struct calibration, kernel_crc) == 24, "calibration.kernel_crc");
_Static_assert(offsetof(struct calibration, engines) == 40, "calibration.engines");
_Static_assert(offsetof(struct calibration, crc) == 508, "calibration.crc");
_Static_assert(sizeof(struct calibration) == 512, "calibration size");

/* ------------------------------------------------------------------------------------------ places in a lap */

static inline uint64_t align_up(uint64_t value, uint64_t unit) {
    return (value + unit - 1) / unit * unit;
}

static inline uint64_t align_down(uint64_t value, uint64_t unit) {
    return value / unit * unit;
}

/* The bytes that a record with a payload of this length takes in the ring. */
static inline uint64_t record_bytes(uint64_t length) {
    return (RECORD_HEADER_BYTES + length + RECORD_ALIGN_BYTES - 1) & ~(uint64_t)(RECORD_ALIGN_BYTES - 1);
}

/* The bytes from the position to the end of its lap: 1..capacity. */
static inline uint64_t lap_remaining(uint64_t position, uint64_t capacity) {
    return capacity - position % capacity;
}

/* Where a record at or behind `position` can begin. A rest of a lap that is too short for a header holds no record. */
static inline uint64_t record_start(uint64_t position, uint64_t capacity) {
    uint64_t left = lap_remaining(position, capacity);
    return left < RECORD_HEADER_BYTES ? position + left : position;
}

#endif
