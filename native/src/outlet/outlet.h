/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What receives the records of one stream: the seam between the drain and a destination. The bytes that an outlet makes depend
 * on its state in the newest checkpoint and on the records behind it, and on nothing else, so that a redo makes them again.
 *
 * An outlet knows nothing of drain, ring and ledger: it hands its state up, and the drain notes it. Its owner calls it from
 * one thread at a time.
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
    int is_recovered; /* it was in the ring when that was opened: whoever owns the ring may have made it up */
    struct roll roll;
};

/*
 * What the newest checkpoint says of the destination, and the bytes that follow there. Those are made in the buffer that the
 * drain's batch is in: an outlet that asks for them does not answer OUTLET_READY.
 */
struct outlet_noted {
    const struct outlet_state *state;
    uint64_t sequence;      /* of the first record behind the checkpoint */
    uint64_t last_sequence; /* of the newest durable record of the log; below `sequence`: none waits */
    /* The next call of `next` gives the first bytes behind the checkpoint. */
    void (*begin)(const struct outlet_noted *noted);
    /* 1 with the next bytes (`bytes` may be 0), 0: that was all that is durable; -EIO: a mapped ring has lost the record.
     * For an outlet that rolls, 2: a roll is next, `*roll`, and then what comes behind it. */
    int (*next)(const struct outlet_noted *noted, const uint8_t **data, size_t *bytes, struct outlet_roll_record *roll);
    void *argument; /* of the two */
};

/* What an outlet answers instead of -errno, which says that it cannot go on now: it stalls and is asked again later. After
 * every answer but OUTLET_READY the drain does what it says, makes its batch anew, and asks again. */
enum outlet_answer {
    OUTLET_READY = 0, /* done; of `ready`: these bytes may be written now */
    OUTLET_SYNC,      /* what was written is to be synced and noted first */
    OUTLET_REWIND,    /* the destination was left: it goes on behind the newest checkpoint */
    OUTLET_NOTE,      /* both slots of the ledger must have *state before it gets a byte; then `noted` is called */
    OUTLET_MOVE,      /* of `open`: the same. Then what waits is moved, and `open` is asked again */
};

enum { OUTLET_NOT_MOVED = 1 }; /* nothing was moved yet: the first question of an open */

struct outlet_ops {
    /*
     * The destination of noted->state is found again, and is made to go on there if it can. READY (also if it cannot be used
     * now, but probably later), NOTE, MOVE if it was opened elsewhere than it is configured to be, or -errno with a sentence:
     * the log is not to be opened. `moved` is OUTLET_NOT_MOVED, or of what waited behind MOVE: 0, or -errno if it could not be
     * brought there. Then it goes back where it is configured to be, or tells why not; SYNC and REWIND are obeyed, and it is
     * asked again.
     */
    int (*open)(struct outlet *outlet, const struct outlet_noted *noted, int moved, struct outlet_state *state);

    /* A destination for a stream that has none, or gets another one: what exists under the path is continued. NOTE, or -errno
     * with a sentence; then none is open. */
    int (*bind)(struct outlet *outlet, const char *path, const struct outlet_noted *noted, struct outlet_state *state);

    /* Opens one if none is open. Then looks whether these bytes may be written to it. `partly`: the batch that they belong to
     * is in it already, in part. Without bytes it is only opened. READY, SYNC, REWIND, NOTE or -errno. */
    int (*ready)(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes, int partly,
                 struct outlet_state *state);

    /* Right after `ready` has said READY. Bytes taken (maybe fewer), or -errno; never 0. */
    int64_t (*write)(struct outlet *outlet, const void *data, size_t bytes);

    /*
     * The roll is the next record, and everything before it is noted. READY: what it makes is written, and the next `sync`
     * makes it durable; NOTE: then it is asked for again; REWIND; SYNC; -EINPROGRESS: somebody else performs it, and has not said
     * yet that it is done; or another -errno. NULL: a roll is bytes like others.
     */
    int (*roll)(struct outlet *outlet, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                struct outlet_state *state);

    /* READY: everything written is durable, and *state says so. REWIND; or -errno: it was left as well, since a sync that
     * failed is never repeated. */
    int (*sync)(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state);

    /* Both slots have the state of OUTLET_NOTE. */
    void (*noted)(struct outlet *outlet, const struct outlet_noted *noted);

    /* Tells what the operator has to know of a stall that `rc` is the reason of, and that it is over. `held_bytes` of the ring
     * wait for it. */
    void (*tell_stalled)(struct outlet *outlet, int rc, int64_t lasts_ns, uint64_t held_bytes);
    void (*tell_going)(struct outlet *outlet);

    int (*is_open)(const struct outlet *outlet);
    uint64_t (*length)(const struct outlet *outlet); /* of the open destination, bytes */

    /* The name of the destination that is, or was, or would be written; "": it has none yet. */
    void (*copy_path)(const struct outlet *outlet, char *path, size_t path_bytes);

    /* Lets go of the destination. What was not synced is not known to be there. `ready` opens it again. */
    void (*close)(struct outlet *outlet);

    void (*destroy)(struct outlet *outlet);
};

/* The first member of what each kind has. */
struct outlet {
    const struct outlet_ops *ops;
    const struct record_format *format; /* what a record and a loss become in it */
};

#endif
