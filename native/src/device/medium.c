/* SPDX-License-Identifier: Apache-2.0 */
#include "device/medium.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "device/backend/dax.h"
#include "media/superblock.h"

static void note(struct medium *medium, const char *sentence) {
    size_t used = strlen(medium->fallback);
    snprintf(medium->fallback + used, sizeof(medium->fallback) - used, "%s%s", used > 0 ? "; " : "", sentence);
}

static int is_character_device(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
}

static int open_direct(const char *path, int open_flags, struct medium *medium) {
    medium->direct = 1;
    medium->fd = open(path, open_flags | O_CLOEXEC | O_DIRECT);
    if (medium->fd < 0 && errno == EINVAL) {
        medium->direct = 0;
        medium->fd = open(path, open_flags | O_CLOEXEC);
        if (medium->fd >= 0 && !is_character_device(medium->fd))
            note(medium, "the file system refuses O_DIRECT: writes go through the page cache, each one synced");
    }
    return medium->fd < 0 ? -errno : 0;
}

/* Finds size and alignment of memory that can be mapped, but neither read nor written. */
static int measure_dax(struct medium *medium, dev_t number) {
    struct dax_facts facts;
    const int result = dax_probe("/sys", number, &facts);
    if (result < 0)
        return result;
    medium->bytes = facts.bytes;
    medium->dax_align_bytes = facts.align_bytes;
    medium->logical_block_bytes = medium->block_bytes = LAYOUT_MIN_BLOCK_BYTES;
    medium->facts.survives = facts.is_persistent ? DURABILITY_POWER : DURABILITY_PROCESS;
    snprintf(medium->facts.because, sizeof(medium->facts.because), "%s",
             facts.is_persistent ? "it is persistent memory (device DAX of an NVDIMM)"
                                 : "it is device DAX of memory that no NVDIMM bus calls persistent");
    return 0;
}

static int measure(struct medium *medium) {
    struct stat status;
    if (fstat(medium->fd, &status) < 0)
        return -errno;
    if (S_ISCHR(status.st_mode))
        return measure_dax(medium, status.st_rdev);
    medium->is_file = S_ISREG(status.st_mode);
    if (!medium->is_file && !S_ISBLK(status.st_mode))
        return -EINVAL;
    medium_probe(medium->fd, &medium->facts);
    medium->bytes = (uint64_t)status.st_size;
    if (!medium->is_file && ioctl(medium->fd, BLKGETSIZE64, &medium->bytes) < 0)
        return -errno;
    /* All files get the same block size, since a ring file may move to another file system. */
    uint32_t logical = medium->facts.logical_block_bytes;
    uint32_t physical = medium->facts.physical_block_bytes;
    medium->logical_block_bytes = logical > 0 ? logical : LAYOUT_MIN_BLOCK_BYTES;
    medium->block_bytes = LAYOUT_MIN_BLOCK_BYTES;
    if (medium->block_bytes < logical)
        medium->block_bytes = logical;
    if (medium->block_bytes < physical)
        medium->block_bytes = physical;
    return 0;
}

/*
 * Reads the first block to see two things. Does O_DIRECT work? An open with it may succeed, and I/O fail. Does the
 * kernel know RWF_DSYNC? It checks the flags of a read as those of a write. The data or an I/O error do not matter
 * here.
 */
static int try_read(const struct medium *medium, void *block, int flags) {
    struct iovec range = {.iov_base = block, .iov_len = medium->block_bytes};
    return syscall(SYS_preadv2, medium->fd, &range, 1, 0l, 0l, flags) < 0 ? errno : 0;
}

/* Opens the file again by its name, since O_DSYNC cannot be set on an open file. Returns -EAGAIN if the name now leads
 * to another file. */
static int reopen_synchronous(const char *path, int open_flags, struct medium *medium) {
    struct stat before, after;
    if (fstat(medium->fd, &before) < 0)
        return -errno;
    close(medium->fd); /* this comes first: an exclusive open would refuse our own second one */
    medium->fd = open(path, open_flags | O_CLOEXEC | O_DSYNC | (medium->direct ? O_DIRECT : 0));
    if (medium->fd < 0 || fstat(medium->fd, &after) < 0)
        return -errno;
    return before.st_dev == after.st_dev && before.st_ino == after.st_ino && before.st_rdev == after.st_rdev ? 0
                                                                                                             : -EAGAIN;
}

/* path: NULL if the file must not be opened again. Then its writer syncs. */
static int settle_durability(const struct platform *platform, const char *path, int open_flags, struct medium *medium) {
    void *block = platform_allocate(platform, medium->block_bytes, PLATFORM_PLAIN);
    if (block == NULL)
        return -ENOMEM;
    int failure = try_read(medium, block, RWF_DSYNC);
    if (failure == EINVAL && medium->direct && fcntl(medium->fd, F_SETFL, open_flags & ~O_DIRECT) == 0) {
        medium->direct = 0;
        note(medium, "O_DIRECT opens but does not read: writes go through the page cache, each one synced");
        failure = try_read(medium, block, RWF_DSYNC);
    }
    platform_release(platform, block, medium->block_bytes);
    int writes = (open_flags & O_ACCMODE) != O_RDONLY;
    if (!medium->is_file && medium->facts.write_through && medium->direct) {
        medium->write_flags = 0; /* a completed write is durable: there is no volatile cache */
    } else if (failure == EOPNOTSUPP || failure == ENOSYS || failure == EPERM) {
        medium->write_flags = 0;
        if (!writes || open_flags & O_DSYNC || path == NULL)
            return 0;
        note(medium, "the kernel refuses RWF_DSYNC: the ring is opened with O_DSYNC instead");
        return reopen_synchronous(path, open_flags, medium);
    } else {
        medium->write_flags = RWF_DSYNC;
        medium->flush_after = !medium->is_file;
    }
    return 0;
}

static int look_at(const struct platform *platform, const char *path, int open_flags, struct medium *medium) {
    int result = measure(medium);
    if (result == 0 && medium->dax_align_bytes == 0)
        result = settle_durability(platform, path, open_flags, medium);
    if (result < 0 && medium->fd >= 0)
        close(medium->fd);
    return result;
}

int medium_open(const struct platform *platform, const char *path, int open_flags, struct medium *medium) {
    memset(medium, 0, sizeof(*medium));
    const int result = open_direct(path, open_flags, medium);
    return result < 0 ? result : look_at(platform, path, open_flags, medium);
}

int medium_of_file(const struct platform *platform, int fd, struct medium *medium) {
    memset(medium, 0, sizeof(*medium));
    medium->fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
    if (medium->fd < 0)
        return -errno;
    medium->direct = fcntl(fd, F_SETFL, O_DIRECT) == 0;
    return look_at(platform, NULL, O_RDWR, medium);
}

uint32_t medium_required_io(const struct platform *platform, const struct medium *medium) {
    if (medium->dax_align_bytes != 0)
        return DEVICE_IO_MAPPED;
    uint32_t required = DEVICE_IO_AUTO;
    uint8_t *block = platform_allocate(platform, medium->block_bytes, PLATFORM_PLAIN);
    for (unsigned copy = 0; block != NULL && copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        const struct superblock *superblock = (const struct superblock *)block;
        if (pread(medium->fd, block, medium->block_bytes, (off_t)LAYOUT_SUPERBLOCK_OFFSET(copy)) ==
                (ssize_t)medium->block_bytes &&
            superblock_judge(superblock) == SUPERBLOCK_VALID && superblock_line_bytes(superblock) != 0)
            required = DEVICE_IO_MAPPED;
    }
    if (block != NULL)
        platform_release(platform, block, medium->block_bytes);
    return required;
}

void device_describe(struct device *device, uint32_t io, const struct device_ops *ops, const struct platform *platform,
                     const struct medium *medium, const char *path) {
    *device = (struct device){
        .ops = ops,
        .io = io,
        .platform = platform,
        .medium_bytes = medium->bytes,
        .block_bytes = medium->block_bytes,
        .logical_block_bytes = medium->logical_block_bytes,
        .is_file = medium->is_file,
        .write_depth = 1,
        .image_node = -1,
        .survives = medium->facts.survives,
    };
    snprintf(device->survives_because, sizeof(device->survives_because), "%s", medium->facts.because);
    snprintf(device->fallback, sizeof(device->fallback), "%s", medium->fallback);
    snprintf(device->path, sizeof(device->path), "%s", path);
}
