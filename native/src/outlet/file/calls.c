/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of outlet_ops, and the moment of each. */
#include "outlet/file/log_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "outlet/file/act.h"
#include "outlet/file/tell.h"
#include "outlet/index/writer.h"

static const struct log_file *log_file_of(const struct outlet *outlet) {
    return (const struct log_file *)outlet;
}

/* Leaves the large members untouched, since few calls need them. */
static void begin_call(struct file_call *call, enum file_moment moment, enum fact_caller caller,
                       const struct outlet_noted *noted, struct outlet_state *state) {
    call->noted = noted;
    call->state = state;
    call->data = NULL;
    call->bytes = 0;
    call->partly = 0;
    call->moment = moment;
    call->facts = (struct file_facts){.caller = (uint8_t)caller};
    call->is_old = 1;
    call->rc = 0;
    call->lock_tries = FILE_LOCK_TRIES;
    call->has_candidate = 0;
    call->facts.length = noted->state->length > 0 ? LENGTH_FILLED : LENGTH_EMPTY;
    call->facts.phase = noted->state->roll.phase == ROLL_ROLLING ? PHASE_ROLLING : PHASE_WRITING;
}

static int log_file_ready(struct outlet *outlet, const struct outlet_noted *noted, const void *data, size_t bytes,
                          int partly, struct outlet_state *state) {
    struct file_call call;
    begin_call(&call, MOMENT_WRITE, CALLER_DRAIN, noted, state);
    call.data = data;
    call.bytes = bytes;
    call.partly = partly;
    return file_run(outlet, &call);
}

static int log_file_sync(struct outlet *outlet, const struct outlet_noted *noted, struct outlet_state *state) {
    struct file_call call;
    begin_call(&call, MOMENT_SYNCED, CALLER_DRAIN, noted, state);
    call.rc = file_sync(outlet);
    call.facts.error = file_error_of(call.rc);
    const int rc = file_run(outlet, &call);
    if (rc == OUTLET_READY) {
        struct index_writer *const writer = log_file_of(outlet)->index;
        const struct outlet_index index = writer == NULL ? (struct outlet_index){0} : index_writer_sync(writer, noted);
        file_note_index(outlet, &index, state);
    }
    return rc;
}

static int log_file_bind(struct outlet *outlet, const char *path, const struct outlet_noted *noted,
                         struct outlet_state *state) {
    const struct log_file *log = log_file_of(outlet);
    struct file_call call;
    begin_call(&call, MOMENT_BIND, CALLER_OPEN, noted, state);
    call.bound = path;
    if (strlen(path) >= sizeof log->state.path) {
        call.rc = -ENAMETOOLONG;
        call.facts.tried = TRIED_NAME;
        call.facts.error = ERROR_LASTING;
    } else if (log_file_is_open(log)) {
        file_tell_bound_anew(log, path, noted->sequence);
    }
    file_close(outlet);
    return file_run(outlet, &call);
}

/* Asks again after the drain has moved the waiting records (moved 0), or failed to (-errno). */
static int ask_again(struct outlet *outlet, const struct outlet_noted *noted, int moved, struct outlet_state *state) {
    const struct log_file *log = log_file_of(outlet);
    struct file_call call;
    int rc = moved;
    for (int is_first = 1; is_first || rc < 0; is_first = 0) {
        begin_call(&call, MOMENT_MOVED, CALLER_DRAIN, noted, state);
        call.facts.trust = log->ring_is_untrusted ? TRUST_NOTHING : TRUST_ALL;
        call.rc = rc;
        call.facts.tried = rc < 0 ? TRIED_MOVE : TRIED_NOTHING;
        call.facts.error = file_error_of(rc);
        rc = file_run(outlet, &call);
    }
    return rc;
}

static int log_file_open(struct outlet *outlet, const struct outlet_noted *noted, int moved,
                         struct outlet_state *state) {
    struct file_call call;
    if (moved != OUTLET_NOT_MOVED) {
        return ask_again(outlet, noted, moved, state);
    }
    begin_call(&call, MOMENT_WRITE, CALLER_OPEN, noted, state);
    return file_run(outlet, &call);
}

/* --------------------------------------------------------------------------------------------------------- rolling */

/* Adds the bytes to the file. Compares those that the file already has behind the checkpoint. */
static int put(struct outlet *outlet, const struct outlet_noted *noted, const uint8_t *data, size_t bytes,
               struct outlet_state *state) {
    const struct log_file *log = log_file_of(outlet);
    for (;;) {
        const uint64_t done = log_file_is_open(log) ? log->destination.length - noted->state->length : 0;
        const size_t left = done < bytes ? bytes - (size_t)done : 0;
        const uint8_t *const rest = left > 0 ? data + done : data; /* `data` may be NULL if there are no bytes */
        const int rc = log_file_ready(outlet, noted, rest, left, done > 0, state);
        if (rc != OUTLET_READY || left == 0) {
            return rc;
        }
        const int64_t written = file_write(outlet, rest, left);
        if (written < 0) {
            return (int)written;
        }
    }
}

static int end_file(struct outlet *outlet, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                    struct outlet_state *state) {
    const uint8_t *footer;
    const size_t bytes = file_roll_bytes(ROLL_NONE, &record->roll, &footer);
    int rc = put(outlet, noted, footer, bytes, state);
    rc = rc == OUTLET_READY ? log_file_sync(outlet, noted, state) : rc;
    if (rc != OUTLET_READY) {
        return rc;
    }
    file_note_phase(outlet, ROLL_ROLLING, state);
    return OUTLET_NOTE;
}

static int change_files(struct outlet *outlet, const struct outlet_noted *noted,
                        const struct outlet_roll_record *record, struct outlet_state *state) {
    const struct log_file *log = log_file_of(outlet);
    struct file_call call;
    begin_call(&call, MOMENT_ROLL, CALLER_ROLL, noted, state);
    file_take_noted(outlet, noted);
    call.record = record;
    call.facts.trust = !log->ring_is_untrusted ? TRUST_ALL : record->is_recovered ? TRUST_NOTHING : TRUST_RECORD;
    snprintf(call.target, sizeof call.target, "%.*s", (int)record->roll.target_bytes,
             record->roll.target_bytes == 0 ? "" : record->roll.target);
    const int rc = outlet_state_file(noted->state, call.path, sizeof call.path);
    return rc < 0 ? rc : file_run(outlet, &call);
}

/*
 * Ends the file at a roll record, gives it its new name, and begins the next file. Both slots of the ledger note each
 * step before the next one, so that no crash leads back behind it:
 *
 *     phase       what is done                                                  then noted
 *     NONE        the footer is written and synced                              ROLLING: the file is complete
 *     ROLLING     the file is renamed, the folders synced, the next one made    ROLLED: the next file, without a byte
 *     ROLLED      the header is written                                         with the next sync: NONE
 *     GIVEN_UP    nothing: the file could not be renamed, and goes on           with the next sync: NONE
 *
 * A file in phase ROLLING gets no byte. Its mark tells whether it was renamed before a crash: then its name leads to
 * another file, or to none.
 */
static int log_file_roll(struct outlet *outlet, const struct outlet_noted *noted,
                         const struct outlet_roll_record *record, struct outlet_state *state) {
    const enum roll_phase phase = noted->state->roll.phase;
    const uint8_t *data;
    size_t bytes;
    switch (phase) {
    case ROLL_NONE:
        return end_file(outlet, noted, record, state);
    case ROLL_ROLLING:
        return change_files(outlet, noted, record, state);
    default:
        bytes = file_roll_bytes(phase, &record->roll, &data);
        return put(outlet, noted, data, bytes, state);
    }
}

/* ---------------------------------------------------------------------------------------------------- what it is now */

static void tell_stalled(struct outlet *outlet, int rc, int64_t lasts_ns, uint64_t held_bytes) {
    file_note_stall(outlet, 1);
    file_tell_stalled(log_file_of(outlet), rc, lasts_ns, held_bytes);
}

static void tell_going(struct outlet *outlet) {
    file_note_stall(outlet, 0);
    file_tell_going(log_file_of(outlet));
}

static int is_open(const struct outlet *outlet) {
    return log_file_is_open(log_file_of(outlet));
}

static uint64_t length(const struct outlet *outlet) {
    return destination_end(&log_file_of(outlet)->destination);
}

static void copy_path(const struct outlet *outlet, char *path, size_t path_bytes) {
    snprintf(path, path_bytes, "%s", log_file_of(outlet)->destination.path);
}

const struct outlet_ops log_file_ops = {
    .open = log_file_open,
    .bind = log_file_bind,
    .ready = log_file_ready,
    .write = file_write,
    .roll = log_file_roll,
    .sync = log_file_sync,
    .noted = file_noted,
    .tell_stalled = tell_stalled,
    .tell_going = tell_going,
    .is_open = is_open,
    .length = length,
    .copy_path = copy_path,
    .close = file_close_stream,
    .destroy = file_destroy,
};
