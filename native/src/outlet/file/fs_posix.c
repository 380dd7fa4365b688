/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/fs.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#include "base/folders.h"
#include "base/path.h"
#include "device/lock.h"
#include "outlet/file/accounts.h"
#include "outlet/file/mark_posix.h"
#include "outlet/file/mount_identity.h"

#define WRITE_BACK_BYTES (4u << 20)

/* Takes only regular files: a pipe or a terminal cannot be read back, or written at an offset. */
static int check_regular(int file) {
    struct stat status;
    if (fstat(file, &status) < 0)
        return -errno;
    return S_ISREG(status.st_mode) ? 0 : -EINVAL;
}

/* Locks out a second process that would write at the same offsets. None of these locks goes when another descriptor of
 * the file is closed in this process. */
static int host_lock(const struct files *files, int file) {
    (void)files;
    return lock_log_file(file);
}

static int host_open(const struct files *files, const char *path) {
    (void)files;
    struct stat status;
    if (stat(path, &status) < 0)
        return -errno;
    if (!S_ISREG(status.st_mode)) /* before the open, since opening some devices has effects */
        return S_ISDIR(status.st_mode) ? -EISDIR : -EINVAL;
    int file = open(path, O_RDWR | O_CLOEXEC | O_NONBLOCK);
    if (file < 0)
        return -errno;
    int result = check_regular(file);
    if (result < 0) {
        close(file);
        return result;
    }
    return file;
}

static int has_default_acl(const char *path) {
    char folder[PATH_MAX];
    return path_directory(path, folder, sizeof(folder)) < 0 ||
           getxattr(folder, "system.posix_acl_default", NULL, 0) > 0;
}

/* No log file is a program. The application of another user asks its drain for files: one with the set-user-ID bit, whose
 * bytes are the records of that application, would run as the drain's user. */
#define PERMISSIONS 0777u

/* Gives the new file its permissions. The usual ones are a convenience: some file systems know none. */
static int set_mode(const char *path, int file, const struct new_file *new_file) {
    struct stat status;
    if (new_file->mode != 0)
        return fchmod(file, new_file->mode & PERMISSIONS) < 0 ? -errno : 0; /* in spite of the umask */
    if (new_file->usual_mode != 0 && fstat(file, &status) == 0 && (status.st_mode & 0777) != new_file->usual_mode &&
        !has_default_acl(path))
        (void)fchmod(file, new_file->usual_mode & PERMISSIONS);
    return 0;
}

static int host_create(const struct files *files, const char *path, const struct new_file *new_file) {
    char target[PATH_MAX]; /* a link to a missing file stays */
    unsigned missing;
    int result = path_follow(path, target, sizeof(target));
    if (result == 0)
        result = folders_make(target, &missing);
    if (result < 0)
        return result;
    const mode_t mode = new_file->mode != 0 ? new_file->mode & PERMISSIONS : 0666;
    int file = open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (file < 0)
        return -errno;
    result = host_lock(files, file);
    if (result < 0) { /* another writer has already found and taken it: it is theirs */
        lock_close(file);
        return result;
    }
    result = accounts_apply(file, new_file);
    if (result == 0)
        result = set_mode(target, file, new_file);
    if (result < 0) {
        folders_unlink(target, file);
        lock_close(file);
        return result;
    }
    return file;
}

/* For file systems without RENAME_NOREPLACE. */
static int rename_by_link(const char *from, const char *to) {
    return link(from, to) < 0 || unlink(from) < 0 ? -errno : 0;
}

static int rename_to_free_name(const char *from, const char *to) {
    enum { NO_REPLACE = 1 };
    if (syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE) == 0)
        return 0;
    return errno == EINVAL || errno == ENOSYS || errno == EPERM ? rename_by_link(from, to) : -errno;
}

static int stat_folder(const char *path, struct stat *folder) {
    char directory[PATH_MAX];
    const int result = path_directory(path, directory, sizeof(directory));
    return result < 0 || stat(directory, folder) < 0 ? -1 : 0;
}

/* Whether two paths of this file are one name of it: the way there leads through a link or another mount, or the file
 * system takes both names for the same. */
static int is_one_name(const struct stat *file, const char *path, const char *other) {
    struct stat one, two;
    if (file->st_nlink == 1)
        return 1;
    return strcmp(path_name(path), path_name(other)) == 0 && stat_folder(path, &one) == 0 &&
           stat_folder(other, &two) == 0 && one.st_dev == two.st_dev && one.st_ino == two.st_ino;
}

/* If the name is a link, renames the file that it leads to; the link stays. */
static int host_rename(const struct files *files, const char *from, const char *to) {
    (void)files;
    char source[PATH_MAX];
    struct stat ours, theirs;
    unsigned made = 0;
    int result = path_follow(from, source, sizeof(source));
    if (result == 0 && lstat(source, &ours) < 0)
        result = -errno;
    if (result == 0)
        result = folders_make(to, &made);
    if (result < 0)
        return result;
    if (lstat(to, &theirs) < 0)
        result = rename_to_free_name(source, to);
    else if (theirs.st_dev == ours.st_dev && theirs.st_ino == ours.st_ino)
        /* The file has two names if a crash came in the middle of rename_by_link. */
        result = is_one_name(&ours, source, to) ? -EEXIST : unlink(source) < 0 ? -errno : 0;
    else if (S_ISREG(theirs.st_mode) && theirs.st_size == 0)
        result = rename(source, to) < 0 ? -errno : 0;
    else
        result = -EEXIST;
    if (result < 0)
        folders_take_back(to, made);
    return result;
}

/* Identifies the folder below which everything was synced last, so that a roll there syncs only that folder; 0: none.
 * The number changes when anything beside that folder is made, renamed or deleted, and when the folder above it is
 * moved. */
static _Atomic uint64_t synced_above;

/* Whether the folder's next change may get the same time: the kernel counts in ticks. */
static int is_changed_just_now(const struct stat *directory) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME_COARSE, &now);
    return directory->st_ctim.tv_sec > now.tv_sec ||
           (directory->st_ctim.tv_sec == now.tv_sec && directory->st_ctim.tv_nsec >= now.tv_nsec);
}

static uint64_t place_of(const struct stat *directory, const struct stat *parent) {
    const uint64_t facts[] = {directory->st_dev,
                              directory->st_ino,
                              parent->st_dev,
                              parent->st_ino,
                              (uint64_t)parent->st_ctim.tv_sec,
                              (uint64_t)parent->st_ctim.tv_nsec};
    uint64_t place = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < sizeof facts; i++) {
        place = (place ^ ((const uint8_t *)facts)[i]) * 1099511628211u;
    }
    return place;
}

/* Syncs all folders above the file on its file system, since nobody remembers which of them were made for it. A folder
 * that this process may not change has no name that it made. */
static int host_sync_name(const struct files *files, const char *path) {
    (void)files;
    char child[PATH_MAX], directory[PATH_MAX];
    int result = path_follow(path, child, sizeof(child));
    if (result == 0)
        result = path_directory(child, directory, sizeof(directory));
    struct stat first, status;
    if (result == 0 && stat(directory, &first) < 0)
        result = -errno;
    uint64_t place = 0;
    for (int above = 0; result == 0; above++) {
        if (stat(directory, &status) < 0)
            return -errno;
        if (above == 1 && !is_changed_just_now(&status))
            place = place_of(&first, &status);
        if (status.st_dev != first.st_dev || (above == 1 && place != 0 && place == atomic_load(&synced_above)))
            break;
        if (above == 0 || faccessat(AT_FDCWD, directory, W_OK, AT_EACCESS) == 0)
            result = folder_sync(directory);
        /* glibc before 2.33 checks the rights of the real user. That may be root here (cli/owner.c), who may write
         * everywhere. */
        if (above > 0 && result == -EACCES && getuid() != geteuid())
            result = 0;
        if (strcmp(directory, "/") == 0)
            break;
        memcpy(child, directory, sizeof(child));
        if (result == 0)
            result = path_directory(child, directory, sizeof(directory));
    }
    if (result == 0 && place != 0)
        atomic_store(&synced_above, place);
    return result;
}

/* Has the disk begin to write whole pieces at once, so that a later sync finds little left. This makes nothing durable,
 * and the sync reports any error. */
static void begin_write_back(int file, uint64_t offset, size_t written) {
    const uint64_t begin = offset / WRITE_BACK_BYTES * WRITE_BACK_BYTES;
    const uint64_t end = (offset + written) / WRITE_BACK_BYTES * WRITE_BACK_BYTES;
    if (end > begin) {
        sync_file_range(file, (off_t)begin, (off_t)(end - begin), SYNC_FILE_RANGE_WRITE);
    }
}

static int64_t host_write(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    (void)files;
    ssize_t written;
    do {
        written = pwrite(file, data, bytes, (off_t)offset);
    } while (written < 0 && errno == EINTR);
    if (written < 0) {
        return -errno;
    }
    begin_write_back(file, offset, (size_t)written);
    return written;
}

static int64_t host_read(const struct files *files, int file, void *data, size_t bytes, uint64_t offset) {
    (void)files;
    size_t done = 0;
    while (done < bytes) {
        ssize_t got = pread(file, (uint8_t *)data + done, bytes - done, (off_t)(offset + done));
        if (got == 0)
            break;
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            return -errno;
    }
    return (int64_t)done;
}

static int host_sync(const struct files *files, int file) {
    (void)files;
    return fdatasync(file) < 0 ? -errno : 0;
}

static int host_truncate(const struct files *files, int file, uint64_t bytes) {
    (void)files;
    int result;
    do {
        result = ftruncate(file, (off_t)bytes);
    } while (result < 0 && errno == EINTR);
    return result < 0 ? -errno : 0;
}

static void identify(const struct stat *status, struct file_identity *identity) {
    *identity = (struct file_identity){
        .device = (uint64_t)status->st_dev,
        .inode = (uint64_t)status->st_ino,
        .links = (uint64_t)status->st_nlink,
        .bytes = (uint64_t)status->st_size,
        .is_regular = S_ISREG(status->st_mode),
    };
}

static int host_identity(const struct files *files, int file, struct file_identity *identity) {
    (void)files;
    struct stat status;
    if (fstat(file, &status) < 0)
        return -errno;
    identify(&status, identity);
    return 0;
}

static int host_identity_of_path(const struct files *files, const char *path, struct file_identity *identity) {
    (void)files;
    struct stat status;
    if (stat(path, &status) < 0)
        return -errno;
    identify(&status, identity);
    return 0;
}

static int host_list_siblings(const struct files *files, const char *path,
                              int (*each)(void *argument, const char *sibling), void *argument) {
    (void)files;
    char target[PATH_MAX], directory[PATH_MAX], sibling[PATH_MAX];
    int result = path_follow(path, target, sizeof(target));
    if (result == 0)
        result = path_directory(target, directory, sizeof(directory));
    if (result < 0)
        return result;
    const char *above = strcmp(directory, "/") == 0 ? "" : directory;
    DIR *entries = opendir(directory);
    if (entries == NULL)
        return -errno;
    errno = 0;
    struct dirent *entry;
    while (result == 0 && (entry = readdir(entries)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 &&
            snprintf(sibling, sizeof(sibling), "%s/%s", above, entry->d_name) < (int)sizeof(sibling))
            result = each(argument, sibling);
        errno = 0; /* tells the end from a failure */
    }
    if (result == 0 && errno != 0)
        result = -errno;
    closedir(entries);
    return result;
}

static void host_close(const struct files *files, int file) {
    (void)files;
    lock_close(file);
}

static const struct files_ops host_ops = {
    .open = host_open,
    .lock = host_lock,
    .create = host_create,
    .sync_name = host_sync_name,
    .rename = host_rename,
    .write = host_write,
    .read = host_read,
    .sync = host_sync,
    .truncate = host_truncate,
    .identity = host_identity,
    .identity_of_path = host_identity_of_path,
    .mark = host_mark,
    .mark_of_path = host_mark_of_path,
    .mount = host_mount_identity,
    .list_siblings = host_list_siblings,
    .close = host_close,
};

const struct files files_posix = {.ops = &host_ops};
