/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning a log file. The configured one, unless it is taken; then <file name>.burst-<first sequence>: the log is diverted. A
 * diverted log goes back to the configured file at the next change of file or open, once all its records are durable in
 * the diverted one and the configured one is free: empty, or missing in the same folder. In another folder (behind a link)
 * a missing file may be one that is not mounted now; an empty one says that it is meant.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "outlet/file/log_file.h"

#define DIVERTED_ATTEMPTS 100u
#define ELSEWHERE (-65539) /* no errno: the configured file would be made in another folder */

static int is_diverted(const struct log_file *log) {
    return log->state.diverted_sequence != 0;
}

void log_file_end_diversion(struct outlet_state *state) {
    state->diverted_sequence = 0;
    state->diverted_attempt = state->diverted_form = 0;
}

/* Records go to the file `path`, and not to the configured one, for the reason `rc`. */
static void tell_diverted(struct log_file *log, const char *path, int rc) {
    const char *configured = log->state.path;
    char why[64];
    if (rc == 0) {
        snprintf(why, sizeof why, "was left as the message before this one says");
    } else if (rc == -EEXIST) {
        snprintf(why, sizeof why, "is not empty");
    } else if (rc == -EBUSY) {
        snprintf(why, sizeof why, "is held by another writer");
    } else if (rc == ELSEWHERE) {
        snprintf(why, sizeof why, "leads to another folder, and is missing there");
    } else {
        snprintf(why, sizeof why, "cannot be used: %s", error_name(-rc));
    }
    events_post(
        log->events, EVENT_WARN,
        "records from %llu on go to log file %s and not to %s, which %s; to bring the log back, move %s away or empty "
        "it, and open the log again or rename the file that is written now",
        (unsigned long long)log->state.diverted_sequence, path, configured, why, configured);
}

/* Whether a file of that name, which is missing, would be made where the log is now. 0 or -errno. */
static int check_folder(const struct log_file *log, const char *path) {
    const struct files *files = log->destination.files;
    struct mount_identity here, there;
    int rc = files->ops->mount(files, log->destination.path, &here);
    rc = rc < 0 ? rc : files->ops->mount(files, path, &there);
    return rc < 0 ? rc : here.device == there.device && strcmp(here.folder, there.folder) == 0 ? 0 : ELSEWHERE;
}

/* Opens the configured file if it is free. 0, or why not: -errno, ELSEWHERE. */
static int open_configured(const struct log_file *log, struct destination *destination) {
    const struct files *files = log->destination.files;
    struct file_identity identity;
    const char *path = log->state.path;
    int rc = files->ops->identity_of_path(files, path, &identity);
    if (rc == -ENOENT) {
        rc = check_folder(log, path);
    } else if (rc == 0 && identity.bytes > 0) {
        rc = -EEXIST;
    }
    rc = rc != 0 ? rc : destination_create(destination, path);
    if (rc != 0) {
        return rc;
    }
    /* Others may have cut it: no crash may bring back what stood there before. */
    rc = destination_sync(destination);
    if (rc < 0) {
        destination_close(destination);
    }
    return rc;
}

/* Creates the file under the first free diverted name. */
static int create_diverted(struct log_file *log, const struct outlet_noted *noted) {
    struct outlet_state *state = &log->state;
    const uint64_t sequence_before = state->diverted_sequence;
    const uint32_t attempt_before = state->diverted_attempt, form_before = state->diverted_form;
    char path[LAYOUT_FILE_NAME_BYTES];
    int rc = -EEXIST;
    state->diverted_sequence = noted->sequence;
    state->diverted_form = DIVERTED_BY_WORD;
    for (uint32_t attempt = 0; rc == -EEXIST && attempt < DIVERTED_ATTEMPTS; attempt++) {
        state->diverted_attempt = attempt;
        rc = outlet_state_file(state, path, sizeof path);
        rc = rc < 0 ? rc : destination_create(&log->destination, path);
    }
    if (rc < 0) {
        state->diverted_sequence = sequence_before;
        state->diverted_attempt = attempt_before;
        state->diverted_form = form_before;
    }
    return rc;
}

/* The path leads nowhere. 0: on the file system of the file; -errno: that is not mounted yet, or nobody knows. */
static int check_mounted(const struct log_file *log, int rc) {
    const struct destination *destination = &log->destination;
    const int off = destination->mounted_on.folder[0] == '\0' ? rc : destination_is_unmounted_now(destination);
    return off == 1 ? -DESTINATION_UNMOUNTED_ERROR : off;
}

/* The file system died under the file, or was unmounted: a file begun before it is there again would be hidden below the
 * mount. 0 with the file open, or with none open and the next one decided; -errno. */
static int return_to_file(struct log_file *log, const struct outlet_noted *noted) {
    struct file_identity identity;
    const struct files *files = log->destination.files;
    int rc = files->ops->identity_of_path(files, log->destination.path, &identity);
    if (rc == -ENOENT) {
        rc = check_mounted(log, rc);
    }
    return rc < 0 ? rc : log_file_find(log, noted);
}

/* None is open. 0 with the next one open, or -errno. Sets what is told of it. */
static int create_next(struct log_file *log, const struct outlet_noted *noted) {
    struct outlet_state *state = &log->state;
    int rc = 0;
    if (is_diverted(log)) {
        rc = open_configured(log, &log->destination);
    } else if (log->next == NEXT_FILE_SAME_NAME) {
        rc = destination_create(&log->destination, state->path);
    }
    if (log_file_is_open(log)) {
        log_file_end_diversion(state);
        log->news = NEWS_BEGUN;
        return 0;
    }
    log->news = NEWS_DIVERTED;
    log->why_diverted = rc;
    return is_diverted(log) || rc == 0 || rc == -EEXIST ? create_diverted(log, noted) : rc;
}

/* The open file is the next one, and has no byte of what waits: both slots must have it before it gets one, so that no crash
 * leads back to the file before. NOTE, or -errno with it closed; the state is as `before` then. */
static int hand_over(struct log_file *log, const struct outlet_state *before, struct outlet_state *state) {
    const int rc = log_file_note_identity(log);
    if (rc < 0) {
        log->state = *before;
        destination_close(&log->destination); /* this file got no byte */
        return rc;
    }
    log_file_hand_up(log, state);
    return OUTLET_NOTE;
}

static void tell_begun(struct log_file *log, uint64_t sequence) {
    events_post(log->events, EVENT_INFO, "records from %llu on go to log file %s", (unsigned long long)sequence,
                log->destination.path);
}

/* At the level of the sentence that it was diverted. */
static void tell_back(struct log_file *log, uint64_t sequence) {
    events_post(log->events, EVENT_WARN, "records from %llu on go to log file %s again; those before are in %s",
                (unsigned long long)sequence, log->destination.path, log->before);
}

void log_file_noted(struct outlet *outlet, const struct outlet_noted *noted) {
    struct log_file *log = log_file_of(outlet);
    if (log->news == NEWS_DIVERTED) {
        tell_diverted(log, log->destination.path, log->why_diverted);
    } else if (log->news == NEWS_BACK) {
        tell_back(log, noted->sequence);
    } else if (log->news != NEWS_NONE) {
        tell_begun(log, noted->sequence);
    }
    log->news = NEWS_NONE;
}

int log_file_begin_next(struct log_file *log, const struct outlet_noted *noted, const struct outlet_state *before,
                        struct outlet_state *state) {
    const int rc = create_next(log, noted);
    if (rc < 0) {
        log->state = *before;
    }
    return rc < 0 ? rc : hand_over(log, before, state);
}

int log_file_begin(struct log_file *log, const struct outlet_noted *noted, struct outlet_state *state) {
    int rc = 0;
    if (log_file_is_open(log)) {
        return OUTLET_READY;
    }
    if (log->next == NEXT_FILE_NOTED) {
        rc = log_file_find(log, noted);
    } else if (log->next == NEXT_FILE_SAME) {
        rc = return_to_file(log, noted);
    }
    if (rc < 0) {
        return rc;
    }
    if (log_file_is_open(log)) {
        log_file_hand_up(log, state);
        return OUTLET_NOTE;
    }
    if (destination_is_unmounted_now(&log->destination) == 1) {
        return -DESTINATION_UNMOUNTED_ERROR;
    }
    const struct outlet_state before = log->state;
    log->state.roll.born_ns = 0;
    log->state.roll.first_sequence = noted->sequence;
    return log_file_begin_next(log, noted, &before, state);
}

/* Whether the diverted file, which is open, has got the configured name itself. */
static int has_configured_name(const struct log_file *log) {
    const struct files *files = log->destination.files;
    struct file_identity ours, named;
    return files->ops->identity(files, log->destination.file, &ours) == 0 &&
           files->ops->identity_of_path(files, log->state.path, &named) == 0 && ours.device == named.device &&
           ours.inode == named.inode;
}

int log_file_take_name(struct log_file *log, struct outlet_state *state) {
    if (!is_diverted(log) || !has_configured_name(log)) {
        return OUTLET_READY;
    }
    memcpy(log->destination.path, log->state.path, sizeof log->destination.path);
    const struct outlet_state before = log->state;
    log_file_end_diversion(&log->state);
    log->news = NEWS_BEGUN;
    const int rc = hand_over(log, &before, state);
    if (rc < 0) {
        log->next = NEXT_FILE_SAME;
    }
    return rc;
}

/* To the first name of today's form that is free. 0 or -errno. */
static int rename_diverted(const struct log_file *log, struct outlet_state *state, const char *path, char *name) {
    const struct files *files = log->destination.files;
    int rc = -EEXIST;
    state->diverted_form = DIVERTED_BY_WORD;
    for (state->diverted_attempt = 0; rc == -EEXIST && state->diverted_attempt < DIVERTED_ATTEMPTS;) {
        rc = outlet_state_file(state, name, LAYOUT_FILE_NAME_BYTES);
        rc = rc < 0 ? rc : files->ops->rename(files, path, name);
        state->diverted_attempt += rc == -EEXIST;
    }
    return rc < 0 ? rc : files->ops->sync_name(files, name);
}

int log_file_leave_old_name(struct log_file *log, struct outlet_state *state) {
    char path[LAYOUT_FILE_NAME_BYTES], name[LAYOUT_FILE_NAME_BYTES];
    struct outlet_state renamed = log->state;
    if (!is_diverted(log) || log->state.diverted_form != DIVERTED_BY_NUMBER) {
        return OUTLET_READY;
    }
    int rc = log->ring_is_untrusted ? -EPERM : outlet_state_file(&log->state, path, sizeof path);
    rc = rc < 0 ? rc : rename_diverted(log, &renamed, path, name);
    if (rc < 0) {
        return rc;
    }
    events_post(log->events, EVENT_INFO,
                "log file %s is called %s now: its name was one that a pattern of rolled files may make", path, name);
    memcpy(log->destination.path, name, sizeof name);
    log->state = *state = renamed;
    return OUTLET_NOTE;
}

/* The diverted file is open and complete. NOTE with the configured one open, READY: it stays; or -errno. */
static int go_back(struct log_file *log, struct outlet_state *state) {
    struct destination next = {
        .files = log->destination.files, .new_file = log->destination.new_file, .file = DESTINATION_CLOSED};
    const int why_not = open_configured(log, &next);
    if (why_not != 0) {
        tell_diverted(log, log->destination.path, why_not);
        return OUTLET_READY;
    }
    memcpy(log->before, log->destination.path, sizeof log->before);
    log_file_leave(log, NEXT_FILE_SAME_NAME);
    log->destination = next;
    const struct outlet_state before = log->state;
    log_file_end_diversion(&log->state);
    log->state.roll.born_ns = 0;
    log->news = NEWS_BACK;
    return hand_over(log, &before, state);
}

int log_file_settle(struct outlet *outlet, const struct outlet_noted *noted, int why, struct outlet_state *state) {
    struct log_file *log = log_file_of(outlet);
    int rc = why;
    if (rc == -EINPROGRESS) { /* a roll waits to be performed, and goes back by itself */
        log->is_astray = 0;
        return OUTLET_READY;
    }
    if (rc == 0) {
        rc = log_file_ready(outlet, noted, NULL, 0, 0, state);
    }
    if (rc == OUTLET_READY && is_diverted(log)) {
        rc = log_file_take_name(log, state);
        if (rc == OUTLET_READY && log_file_leave_old_name(log, state) == OUTLET_NOTE) {
            return OUTLET_NOTE; /* and is still astray */
        }
        rc = rc != OUTLET_READY ? rc : go_back(log, state);
    }
    if (rc < 0) {
        tell_diverted(log, log->destination.path, rc); /* it lacks records */
        rc = OUTLET_READY;
    }
    log->is_astray &= rc != OUTLET_READY && rc != OUTLET_NOTE;
    return rc;
}
