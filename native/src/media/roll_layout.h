/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a roll record, byte by byte. */
#ifndef BURST_MEDIA_ROLL_LAYOUT_H
#define BURST_MEDIA_ROLL_LAYOUT_H

#include <stddef.h>
#include <stdint.h>

#define ROLL_NOTE_BYTES 1024u /* longest note */
#define ROLL_LEVEL_MOST 22    /* highest level of compression, and with a minus the lowest */

/*
 * The payload of a roll record: the head, then the parts in the order of their lengths, nothing between them. `bytes`
 * counts the rules, too, which stand right behind the fields. So a version that knows none passes over them.
 *
 *     | fields, 64 bytes | rules: head, pattern | footer | header | target | next | note |
 *     |<--------------- bytes ---------------->|
 */
struct roll_head {
    uint32_t bytes;           /* size of the head with the rules; a longer one has more */
    uint32_t footer_bytes;    /* the last bytes of the file that ends */
    uint32_t header_bytes;    /* the first bytes of the file that begins */
    uint32_t target_bytes;    /* absolute path to which the ending file is renamed; 0: it keeps its name */
    uint32_t next_bytes;      /* absolute path of the beginning file; 0: the path of the ending one */
    uint32_t note_bytes;      /* for the caller that performs the roll; at most ROLL_NOTE_BYTES */
    int64_t next_time_ns;     /* CLOCK_REALTIME of the next roll; 0: none is planned by time */
    uint64_t next_file_bytes; /* length at which the next roll is planned; 0: at none */
    /* 1: the opener of the stream performs its rolls. 0: the drain performs them as the record says. */
    uint32_t by_caller;
    uint32_t
        rules_bytes; /* of struct roll_rules_head and its pattern; 0: the record has no rules, as of older versions */
    uint8_t reserved[16]; /* zero */
};

enum roll_compression {
    ROLL_COMPRESSION_NONE,
    ROLL_COMPRESSION_GZIP,
    ROLL_COMPRESSION_ZSTD,
};

#define ROLL_NOBODY_ID UINT32_MAX /* neither a user nor a group has this number */

/* The rules of a roll: all that its performer needs to know about the next file and about rolled files. */
struct roll_rules_head {
    uint32_t bytes;         /* size of this head; a longer one has more fields */
    uint32_t pattern_bytes; /* absolute path of rolled files, as burst_rolling_t has it; 0: they stay as they are */
    uint32_t file_mode;     /* permission bits of new files; 0: as the performer's umask leaves them */
    uint32_t mode_is_exact; /* 1: in spite of ACLs of the folder, too; 0: as the umask of the appender left them */
    uint32_t file_owner;    /* user id; ROLL_NOBODY_ID: the performer */
    uint32_t file_group;    /* group id; ROLL_NOBODY_ID: as the folder says */
    uint32_t compression;   /* enum roll_compression */
    int32_t level;          /* 0: the library's default */
    int64_t delay_ns;       /* a file is compressed so long after its last write */
    uint64_t keep_files;    /* so many of the newest stay; 0: any number */
    uint64_t keep_bytes;    /* ... while they have no more bytes together; 0: any number */
    int64_t keep_ns;        /* ... and only so long after their last write; 0: for ever */
    uint32_t is_by_time;    /* 1: the newest file is the one that was written last. 0: the one of the highest index */
    uint32_t reserved;      /* zero */
};

_Static_assert(offsetof(struct roll_head, note_bytes) == 20, "roll_head.note_bytes");
_Static_assert(offsetof(struct roll_head, next_time_ns) == 24, "roll_head.next_time_ns");
_Static_assert(offsetof(struct roll_head, next_file_bytes) == 32, "roll_head.next_file_bytes");
_Static_assert(offsetof(struct roll_head, by_caller) == 40, "roll_head.by_caller");
_Static_assert(offsetof(struct roll_head, rules_bytes) == 44, "roll_head.rules_bytes");
_Static_assert(sizeof(struct roll_head) == 64, "roll_head size");
_Static_assert(offsetof(struct roll_rules_head, file_owner) == 16, "roll_rules_head.file_owner");
_Static_assert(offsetof(struct roll_rules_head, delay_ns) == 32, "roll_rules_head.delay_ns");
_Static_assert(offsetof(struct roll_rules_head, keep_ns) == 56, "roll_rules_head.keep_ns");
_Static_assert(sizeof(struct roll_rules_head) == 72, "roll_rules_head size");

#endif
