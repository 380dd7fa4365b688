/* SPDX-License-Identifier: Apache-2.0 */
#include "device/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "device/probe.h"

#define GUARDS_MOST 128
#define GUARD_TRIES 20

/* The guards that this process holds, of the files that they belong to. Mostly there are none. */
static struct guard {
    int file;
    int fd;
} guards[GUARDS_MOST];
static unsigned guard_count;
static pthread_mutex_t guards_lock = PTHREAD_MUTEX_INITIALIZER;

static int set_lock(int fd, short type) {
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    if (fcntl(fd, F_OFD_SETLK, &whole) == 0)
        return 0;
    return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
}

/* Whether another open description has a lock in the way of one of this type. */
static int is_in_the_way(int fd, short type) {
    struct flock whole = {.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 0};
    return fcntl(fd, F_OFD_GETLK, &whole) < 0 ? -errno : whole.l_type != F_UNLCK;
}

int lock_file(int fd) {
    return set_lock(fd, F_WRLCK);
}

int lock_is_held(int fd) {
    return is_in_the_way(fd, F_WRLCK);
}

/* ----------------------------------------------------------------------------------------------------------- guard */

/* The guard's path, beside the file of this descriptor. Returns 0, or -errno if it has none. */
static int guard_path(int fd, char *path, size_t room) {
    char link[64], file[PATH_MAX], folder[PATH_MAX];
    struct stat named, opened;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t bytes = readlink(link, file, sizeof file - 1);
    if (bytes < 0)
        return -errno;
    file[bytes] = '\0';
    if (fstat(fd, &opened) < 0 || stat(file, &named) < 0)
        return -errno;
    if (!S_ISREG(opened.st_mode) || named.st_dev != opened.st_dev || named.st_ino != opened.st_ino)
        return -EAGAIN; /* its name has gone meanwhile */
    const int rc = path_directory(file, folder, sizeof folder);
    if (rc < 0)
        return rc;
    const int length = snprintf(path, room, "%s/" LOCK_GUARD_NAME, folder, path_name(file));
    return length < (int)room ? 0 : -ENAMETOOLONG;
}

/* Whether nobody who may only read can open it. */
static int is_out_of_reach(int guard, const struct stat *file) {
    struct stat status;
    if (fstat(guard, &status) < 0 || !S_ISREG(status.st_mode) || status.st_nlink != 1)
        return 0;
    if (geteuid() == 0 && status.st_uid == 0 && file->st_uid != 0 && fchown(guard, file->st_uid, file->st_gid) < 0)
        return 0;
    return (status.st_mode & (S_IRWXG | S_IRWXO)) == 0 &&
           (status.st_uid == geteuid() || status.st_uid == file->st_uid || status.st_uid == 0);
}

static int is_named(int guard, const char *path) {
    struct stat opened, named;
    return fstat(guard, &opened) == 0 && lstat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* Whether a writer has the guard. One that this user may not open counts as held: it stays behind only where readers met
 * a writer of this very name. */
static int is_guard_held(int fd) {
    char path[PATH_MAX];
    if (guard_path(fd, path, sizeof path) < 0)
        return 0;
    const int guard = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
    if (guard < 0)
        return errno != ENOENT;
    const int held = lock_is_held(guard);
    close(guard);
    return held;
}

int lock_is_writers(int fd) {
    const int locked = is_in_the_way(fd, F_RDLCK);
    return locked == 0 ? is_guard_held(fd) : locked;
}

/* Opens and locks the guard. Returns its descriptor, -EBUSY (another writer has it), or another -errno (there can be no
 * guard here). */
static int open_guard(int fd) {
    char path[PATH_MAX];
    struct stat file;
    int rc = guard_path(fd, path, sizeof path);
    if (rc < 0 || fstat(fd, &file) < 0)
        return rc < 0 ? rc : -errno;
    for (int tries = 0; tries < GUARD_TRIES; tries++) {
        const int guard = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, S_IRUSR | S_IWUSR);
        if (guard < 0)
            return -errno;
        rc = is_out_of_reach(guard, &file) ? lock_file(guard) : -EPERM;
        if (rc == 0 && is_named(guard, path))
            return guard;
        close(guard);
        if (rc < 0)
            return rc;
    }
    return -EAGAIN;
}

/* Its caller has guards_lock. Returns the entry of this file, or NULL. */
static struct guard *guard_of(int file) {
    for (unsigned i = 0; i < guard_count; i++) {
        if (guards[i].file == file)
            return &guards[i];
    }
    return NULL;
}

/* Its caller has guards_lock. Closes the guard if it cannot keep it. */
static int keep_guard(int file, int fd) {
    if (guard_count == GUARDS_MOST) {
        close(fd);
        return -ENOLCK;
    }
    guards[guard_count++] = (struct guard){.file = file, .fd = fd};
    return 0;
}

/* Returns 0, -EBUSY, or another -errno if there can be no guard. */
static int take_guard(int fd) {
    const int guard = open_guard(fd);
    if (guard < 0)
        return guard;
    pthread_mutex_lock(&guards_lock);
    const int rc = keep_guard(fd, guard);
    pthread_mutex_unlock(&guards_lock);
    return rc;
}

static int duplicate(int fd) {
    const int other = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    return other < 0 ? -errno : other;
}

int lock_duplicate(int fd) {
    const int other = duplicate(fd);
    if (other < 0)
        return other;
    pthread_mutex_lock(&guards_lock);
    const struct guard *held = guard_of(fd);
    int rc = held == NULL ? 0 : duplicate(held->fd);
    if (rc > 0)
        rc = keep_guard(other, rc);
    pthread_mutex_unlock(&guards_lock);
    if (rc == 0)
        return other;
    close(other);
    return rc;
}

void lock_close(int fd) {
    int guard = -1;
    pthread_mutex_lock(&guards_lock);
    struct guard *held = guard_of(fd);
    if (held != NULL) {
        guard = held->fd;
        *held = guards[--guard_count];
    }
    pthread_mutex_unlock(&guards_lock);
    close(fd);
    if (guard >= 0)
        close(guard);
}

/* ---------------------------------------------------------------------------------------------------- ring, log file */

/* A writer that came by another name would have another guard. */
static int has_one_name(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && status.st_nlink == 1;
}

int lock_ring(int fd) {
    const int rc = lock_file(fd);
    if (rc != -EBUSY || !has_one_name(fd) || lock_is_writers(fd) != 0 || set_lock(fd, F_RDLCK) < 0)
        return rc;
    return take_guard(fd) == 0 ? 0 : -EBUSY;
}

int lock_log_file(int fd) {
    const int has_flock = flock(fd, LOCK_EX | LOCK_NB) == 0;
    if (!has_flock && errno != EWOULDBLOCK)
        return -errno;
    const int locked = lock_file(fd);
    /* A file system without locks of this kind: the flock has to do. */
    if (has_flock && locked != -EBUSY)
        return 0;
    /* The flock alone proves nothing: a writer that came while a reader had it has the other lock and a guard. */
    if (locked < 0 && (!has_one_name(fd) || lock_is_writers(fd) != 0 || set_lock(fd, F_RDLCK) < 0))
        return -EBUSY;
    const int rc = take_guard(fd);
    return rc == 0 || (has_flock && rc != -EBUSY) ? 0 : -EBUSY;
}

void lock_holders(const char *path, char *text, size_t text_bytes) {
    text[0] = '\0';
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return;
    medium_holders(fd, text, text_bytes);
    close(fd);
}

static int is_regular(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
}

void lock_tell_holders(int fd, char *text, size_t text_bytes) {
    char guard[PATH_MAX];
    const int has_looked_at_all = medium_holders(fd, text, text_bytes);
    /* A lock shows, whoever has it. */
    const int may_be_written = is_regular(fd) ? lock_is_writers(fd) != 0 : !has_looked_at_all;
    if (text[0] == '\0' && may_be_written && is_regular(fd) && guard_path(fd, guard, sizeof guard) == 0)
        lock_holders(guard, text, text_bytes);
    if (text[0] == '\0')
        snprintf(text, text_bytes, "%s",
                 may_be_written
                     ? "unknown: a process may write it that cannot be seen from here; ask as root of the host"
                     : "no process");
}
