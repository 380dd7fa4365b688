/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/zstd.h"

#include <errno.h>
#include <unistd.h>

#include "base/platform.h"
#include "rolling/library.h"

#define PIECE_BYTES 131072u
/* As zstd.h has them. */
#define PARAMETER_LEVEL 100
#define PARAMETER_CHECKSUM 201
#define GO_ON 0
#define END_FRAME 2

static const char *const functions[] = {
#define FUNCTION_NAME(type, name, parameters) #name,
    ZSTD_FUNCTIONS(FUNCTION_NAME)};

_Static_assert(sizeof(struct zstd) == sizeof(functions) / sizeof(functions[0]) * sizeof(void *), "a pointer each");

int zstd_load(const char *ring, struct zstd *zstd) {
    static const struct library library = {.file = "libzstd.so.1",
                                           .packages = "libzstd1 (Debian, Ubuntu), zstd-libs (Alpine) or libzstd "
                                                       "(Fedora, RHEL)",
                                           .functions = functions,
                                           .function_count = sizeof(functions) / sizeof(functions[0])};
    return library_load(ring, &library, zstd);
}

struct copy {
    const struct zstd *zstd;
    struct zstd_context *context;
    int to;
    uint8_t in[PIECE_BYTES], out[PIECE_BYTES];
};

static int write_all(int to, const uint8_t *data, size_t bytes) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t written = write(to, data + done, bytes - done);
        if (written < 0 && errno != EINTR) {
            return -errno;
        }
        done += written > 0 ? (size_t)written : 0;
    }
    return 0;
}

/* Compresses the piece that was read; `end` asks for the end of the frame, too. */
static int compress_piece(struct copy *copy, size_t bytes, int end) {
    struct zstd_buffer in = {.data = copy->in, .bytes = bytes};
    for (;;) {
        struct zstd_buffer out = {.data = copy->out, .bytes = PIECE_BYTES};
        const size_t left = copy->zstd->ZSTD_compressStream2(copy->context, &out, &in, end);
        if (copy->zstd->ZSTD_isError(left)) {
            return -EIO;
        }
        const int rc = write_all(copy->to, copy->out, out.at);
        if (rc < 0 || (end == END_FRAME ? left == 0 : in.at == in.bytes)) {
            return rc;
        }
    }
}

static int run(struct copy *copy, int from, const _Atomic uint32_t *is_stopped) {
    for (;;) {
        const ssize_t bytes = read(from, copy->in, PIECE_BYTES);
        if (bytes < 0 || (bytes > 0 && atomic_load(is_stopped))) {
            return bytes < 0 ? -errno : -ECANCELED;
        }
        const int rc = compress_piece(copy, (size_t)bytes, bytes == 0 ? END_FRAME : GO_ON);
        if (rc < 0 || bytes == 0) {
            return rc;
        }
    }
}

int zstd_copy(const struct zstd *zstd, int level, int from, int to, const _Atomic uint32_t *is_stopped) {
    struct copy *copy = platform_allocate(&platform_linux, sizeof *copy, PLATFORM_PLAIN);
    if (copy == NULL) {
        return -ENOMEM;
    }
    copy->zstd = zstd;
    copy->to = to;
    copy->context = zstd->ZSTD_createCCtx();
    int rc = copy->context == NULL ? -ENOMEM : 0;
    if (rc == 0) {
        const size_t one = zstd->ZSTD_CCtx_setParameter(copy->context, PARAMETER_LEVEL, level);
        const size_t other = zstd->ZSTD_CCtx_setParameter(copy->context, PARAMETER_CHECKSUM, 1);
        rc = zstd->ZSTD_isError(one) || zstd->ZSTD_isError(other) ? -EINVAL : run(copy, from, is_stopped);
        zstd->ZSTD_freeCCtx(copy->context);
    }
    platform_release(&platform_linux, copy, sizeof *copy);
    return rc;
}
