/* SPDX-License-Identifier: Apache-2.0 */
#include "device/zerofill.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "device/extents.h"

#define STRETCH_BYTES ((size_t)1 << 20)

/* btrfs would write every block to a new place; only an empty file can be told not to. */
static int switch_off_copy_on_write(int fd) {
    struct statfs file_system;
    int flags = 0;
    if (fstatfs(fd, &file_system) < 0)
        return -errno;
    if (file_system.f_type != BTRFS_SUPER_MAGIC)
        return 0;
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0)
        return -errno;
    flags |= FS_NOCOW_FL;
    return ioctl(fd, FS_IOC_SETFLAGS, &flags) < 0 ? -errno : 0;
}

static int write_zeros(const struct platform *platform, int fd, uint64_t bytes) {
    void *zeros = platform_allocate(platform, STRETCH_BYTES, PLATFORM_PLAIN);
    if (zeros == NULL)
        return -ENOMEM;
    int result = 0, direct = fcntl(fd, F_SETFL, O_DIRECT) == 0; /* the zeros need not fill the page cache */
    for (uint64_t done = 0; result == 0 && done < bytes;) {
        size_t stretch = bytes - done < STRETCH_BYTES ? (size_t)(bytes - done) : STRETCH_BYTES;
        ssize_t written = pwrite(fd, zeros, stretch, (off_t)done);
        if (written > 0)
            done += (uint64_t)written;
        else if (written == 0)
            result = -ENOSPC;
        else if (errno == EINVAL && direct)
            result = (direct = fcntl(fd, F_SETFL, 0)) < 0 ? -errno : 0;
        else if (errno != EINTR)
            result = -errno;
    }
    platform_release(platform, zeros, STRETCH_BYTES);
    return result;
}

/* Refuses a file system that says that blocks are unwritten or shared: it would move or allocate blocks during a
 * commit, and might run out of them. One that cannot tell passes. */
static int check_extents(int fd, uint64_t bytes) {
    uint64_t begin, end;
    const int result = extents_find_missing(fd, 0, bytes, &begin, &end);
    return result == 1 ? -ENOTSUP : result;
}

int zerofill(const struct platform *platform, int fd, uint64_t bytes, const char **what) {
    *what = "switching its copy-on-write off";
    int result = switch_off_copy_on_write(fd);
    if (result < 0)
        return result;
    /* Allocates first: this fails at once if there is no room, and keeps the blocks together. */
    *what = "allocating it";
    if (fallocate(fd, 0, 0, (off_t)bytes) < 0 && errno != EOPNOTSUPP && errno != ENOSYS && errno != EINTR)
        return -errno; /* after EINTR the zeros allocate the blocks */
    *what = "filling it with zeros";
    result = write_zeros(platform, fd, bytes);
    if (result < 0)
        return result;
    *what = "syncing it";
    if (fsync(fd) < 0)
        return -errno;
    *what = "checking that the file system gave it blocks of its own, written and unshared,";
    return check_extents(fd, bytes);
}
