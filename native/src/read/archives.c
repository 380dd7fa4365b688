/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the archives of a log file. */
#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/path.h"
#include "read/archive_names.h"
#include "read/lines.h"
#include "read/lines_state.h"

#define LISTINGS_MOST 20 /* until two of them are equal */

struct archive {
    char *path;
    struct stat status;
};

struct archives {
    struct archive *found;
    size_t count, room;
    const char *log_file; /* the log's own name */
    const char
        *live_file; /* the file that is written: that, or the one that the log was diverted to; it is no archive */
    struct stat live;
    const struct other_logs *others;
    struct lines *lines; /* whose indexes say which of two archives is the older one; NULL: nobody asks them */
};

static int compare_times(const struct stat *one, const struct stat *other) {
    const struct timespec *a = &one->st_mtim, *b = &other->st_mtim;
    return a->tv_sec != b->tv_sec     ? (a->tv_sec < b->tv_sec ? -1 : 1)
           : a->tv_nsec != b->tv_nsec ? (a->tv_nsec < b->tv_nsec ? -1 : 1)
                                      : 0;
}

static int by_time(const void *one, const void *other) {
    const struct archive *a = one, *b = other;
    const int order = compare_times(&a->status, &b->status);
    return order != 0 ? order : archive_names_compare(a->path, b->path, 0);
}

static int by_time_and_falling_numbers(const void *one, const void *other) {
    const struct archive *a = one, *b = other;
    const int order = compare_times(&a->status, &b->status);
    return order != 0 ? order : archive_names_compare(a->path, b->path, 1);
}

static int is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

static int add(struct archives *archives, const char *path) {
    struct stat status;
    if (strcmp(path, archives->live_file) == 0 || other_logs_have(archives->others, path, archives->log_file)) {
        return 0;
    }
    const int failure = stat(path, &status) < 0 ? errno : 0;
    if (failure == ENOENT && !archive_is_packed(path)) {
        char packed[BURST_PATH_BYTES]; /* compressed since it was listed */
        return snprintf(packed, sizeof packed, "%s.gz", path) < (int)sizeof packed ? add(archives, packed) : 0;
    }
    if (failure != 0 && failure != ENOENT && failure != ELOOP) { /* a reader without it would lack its records */
        return error_set(failure, "archive %s cannot be looked at: %s", path, error_name(failure));
    }
    if (failure != 0 || !S_ISREG(status.st_mode) || status.st_size == 0 || is_same(&status, &archives->live)) {
        return 0;
    }
    if (archives->count == archives->room) {
        const size_t room = archives->room == 0 ? 64 : 2 * archives->room;
        struct archive *larger = realloc(archives->found, room * sizeof *larger);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory for a list of %zu archives", room);
        }
        archives->found = larger;
        archives->room = room;
    }
    char *own = strdup(path);
    if (own == NULL) {
        return error_set(ENOMEM, "no memory for the name of archive %s", path);
    }
    archives->found[archives->count++] = (struct archive){.path = own, .status = status};
    return 0;
}

static int by_path(const void *one, const void *other) {
    const struct archive *a = one, *b = other;
    return strcmp(a->path, b->path);
}

/* Drops what is there twice: by its name, or as a plain file that is being compressed. A plain file that goes meanwhile is
 * found under its other name when it is opened. */
static void drop_twins(struct archives *archives) {
    size_t kept = 0;
    qsort(archives->found, archives->count, sizeof archives->found[0], by_path);
    for (size_t i = 0; i < archives->count; i++) {
        struct archive *archive = &archives->found[i];
        char plain[BURST_PATH_BYTES];
        const struct archive twin = {.path = plain};
        snprintf(plain, sizeof plain, "%.*s",
                 (int)(archive_is_packed(archive->path) ? strrchr(archive->path, '.') - archive->path : 0),
                 archive->path);
        if ((kept > 0 && strcmp(archives->found[kept - 1].path, archive->path) == 0) ||
            bsearch(&twin, archives->found, kept, sizeof twin, by_path) != NULL) {
            free(archive->path);
        } else {
            archives->found[kept++] = *archive;
        }
    }
    archives->count = kept;
}

static int by_inode(const void *one, const void *other) {
    const struct archive *a = one, *b = other;
    return a->status.st_ino != b->status.st_ino   ? (a->status.st_ino < b->status.st_ino ? -1 : 1)
           : a->status.st_dev != b->status.st_dev ? (a->status.st_dev < b->status.st_dev ? -1 : 1)
                                                  : 0;
}

/* Drops what is there under two names: it was renamed while the folder was listed. */
static void drop_renamed(struct archives *archives) {
    size_t kept = 0;
    qsort(archives->found, archives->count, sizeof archives->found[0], by_inode);
    for (size_t i = 0; i < archives->count; i++) {
        if (kept > 0 && by_inode(&archives->found[kept - 1], &archives->found[i]) == 0) {
            free(archives->found[i].path);
        } else {
            archives->found[kept++] = archives->found[i];
        }
    }
    archives->count = kept;
}

static int find_beside(struct archives *archives, const char *log_file) {
    char folder[BURST_PATH_BYTES], path[BURST_PATH_BYTES];
    int rc = path_directory(log_file, folder, sizeof folder);
    DIR *entries = rc < 0 ? NULL : opendir(folder);
    if (entries == NULL) {
        return error_set(errno, "folder %s of the log file cannot be listed: %s", folder, error_name(errno));
    }
    int failure = 0;
    while (rc == 0) {
        errno = 0;
        const struct dirent *entry = readdir(entries);
        if (entry == NULL) {
            failure = errno; /* 0: that was the last one */
            break;
        }
        if (archive_name_fits(entry->d_name, path_name(log_file)) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path) {
            rc = add(archives, path);
        }
    }
    closedir(entries);
    return failure == 0
               ? rc
               : error_set(failure, "folder %s of the log file cannot be listed: %s", folder, error_name(failure));
}

static int find_by_pattern(struct archives *archives, const char *pattern) {
    glob_t found;
    const int code = glob(pattern, 0, NULL, &found);
    int rc = code == 0 || code == GLOB_NOMATCH ? 0 : error_set(EIO, "the archives %s cannot be listed", pattern);
    for (size_t i = 0; rc == 0 && code == 0 && i < found.gl_pathc; i++) {
        rc = add(archives, found.gl_pathv[i]);
    }
    globfree(&found);
    return rc;
}

static void clear(struct archives *archives) {
    for (size_t i = 0; i < archives->count; i++) {
        free(archives->found[i].path);
    }
    free(archives->found);
    archives->found = NULL;
    archives->count = archives->room = 0;
}

static int keep(char **kept, const char *value) {
    free(*kept);
    *kept = value == NULL ? NULL : strdup(value);
    return *kept == NULL && value != NULL ? error_set(ENOMEM, "no memory for the name %s", value) : 0;
}

/* The first sequence of an archive, as its index says; 0: it has none. */
static int64_t first_sequence(const struct lines *lines, const char *path) {
    struct read_source *one;
    int64_t sequence = 0;
    if (lines_make(lines->platform, 0, &one) == 0) {
        if (keep(&lines_of(one)->home, lines->home) < 0 || lines_add(one, path, 0, LINES_TO_THE_END) < 0 ||
            lines_oldest(one, &sequence) != 1) {
            sequence = 0;
        }
        one->ops->close(one);
    }
    return sequence;
}

/* The drain may write several files within one tick of the clock of the file system. These of one time follow by their
 * numbers: in the direction of those with different times, or else as their indexes say. */
static void sort(struct archives *archives) {
    struct archive *const found = archives->found;
    long rise = 0;
    size_t equal = 0; /* behind the first two of one time whose numbers differ */
    qsort(found, archives->count, sizeof *found, by_time);
    for (size_t i = 1; i < archives->count; i++) {
        const int order = archive_names_by_number(found[i - 1].path, found[i].path);
        const int is_later = compare_times(&found[i - 1].status, &found[i].status) != 0;
        rise += is_later ? (order < 0) - (order > 0) : 0;
        equal = equal == 0 && order != 0 && !is_later ? i : equal;
    }
    if (rise == 0 && equal > 0 && archives->lines != NULL) {
        const int64_t lower = first_sequence(archives->lines, found[equal - 1].path);
        const int64_t higher = first_sequence(archives->lines, found[equal].path);
        rise = lower > 0 && higher > 0 ? (higher > lower) - (higher < lower) : 0;
    }
    if (rise < 0 && equal > 0) {
        qsort(found, archives->count, sizeof *found, by_time_and_falling_numbers);
    }
}

static int list(struct archives *archives, const char *pattern) {
    int rc = pattern == NULL    ? find_beside(archives, archives->log_file)
             : *pattern == '\0' ? 0
                                : find_by_pattern(archives, pattern);
    rc = rc < 0 || (pattern != NULL && *pattern == '\0') ? rc : add(archives, archives->log_file);
    if (archives->count > 0) {
        drop_renamed(archives);
        drop_twins(archives);
        sort(archives);
    }
    return rc;
}

static int are_equal(const struct archives *one, const struct archives *other) {
    int is_equal = one->count == other->count;
    for (size_t i = 0; is_equal && i < one->count; i++) {
        is_equal = strcmp(one->found[i].path, other->found[i].path) == 0 &&
                   is_same(&one->found[i].status, &other->found[i].status);
    }
    return is_equal;
}

/* Lists the archives until two listings are equal: of files whose names a strategy shifts meanwhile, one that gets a name
 * which was already passed would be in none. */
static int list_at_rest(struct archives *archives, const char *pattern) {
    const struct archives empty = *archives;
    int rc = list(archives, pattern);
    for (int tries = 0, is_equal = 0; rc == 0 && !is_equal && tries < LISTINGS_MOST; tries++) {
        struct archives again = empty;
        rc = list(&again, pattern);
        is_equal = are_equal(archives, &again);
        clear(archives);
        *archives = again;
    }
    return rc;
}

/* The first archive behind the file. The drain may write several files within one tick of the clock of the file system:
 * so those of the same time follow in the order of the list. A file that is not there was compressed, and is the first
 * one of its time; or it was deleted. */
static size_t find_behind(const struct archives *archives, const struct stat *file) {
    size_t behind = 0;
    for (size_t i = 0; i < archives->count; i++) {
        if (is_same(&archives->found[i].status, file)) {
            return i + 1;
        }
        behind += compare_times(&archives->found[i].status, file) < 0;
    }
    return behind + (behind < archives->count && compare_times(&archives->found[behind].status, file) == 0 &&
                     archive_is_packed(archives->found[behind].path));
}

static int keep_place(struct lines *lines, const char *log_file, const char *pattern) {
    char folder[BURST_PATH_BYTES];
    int rc = path_directory(log_file, folder, sizeof folder);
    rc = rc < 0 ? error_set(-rc, "the name of the log file is too long: %.200s", log_file) : keep(&lines->home, folder);
    rc = rc < 0 ? rc : keep(&lines->log_file, log_file);
    return rc < 0 ? rc : keep(&lines->archives, pattern);
}

int lines_add_archives(struct read_source *lines, const char *log_file, const char *live_file, const char *pattern,
                       const struct stat *behind_of, int has_begun) {
    struct archives archives = {
        .log_file = log_file, .live_file = live_file, .others = &lines_of(lines)->others, .lines = lines_of(lines)};
    if (!has_begun || stat(live_file, &archives.live) < 0) {
        archives.live.st_ino = 0;
    }
    int rc = keep_place(lines_of(lines), log_file, pattern);
    rc = rc < 0 ? rc : list_at_rest(&archives, pattern);
    for (size_t i = behind_of == NULL ? 0 : find_behind(&archives, behind_of); rc == 0 && i < archives.count; i++) {
        rc = lines_add_listed(lines, archives.found[i].path, &archives.found[i].status);
    }
    clear(&archives);
    return rc;
}

int lines_know_archives(struct read_source *lines, const char *archives) {
    return keep(&lines_of(lines)->archives, archives);
}

/* Where the file is in the list, under whatever name; compressing keeps its time. Returns count if it is not there. */
static size_t find(const struct archives *archives, const struct stat *file) {
    size_t packed = archives->count;
    for (size_t i = 0; i < archives->count; i++) {
        const struct archive *archive = &archives->found[i];
        if (is_same(&archive->status, file)) {
            return i;
        }
        packed = compare_times(&archive->status, file) == 0 && archive_is_packed(archive->path) ? i : packed;
    }
    return packed;
}

int lines_add_behind(struct lines *lines, const char *log_file, const struct stat *first) {
    struct archives archives = {.log_file = log_file, .live_file = log_file, .others = &lines->others, .lines = lines};
    int rc = keep(&lines->log_file, log_file);
    rc = rc < 0 ? rc : list_at_rest(&archives, lines->archives);
    const size_t at = rc < 0 ? archives.count : find(&archives, first);
    for (size_t i = at + 1; rc == 0 && i < archives.count; i++) {
        if (archive_names_are_alike(archives.found[at].path, archives.found[i].path)) {
            rc = lines_add_listed(&lines->source, archives.found[i].path, &archives.found[i].status);
        }
    }
    clear(&archives);
    return rc;
}

int lines_find_again(const struct lines *lines, const struct stat *listed, char *path, size_t room) {
    struct archives archives = {.log_file = lines->log_file, .live_file = "", .others = &lines->others};
    const int rc = list_at_rest(&archives, lines->archives);
    int best = 0;
    for (size_t i = 0; rc == 0 && i < archives.count && best < 3; i++) {
        const struct archive *archive = &archives.found[i];
        const int fits = compare_times(&archive->status, listed) != 0 ? 0
                         : is_same(&archive->status, listed)          ? 3
                         : archive_is_packed(archive->path)           ? 2
                                                                      : 1;
        if (fits > best && snprintf(path, room, "%s", archive->path) < (int)room) {
            best = fits;
        }
    }
    clear(&archives);
    return rc < 0 ? rc : best > 0;
}

int lines_each_archive(const char *log_file, const struct other_logs *others,
                       int (*each)(void *argument, const char *path), void *argument) {
    struct archives archives = {.log_file = log_file, .live_file = log_file, .others = others};
    if (stat(log_file, &archives.live) < 0) {
        archives.live.st_ino = 0;
    }
    int rc = list(&archives, NULL);
    for (size_t i = 0; rc == 0 && i < archives.count; i++) {
        rc = each(argument, archives.found[i].path);
    }
    clear(&archives);
    return rc;
}
