/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drain: moves durable records from the log to the outlets of their streams, and gives their space back.
 *
 * DESIGN. All promises rest on the order of drain_step: data, sync, checkpoint, release. For each stream
 *
 *     released <= noted <= next <= written <= durable
 *
 *     durable    the watermark of the log
 *     written    the outlet has the records before it, in whole batches
 *     next       the outlet has them durably; the next checkpoint will say so
 *     noted      the newest checkpoint says so
 *     released   both slots say so for all streams: if the newer slot rots, the older one still finds all its records
 *
 * A crash may lose bytes between noted and written; a redo makes the same bytes again. After an outlet has left its
 * destination, its stream goes back to `noted`. A new destination gets no byte before both slots have it.
 *
 * The drain knows no file, no ring and no device. Only one thread at a time may call these functions; any thread may
 * ask for figures and paths, and call drain_give_up_at.
 */
#ifndef BURST_DRAIN_DRAIN_H
#define BURST_DRAIN_DRAIN_H

#include "ledger/checkpoints.h"
#include "outlet/outlet.h"
#include "recovery/log_source.h"

#ifndef DRAIN_BATCH_BYTES
#define DRAIN_BATCH_BYTES (1024u * 1024u)
#endif
#define DRAIN_SYNC_AFTER_NS 2000000000ll

struct drain;

/* The owner of the log that is drained. */
struct drain_host {
    void *argument;
    /* A checkpoint was written. How much of the log no stream needs any more is to be read from both slots. */
    void (*noted)(void *argument);
    /* No checkpoint could be written; error_text() says why. */
    void (*failed)(void *argument, int rc);
    /* A durable record can no longer be read. Returns 1 if the host has told the operator; 0: the drain tells it as a
     * stall. NULL: 0. */
    int (*unreadable)(void *argument);
    /* Whether an append waits for space. NULL: never. */
    int (*is_space_awaited)(void *argument);
    /* No stream goes behind this position: what stands there is not in the log's second copy yet. NULL: the log has
     * none. */
    uint64_t (*copied)(void *argument);
    /* The streams that have records which the second copy may yet get, under the name that their stream has then: a bit each
     * by its id. NULL: the log has none. */
    uint64_t (*owed)(void *argument);
    /* Whether another thread waits for the one that steps: then the step ends after its batch. NULL: never. */
    int (*is_wanted)(void *argument);
    /* A roll was noted whose rules nobody but the host follows: drain_next_rules has them. NULL: nobody does. */
    void (*rolled)(void *argument);
    /* Makes an outlet for a stream that nobody has open, bound as its state says. Returns 0, or -errno with a
     * sentence. */
    int (*make_outlet)(void *argument, const struct outlet_state *state, struct outlet **outlet);
};

struct drain_parts {
    const struct platform *platform;
    struct checkpoints *checkpoints; /* just read, and both slots level; outlives the drain */
    const struct log_source *source; /* outlives the drain */
    const struct drain_host *host;   /* outlives the drain */
    uint32_t epoch;                  /* the epoch that checkpoints note */
    uint64_t epoch_begin;            /* position behind this epoch's marker */
    uint64_t longest;                /* length of the longest payload in the log */
    int is_apart;                    /* another process may open the ring at any time: see drain_reach */
};

/* Makes a drain with all streams of the newest checkpoint, which have all records of the log. No stream is open.
 * Returns 0, or with a sentence -ENOMEM or the error of make_outlet. */
int drain_open(const struct drain_parts *parts, struct drain **drain);

struct drain_stream_config {
    const char *name;      /* "": the stream is known by its path, or is the main stream */
    const char *path;      /* absolute path; NULL: the path to which the stream is bound */
    struct outlet *outlet; /* closed; the drain owns it from now on, and destroys it if the call fails */
    /* NULL: the stream has records of its own. Otherwise it follows this open stream: it gets the same records, from now
     * on, or from where it stopped before. Its name is "". */
    const uint16_t *follows;
    int is_main;   /* its id is LAYOUT_MAIN_STREAM, its name "" */
    int is_tidied; /* while it is open its opener follows the rules of its rolls, and asks drain_take_rules for them */
};

/*
 * Opens a stream: finds its destination again and checks that a redo would not change foreign bytes; or takes a new
 * one. Waiting records go to the old place first, if the stream is bound to another path, or if another stream, which
 * is not open, is bound to this one. Both slots have the stream before this returns 0 with its id. Returns -EBUSY with
 * a sentence if the stream or the path is open already; another -errno with a sentence if the destination cannot be
 * used.
 */
int drain_add_stream(struct drain *drain, const struct drain_stream_config *config, uint16_t *id);

/* Ends the stream that follows stream `id`. Records that wait for it go to its destination first. Returns 0, or -errno
 * with a sentence: then it still follows. */
int drain_end_following(struct drain *drain, uint16_t id);

/* Closes a stream and the one that follows it: no thread appends to them any more. Their records still go to the
 * destinations to which they are bound. */
void drain_remove_stream(struct drain *drain, uint16_t id);

/* Whether records or losses wait for the stream that are not noted yet. */
int drain_has_waiting(struct drain *drain, uint16_t id);

/*
 * One step: writes durable records to the outlets, then syncs and checkpoints what is due, or everything if `sync` is
 * set. Returns 1 if it wrote anything, 0 if there was nothing to do, -errno if a stream stalls (the others went on) or
 * no checkpoint can be written.
 */
int drain_step(struct drain *drain, int sync);

/* Whether all records that are durable in the log are durable in the outlets, and all open streams are ready for
 * more. */
int drain_is_done(const struct drain *drain);

/* Whether the last step has noted all that can still be read of the log, and streams lack what cannot: see unreadable. */
int drain_is_cut_off(const struct drain *drain);

/* The drain begins no further batch after this time of the monotonic clock. INT64_MAX: no such time. */
void drain_give_up_at(struct drain *drain, int64_t when_ns);

struct drain_figures {
    uint64_t drained_sequence; /* all records of the stream up to it are durable in its outlet, and noted */
    uint64_t records;          /* written since the drain was opened; a redo counts again */
    uint64_t bytes;
    uint64_t length;      /* length of the destination in bytes */
    uint64_t file_number; /* number of the destination's file; this and the next two as noted */
    int64_t file_born_ns;
    uint32_t kind; /* enum outlet_kind; 0: not bound to a destination */
    /* Bytes of the log from the first record that waits for this stream, at the drain's last look. */
    uint64_t held_bytes;
    uint32_t stalled;
    uint32_t began_empty; /* when the stream was opened its destination was empty, and no record waited for it */
};

/* Returns 0, or -ENOENT without a sentence if there is no such stream. */
int drain_get_figures(struct drain *drain, uint16_t id, struct drain_figures *figures);

/* Takes the rules of the newest roll of the stream that was noted since they were taken last. Returns 1, or 0 if there
 * was none, or if it had no rules. */
int drain_take_rules(struct drain *drain, uint16_t id, struct outlet_rules *rules);

/* Takes them from any stream whose opener does not. Returns its id, or -ENOENT without a sentence if there is none. */
int drain_next_rules(struct drain *drain, struct outlet_rules *rules);

/* Their work is not done yet: they are there to be taken again. */
void drain_return_rules(struct drain *drain, uint16_t id);

/* The lowest drained sequence of all streams. */
uint64_t drain_sequence(struct drain *drain);

/* The kind of outlet of the stream that is bound to this path; 0: no stream is. */
uint32_t drain_kind_of(struct drain *drain, const char *path);

/* Changes each time that a stream's drained sequence does. */
uint64_t drain_progress(struct drain *drain);

/* Whether any stream stalls. */
int drain_is_stalled(struct drain *drain);

/* Copies the path of the stream's destination; "": none yet. */
void drain_copy_path(struct drain *drain, uint16_t id, char *path, size_t path_bytes);

/* Copies the name of the stream; if it has none, the path of its destination; if it has no destination any more, "stream 5"
 * with its id. Returns 0, or -ENOENT without a sentence if there is no such stream. */
int drain_copy_name(struct drain *drain, uint16_t id, char *name, size_t name_bytes);

/* Closes the outlets. The last checkpoint stays as it is. */
void drain_close(struct drain *drain);

#endif
