/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/log_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"

/* What the operator has to do about a log file that answers this. */
static const char *remedy(int rc) {
    switch (-rc) {
    case ENOSPC:
    case EDQUOT:
        return "free space on its file system";
    case EFBIG:
        return "raise the limit of file sizes of this process (prlimit --fsize)";
    case EROFS:
        return "make its file system writable";
    case EACCES:
    case EPERM:
        return "give this process the right to write it";
    case EBUSY:
        return "end the other writer that holds it";
    case EISDIR:
    case EINVAL:
    case ELOOP:
        return "move away what stands in its place";
    default:
        return "mend its file system or disk";
    }
}

static void tell_stalled(struct outlet *outlet, int rc, int64_t lasts_ns, uint64_t held_bytes) {
    struct log_file *log = log_file_of(outlet);
    const struct destination *destination = &log->destination;
    char since[100] = "";
    if (!log->is_stalled) {
        log->is_stalled = 1;
        memcpy(log->stalled_path, destination->path, sizeof log->stalled_path);
    }
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

static void tell_going(struct outlet *outlet) {
    struct log_file *log = log_file_of(outlet);
    log->is_stalled = 0;
    if (strcmp(log->stalled_path, log->destination.path) == 0) {
        events_post(log->events, EVENT_ERROR, "log file %s is being written again", log->stalled_path);
    } else {
        events_post(log->events, EVENT_ERROR, "log file %s is being written, in the place of %s", log->destination.path,
                    log->stalled_path);
    }
}

int64_t log_file_write(struct outlet *outlet, const void *data, size_t bytes) {
    const int64_t written = destination_write(&log_file_of(outlet)->destination, data, bytes);
    return written != 0 ? written : -ENOSPC;
}

static int is_open(const struct outlet *outlet) {
    return log_file_is_open((const struct log_file *)outlet);
}

static int is_astray(const struct outlet *outlet) {
    return ((const struct log_file *)outlet)->is_astray;
}

static uint64_t length(const struct outlet *outlet) {
    return destination_end(&((const struct log_file *)outlet)->destination);
}

static void copy_path(const struct outlet *outlet, char *path, size_t path_bytes) {
    snprintf(path, path_bytes, "%s", ((const struct log_file *)outlet)->destination.path);
}

int log_file_hand_up(struct log_file *log, struct outlet_state *state) {
    const struct destination *destination = &log->destination;
    log->state.kind = OUTLET_FILE;
    log->state.length = destination->length;
    log->state.tail_bytes = destination->tail_bytes;
    log->state.tail_crc = destination_tail_crc(destination);
    *state = log->state;
    return OUTLET_READY;
}

void log_file_leave(struct log_file *log, enum next_file next) {
    destination_close(&log->destination);
    log->next = next;
}

static void close_file(struct outlet *outlet) {
    log_file_leave(log_file_of(outlet), NEXT_FILE_NOTED);
}

static void destroy(struct outlet *outlet) {
    struct log_file *log = log_file_of(outlet);
    destination_close(&log->destination);
    platform_release(log->platform, log, sizeof *log);
}

static const struct outlet_ops log_file_ops = {
    .open = log_file_open,
    .bind = log_file_bind,
    .ready = log_file_ready,
    .write = log_file_write,
    .roll = log_file_roll,
    .sync = log_file_sync,
    .noted = log_file_noted,
    .is_astray = is_astray,
    .settle = log_file_settle,
    .tell_stalled = tell_stalled,
    .tell_going = tell_going,
    .is_open = is_open,
    .length = length,
    .copy_path = copy_path,
    .close = close_file,
    .destroy = destroy,
};

static const char *keep_name(char kept[ACCOUNT_NAME_BYTES], const char *name) {
    if (name != NULL) {
        snprintf(kept, ACCOUNT_NAME_BYTES, "%s", name);
    }
    return name == NULL ? NULL : kept;
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
    log->destination.new_file = (struct new_file){.mode = parts->new_file.mode,
                                                  .owner = keep_name(log->owner, parts->new_file.owner),
                                                  .group = keep_name(log->group, parts->new_file.group)};
    log->destination.file = DESTINATION_CLOSED;
    log->mark_is_untrusted = log->ring_is_untrusted = parts->mark_is_untrusted;
    log->roller = parts->roller;
    *outlet = &log->outlet;
    return 0;
}
