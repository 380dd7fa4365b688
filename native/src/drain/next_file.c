/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Beginning a log file. The configured one, unless it is taken; then <file name>.<first sequence>: the log is diverted. A
 * diverted log goes back to the configured file at the next change of file or open, once all its records are durable in
 * the diverted one and the configured one is free: empty, or missing in the same folder. In another folder (behind a link)
 * a missing file may be one that is not mounted now; an empty one says that it is meant.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "burstlog.h"
#include "drain/drain.h"
#include "media/checkpoint_v1.h"

#define DIVERTED_ATTEMPTS 100u
#define ELSEWHERE (-65537) /* no errno: the configured file would be made in another folder */

static int is_diverted(const struct drain *drain) {
    return drain->checkpoint->stream.diverted_sequence != 0;
}

/* The log file's name as it is configured. */
static int configured_path(const struct drain *drain, char *path, size_t path_bytes) {
    const struct checkpoint *checkpoint = drain->checkpoint;
    const int bytes = (int)checkpoint->stream.file_name_bytes;
    return snprintf(path, path_bytes, "%.*s", bytes, (const char *)checkpoint->file_name) < (int)path_bytes
               ? 0
               : -ENAMETOOLONG;
}

/* Records go to the file `path`, and not to the configured one, for the reason `rc`. */
static void tell_diverted(struct drain *drain, const char *path, int rc) {
    char configured[LAYOUT_FILE_NAME_BYTES], why[64];
    configured_path(drain, configured, sizeof configured);
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
        drain->events, BURST_WARN,
        "records from %llu on go to log file %s and not to %s, which %s; to bring the log back, move %s away or empty "
        "it, and open the log again or rename the file that is written now",
        (unsigned long long)drain->checkpoint->stream.diverted_sequence, path, configured, why, configured);
}

/* Whether a file of that name, which is missing, would be made where the log is now. 0 or -errno. */
static int check_folder(const struct drain *drain, const char *path) {
    const struct files *files = drain->destination.files;
    struct mount_identity here, there;
    int rc = files->ops->place(files, drain->destination.path, &here);
    rc = rc < 0 ? rc : files->ops->place(files, path, &there);
    return rc < 0 ? rc : here.device == there.device && strcmp(here.folder, there.folder) == 0 ? 0 : ELSEWHERE;
}

/* Opens the configured file if it is free. 0, or why not: -errno, ELSEWHERE. */
static int open_configured(struct drain *drain, struct destination *destination) {
    const struct files *files = drain->destination.files;
    struct file_identity identity;
    char path[LAYOUT_FILE_NAME_BYTES];
    int rc = configured_path(drain, path, sizeof path);
    rc = rc < 0 ? rc : files->ops->identity_of_path(files, path, &identity);
    if (rc == -ENOENT) {
        rc = check_folder(drain, path);
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
static int create_diverted(struct drain *drain) {
    struct checkpoint_stream *stream = &drain->checkpoint->stream;
    const struct checkpoint_stream before = *stream;
    char path[LAYOUT_FILE_NAME_BYTES];
    int rc = -EEXIST;
    stream->diverted_sequence = drain->next_from.sequence;
    for (uint32_t attempt = 0; rc == -EEXIST && attempt < DIVERTED_ATTEMPTS; attempt++) {
        stream->diverted_attempt = attempt;
        rc = checkpoint_file(drain->checkpoint, path, sizeof path);
        rc = rc < 0 ? rc : destination_create(&drain->destination, path);
    }
    if (rc < 0) {
        *stream = before;
    }
    return rc;
}

/* The path leads nowhere. 0: on the file system of the file; -errno: that is not mounted yet, or nobody knows. */
static int check_mounted(const struct drain *drain, int rc) {
    const struct destination *destination = &drain->destination;
    const int off = destination->place.folder[0] == '\0' ? rc : destination_is_unmounted_now(destination);
    return off == 1 ? -DESTINATION_UNMOUNTED_ERROR : off;
}

/* The file system died under the file, or was unmounted: a file begun before it is there again would be hidden below the
 * mount. 0 with the file open, or with none open and the next one decided; -errno. */
static int return_to_file(struct drain *drain) {
    struct file_identity identity;
    const struct files *files = drain->destination.files;
    int rc = files->ops->identity_of_path(files, drain->destination.path, &identity);
    if (rc == -ENOENT) {
        rc = check_mounted(drain, rc);
    }
    if (rc == 0) {
        drain->cursor = drain->next_from;
        rc = drain_find_again(drain);
    }
    return rc;
}

/* None is open. 0 with the next one open, or -errno. *why_not: why the log is diverted; 1: it is not. */
static int create_next(struct drain *drain, int *why_not) {
    struct checkpoint_stream *stream = &drain->checkpoint->stream;
    char path[LAYOUT_FILE_NAME_BYTES];
    int rc = 0;
    *why_not = 0;
    if (is_diverted(drain)) {
        rc = *why_not = open_configured(drain, &drain->destination);
    } else if (drain->next_file == NEXT_FILE_SAME_NAME) {
        rc = configured_path(drain, path, sizeof path);
        rc = *why_not = rc < 0 ? rc : destination_create(&drain->destination, path);
    }
    if (drain->destination.file != DESTINATION_CLOSED) {
        stream->diverted_sequence = 0;
        stream->diverted_attempt = 0;
        *why_not = 1;
        return 0;
    }
    return is_diverted(drain) || rc == 0 || rc == -EEXIST ? create_diverted(drain) : rc;
}

/* The open file is the next one, and has no byte: both slots name it before it gets one, so that no crash leads back to the
 * file before. 0, or -errno with it closed; the stream is as `before` then, unless the ring has failed. */
static int commit_next(struct drain *drain, const struct checkpoint_stream *before) {
    drain->cursor = drain->next_from;
    int rc = drain_note_place(drain);
    if (rc < 0) {
        drain->checkpoint->stream = *before;
    }
    for (int slot = 0; slot < (int)LAYOUT_CHECKPOINT_SLOTS && rc == 0; slot++) {
        rc = checkpoint_write(drain);
    }
    if (rc < 0) {
        destination_close(&drain->destination); /* this file got no byte; if the ring has failed it gets none */
        return rc;
    }
    drain_publish_path(drain);
    return 0;
}

static void tell_begun(struct drain *drain, const char *before) {
    events_post(drain->events, BURST_INFO, "records from %llu on go to log file %s%s%s",
                (unsigned long long)drain->cursor.sequence, drain->destination.path,
                before != NULL ? " again; those before are in " : "", before != NULL ? before : "");
}

int drain_begin_file(struct drain *drain) {
    int rc = 0, why_not;
    if (drain->destination.file == DESTINATION_CLOSED && drain->next_file == NEXT_FILE_SAME) {
        rc = return_to_file(drain);
    }
    if (rc < 0 || drain->destination.file != DESTINATION_CLOSED) {
        return rc;
    }
    if (destination_is_unmounted_now(&drain->destination) == 1) {
        return -DESTINATION_UNMOUNTED_ERROR;
    }
    const struct checkpoint_stream before = drain->checkpoint->stream;
    rc = create_next(drain, &why_not);
    rc = rc < 0 ? rc : commit_next(drain, &before);
    if (rc < 0) {
        return rc;
    }
    if (is_diverted(drain)) {
        tell_diverted(drain, drain->destination.path, why_not);
    } else {
        tell_begun(drain, NULL);
    }
    return 0;
}

/* Whether the diverted file, which is open, has got the configured name itself. */
static int has_configured_name(const struct drain *drain, char *path, size_t path_bytes) {
    const struct files *files = drain->destination.files;
    struct file_identity ours, named;
    return configured_path(drain, path, path_bytes) == 0 &&
           files->ops->identity(files, drain->destination.file, &ours) == 0 &&
           files->ops->identity_of_path(files, path, &named) == 0 && ours.device == named.device &&
           ours.inode == named.inode;
}

int drain_take_name(struct drain *drain) {
    struct checkpoint_stream *stream = &drain->checkpoint->stream;
    char path[LAYOUT_FILE_NAME_BYTES];
    if (!is_diverted(drain) || !has_configured_name(drain, path, sizeof path)) {
        return 0;
    }
    memcpy(drain->destination.path, path, sizeof path);
    const struct checkpoint_stream before = *stream;
    stream->diverted_sequence = 0;
    stream->diverted_attempt = 0;
    drain->next_from = drain->cursor;
    const int rc = commit_next(drain, &before);
    if (rc == 0) {
        tell_begun(drain, NULL);
    } else {
        drain_leave_file(drain, NEXT_FILE_SAME, &drain->synced);
    }
    return rc < 0 ? rc : 1;
}

/* The diverted file is open and complete. 0, or -errno if the ring has failed. */
static int go_back(struct drain *drain) {
    struct destination next = {
        .files = drain->destination.files, .how = drain->destination.how, .file = DESTINATION_CLOSED};
    char before[LAYOUT_FILE_NAME_BYTES];
    const int why_not = open_configured(drain, &next);
    if (why_not != 0) {
        tell_diverted(drain, drain->destination.path, why_not);
        return 0;
    }
    memcpy(before, drain->destination.path, sizeof before);
    drain_leave_file(drain, NEXT_FILE_SAME_NAME, &drain->cursor);
    drain->destination = next;
    const struct checkpoint_stream diverted = drain->checkpoint->stream;
    drain->checkpoint->stream.diverted_sequence = 0;
    drain->checkpoint->stream.diverted_attempt = 0;
    const int rc = commit_next(drain, &diverted);
    if (rc == 0) {
        tell_begun(drain, before);
    }
    return rc;
}

int drain_end_diversion(struct drain *drain) {
    int rc = 0;
    while (rc == 0 && !drain_is_done(drain)) {
        rc = drain_work(drain, 1);
        rc = rc < 0 ? rc : 0;
    }
    rc = rc < 0 ? rc : drain_check_file(drain);
    if (rc == 0) {
        rc = drain_begin_file(drain); /* which tells */
    } else if (rc == 1 && is_diverted(drain)) {
        rc = drain_take_name(drain);
        rc = rc != 0 ? rc : go_back(drain);
    }
    if (rc < 0 && !ring_has_failed(drain->ring)) {
        tell_diverted(drain, drain->destination.path, rc); /* it lacks records */
        return 0;
    }
    return rc < 0 ? rc : 0;
}
