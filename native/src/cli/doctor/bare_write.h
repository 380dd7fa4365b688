/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bare durable write that an append is compared with: the same bytes to the same medium by one pwritev2 with
 * O_DIRECT, and no log around it.
 */
#ifndef BURST_CLI_DOCTOR_BARE_WRITE_H
#define BURST_CLI_DOCTOR_BARE_WRITE_H

#include <stddef.h>
#include <stdint.h>

struct bare_write {
    int fd;
    int flags;
    uint64_t begin;
    uint64_t bytes;
    uint64_t next;
    void *block;
};

/* Opens a file, which it makes and fills, or the second half of a block device. Returns 0, or -errno with a sentence. */
int bare_write_open(struct bare_write *bare, const char *path);

/* Writes so many bytes, at most 1 MiB and a multiple of the medium's block. *took_ns: the time of the system call.
 * Returns 0, or -errno with a sentence. */
int bare_write(struct bare_write *bare, const void *data, size_t bytes, int64_t *took_ns);

void bare_write_close(struct bare_write *bare);

#endif
