/* SPDX-License-Identifier: Apache-2.0 */
#include "read/lines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "read/unpack.h"

#define BUFFER_BYTES (512u * 1024u)
#define LINE_MOST_BYTES (64u * 1024u * 1024u) /* a longer line comes in pieces */
#define BACKWARDS_BYTES (64u * 1024u)
#define LOOK_AGAIN_NS 20000000

struct lines_file {
    char *path;
    uint64_t from, limit;
    int fd; /* held open; -1: not yet */
};

struct lines {
    struct read_source source;
    const struct platform *platform;
    int follow;
    struct lines_file *files;
    size_t count, room;
    size_t at; /* the file that is read */
    int is_open;
    struct unpacked file;
    dev_t device; /* of the open file */
    ino_t inode;
    uint8_t *buffer;
    size_t buffer_room, begin, end;
    uint64_t line_offset; /* of the byte at `begin` in its file, unpacked */
    uint64_t opened, seeks, skipped;
};

static struct lines *lines_of(struct read_source *source) {
    return (struct lines *)source;
}

/* ----------------------------------------------------------------------------------------------------------- files */

int lines_add(struct read_source *source, const char *path, uint64_t from, uint64_t limit) {
    struct lines *lines = lines_of(source);
    if (lines->count == lines->room) {
        const size_t room = lines->room == 0 ? 16 : 2 * lines->room;
        struct lines_file *larger = realloc(lines->files, room * sizeof *larger);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory for a list of %zu files", room);
        }
        lines->files = larger;
        lines->room = room;
    }
    char *own = strdup(path);
    if (own == NULL) {
        return error_set(ENOMEM, "no memory for the name of file %s", path);
    }
    lines->files[lines->count++] = (struct lines_file){.path = own, .from = from, .limit = limit, .fd = -1};
    return 0;
}

static int open_fd(const char *path) {
    struct stat status;
    const int fd = (int)TEMP_FAILURE_RETRY(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    if (fd < 0 || fstat(fd, &status) < 0) {
        const int failure = errno;
        if (fd >= 0) {
            close(fd);
        }
        return error_set(failure, "file %s cannot be opened: %s", path, error_name(failure));
    }
    if (!S_ISREG(status.st_mode)) {
        close(fd);
        return error_set(S_ISDIR(status.st_mode) ? EISDIR : EINVAL, "%s is no regular file", path);
    }
    return fd;
}

int lines_hold(struct read_source *source) {
    const struct lines *lines = lines_of(source);
    struct lines_file *last = lines->files + lines->count - (lines->count > 0);
    if (lines->count == 0 || last->fd >= 0 || (lines->is_open && lines->at == lines->count - 1)) {
        return 0;
    }
    last->fd = open_fd(last->path);
    return last->fd < 0 ? last->fd : 0;
}

static void leave_file(struct lines *lines) {
    if (lines->is_open) {
        unpacked_close(&lines->file);
        lines->is_open = 0;
    }
    lines->begin = lines->end = 0;
}

void lines_drop(struct read_source *source) {
    struct lines *lines = lines_of(source);
    if (lines->count > 0) {
        struct lines_file *last = &lines->files[--lines->count];
        if (last->fd >= 0) {
            close(last->fd);
        }
        free(last->path);
    }
}

void lines_clear(struct read_source *source) {
    struct lines *lines = lines_of(source);
    leave_file(lines);
    for (size_t i = 0; i < lines->count; i++) {
        if (lines->files[i].fd >= 0) {
            close(lines->files[i].fd);
        }
        free(lines->files[i].path);
    }
    lines->count = lines->at = 0;
}

void lines_extend(struct read_source *source, uint64_t limit) {
    struct lines *lines = lines_of(source);
    if (lines->count > 0) {
        lines->files[lines->count - 1].limit = limit;
        if (lines->is_open && lines->at == lines->count - 1) {
            lines->file.limit = limit;
        }
    }
}

int lines_status(const struct read_source *source, struct stat *status) {
    const struct lines *lines = (const struct lines *)source;
    const int is_here = lines->is_open && lines->at + 1 == lines->count;
    const int fd = is_here ? lines->file.fd : lines->count > 0 ? lines->files[lines->count - 1].fd : -1;
    return fd >= 0 && fstat(fd, status) == 0;
}

int lines_resume(struct read_source *source, uint64_t offset, uint64_t limit) {
    struct lines *lines = lines_of(source);
    if (!lines->is_open || lines->at + 1 != lines->count || !lines->file.is_plain) {
        return 0;
    }
    lines->begin = lines->end = 0;
    lines->file.offset = lines->line_offset = offset;
    lines_extend(source, limit);
    return 1;
}

static const char *const packed[] = {".gz", ".zst"};

/* Opens the file that is due. Returns 0, 1 if it is gone, or -errno with a sentence. */
static int open_file(struct lines *lines) {
    struct lines_file *due = &lines->files[lines->at];
    struct stat status;
    int fd = due->fd >= 0 ? due->fd : open_fd(due->path);
    due->fd = -1;
    for (size_t i = 0; fd == -ENOENT && i < sizeof packed / sizeof packed[0];
         i++) { /* compressed since it was listed */
        char twin[BURST_PATH_BYTES];
        if (snprintf(twin, sizeof twin, "%s%s", due->path, packed[i]) < (int)sizeof twin) {
            fd = open_fd(twin);
        }
    }
    if (fd < 0) {
        return fd == -ENOENT && lines->count > 1 ? 1 : fd;
    }
    if (fstat(fd, &status) == 0) {
        lines->device = status.st_dev;
        lines->inode = status.st_ino;
    }
    const int rc = unpacked_open(&lines->file, fd, due->path, due->limit);
    if (rc < 0) {
        return rc;
    }
    lines->opened++;
    lines->is_open = 1;
    lines->begin = lines->end = 0;
    lines->line_offset = 0;
    if (lines->file.is_plain) {
        lines->file.offset = lines->line_offset = due->from;
    }
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------- lines */

/* Makes room behind the bytes that are there, and reads on. Returns the number of new bytes, or -errno. */
static int64_t fill(struct lines *lines) {
    if (lines->begin > 0) {
        memmove(lines->buffer, lines->buffer + lines->begin, lines->end - lines->begin);
        lines->end -= lines->begin;
        lines->begin = 0;
    }
    if (lines->end == lines->buffer_room) {
        uint8_t *larger = realloc(lines->buffer, 2 * lines->buffer_room);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory for a line of %zu bytes of %s", 2 * lines->buffer_room,
                             lines->file.path);
        }
        lines->buffer = larger;
        lines->buffer_room *= 2;
    }
    const int64_t got = unpacked_read(&lines->file, lines->buffer + lines->end, lines->buffer_room - lines->end);
    lines->end += got > 0 ? (size_t)got : 0;
    return got;
}

static void give(struct lines *lines, size_t length, burst_read_t *record) {
    record->kind = BURST_READ_LINE;
    record->data = lines->buffer + lines->begin;
    record->length = length;
    record->count = 1;
    record->position = lines->line_offset;
    lines->begin += length;
    lines->line_offset += length;
}

/* Takes the next line of the open file. Returns 1; 0 at its end; -errno. */
static int next_line(struct lines *lines, burst_read_t *record) {
    size_t looked = 0;
    for (;;) {
        const size_t there = lines->end - lines->begin;
        const uint8_t *from = lines->buffer + lines->begin + looked;
        const uint8_t *newline = there > looked ? memchr(from, '\n', there - looked) : NULL;
        if (newline != NULL || there >= LINE_MOST_BYTES) {
            give(lines, newline != NULL ? (size_t)(newline + 1 - (lines->buffer + lines->begin)) : there, record);
            return 1;
        }
        looked = there;
        const int64_t got = fill(lines);
        if (got < 0) {
            return (int)got;
        }
        if (got == 0) {
            if (there == 0) {
                return 0;
            }
            give(lines, there, record); /* a last line without its newline, or a record that has none */
            return 1;
        }
    }
}

/* Whether another file is under the name of the last one now. */
static int is_replaced(const struct lines *lines) {
    struct stat status;
    return stat(lines->files[lines->at].path, &status) == 0 && status.st_size > 0 &&
           (status.st_dev != lines->device || status.st_ino != lines->inode);
}

static int next(struct read_source *source, burst_read_t *record) {
    struct lines *lines = lines_of(source);
    const uint32_t bytes = record->struct_bytes;
    *record = (burst_read_t){.struct_bytes = bytes, .stream = BURST_ALL_STREAMS, .place = BURST_PLACE_FILE};
    while (lines->at < lines->count) {
        int rc = lines->is_open ? 0 : open_file(lines);
        if (rc == 1) {
            lines->skipped++;
            lines->at++;
            continue;
        }
        rc = rc < 0 ? rc : next_line(lines, record);
        if (rc != 0) {
            return rc;
        }
        if (lines->at + 1 == lines->count) {
            if (!lines->follow || !is_replaced(lines)) {
                return 0; /* more may come */
            }
            rc = next_line(lines, record); /* what came before the file lost its name */
            if (rc != 0) {
                return rc;
            }
            leave_file(lines);
            lines->files[lines->at].from = 0;
        } else {
            leave_file(lines);
            lines->at++;
        }
    }
    return 0;
}

static int wait_for_more(struct read_source *source, int64_t timeout_ns) {
    const struct platform *platform = lines_of(source)->platform;
    platform->ops->sleep_ns(platform, timeout_ns >= 0 && timeout_ns < LOOK_AGAIN_NS ? timeout_ns : LOOK_AGAIN_NS);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ last */

/* Looks backwards for the line that has `count` newlines behind it, or more bytes than none without one. Returns how many
 * lines the file has behind *offset, at most `count`; or -errno. */
static int64_t find_last_plain(struct lines *lines, uint64_t first, uint64_t limit, uint64_t count, uint64_t *offset) {
    struct stat status;
    uint8_t *piece = lines->buffer;
    if (fstat(lines->file.fd, &status) < 0) {
        return error_set(errno, "%s cannot be read: %s", lines->file.path, error_name(errno));
    }
    uint64_t end = (uint64_t)status.st_size < limit ? (uint64_t)status.st_size : limit, lines_found = 0;
    const uint64_t last = end;
    while (end > first) {
        const uint64_t from = end - first > BACKWARDS_BYTES ? end - BACKWARDS_BYTES : first;
        lines->file.offset = from;
        const int64_t got = unpacked_read(&lines->file, piece, (size_t)(end - from));
        if (got < 0) {
            return got;
        }
        if (got < (int64_t)(end - from)) {
            return error_set(EAGAIN, "%s was cut while it was read: read it again", lines->file.path);
        }
        lines->seeks++;
        for (uint64_t at = end; at-- > from;) {
            if (piece[at - from] == '\n' && at + 1 < last && ++lines_found == count) {
                *offset = at + 1;
                return (int64_t)lines_found;
            }
        }
        end = from;
    }
    *offset = first;
    return (int64_t)lines_found + (last > first);
}

/* Counts the lines of a file that is read only forwards. */
static int64_t count_lines(struct lines *lines) {
    burst_read_t record = {.struct_bytes = sizeof record};
    int64_t count = 0;
    int rc;
    while ((rc = next_line(lines, &record)) > 0) {
        count++;
    }
    return rc < 0 ? rc : count;
}

static int skip_lines(struct lines *lines, int64_t count) {
    burst_read_t record = {.struct_bytes = sizeof record};
    int rc = 0;
    while (count-- > 0 && (rc = next_line(lines, &record)) > 0) {
    }
    return rc < 0 ? rc : 0;
}

/* Goes to the last `count` lines: from the last file backwards, opening only those that are needed. */
static int go_to_last(struct lines *lines, uint64_t count) {
    uint64_t wanted = count;
    for (size_t i = lines->count; i-- > 0;) {
        leave_file(lines);
        lines->at = i;
        int rc = open_file(lines);
        if (rc == 1) {
            continue;
        }
        if (rc < 0) {
            return rc;
        }
        const struct lines_file *file = &lines->files[i];
        uint64_t offset = 0;
        const int64_t found = wanted == 0 && !lines->file.is_plain ? 0
                              : lines->file.is_plain
                                  ? find_last_plain(lines, file->from, file->limit, wanted + (wanted == 0), &offset)
                                  : count_lines(lines);
        if (found < 0) {
            return (int)found;
        }
        if (wanted == 0) {
            struct stat status;
            offset = fstat(lines->file.fd, &status) == 0 && (uint64_t)status.st_size < file->limit
                         ? (uint64_t)status.st_size
                         : file->limit;
        }
        if ((uint64_t)found >= wanted) {
            if (lines->file.is_plain) {
                lines->begin = lines->end = 0;
                lines->file.offset = lines->line_offset = offset;
                return 0;
            }
            leave_file(lines);
            rc = open_file(lines);
            return rc < 0 ? rc : skip_lines(lines, found - (int64_t)wanted);
        }
        wanted -= (uint64_t)found;
    }
    leave_file(lines);
    lines->at = 0;
    return 0;
}

static int seek(struct read_source *source, enum burst_read_from from, int64_t value) {
    struct lines *lines = lines_of(source);
    switch (from) {
    case BURST_FROM_OLDEST:
    case BURST_FROM_RING:
        leave_file(lines);
        lines->at = 0;
        return 0;
    case BURST_FROM_LAST:
        return go_to_last(lines, (uint64_t)value);
    default:
        return error_set(ERANGE,
                         "%s has lines, and knows neither sequences nor times: begin with its oldest line or with the "
                         "last N, or search its text",
                         lines->count > 0 ? lines->files[lines->count - 1].path : "the log file");
    }
}

static void state(const struct read_source *source, burst_reader_state_t *state) {
    const struct lines *lines = (const struct lines *)source;
    state->place = BURST_PLACE_FILE;
    state->files += lines->opened;
    state->seeks += lines->seeks;
    if (state->how[0] == '\0') {
        snprintf(state->how, sizeof state->how, "reads lines, not records: the log file has no index%s",
                 lines->skipped > 0 ? "; an archive was deleted before it was read" : "");
    }
}

static void close_source(struct read_source *source) {
    struct lines *lines = lines_of(source);
    lines_clear(source);
    free(lines->files);
    free(lines->buffer);
    free(lines);
}

int lines_make(const struct platform *platform, int follow, struct read_source **source) {
    static const struct read_source_ops ops = {
        .next = next, .wait = wait_for_more, .seek = seek, .state = state, .close = close_source};
    struct lines *lines = calloc(1, sizeof *lines);
    uint8_t *buffer = malloc(BUFFER_BYTES);
    if (lines == NULL || buffer == NULL) {
        free(lines);
        free(buffer);
        return error_set(ENOMEM, "no memory to read log files: %u bytes", BUFFER_BYTES);
    }
    *lines = (struct lines){.source.ops = &ops,
                            .platform = platform,
                            .follow = follow,
                            .buffer = buffer,
                            .buffer_room = BUFFER_BYTES,
                            .file.fd = -1};
    *source = &lines->source;
    return 0;
}
