/* SPDX-License-Identifier: Apache-2.0 */
#include "flight/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"

#define CHUNK_LINES 128u
#define CHUNK_EVENTS 64u

_Static_assert(FLIGHT_LINES % CHUNK_LINES == 0 && FLIGHT_EVENTS % CHUNK_EVENTS == 0, "chunks");

static int write_all(int fd, const void *bytes, size_t count, uint64_t offset) {
    const ssize_t written = TEMP_FAILURE_RETRY(pwrite(fd, bytes, count, (off_t)offset));
    return written == (ssize_t)count ? 0 : written < 0 ? -errno : -ENOSPC;
}

/* The head comes first: a file that was cut off behind it is a recorder's, and begins anew. */
static int make(struct flight_file *file, const struct flight_wanted *wanted) {
    struct flight_head head = {.id = wanted->id, .created_ns = wanted->now_ns};
    memcpy(head.uuid, wanted->uuid, sizeof head.uuid);
    const size_t length = strlen(wanted->ring), room = sizeof head.ring - 1;
    strcpy(head.ring, wanted->ring + (length > room ? length - room : 0));
    flight_seal_head(&head);
    int rc = ftruncate(file->fd, 0) < 0 ? -errno : write_all(file->fd, &head, sizeof head, 0);
    if (rc == 0 && fallocate(file->fd, 0, 0, (off_t)FLIGHT_FILE_BYTES) < 0) {
        rc = errno != EOPNOTSUPP ? -errno : ftruncate(file->fd, (off_t)FLIGHT_FILE_BYTES) < 0 ? -errno : 0;
    }
    *file = (struct flight_file){.fd = file->fd, .id = wanted->id, .next_line = 1, .next_event = 1};
    return rc;
}

/* Finds the newest line and event. */
static int find_end(struct flight_file *file) {
    struct flight_line lines[CHUNK_LINES];
    struct flight_event events[CHUNK_EVENTS];
    for (uint64_t at = 0; at < FLIGHT_LINES; at += CHUNK_LINES) {
        if (TEMP_FAILURE_RETRY(pread(file->fd, lines, sizeof lines, (off_t)flight_line_offset(at))) != sizeof lines) {
            return -EIO;
        }
        for (size_t i = 0; i < CHUNK_LINES; i++) {
            if (flight_line_is_valid(&lines[i], file->id, at + i) && lines[i].number >= file->next_line) {
                file->next_line = lines[i].number + 1;
            }
        }
    }
    for (uint64_t at = 0; at < FLIGHT_EVENTS; at += CHUNK_EVENTS) {
        if (TEMP_FAILURE_RETRY(pread(file->fd, events, sizeof events, (off_t)flight_event_offset(at))) !=
            sizeof events) {
            return -EIO;
        }
        for (size_t i = 0; i < CHUNK_EVENTS; i++) {
            if (flight_event_is_valid(&events[i], file->id, at + i) && events[i].number >= file->next_event) {
                file->next_event = events[i].number + 1;
            }
        }
    }
    return 0;
}

/* Whether the system died before the head of a new file reached the medium. */
static int is_unwritten(const struct flight_head *head, const struct stat *status) {
    static const struct flight_head zeros;
    return status->st_size == (off_t)FLIGHT_FILE_BYTES && memcmp(head, &zeros, sizeof zeros) == 0;
}

static int go_on(struct flight_file *file, const struct flight_wanted *wanted, const struct stat *status,
                 int *began_anew) {
    struct flight_head head;
    memset(&head, 0, sizeof head);
    const ssize_t got = TEMP_FAILURE_RETRY(pread(file->fd, &head, sizeof head, 0));
    if (got < 0) {
        return error_set(errno, "%s cannot be read: %s", wanted->path, error_name(errno));
    }
    const enum flight_judgement judgement = flight_judge_head(&head);
    if (judgement == FLIGHT_IS_FOREIGN && !is_unwritten(&head, status)) {
        return error_set(EEXIST, "%s is there, and is none of a flight recorder: move it away", wanted->path);
    }
    file->id = head.id;
    file->next_line = file->next_event = 1;
    if (judgement == FLIGHT_IS_OURS && status->st_size == (off_t)FLIGHT_FILE_BYTES &&
        memcmp(head.uuid, wanted->uuid, sizeof head.uuid) == 0 && find_end(file) == 0 &&
        file->next_line <= FLIGHT_NUMBER_MAX / 2 && file->next_event <= FLIGHT_NUMBER_MAX / 2) {
        return 0;
    }
    *began_anew = 1;
    const int rc = make(file, wanted);
    return rc < 0 ? error_set(-rc, "%s cannot be written: %s", wanted->path, error_name(-rc)) : 0;
}

static int open_there(struct flight_file *file, const struct flight_wanted *wanted, int *is_new) {
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
    file->fd = open(wanted->path, flags | O_CREAT | O_EXCL, 0600);
    *is_new = file->fd >= 0;
    if (file->fd < 0 && errno == EEXIST) {
        file->fd = open(wanted->path, flags);
    }
    return file->fd < 0 ? error_set(errno, "%s cannot be opened: %s", wanted->path, error_name(errno)) : 0;
}

int flight_file_open(struct flight_file *file, const struct flight_wanted *wanted, int *began_anew) {
    struct flock whole = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    struct stat status;
    int is_new;
    *began_anew = 0;
    int rc = open_there(file, wanted, &is_new);
    if (rc < 0) {
        return rc;
    }
    if (fstat(file->fd, &status) < 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1) {
        rc = error_set(EEXIST, "%s is there, and is no file of its own: move it away", wanted->path);
    } else if (fcntl(file->fd, F_OFD_SETLK, &whole) < 0) {
        rc = error_set(EBUSY, "%s is written by another process", wanted->path);
    } else if (status.st_size > 0) {
        rc = go_on(file, wanted, &status, began_anew);
    } else {
        rc = make(file, wanted);
        rc = rc == 0 && is_new && fchmod(file->fd, wanted->mode) < 0 ? -errno : rc;
        rc = rc < 0 ? error_set(-rc, "%s cannot be written: %s", wanted->path, error_name(-rc)) : 0;
    }
    if (rc < 0) {
        if (is_new) {
            unlink(wanted->path);
        }
        flight_file_close(file);
    }
    return rc;
}

int flight_file_put_line(struct flight_file *file, struct flight_line *line) {
    line->number = file->next_line++;
    flight_seal_line(line, file->id);
    return write_all(file->fd, line, sizeof *line, flight_line_offset(line->number));
}

int flight_file_put_event(struct flight_file *file, struct flight_event *event) {
    event->number = file->next_event++;
    flight_seal_event(event, file->id);
    return write_all(file->fd, event, sizeof *event, flight_event_offset(event->number));
}

void flight_file_close(struct flight_file *file) {
    if (file->fd >= 0) {
        close(file->fd);
        file->fd = -1;
    }
}
