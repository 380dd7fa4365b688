/* SPDX-License-Identifier: Apache-2.0 */
/* In place of zlib, whose calls cannot be counted: "compressing" leaves the bytes as they are. */
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "rolling/gzip.h"

struct gzFile_s {
    int file;
    off_t at;
};

static struct gzFile_s *begin(int file, const char *mode) {
    struct gzFile_s *gzip = malloc(sizeof *gzip);
    (void)mode;
    if (gzip != NULL) {
        *gzip = (struct gzFile_s){.file = file};
    }
    return gzip;
}

static int add(struct gzFile_s *gzip, const void *data, unsigned bytes) {
    const ssize_t written = pwrite(gzip->file, data, bytes, gzip->at);
    gzip->at += written > 0 ? written : 0;
    return (int)written;
}

static int end(struct gzFile_s *gzip) {
    const int rc = close(gzip->file);
    free(gzip);
    return rc;
}

void *__wrap_dlopen(const char *name, int flags);
void *__wrap_dlopen(const char *name, int flags) {
    static char library;
    (void)name, (void)flags;
    return &library;
}

void *__wrap_dlsym(void *library, const char *name);
void *__wrap_dlsym(void *library, const char *name) {
    const struct gzip gzip = {.gzdopen = begin, .gzwrite = add, .gzclose = end};
    void *function;
    (void)library;
    memcpy(&function,
           strcmp(name, "gzdopen") == 0   ? (const void *)&gzip.gzdopen
           : strcmp(name, "gzwrite") == 0 ? (const void *)&gzip.gzwrite
                                          : (const void *)&gzip.gzclose,
           sizeof function);
    return function;
}
