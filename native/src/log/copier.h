/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second copy of a log: somebody takes the records from the image and keeps them elsewhere. The leader hands them
 * out once their headers are finished, so the ring's write and the copy's go on at the same time.
 *
 * DESIGN. Beside the positions of the drain (drain/drain.h) there are three, each moved by one role:
 *
 *     released <= noted <= kept <= taken <= sealed          noted <= durable <= sealed
 *
 *     sealed     the leader has finished the headers of the records before it; perhaps their write is under way
 *     taken      the copier has the records before it
 *     kept       the copy has confirmed them: the drain goes no further, and so nothing behind it is released
 *
 * Nothing of this is on the medium. No checkpoint is ahead of `kept`, so after any crash recovery proves each record
 * that the copy lacks; the copy says what its last record is, and goes on behind it. If a write of the ring fails, the
 * copy may have more than recovery proves: records that no call acknowledged. The next epoch gives their sequences to
 * other records, so copier_begin asks for the epoch of the copy's last record, and says how many of its records are void.
 * It cannot if the log went on without the copy in an epoch between the two, and says so.
 *
 * A record's header says which records were durable in the ring when it was sealed, and the newest one that the copy has says
 * so of most that it has. If a later epoch gives the sequence of one of them to another record, the ring has lost it, and
 * no crash of a sound medium does that: copier_begin refuses, since the copy may be the only one to have it.
 *
 * A copy notes where it goes on, with the epoch of the ring then. That is the epoch in which its records and the log's
 * were compared, so it stands for the copy's last record at the next begin: no record before the note is of a later
 * epoch, unless a crash took the one that it had replaced.
 *
 * Two things let the drain go on alone, and then a crash can leave a gap, which the next copier_begin names: the copy is
 * away (copier_away), or the drain must bring a stream's records to their old place before the open returns, and no other
 * stream is behind them.
 *
 * Any thread may call these functions. The leader, those who append, and those who wait for a record that the copy will have
 * never take the lock: whoever takes copies a block under it.
 */
#ifndef BURST_LOG_COPIER_H
#define BURST_LOG_COPIER_H

#include <pthread.h>

#include "ledger/checkpoints.h"
#include "log/copier_tell.h"
#include "recovery/log_source.h"
#include "ring/ring.h"

#define COPIER_NAME_BYTES 124u /* with the terminator */

enum copier_state {
    COPY_EXPECTED = 1, /* it has not begun, and the ring keeps everything for it */
    COPY_IS_HERE,
    COPY_IS_AWAY,
};

/* Only copier.c and copier_begin.c look inside. */
struct copier {
    const struct platform *platform;
    struct copier_tell tell;
    struct ring *ring;
    struct log_source source;
    uint64_t first_sequence; /* of this epoch */
    char name[COPIER_NAME_BYTES];
    uint64_t lost_end;              /* the ring has lost no record from this sequence on: found by recovery */
    _Atomic uint64_t next_sequence; /* the sequence at `kept` */
    struct event_count moved;       /* notified when any of the next three changes */
    _Atomic uint64_t whole_from;    /* whoever waits finds without the lock that the copy has all records from here */
    _Atomic uint64_t whole_end;     /* to here; 0: it has not begun. Set behind whole_from */
    _Atomic uint32_t is_vain;       /* it gets no others: it is away, or the log is closed */
    pthread_mutex_t lock;           /* guards the rest, and holds while the ring gets space back */
    enum copier_state state;
    int is_over; /* the log is closed */
    struct log_cursor kept, taken;
    struct log_cursor noted; /* as the newest checkpoint has it: the ring may give back what is before it */
    /* The records that copier_begin named, which the copy lacks; also what lies between two such ranges. */
    uint64_t missing_from, missing_end;
    uint64_t missing; /* so many it has named in all, each once */
};

/* Tells those who wait, and those who append, of a new state or of a new place. The caller holds the lock. */
void copier_publish(struct copier *copy);

/* For copier_begin.c: they return -EIO, or -ESHUTDOWN, with a sentence. */
int copier_lost_pages(const struct copier *copy);
int copier_refuse_closed(const struct copier *copy);

struct copier_parts {
    const struct platform *platform;
    struct events *events;
    struct ring *ring;                /* no other thread has it yet; outlives the copy */
    struct log_source source;         /* all but its ops */
    struct checkpoint_position start; /* where the log begins that the ring holds */
    const char *name;                 /* for sentences */
};

/* Makes the copy, and has the ring keep what lies behind the start. Returns 0, or -ENOMEM with a sentence. */
int copier_create(const struct copier_parts *parts, struct copier **copy);
void copier_destroy(struct copier *copy);

/* Where the copy goes on. */
struct copier_begun {
    uint64_t next_sequence; /* of the first record that it will get */
    uint64_t missing;       /* so many records before that one the copy lacks, and the ring does not hold any more */
    uint64_t surplus;       /* so many of the copy's last records were never acknowledged, and are to be dropped */
    uint32_t epoch;         /* of the ring: a note of `next_sequence` in the copy has it */
    /* The last record before `next_sequence` that is durable in the ring: the note has it, too. */
    uint64_t durable_sequence;
};

/* The copy is there, and ends with that record; 0: it is empty. `durable_sequence` is that of the block with the record, or of
 * the note; 0: not known. Returns 0; or, with a sentence, -ESHUTDOWN, -EINVAL if no such record can be of this ring, or if
 * the ring has lost records that were durable in it, -EIO if pages of the ring are lost. */
int copier_begin(struct copier *copy, uint64_t last_sequence, uint32_t last_epoch, uint64_t durable_sequence,
                 struct copier_begun *begun);

/* Nothing waits for the copy any more, until it begins again. Returns 0, or -ESHUTDOWN with a sentence. */
int copier_away(struct copier *copy);

struct copier_block {
    size_t bytes;
    uint64_t first_sequence, last_sequence;
    uint32_t epoch; /* of all its records */
    /* When its last record was sealed the records up to this one were durable in the ring. */
    uint64_t durable_sequence;
};

/* Gives the next records, as they stand in the image: header, payload, zeros up to the next record. Pads and markers are
 * left out. A block has no gap, and records of one epoch only. Returns 1; 0 after the time; or, with a sentence,
 * -ENOTCONN (the copy has not begun, or is away), -EMSGSIZE (the next record is longer than `room`), -ESHUTDOWN, -EIO. One
 * thread at a time may take. */
int copier_take(struct copier *copy, void *buffer, size_t room, int64_t timeout_ns, struct copier_block *block);

/* The copy has everything up to that sequence. Returns 0; or, with a sentence, -ENOTCONN, -EINVAL (it was not taken),
 * -ESHUTDOWN, -EIO. */
int copier_confirm(struct copier *copy, uint64_t sequence);

/* The copy has all records below this sequence, but for those that copier_begin named as missing, and those that the ring has
 * lost. */
uint64_t copier_next_sequence(const struct copier *copy);

struct copier_figures {
    enum copier_state state;
    uint64_t next_sequence; /* copier_next_sequence */
    uint64_t missing;       /* so many records copier_begin has named in all, each once */
};

void copier_look(struct copier *copy, struct copier_figures *figures);
const char *copier_name(const struct copier *copy);

/* Waits until it has the record. Returns 1; 0 after the time; or, with a sentence, -ENOTCONN (the copy is away), -ENODATA
 * (the record, or one before and one behind it, was named as missing; or the ring has lost it), -ESHUTDOWN. */
int copier_await(struct copier *copy, uint64_t sequence, int64_t timeout_ns);

/* The drain goes no further than this position; UINT64_MAX while the copy is away. */
uint64_t copier_position(const struct copier *copy);

/* The streams that have records which the copy may yet get, a bit each by its id: it gets them with the name that their stream
 * has then. Reads the headers of these records. All bits if pages of the ring are lost. */
uint64_t copier_owed(struct copier *copy);

/* Whether copier_begin was ever called. */
int copier_has_begun(struct copier *copy);

/* The drain let go of the log before `position`: the ring gets back what the copy has, too. Only the keeper calls it. */
void copier_release(struct copier *copy, uint64_t position);

/* A checkpoint was written. A copy that is away by then, or later, goes on nowhere before `least`. Only the keeper calls it. */
void copier_hear_noted(struct copier *copy, const struct checkpoint_position *least);

/* No more records come, and none is released: all who wait here return. */
void copier_end(struct copier *copy);

#endif
