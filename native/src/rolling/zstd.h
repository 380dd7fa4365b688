/* SPDX-License-Identifier: Apache-2.0 */
/* The part of libzstd that compresses rolled files. */
#ifndef BURST_ROLLING_ZSTD_H
#define BURST_ROLLING_ZSTD_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define ZSTD_SUFFIX ".zst"

struct zstd_context;

/* As ZSTD_inBuffer and ZSTD_outBuffer. */
struct zstd_buffer {
    void *data;
    size_t bytes;
    size_t at;
};

#define ZSTD_FUNCTIONS(FUNCTION)                                                                                       \
    FUNCTION(struct zstd_context *, ZSTD_createCCtx, (void))                                                           \
    FUNCTION(size_t, ZSTD_freeCCtx, (struct zstd_context * context))                                                   \
    FUNCTION(size_t, ZSTD_CCtx_setParameter, (struct zstd_context * context, int parameter, int value))                \
    FUNCTION(size_t, ZSTD_compressStream2,                                                                             \
             (struct zstd_context * context, struct zstd_buffer * out, struct zstd_buffer * in, int end))              \
    FUNCTION(unsigned, ZSTD_isError, (size_t code))

struct zstd {
#define ZSTD_POINTER(type, name, parameters) type(*name) parameters;
    ZSTD_FUNCTIONS(ZSTD_POINTER)
#undef ZSTD_POINTER
};

/* Loads libzstd. Returns 0, or -ENOPKG with a sentence if the host has none. */
int zstd_load(const char *ring, struct zstd *zstd);

/* Writes the rest of `from` to `to`, compressed, with a checksum. level 0: the library's default. Returns 0, -errno, or
 * -ECANCELED once *is_stopped is set. */
int zstd_copy(const struct zstd *zstd, int level, int from, int to, const _Atomic uint32_t *is_stopped);

#endif
