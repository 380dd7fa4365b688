/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The outlet that is a log file, inside. A change of file (others renamed, cut or extended it; a sync failed) begins the next
 * one behind the newest checkpoint, and both slots of the ledger name it before it gets a byte, so that no crash can lead
 * back to the file before. Which file that is: next_file.c.
 */
#ifndef BURST_OUTLET_LOG_FILE_H
#define BURST_OUTLET_LOG_FILE_H

#include "base/events.h"
#include "base/platform.h"
#include "media/checkpoint.h"
#include "outlet/file/accounts.h"
#include "outlet/file/destination.h"
#include "outlet/file/file_outlet.h"
#include "outlet/outlet.h"

/* Which file takes the next byte, while none is open. */
enum next_file {
    NEXT_FILE_NOTED,     /* the one of the newest checkpoint, which nobody has looked for yet */
    NEXT_FILE_SAME,      /* the same, once its file system is there again */
    NEXT_FILE_SAME_NAME, /* a new one in the place of one that others took away */
    NEXT_FILE_DIVERTED,  /* another one than that which was left */
};

/* What is told once both slots have the file. */
enum news {
    NEWS_NONE,
    NEWS_BEGUN,    /* records go there */
    NEWS_BACK,     /* the log has gone back to the configured file */
    NEWS_DIVERTED, /* records go there, and not to the configured one */
};

struct log_file {
    struct outlet outlet;
    const struct platform *platform;
    struct events *events;
    struct destination destination;
    struct outlet_state state; /* of the file that is open, or was: length and tail as at the last sync */
    enum next_file next;
    enum news news;
    int why_diverted;
    char before[LAYOUT_FILE_NAME_BYTES]; /* NEWS_BACK: the diverted file */
    int mark_is_untrusted;
    int ring_is_untrusted;       /* nor are names that it holds */
    const struct roller *roller; /* or NULL */
    int roll_told_rc;            /* of the rolls that were given up since the last one that succeeded, or 0 */
    int target_told;             /* the last target was taken, and that is told */
    int is_astray;               /* it was diverted when it was opened, and that is not settled yet */
    int is_stalled;
    char stalled_path[LAYOUT_FILE_NAME_BYTES]; /* the file that the stall was told of */
    char owner[ACCOUNT_NAME_BYTES],
        group[ACCOUNT_NAME_BYTES]; /* of files that begin later than who has said so is there */
};

static inline struct log_file *log_file_of(struct outlet *outlet) {
    return (struct log_file *)outlet;
}

static inline int log_file_is_open(const struct log_file *log) {
    return log->destination.file != DESTINATION_CLOSED;
}

/* outlet_ops.bind and .open: bind.c. */
int log_file_open(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state);
int log_file_bind(struct outlet *outlet, const char *path, const struct outlet_noted *noted,
                  struct outlet_state *state);

/* outlet_ops.write: log_file.c. */
int64_t log_file_write(struct outlet *outlet, const void *data, size_t bytes);

/* outlet_ops.sync: change.c. */
int log_file_sync(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state);

/* outlet_ops.noted, .settle: next_file.c. */
void log_file_noted(struct outlet *outlet, const struct outlet_noted *noted);
int log_file_settle(struct outlet *outlet, const struct outlet_noted *noted, int why, struct outlet_state *state);

/* outlet_ops.ready: change.c. */
int log_file_ready(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes, int partly,
                   struct outlet_state *state);

/* outlet_ops.roll: roll.c. */
int log_file_roll(struct outlet *outlet, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                  struct outlet_state *state);

/* The file of this state is in the middle of a roll: it is left to the next log_file_roll. READY. */
int log_file_await_roll(struct log_file *log, const struct outlet_state *noted);

/* The bytes that the roll puts into the file that is written in that phase. */
size_t roll_bytes(enum roll_phase phase, const struct roll *roll, const uint8_t **data);

/* Lets go of the file. */
void log_file_leave(struct log_file *log, enum next_file next);

/* Hands up what the open file is. OUTLET_READY. */
int log_file_hand_up(struct log_file *log, struct outlet_state *state);

/* Finds the file of the newest checkpoint again. 0 with it open, or with none open and the next one decided; -errno, and
 * destination.unreadable_candidate names what may be the file and cannot be looked at now, or is "". */
int log_file_find(struct log_file *log, const struct outlet_noted *noted);

/* Opens the next file if none is open: READY, NOTE or -errno (-DESTINATION_UNMOUNTED_ERROR: it would be hidden by a mount). */
int log_file_begin(struct log_file *log, const struct outlet_noted *noted, struct outlet_state *state);

/* None is open, log->next is decided, and log->state says what the next one is to be called: creates it, or a diverted one if
 * that is taken. NOTE, or -errno with the state as `before`. */
int log_file_begin_next(struct log_file *log, const struct outlet_noted *noted, const struct outlet_state *before,
                        struct outlet_state *state);

/* The open file, all of which is noted: if it is a diverted one that others gave the configured name, it is the configured
 * file from now on: NOTE. READY: it is not. -errno. */
int log_file_take_name(struct log_file *log, struct outlet_state *state);

/* The diverted file that an older version named, all of which is noted: it gets a name that no pattern of rolled files makes: NOTE.
 * READY: it has one. -errno: it keeps its name. A crash before it is noted finds a file that was renamed. */
int log_file_leave_old_name(struct log_file *log, struct outlet_state *state);

/* The next file is the configured one. */
void log_file_end_diversion(struct outlet_state *state);

/* Notes where the open file is and what it is known by. 0, or -errno if that cannot be said now: then it must not get a
 * byte. */
int log_file_note_identity(struct log_file *log);

/* What the file of this state is known by. */
struct file_mark log_file_mark(const struct log_file *log, const struct outlet_state *state);

/* Whether the file, which is not found under the path, is missing there because its file system is not mounted. */
int log_file_is_unmounted(const struct log_file *log, const struct outlet_state *state, const char *path);

#endif
