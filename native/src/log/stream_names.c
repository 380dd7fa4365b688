/* SPDX-License-Identifier: Apache-2.0 */
#include "log/stream_names.h"

#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "rolling/rolling.h"

struct stream_names {
    burst_t *log;
    struct stream_names *next;
    int rolls;
    struct rolling_name pattern; /* filled if the stream rolls by itself */
    char file[BURST_PATH_BYTES]; /* absolute path */
};

/* Whether files rolled by `one` may have the name of the log file of `other`, or the name that this file gets when it
 * is diverted. */
static int hits(const struct stream_names *one, const struct stream_names *other) {
    return one->rolls &&
           (rolling_name_hits(&one->pattern, other->file) || rolling_name_is_diverted(&one->pattern, other->file));
}

static int refuse(const struct stream_names *one, const struct stream_names *other) {
    return error_set(
        EINVAL,
        "rollPattern=\"%s/%s\" of log file %s of ring %s makes a name of log file %s, which another open "
        "stream writes: that would be deleted as a rolled one; let them have other names, or other folders",
        one->pattern.folder, one->pattern.pattern, one->file, one->log->ring->path, other->file);
}

/* The caller has the lock. */
static int check(const struct stream_names *names) {
    int rc = 0;
    for (const struct stream_names *other = names->log->names; other != NULL && rc == 0; other = other->next) {
        rc = hits(names, other) ? refuse(names, other) : hits(other, names) ? refuse(other, names) : 0;
    }
    return rc;
}

int stream_names_take(burst_t *log, burst_stream_t *stream, const char *file, const struct rolling *rolling) {
    struct stream_names *names = platform_allocate(&platform_linux, sizeof *names, PLATFORM_PLAIN);
    if (names == NULL) {
        return error_set(ENOMEM, "no memory to open log file %s", file);
    }
    names->log = log;
    snprintf(names->file, sizeof names->file, "%s", file);
    if (rolling != NULL) {
        names->rolls = 1;
        names->pattern = rolling->files.name;
    }
    pthread_mutex_lock(&log->names_lock);
    const int rc = check(names);
    if (rc == 0) {
        names->next = log->names;
        log->names = names;
        stream->names = names;
    }
    pthread_mutex_unlock(&log->names_lock);
    if (rc < 0) {
        platform_release(&platform_linux, names, sizeof *names);
    }
    return rc;
}

void stream_names_let_go(burst_stream_t *stream) {
    struct stream_names *names = stream->names;
    if (names == NULL) {
        return;
    }
    pthread_mutex_lock(&names->log->names_lock);
    struct stream_names **at = &names->log->names;
    while (*at != names) {
        at = &(*at)->next;
    }
    *at = names->next;
    pthread_mutex_unlock(&names->log->names_lock);
    stream->names = NULL;
    platform_release(&platform_linux, names, sizeof *names);
}
