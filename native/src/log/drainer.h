/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drain with its outlets: everything that a log needs on its way out, and nothing of the ring that appends. Its
 * source may be the ring of this process, or the records of another one.
 *
 * Only one thread at a time may call these functions.
 */
#ifndef BURST_LOG_DRAINER_H
#define BURST_LOG_DRAINER_H

#include "drain/drain.h"
#include "outlet/file/file_outlet.h"
#include "outlet/raw/medium.h"

/* A stream to be opened. */
struct engine_stream {
    const char *name; /* "": the stream is known by its path, or is the main stream */
    /* Absolute path; NULL, only for the main stream: the path to which it is bound, if any. */
    const char *path;
    struct new_file new_file;    /* how missing files are made */
    const struct roller *roller; /* NULL: its records say how to roll */
    const char *segments;        /* absolute path of a folder that gets its records unchanged, too; NULL: none */
    uint64_t segment_bytes;      /* struct segments_outlet_parts */
    int has_index;               /* struct file_outlet_parts */
    int is_tidied;               /* struct drain_stream_config */
    int is_main;                 /* drainer_add_stream opens the main stream */
};

struct drainer_parts {
    const struct platform *platform;
    const struct files *files;
    const struct raw_media *raw_media; /* NULL: no log goes to a block device */
    struct events *events;
    const struct drain_host *host; /* all but make_outlet; `argument` is the drainer */
    const char *ring_path;
    const uint8_t *ring_uuid;
    /* The user who owns the ring file, and is not trusted: this process must not write for that user to paths that only
     * the ring names. 0: no such user. */
    uint32_t untrusted_ring_owner;
    /* If a caller was to perform a roll, and its stream is not open, the roll waits so long from now for that
     * caller. */
    int64_t absent_stream_wait_ns;
    struct drain_parts drain; /* all but the host */
};

struct drainer {
    struct drainer_parts parts;
    struct drain *drain;
    struct drain_host host;
    struct roller absent_roller; /* for streams that are not open */
    int64_t absent_until_ns;
    /* A stream is being opened, which waits for others' records: no roll then waits for an absent caller. */
    int adds_stream;
};

/* Opens the drain, and the main stream unless it is NULL. Returns 0, or -errno with a sentence; drainer_close is called
 * in each case. */
int drainer_open(struct drainer *drainer, const struct drainer_parts *parts, const struct engine_stream *main);
void drainer_close(struct drainer *drainer);

/* Opens a stream beside the main stream, like drain_add_stream. All records that were accepted for other streams have
 * their place in the log. If it fails, nothing uses the stream's roller any more. */
int drainer_add_stream(struct drainer *drainer, const struct engine_stream *stream, uint16_t *id);

/* Closes a stream, like drain_remove_stream. Nothing uses its roller any more. */
void drainer_remove_stream(struct drainer *drainer, uint16_t id);

/* No caller will open a stream any more: rolls are performed as their records say. Call it between two steps. */
void drainer_end_absent_wait(struct drainer *drainer);

#endif
