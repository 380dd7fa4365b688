/* SPDX-License-Identifier: Apache-2.0 */
/* The part of zlib that compresses rolled files. */
#ifndef BURST_ROLLING_GZIP_H
#define BURST_ROLLING_GZIP_H

#include <stdatomic.h>
#include <stdint.h>

#define GZIP_SUFFIX ".gz"

struct gzFile_s;

#define GZIP_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(struct gzFile_s *, gzdopen, (int fd, const char *mode))                                                   \
    FUNCTION(int, gzwrite, (struct gzFile_s * file, const void *data, unsigned bytes))                                 \
    FUNCTION(int, gzclose, (struct gzFile_s * file))

struct gzip {
#define GZIP_POINTER(type, name, parameters) type(*name) parameters;
    GZIP_FUNCTIONS(GZIP_POINTER)
#undef GZIP_POINTER
};

/* Loads zlib. Returns 0, or -ENOPKG with a sentence if the host has none. */
int gzip_load(const char *ring, struct gzip *gzip);

/* Writes the rest of `from` to `to`, compressed. level: 1 to 9, or 0 for zlib's default. Returns 0, -errno, or -ECANCELED once *is_stopped is set. */
int gzip_copy(const struct gzip *gzip, int level, int from, int to, const _Atomic uint32_t *is_stopped);

#endif
