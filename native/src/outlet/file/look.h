/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a log file: finds the facts for file_rules.h. No function here writes the outlet. */
#ifndef BURST_OUTLET_FILE_LOOK_H
#define BURST_OUTLET_FILE_LOOK_H

#include "outlet/file/file_facts.h"
#include "outlet/file/log_file.h"

#define CONFIGURED_IS_ELSEWHERE (-65539) /* no errno: the configured file would be in another folder */

/* One call of the outlet. Moments and questions fill the large members when they need them. */
struct file_call {
    const struct outlet_noted *noted;
    struct outlet_state *state; /* the state to hand up */
    const uint8_t *data;        /* MOMENT_WRITE: the next bytes to write */
    size_t bytes;
    int partly;
    const struct outlet_roll_record *record;
    const char *bound; /* MOMENT_BIND: the path */
    enum file_moment moment;
    struct file_facts facts;
    int is_old;     /* the handle needs a new look */
    int rc;         /* error of the last failure, for sentence and answer */
    int cut_rc;     /* error of the cut after a failed sync */
    int lock_tries; /* tries that are left */
    unsigned rounds;
    struct outlet_state draft; /* MOMENT_BEGIN: state of the next file */
    struct destination candidate;
    int has_candidate;                   /* `candidate` is initialised: this call has looked for the noted file */
    enum fact_next sought;               /* why it did */
    char path[LAYOUT_FILE_NAME_BYTES];   /* MOMENT_FIND, MOMENT_ROLL: path of the noted file */
    char target[LAYOUT_FILE_NAME_BYTES]; /* MOMENT_ROLL: new name; "": nobody renames it here */
    char next[LAYOUT_FILE_NAME_BYTES];   /* MOMENT_ROLL: configured name of the next file */
    char owner[12], group[12];           /* MOMENT_ROLL: of the next file, as numbers */
};

/* Returns the facts of this moment, with the answer to the question. */
struct file_facts file_look(const struct log_file *log, struct file_call *call, enum file_question asked);

void file_call_close_candidate(struct file_call *call);

/* Begins that moment: what was tried and found in the one before says nothing of it. */
void file_call_begin(struct file_call *call, enum file_moment moment);

uint8_t file_error_of(int rc);

/* The mark of the file that has this state. */
struct file_mark file_mark_of(const struct log_file *log, const struct outlet_state *state);

/* Whether the file, which is not found under the path, is missing since its file system is not mounted. */
int file_is_unmounted(const struct log_file *log, const struct outlet_state *state, const char *path);

/* Fills mount and mark of the open file in *state. Returns 0, or -errno if they cannot be found now: then the file must
 * not get a byte. */
int file_identify(const struct log_file *log, struct destination *destination, struct outlet_state *state);

/* The bytes that the roll adds in that phase to the file that is written. */
size_t file_roll_bytes(enum roll_phase phase, const struct roll *roll, const uint8_t **data);

/* Makes the state of the file that begins behind this call's roll. */
void file_draft_rolled(const struct log_file *log, const struct file_call *call, struct outlet_state *draft);

/* How this call's roll makes the file that begins. The result points into the call. */
struct new_file file_new_of_roll(const struct log_file *log, struct file_call *call);

/* The -errno that says why the roll is given up. */
int file_roll_error(const struct file_call *call);

#endif
