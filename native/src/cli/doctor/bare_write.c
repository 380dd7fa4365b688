/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/doctor/bare_write.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "base/platform.h"
#include "device/probe.h"

#define FILE_BYTES (32u << 20)
#define PIECE_BYTES (1u << 20)

static int open_block_device(struct bare_write *bare, const char *path) {
    struct medium_facts facts;
    uint64_t size;
    if (ioctl(bare->fd, BLKGETSIZE64, &size) < 0) {
        return error_set(errno, "%s does not tell its size: %s", path, error_name(errno));
    }
    medium_probe(bare->fd, &facts);
    bare->begin = size / 2 / PIECE_BYTES * PIECE_BYTES;
    bare->bytes = size - bare->begin < FILE_BYTES ? (size - bare->begin) / PIECE_BYTES * PIECE_BYTES : FILE_BYTES;
    bare->flags = facts.write_through ? 0 : RWF_DSYNC;
    return bare->bytes > 0 ? 0 : error_set(ENOSPC, "%s has less than 2 MiB: name a larger device", path);
}

/* Fills the file: the first write of a block would also pay for allocating it. */
static int open_file(struct bare_write *bare, const char *path) {
    bare->begin = 0;
    bare->bytes = FILE_BYTES;
    bare->flags = RWF_DSYNC;
    for (uint64_t at = 0; at < bare->bytes; at += PIECE_BYTES) {
        if (pwrite(bare->fd, bare->block, PIECE_BYTES, (off_t)at) != PIECE_BYTES) {
            return error_set(errno, "%s cannot be written: %s", path, error_name(errno));
        }
    }
    return fsync(bare->fd) < 0 ? error_set(errno, "%s cannot be synced: %s", path, error_name(errno)) : 0;
}

int bare_write_open(struct bare_write *bare, const char *path) {
    struct stat found;
    *bare = (struct bare_write){.fd = open(path, O_RDWR | O_CREAT | O_DIRECT | O_CLOEXEC, 0600)};
    if (bare->fd < 0 || fstat(bare->fd, &found) < 0) {
        return error_set(errno, "%s cannot be opened for direct writes: %s", path, error_name(errno));
    }
    bare->block = platform_allocate(&platform_linux, PIECE_BYTES, PLATFORM_PLAIN);
    if (bare->block == NULL) {
        return error_set(ENOMEM, "no memory for a block of %u bytes", PIECE_BYTES);
    }
    memset(bare->block, 1, PIECE_BYTES);
    return S_ISBLK(found.st_mode) ? open_block_device(bare, path) : open_file(bare, path);
}

int bare_write(struct bare_write *bare, const void *data, size_t bytes, int64_t *took_ns) {
    memcpy(bare->block, data, bytes);
    const struct iovec vector = {bare->block, bytes};
    const uint64_t at = bare->next + bytes <= bare->bytes ? bare->next : 0;
    const int64_t begin_ns = platform_monotonic_ns(&platform_linux);
    const ssize_t written = syscall(SYS_pwritev2, bare->fd, &vector, 1, (long)(bare->begin + at), 0l, bare->flags);
    *took_ns = platform_monotonic_ns(&platform_linux) - begin_ns;
    bare->next = at + bytes;
    return written == (ssize_t)bytes ? 0
                                     : error_set(written < 0 ? errno : EIO, "the bare write failed: %s",
                                                 written < 0 ? error_name(errno) : "it was short");
}

void bare_write_close(struct bare_write *bare) {
    if (bare->fd >= 0) {
        close(bare->fd);
    }
    if (bare->block != NULL) {
        platform_release(&platform_linux, bare->block, PIECE_BYTES);
    }
    *bare = (struct bare_write){.fd = -1};
}
