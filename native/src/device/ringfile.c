/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates a ring file. It works under a name of its own beside the final one, so a crash at any point leaves no half
 * ring: the final name appears in one step, once everything is durable. If a crash leaves a file under the working
 * name, the next creation of the same ring empties it and goes on with it.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/folders.h"
#include "base/memory_limit.h"
#include "base/path.h"
#include "device/host/survival.h"
#include "device/lock.h"
#include "device/medium.h"
#include "device/open.h"
#include "device/zerofill.h"
#include "media/layout.h"

#define WORKING_ATTEMPTS 1000
#define WORKING_NAME ".%s.burstlog-creating" /* a name that only this library uses: a file that has it is emptied */

struct creation {
    const struct platform *platform;
    char path[PATH_MAX]; /* final, with links followed */
    char directory_path[PATH_MAX];
    char working_name[NAME_MAX + 1];
    char working_path[PATH_MAX + NAME_MAX + 2];
    unsigned folders_missing; /* above it, before */
    int directory;
    int working;        /* holds the lock of this creation */
    uint32_t io;        /* enum device_io: what will write it */
    int replaces_empty; /* an empty file is there, with this mode and owner */
    struct stat empty;
};

static int failed(const struct creation *creation, int failure, const char *what) {
    if (failure < 0)
        failure = -failure;
    struct statfs space;
    if ((failure == ENOSPC || failure == EDQUOT) && statfs(creation->directory_path, &space) == 0)
        return error_set(failure,
                         "ring file %s cannot be created: %s gives %s; its file system has %llu MiB free, "
                         "make room or choose a smaller ring",
                         creation->path, what, error_name(failure),
                         (unsigned long long)space.f_bavail * (unsigned long long)space.f_bsize >> 20);
    return error_set(failure, "ring file %s cannot be created: %s gives %s", creation->path, what, error_name(failure));
}

/* Follows links: the ring is made where they lead, and the links stay. */
static int name_parts(struct creation *creation, const char *path) {
    int result = path_follow(path, creation->path, sizeof(creation->path));
    if (result == 0)
        result = path_directory(creation->path, creation->directory_path, sizeof(creation->directory_path));
    if (result < 0)
        return error_set(-result, "ring path \"%s\" cannot be used: %s", path, error_name(result));
    const char *name = path_name(creation->path);
    int length = snprintf(creation->working_name, sizeof(creation->working_name), WORKING_NAME, name);
    if (name[0] == '\0' || length < 0 || (size_t)length >= sizeof(creation->working_name))
        return error_set(EINVAL, "ring path \"%s\" cannot be used: its name is empty or too long", path);
    snprintf(creation->working_path, sizeof(creation->working_path), "%s/%s", creation->directory_path,
             creation->working_name);
    return 0;
}

static int check_leftover(const struct creation *creation, const struct stat *leftover) {
    if (S_ISREG(leftover->st_mode) && leftover->st_nlink == 1 && leftover->st_uid == geteuid())
        return 0;
    return error_set(EEXIST,
                     "ring file %s cannot be created: %s is in the way, and is not of this user's making; "
                     "remove it",
                     creation->path, creation->working_path);
}

/* Opens and locks the working file. Between open and lock another creation may have finished with this very file:
 * under the final name it is a ring, and must not be touched. */
static int open_working(struct creation *creation) {
    for (int attempt = 0; attempt < WORKING_ATTEMPTS; attempt++) {
        int fd = openat(creation->directory, creation->working_name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
        if (fd < 0)
            return failed(creation, errno, "making its working file");
        struct stat opened, named;
        int result = lock_file(fd);
        if (result == -EBUSY) {
            char holders[MEDIUM_HOLDERS_BYTES];
            medium_holders(fd, holders, sizeof(holders));
            error_set(EBUSY, "ring file %s is just being created by process %s", creation->path,
                      holders[0] == '\0' ? "(unseen)" : holders);
        } else if (result < 0 || fstat(fd, &opened) < 0) {
            result = failed(creation, result < 0 ? result : errno, "locking its working file");
            unlinkat(creation->directory, creation->working_name, 0);
        } else if (fstatat(creation->directory, creation->working_name, &named, AT_SYMLINK_NOFOLLOW) < 0) {
            result = errno == ENOENT ? 0 : failed(creation, errno, "looking at its working file");
        } else if (named.st_dev == opened.st_dev && named.st_ino == opened.st_ino) {
            result = check_leftover(creation, &opened);
            creation->working = fd;
            if (result == 0)
                return 0;
            creation->working = -1;
        }
        close(fd);
        if (result < 0)
            return result;
    }
    return failed(creation, EBUSY, "making its working file, which others take away again and again,");
}

static int look_at_final(struct creation *creation) {
    creation->replaces_empty = 0;
    if (fstatat(creation->directory, path_name(creation->path), &creation->empty, AT_SYMLINK_NOFOLLOW) < 0)
        return errno == ENOENT ? 0 : failed(creation, errno, "looking for a file of that name");
    if (!S_ISREG(creation->empty.st_mode) || creation->empty.st_size > 0)
        return error_set(EEXIST, "ring file %s cannot be created: something that is not an empty file is there",
                         creation->path);
    creation->replaces_empty = 1;
    return 0;
}

static int take_mode_and_owner(const struct creation *creation) {
    struct stat status;
    if (fstat(creation->working, &status) < 0)
        return failed(creation, errno, "looking at its working file");
    const struct stat *wanted = &creation->empty;
    if (creation->replaces_empty && (wanted->st_uid != status.st_uid || wanted->st_gid != status.st_gid) &&
        fchown(creation->working, wanted->st_uid, wanted->st_gid) < 0)
        return failed(creation, errno, "keeping the owner of the empty file that is there");
    if (fchmod(creation->working, creation->replaces_empty ? wanted->st_mode & 07777 : 0600) < 0)
        return failed(creation, errno, "setting its mode");
    return 0;
}

static int prepare_content(const struct creation *creation, int (*prepare)(struct device *device, void *argument),
                           void *argument) {
    struct medium medium;
    int result = medium_of_file(creation->platform, creation->working, &medium);
    if (result < 0)
        return failed(creation, result, "looking at its working file");
    const struct device_backend *backend = creation->io == DEVICE_IO_MAPPED ? &backend_mapped : &backend_pwrite;
    struct device *device = backend->attach(creation->platform, &medium, creation->path);
    if (device == NULL) {
        close(medium.fd);
        return -ENOMEM;
    }
    result = prepare(device, argument);
    device_close(device);
    return result;
}

/* Whether the name leads to the file that was made, without a link. */
static int is_named(const struct creation *creation, const char *name) {
    struct stat made, named;
    return fstat(creation->working, &made) == 0 &&
           fstatat(creation->directory, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && made.st_dev == named.st_dev &&
           made.st_ino == named.st_ino;
}

/* Gives the file its name, but never replaces a file that has content. */
static int give_name(struct creation *creation) {
    int result = look_at_final(creation);
    if (result < 0)
        return result;
    const char *name = path_name(creation->path);
    if (creation->replaces_empty) {
        if (renameat(creation->directory, creation->working_name, creation->directory, name) < 0)
            return failed(creation, errno, "replacing the empty file");
    } else if (syscall(SYS_renameat2, creation->directory, creation->working_name, creation->directory, name,
                       RENAME_NOREPLACE) < 0) {
        if (errno != EINVAL && errno != ENOSYS)
            return failed(creation, errno, "naming it");
        /* The file system does not know that flag. A second name replaces nothing either. */
        if (linkat(creation->directory, creation->working_name, creation->directory, name, 0) < 0)
            return failed(creation, errno, "naming it");
        unlinkat(creation->directory, creation->working_name, 0);
    }
    if (!is_named(creation, name))
        return failed(creation, ESTALE, "naming it (others have put something else in the place of its working file)");
    if (fsync(creation->directory) < 0)
        return failed(creation, errno, "syncing its directory");
    result = folders_sync(creation->path, creation->folders_missing);
    return result < 0 ? failed(creation, result, "syncing the directories made for it") : 0;
}

static int empty_working(const struct creation *creation) {
    int result;
    do {
        result = ftruncate(creation->working, 0);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? failed(creation, errno, "emptying what an earlier attempt left") : 0;
}

/* Checks the room first: a failing allocation takes all of it before it fails, so that others would fail, too. */
static int check_space(const struct creation *creation, uint64_t bytes) {
    struct statfs space;
    if (fstatfs(creation->working, &space) < 0 || space.f_blocks == 0)
        return 0; /* the allocation will tell */
    return bytes / (uint64_t)space.f_bsize > (uint64_t)space.f_bfree ? failed(creation, ENOSPC, "allocating it") : 0;
}

/* A file in memory is charged to the control group of the process that fills it, and nothing takes that back. Huge pages
 * have a controller of their own. */
static int check_memory(const struct creation *creation, uint64_t bytes) {
    const char *memory = survival_memory_file_system(creation->working);
    if (memory == NULL || strcmp(memory, "hugetlbfs") == 0)
        return 0;
    struct memory_limit limit;
    const int rc = memory_limit_check(creation->platform, "ring file", creation->path, bytes, &limit);
    return rc < 0 ? rc : 0;
}

static int create_under_working_name(struct creation *creation, uint64_t bytes,
                                     int (*prepare)(struct device *device, void *argument), void *argument) {
    int result = look_at_final(creation);
    if (result == 0)
        result = empty_working(creation);
    if (result == 0)
        result = check_space(creation, bytes);
    if (result == 0)
        result = check_memory(creation, bytes);
    if (result == 0) {
        const char *what = "";
        int filled = zerofill(creation->platform, creation->working, bytes, &what);
        if (filled < 0)
            result = failed(creation, filled, what);
    }
    if (result == 0)
        result = prepare_content(creation, prepare, argument);
    if (result == 0)
        result = take_mode_and_owner(creation); /* last: a crash must leave a working file that this user can open */
    if (result == 0 && fsync(creation->working) < 0)
        result = failed(creation, errno, "syncing it");
    return result;
}

static int create_in_its_folder(struct creation *creation, uint64_t bytes,
                                int (*prepare)(struct device *device, void *argument), void *argument) {
    creation->directory = open(creation->directory_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (creation->directory < 0)
        return failed(creation, errno, "opening its directory");
    int result = open_working(creation);
    if (result == 0) {
        result = create_under_working_name(creation, bytes, prepare, argument);
        if (result == 0)
            result = give_name(creation);
        if (result < 0)
            unlinkat(creation->directory, creation->working_name, 0);
        close(creation->working);
    }
    close(creation->directory);
    return result;
}

int device_create_file(const struct platform *platform, const char *path, uint64_t bytes,
                       int (*prepare)(struct device *device, void *argument), void *argument) {
    unsigned folders_missing;
    return device_create_file_for(platform, path, bytes, DEVICE_IO_PWRITE, prepare, argument, &folders_missing);
}

int device_create_file_for(const struct platform *platform, const char *path, uint64_t bytes, uint32_t io,
                           int (*prepare)(struct device *device, void *argument), void *argument,
                           unsigned *folders_missing) {
    struct creation creation = {.platform = platform, .directory = -1, .working = -1, .io = io};
    *folders_missing = 0;
    int result = name_parts(&creation, path);
    if (result < 0)
        return result;
    if (bytes == 0 || bytes % LAYOUT_MIN_BLOCK_BYTES != 0)
        return error_set(EINVAL, "ring file %s cannot have %llu bytes: choose a multiple of %u", creation.path,
                         (unsigned long long)bytes, LAYOUT_MIN_BLOCK_BYTES);
    result = folders_make(creation.path, &creation.folders_missing);
    if (result < 0)
        return failed(&creation, result, "making its directory");
    result = create_in_its_folder(&creation, bytes, prepare, argument);
    if (result < 0)
        folders_take_back(creation.path, creation.folders_missing);
    *folders_missing = creation.folders_missing;
    return result;
}
