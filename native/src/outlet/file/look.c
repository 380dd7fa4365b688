/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/look.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "outlet/file/names.h"

_Static_assert(HANDLE_OURS == DESTINATION_OURS + 1 && HANDLE_DELETED == DESTINATION_DELETED + 1 &&
                   HANDLE_RENAMED == DESTINATION_RENAMED + 1 && HANDLE_EXTENDED == DESTINATION_EXTENDED + 1 &&
                   HANDLE_TRUNCATED == DESTINATION_TRUNCATED + 1 && HANDLE_CHANGED == DESTINATION_CHANGED + 1 &&
                   HANDLE_CUT_OFF == DESTINATION_CUT_OFF + 1 && HANDLE_UNMOUNTED == DESTINATION_UNMOUNTED + 1,
               "the order of enum destination_state");

static const struct files_ops *ops(const struct log_file *log) {
    return log->destination.files->ops;
}

static int is_same(const struct file_identity *one, const struct file_identity *other) {
    return one->device == other->device && one->inode == other->inode;
}

uint8_t file_error_of(int rc) {
    switch (-rc) {
    case 0:
        return ERROR_NONE;
    case EEXIST:
        return ERROR_EXISTS;
    case EBUSY:
        return ERROR_HELD;
    case EINVAL:
        return ERROR_NO_FILE;
    case EPERM:
        return ERROR_FORBIDDEN;
    case EINPROGRESS:
        return ERROR_WAITS;
    case ENOSPC:
    case EDQUOT:
    case EROFS:
    case EIO:
    case ESTALE:
    case ETIMEDOUT:
        return ERROR_PASSING;
    case -DESTINATION_IS_RING:
        return ERROR_RING;
    default:
        return ERROR_LASTING;
    }
}

static void fail(struct file_call *call, int rc) {
    call->rc = rc;
    call->facts.error = file_error_of(rc);
}

/* ------------------------------------------------------------------------------------------------------- the redo */

size_t file_roll_bytes(enum roll_phase phase, const struct roll *roll, const uint8_t **data) {
    if (phase == ROLL_NONE) {
        *data = roll->footer;
        return roll->footer_bytes;
    }
    *data = roll->header;
    return phase == ROLL_ROLLED ? roll->header_bytes : 0;
}

/* Compares the candidate's bytes behind the checkpoint with those that a redo would write there. Returns an enum
 * destination_match, or -errno. */
static int compare_with_redo(const struct file_call *call) {
    const struct destination *destination = &call->candidate;
    const struct outlet_noted *noted = call->noted;
    enum roll_phase phase = noted->state->roll.phase;
    uint64_t offset = destination->length;
    int match = MATCH_BLANK, more = 1, ends = 0;
    noted->begin(noted);
    while (offset < destination->redo_until && more && !ends) {
        struct outlet_roll_record record;
        const uint8_t *data = NULL;
        size_t bytes = 0;
        more = noted->next(noted, &data, &bytes, &record);
        if (more == 2) {
            bytes = file_roll_bytes(phase, &record.roll, &data);
            ends = phase == ROLL_NONE || phase == ROLL_ROLLING; /* the file ends here */
        }
        phase = ROLL_NONE; /* only the first record can be the noted roll */
        const int piece = more <= 0 ? more : destination_matches(destination, data, bytes, offset);
        if (piece < 0 || (more > 0 && piece == MATCH_NONE)) {
            return piece;
        }
        offset += bytes;
        match = more > 0 && piece == MATCH_EQUAL ? MATCH_EQUAL : match;
    }
    return offset >= destination->redo_until ? match : MATCH_NONE;
}

static uint8_t redo_of(int match) {
    return match < 0              ? REDO_UNREADABLE
           : match == MATCH_EQUAL ? REDO_SAME
           : match == MATCH_BLANK ? REDO_BLANK
                                  : REDO_OTHER;
}

static void ask_redo(const struct log_file *log, struct file_call *call) {
    struct file_facts *facts = &call->facts;
    const int match = call->moment == MOMENT_FIND
                          ? compare_with_redo(call)
                          : destination_matches(&log->destination, call->data, call->bytes, log->destination.length);
    facts->redo = redo_of(match);
    call->is_old = 1; /* reading took time */
    if (match < 0) {
        fail(call, match);
        facts->candidate = call->moment == MOMENT_FIND ? CANDIDATE_SHUT : facts->candidate;
    }
}

/* ------------------------------------------------------------------------------------------------------- finding */

static int is_elsewhere(int rc) {
    return rc == -ENOENT || rc == -ENOTDIR || rc == DESTINATION_NOT_OURS;
}

void file_call_close_candidate(struct file_call *call) {
    if (call->has_candidate) {
        destination_close(&call->candidate);
    }
}

void file_call_begin(struct file_call *call, enum file_moment moment) {
    call->moment = moment;
    call->rc = 0;
    call->facts.tried = TRIED_NOTHING;
    call->facts.error = ERROR_NONE;
    call->facts.mount = MOUNT_NOT_ASKED;
    call->facts.configured = CONFIGURED_NOT_ASKED;
}

static void ask_name(const struct log_file *log, struct file_call *call) {
    const struct file_mark mark = file_mark_of(log, call->noted->state);
    const int match = destination_compare(&log->destination, call->path, &mark);
    call->facts.name = match == FILE_SAME      ? NAME_SAME
                       : match == FILE_OTHER   ? NAME_OTHER
                       : match == FILE_UNKNOWN ? NAME_UNKNOWN
                       : match == -ENOENT      ? NAME_MISSING
                       : match == -ENOTDIR     ? NAME_NO_FOLDER
                                               : NAME_UNREADABLE;
    if (match < 0) {
        fail(call, match);
    }
}

/* rc: the result of opening a file that may be the noted one. */
static void take_candidate(struct file_call *call, int rc, uint8_t opened, uint8_t absent) {
    struct file_facts *facts = &call->facts;
    facts->redo = REDO_NOT_ASKED;
    facts->candidate = rc >= 0 ? opened : is_elsewhere(rc) ? absent : CANDIDATE_SHUT;
    if (facts->candidate == CANDIDATE_SHUT) {
        fail(call, rc);
    }
}

static void ask_folder(const struct log_file *log, struct file_call *call) {
    const struct outlet_state *state = call->noted->state;
    const struct file_mark mark = file_mark_of(log, state);
    struct destination *candidate = &call->candidate;
    candidate->waits_for_lock = call->facts.caller == CALLER_OPEN && call->facts.lock != LOCK_PASSED;
    const int rc = destination_find_renamed(candidate, call->path, state, &mark);
    const int is_numbered = state->length == 0 && mark.handle_bytes == 0 && mark.born_ns == 0;
    take_candidate(call, rc,
                   rc == 0       ? CANDIDATE_HIDDEN
                   : is_numbered ? CANDIDATE_NUMBERED
                                 : CANDIDATE_RENAMED,
                   CANDIDATE_ABSENT);
    if (rc < 0 && rc != DESTINATION_NOT_OURS) { /* even if the error says that the folder is missing */
        fail(call, rc);
        call->facts.candidate = rc == -EBUSY ? CANDIDATE_HELD : CANDIDATE_UNREADABLE;
    }
}

static void ask_copy(struct file_call *call) {
    destination_close(&call->candidate);
    take_candidate(call, destination_open_to_redo(&call->candidate, call->path, call->noted->state), CANDIDATE_COPY,
                   CANDIDATE_NO_COPY);
    if (call->facts.candidate != CANDIDATE_NO_COPY) {
        call->candidate.unreadable_candidate[0] = '\0';
    }
}

static void ask_missed(const struct log_file *log, struct file_call *call) {
    const struct outlet_noted *noted = call->noted;
    struct file_identity named;
    const int is_missed =
        noted->state->length > 0 || noted->last_sequence >= noted->sequence ||
        (ops(log)->identity_of_path(log->destination.files, call->path, &named) == 0 && named.bytes > 0);
    call->facts.missed = is_missed ? MISSED_YES : MISSED_NO;
}

static void ask_mount(const struct log_file *log, struct file_call *call) {
    const struct destination *destination = &log->destination;
    const int is_known = destination->mounted_on.folder[0] != '\0';
    const int away =
        is_known ? destination_is_unmounted_now(destination) : file_is_unmounted(log, &log->state, destination->path);
    call->facts.mount = away == 1 ? MOUNT_AWAY : away < 0 || !is_known ? MOUNT_UNKNOWN : MOUNT_HERE;
    if (away == 1) {
        call->rc = -DESTINATION_UNMOUNTED_ERROR;
    } else if (away < 0 && call->moment == MOMENT_FIND) {
        call->rc = away;
    }
}

/* ---------------------------------------------------------------------------------------------- the configured name */

/* Whether the file of that missing name would be made in the log's folder. Returns 0, CONFIGURED_IS_ELSEWHERE or
 * -errno. */
static int check_folder(const struct log_file *log, const char *path) {
    const struct files *files = log->destination.files;
    struct mount_identity here, there;
    int rc = files->ops->mount(files, log->destination.path, &here);
    rc = rc < 0 ? rc : files->ops->mount(files, path, &there);
    return rc < 0                                                                  ? rc
           : here.device == there.device && strcmp(here.folder, there.folder) == 0 ? 0
                                                                                   : CONFIGURED_IS_ELSEWHERE;
}

static int is_open_file(const struct log_file *log, const struct file_identity *named) {
    struct file_identity ours;
    return log_file_is_open(log) && ops(log)->identity(log->destination.files, log->destination.file, &ours) == 0 &&
           is_same(&ours, named);
}

static void ask_configured(const struct log_file *log, struct file_call *call) {
    struct file_identity named;
    const char *path = call->moment == MOMENT_BEGIN ? call->draft.path : log->state.path;
    int rc = ops(log)->identity_of_path(log->destination.files, path, &named);
    if (rc == 0 && is_open_file(log, &named)) {
        call->facts.configured = CONFIGURED_OURS;
        return;
    }
    rc = rc == -ENOENT ? check_folder(log, path) : rc == 0 && named.bytes > 0 ? -EEXIST : rc;
    call->rc = rc;
    call->facts.configured = rc == 0                         ? CONFIGURED_FREE
                             : rc == -EEXIST                 ? CONFIGURED_TAKEN
                             : rc == CONFIGURED_IS_ELSEWHERE ? CONFIGURED_ELSEWHERE
                                                             : CONFIGURED_UNREADABLE;
}

/* -------------------------------------------------------------------------------------------------------- rolling */

/* Whether the noted name still leads to the noted file, while no file is open. A file with another mark may be a copy:
 * then its bytes decide. */
static int is_noted_file(const struct log_file *log, struct file_call *call) {
    const struct outlet_state *noted = call->noted->state;
    const struct file_mark mark = file_mark_of(log, noted);
    struct file_identity named;
    const int match = destination_compare(&log->destination, call->path, &mark);
    if (match < 0 || match == FILE_SAME) {
        return match < 0 ? match : 1;
    }
    if (noted->length == 0) {
        const int rc = ops(log)->identity_of_path(log->destination.files, call->path, &named);
        return rc < 0 ? rc : match == FILE_UNKNOWN && named.bytes == 0;
    }
    call->candidate = log->destination;
    const int rc = destination_open_to_redo(&call->candidate, call->path, noted);
    destination_close(&call->candidate);
    return rc == DESTINATION_NOT_OURS ? 0 : rc < 0 ? rc : 1;
}

static void ask_own(const struct log_file *log, struct file_call *call) {
    struct file_identity ours, named;
    int rc;
    if (!log_file_is_open(log)) {
        rc = is_noted_file(log, call);
    } else {
        rc = ops(log)->identity(log->destination.files, log->destination.file, &ours);
        if (rc < 0) {
            fail(call, rc);
            call->facts.own = OWN_DEAD;
            return;
        }
        rc = ops(log)->identity_of_path(log->destination.files, call->path, &named);
        rc = rc < 0 ? rc : is_same(&ours, &named);
    }
    rc = rc == -ENOENT || rc == -ENOTDIR ? 0 : rc;
    const int is_unmounted = rc == 0 && file_is_unmounted(log, call->noted->state, call->path);
    call->facts.own = is_unmounted ? OWN_UNMOUNTED : rc < 0 ? OWN_UNREADABLE : rc == 0 ? OWN_GONE : OWN_ITS;
    if (rc < 0 || is_unmounted) {
        fail(call, is_unmounted ? -DESTINATION_UNMOUNTED_ERROR : rc);
    }
}

static void copy_text(char *to, const char *from, uint32_t bytes) {
    snprintf(to, LAYOUT_FILE_NAME_BYTES, "%.*s", (int)bytes, bytes == 0 ? "" : from);
}

/* Asks the caller that performs the rolls, or takes names from the record. Uses no names of a record that may be
 * forged. */
static void ask_roller(const struct log_file *log, struct file_call *call) {
    const struct roll *roll = &call->record->roll;
    const struct roll_question question = {.record = call->record,
                                           .state = call->noted->state,
                                           .file = call->path,
                                           .is_renamed = call->facts.own == OWN_GONE};
    struct roll_answer answer;
    const int rc = log->roller == NULL ? ROLL_NOBODY : log->roller->ask(log->roller, &question, &answer);
    if (rc < 0) {
        fail(call, rc);
        call->facts.roller = rc == -EINPROGRESS ? ROLLER_WAITS : ROLLER_FAILED;
        return;
    }
    int may_use = rc != ROLL_NOBODY || call->facts.trust != TRUST_NOTHING;
    if (rc == ROLL_NOBODY) {
        answer.rc = 0;
        answer.next[0] = '\0';
        copy_text(answer.target, roll->target, may_use ? roll->target_bytes : 0);
    }
    may_use &= answer.rc == 0;
    if (answer.next[0] == '\0') {
        copy_text(answer.next, roll->next, may_use ? roll->next_bytes : 0);
    }
    snprintf(call->target, sizeof call->target, "%s", strcmp(answer.target, call->path) == 0 ? "" : answer.target);
    snprintf(call->next, sizeof call->next, "%s", answer.next[0] != '\0' ? answer.next : call->noted->state->path);
    call->facts.roller = rc == ROLL_NOBODY ? ROLLER_NOBODY : answer.rc < 0 ? ROLLER_REFUSES : ROLLER_ANSWERED;
    call->facts.plan = call->target[0] != '\0'               ? PLAN_RENAME
                       : strcmp(call->next, call->path) == 0 ? PLAN_GO_ON
                                                             : PLAN_KEEP;
    if (answer.rc < 0) {
        fail(call, answer.rc);
    }
    if (log->roller != NULL && call->facts.own == OWN_ITS) {
        ask_own(log, call); /* the answering caller may just have renamed it */
    }
}

/* The rules of this call's roll; NULL: it has none, or they may be forged. */
static const struct roll_rules *rules_of(const struct file_call *call) {
    const struct roll_rules *rules = &call->record->roll.rules;
    return rules->are_there && call->facts.trust != TRUST_NOTHING ? rules : NULL;
}

void file_draft_rolled(const struct log_file *log, const struct file_call *call, struct outlet_state *draft) {
    *draft = log->state;
    if (strcmp(call->next, draft->path) != 0) {
        memcpy(draft->path, call->next, sizeof draft->path);
        names_end_diversion(draft);
    }
    draft->roll = (struct outlet_roll){.phase = ROLL_ROLLED,
                                       .file_number = log->state.roll.file_number + 1,
                                       .born_ns = call->record->time_ns,
                                       .first_sequence = call->record->sequence + 1,
                                       .next_time_ns = call->record->roll.next_time_ns,
                                       .next_file_bytes = call->record->roll.next_file_bytes};
    outlet_rules_take(&draft->rules, rules_of(call));
}

static const char *number_of(uint32_t id, char *text, size_t room) {
    snprintf(text, room, "%u", id);
    return id == ROLL_NOBODY_ID ? NULL : text;
}

struct new_file file_new_of_roll(const struct log_file *log, struct file_call *call) {
    const struct roll_rules *rules = rules_of(call);
    const struct roll_rules_head *head = rules == NULL ? NULL : &rules->head;
    return head == NULL ? log->new_file
                        : (struct new_file){.mode = head->mode_is_exact ? head->file_mode : 0,
                                            .usual_mode = head->mode_is_exact ? 0 : head->file_mode,
                                            .owner = number_of(head->file_owner, call->owner, sizeof call->owner),
                                            .group = number_of(head->file_group, call->group, sizeof call->group)};
}

int file_roll_error(const struct file_call *call) {
    const struct file_facts *facts = &call->facts;
    const int is_stranger =
        facts->roller == ROLLER_NOT_ASKED || (facts->roller == ROLLER_NOBODY && facts->trust == TRUST_NOTHING);
    return facts->tried == TRIED_RENAME || facts->roller == ROLLER_REFUSES ? call->rc : is_stranger ? -EPERM : -EEXIST;
}

/* --------------------------------------------------------------------------------------------------------- looking */

static void look_at_handle(const struct log_file *log, struct file_call *call) {
    const struct destination *destination = &log->destination;
    struct file_facts *facts = &call->facts;
    call->is_old = 0;
    if (!log_file_is_open(log)) {
        facts->handle = HANDLE_CLOSED;
        return;
    }
    facts->handle = (uint8_t)(destination_look(destination) + 1);
    facts->noted = call->partly                                        ? NOTED_PARTLY
                   : destination->length == call->noted->state->length ? NOTED_ALL
                                                                       : NOTED_SOME;
    if (destination->length >= destination->redo_until) {
        facts->redo = REDO_NONE;
    } else if (facts->redo == REDO_NONE) {
        facts->redo = call->bytes == 0 ? REDO_SAME : REDO_NOT_ASKED;
    }
}

struct file_facts file_look(const struct log_file *log, struct file_call *call, enum file_question asked) {
    const struct outlet_state *state = call->moment == MOMENT_BEGIN ? &call->draft : &log->state;
    switch (asked) {
    case ASK_NOTHING:
        break;
    case ASK_REDO:
        ask_redo(log, call);
        break;
    case ASK_NAME:
        ask_name(log, call);
        break;
    case ASK_NAMED:
        take_candidate(call, destination_open_to_redo(&call->candidate, call->path, call->noted->state),
                       CANDIDATE_NAMED, CANDIDATE_NOT_NAMED);
        break;
    case ASK_FOLDER:
        ask_folder(log, call);
        break;
    case ASK_COPY:
        ask_copy(call);
        break;
    case ASK_MISSED:
        ask_missed(log, call);
        break;
    case ASK_CONFIGURED:
        ask_configured(log, call);
        break;
    case ASK_MOUNT:
        ask_mount(log, call);
        break;
    case ASK_OWN:
        ask_own(log, call);
        break;
    case ASK_ROLLER:
        ask_roller(log, call);
        break;
    }
    if (call->is_old &&
        (call->moment == MOMENT_WRITE || call->moment == MOMENT_SYNCED || call->moment == MOMENT_MOVED)) {
        look_at_handle(log, call);
    }
    call->facts.next = (uint8_t)log->next;
    call->facts.diverted = state->diverted_sequence == 0                ? DIVERTED_NO
                           : state->diverted_form == DIVERTED_BY_NUMBER ? DIVERTED_OLD
                                                                        : DIVERTED_YES;
    return call->facts;
}
