/* SPDX-License-Identifier: Apache-2.0 */
#include "window/locks.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/platform.h"
#include "base/retry.h"
#include "window/protocol.h"

#define TRIES 20
#define WAIT_POLL_NS 10000000
#define HOLDER_BYTES 64
#define PID_BYTES 16
#define PID_OFFSET(byte) ((off_t)PID_BYTES * ((off_t)(byte) + 1))
#define TAKEN_OFFSET(byte) (PID_OFFSET(LOCKS_BYTES) + (off_t)sizeof(uint64_t) * (off_t)(byte))

int locks_folder(const char *given, const char *ring, int is_file, char *folder, size_t room) {
    const int rc = given != NULL && *given != '\0' ? path_absolute(given, folder, room)
                   : is_file                       ? path_directory(ring, folder, room)
                                                   : path_absolute(WINDOW_DEFAULT_FOLDER, folder, room);
    return rc < 0 ? error_set(-rc, "the window folder of ring %s cannot be used: %s", ring, error_name(-rc)) : 0;
}

static int name_file(struct ring_locks *locks, const char *folder, const uint8_t uuid[16]) {
    char name[WINDOW_SOCKET_NAME_BYTES];
    *locks = (struct ring_locks){.fd = -1};
    window_socket_name(uuid, name);
    name[strlen(name) - strlen(WINDOW_SOCKET_SUFFIX)] = '\0';
    return snprintf(locks->path, sizeof locks->path, "%s/%s%s", folder, name, LOCKS_SUFFIX) < (int)sizeof locks->path
               ? 0
               : error_set(ENAMETOOLONG, "the path of the lock file of a ring in %s is too long", folder);
}

int locks_is_shared(const char *path, gid_t *group) {
    char folder[4096];
    struct stat status;
    const int is_there = path_directory(path, folder, sizeof folder) == 0 && stat(folder, &status) == 0;
    *group = is_there ? status.st_gid : 0;
    return is_there && (status.st_mode & (S_ISGID | S_IWGRP | S_IWOTH)) == (S_ISGID | S_IWGRP);
}

/* Those who may open it could stop writer and drain: one user, or the group to which a shared folder belongs. */
static int check_rights(const struct ring_locks *locks, int fd) {
    struct stat status;
    gid_t group;
    const int is_shared = locks_is_shared(locks->path, &group);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_nlink <= 1 && (status.st_mode & S_IRWXO) == 0) {
        const int is_mine = status.st_uid == geteuid() || status.st_uid == 0 || geteuid() == 0;
        if (is_shared ? status.st_gid == group : is_mine && (status.st_mode & S_IRWXG) == 0) {
            return 0;
        }
    }
    return error_set(
        EPERM,
        "lock file %s is not used: other users could open it; it has to be a file of mode 0600 of user %u, or of the "
        "group of its folder, if that is of mode 2770: remove it while neither writer nor drain of its ring runs",
        locks->path, (unsigned)geteuid());
}

/* The umask takes the group's rights from a new file. */
static void share(const char *path, int fd) {
    struct stat status;
    gid_t group;
    if (locks_is_shared(path, &group) && fstat(fd, &status) == 0 && (status.st_mode & S_IRWXO) == 0 &&
        fchmod(fd, S_IRUSR | S_IWUSR | S_IRGRP | S_IWGRP) < 0) {
        return; /* it is of another user, who has done that */
    }
}

/* A folder of other users, which may be the default one, is no reason to refuse a log that needs no lock file. */
static int is_out_of_sight(const char *path, int failure) {
    struct stat status;
    return failure == ENOENT || failure == ENOTDIR || (failure == EACCES && lstat(path, &status) < 0);
}

static int open_file(struct ring_locks *locks, int create) {
    const int flags = O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | create;
    const int fd = (int)TEMP_FAILURE_RETRY(open(locks->path, flags, S_IRUSR | S_IWUSR));
    if (fd < 0 && create == 0 && is_out_of_sight(locks->path, errno)) {
        return -ENOENT;
    }
    if (fd < 0) {
        return error_set(errno,
                         "lock file %s cannot be opened: %s; writer and drain of a ring run as the same user, who may "
                         "write in that folder, or it is of mode 2770, and of a group of both",
                         locks->path, error_name(errno));
    }
    if (create != 0) {
        share(locks->path, fd);
    }
    const int rc = check_rights(locks, fd);
    if (rc < 0) {
        close(fd);
        return rc;
    }
    locks->fd = fd;
    return 0;
}

int locks_open(struct ring_locks *locks, const char *folder, const uint8_t uuid[16]) {
    const int rc = name_file(locks, folder, uuid);
    return rc < 0 ? rc : open_file(locks, O_CREAT);
}

int locks_find(struct ring_locks *locks, const char *folder, const uint8_t uuid[16]) {
    const int rc = name_file(locks, folder, uuid);
    return rc < 0 ? rc : open_file(locks, 0);
}

int locks_open_named(const struct ring_locks *locks, struct ring_locks *named) {
    *named = (struct ring_locks){.fd = -1};
    memcpy(named->path, locks->path, sizeof named->path);
    return open_file(named, O_CREAT);
}

int locks_replace(struct ring_locks *locks, struct ring_locks *named) {
    const int rc = (int)TEMP_FAILURE_RETRY(dup3(named->fd, locks->fd, O_CLOEXEC));
    const int failure = errno;
    locks->held = rc < 0 ? locks->held : named->held;
    locks_close(named);
    return rc < 0 ? error_set(failure, "lock file %s cannot be used: %s", locks->path, error_name(failure)) : 0;
}

void locks_close(struct ring_locks *locks) {
    if (locks->fd >= 0) {
        close(locks->fd);
    }
    locks->fd = -1;
    locks->held = 0;
}

int locks_is_named(const struct ring_locks *locks) {
    struct stat opened, named;
    return fstat(locks->fd, &opened) == 0 && lstat(locks->path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

static int set_lock(const struct ring_locks *locks, int command, enum locks_byte byte, struct flock *lock) {
    lock->l_whence = SEEK_SET;
    lock->l_start = (off_t)byte;
    lock->l_len = 1;
    lock->l_pid = 0;
    return (int)TEMP_FAILURE_RETRY(fcntl(locks->fd, command, lock)) == 0 ? 0 : -errno;
}

/* The caller has the byte. */
static void sign(const struct ring_locks *locks, enum locks_byte byte) {
    const uint64_t taken = locks_taken(locks, byte) + 1;
    char text[PID_BYTES] = "";
    snprintf(text, sizeof text, "%d\n", (int)getpid());
    if (pwrite(locks->fd, &taken, sizeof taken, TAKEN_OFFSET(byte)) < 0 ||
        pwrite(locks->fd, text, sizeof text, PID_OFFSET(byte)) < 0) {
        return; /* a sentence lacks the number, or a drain at rest sees its next writer later */
    }
}

int locks_try(struct ring_locks *locks, enum locks_byte byte) {
    for (int tries = 0; tries < TRIES; tries++) {
        struct flock lock = {.l_type = F_WRLCK};
        const int rc = set_lock(locks, F_OFD_SETLK, byte, &lock);
        if (rc == -EAGAIN || rc == -EACCES) {
            return -EBUSY;
        }
        if (rc < 0) {
            return error_set(-rc, "lock file %s cannot be locked: %s; its folder has to be on this host", locks->path,
                             error_name(-rc));
        }
        if (locks->held != 0 || locks_is_named(locks)) {
            locks->held |= 1u << byte;
            sign(locks, byte);
            return 0;
        }
        locks_close(locks); /* others have deleted it since it was opened: all take the one that has the name */
        const int opened = open_file(locks, O_CREAT);
        if (opened < 0) {
            return opened;
        }
    }
    return error_set(EAGAIN, "lock file %s is deleted again and again: find out by whom", locks->path);
}

void locks_let_go(struct ring_locks *locks, enum locks_byte byte) {
    struct flock lock = {.l_type = F_UNLCK};
    if (locks_has(locks, byte)) {
        set_lock(locks, F_OFD_SETLK, byte, &lock);
        locks->held &= ~(1u << byte);
    }
}

int locks_is_held(const struct ring_locks *locks, enum locks_byte byte) {
    struct flock lock = {.l_type = F_WRLCK};
    const int rc = set_lock(locks, F_OFD_GETLK, byte, &lock);
    return rc < 0 ? rc : lock.l_type != F_UNLCK;
}

uint64_t locks_taken(const struct ring_locks *locks, enum locks_byte byte) {
    uint64_t taken;
    const ssize_t bytes = TEMP_FAILURE_RETRY(pread(locks->fd, &taken, sizeof taken, TAKEN_OFFSET(byte)));
    return bytes == (ssize_t)sizeof taken ? taken : 0;
}

void locks_holder(const struct ring_locks *locks, enum locks_byte byte, char *text, size_t room) {
    char bytes[PID_BYTES + 1] = "";
    const long pid = pread(locks->fd, bytes, PID_BYTES, PID_OFFSET(byte)) > 0 ? strtol(bytes, NULL, 10) : 0;
    if (pid > 0) {
        snprintf(text, room, "process %ld", pid);
    } else {
        snprintf(text, room, "a process that cannot be named");
    }
}

int locks_await_writer(struct ring_locks *locks, const char *ring, int64_t wait_ns) {
    const int64_t until_ns = platform_deadline_ns(&platform_linux, wait_ns);
    int rc;
    while ((rc = locks_try(locks, LOCKS_WRITER)) == -EBUSY && platform_monotonic_ns(&platform_linux) < until_ns) {
        platform_linux.ops->sleep_ns(&platform_linux, WAIT_POLL_NS);
    }
    if (rc == -EBUSY) {
        char holder[HOLDER_BYTES];
        locks_holder(locks, LOCKS_WRITER, holder, sizeof holder);
        return error_set(EBUSY,
                         "ring %s is being opened by %s (lock file %s): wait until that has ended, or end that process",
                         ring, holder, locks->path);
    }
    return rc;
}

int locks_take_both(struct ring_locks *locks, const char *ring, int64_t wait_ns) {
    int rc = locks_await_writer(locks, ring, wait_ns);
    if (rc < 0) {
        return rc;
    }
    rc = locks_try(locks, LOCKS_DRAIN);
    if (rc == -EBUSY) {
        char holder[HOLDER_BYTES];
        locks_holder(locks, LOCKS_DRAIN, holder, sizeof holder);
        return error_set(
            EBUSY,
            "ring %s is drained by %s: open it with drain=external, so that this process leaves that to it, or "
            "end that process",
            ring, holder);
    }
    return rc;
}
