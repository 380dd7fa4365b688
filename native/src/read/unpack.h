/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The bytes of a file that may be compressed: plain, gzip or Zstandard, told apart by their first bytes. The libraries
 * are loaded when the first such file is opened, so that readers run on hosts without them.
 */
#ifndef BURST_READ_UNPACK_H
#define BURST_READ_UNPACK_H

#include <stddef.h>
#include <stdint.h>

struct unpacked {
    int fd;
    int is_plain; /* not compressed: all of it can be read at any time, also what comes later */
    uint64_t
        offset; /* of the next byte, unpacked; less than was sought if that is behind the end of a compressed file */
    uint64_t limit; /* a plain file is read up to here */
    void *gzip;     /* struct gzFile_s of zlib */
    struct zstd_state *zstd;
    struct zstd_frames *frames; /* of a seekable file; NULL: it has no table, or none was asked for */
    int has_looked;             /* for the table */
    uint64_t looks;             /* reads that looked for a place */
    const char *path;           /* for sentences */
};

/* Takes over the descriptor, of a regular file. Returns 0, or with a sentence -ENOPKG (no library for it), -ENOTSUP (the
 * sentence names the program that unpacks it) or another -errno; the descriptor is then closed. */
int unpacked_open(struct unpacked *file, int fd, const char *path, uint64_t limit);

/* Reads up to `bytes` bytes. Returns their number, 0 at the end, or -errno with a sentence. */
int64_t unpacked_read(struct unpacked *file, uint8_t *out, size_t bytes);

/* Goes to that byte of the text: at once in a plain file, in steps of a frame in a Zstandard file with a seek table, and
 * else by unpacking what lies before it. Behind the end nothing more is read, and of a compressed file `offset` is less.
 * Returns 0, or -errno with a sentence. */
int unpacked_seek(struct unpacked *file, uint64_t offset);

/* Goes to a frame of a Zstandard file, at that byte of the file. `offset` counts from there. Returns 0, or -errno with a
 * sentence. */
int unpacked_begin_frame(struct unpacked *file, uint64_t packed);

void unpacked_close(struct unpacked *file);

#endif
