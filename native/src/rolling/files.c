/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folders.h"
#include "base/keep.h"
#include "base/platform.h"
#include "device/lock.h"
#include "rolling/indexes.h"

#define UNFINISHED_SUFFIX ".burst-tmp"
#define FIRST_ROOM 64
#define NAME_BYTES 256   /* longest name of an entry in a folder */
#define WRITTEN (-65539) /* no errno: a process writes the file */

struct rolled {
    char name[NAME_BYTES];
    uint64_t index, bytes;
    int64_t changed_ns;
    int is_compressed;
};

struct list {
    struct rolled *files;
    size_t count, room;
};

/* ---------------------------------------------------------------------------------------------- the rolled files */

static void list_free(struct list *list) {
    if (list->files != NULL) {
        platform_release(&platform_linux, list->files, list->room * sizeof *list->files);
    }
}

static int list_add(struct list *list, const struct rolled *file) {
    if (list->count == list->room) {
        struct list larger = {.count = list->count, .room = list->room == 0 ? FIRST_ROOM : 2 * list->room};
        larger.files = platform_allocate(&platform_linux, larger.room * sizeof *file, PLATFORM_PLAIN);
        if (larger.files == NULL) {
            return -ENOMEM;
        }
        if (list->count > 0) {
            memcpy(larger.files, list->files, list->count * sizeof *file);
        }
        list_free(list);
        *list = larger;
    }
    list->files[list->count++] = *file;
    return 0;
}

/* The newest one comes first. */
static int compare_times(const void *left, const void *right) {
    const struct rolled *one = left, *other = right;
    return one->changed_ns != other->changed_ns ? (one->changed_ns < other->changed_ns ? 1 : -1)
                                                : -strcmp(one->name, other->name);
}

static int compare(const void *left, const void *right) {
    const struct rolled *one = left, *other = right;
    return one->index != other->index ? (one->index < other->index ? 1 : -1) : compare_times(left, right);
}

/* Returns 1 with *found if the entry is a rolled file, 0 if not, or -errno if nobody knows. */
static int look_at(const struct rolling_name *name, int folder, const char *entry, struct rolled *found) {
    struct stat status;
    if (!rolling_name_fits(name, entry, &found->index, &found->is_compressed)) {
        return 0;
    }
    if (fstatat(folder, entry, &status, AT_SYMLINK_NOFOLLOW) < 0) {
        return errno == ENOENT ? 0 : -errno;
    }
    if (!S_ISREG(status.st_mode)) {
        return 0;
    }
    snprintf(found->name, sizeof found->name, "%s", entry);
    found->bytes = (uint64_t)status.st_size;
    found->changed_ns = keep_time_ns(&status.st_mtim);
    return 1;
}

/* Removes the unfinished file of a compression whose process was killed. Keeps it while another process holds the lock of
 * the plain file: that one still compresses. */
static void remove_unfinished(const struct rolling_name *name, int folder, const char *entry) {
    char of[NAME_BYTES];
    uint64_t index;
    int is_compressed;
    const size_t bytes = strlen(entry);
    if (*entry != '.' || bytes <= sizeof UNFINISHED_SUFFIX ||
        strcmp(entry + bytes - strlen(UNFINISHED_SUFFIX), UNFINISHED_SUFFIX) != 0) {
        return;
    }
    snprintf(of, sizeof of, "%.*s", (int)(bytes - sizeof UNFINISHED_SUFFIX), entry + 1);
    if (rolling_name_fits(name, of, &index, &is_compressed)) {
        const int file = openat(folder, of, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (file < 0 ? errno == ENOENT : flock(file, LOCK_EX | LOCK_NB) == 0) {
            unlinkat(folder, entry, 0);
        }
        if (file >= 0) {
            close(file);
        }
    }
}

/* Gathers the rolled files, the newest one first. Returns 0 or -errno. */
static int gather(const struct rolling_files *files, int folder, struct list *list) {
    const struct rolling_name *name = &files->name;
    const int again = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *entries = again < 0 ? NULL : fdopendir(again);
    if (entries == NULL) {
        const int rc = -errno;
        if (again >= 0) {
            close(again);
        }
        return rc;
    }
    struct rolled found = {.index = 0};
    const struct dirent *entry;
    int rc = 0;
    while (rc == 0 && (errno = 0, entry = readdir(entries)) != NULL) {
        remove_unfinished(name, folder, entry->d_name);
        rc = look_at(name, folder, entry->d_name, &found);
        rc = rc > 0 ? list_add(list, &found) : rc;
    }
    rc = rc < 0 ? rc : -errno;
    closedir(entries);
    if (list->count > 1) {
        qsort(list->files, list->count, sizeof *list->files, files->is_by_time ? compare_times : compare);
    }
    return rc;
}

/* ---------------------------------------------------------------------------------------------------- compress */

static int let_go_of_plain(const struct rolling_files *files, int folder, const char *name) {
    const int rc = folder_sync(files->name.folder);
    return rc < 0 ? rc : unlinkat(folder, name, 0) < 0 ? -errno : 0;
}

/* Fills the compressed file: content, owner, rights, and the plain file's time of change. */
static int fill(const struct rolling_files *files, int from, const struct stat *status, int to) {
    const struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, status->st_mtim};
    const int rc = files->compress == ROLL_COMPRESSION_ZSTD
                       ? zstd_copy(&files->zstd, files->level, from, to, files->is_stopped)
                       : gzip_copy(&files->gzip, files->level, from, to, files->is_stopped);
    if (rc < 0) {
        return rc;
    }
    /* Only root can give a file to another user. */
    const int is_owned = fchown(to, status->st_uid, status->st_gid) == 0;
    return fchmod(to, is_owned ? status->st_mode & 07777 : status->st_mode & 0777) < 0 || futimens(to, times) < 0 ||
                   fsync(to) < 0
               ? -errno
               : 0;
}

static int is_named(int folder, const char *name, const struct stat *file) {
    struct stat named;
    return fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && named.st_dev == file->st_dev &&
           named.st_ino == file->st_ino;
}

static int compress_anew(const struct rolling_files *files, int folder, const char *name, const char *compressed,
                         int from, const struct stat *status) {
    char unfinished[NAME_BYTES];
    snprintf(unfinished, sizeof unfinished, ".%.240s" UNFINISHED_SUFFIX, name);
    if (unlinkat(folder, unfinished, 0) < 0 && errno != ENOENT) {
        return -errno;
    }
    const int to = openat(folder, unfinished, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (to < 0) {
        return -errno;
    }
    int rc = fill(files, from, status, to);
    struct stat whole;
    if (rc == 0 && fstat(to, &whole) < 0) {
        rc = -errno;
    }
    if (close(to) < 0 && rc == 0) {
        rc = -errno;
    }
    if (rc == 0 && linkat(folder, unfinished, folder, compressed, 0) < 0) {
        rc = -errno;
        rc = is_named(folder, compressed, &whole) ? 0 : rc; /* the link was made, and only the answer was lost */
    }
    unlinkat(folder, unfinished, 0);
    return rc < 0 ? rc : let_go_of_plain(files, folder, name);
}

/* Whether there is a compressed file that was made from this plain one: then both have one time of change. Returns 1 or
 * 0, or -EEXIST if there is another file of that name. */
static int has_twin(int folder, const char *name, const char *suffix, const struct stat *plain) {
    char compressed[NAME_BYTES];
    struct stat twin;
    snprintf(compressed, sizeof compressed, "%.250s%s", name, suffix);
    if (fstatat(folder, compressed, &twin, AT_SYMLINK_NOFOLLOW) < 0) {
        return errno == ENOENT ? 0 : -errno;
    }
    return S_ISREG(twin.st_mode) && twin.st_mtim.tv_sec == plain->st_mtim.tv_sec &&
                   twin.st_mtim.tv_nsec == plain->st_mtim.tv_nsec
               ? 1
               : -EEXIST;
}

/* A compressed file gets its name only when it is whole. An earlier run may have compressed in the other way. */
static int compress_locked(const struct rolling_files *files, int folder, const char *name, int from) {
    const int is_zstd = files->compress == ROLL_COMPRESSION_ZSTD;
    char compressed[NAME_BYTES];
    struct stat status;
    snprintf(compressed, sizeof compressed, "%.250s%s", name, is_zstd ? ZSTD_SUFFIX : GZIP_SUFFIX);
    if (fstat(from, &status) < 0) {
        return -errno;
    }
    const int twin = has_twin(folder, name, is_zstd ? ZSTD_SUFFIX : GZIP_SUFFIX, &status);
    const int is_whole = twin != 0 ? twin : has_twin(folder, name, is_zstd ? GZIP_SUFFIX : ZSTD_SUFFIX, &status);
    return is_whole < 0    ? is_whole
           : is_whole == 0 ? compress_anew(files, folder, name, compressed, from, &status)
                           : let_go_of_plain(files, folder, name);
}

static int refuse_written(const struct rolling_files *files, const char *name) {
    char path[BURST_PATH_BYTES + NAME_BYTES], holders[256];
    snprintf(path, sizeof path, "%s/%s", files->name.folder, name);
    lock_holders(path, holders, sizeof holders);
    return error_set(
        EBUSY,
        "file %s has the name of a rolled one, but %s writes it: it is neither compressed nor deleted; let "
        "that have another name, or the rolled files another pattern",
        path, *holders == '\0' ? "a process that cannot be seen" : holders);
}

/* Where the file system knows none of a writer's locks but flock, that of a reader counts, too. */
static int is_written(int file) {
    const int is_writers = lock_is_writers(file);
    return is_writers == 1 || (is_writers < 0 && flock(file, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK);
}

static int compress(const struct rolling_files *files, int folder, const struct rolled *file) {
    const int from = openat(folder, file->name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (from < 0) {
        return errno == ENOENT ? 0 : -errno;
    }
    int rc = flock(from, LOCK_EX | LOCK_NB) == 0 ? 1 : errno == EWOULDBLOCK ? 0 : -errno;
    if (rc == 1) {
        rc = is_written(from) ? WRITTEN : compress_locked(files, folder, file->name, from);
    }
    close(from);
    return rc;
}

/* How long the file is to stay plain. A time of change in the future, which a clock that was set back leaves, holds
 * nothing up for longer than the delay. */
static int64_t delay_left_ns(const struct rolling_files *files, const struct rolled *file, int64_t now_ns) {
    const int64_t age_ns = now_ns > file->changed_ns ? now_ns - file->changed_ns : 0;
    return age_ns < files->delay_ns ? files->delay_ns - age_ns : 0;
}

static int compress_all(const struct rolling_files *files, int folder, const struct list *list, int64_t now_ns,
                        int64_t *again_ns) {
    int first = 0;
    for (size_t i = list->count; i-- > 0 && !atomic_load(files->is_stopped);) {
        const struct rolled *file = &list->files[i];
        const int64_t left_ns = file->is_compressed ? 0 : delay_left_ns(files, file, now_ns);
        if (left_ns > 0) {
            *again_ns = *again_ns < 0 || left_ns < *again_ns ? left_ns : *again_ns;
            continue;
        }
        const int rc = file->is_compressed ? 0 : compress(files, folder, file);
        if (rc == WRITTEN) {
            first = first == 0 ? refuse_written(files, file->name) : first;
        } else if (rc < 0 && rc != -ECANCELED && first == 0) {
            first = error_set(-rc,
                              "rolled file %s/%s could not be compressed, and stays as it is: %s; it is tried again "
                              "after the next roll",
                              files->name.folder, file->name, error_name(-rc));
        }
    }
    return first;
}

/* ------------------------------------------------------------------------------------------------------ delete */

static int keeps_all(const struct rolling_files *files) {
    return files->keep_files == UINT64_MAX && files->keep_bytes == UINT64_MAX && files->keep_ns == INT64_MAX;
}

static int delete_file(const struct rolling_files *files, int folder, const char *name) {
    struct rolling_file_begin begin;
    rolling_indexes_look(files->home, files->name.folder, name, &begin);
    const int file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    int rc = file >= 0 && is_written(file) ? WRITTEN : 0;
    if (rc == 0 && unlinkat(folder, name, 0) < 0 && errno != ENOENT) {
        rc = -errno;
    }
    if (file >= 0) {
        close(file);
    }
    if (rc == 0) {
        rolling_indexes_remove(files->home, files->name.folder, &begin);
    }
    return rc;
}

static int refuse_delete(const struct rolling_files *files, const char *name, int rc) {
    return rc == WRITTEN
               ? refuse_written(files, name)
               : error_set(-rc, "rolled file %s/%s could not be deleted: %s; it is tried again after the next roll",
                           files->name.folder, name, error_name(-rc));
}

/* Keeps in the list only the files to delete. A file that is too old goes even if files with a lower index stay: clocks
 * may be set, so ages need not follow the index. */
static void choose(const struct rolling_files *files, struct list *list, int64_t now_ns) {
    const struct keep_rule rule = {
        .limits = {.count = files->keep_files, .bytes = files->keep_bytes, .age_ns = files->keep_ns}};
    struct keep keep = {.rule = &rule, .now_ns = now_ns};
    size_t chosen = 0;
    for (size_t i = 0; i < list->count; i++) {
        const struct rolled *file = &list->files[i];
        const struct keep_thing thing = {.bytes = file->bytes, .changed_ns = file->changed_ns, .need = KEEP_NEEDED};
        if (keep_goes(&keep, &thing)) {
            list->files[chosen++] = *file;
        }
    }
    list->count = chosen;
}

/* Deletes the files that go, the oldest one first. Returns the first error, with a sentence. */
static int delete_oldest(const struct rolling_files *files, int folder, struct list *list, int64_t now_ns) {
    const char *failed = NULL;
    int first = 0;
    choose(files, list, now_ns);
    for (size_t i = list->count; i-- > 0;) {
        const int rc = delete_file(files, folder, list->files[i].name);
        if (rc < 0 && first == 0) {
            first = rc;
            failed = list->files[i].name;
        }
    }
    return first < 0 ? refuse_delete(files, failed, first) : 0;
}

/* --------------------------------------------------------------------------------------------------------- both */

static int open_folder(const struct rolling_files *files) {
    const int folder = open(files->name.folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder < 0 ? -errno : folder;
}

static int refuse_folder(const struct rolling_files *files, int rc) {
    return rc == -ENOENT ? 0
                         : error_set(-rc, "the folder of rolled files, %s, cannot be read: %s; let the process read it",
                                     files->name.folder, error_name(-rc));
}

int rolling_files_last(const struct rolling_files *files, uint64_t *index) {
    struct list list = {.count = 0};
    const int folder = open_folder(files);
    int rc = folder < 0 ? folder : gather(files, folder, &list);
    *index = 0;
    for (size_t i = 0; i < list.count; i++) {
        *index = list.files[i].index > *index ? list.files[i].index : *index;
    }
    list_free(&list);
    if (folder >= 0) {
        close(folder);
    }
    return rc < 0 ? refuse_folder(files, rc) : 0;
}

int rolling_files_tidy(const struct rolling_files *files, int64_t now_ns, int64_t *again_ns) {
    *again_ns = -1;
    struct list list = {.count = 0};
    struct error_list errors = {.code = 0};
    const int folder = open_folder(files);
    if (folder < 0) {
        return refuse_folder(files, folder);
    }
    const int rc = gather(files, folder, &list);
    error_list_add(&errors, rc < 0            ? refuse_folder(files, rc)
                            : files->compress ? compress_all(files, folder, &list, now_ns, again_ns)
                                              : 0);
    if (!keeps_all(files) && !atomic_load(files->is_stopped)) {
        list.count = 0;
        const int again = gather(files, folder, &list);
        error_list_add(&errors, again < 0 ? refuse_folder(files, again) : delete_oldest(files, folder, &list, now_ns));
    }
    list_free(&list);
    close(folder);
    return error_list_result(&errors);
}
