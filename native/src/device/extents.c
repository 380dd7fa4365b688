/* SPDX-License-Identifier: Apache-2.0 */
#include "device/extents.h"

#include <fcntl.h>
#include <linux/fiemap.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "media/record.h"

#define EXTENTS_A_CALL 64u
#define PIECE_BYTES ((size_t)1 << 20)
#define NOT_ITS_OWN (FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_SHARED)

union extents {
    struct fiemap map;
    uint8_t room[sizeof(struct fiemap) + EXTENTS_A_CALL * sizeof(struct fiemap_extent)];
};

static int cannot_tell(int failure) {
    return failure == EOPNOTSUPP || failure == ENOTTY || failure == ENOSYS || failure == EINVAL;
}

static int read_extents(int fd, uint64_t from, uint64_t bytes, union extents *extents) {
    memset(extents, 0, sizeof(*extents));
    extents->map.fm_start = from;
    extents->map.fm_length = bytes - from;
    extents->map.fm_flags = FIEMAP_FLAG_SYNC;
    extents->map.fm_extent_count = EXTENTS_A_CALL;
    return ioctl(fd, FS_IOC_FIEMAP, &extents->map) < 0 ? -errno : 0;
}

int extents_find_missing(int fd, uint64_t from, uint64_t bytes, uint64_t *begin, uint64_t *end) {
    union extents extents;
    for (uint64_t covered = from; covered < bytes;) {
        const uint64_t before = covered;
        const int result = read_extents(fd, covered, bytes, &extents);
        if (result < 0)
            return cannot_tell(-result) ? 0 : result;
        for (uint32_t i = 0; i < extents.map.fm_mapped_extents; i++) {
            const struct fiemap_extent *extent = &extents.map.fm_extents[i];
            const uint64_t extent_end = extent->fe_logical + extent->fe_length;
            if (extent->fe_logical <= covered && !(extent->fe_flags & NOT_ITS_OWN)) {
                covered = extent_end > covered ? extent_end : covered;
                continue;
            }
            *begin = covered;
            *end = extent->fe_logical > covered ? extent->fe_logical : extent_end;
            *end = *end < bytes ? *end : bytes;
            return 1;
        }
        if (covered == before) { /* no extent follows */
            *begin = covered;
            *end = bytes;
            return 1;
        }
    }
    return 0;
}

int extents_move(int fd) {
    struct statfs file_system;
    int flags = 0;
    return fstatfs(fd, &file_system) == 0 && file_system.f_type == BTRFS_SUPER_MAGIC &&
           ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0 && !(flags & FS_NOCOW_FL);
}

static int count_missing(int fd, uint64_t bytes, uint64_t *missing) {
    uint64_t begin, end = 0;
    int result;
    *missing = 0;
    while ((result = extents_find_missing(fd, end, bytes, &begin, &end)) == 1)
        *missing += end - begin;
    return result;
}

/* Writes the range over itself. Leaves unreadable blocks as they are: recovery tells what they held. */
static int rewrite(const struct device *device, uint8_t *piece, uint64_t offset, size_t bytes) {
    const int fd = device->file.fd;
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = pread(fd, piece, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return 0;
        const ssize_t written = pwrite(fd, piece, (size_t)got, (off_t)(offset + done));
        if (written < 0 && errno != EINTR)
            return -errno;
        if (written >= 0 && written < (ssize_t)device->block_bytes)
            return -ENOSPC;
        done += written < 0 ? 0 : align_down((uint64_t)written, device->block_bytes);
    }
    return 0;
}

static int take_missing(const struct device *device, uint64_t bytes) {
    const int fd = device->file.fd;
    uint8_t *piece = platform_allocate(device->platform, PIECE_BYTES, PLATFORM_PLAIN);
    if (piece == NULL)
        return -ENOMEM;
    uint64_t begin, end = 0;
    int result = 0, found = 0;
    while (result == 0 && (found = extents_find_missing(fd, end, bytes, &begin, &end)) == 1) {
        begin = align_down(begin, device->block_bytes);
        end = align_up(end, device->block_bytes);
        for (uint64_t at = begin; result == 0 && at < end; at += PIECE_BYTES)
            result = rewrite(device, piece, at, end - at < PIECE_BYTES ? (size_t)(end - at) : PIECE_BYTES);
    }
    platform_release(device->platform, piece, PIECE_BYTES);
    result = result < 0 ? result : found;
    return result < 0 ? result : fsync(fd) < 0 ? -errno : 0;
}

static int refuse(const struct device *device, int failure, uint64_t missing, const struct statfs *space) {
    if (failure == ENOSPC || failure == EDQUOT)
        return error_set(
            failure,
            "ring file %s has no blocks of its own for %llu bytes (holes, or shared with a copy), and its "
            "file system, with %llu MiB free, gives %s: make room, or move the file to where there is, and open "
            "it again",
            device->path, (unsigned long long)missing,
            (unsigned long long)space->f_bavail * (unsigned long long)space->f_bsize >> 20, error_name(failure));
    return error_set(failure,
                     "ring file %s has no blocks of its own for %llu bytes (holes, or shared with a copy), and writing "
                     "them gives %s; move its records with `burstlog recover` and make a new ring",
                     device->path, (unsigned long long)missing, error_name(failure));
}

int extents_take(struct device *device, uint64_t *taken) {
    struct statfs space = {.f_bsize = 1};
    const uint64_t bytes = align_down(device->medium_bytes, device->block_bytes);
    *taken = 0;
    if (!device->is_file || device->file.inode == 0)
        return 0;
    const int result = count_missing(device->file.fd, bytes, taken);
    if (result < 0 || *taken == 0)
        return 0; /* a file system that cannot tell is no reason to refuse a ring */
    const int known = fstatfs(device->file.fd, &space) == 0;
    const int full = known && *taken > (uint64_t)space.f_bavail * (uint64_t)space.f_bsize;
    const int mended = full ? -ENOSPC : take_missing(device, bytes);
    return mended < 0 ? refuse(device, -mended, *taken, &space) : 0;
}
