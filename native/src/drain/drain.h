/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The drain: moves durable records from the log to the outlets of their streams and lets go of their space.
 *
 * DESIGN. Everything rests on one order, drain_step: data, sync, checkpoint, release. For each stream
 *
 *     released <= noted <= next <= written <= durable
 *
 *     durable    the watermark of the log
 *     written    the outlet has what comes before, whole batches of it
 *     next       the outlet has that durably: what the next checkpoint is to say
 *     noted      the newest checkpoint says so
 *     released   both slots say so, of all streams: if the newer one rots, the older still finds all its records
 *
 * Bytes between noted and written may be lost by a crash; a redo makes the same bytes again. A stream whose outlet was left
 * goes back to `noted`; a new destination gets no byte before both slots have it.
 *
 * The drain knows no file, no ring and no device. One thread at a time calls these functions; figures, paths and
 * drain_give_up_at may be asked by any.
 */
#ifndef BURST_DRAIN_DRAIN_H
#define BURST_DRAIN_DRAIN_H

#include "ledger/ledger.h"
#include "outlet/outlet.h"
#include "recovery/log_source.h"

#ifndef DRAIN_BATCH_BYTES
#define DRAIN_BATCH_BYTES (1024u * 1024u)
#endif
#define DRAIN_SYNC_AFTER_NS 2000000000ll

struct drain;

/* Whose log is drained. */
struct drain_host {
    void *argument;
    /* A checkpoint was written. Nothing that lies before `position` is needed any more. */
    void (*release)(void *argument, uint64_t position);
    /* None could be written; error_text() says why. */
    void (*failed)(void *argument, int rc);
    /* A durable record cannot be read any more. 1 if that was told, 0: it is told as a stall. NULL: 0. */
    int (*unreadable)(void *argument);
    /* Whether somebody waits for space. NULL: never. */
    int (*is_space_awaited)(void *argument);
    /* Whether somebody waits for the thread that steps: the step ends after its batch. NULL: never. */
    int (*is_wanted)(void *argument);
    /* An outlet for a stream that nobody has open, bound as its state says. 0 or -errno with a sentence. */
    int (*make_outlet)(void *argument, const struct outlet_state *state, struct outlet **outlet);
};

struct drain_parts {
    const struct platform *platform;
    struct ledger *ledger;           /* just read, and levelled; stays alive as long as the drain */
    const struct log_source *source; /* as the ledger */
    const struct drain_host *host;   /* as the ledger */
    uint32_t epoch;                  /* of the checkpoints */
    uint64_t epoch_begin;            /* the position behind the marker of this epoch */
    uint64_t longest;                /* a record of the log, payload, bytes */
};

/* All streams of the newest checkpoint, none of them open: every record of the log is of one of them. 0, or with a sentence
 * -ENOMEM, or what make_outlet says. */
int drain_open(const struct drain_parts *parts, struct drain **drain);

struct drain_stream_config {
    const char *name;      /* "": known by its path, or the main stream */
    const char *path;      /* absolute; NULL: where it is bound to */
    struct outlet *outlet; /* closed; the drain's from now on, and destroyed if this fails */
    const uint16_t
        *follows; /* it gets the records of this stream, which is open, as well, and none of its own: those that
                                come from now on, or behind what it got before; name is "". NULL: its own */
    int is_main;  /* of id LAYOUT_MAIN_STREAM; name is "" */
};

/*
 * Opens a stream: finds its destination again and checks that a redo would not change foreign bytes, or takes a new one. If
 * the stream is bound to another path, or another stream that is not open is bound to this one, the records that wait go
 * where they belong first. Both slots have the stream before this returns 0 with its id. -EBUSY with a sentence: the stream or
 * the path is open already; other -errno with a sentence if the destination cannot be used.
 */
int drain_add_stream(struct drain *drain, const struct drain_stream_config *config, uint16_t *id);

/* No stream follows that one any more: what waits for the one that did goes where it is bound to first. 0, or -errno with a
 * sentence: it follows on. */
int drain_end_following(struct drain *drain, uint16_t id);

/* Closes a stream and the one that follows it: nobody appends to it any more. What they hold is drained where they are bound
 * to. */
void drain_remove_stream(struct drain *drain, uint16_t id);

/* Whether records or losses wait for the stream that its outlet has not noted yet. */
int drain_has_waiting(struct drain *drain, uint16_t id);

/*
 * One step: writes what is durable in the log to the outlets; syncs and checkpoints what is due, or everything if `sync` is
 * set. 1 if anything was written, 0 if there was nothing to do, -errno if a stream stalls (the others went on) or the ledger
 * cannot be written.
 */
int drain_step(struct drain *drain, int sync);

/* Whether everything durable in the log is durable in the outlets, and what is open is ready for more. */
int drain_is_done(const struct drain *drain);

/* No further batch is begun after this moment of the monotonic clock. INT64_MAX: there is none. */
void drain_give_up_at(struct drain *drain, int64_t when_ns);

struct drain_figures {
    uint64_t drained_sequence; /* everything of the stream up to it is in its outlet, durable and noted */
    uint64_t records;          /* written since the drain was opened, those of a redo again */
    uint64_t bytes;
    uint64_t length;      /* of the destination, bytes */
    uint64_t file_number; /* of it, as noted; and so the next two */
    int64_t file_born_ns;
    uint32_t kind;       /* enum outlet_kind; 0: it is bound to nothing */
    uint64_t held_bytes; /* of the log, from the first record that waits for this stream, when the drain last looked */
    uint32_t stalled;
    uint32_t began_empty; /* when it was opened nothing was in the destination, and nothing waited for it */
};

/* 0, or -ENOENT without a sentence: there is no such stream. */
int drain_get_figures(struct drain *drain, uint16_t id, struct drain_figures *figures);

/* The least drained sequence of all streams. */
uint64_t drain_sequence(struct drain *drain);

/* The kind of the outlet that a stream has which is bound to this path, as its state says; 0: none is. */
uint32_t drain_kind_of(struct drain *drain, const char *path);

/* Changes whenever the drained sequence of a stream does. */
uint64_t drain_progress(struct drain *drain);

/* Whether any stream stalls. */
int drain_is_stalled(struct drain *drain);

/* The destination that is being written; "": none yet. */
void drain_copy_path(struct drain *drain, uint16_t id, char *path, size_t path_bytes);

/* Closes the outlets. The last checkpoint stands. */
void drain_close(struct drain *drain);

#endif
