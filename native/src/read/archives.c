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
#include "read/lines.h"

struct archive {
    char *path;
    struct timespec changed;
};

struct archives {
    struct archive *found;
    size_t count, room;
    const char *log_file;
    struct stat live;             /* the log file, which is no archive */
    const struct stat *behind_of; /* only files that changed later than this one; NULL: all */
};

static int by_time(const void *one, const void *other) {
    const struct archive *a = one, *b = other;
    if (a->changed.tv_sec != b->changed.tv_sec) {
        return a->changed.tv_sec < b->changed.tv_sec ? -1 : 1;
    }
    if (a->changed.tv_nsec != b->changed.tv_nsec) {
        return a->changed.tv_nsec < b->changed.tv_nsec ? -1 : 1;
    }
    return strcmp(a->path, b->path);
}

static int is_same(const struct stat *one, const struct stat *other) {
    return one->st_dev == other->st_dev && one->st_ino == other->st_ino;
}

/* Whether the file got its last bytes before the other one, or is that one. */
static int is_before(const struct stat *one, const struct stat *other) {
    return is_same(one, other) || one->st_mtim.tv_sec < other->st_mtim.tv_sec ||
           (one->st_mtim.tv_sec == other->st_mtim.tv_sec && one->st_mtim.tv_nsec <= other->st_mtim.tv_nsec);
}

static int is_packed(const char *path) {
    const char *suffix = strrchr(path, '.');
    return suffix != NULL && (strcmp(suffix, ".gz") == 0 || strcmp(suffix, ".zst") == 0);
}

static int add(struct archives *archives, const char *path) {
    struct stat status;
    if (strcmp(path, archives->log_file) == 0) {
        return 0;
    }
    if (stat(path, &status) < 0 && errno == ENOENT && !is_packed(path)) {
        char packed[BURST_PATH_BYTES]; /* compressed since it was listed */
        return snprintf(packed, sizeof packed, "%s.gz", path) < (int)sizeof packed ? add(archives, packed) : 0;
    }
    if (stat(path, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size == 0 ||
        is_same(&status, &archives->live) || (archives->behind_of != NULL && is_before(&status, archives->behind_of))) {
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
    archives->found[archives->count++] = (struct archive){.path = own, .changed = status.st_mtim};
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
                 (int)(is_packed(archive->path) ? strrchr(archive->path, '.') - archive->path : 0), archive->path);
        if ((kept > 0 && strcmp(archives->found[kept - 1].path, archive->path) == 0) ||
            bsearch(&twin, archives->found, kept, sizeof twin, by_path) != NULL) {
            free(archive->path);
        } else {
            archives->found[kept++] = *archive;
        }
    }
    archives->count = kept;
}

/* Whether the file is an archive of app.log by its name: app.log.1, app-2026-11-23.log.gz, app.log.burst-7 ... The
 * name begins with "app", goes on with no letter, and has ".log" in it. */
static int is_archive(const char *name, const char *log_name) {
    const char *dot = strrchr(log_name, '.');
    const size_t stem = dot == NULL || dot == log_name ? strlen(log_name) : (size_t)(dot - log_name);
    const char *suffix = log_name + stem;
    if (strncmp(name, log_name, stem) != 0 || strchr(*suffix == '\0' ? "-._" : "-._0123456789", name[stem]) == NULL ||
        name[stem] == '\0') {
        return 0;
    }
    return strstr(name + stem, suffix) != NULL && strcmp(name, log_name) != 0;
}

static int find_beside(struct archives *archives, const char *log_file) {
    char folder[BURST_PATH_BYTES], path[BURST_PATH_BYTES];
    int rc = path_directory(log_file, folder, sizeof folder);
    DIR *entries = rc < 0 ? NULL : opendir(folder);
    if (entries == NULL) {
        return error_set(errno, "folder %s of the log file cannot be listed: %s", folder, error_name(errno));
    }
    for (const struct dirent *entry; rc == 0 && (entry = readdir(entries)) != NULL;) {
        if (is_archive(entry->d_name, path_name(log_file)) &&
            snprintf(path, sizeof path, "%s/%s", folder, entry->d_name) < (int)sizeof path) {
            rc = add(archives, path);
        }
    }
    closedir(entries);
    return rc;
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

int lines_add_archives(struct read_source *lines, const char *log_file, const char *pattern,
                       const struct stat *behind_of, int has_begun) {
    struct archives archives = {.behind_of = behind_of, .log_file = log_file};
    if (!has_begun || stat(log_file, &archives.live) < 0) {
        archives.live.st_ino = 0;
    }
    int rc = pattern == NULL    ? find_beside(&archives, log_file)
             : *pattern == '\0' ? 0
                                : find_by_pattern(&archives, pattern);
    if (archives.count > 0) {
        drop_twins(&archives);
        qsort(archives.found, archives.count, sizeof archives.found[0], by_time);
    }
    for (size_t i = 0; i < archives.count; i++) {
        rc = rc < 0 ? rc : lines_add(lines, archives.found[i].path, 0, LINES_TO_THE_END);
        free(archives.found[i].path);
    }
    free(archives.found);
    return rc;
}
