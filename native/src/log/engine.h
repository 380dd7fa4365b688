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

/* Which process drains. */
enum engine_drains {
    ENGINE_DRAINS,     /* this one, as long as the log is open */
    ENGINE_DRAINS_NOW, /* this one, until engine_end_draining; parts.reads_slots is set, and there is a window */
    ENGINE_DRAINS_NOT, /* another one, or none, until engine_begin_draining; otherwise like ENGINE_DRAINS_NOW */
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
    enum engine_drains drains;
    const char *copy; /* name of the log's second copy (log/copier.h), for ENGINE_DRAINS; NULL: it has none */
};

struct engine_far; /* log/engine_far.c */

struct engine {
    struct engine_parts parts;
    struct engine_config config; /* without its main stream */
    struct ring_view view;
    struct ring *ring;
    struct window *window; /* NULL: the ring has none. Whole, and to be announced, once engine_open has returned */
    struct keeper keeper;
    struct copier *copy; /* NULL: the log has none */
    struct drainer drainer;
    struct requests
        *requests; /* which streams are to be open; the main stream is none of them, unless another process may drain */
    struct log_source source; /* the ring below its watermark */
    struct engine_far *far;   /* NULL: ENGINE_DRAINS */
    int drain_is_lost;        /* another process has written a slot: engine_drain_is_lost */
};

/* Recovers, opens a new epoch, and opens the main stream if there is one. Returns 0 with *engine ready for ring_append
 * and engine_step; or -errno with a sentence: then it has at most repaired a bad superblock copy and written a
 * marker. -EAGAIN: the drain of another process was writing a slot, or has not yet let go of the space that this open
 * needs; nothing was written. */
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

/* The caller has the lock of those who drain (window/locks.h), and nobody else drains: reads the slots anew, and opens the
 * drain: also that of a failed ring, for what is durable. Returns 0, or -errno with a sentence: nothing is open then. */
int engine_begin_draining(struct engine *engine);

/* Closes the drain. Another one writes again what this one has not noted. */
void engine_end_draining(struct engine *engine);

static inline int engine_drains_here(const struct engine *engine) {
    return engine->drainer.drain != NULL;
}

/* Whether another process has written a checkpoint while this one drained, as if it were alone: it has to end that. */
static inline int engine_drain_is_lost(const struct engine *engine) {
    return engine->drain_is_lost;
}

/* Takes over figures and answers of the drain of another process. Only the thread that steps calls it. */
void engine_far_take_page(struct engine *engine, const struct drain_page *page);

/* The figures of the drain, in whichever process it is; these call the functions of the drain with like names
 * (drain/drain.h). Any thread may call them. */
int engine_get_figures(const struct engine *engine, uint16_t id, struct drain_figures *figures);
void engine_copy_path(const struct engine *engine, uint16_t id, char *path, size_t path_bytes);
int engine_copy_name(const struct engine *engine, uint16_t id, char *name, size_t name_bytes); /* of ENGINE_DRAINS */
uint64_t engine_drained_sequence(const struct engine *engine);
int engine_is_stalled(const struct engine *engine);
int engine_is_drained(const struct engine *engine);
int engine_take_rules(const struct engine *engine, uint16_t id, struct outlet_rules *rules);
int engine_next_rules(const struct engine *engine, struct outlet_rules *rules);
void engine_return_rules(const struct engine *engine, uint16_t id);
void engine_give_up_at(const struct engine *engine, int64_t when_ns);

/* Writes the last note: it says that the log is closed, unless the ring has failed. */
void engine_note_end(struct engine *engine);

/* Frees everything but the parts. Requests that wait are dropped (requests_destroy). No call may be under way. */
void engine_close(struct engine *engine);

/* Takes the ring out of the engine, so that engine_close does not free it: late callers may still look at it. */
struct ring *engine_detach_ring(struct engine *engine);

/* Inside the engine (engine_far.c): the figures while another process may drain. Returns 0, or -ENOMEM with a sentence. */
int engine_far_create(struct engine *engine);
void engine_far_destroy(struct engine *engine);

/* Reads the slots: space, figures, those who wait. Only the thread that steps calls it, while another process drains, or
 * nobody. */
void engine_far_look(struct engine *engine);

/* Opens the drain, and the main stream if there is one. Returns 0, or -errno with a sentence. */
int engine_open_drain(struct engine *engine, const struct engine_config *config);

#endif
