/* SPDX-License-Identifier: Apache-2.0 */
/* The list of log files, and the one that is open with its index. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/retry.h"
#include "read/lines.h"
#include "read/lines_state.h"

#define PARENTS 3 /* strategies put archives into folders below that of the log file, such as 2026-11/25 */
#define SECOND_NS 1000000000ll
#define MOVES_MOST 50 /* how often a file may get another name while it is looked for */
#define MOVE_NS 1000000

/* ----------------------------------------------------------------------------------------------------------- list */

static int add(struct lines *lines, const struct lines_file *file) {
    if (lines->count == lines->room) {
        const size_t room = lines->room == 0 ? 16 : 2 * lines->room;
        struct lines_file *larger = realloc(lines->files, room * sizeof *larger);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory for a list of %zu files", room);
        }
        lines->files = larger;
        lines->room = room;
    }
    char *own = strdup(file->path);
    if (own == NULL) {
        return error_set(ENOMEM, "no memory for the name of file %s", file->path);
    }
    lines->files[lines->count] = *file;
    lines->files[lines->count++].path = own;
    return 0;
}

int lines_add(struct read_source *source, const char *path, uint64_t from, uint64_t limit) {
    const struct lines_file file = {.path = (char *)path, .from = from, .limit = limit, .fd = -1};
    return add(lines_of(source), &file);
}

int lines_add_listed(struct read_source *source, const char *path, const struct stat *listed) {
    const struct lines_file file = {.path = (char *)path, .limit = LINES_TO_THE_END, .fd = -1, .status = *listed};
    return add(lines_of(source), &file);
}

int lines_know_other(struct read_source *source, const char *log_file) {
    return other_logs_add(&lines_of(source)->others, log_file);
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

/* A search leaves the last file and comes back, when the name may have another one: its descriptor is held again. */
static void give_back(struct lines *lines) {
    struct lines_file *file = &lines->files[lines->at];
    if (lines->at + 1 == lines->count && lines->file.is_plain && file->fd < 0) {
        file->fd = lines->file.fd;
        lines->file.fd = -1;
    }
}

void lines_leave_file(struct lines *lines) {
    if (lines->records != NULL) {
        lines->seeks += records_reads(lines->records);
        records_close(lines->records);
        lines->records = NULL;
    }
    if (lines->is_open) {
        lines->seeks += lines->file.looks;
        give_back(lines);
        unpacked_close(&lines->file);
        lines->is_open = 0;
    }
    lines->begin = lines->end = 0;
    lines->has_item = lines->is_amid = 0;
    lines->held_at = 0;
}

size_t lines_count(const struct read_source *source) {
    return ((const struct lines *)source)->count;
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

void lines_keep_last(struct lines *lines) {
    lines_leave_file(lines);
    const struct lines_file last = lines->files[lines->count - 1];
    lines->files[lines->count - 1] = lines->files[0];
    lines->files[0] = last;
    while (lines->count > 1) {
        lines_drop(&lines->source);
    }
    lines->at = 0;
}

void lines_clear(struct read_source *source) {
    struct lines *lines = lines_of(source);
    lines_leave_file(lines);
    while (lines->count > 0) {
        lines_drop(source);
    }
    lines->at = 0;
    lines->status = (struct stat){.st_ino = 0};
}

void lines_take_over(struct read_source *source, struct read_source *other) {
    struct lines *lines = lines_of(source);
    const struct lines *const before = lines_of(other);
    lines_leave_file(lines_of(other));
    lines->opened += before->opened;
    lines->seeks += before->seeks;
    lines->skipped += before->skipped;
    other->ops->close(other);
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
    const int is_gone = lines->count > 0 && lines->at == lines->count && lines->status.st_ino != 0;
    if (is_gone) {
        *status = lines->status;
        return 1;
    }
    const int fd = is_here ? lines->file.fd : lines->count > 0 ? lines->files[lines->count - 1].fd : -1;
    return fd >= 0 && fstat(fd, status) == 0;
}

/* ----------------------------------------------------------------------------------------------------------- open */

static int is_as_old(const struct stat *listed, const struct stat *found) {
    return listed->st_mtim.tv_sec == found->st_mtim.tv_sec && listed->st_mtim.tv_nsec == found->st_mtim.tv_nsec;
}

static int is_same(const struct stat *listed, const struct stat *found) {
    return listed->st_dev == found->st_dev && listed->st_ino == found->st_ino;
}

static const char *const packed[] = {".gz", ".zst"};

/* Opens the path, or what it was compressed to since it was listed. */
static int open_or_twin(const char *path) {
    int fd = open_fd(path);
    for (size_t i = 0; fd == -ENOENT && i < sizeof packed / sizeof packed[0]; i++) {
        char twin[BURST_PATH_BYTES];
        if (snprintf(twin, sizeof twin, "%s%s", path, packed[i]) < (int)sizeof twin) {
            fd = open_fd(twin);
        }
    }
    return fd;
}

/* Whether it is the file that was listed, and others have written into it since. */
static int is_longer(const struct stat *listed, const struct stat *found) {
    return is_same(listed, found) && found->st_size >= listed->st_size;
}

/* Opens the file that was listed, under whatever name it has now: a strategy may shift the names of its archives, and
 * what has a name now may be another one, perhaps of the same time. Compressing keeps the time of the last change. If no
 * file has that time any more, the file of that name was changed since. Returns a descriptor, -ENOENT if it is gone, or
 * another -errno with a sentence. */
static int open_listed(const struct lines *lines, const struct lines_file *file) {
    char path[BURST_PATH_BYTES];
    struct stat status;
    snprintf(path, sizeof path, "%s", file->path);
    for (int tries = 0, is_found = 0; tries < MOVES_MOST; tries++) {
        const int fd = open_or_twin(path);
        if ((fd < 0 && fd != -ENOENT) ||
            (fd >= 0 && (file->status.st_ino == 0 || fstat(fd, &status) < 0 ||
                         (is_as_old(&file->status, &status) && (is_found || is_same(&file->status, &status))) ||
                         (tries > 0 && !is_found && is_longer(&file->status, &status))))) {
            return fd;
        }
        if (fd >= 0) {
            close(fd);
        }
        if (file->status.st_ino == 0 || lines->log_file == NULL) {
            return -ENOENT;
        }
        is_found = lines_find_again(lines, &file->status, path, sizeof path);
        if (is_found < 0) {
            return is_found;
        }
        if (!is_found) {
            if (tries > 0 && fd == -ENOENT) {
                return -ENOENT;
            }
            lines->platform->ops->sleep_ns(lines->platform, MOVE_NS); /* between two names */
        }
    }
    return -ENOENT;
}

int lines_open_file(struct lines *lines) {
    struct lines_file *due = &lines->files[lines->at];
    const int fd = due->fd >= 0 ? due->fd : open_listed(lines, due);
    due->fd = -1;
    if (fd < 0) {
        return fd == -ENOENT && lines->count > 1 ? 1 : fd;
    }
    if (fstat(fd, &lines->status) < 0) { /* without it this file would look like one that was replaced */
        const int failure = errno;
        close(fd);
        return error_set(failure, "file %s cannot be looked at: %s", due->path, error_name(failure));
    }
    int rc = unpacked_open(&lines->file, fd, due->path, due->limit);
    if (rc < 0) {
        return rc;
    }
    lines->opened++;
    lines->is_open = 1;
    lines->begin = lines->end = 0;
    lines->line_offset = 0;
    rc = lines_pair(lines);
    if (rc == 0 && lines->file.is_plain) {
        lines->file.offset = lines->line_offset = due->from;
    }
    return rc;
}

static int is_at(const char *path, const struct stat *file) {
    struct stat status;
    return stat(path, &status) == 0 && is_same(&status, file);
}

/* Puts the archives behind the open file before the last one, and makes that the file of the descriptor. Returns 1; 0 if the
 * last one has lost its name meanwhile; or -errno. */
static int add_next_files(struct lines *lines, int fd) {
    const size_t last = lines->count - 1;
    struct stat before, now;
    if (fstat(lines->file.fd, &before) < 0 || fstat(fd, &now) < 0) {
        return error_set(errno, "file %s cannot be looked at: %s", lines->file.path, error_name(errno));
    }
    int rc = lines_add_behind(lines, lines->files[last].path, &before);
    rc = rc < 0 ? rc : is_at(lines->files[last].path, &now);
    while (rc != 1 && lines->count > last + 1) {
        lines_drop(&lines->source);
    }
    if (rc == 1) {
        struct lines_file live = lines->files[last];
        live.from = 0;
        live.fd = fd;
        memmove(lines->files + last, lines->files + last + 1, (lines->count - last - 1) * sizeof live);
        lines->files[lines->count - 1] = live;
    }
    return rc;
}

int lines_follow_roll(struct lines *lines) {
    int rc = 0;
    for (int tries = 0; rc == 0 && tries < MOVES_MOST; tries++) {
        const int fd = open_fd(lines->files[lines->count - 1].path);
        if (fd < 0) {
            return fd == -ENOENT ? 0 : fd; /* between two names */
        }
        rc = add_next_files(lines, fd);
        if (rc != 1) {
            close(fd);
        }
    }
    if (rc == 1) {
        lines_leave_file(lines);
    }
    return rc < 0 ? rc : 0;
}

/* ----------------------------------------------------------------------------------------------------------- pair */

/* The list of indexes of that folder's log files. NULL: there are none, or too many folders. */
static struct index_folder *indexes_of(struct lines *lines, const char *folder) {
    for (size_t i = 0; i < lines->folder_count; i++) {
        if (strcmp(lines->folders[i].path, folder) == 0) {
            return lines->folders[i].indexes;
        }
    }
    if (lines->folder_count == LINES_FOLDERS) { /* archives of many folders: those of the past are read */
        free(lines->folders[LINES_FOLDERS - 1].path);
        index_folder_close(lines->folders[LINES_FOLDERS - 1].indexes);
        lines->folder_count--;
    }
    struct lines_folder *added = &lines->folders[lines->folder_count];
    added->path = strdup(folder);
    if (added->path == NULL || index_folder_open(folder, &added->indexes) < 0) {
        free(added->path);
        return NULL;
    }
    lines->folder_count++;
    return added->indexes;
}

static void note_why(struct lines *lines, const char *why) {
    if (why[0] != '\0') {
        snprintf(lines->why, sizeof lines->why, "%s", why);
    }
}

static int pair_in(struct lines *lines, const char *folder, const struct index_wanted *wanted) {
    struct index_folder *indexes = indexes_of(lines, folder);
    if (indexes == NULL) {
        note_why(lines, error_text());
        return 0;
    }
    const int rc = records_open(indexes, wanted, &lines->records);
    if (rc == 0) {
        note_why(lines, index_folder_why(indexes));
    } else if (rc < 0) {
        note_why(lines, error_text());
    }
    return rc;
}

/* Reads the first bytes of the text. Those of a compressed file stay in the buffer. Returns their number, or -errno. */
static int64_t read_begin(struct lines *lines, uint8_t *begin) {
    if (lines->file.is_plain) {
        const ssize_t got = TEMP_FAILURE_RETRY(pread(lines->file.fd, begin, INDEX_TEXT_BYTES, 0));
        return got < 0 ? error_set(errno, "%s cannot be read: %s", lines->file.path, error_name(errno)) : got;
    }
    int64_t got = 1;
    while (got > 0 && lines->end < INDEX_TEXT_BYTES) {
        got = lines_fill(lines);
    }
    const size_t bytes = lines->end < INDEX_TEXT_BYTES ? lines->end : INDEX_TEXT_BYTES;
    memcpy(begin, lines->buffer, bytes);
    return got < 0 ? got : (int64_t)bytes;
}

int lines_pair(struct lines *lines) {
    uint8_t begin[INDEX_TEXT_BYTES];
    char folder[BURST_PATH_BYTES];
    const struct lines_file *file = &lines->files[lines->at];
    const int64_t got = read_begin(lines, begin);
    const struct stat *status = &lines->status;
    if (got < 0) {
        return (int)got;
    }
    const struct index_wanted wanted = {.begin = begin,
                                        .begin_bytes = (size_t)got,
                                        .bytes = lines->file.is_plain ? (uint64_t)status->st_size : UINT64_MAX,
                                        .file = lines->file.is_plain ? &lines->file.fd : NULL,
                                        .modified_ns = status->st_mtim.tv_sec * SECOND_NS + status->st_mtim.tv_nsec};
    int rc = got == 0 || lines->home == NULL ? 0 : pair_in(lines, lines->home, &wanted);
    rc = got == 0 || rc != 0 || path_directory(file->path, folder, sizeof folder) < 0 ? rc
                                                                                      : pair_in(lines, folder, &wanted);
    for (int i = 1; got > 0 && rc == 0 && lines->home == NULL && i < PARENTS; i++) {
        const size_t length = strlen(folder);
        rc = snprintf(folder + length, sizeof folder - length, "/..") < (int)(sizeof folder - length)
                 ? pair_in(lines, folder, &wanted)
                 : 0;
    }
    if (rc == 1) {
        lines->had_index = 1;
        lines->why[0] = '\0';
    }
    return 0;
}
