/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/tell.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/lock.h"

/* -------------------------------------------------------------------------------------------- acts of others */

static void say_deleted(const struct log_file *log, uint64_t from) {
    events_post(log->events, EVENT_ERROR,
                "log file %s was deleted by others; records from %llu on are written to a new file, and those "
                "before them are gone with the old one: restore it, and find out who deletes it",
                log->destination.path, (unsigned long long)from);
}

static void say_cut(const struct log_file *log, uint64_t from, const char *grown) {
    events_post(log->events, EVENT_ERROR,
                "log file %s was cut by others to less than the %llu bytes written%s; records from %llu on go to a new "
                "file; if logrotate did it, let it use create, not copytruncate",
                log->destination.path, (unsigned long long)destination_end(&log->destination), grown,
                (unsigned long long)from);
}

/* twice: the first record behind the checkpoint that both the old and the new file get; or 0. */
static void say_extended(const struct log_file *log, uint64_t twice) {
    char both[80] = "";
    if (twice != 0) {
        snprintf(both, sizeof both, ", and records from %llu on may be in both", (unsigned long long)twice);
    }
    events_post(
        log->events, EVENT_ERROR,
        "others wrote behind the %llu bytes of log file %s; it is left alone, and a new file is begun%s; find out who "
        "writes it",
        (unsigned long long)log->destination.length, log->destination.path, both);
}

static void say_other_bytes(const struct log_file *log) {
    events_post(
        log->events, EVENT_ERROR,
        "log file %s holds other bytes behind its first %llu than the log wrote there: others wrote into it; it "
        "is left alone, and a new file is begun; find out who writes it",
        log->destination.path, (unsigned long long)log->destination.length);
}

static void say_sync_failed(const struct log_file *log, const struct file_call *call) {
    events_post(log->events, EVENT_ERROR,
                "syncing log file %s failed: %s; it is cut to the %llu bytes known to be durable, and the records "
                "from %llu on go to a new file; look at the host's messages about its disk",
                log->destination.path, error_name(-call->rc), (unsigned long long)call->noted->state->length,
                (unsigned long long)call->noted->sequence);
}

static void say_not_cut(const struct log_file *log, const struct file_call *call) {
    events_post(log->events, EVENT_ERROR,
                "log file %s could not be cut: %s; records from %llu on may be twice, at its end and in the new file: "
                "compare these",
                log->destination.path,
                call->cut_rc == -EPERM ? "others wrote into it, or forbid it" : error_name(-call->cut_rc),
                (unsigned long long)call->noted->sequence);
}

/* ------------------------------------------------------------------------------------------------- a new look for the
 * file */

static void say_found_renamed(const struct log_file *log, const struct file_call *call) {
    const struct destination *candidate = &call->candidate;
    events_post(log->events, EVENT_INFO, "log file %s was renamed%s", call->path,
                candidate->redo_until > candidate->length ? "; what it lacks is added to it first" : "");
}

static void say_found_copy(const struct log_file *log, const struct file_call *call) {
    events_post(log->events, EVENT_INFO,
                "log file %s is another file than the one that was written, but ends like it after %llu bytes: it is "
                "taken for its copy (from a backup) and continued",
                call->path, (unsigned long long)call->noted->state->length);
}

static void say_found_extended(const struct log_file *log, const struct file_call *call) {
    events_post(log->events, EVENT_WARN,
                "others wrote behind the %llu bytes of log file %s; it is left alone, and a new file is begun; find "
                "out who writes it",
                (unsigned long long)call->noted->state->length, call->path);
}

static void say_not_found(const struct log_file *log, const struct file_call *call, const char *what) {
    const struct destination *candidate = &call->candidate;
    const unsigned long long first = call->noted->sequence, last = call->noted->last_sequence;
    char twice[220] = "; look where it is now, if nobody moved it on purpose", seen[LAYOUT_FILE_NAME_BYTES + 100] = "";
    if (last >= first) {
        snprintf(twice, sizeof twice,
                 "; records %llu to %llu may be twice, at the end of the old file, wherever it is now, "
                 "and in the new one: compare these (and let logrotate use delaycompress, and no olddir)",
                 first, last);
    }
    if (candidate->unreadable_candidate[0] != '\0') {
        snprintf(seen, sizeof seen, "; %s cannot be opened (%s) and may be or hold the old file",
                 candidate->unreadable_candidate, error_name(-candidate->unreadable_candidate_error));
    }
    events_post(log->events, EVENT_WARN, "log file %s is %s; records from %llu on go to a new file%s%s", call->path,
                what, first, twice, seen);
}

/* ------------------------------------------------------------------------------------------------ refusals */

static const char *path_of(const struct log_file *log, const struct file_call *call) {
    return call->moment == MOMENT_BIND ? call->bound : call->moment == MOMENT_FIND ? call->path : log->destination.path;
}

static void refuse_held(const char *path) {
    char holders[256];
    lock_holders(path, holders, sizeof holders);
    error_set(EBUSY, "log file %s is held by another writer: %s; give every log a file of its own", path,
              *holders == '\0' ? "a process that cannot be seen" : holders);
}

static void refuse_unmounted(const char *path, const struct file_call *call) {
    error_set(DESTINATION_UNMOUNTED_ERROR,
              "log file %s is not there, and nothing is mounted at %.*s, where its file system was: mount it "
              "and open the ring again, or, if the log is to go on here, make an empty file of that name",
              path, (int)call->noted->state->mount.entry_bytes, path);
}

static void refuse_unreadable(const struct file_call *call) {
    error_set(-call->rc,
              "log file %s is not under its name, and %s, which may be it, cannot be read: %s; make it "
              "readable, or move it away if it is not, and open the ring again",
              call->path, call->candidate.unreadable_candidate, error_name(-call->rc));
}

/* -------------------------------------------------------------------------------------------------------- diversion */

/* Tells that records go to the file `path`, and not to the configured one, for the reason `rc`. */
static void tell_diverted(const struct log_file *log, int rc) {
    const char *configured = log->state.path;
    char why[64];
    if (rc == 0) {
        snprintf(why, sizeof why, "was left as the message before this one says");
    } else if (rc == -EEXIST) {
        snprintf(why, sizeof why, "is not empty");
    } else if (rc == -EINVAL) {
        snprintf(why, sizeof why, "is no file");
    } else if (rc == -EBUSY) {
        snprintf(why, sizeof why, "is held by another writer");
    } else if (rc == CONFIGURED_IS_ELSEWHERE) {
        snprintf(why, sizeof why, "leads to another folder, and is missing there");
    } else {
        snprintf(why, sizeof why, "cannot be used: %s", error_name(-rc));
    }
    events_post(
        log->events, EVENT_WARN,
        "records from %llu on go to log file %s and not to %s, which %s; to bring the log back, move %s away or empty "
        "it, and open the log again or rename the file that is written now",
        (unsigned long long)log->state.diverted_sequence, log->destination.path, configured, why, configured);
}

void file_tell_news(const struct log_file *log, uint64_t sequence) {
    const unsigned long long first = sequence;
    if (log->news == NEWS_DIVERTED) {
        tell_diverted(log, log->why_diverted);
    } else if (log->news == NEWS_BACK) { /* at the level of the message about the diversion */
        events_post(log->events, EVENT_WARN, "records from %llu on go to log file %s again; those before are in %s",
                    first, log->destination.path, log->before);
    } else if (log->news == NEWS_BEGUN) {
        events_post(log->events, EVENT_INFO, "records from %llu on go to log file %s", first, log->destination.path);
    }
}

void file_tell_bound_anew(const struct log_file *log, const char *path, uint64_t sequence) {
    events_post(log->events, EVENT_INFO,
                "the ring was bound to log file %s; all its records are there. From record %llu on they go to %s",
                log->destination.path, (unsigned long long)sequence, path);
}

void file_tell_old_name(const struct log_file *log, const char *name) {
    events_post(log->events, EVENT_INFO,
                "log file %s is called %s now: its name was one that a pattern of rolled files may make",
                log->destination.path, name);
}

/* ---------------------------------------------------------------------------------------------------------- rolling */

void file_tell_taken(const struct log_file *log, const char *target, const char *name) {
    events_post(log->events, EVENT_WARN,
                "log file %s could not become %s, which is there, or compressed: it is %s now; if that was not meant, "
                "let the names of rolled files have an index or more of the time",
                log->destination.path, target, name);
}

/* The rolling took the file for empty, while a record was on its way to it. It will roll the file again later. */
static int was_taken_for_empty(const struct log_file *log, const struct file_call *call) {
    return log->roller != NULL && log->roller->plan != NULL && call->target[0] == '\0';
}

static void say_not_rolled(const struct log_file *log, const struct file_call *call, const char *remedy) {
    const int rc = file_roll_error(call);
    if (log->roll_told_rc != rc && !was_taken_for_empty(log, call)) {
        events_post(log->events, EVENT_WARN,
                    "log file %s could not be rolled%s%s: %s; it goes on as it is, with the footer in it, until the "
                    "next roll: %s",
                    call->path, call->target[0] == '\0' ? "" : " to ", call->target, error_name(-rc),
                    rc == -EXDEV ? "let it be renamed on its own file system" : remedy);
    }
}

/* ------------------------------------------------------------------------------------------------------------ stalls */

/* The remedy for a log file that fails with this error. */
static const char *remedy(int rc) {
    switch (-rc) {
    case ENOSPC:
    case EDQUOT:
        return "free space on its file system";
    case EFBIG:
        return "raise the limit of file sizes of this process (prlimit --fsize)";
    case EROFS:
        return "make its file system writable";
    case EPERM:
        return "take back what forbids it (lsattr), or give this process the right to write it";
    case EACCES:
        return "give this process the right to write it";
    case EAGAIN:
        return "find out who changes it all the time";
    case EBUSY:
        return "end the other writer that holds it";
    case E2BIG:
        return "let log files of this ring have shorter paths, or the ring fewer streams";
    case ENOMEM:
        return "free memory";
    case EISDIR:
    case EINVAL:
    case ELOOP:
        return "move away what stands in its place";
    default:
        return "mend its file system or disk";
    }
}

void file_tell_stalled(const struct log_file *log, int rc, int64_t lasts_ns, uint64_t held_bytes) {
    const struct destination *destination = &log->destination;
    char since[100] = "";
    if (lasts_ns > 0) {
        snprintf(since, sizeof since, " (for %lld s now; %llu bytes wait)", (long long)(lasts_ns / 1000000000),
                 (unsigned long long)held_bytes);
    }
    if (rc == -DESTINATION_UNMOUNTED_ERROR) {
        events_post(
            log->events, EVENT_ERROR,
            "log file %s is not there%s, and its folder is on another file system than the file: that was unmounted, "
            "or another mounted over it; mount it again, or, if the log is to go on here, make an empty file of "
            "that name; the ring keeps the records, and when it is full appends wait or fail",
            destination->path, since);
    } else if (rc == -EINPROGRESS) {
        events_post(
            log->events, EVENT_ERROR,
            "log file %s is to be rolled, and whoever performs the rolls of this log has not answered for a minute%s; the "
            "ring keeps the records behind the roll, and when it is full appends wait or fail: find out what holds it up",
            destination->path, since);
    } else if (!log_file_is_open(log) && destination->unreadable_candidate[0] != '\0') {
        events_post(
            log->events, EVENT_ERROR,
            "log file %s is not under its name%s, and %s, which may be it, cannot be read: %s; make that readable, or "
            "move it away if it is not; the ring keeps the records, and when it is full appends wait or fail",
            destination->path, since, destination->unreadable_candidate, error_name(-rc));
    } else {
        events_post(
            log->events, EVENT_ERROR,
            "log file %s cannot be written: %s; the ring keeps the records%s, and when it is full appends wait or fail: "
            "%s",
            destination->path, error_name(-rc), since, remedy(rc));
    }
}

void file_tell_going(const struct log_file *log) {
    if (strcmp(log->stalled_path, log->destination.path) == 0) {
        events_post(log->events, EVENT_ERROR, "log file %s is being written again", log->stalled_path);
    } else {
        events_post(log->events, EVENT_ERROR, "log file %s is being written, in the place of %s", log->destination.path,
                    log->stalled_path);
    }
}

/* ------------------------------------------------------------------------------------------------- rows of the table */

void file_say(const struct log_file *log, const struct file_call *call, enum file_sentence sentence) {
    const uint64_t from = call->noted->sequence;
    switch (sentence) {
    case SAY_NOTHING:
    case FILE_SENTENCES:
        break;
    case SAY_DELETED:
        say_deleted(log, from);
        break;
    case SAY_CUT:
        say_cut(log, from, "");
        break;
    case SAY_CUT_AND_GROWN:
        say_cut(log, from, " and has grown again, or was edited");
        break;
    case SAY_EXTENDED:
        say_extended(log, 0);
        break;
    case SAY_EXTENDED_TWICE:
        say_extended(log, from);
        break;
    case SAY_RENAMED:
        events_post(log->events, EVENT_INFO, "log file %s was renamed or replaced; a new one is begun",
                    log->destination.path);
        break;
    case SAY_OTHER_BYTES:
        say_other_bytes(log);
        break;
    case SAY_FOUND_RENAMED:
        say_found_renamed(log, call);
        break;
    case SAY_FOUND_COPY:
        say_found_copy(log, call);
        break;
    case SAY_FOUND_EXTENDED:
        say_found_extended(log, call);
        break;
    case SAY_GONE:
        say_not_found(log, call, "gone");
        break;
    case SAY_NOT_THE_ONE:
        say_not_found(log, call, "not the one that was written");
        break;
    case SAY_SYNC_FAILED:
        say_sync_failed(log, call);
        break;
    case SAY_NOT_CUT:
        say_not_cut(log, call);
        break;
    case SAY_STAYS_DIVERTED:
        tell_diverted(log, call->rc);
        break;
    case SAY_UNMOUNTED:
        refuse_unmounted(path_of(log, call), call);
        break;
    case SAY_UNREADABLE:
        refuse_unreadable(call);
        break;
    case SAY_CANNOT_BE_OPENED:
        error_set(-call->rc, "log file %s cannot be opened: %s; mend that, or choose another fileName",
                  path_of(log, call), error_name(-call->rc));
        break;
    case SAY_CANNOT_BE_READ:
        error_set(-call->rc,
                  "log file %s cannot be opened to be read and written: %s; mend its file system and open the "
                  "ring again",
                  path_of(log, call), error_name(-call->rc));
        break;
    case SAY_HELD:
        refuse_held(path_of(log, call));
        break;
    case SAY_IS_RING:
        error_set(EEXIST, "log file %s is a ring: give fileName the name of another file", path_of(log, call));
        break;
    case SAY_NOT_ROLLED:
        say_not_rolled(log, call, "mend that");
        break;
    case SAY_ROLL_FORBIDDEN:
        say_not_rolled(log, call, "take back what forbids it (lsattr; or its folder is sticky and of another user)");
        break;
    }
}
