/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/gzip.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <unistd.h>

#include "base/platform.h"
#include "rolling/library.h"

#define PIECE_BYTES 65536u
#define DEFAULT_LEVEL 6

static const char *const functions[] = {
#define FUNCTION_NAME(type, name, parameters) #name,
    GZIP_FUNCTIONS(FUNCTION_NAME)};

_Static_assert(sizeof(struct gzip) == sizeof(functions) / sizeof(functions[0]) * sizeof(void *), "a pointer each");

int gzip_load(const char *ring, struct gzip *gzip) {
    static const struct library library = {.file = "libz.so.1",
                                           .packages = "zlib1g (Debian, Ubuntu) or zlib (Alpine, Fedora, RHEL)",
                                           .functions = functions,
                                           .function_count = sizeof(functions) / sizeof(functions[0])};
    return library_load(ring, &library, gzip);
}

static int copy(const struct gzip *gzip, int from, struct gzFile_s *to, uint8_t *piece,
                const _Atomic uint32_t *is_stopped) {
    for (;;) {
        const ssize_t bytes = read(from, piece, PIECE_BYTES);
        if (bytes <= 0 || atomic_load(is_stopped)) {
            return bytes < 0 ? -errno : bytes > 0 ? -ECANCELED : 0;
        }
        errno = 0;
        if (gzip->gzwrite(to, piece, (unsigned)bytes) != (int)bytes) {
            return errno != 0 ? -errno : -EIO;
        }
    }
}

int gzip_copy(const struct gzip *gzip, int level, int from, int to, const _Atomic uint32_t *is_stopped) {
    const char mode[] = {'w', 'b', (char)('0' + (level == 0 ? DEFAULT_LEVEL : level)), '\0'};
    const int own = fcntl(to, F_DUPFD_CLOEXEC, 0); /* gzclose closes it */
    struct gzFile_s *file = own < 0 ? NULL : gzip->gzdopen(own, mode);
    uint8_t *piece = platform_allocate(&platform_linux, PIECE_BYTES, PLATFORM_PLAIN);
    int rc = own < 0 ? -errno : file == NULL || piece == NULL ? -ENOMEM : copy(gzip, from, file, piece, is_stopped);
    if (piece != NULL) {
        platform_release(&platform_linux, piece, PIECE_BYTES);
    }
    if (file == NULL && own >= 0) {
        close(own);
    }
    errno = 0;
    if (file != NULL && gzip->gzclose(file) != 0 && rc == 0) {
        rc = errno != 0 ? -errno : -EIO;
    }
    return rc;
}
