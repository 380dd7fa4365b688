/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a log file: what is known before a rule of file_rules.h decides. Nothing here writes the outlet. */
#ifndef BURST_OUTLET_FILE_LOOK_H
#define BURST_OUTLET_FILE_LOOK_H

#include "outlet/file/file_facts.h"
#include "outlet/file/log_file.h"

#define CONFIGURED_IS_ELSEWHERE (-65539) /* no errno: the configured file would be made in another folder */

/* One call of the outlet. The large members are filled when a moment or a question needs them. */
struct file_call {
    const struct outlet_noted *noted;
    struct outlet_state *state; /* handed up */
    const uint8_t *data;        /* MOMENT_WRITE: what is written next */
    size_t bytes;
    int partly;
    const struct outlet_roll_record *record;
    const char *bound; /* MOMENT_BIND: the path */
    enum file_moment moment;
    struct file_facts facts;
    int is_old;     /* the handle is to be looked at again */
    int rc;         /* of what failed: for sentence and answer */
    int cut_rc;     /* of the cut behind a sync that failed */
    int lock_tries; /* that are left */
    unsigned rounds;
    struct outlet_state draft; /* MOMENT_BEGIN: what the next file is to be */
    struct destination candidate;
    int has_candidate;                   /* it is initialised */
    char path[LAYOUT_FILE_NAME_BYTES];   /* MOMENT_FIND, MOMENT_ROLL: of the noted file */
    char target[LAYOUT_FILE_NAME_BYTES]; /* MOMENT_ROLL: "": it is not renamed here */
    char next[LAYOUT_FILE_NAME_BYTES];   /* MOMENT_ROLL: the configured name of the next file */
};

/* The facts of this moment, with the answer to one more question. */
struct file_facts file_look(const struct log_file *log, struct file_call *call, enum file_question asked);

void file_call_close_candidate(struct file_call *call);

uint8_t file_error_of(int rc);

/* What the file of this state is known by. */
struct file_mark file_mark_of(const struct log_file *log, const struct outlet_state *state);

/* Whether the file, which is not found under the path, is missing there because its file system is not mounted. */
int file_is_unmounted(const struct log_file *log, const struct outlet_state *state, const char *path);

/* Notes in *state where the file is that is open, and what it is known by. 0, or -errno if that cannot be said now: then it must
 * not get a byte. */
int file_identify(const struct log_file *log, struct destination *destination, struct outlet_state *state);

/* The bytes that the roll puts into the file that is written in that phase. */
size_t file_roll_bytes(enum roll_phase phase, const struct roll *roll, const uint8_t **data);

/* What the file is to be that begins behind the roll of this call. */
void file_draft_rolled(const struct log_file *log, const struct file_call *call, struct outlet_state *draft);

/* -errno: why the roll is given up. */
int file_roll_error(const struct file_call *call);

#endif
