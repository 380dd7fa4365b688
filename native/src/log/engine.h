/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring, recovery and drain, put together on a given device, file system and platform. Only the threads of an open log
 * are missing. log/open.c gives the real parts, the simulator gives its own.
 */
#ifndef BURST_ENGINE_H
#define BURST_ENGINE_H

#include "ledger/ledger.h"
#include "log/drainer.h"
#include "log/keeper.h"
#include "log/requests.h"
#include "ring/ring.h"
#include "view/ring_view.h"
#include "window/memory.h"

struct engine_parts {
    const struct platform *platform;
    struct device *device; /* open as writer; its owner closes it */
    const struct files *files;
    const struct raw_media *raw_media; /* NULL: no log goes to a block device */
    struct events *events;
    /* Drain: a roll was noted whose rules no open stream follows (drain_next_rules). NULL: they are not followed. */
    void (*rolled)(void *argument);
    void *rolled_argument;
    struct stages *stages;             /* NULL: no times are taken. Outlives the ring */
    struct window_maker *window_maker; /* NULL: the ring has no window. Outlives the engine */
    int reads_slots; /* space is given back as the medium's slots say, and not as this process remembers them */
};

#define LARGEST_RECORD_BYTES (1024ull * 1024u * 1024u) /* in a ring of any size */

struct engine_config {
    const struct engine_stream *main; /* has id 0; NULL: it is not opened */
    uint64_t ring_bytes;              /* 0: any size. Otherwise the ring must have this size */
    uint64_t max_record_bytes;        /* 0: default */
    uint32_t cpus;                    /* struct ring_limits */
    /* The user who owns the ring file, and is not trusted: this process must not write for that user to paths that only
     * the ring names. 0: no such user. */
    uint32_t untrusted_ring_owner;
    /* If a caller was to perform a roll, and its stream is not open, the roll waits so long from now for that
     * caller. */
    int64_t absent_stream_wait_ns;
};

struct engine {
    struct engine_parts parts;
    struct ring_view view;
    struct ring *ring;
    struct window *window; /* NULL: the ring has none. Whole, and to be announced, once engine_open has returned */
    struct keeper keeper;
    struct drainer drainer;
    struct requests *requests; /* which streams are to be open; the main stream is none of them */
    struct log_source source;  /* the ring below its watermark */
};

/* Recovers, opens a new epoch, and opens the main stream if there is one. Returns 0 with *engine ready for ring_append
 * and engine_step; or -errno with a sentence: then it has at most repaired a bad superblock copy and written a
 * marker. */
int engine_open(const struct engine_parts *parts, const struct engine_config *config, struct engine **engine);

/* Does the requests, one step of the drain, and the keeper's work. Its results are those of drain_step. Only one
 * thread at a time may call this and all functions below but engine_ask. */
int engine_step(struct engine *engine, int sync);

/* Has the next step deal with the requests. The step under way ends after its batch. Any thread may call this. */
void engine_ask(struct engine *engine);

/* Opens a stream beside the main stream, like drain_add_stream. Its records are appended with *id. */
int engine_add_stream(struct engine *engine, const struct engine_stream *stream, uint16_t *id);

/* Closes a stream, like drain_remove_stream. */
void engine_remove_stream(struct engine *engine, uint16_t id);

/* Writes the last note: it says that the log is closed, unless the ring has failed. */
void engine_note_end(struct engine *engine);

/* Frees everything but the parts. Requests that wait are dropped (requests_destroy). No call may be under way. */
void engine_close(struct engine *engine);

/* Takes the ring out of the engine, so that engine_close does not free it: late callers may still look at it. */
struct ring *engine_detach_ring(struct engine *engine);

/* Opens the drain and the main stream, as a part of engine_open. Returns 0, or -errno with a sentence. */
int engine_open_drain(struct engine *engine, const struct engine_config *config);

#endif
