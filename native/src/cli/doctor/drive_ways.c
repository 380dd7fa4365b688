/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes of 8 KiB at queue depth 1: without a sync, with O_DSYNC, and with fdatasync behind each. These are the figures
 * of public tables, so they come from plain system calls and from no engine.
 */
#include "cli/doctor/drive.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/platform.h"

#define WAY_LONGEST_NS 10000000000ll

int drive_figures_allocate(struct drive_figures *figures, uint64_t writes) {
    *figures = (struct drive_figures){.took_ns = calloc(writes, sizeof *figures->took_ns)};
    return figures->took_ns != NULL ? 0 : error_set(ENOMEM, "no memory for %" PRIu64 " figures", writes);
}

static int compare(const void *one, const void *other) {
    const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;
    return (a > b) - (a < b);
}

void drive_figures_sort(struct drive_figures *figures) {
    qsort(figures->took_ns, figures->writes, sizeof *figures->took_ns, compare);
}

static int write_block(int fd, const char *name, const void *block, uint64_t number) {
    const ssize_t done = pwrite(fd, block, DRIVE_WAY_BYTES, (off_t)(number * DRIVE_WAY_BYTES));
    return done == (ssize_t)DRIVE_WAY_BYTES
               ? 0
               : error_set(done < 0 ? errno : EIO, "writing %u bytes at %" PRIu64 " of %s failed: %s", DRIVE_WAY_BYTES,
                           number * DRIVE_WAY_BYTES, name, done < 0 ? error_name(errno) : "it was cut short");
}

static int sync_file(int fd, const char *name) {
    return fdatasync(fd) == 0 ? 0 : error_set(errno, "fdatasync of %s failed: %s", name, error_name(errno));
}

static int time_writes(int fd, enum drive_way way, const char *name, const void *block, uint64_t blocks,
                       uint64_t writes, struct drive_figures *figures) {
    const int64_t begin_ns = platform_monotonic_ns(&platform_linux);
    int rc = drive_figures_allocate(figures, writes);
    for (uint64_t i = 0; rc == 0 && i < writes; i++) {
        const int64_t before_ns = platform_monotonic_ns(&platform_linux);
        rc = write_block(fd, name, block, i % blocks);
        rc = rc < 0 || way != DRIVE_FDATASYNC ? rc : sync_file(fd, name);
        const int64_t after_ns = platform_monotonic_ns(&platform_linux);
        figures->took_ns[figures->writes++] = after_ns - before_ns;
        if (after_ns - begin_ns > WAY_LONGEST_NS) {
            break;
        }
    }
    if (rc == 0) {
        drive_figures_sort(figures);
    }
    return rc;
}

/* Before the clock runs, each block was written once, and nothing waits in the drive's cache: a way does not pay for the
 * one before it. */
static int measure_way(const char *path, enum drive_way way, const char *name, const void *block, uint64_t blocks,
                       uint64_t writes, struct drive_figures *figures) {
    const int fd = open(path, O_RDWR | O_DIRECT | O_CLOEXEC | (way == DRIVE_DSYNC ? O_DSYNC : 0));
    if (fd < 0) {
        return error_set(errno, "%s cannot be written past the page cache: %s", name, error_name(errno));
    }
    int rc = 0;
    for (uint64_t i = 0; rc == 0 && way == DRIVE_NO_SYNC && i < blocks; i++) {
        rc = write_block(fd, name, block, i);
    }
    rc = rc < 0 ? rc : sync_file(fd, name);
    rc = rc < 0 ? rc : time_writes(fd, way, name, block, blocks, writes, figures);
    close(fd);
    return rc;
}

int drive_measure_ways(const char *path, const char *name, uint64_t bytes, uint64_t writes,
                       struct drive_figures ways[DRIVE_WAYS]) {
    const uint64_t room = bytes / DRIVE_WAY_BYTES, blocks = room < writes ? room : writes;
    uint8_t *block = platform_allocate(&platform_linux, DRIVE_WAY_BYTES, PLATFORM_PLAIN);
    int rc = block == NULL ? error_set(ENOMEM, "no memory for a block of %u bytes", DRIVE_WAY_BYTES)
             : blocks == 0 ? error_set(EINVAL, "%s is smaller than a block of %u bytes", name, DRIVE_WAY_BYTES)
                           : 0;
    for (uint32_t i = 0; rc == 0 && i < DRIVE_WAY_BYTES; i += (uint32_t)sizeof(uint64_t)) {
        /* Not zeros: some drives take a short cut for them. */
        const uint64_t random = platform_linux.ops->random(&platform_linux);
        memcpy(block + i, &random, sizeof random);
    }
    for (enum drive_way way = 0; rc == 0 && way < DRIVE_WAYS; way++) {
        rc = measure_way(path, way, name, block, blocks, writes, &ways[way]);
    }
    if (block != NULL) {
        platform_release(&platform_linux, block, DRIVE_WAY_BYTES);
    }
    return rc;
}
