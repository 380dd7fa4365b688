/* SPDX-License-Identifier: Apache-2.0 */
#include "read/unpack.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"
#include "read/zstd_frames.h"

#define ZLIB "libz.so.1"
#define ZSTD "libzstd.so.1"
#define PACKED_BYTES (128u * 1024u)
#define FUNCTIONS_MOST 5
#define READ_MOST (1u << 30)

/* ------------------------------------------------------------------------------------------------------- libraries */

struct gzFile_s;

static struct {
    struct gzFile_s *(*gzdopen)(int fd, const char *mode);
    int (*gzread)(struct gzFile_s *file, void *out, unsigned bytes);
    long (*gzseek)(struct gzFile_s *file, long offset, int whence);
    const char *(*gzerror)(struct gzFile_s *file, int *code);
    int (*gzclose)(struct gzFile_s *file);
} zlib;

struct zstd_part {
    void *data;
    size_t size;
    size_t at;
};

static struct {
    void *(*create)(void);
    size_t (*free)(void *stream);
    size_t (*decompress)(void *stream, struct zstd_part *out, struct zstd_part *in);
    unsigned (*is_error)(size_t code);
    const char *(*error_name)(size_t code);
} zstd;

struct zstd_state {
    void *stream;
    struct zstd_part in;
    size_t wants; /* 0: a frame has ended, and the file may end here */
    uint8_t packed[PACKED_BYTES];
};

/* Readers of several threads, and a log that deletes archives, may come at once. */
static pthread_mutex_t loading = PTHREAD_MUTEX_INITIALIZER;

/* Fills a table of function pointers, unless it is filled. */
static int load(const char *library, const char *packages, const char *path, const char *const *names, size_t count,
                void *table) {
    void *functions[FUNCTIONS_MOST];
    int rc = 0;
    pthread_mutex_lock(&loading);
    memcpy(functions, table, count * sizeof functions[0]);
    if (functions[0] == NULL) {
        void *handle = dlopen(library, RTLD_NOW);
        for (size_t i = 0; handle != NULL && i < count; i++) {
            functions[i] = dlsym(handle, names[i]);
            handle = functions[i] == NULL ? NULL : handle;
        }
        const char *why = handle == NULL ? dlerror() : NULL;
        if (handle != NULL) {
            memcpy(table, functions, count * sizeof functions[0]);
        } else {
            rc = error_set(ENOPKG, "%s cannot be unpacked without %s (%s): install %s", path, library,
                           why == NULL ? "not found" : why, packages);
        }
    }
    pthread_mutex_unlock(&loading);
    return rc;
}

static int load_zlib(const char *path) {
    static const char *const names[] = {"gzdopen", "gzread", "gzseek", "gzerror", "gzclose"};
    return load(ZLIB, "zlib1g (Debian, Ubuntu) or zlib (Alpine, Fedora, RHEL)", path, names,
                sizeof names / sizeof names[0], &zlib);
}

static int load_zstd(const char *path) {
    static const char *const names[] = {"ZSTD_createDStream", "ZSTD_freeDStream", "ZSTD_decompressStream",
                                        "ZSTD_isError", "ZSTD_getErrorName"};
    return load(ZSTD, "libzstd1 (Debian, Ubuntu), zstd-libs (Alpine) or libzstd (Fedora, RHEL)", path, names,
                sizeof names / sizeof names[0], &zstd);
}

/* ------------------------------------------------------------------------------------------------------------ open */

/* Files whose first bytes are these are unpacked by another program. */
static const struct {
    const char *bytes;
    size_t count;
    const char *program;
} others[] = {{"BZh", 3, "bzip2 -dc"},
              {"\xfd"
               "7zXZ",
               6, "xz -dc"},
              {"PK\x03\x04", 4, "unzip -p"},
              {"\x04\x22\x4d\x18", 4, "lz4 -dc"}};

static int open_gzip(struct unpacked *file) {
    int rc = load_zlib(file->path);
    file->gzip = rc < 0 ? NULL : zlib.gzdopen(file->fd, "rb");
    return rc < 0 ? rc : file->gzip == NULL ? error_set(ENOMEM, "no memory to unpack %s", file->path) : 0;
}

static int open_zstd(struct unpacked *file) {
    int rc = load_zstd(file->path);
    file->zstd = rc < 0 ? NULL : calloc(1, sizeof *file->zstd);
    if (file->zstd != NULL) {
        file->zstd->stream = zstd.create();
        file->zstd->in.data = file->zstd->packed;
    }
    return rc < 0                                             ? rc
           : file->zstd == NULL || file->zstd->stream == NULL ? error_set(ENOMEM, "no memory to unpack %s", file->path)
                                                              : 0;
}

static int open_as(struct unpacked *file, const uint8_t *first, size_t count) {
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (count >= others[i].count && memcmp(first, others[i].bytes, others[i].count) == 0) {
            return error_set(ENOTSUP, "%s is compressed in a way that is not unpacked here: `%s %s` does it",
                             file->path, others[i].program, file->path);
        }
    }
    if (count >= 2 && memcmp(first, "\x1f\x8b", 2) == 0) {
        return open_gzip(file);
    }
    if (count >= 4 && memcmp(first, "\x28\xb5\x2f\xfd", 4) == 0) {
        return open_zstd(file);
    }
    file->is_plain = 1;
    return 0;
}

int unpacked_open(struct unpacked *file, int fd, const char *path, uint64_t limit) {
    uint8_t first[8];
    *file = (struct unpacked){.fd = fd, .path = path, .limit = limit};
    const ssize_t got = TEMP_FAILURE_RETRY(pread(fd, first, sizeof first, 0));
    const int rc = got < 0 ? error_set(errno, "%s cannot be read: %s", path, error_name(errno))
                           : open_as(file, first, (size_t)got);
    if (rc < 0) {
        unpacked_close(file);
    }
    return rc;
}

void unpacked_close(struct unpacked *file) {
    if (file->gzip != NULL) {
        zlib.gzclose(file->gzip); /* closes the descriptor */
    } else if (file->fd >= 0) {
        close(file->fd);
    }
    if (file->zstd != NULL) {
        if (file->zstd->stream != NULL) {
            zstd.free(file->zstd->stream);
        }
        free(file->zstd);
    }
    free(file->frames);
    *file = (struct unpacked){.fd = -1};
}

/* ------------------------------------------------------------------------------------------------------------ read */

static int damaged(const struct unpacked *file, const char *why) {
    return error_set(EUCLEAN, "%s is damaged behind byte %llu of its text: %s; what was read before is whole",
                     file->path, (unsigned long long)file->offset, why);
}

static int64_t read_plain(struct unpacked *file, uint8_t *out, size_t bytes) {
    const uint64_t left = file->limit > file->offset ? file->limit - file->offset : 0;
    bytes = bytes < left ? bytes : (size_t)left;
    const ssize_t got = bytes == 0 ? 0 : TEMP_FAILURE_RETRY(pread(file->fd, out, bytes, (off_t)file->offset));
    return got < 0 ? error_set(errno, "%s cannot be read at byte %llu: %s", file->path,
                               (unsigned long long)file->offset, error_name(errno))
                   : (int64_t)got;
}

static int64_t read_gzip(struct unpacked *file, uint8_t *out, size_t bytes) {
    int code;
    const int got = zlib.gzread(file->gzip, out, (unsigned)bytes);
    if (got >= 0 && (size_t)got == bytes) {
        return got;
    }
    /* A file that was cut ends without an error of gzread. */
    const char *why = zlib.gzerror(file->gzip, &code);
    return got < 0 || (code != 0 && got == 0) ? damaged(file, why) : got;
}

static int64_t read_zstd(struct unpacked *file, uint8_t *out, size_t bytes) {
    struct zstd_state *state = file->zstd;
    struct zstd_part to = {.data = out, .size = bytes};
    while (to.at == 0) {
        if (state->in.at == state->in.size) {
            const ssize_t got = TEMP_FAILURE_RETRY(read(file->fd, state->packed, sizeof state->packed));
            if (got <= 0) {
                return got < 0            ? error_set(errno, "%s cannot be read: %s", file->path, error_name(errno))
                       : state->wants > 0 ? damaged(file, "its last frame is cut")
                                          : 0;
            }
            state->in = (struct zstd_part){.data = state->packed, .size = (size_t)got};
        }
        state->wants = zstd.decompress(state->stream, &to, &state->in);
        if (zstd.is_error(state->wants)) {
            return damaged(file, zstd.error_name(state->wants));
        }
        if (state->wants == 0 && file->frames != NULL && !zstd_frames_has_end(file->frames, file->offset + to.at)) {
            return damaged(file, "its seek table has another length of a frame");
        }
    }
    return (int64_t)to.at;
}

int64_t unpacked_read(struct unpacked *file, uint8_t *out, size_t bytes) {
    bytes = bytes < READ_MOST ? bytes : READ_MOST;
    const int64_t got = file->is_plain       ? read_plain(file, out, bytes)
                        : file->gzip != NULL ? read_gzip(file, out, bytes)
                                             : read_zstd(file, out, bytes);
    file->offset += got > 0 ? (uint64_t)got : 0;
    return got;
}

/* ------------------------------------------------------------------------------------------------------------ seek */

/* Unpacks and drops what lies before the offset. */
static int pass(struct unpacked *file, uint64_t offset) {
    uint8_t *piece = offset > file->offset ? malloc(PACKED_BYTES) : NULL;
    int64_t got = 1;
    if (offset > file->offset && piece == NULL) {
        return error_set(ENOMEM, "no memory to unpack %s", file->path);
    }
    while (got > 0 && file->offset < offset) {
        const uint64_t left = offset - file->offset;
        got = unpacked_read(file, piece, left < PACKED_BYTES ? (size_t)left : PACKED_BYTES);
    }
    free(piece);
    return got < 0 ? (int)got : 0;
}

/* Begins anew at a frame: at byte `packed` of the file, byte `offset` of its text. */
static int begin_frame(struct unpacked *file, uint64_t packed, uint64_t offset) {
    struct zstd_state *state = file->zstd;
    zstd.free(state->stream);
    state->stream = zstd.create();
    state->in = (struct zstd_part){.data = state->packed};
    state->wants = 0;
    file->offset = offset;
    file->looks++;
    return state->stream == NULL ? error_set(ENOMEM, "no memory to unpack %s", file->path)
           : lseek(file->fd, (off_t)packed, SEEK_SET) < 0
               ? error_set(errno, "%s cannot be read: %s", file->path, error_name(errno))
               : 0;
}

int unpacked_begin_frame(struct unpacked *file, uint64_t packed) {
    return begin_frame(file, packed, 0);
}

static int seek_zstd(struct unpacked *file, uint64_t offset) {
    uint64_t packed = 0, begin = 0;
    if (!file->has_looked) {
        file->has_looked = 1;
        file->frames = zstd_frames_read(file->fd, &file->looks);
    }
    if (file->frames != NULL) {
        zstd_frames_find(file->frames, offset, &packed, &begin);
    }
    /* The place that is unpacked already may be nearer. */
    const int rc = file->offset <= offset && file->offset >= begin ? 0 : begin_frame(file, packed, begin);
    return rc < 0 ? rc : pass(file, offset);
}

int unpacked_seek(struct unpacked *file, uint64_t offset) {
    if (file->is_plain) {
        file->offset = offset;
        return 0;
    }
    if (file->zstd != NULL) {
        return seek_zstd(file, offset);
    }
    if (file->offset == offset) {
        return 0;
    }
    file->looks++;
    /* Only a read finds the end: the byte before tells whether the text is so long. */
    uint8_t before;
    file->offset = offset - (offset > 0);
    if (offset > INT64_MAX || zlib.gzseek(file->gzip, (long)file->offset, SEEK_SET) < 0) {
        return damaged(file, "it has no such byte");
    }
    const int64_t got = offset > 0 ? unpacked_read(file, &before, 1) : 0;
    return got < 0 ? (int)got : 0;
}
