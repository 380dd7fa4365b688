/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ring, recovery and drain put together on a device, a file system and a platform that are given: everything of an
 * open log but its threads. log/open.c gives the real ones, the simulator its own.
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

struct engine_parts {
    const struct platform *platform;
    struct device *device; /* open as writer; the engine does not close it */
    const struct files *files;
    const struct raw_media *raw_media; /* NULL: no log goes to a block device */
    struct events *events;
    struct stages *stages; /* NULL: no times are taken. Outlives the ring */
};

#define LARGEST_RECORD_BYTES (1024ull * 1024u * 1024u) /* of any ring */

/* A stream that somebody opens. */
struct engine_stream {
    const char *name;            /* "": known by its path, or the main stream */
    const char *path;            /* absolute; NULL: of the main stream alone, where it is bound, if it is */
    struct new_file new_file;    /* how files are made that are missing */
    const struct roller *roller; /* NULL: it is rolled as its records say */
    const char *segments;        /* absolute: a folder that gets its records as they are, as well; NULL: none does */
    uint64_t segment_bytes;      /* struct segments_outlet_parts */
};

struct engine_config {
    const struct engine_stream *main; /* of id 0; NULL: nobody opens it */
    uint64_t ring_bytes;              /* 0: any. Else the size the ring must have */
    uint64_t max_record_bytes;        /* 0: default */
    uint32_t cpus;                    /* struct ring_limits */
    /* the ring is of this user, for whom this process must not write where the ring alone says; 0: of nobody else */
    uint32_t untrusted_ring_owner;
    /* so long, from now, a roll of a stream that nobody has open waits for whoever will open it */
    int64_t absent_stream_wait_ns;
};

struct engine;

/* What any thread asks of the one that steps, which alone touches streams and outlets. */
struct engine_call {
    struct engine_call *next;
    /* Whoever awaits it is woken afterwards. engine NULL: that is closed, and nothing can be done any more. */
    void (*run)(struct engine_call *call, struct engine *engine);
};

struct engine {
    struct engine_parts parts;
    struct ring_view view;
    struct ring *ring;
    struct drain *drain;
    _Atomic(struct engine_call *) calls; /* asked, the last one first */
    struct drain_host host;
    struct log_source source;    /* the ring below its watermark */
    struct roller absent_roller; /* of streams that nobody has open */
    int64_t absent_until_ns;
    int adds_stream; /* which waits for what others hold: nothing waits for an absent stream then */
    uint32_t untrusted_ring_owner;
    struct event_count drained; /* the drained sequence of a stream has moved, or cannot move; a call was run */
    uint64_t progress;          /* drain_progress when that was told */
    _Atomic uint32_t failed_checkpoints; /* in a row, which the medium of the ring, failed by the first, did not take */
    int failure_noted;
    int name_lost;            /* the ring is not under its name, and that is told */
    uint64_t stalled_at;      /* the watermark when the drain last stalled */
    uint64_t watermark_noted; /* and the one that was noted then */
    int64_t failure_told_ns;  /* 0: the ring has not failed */
    int64_t failed_since_ns;
};

/* Recovers, opens a new epoch and opens the main stream, if there is one. 0 with *engine ready for ring_append and engine_step, or -errno
 * with a sentence; then at most a bad superblock copy was repaired and a marker written. */
int engine_open(const struct engine_parts *parts, const struct engine_config *config, struct engine **engine);

/* Runs what was asked; then one step of the drain, and what the log itself has to look after: as drain_step. One thread
 * at a time calls this, and all below but engine_ask. */
int engine_step(struct engine *engine, int sync);

/* Has the next step run the call, and ends the one that is under way after its batch. Any thread. */
void engine_ask(struct engine *engine, struct engine_call *call);

/* Opens a stream beside the main stream, as drain_add_stream; its records are appended with *id. */
int engine_add_stream(struct engine *engine, const struct engine_stream *stream, uint16_t *id);

/* As drain_remove_stream. */
void engine_remove_stream(struct engine *engine, uint16_t id);

/* Nobody opens a stream any more: its rolls are performed as they say themselves. Between two steps. */
void engine_end_absent_wait(struct engine *engine);

/* Notes the watermark in the ring, and, if that has failed, how far its writes may have reached. 0 or -errno; the ring has
 * failed then. */
int engine_note_writer(struct engine *engine);

/* The same at the end: it says that the log is closed, unless its ring has failed. */
void engine_note_end(struct engine *engine);

/* Runs what was asked, without the engine, and frees everything but the parts. Nothing may be under way. */
void engine_close(struct engine *engine);

/* Takes the ring out of the engine, so that engine_close leaves it: late callers may still look at it. */
struct ring *engine_detach_ring(struct engine *engine);

/* Opens the drain and the main stream: part of engine_open. 0 or -errno with a sentence. */
int engine_open_drain(struct engine *engine, const struct engine_config *config);

/* What others did to the medium is found out here: an append only writes. Fails the ring. */
void engine_check_medium(struct engine *engine);

/* Another write to the fixed head has failed, and the ring with it: whoever awaits the log file may wait in vain. */
void engine_count_failure(struct engine *engine);

#endif
