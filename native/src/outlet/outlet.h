/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The seam between the drain and a destination: an outlet receives the records of one stream. Its bytes depend on its
 * state in the newest checkpoint and on the records behind it, and on nothing else, so that a redo makes them again.
 *
 * An outlet knows nothing of drain, ring and ledger. It hands its state up, and the drain notes the state. Only one
 * thread at a time may call it.
 */
#ifndef BURST_OUTLET_OUTLET_H
#define BURST_OUTLET_OUTLET_H

#include <stddef.h>
#include <stdint.h>

#include "media/roll.h"
#include "outlet/format/record_format.h"

struct outlet;
struct outlet_state; /* media/checkpoint.h */

/* A record at which one destination of the stream ends and the next one begins. */
struct outlet_roll_record {
    uint64_t sequence;
    int64_t time_ns;
    int is_recovered; /* the record was in the ring before this open: the ring's owner may have forged it */
    struct roll roll;
};

/* A part of the log behind the checkpoint that the destination has. */
struct outlet_item {
    /* A record of the stream; its payload is valid until the next call. NULL: a loss, or only a time. */
    const struct record_header *header;
    const uint8_t *payload;
    uint64_t bytes;    /* its length in the destination; of a roll: 0, its outlet knows */
    uint64_t sequence; /* of the first lost record */
    uint64_t count;    /* number of records lost; 0: it is no loss */
    /* Unless 0: all records below durable_sequence, of any stream, were durable at this time. */
    int64_t durable_ns;
    uint64_t durable_sequence;
};

/*
 * The newest checkpoint's view of the destination, and the bytes that follow there. `next` makes these bytes in the
 * buffer of the drain's batch. So an outlet that calls it does not answer OUTLET_READY.
 */
struct outlet_noted {
    const struct outlet_state *state;
    uint64_t sequence;      /* sequence of the first record behind the checkpoint */
    uint64_t last_sequence; /* sequence of the newest durable record of the log; below `sequence`: none waits */
    /* Makes the next call of `next` begin right behind the checkpoint. */
    void (*begin)(const struct outlet_noted *noted);
    /* Returns 1 with the next bytes (`bytes` may be 0), 0 after the last durable ones, -EIO if a mapped ring has lost
     * the record. For an outlet that rolls it returns 2 at a roll, with *roll; the next call goes on behind it. */
    int (*next)(const struct outlet_noted *noted, const uint8_t **data, size_t *bytes, struct outlet_roll_record *roll);
    /* Only in `sync`: takes what was written, item by item, from where `begin` begins. Returns 1; 0 at its end; -EIO if a
     * mapped ring has lost the record. */
    int (*item)(const struct outlet_noted *noted, struct outlet_item *item);
    void *argument; /* for these functions */
};

/* Answers of an outlet. A negative errno means that it cannot go on now: the drain notes the stall and asks again
 * later. After each answer but OUTLET_READY the drain does what it says, makes its batch anew, and asks again. */
enum outlet_answer {
    OUTLET_READY = 0, /* done; from `ready`: the outlet takes these bytes now */
    OUTLET_SYNC,      /* first sync and note the bytes that are written */
    OUTLET_REWIND,    /* the outlet left the destination: go on behind the newest checkpoint */
    /* Note *state in both slots of the ledger, then call `noted`; until then the outlet takes no byte. */
    OUTLET_NOTE,
    OUTLET_MOVE, /* only from `open`: note *state, move the waiting records, then call `open` again */
};

enum { OUTLET_NOT_MOVED = 1 }; /* the first call of `open`: no record was moved yet */

struct outlet_ops {
    /*
     * Finds the destination of noted->state again and makes it go on there if it can. Returns READY, even if it cannot
     * be used now but probably later; NOTE; MOVE if it was opened in another place than configured; or -errno with a
     * sentence: then the log must not be opened.
     *
     * moved is OUTLET_NOT_MOVED in the first call. After MOVE it is 0, or the -errno with which moving the waiting
     * records failed. The outlet then goes back to the configured place, or tells why not. It may then also answer SYNC
     * or REWIND; the drain obeys and calls it again.
     */
    int (*open)(struct outlet *outlet, const struct outlet_noted *noted, int moved, struct outlet_state *state);

    /* Takes a destination for a stream that has none, or gets another one. If the path exists, the outlet continues
     * what is there. Returns NOTE, or -errno with a sentence and nothing open. */
    int (*bind)(struct outlet *outlet, const char *path, const struct outlet_noted *noted, struct outlet_state *state);

    /* Opens the destination if none is open. Then looks whether these bytes may be written to it. `partly`: the first
     * part of their batch is already in it. Without bytes the call only opens. Returns READY, SYNC, REWIND, NOTE or
     * -errno. */
    int (*ready)(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes, int partly,
                 struct outlet_state *state);

    /* Comes right after `ready` has answered READY. Returns how many bytes it took, perhaps fewer than given, or
     * -errno; never 0. */
    int64_t (*write)(struct outlet *outlet, const void *data, size_t bytes);

    /*
     * Performs the roll, which is the next record; everything before it is noted. Returns READY: its bytes are written,
     * and the next `sync` makes them durable; NOTE: the drain then calls again; REWIND; SYNC; -EINPROGRESS: a caller
     * performs the roll and has not answered yet; or another -errno. NULL: the outlet treats a roll as bytes.
     */
    int (*roll)(struct outlet *outlet, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                struct outlet_state *state);

    /* Makes everything written durable. Returns READY with *state; REWIND; or -errno: then the outlet has left the
     * destination, since nobody repeats a failed sync. */
    int (*sync)(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state);

    /* Both slots have the state that the outlet handed up with OUTLET_NOTE. */
    void (*noted)(struct outlet *outlet, const struct outlet_noted *noted);

    /* Tells the operator about a stall with the reason `rc`, or that it is over. held_bytes: so many bytes of the ring
     * wait for it. */
    void (*tell_stalled)(struct outlet *outlet, int rc, int64_t lasts_ns, uint64_t held_bytes);
    void (*tell_going)(struct outlet *outlet);

    int (*is_open)(const struct outlet *outlet);
    uint64_t (*length)(const struct outlet *outlet); /* length of the open destination in bytes */

    /* Copies the name of the destination: the open one, the last one, or the next one. "": it has none yet. */
    void (*copy_path)(const struct outlet *outlet, char *path, size_t path_bytes);

    /* Nobody has the stream open. Lets go of the destination, without a sync, and of all that belongs to whoever had the
     * stream open. `ready` opens the destination again. */
    void (*close)(struct outlet *outlet);

    void (*destroy)(struct outlet *outlet);
};

/* The first member of each kind's own struct. */
struct outlet {
    const struct outlet_ops *ops;
    const struct record_format *format; /* how a record and a loss appear in the destination */
};

#endif
