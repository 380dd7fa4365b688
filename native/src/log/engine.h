/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring, recovery and drain, put together on a given device, file system and platform. Only the threads of an open log
 * are missing. log/open.c gives the real parts, the simulator gives its own.
 */
#ifndef BURST_ENGINE_H
#define BURST_ENGINE_H

#include "base/event_count.h"
#include "drain/drain.h"
#include "ledger/ledger.h"
#include "outlet/file/file_outlet.h"
#include "outlet/raw/medium.h"
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
};

#define LARGEST_RECORD_BYTES (1024ull * 1024u * 1024u) /* in a ring of any size */

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
};

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

struct engine;

/* A request of any thread to the thread that steps, which alone touches streams and outlets. */
struct engine_call {
    struct engine_call *next;
    /* Does the work. Threads that wait for it are woken afterwards. engine NULL: the engine is closed, and nothing can
     * be done any more. */
    void (*run)(struct engine_call *call, struct engine *engine);
};

struct engine {
    struct engine_parts parts;
    struct ring_view view;
    struct ring *ring;
    struct window *window; /* NULL: the ring has none. Whole, and to be announced, once engine_open has returned */
    struct drain *drain;
    _Atomic(struct engine_call *) calls; /* requests, the newest one first */
    struct drain_host host;
    struct log_source source;    /* the ring below its watermark */
    struct roller absent_roller; /* for streams that are not open */
    int64_t absent_until_ns;
    /* A stream is being opened, which waits for others' records: no roll then waits for an absent caller. */
    int adds_stream;
    uint32_t untrusted_ring_owner;
    /* Notified when a stream's drained sequence moves, or cannot move, and when a request was done. */
    struct event_count drained;
    uint64_t progress;                   /* drain_progress at the last notification */
    _Atomic uint32_t failed_checkpoints; /* in a row; the first of them failed the ring */
    int failure_noted;
    int name_lost;            /* the ring has lost its name, and the operator knows */
    uint64_t stalled_at;      /* the watermark when the drain last stalled */
    uint64_t watermark_noted; /* the watermark that was noted then */
    int64_t failure_told_ns;  /* 0: the ring has not failed */
    int64_t failed_since_ns;
};

/* Recovers, opens a new epoch, and opens the main stream if there is one. Returns 0 with *engine ready for ring_append
 * and engine_step; or -errno with a sentence: then it has at most repaired a bad superblock copy and written a
 * marker. */
int engine_open(const struct engine_parts *parts, const struct engine_config *config, struct engine **engine);

/* Does the requests, one step of the drain, and the engine's own checks. Its results are those of drain_step. Only one
 * thread at a time may call this and all functions below but engine_ask. */
int engine_step(struct engine *engine, int sync);

/* Has the next step do the request. The step under way ends after its batch. Any thread may call this. */
void engine_ask(struct engine *engine, struct engine_call *call);

/* Opens a stream beside the main stream, like drain_add_stream. Its records are appended with *id. */
int engine_add_stream(struct engine *engine, const struct engine_stream *stream, uint16_t *id);

/* Closes a stream, like drain_remove_stream. */
void engine_remove_stream(struct engine *engine, uint16_t id);

/* No caller will open a stream any more: rolls are performed as their records say. Call it between two steps. */
void engine_end_absent_wait(struct engine *engine);

/* Notes the watermark in the ring. After a failure of the ring also notes how far its writes may have reached. Returns
 * 0, or -errno: the ring has then failed. */
int engine_note_writer(struct engine *engine);

/* Writes the last note: it says that the log is closed, unless the ring has failed. */
void engine_note_end(struct engine *engine);

/* Runs the requests without the engine, and frees everything but the parts. No call may be under way. */
void engine_close(struct engine *engine);

/* Takes the ring out of the engine, so that engine_close does not free it: late callers may still look at it. */
struct ring *engine_detach_ring(struct engine *engine);

/* Opens the drain and the main stream, as a part of engine_open. Returns 0, or -errno with a sentence. */
int engine_open_drain(struct engine *engine, const struct engine_config *config);

/* Finds out what others have done to the medium, and fails the ring if needed. An append does not look: it only
 * writes. */
void engine_check_medium(struct engine *engine);

/* Counts a write to the fixed head that failed, as the ring has. A thread that waits for the log file may wait in
 * vain. */
void engine_count_failure(struct engine *engine);

#endif
