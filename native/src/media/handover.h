/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The words between a log and the drain of another process. No I/O.
 *
 *     struct stream_requests   in the log's window: how each stream is to be. The log writes it, the drain reads it
 *     struct drain_page        in a file beside the lock file: what came of it, and the drain's figures. The drain writes
 *                              it, the log reads it
 *
 * DESIGN. Both are copies: losing one loses nothing. A request says what shall be, and no step towards it, so a drain that
 * begins anew finds all it needs. The page is a file, and is read by `pread`: neither side can be hurt by the other's
 * death, or by a file that is cut. The page has a checksum: one that is just being written is read again later. No word of
 * the page frees space: the log reads the checkpoint slots.
 *
 * Both sides run on one host, perhaps with versions one apart: each checks the other's version, and refuses in a sentence.
 */
#ifndef BURST_MEDIA_HANDOVER_H
#define BURST_MEDIA_HANDOVER_H

#include <stdatomic.h>

#include "media/layout.h"

#define HANDOVER_VERSION 1u
#define DRAIN_PAGE_MAGIC 0x45474150524e4442ull /* "BDNRPAGE" */
#define DRAIN_PAGE_SUFFIX ".drain"

#define REQUESTS_MOST (2 * LAYOUT_STREAMS_MAX) /* each stream, and as many that wait to be closed */
#define REQUEST_OWNER_BYTES 256u
#define REQUEST_ANSWER_BYTES 1024u
#define DRAIN_PAGE_EVENTS 16u
#define DRAIN_EVENT_BYTES 512u

enum request_wants {
    REQUEST_CLOSED = 0,
    REQUEST_OPEN = 1,
};

struct stream_request {
    _Atomic uint64_t number; /* of its last change; 0: none yet */
    _Atomic uint32_t wants;  /* enum request_wants */
    uint32_t file_mode;      /* this and the rest: struct engine_stream */
    uint32_t has_index;
    uint32_t has_segments;
    uint32_t is_tidied;
    uint32_t is_main;
    uint64_t segment_bytes;
    char name[LAYOUT_STREAM_NAME_BYTES];
    char path[LAYOUT_FILE_NAME_BYTES];
    char segments[LAYOUT_FILE_NAME_BYTES];
    char owner[REQUEST_OWNER_BYTES]; /* "": unchanged */
    char group[REQUEST_OWNER_BYTES];
};

struct stream_requests {
    uint32_t version; /* HANDOVER_VERSION */
    uint32_t io;      /* enum device_io: how the log writes the ring */
    uint64_t max_record_bytes;
    _Atomic uint64_t newest; /* the highest number in `asked` */
    _Atomic uint64_t syncs;  /* grows when somebody waits for a log file: the drain syncs in its next step */
    struct stream_request asked[REQUESTS_MOST];
};

_Static_assert(offsetof(struct stream_request, name) == 40, "stream_request.name");
_Static_assert(offsetof(struct stream_requests, asked) == 32, "stream_requests.asked");

struct stream_answer {
    _Atomic uint64_t number; /* of the last change that was dealt with */
    int32_t rc;              /* 0 or -errno */
    uint16_t id;
    uint16_t is_open;
    char text[REQUEST_ANSWER_BYTES]; /* the sentence of an error */
};

_Static_assert(sizeof(struct stream_answer) == 16 + REQUEST_ANSWER_BYTES, "stream_answer size");

/* A stream's figures that its checkpoint lacks. */
struct drain_page_stream {
    uint64_t records;
    uint64_t bytes;
    uint64_t length;
    uint64_t held_bytes;
    uint32_t is_there; /* else the other fields say nothing */
    uint32_t is_stalled;
    uint32_t began_empty;
    uint32_t reserved;
};

struct drain_page_event {
    uint32_t severity;
    uint32_t reserved;
    int64_t time_ns;
    char text[DRAIN_EVENT_BYTES];
};

struct drain_page {
    uint64_t magic;
    uint32_t version; /* HANDOVER_VERSION */
    uint32_t bytes;   /* sizeof(struct drain_page) */
    uint64_t drain;   /* a random number of the drain's process */
    uint64_t change;  /* grows with each write of this drain */
    uint32_t epoch;   /* of the log whose requests it answers; 0: of none */
    uint32_t pid;     /* for sentences */
    uint64_t events;  /* so many it has posted: the newest is event[(events - 1) % DRAIN_PAGE_EVENTS] */
    struct drain_page_event event[DRAIN_PAGE_EVENTS];
    struct drain_page_stream streams[LAYOUT_STREAMS_MAX];
    struct stream_answer answers[REQUESTS_MOST];
    uint32_t reserved;
    uint32_t crc; /* CRC32C of all bytes before it, seeded with the ring's uuid */
};

_Static_assert(offsetof(struct drain_page, events) == 40, "drain_page.events");
_Static_assert(offsetof(struct drain_page, crc) + 4 == sizeof(struct drain_page), "the CRC covers the page");

/* Seals the page, whose other fields are filled. */
void drain_page_seal(struct drain_page *page, uint32_t crc_seed);

/* Whether the page is whole and of this version, and all its texts end. */
int drain_page_is_valid(const struct drain_page *page, uint32_t crc_seed);

#endif
