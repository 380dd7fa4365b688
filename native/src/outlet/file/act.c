/* SPDX-License-Identifier: Apache-2.0 */
/* The acts that file_rules.h asks for. No other file writes a struct log_file. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "outlet/file/act.h"
#include "outlet/file/file_rules.h"
#include "outlet/file/names.h"
#include "outlet/file/tell.h"
#include "outlet/index/writer.h"

#define LOCK_POLL_NS 20000000ll /* times FILE_LOCK_TRIES: one second */
/* More rounds than any call needs. A file that others change all the time stalls. After a wait for a lock the count
 * begins anew. */
#define ROUNDS_MAX 32u
#define AGAIN (-65540) /* no errno: look at the facts again */

#ifdef BURST_COUNT_FILE_ROWS /* only the simulator counts: it lists the rows that it never reaches */
unsigned long long file_rows_reached[FILE_ROWS];
#define COUNT(row) ((void)file_rows_reached[(row)-file_rows]++)
#else
#define COUNT(row) ((void)0)
#endif

static void leave(struct log_file *log, enum fact_next next) {
    destination_close(&log->destination);
    log->next = next;
}

static int hand_up(struct log_file *log, struct outlet_state *state) {
    const struct destination *destination = &log->destination;
    log->state.kind = OUTLET_FILE;
    log->state.length = destination->length;
    log->state.tail_bytes = destination->tail_bytes;
    log->state.tail_crc = destination_tail_crc(destination);
    *state = log->state;
    return OUTLET_READY;
}

/* The act failed. The next round looks for another act. */
static int failed(struct file_call *call, enum fact_tried tried, int rc) {
    call->rc = rc;
    call->facts.tried = (uint8_t)tried;
    call->facts.error = file_error_of(rc);
    return AGAIN;
}

/* The open file is now the one of call->draft. It gets no waiting byte before both slots have it. */
static int hand_over(struct log_file *log, struct file_call *call, enum news news, int why_diverted) {
    const int was_diverted = log->state.diverted_sequence != 0;
    const int rc = file_identify(log, &log->destination, &call->draft);
    if (rc < 0) {
        destination_close(&log->destination); /* the file got no byte */
        return rc;
    }
    log->mark_is_untrusted = 0;
    log->state = call->draft;
    log->state.roll.index = (struct outlet_index){0}; /* each file has one of its own */
    log->news = news;
    log->why_diverted = why_diverted;
    if (call->facts.caller == CALLER_ROLL) {
        log->roll_told_rc = 0;
        log->news = news == NEWS_BEGUN && !was_diverted ? NEWS_NONE : news; /* a planned change is no news */
    }
    hand_up(log, call->state);
    return OUTLET_NOTE;
}

static int hand_over_or_fail(struct log_file *log, struct file_call *call, enum news news, int why_diverted) {
    const int rc = hand_over(log, call, news, why_diverted);
    return rc < 0 ? failed(call, TRIED_DIVERTED_NAME, rc) : rc;
}

/* Begins the next file, behind the newest checkpoint. */
static int begin_next(const struct log_file *log, struct file_call *call) {
    file_call_begin(call, MOMENT_BEGIN);
    call->draft = log->state;
    call->draft.roll.born_ns = 0;
    call->draft.roll.first_sequence = call->noted->sequence;
    return AGAIN;
}

static int find(struct log_file *log, struct file_call *call) {
    file_call_begin(call, MOMENT_FIND);
    log->next = call->sought = call->has_candidate ? call->sought : log->next;
    call->facts.name = NAME_NOT_ASKED;
    call->facts.candidate = CANDIDATE_NOT_ASKED;
    call->facts.missed = MISSED_NOT_ASKED;
    call->facts.redo = REDO_NOT_ASKED;
    log->state = *call->noted->state;
    const int rc = outlet_state_file(&log->state, call->path, sizeof call->path);
    memcpy(log->destination.path, call->path, sizeof log->destination.path);
    log->destination.unreadable_candidate[0] = '\0';
    call->candidate = log->destination;
    call->has_candidate = 1;
    if (rc < 0) {
        failed(call, TRIED_NOTHING, rc);
        call->facts.candidate = CANDIDATE_SHUT;
    }
    return AGAIN;
}

static int await_roll(struct log_file *log, struct file_call *call) {
    log->state = *call->noted->state;
    outlet_state_file(&log->state, log->destination.path, sizeof log->destination.path);
    return OUTLET_READY;
}

static int continue_candidate(struct log_file *log, struct file_call *call) {
    log->destination = call->candidate;
    call->candidate.file = DESTINATION_CLOSED;
    const int rc = file_identify(log, &log->destination, &log->state);
    if (rc < 0) {
        destination_close(&log->destination);
        call->facts.candidate = CANDIDATE_SHUT;
        return failed(call, TRIED_NOTHING, rc);
    }
    log->mark_is_untrusted = 0;
    hand_up(log, call->state);
    return call->facts.caller == CALLER_OPEN && log->state.diverted_sequence != 0 ? OUTLET_MOVE : OUTLET_NOTE;
}

static int look_anew(struct log_file *log, struct file_call *call) {
    file_call_close_candidate(call);
    if (call->moment == MOMENT_FIND) {
        return find(log, call);
    }
    file_call_begin(call, call->moment);
    return AGAIN;
}

static int wait_for_lock(struct log_file *log, struct file_call *call) {
    call->rounds = 0;
    call->lock_tries--;
    log->platform->ops->sleep_ns(log->platform, LOCK_POLL_NS);
    if (call->lock_tries == 0) {
        call->facts.lock = LOCK_OVER;
    }
    return look_anew(log, call);
}

static int stop(struct log_file *log, struct file_call *call) {
    if (call->has_candidate) { /* tell_stalled names the file that may be ours and cannot be looked at */
        memcpy(log->destination.unreadable_candidate, call->candidate.unreadable_candidate, LAYOUT_FILE_NAME_BYTES);
    }
    if (call->has_candidate && call->moment == MOMENT_BEGIN && call->facts.mount == MOUNT_AWAY) {
        log->next = call->sought; /* the file that was given up is away with its file system */
    }
    return call->rc == DESTINATION_IS_RING ? -EEXIST : call->rc;
}

static int leave_for(struct log_file *log, struct file_call *call, enum fact_next next) {
    file_call_close_candidate(call);
    log->destination.unreadable_candidate[0] = '\0';
    leave(log, next);
    return begin_next(log, call);
}

static int create_named(struct log_file *log, struct file_call *call) {
    const int is_free = call->facts.configured == CONFIGURED_FREE;
    const int rc = is_free ? destination_open_free(&log->destination, call->draft.path)
                           : destination_create(&log->destination, call->draft.path);
    if (rc < 0) {
        return failed(call, TRIED_NAME, rc);
    }
    names_end_diversion(&call->draft);
    return hand_over_or_fail(log, call, NEWS_BEGUN, 0);
}

static int create_diverted(struct log_file *log, struct file_call *call) {
    const int why = call->rc;
    const int rc = names_create_diverted(&log->destination, &call->draft, call->noted->sequence);
    return rc < 0 ? failed(call, TRIED_DIVERTED_NAME, rc) : hand_over_or_fail(log, call, NEWS_DIVERTED, why);
}

static int take_name(struct log_file *log, struct file_call *call) {
    call->draft = log->state;
    memcpy(log->destination.path, log->state.path, sizeof log->destination.path);
    names_end_diversion(&call->draft);
    const int rc = hand_over(log, call, NEWS_BEGUN, 0);
    if (rc < 0) {
        log->next = NEXT_FILE_SAME;
    }
    return rc;
}

static int go_back(struct log_file *log, struct file_call *call) {
    call->candidate = log->destination;
    call->candidate.file = DESTINATION_CLOSED;
    const int rc = destination_open_free(&call->candidate, log->state.path);
    if (rc < 0) {
        return failed(call, TRIED_NAME, rc);
    }
    memcpy(log->before, log->destination.path, sizeof log->before);
    leave(log, NEXT_FILE_SAME_NAME);
    log->destination = call->candidate;
    call->draft = log->state;
    names_end_diversion(&call->draft);
    call->draft.roll.born_ns = 0;
    return hand_over(log, call, NEWS_BACK, 0);
}

/* If a crash comes before the new name is noted, the next open finds the file as a renamed one. */
static int drop_old_name(struct log_file *log, struct file_call *call) {
    char path[LAYOUT_FILE_NAME_BYTES], name[LAYOUT_FILE_NAME_BYTES];
    struct outlet_state renamed = log->state;
    int rc = outlet_state_file(&log->state, path, sizeof path);
    rc = rc < 0 ? rc : names_renew_diverted(log->destination.files, &renamed, path, name);
    if (rc < 0) {
        const int why = call->rc;
        failed(call, TRIED_RENAME, rc);
        call->rc = call->moment == MOMENT_MOVED ? why : rc; /* the old name stays; the next open tries again */
        return AGAIN;
    }
    file_tell_old_name(log, name);
    memcpy(log->destination.path, name, sizeof name);
    log->state = *call->state = renamed;
    return call->moment == MOMENT_MOVED ? OUTLET_MOVE : OUTLET_NOTE;
}

static int bind_path(struct log_file *log, struct file_call *call) {
    int rc = destination_continue(&log->destination, call->bound);
    if (rc == 0) {
        call->draft = (struct outlet_state){.kind = OUTLET_FILE, .roll = {.first_sequence = call->noted->sequence}};
        snprintf(call->draft.path, sizeof call->draft.path, "%s", call->bound);
        rc = hand_over(log, call, NEWS_NONE, 0);
    }
    if (rc < 0) {
        destination_close(&log->destination);
        return failed(call, TRIED_NAME, rc);
    }
    return rc;
}

static int hand_up_synced(struct log_file *log, struct file_call *call) {
    log->state.roll.phase = ROLL_NONE; /* this sync covers everything that the roll wrote */
    return hand_up(log, call->state);
}

/* After a failed sync nobody knows which records behind the checkpoint are durable in the file. So they are cut off. */
static int cut(struct log_file *log, struct file_call *call, int may_cut) {
    const enum destination_state now = destination_look(&log->destination);
    call->cut_rc = !may_cut || now == DESTINATION_EXTENDED || now == DESTINATION_CHANGED
                       ? -EPERM
                       : destination_cut(&log->destination, call->noted->state->length);
    call->facts.cut = call->cut_rc < 0 ? CUT_FAILED : CUT_DONE;
    return AGAIN;
}

static int give_up_roll(struct log_file *log, struct file_call *call) {
    log->roll_told_rc = file_roll_error(call);
    log->state.roll.phase = ROLL_GIVEN_UP;
    *call->state = log->state;
    return OUTLET_NOTE;
}

static int rename_rolled(struct log_file *log, struct file_call *call) {
    char name[LAYOUT_FILE_NAME_BYTES];
    const int which = names_rename(log->destination.files, call->path, call->target, name);
    if (which < 0) {
        return failed(call, TRIED_RENAME, which);
    }
    if (which > 0 && !log->target_told) {
        file_tell_taken(log, call->target, name);
    }
    log->target_told = which > 0;
    call->facts.target = TARGET_DONE;
    return AGAIN;
}

/* Begins the next file. The file that ends already has its final name. */
static int begin_rolled(struct log_file *log, struct file_call *call) {
    const int rc = names_sync(log->destination.files, call->path, call->target);
    if (rc < 0) {
        return rc;
    }
    leave(log, NEXT_FILE_SAME_NAME);
    file_call_begin(call, MOMENT_BEGIN);
    log->destination.new_file = file_new_of_roll(log, call);
    file_draft_rolled(log, call, &call->draft);
    return AGAIN;
}

static int then(int answer, struct log_file *log, enum fact_next next) {
    leave(log, next);
    return answer;
}

static int act(struct log_file *log, struct file_call *call, const struct file_row *row) {
    switch (row->action) {
    case FILE_ASK:
    case FILE_ACTIONS:
        return AGAIN;
    case FILE_GO_ON:
    case FILE_STAY:
        return OUTLET_READY;
    case FILE_STALL:
    case FILE_REFUSE:
        return stop(log, call);
    case FILE_WAIT_FOR_LOCK:
        return wait_for_lock(log, call);
    case FILE_PASS_OVER:
        call->facts.lock = LOCK_PASSED;
        return look_anew(log, call);
    case FILE_AWAIT_ROLL:
        return await_roll(log, call);
    case FILE_FIND:
        return find(log, call);
    case FILE_BEGIN:
        return begin_next(log, call);
    case FILE_BIND:
        return bind_path(log, call);
    case FILE_CONTINUE:
        return continue_candidate(log, call);
    case FILE_SYNC_FIRST:
        return OUTLET_SYNC;
    case FILE_REWIND_SAME:
        return then(OUTLET_REWIND, log, NEXT_FILE_SAME);
    case FILE_REWIND_SAME_NAME:
        return then(OUTLET_REWIND, log, NEXT_FILE_SAME_NAME);
    case FILE_REWIND_DIVERTED:
        return then(OUTLET_REWIND, log, NEXT_FILE_DIVERTED);
    case FILE_NEXT_SAME_NAME:
        return leave_for(log, call, NEXT_FILE_SAME_NAME);
    case FILE_NEXT_DIVERTED:
        return leave_for(log, call, NEXT_FILE_DIVERTED);
    case FILE_CREATE_NAME:
    case FILE_CREATE_FREE:
        return create_named(log, call);
    case FILE_CREATE_DIVERTED:
        return create_diverted(log, call);
    case FILE_TAKE_NAME:
        return take_name(log, call);
    case FILE_GO_BACK:
        return go_back(log, call);
    case FILE_DROP_OLD_NAME:
        return drop_old_name(log, call);
    case FILE_HAND_UP:
        return hand_up_synced(log, call);
    case FILE_CUT:
        return cut(log, call, 1);
    case FILE_KEEP_UNCUT:
        return cut(log, call, 0); /* bytes of others are not ours to cut */
    case FILE_FAIL_SAME:
        return then(call->rc, log, NEXT_FILE_SAME);
    case FILE_FAIL_DIVERTED:
        return then(call->rc, log, NEXT_FILE_DIVERTED);
    case FILE_FAIL_NOTED:
        return then(call->rc, log, NEXT_FILE_NOTED);
    case FILE_GIVE_UP_ROLL:
        return give_up_roll(log, call);
    case FILE_RENAME:
        return rename_rolled(log, call);
    case FILE_BEGIN_ROLLED:
        return begin_rolled(log, call);
    }
    return -EINVAL;
}

int file_run(struct outlet *outlet, struct file_call *call) {
    struct log_file *log = (struct log_file *)outlet;
    enum file_question question = ASK_NOTHING;
    int rc = AGAIN;
    for (call->rounds = 0; rc == AGAIN && call->rounds < ROUNDS_MAX; call->rounds++) {
        call->facts = file_look(log, call, question);
        const struct file_row *row = file_rule_for(call->moment, &call->facts);
        COUNT(row);
        question = row->question;
        file_say(log, call, row->sentence);
        rc = act(log, call, row);
    }
    file_call_close_candidate(call);
    log->destination.new_file = log->new_file;
    return rc == AGAIN ? -EAGAIN : rc;
}

int64_t file_write(struct outlet *outlet, const void *data, size_t bytes) {
    const int64_t written = destination_write(&((struct log_file *)outlet)->destination, data, bytes);
    return written != 0 ? written : -ENOSPC;
}

int file_sync(struct outlet *outlet) {
    return destination_sync(&((struct log_file *)outlet)->destination);
}

void file_noted(struct outlet *outlet, const struct outlet_noted *noted) {
    file_tell_news((struct log_file *)outlet, noted->sequence);
    ((struct log_file *)outlet)->news = NEWS_NONE;
}

void file_note_phase(struct outlet *outlet, enum roll_phase phase, struct outlet_state *state) {
    ((struct log_file *)outlet)->state.roll.phase = state->roll.phase = phase;
}

void file_note_index(struct outlet *outlet, const struct outlet_index *index, struct outlet_state *state) {
    ((struct log_file *)outlet)->state.roll.index = state->roll.index = *index;
}

void file_take_noted(struct outlet *outlet, const struct outlet_noted *noted) {
    ((struct log_file *)outlet)->state = *noted->state;
}

void file_close(struct outlet *outlet) {
    index_writer_close(((struct log_file *)outlet)->index);
    leave((struct log_file *)outlet, NEXT_FILE_NOTED);
}

void file_close_stream(struct outlet *outlet) {
    ((struct log_file *)outlet)->roller = ((struct log_file *)outlet)->absent_roller;
    file_close(outlet);
}

void file_note_stall(struct outlet *outlet, int is_stalled) {
    struct log_file *log = (struct log_file *)outlet;
    if (is_stalled && !log->is_stalled) {
        memcpy(log->stalled_path, log->destination.path, sizeof log->stalled_path);
    }
    log->is_stalled = is_stalled;
}

void file_destroy(struct outlet *outlet) {
    struct log_file *log = (struct log_file *)outlet;
    destination_close(&log->destination);
    index_writer_destroy(log->index);
    platform_release(log->platform, log, sizeof *log);
}

int file_outlet_create(const struct file_outlet_parts *parts, struct outlet **outlet) {
    struct log_file *log = platform_allocate(parts->platform, sizeof *log, PLATFORM_PLAIN);
    if (log == NULL) {
        return error_set(ENOMEM, "no memory for a log file: %zu bytes", sizeof *log);
    }
    log->outlet = (struct outlet){.ops = &log_file_ops, .format = &record_format_text};
    log->platform = parts->platform;
    log->events = parts->events;
    log->destination.files = parts->files;
    log->destination.new_file = log->new_file = accounts_keep(&parts->new_file, log->owner, log->group);
    log->destination.file = DESTINATION_CLOSED;
    log->mark_is_untrusted = log->ring_is_untrusted = parts->mark_is_untrusted;
    log->roller = parts->roller;
    log->absent_roller = parts->absent_roller;
    if (parts->has_index && index_writer_create(parts->platform, parts->events, &log->destination, &log->index) < 0) {
        file_destroy(&log->outlet);
        return -ENOMEM;
    }
    *outlet = &log->outlet;
    return 0;
}
