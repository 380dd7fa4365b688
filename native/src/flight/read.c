/* SPDX-License-Identifier: Apache-2.0 */
/* Reading all of a flight recorder's file. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "flight/file.h"

/* Reads as much as there is. Returns how much, or -errno. */
static ssize_t read_part(int fd, void *bytes, size_t count, uint64_t offset) {
    size_t got = 0;
    while (got < count) {
        const ssize_t more = TEMP_FAILURE_RETRY(pread(fd, (uint8_t *)bytes + got, count - got, (off_t)(offset + got)));
        if (more < 0) {
            return -errno;
        }
        if (more == 0) {
            break;
        }
        got += (size_t)more;
    }
    return (ssize_t)got;
}

static int by_line_number(const void *left, const void *right) {
    const uint64_t a = ((const struct flight_line *)left)->number, b = ((const struct flight_line *)right)->number;
    return (a > b) - (a < b);
}

static int by_event_number(const void *left, const void *right) {
    const uint64_t a = ((const struct flight_event *)left)->number, b = ((const struct flight_event *)right)->number;
    return (a > b) - (a < b);
}

/* Keeps the valid ones in order. One that is a whole lap older than the newest is what a torn one left in its place. */
static void keep_lines(struct flight_log *log, size_t read) {
    size_t count = 0;
    for (size_t place = 0; place < read; place++) {
        if (flight_line_is_valid(&log->lines[place], log->head.id, place)) {
            log->lines[count++] = log->lines[place];
        }
    }
    qsort(log->lines, count, sizeof *log->lines, by_line_number);
    size_t old = 0;
    while (old < count && log->lines[old].number + FLIGHT_LINES <= log->lines[count - 1].number) {
        old++;
    }
    memmove(log->lines, log->lines + old, (count - old) * sizeof *log->lines);
    log->line_count = count - old;
}

static void keep_events(struct flight_log *log, size_t read) {
    size_t count = 0;
    for (size_t place = 0; place < read; place++) {
        if (flight_event_is_valid(&log->events[place], log->head.id, place)) {
            log->events[count++] = log->events[place];
        }
    }
    qsort(log->events, count, sizeof *log->events, by_event_number);
    size_t old = 0;
    while (old < count && log->events[old].number + FLIGHT_EVENTS <= log->events[count - 1].number) {
        old++;
    }
    memmove(log->events, log->events + old, (count - old) * sizeof *log->events);
    log->event_count = count - old;
}

static int read_all(int fd, const char *path, struct flight_log *log) {
    log->lines = calloc(FLIGHT_LINES, sizeof *log->lines);
    log->events = calloc(FLIGHT_EVENTS, sizeof *log->events);
    if (log->lines == NULL || log->events == NULL) {
        return error_set(ENOMEM, "no memory to read %s: 18 MB", path);
    }
    const ssize_t lines = read_part(fd, log->lines, FLIGHT_LINES * sizeof *log->lines, FLIGHT_HEAD_BYTES);
    const ssize_t events = read_part(fd, log->events, FLIGHT_EVENTS * sizeof *log->events, FLIGHT_EVENTS_OFFSET);
    if (lines < 0 || events < 0) {
        const int rc = lines < 0 ? (int)lines : (int)events;
        return error_set(-rc, "%s cannot be read: %s", path, error_name(-rc));
    }
    keep_lines(log, (size_t)lines / sizeof *log->lines);
    keep_events(log, (size_t)events / sizeof *log->events);
    return 0;
}

int flight_log_read(const char *path, struct flight_log *log) {
    struct stat status;
    memset(log, 0, sizeof *log);
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) {
        return error_set(errno, "%s cannot be opened: %s", path, error_name(errno));
    }
    int rc = fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)
                 ? error_set(EINVAL, "%s is no file, so it is none of a flight recorder", path)
                 : 0;
    if (rc == 0) {
        const ssize_t got = read_part(fd, &log->head, sizeof log->head, 0);
        const enum flight_judgement judgement =
            got == (ssize_t)sizeof log->head ? flight_judge_head(&log->head) : FLIGHT_IS_FOREIGN;
        rc =
            judgement == FLIGHT_IS_FOREIGN
                ? error_set(EINVAL, "%s is none of a flight recorder: name a ring, or its file %s", path, FLIGHT_SUFFIX)
            : judgement == FLIGHT_IS_OTHER
                ? error_set(EPROTO,
                            "%s is of version %u of the flight recorder, or damaged, and this version reads %u: read "
                            "it with the version of the process that writes the ring",
                            path, log->head.version, FLIGHT_VERSION)
                : read_all(fd, path, log);
    }
    close(fd);
    return rc;
}

void flight_log_free(struct flight_log *log) {
    free(log->lines);
    free(log->events);
    log->lines = NULL;
    log->events = NULL;
}
