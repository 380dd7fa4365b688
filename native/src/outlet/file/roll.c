/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rolling: the file ends at a roll record, gets another name, and the next one begins. Each step is noted in both slots of
 * the ledger before the next one is made, so that no crash leads back behind it:
 *
 *     phase      what is made                                                  then noted
 *     NONE       the footer is written and synced                              ROLLING: the file is whole
 *     ROLLING    the file is renamed, the folders synced, the next one made    ROLLED: the next file, of no byte
 *     ROLLED     the header is written                                         with the next sync: NONE
 *     GIVEN_UP   nothing: the file could not be renamed, and goes on           with the next sync: NONE
 *
 * A file in phase ROLLING gets no byte. Whether it was renamed before a crash is seen by what it is known by: if that is not
 * what its name leads to, it was.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "outlet/file/log_file.h"

#define NAMES_MAX 100000u

static const struct files_ops *ops(const struct log_file *log) {
    return log->destination.files->ops;
}

static int is_same(const struct file_identity *one, const struct file_identity *other) {
    return one->device == other->device && one->inode == other->inode;
}

static void copy_text(char *to, const char *from, uint32_t bytes) {
    snprintf(to, LAYOUT_FILE_NAME_BYTES, "%.*s", (int)bytes, bytes == 0 ? "" : from);
}

size_t roll_bytes(enum roll_phase phase, const struct roll *roll, const uint8_t **data) {
    if (phase == ROLL_NONE) {
        *data = roll->footer;
        return roll->footer_bytes;
    }
    *data = roll->header;
    return phase == ROLL_ROLLED ? roll->header_bytes : 0;
}

int log_file_await_roll(struct log_file *log, const struct outlet_state *noted) {
    log->state = *noted;
    outlet_state_file(noted, log->destination.path, sizeof log->destination.path);
    return OUTLET_READY;
}

/* Adds the bytes to what is noted. What the file has of them already is compared. */
static int put(struct outlet *outlet, const struct outlet_noted *noted, const uint8_t *data, size_t bytes,
               struct outlet_state *state) {
    struct log_file *log = log_file_of(outlet);
    for (;;) {
        const uint64_t done = log_file_is_open(log) ? log->destination.length - noted->state->length : 0;
        const size_t left = done < bytes ? bytes - (size_t)done : 0;
        const uint8_t *const rest = left > 0 ? data + done : data; /* of no bytes it may be NULL */
        const int rc = log_file_ready(outlet, noted, rest, left, done > 0, state);
        if (rc != OUTLET_READY || left == 0) {
            return rc;
        }
        const int64_t written = log_file_write(outlet, rest, left);
        if (written < 0) {
            return (int)written;
        }
    }
}

static int end_file(struct outlet *outlet, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                    struct outlet_state *state) {
    const uint8_t *footer;
    const size_t bytes = roll_bytes(ROLL_NONE, &record->roll, &footer);
    int rc = put(outlet, noted, footer, bytes, state);
    rc = rc == OUTLET_READY ? log_file_sync(outlet, noted, state) : rc;
    if (rc != OUTLET_READY) {
        return rc;
    }
    log_file_of(outlet)->state.roll.phase = state->roll.phase = ROLL_ROLLING;
    return OUTLET_NOTE;
}

/* ----------------------------------------------------------------------------------------------------- rename */

/* Of a file that is not open. What has its name but not its mark may be its copy, if it reads like it. */
static int is_noted_file(struct log_file *log, const struct outlet_state *noted, const char *path) {
    const struct file_mark mark = log_file_mark(log, noted);
    struct file_identity named;
    const int match = destination_compare(&log->destination, path, &mark);
    if (match < 0 || match == FILE_SAME) {
        return match < 0 ? match : 1;
    }
    if (noted->length == 0) {
        const int rc = ops(log)->identity_of_path(log->destination.files, path, &named);
        return rc < 0 ? rc : match == FILE_UNKNOWN && named.bytes == 0;
    }
    const int rc = destination_open_to_redo(&log->destination, path, noted);
    destination_close(&log->destination);
    return rc == DESTINATION_NOT_OURS ? 0 : rc < 0 ? rc : 1;
}

/* Whether the file that ends still has its name. 1, 0 or -errno. */
static int has_its_name(struct log_file *log, const struct outlet_state *noted, const char *path) {
    struct file_identity ours, named;
    int rc;
    if (!log_file_is_open(log)) {
        rc = is_noted_file(log, noted, path);
    } else {
        rc = ops(log)->identity(log->destination.files, log->destination.file, &ours);
        if (rc < 0) {
            log_file_leave(log, NEXT_FILE_NOTED); /* its file system has died: it is looked for the next time */
            return rc;
        }
        rc = ops(log)->identity_of_path(log->destination.files, path, &named);
        rc = rc < 0 ? rc : is_same(&ours, &named);
    }
    if (rc == -ENOENT || rc == -ENOTDIR) {
        rc = 0;
    }
    return rc == 0 && log_file_is_unmounted(log, noted, path) ? -DESTINATION_UNMOUNTED_ERROR : rc;
}

static int has_twin(const struct log_file *log, const char *name) {
    static const char *const suffixes[] = {".gz", ".zip", ".bz2", ".xz", ".zst", ".deflate", ".pack200"};
    char twin[LAYOUT_FILE_NAME_BYTES + 16];
    struct file_identity identity;
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        snprintf(twin, sizeof twin, "%s%s", name, suffixes[i]);
        if (ops(log)->identity_of_path(log->destination.files, twin, &identity) == 0) {
            return 1;
        }
    }
    return 0;
}

/* Whether a file that must stay has the name. */
static int is_taken(const struct log_file *log, const struct file_identity *ours, const char *name) {
    struct file_identity named;
    const int rc = ops(log)->identity_of_path(log->destination.files, name, &named);
    if (rc == 0 && is_same(ours, &named)) {
        return 0; /* it has both names: a crash has cut a rename in two */
    }
    return (rc == 0 && (!named.is_regular || named.bytes > 0)) || has_twin(log, name);
}

static void tell_taken(struct log_file *log, const char *target, const char *name) {
    if (!log->target_told) {
        events_post(
            log->events, EVENT_WARN,
            "log file %s could not become %s, which is there, or compressed: it is %s now; if that was not meant, "
            "let the names of rolled files have an index or more of the time",
            log->destination.path, target, name);
    }
    log->target_told = 1;
}

/* A file system may have done what it calls failed (NFS, when an answer was lost): then the file has the name. */
static int rename_once(const struct log_file *log, const struct file_identity *ours, const char *path,
                       const char *name) {
    const struct files *files = log->destination.files;
    struct file_identity named;
    const int rc = files->ops->rename(files, path, name);
    if (rc == 0 || files->ops->identity_of_path(files, name, &named) < 0 || !is_same(ours, &named)) {
        return rc;
    }
    const int left = files->ops->identity_of_path(files, path, &named);
    return left == -ENOENT ? 0 : left == 0 && is_same(ours, &named) ? files->ops->rename(files, path, name) : rc;
}

/* Renames it to the first name that is free: the target, then target.1, target.2, .. 0 or -errno. */
static int rename_to(struct log_file *log, const char *path, const char *target) {
    const struct files *files = log->destination.files;
    char name[LAYOUT_FILE_NAME_BYTES];
    struct file_identity ours;
    int rc = files->ops->identity_of_path(files, path, &ours);
    if (rc < 0) {
        return rc;
    }
    for (unsigned i = 0; i < NAMES_MAX; i++) {
        const int used =
            i == 0 ? snprintf(name, sizeof name, "%s", target) : snprintf(name, sizeof name, "%s.%u", target, i);
        if (used >= (int)sizeof name) {
            return -ENAMETOOLONG;
        }
        rc = is_taken(log, &ours, name) ? -EEXIST : rename_once(log, &ours, path, name);
        if (rc == 0 && i > 0) {
            tell_taken(log, target, name);
        }
        log->target_told &= rc != 0 || i > 0;
        if (rc != -EEXIST) {
            return rc;
        }
    }
    return rc;
}

/* The names of the file, old and new, are durable. */
static int sync_names(const struct log_file *log, const char *path, const char *target) {
    const struct files *files = log->destination.files;
    const int rc = files->ops->sync_name(files, path);
    const int other = rc < 0 || target[0] == '\0' ? 0 : files->ops->sync_name(files, target);
    return rc < 0 ? rc : other == -ENOENT || other == -ENOTDIR ? 0 : other;
}

/* ------------------------------------------------------------------------------------------------------- roll */

/* What is to be done with the file, and which one begins. */
struct plan {
    int rc; /* -errno: it goes on as it is */
    char path[LAYOUT_FILE_NAME_BYTES];
    char target[LAYOUT_FILE_NAME_BYTES]; /* "": it is not renamed here */
    char next[LAYOUT_FILE_NAME_BYTES];
};

/* As the record says; or as whoever performs the rolls says. */
static int make_plan(struct log_file *log, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                     int is_renamed, struct plan *plan) {
    const struct roll *roll = &record->roll;
    const struct roll_question question = {
        .record = record, .state = noted->state, .file = plan->path, .is_renamed = is_renamed};
    struct roll_answer answer;
    const int rc = log->roller == NULL ? ROLL_NOBODY : log->roller->ask(log->roller, &question, &answer);
    if (rc < 0) {
        return rc;
    }
    if (rc == ROLL_NOBODY) {
        answer.rc = log->ring_is_untrusted && record->is_recovered ? -EPERM : 0;
        answer.next[0] = '\0';
        copy_text(answer.target, roll->target, answer.rc == 0 ? roll->target_bytes : 0);
    }
    if (answer.next[0] == '\0') {
        copy_text(answer.next, roll->next, answer.rc == 0 ? roll->next_bytes : 0);
    }
    plan->rc = answer.rc;
    snprintf(plan->target, sizeof plan->target, "%s", strcmp(answer.target, plan->path) == 0 ? "" : answer.target);
    snprintf(plan->next, sizeof plan->next, "%s", answer.next[0] != '\0' ? answer.next : noted->state->path);
    return 0;
}

/* Whoever plans the rolls took the file for empty, while a record was on its way to it. He rolls it again later. */
static int was_taken_for_empty(const struct log_file *log, const struct plan *plan) {
    return log->roller != NULL && log->roller->plan != NULL && plan->target[0] == '\0';
}

static int give_up(struct log_file *log, const struct plan *plan, int rc, struct outlet_state *state) {
    if (log->roll_told_rc != rc && !was_taken_for_empty(log, plan)) {
        events_post(
            log->events, EVENT_WARN,
            "log file %s could not be rolled%s%s: %s; it goes on as it is, with the footer in it, until the next "
            "roll: %s",
            plan->path, plan->target[0] == '\0' ? "" : " to ", plan->target, error_name(-rc),
            rc == -EXDEV ? "let it be renamed on its own file system" : "mend that");
    }
    log->roll_told_rc = rc;
    log->state.roll.phase = ROLL_GIVEN_UP;
    *state = log->state;
    return OUTLET_NOTE;
}

/* The file that ends has the name that it keeps. */
static int begin_next(struct log_file *log, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                      const struct plan *plan, struct outlet_state *state) {
    const struct outlet_state before = log->state;
    log_file_leave(log, NEXT_FILE_SAME_NAME);
    if (strcmp(plan->next, before.path) != 0) {
        memcpy(log->state.path, plan->next, sizeof log->state.path);
        log_file_end_diversion(&log->state);
    }
    log->state.roll = (struct outlet_roll){.phase = ROLL_ROLLED,
                                           .file_number = before.roll.file_number + 1,
                                           .born_ns = record->time_ns,
                                           .first_sequence = record->sequence + 1,
                                           .next_time_ns = record->roll.next_time_ns,
                                           .next_file_bytes = record->roll.next_file_bytes};
    const int rc = log_file_begin_next(log, noted, &before, state);
    if (rc == OUTLET_NOTE) {
        log->roll_told_rc = 0;
        log->news = log->news == NEWS_BEGUN && before.diverted_sequence == 0 ? NEWS_NONE : log->news; /* as planned */
    }
    return rc;
}

static int change_files(struct log_file *log, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                        struct outlet_state *state) {
    struct plan plan = {.target = "", .next = ""};
    log->state = *noted->state;
    int rc = outlet_state_file(noted->state, plan.path, sizeof plan.path);
    int is_named = rc < 0 ? rc : has_its_name(log, noted->state, plan.path);
    if (is_named > 0) {
        /* Before anybody is asked who would take it for a rolled file. */
        rc = log_file_leave_old_name(log, state);
        if (rc != OUTLET_READY) {
            copy_text(plan.target, record->roll.target, record->roll.target_bytes);
            return rc < 0 ? give_up(log, &plan, rc, state) : rc;
        }
    }
    rc = is_named < 0 ? is_named : make_plan(log, noted, record, !is_named, &plan);
    if (rc == 0 && is_named > 0 && log->roller != NULL) {
        rc = is_named = has_its_name(log, noted->state, plan.path); /* whoever answered may just have renamed it */
    }
    if (rc < 0) {
        return rc;
    }
    if (is_named) {
        rc = plan.rc < 0                         ? plan.rc
             : plan.target[0] != '\0'            ? rename_to(log, plan.path, plan.target)
             : strcmp(plan.next, plan.path) == 0 ? noted->state->length > 0 ? -EEXIST : 0
                                                 : 0;
        if (rc < 0) {
            return give_up(log, &plan, rc, state);
        }
    }
    rc = sync_names(log, plan.path, plan.target);
    return rc < 0 ? rc : begin_next(log, noted, record, &plan, state);
}

int log_file_roll(struct outlet *outlet, const struct outlet_noted *noted, const struct outlet_roll_record *record,
                  struct outlet_state *state) {
    const enum roll_phase phase = noted->state->roll.phase;
    const uint8_t *data;
    size_t bytes;
    switch (phase) {
    case ROLL_NONE:
        return end_file(outlet, noted, record, state);
    case ROLL_ROLLING:
        return change_files(log_file_of(outlet), noted, record, state);
    default:
        bytes = roll_bytes(phase, &record->roll, &data);
        return put(outlet, noted, data, bytes, state);
    }
}
