/* SPDX-License-Identifier: Apache-2.0 */
#include "device/open.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "device/backend/dax.h"
#include "device/host/disk.h"
#include "device/lock.h"
#include "device/medium.h"
#include "device/backend/nvme_node.h"

/* After a SIGKILL the kernel may hold the medium of the dead process until its last I/O has ended. */
#define UNSEEN_HOLDER_WAIT_NS 1000000000ll
#define UNSEEN_HOLDER_POLL_NS 20000000ll

/* All backends of this library. DEVICE_IO_AUTO begins with the first. */
const struct device_backend *const device_backends[] = {
    &backend_pwrite, &backend_uring, &backend_nvme, &backend_mapped, &backend_flush, NULL,
};

const struct device_backend *device_backend_of(uint32_t io) {
    for (size_t i = 0; device_backends[i] != NULL; i++) {
        if (io == device_backends[i]->io)
            return device_backends[i];
    }
    return NULL;
}

const char *device_io_name(uint32_t io) {
    const struct device_backend *backend = device_backend_of(io);
    return backend == NULL ? "unknown" : backend->name;
}

static int refuse_io(uint32_t io, const char *path) {
    char have[256] = "auto (0)";
    for (size_t i = 0; device_backends[i] != NULL; i++) {
        const size_t used = strlen(have);
        snprintf(have + used, sizeof(have) - used, ", %s (%u)", device_backends[i]->name, device_backends[i]->io);
    }
    return error_set(EINVAL, "io=%u of ring %s is not in this library: it has %s", io, path, have);
}

/* The medium to open. `what` is its user's word for it: "ring". */
struct wanted {
    const char *what;
    const char *path;
    enum device_access access;
};

static int refuse_open(const struct wanted *wanted, int failure) {
    const char *what = wanted->what, *path = wanted->path;
    switch (failure) {
    case ENOENT:
        return error_set(ENOENT, "%s %s does not exist: check the path", what, path);
    case EACCES:
        return error_set(EACCES, "%s %s may not be opened by user %u: %s; change its owner or its mode", what, path,
                         (unsigned)geteuid(), error_name(EACCES));
    case EROFS:
    case EPERM:
        return error_set(failure, "%s %s is read-only: opening it for writing gives %s", what, path,
                         error_name(failure));
    default:
        return error_set(failure, "opening %s %s failed: %s", what, path, error_name(failure));
    }
}

/* Tells a file from a device before anything is opened, since opening a FIFO waits, and opening a tape or a watchdog
 * acts. target: PATH_MAX bytes, for the path with links followed. */
static int check_kind(const struct wanted *wanted, char *target, int *is_file) {
    const char *what = wanted->what, *path = wanted->path;
    struct stat status;
    const int result = path_follow(path, target, PATH_MAX);
    if (result < 0 || stat(target, &status) < 0)
        return refuse_open(wanted, result < 0 ? -result : errno);
    *is_file = S_ISREG(status.st_mode);
    if (*is_file || S_ISBLK(status.st_mode) || (S_ISCHR(status.st_mode) && dax_is_device(status.st_rdev)))
        return 0;
    char block[NAME_MAX + 1];
    if (S_ISCHR(status.st_mode) && nvme_block_name(path_name(path), block, sizeof(block)) == 0)
        return error_set(EINVAL,
                         "%s %s is the character device of an NVMe namespace: name its block device, /dev/%s, and "
                         "io=nvme",
                         what, path, block);
    return error_set(EINVAL, "%s %s is %s: name a block device, a DAX device or a regular file", what, path,
                     S_ISDIR(status.st_mode)   ? "a directory"
                     : S_ISCHR(status.st_mode) ? "a character device and not memory (DAX)"
                                               : "none of these kinds");
}

/* Whether the path still leads to the open file: its holder may have replaced it between our open and our lock. */
static int is_still_named(int fd, const char *path) {
    struct stat opened, named;
    return fstat(fd, &opened) == 0 && stat(path, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

/* Opens and locks. Returns -EBUSY if another process holds it, -EAGAIN if the path now leads to another file. */
static int open_once(const struct platform *platform, const char *path, const char *target, enum device_access access,
                     int is_file, struct medium *medium) {
    /* O_EXCL also excludes an open through another node of the device; flock and OFD locks do not. */
    const int flags = access == DEVICE_READ_ONLY           ? O_RDONLY
                      : is_file || access == DEVICE_BESIDE ? O_RDWR
                                                           : O_RDWR | O_EXCL;
    int result = medium_open(platform, target, flags | O_NOFOLLOW, medium);
    if (result == -ELOOP)
        return -EAGAIN; /* a link has replaced it since the look */
    if (access != DEVICE_WRITER)
        return result;
    if (result == 0 && (medium->is_file || medium->dax_align_bytes != 0)) { /* DAX devices know no O_EXCL */
        result = lock_ring(medium->fd);
        if (result == 0 && !is_still_named(medium->fd, path))
            result = -EAGAIN;
        if (result < 0)
            lock_close(medium->fd);
    }
    return result;
}

static int refuse_busy(const struct wanted *wanted, const char *holders) {
    const char *what = wanted->what, *path = wanted->path;
    struct stat status;
    char users[MEDIUM_HOLDERS_BYTES / 2] = "";
    if (stat(path, &status) == 0 && S_ISBLK(status.st_mode))
        disk_users(status.st_rdev, 0, users, sizeof(users));
    if (users[0] != '\0')
        return error_set(EBUSY, "%s %s cannot be opened, %s: it needs a device or a partition of its own", what, path,
                         users);
    if (holders[0] == '\0')
        return error_set(EBUSY,
                         "%s %s is held by a writer that cannot be seen from here: the kernel (a partition, a device "
                         "on top), or a process of another user or container",
                         what, path);
    if (strtol(holders, NULL, 10) == getpid())
        return error_set(
            EBUSY,
            "%s %s is held by process %s, which is this one: it has one writer; close it where it is open, "
            "for instance in another class loader, or choose another",
            what, path, holders);
    return error_set(EBUSY,
                     "%s %s is held by process %s: it has one writer; end that process (or the child that it forked) "
                     "or choose another",
                     what, path, holders);
}

static int open_medium(const struct platform *platform, const struct wanted *wanted, struct medium *medium) {
    int64_t give_up_ns = platform_monotonic_ns(platform) + UNSEEN_HOLDER_WAIT_NS;
    for (;;) {
        char target[PATH_MAX];
        int is_file = 0, result = check_kind(wanted, target, &is_file);
        if (result < 0)
            return result;
        result = open_once(platform, wanted->path, target, wanted->access, is_file, medium);
        if (result == 0)
            return 0;
        if (result == -EAGAIN && platform_monotonic_ns(platform) < give_up_ns)
            continue;
        if (result != -EBUSY)
            return refuse_open(wanted, -result);
        char holders[MEDIUM_HOLDERS_BYTES];
        lock_holders(wanted->path, holders, sizeof(holders));
        if (holders[0] != '\0' || platform_monotonic_ns(platform) >= give_up_ns)
            return refuse_busy(wanted, holders);
        platform->ops->sleep_ns(platform, UNSEEN_HOLDER_POLL_NS);
    }
}

/* A read-only block device can be opened for writing, but refuses the first write. So this asks the device first. */
static int check_writable(const struct wanted *wanted, const struct medium *medium) {
    int read_only = 0;
    if (!medium->is_file && medium->dax_align_bytes == 0 && ioctl(medium->fd, BLKROGET, &read_only) == 0 && read_only)
        return refuse_open(wanted, EPERM);
    return 0;
}

int device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                struct device **device) {
    return device_open_as(platform, "ring", path, access, io, device);
}

int device_open_as(const struct platform *platform, const char *what, const char *path, enum device_access access,
                   uint32_t io, struct device **device) {
    *device = NULL;
    char absolute[PATH_MAX];
    int result = path_absolute(path, absolute, sizeof(absolute));
    if (result < 0)
        return error_set(-result, "%s path \"%s\" cannot be used: %s", what, path == NULL ? "" : path,
                         error_name(result));
    const struct device_backend *backend = io == DEVICE_IO_AUTO ? device_backends[0] : device_backend_of(io);
    if (backend == NULL)
        return refuse_io(io, absolute);
    struct medium medium;
    const struct wanted wanted = {.what = what, .path = absolute, .access = access};
    result = open_medium(platform, &wanted, &medium);
    if (result < 0)
        return result;
    if (access != DEVICE_READ_ONLY)
        result = check_writable(&wanted, &medium);
    const uint32_t required = result < 0 ? DEVICE_IO_AUTO : medium_required_io(platform, &medium);
    if (io == DEVICE_IO_AUTO && required != DEVICE_IO_AUTO)
        backend = device_backend_of(required);
    if (result == 0 && medium.dax_align_bytes != 0 && backend->io != required)
        result = error_set(ENOTSUP, "%s %s is a DAX device, which can only be mapped: choose io=mapped, not %s", what,
                           absolute, backend->name);
    if (result == 0) {
        *device = backend->attach(platform, &medium, absolute);
        result = *device == NULL ? -errno : 0;
        if (result == 0 && io != DEVICE_IO_AUTO)
            snprintf((*device)->chosen_because, sizeof((*device)->chosen_because), "it was asked for by name");
    }
    if (result < 0)
        lock_close(medium.fd);
    return result;
}

int device_is_absent(const char *path) {
    struct stat status;
    if (path != NULL && stat(path, &status) == 0)
        return S_ISREG(status.st_mode) && status.st_size == 0;
    int failure = path == NULL ? EINVAL : errno;
    if (failure == ENOENT)
        return 1;
    return error_set(failure, "ring %s cannot be looked at: %s", path == NULL ? "(none)" : path, error_name(failure));
}
