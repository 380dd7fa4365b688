/* SPDX-License-Identifier: Apache-2.0 */
/* The volatile write cache that faultfs pretends to have: it can undo all writes since the last sync. */
#ifndef BURST_TEST_WRITE_CACHE_H
#define BURST_TEST_WRITE_CACHE_H

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

struct cached_write {
    struct cached_write *before;
    int fd;
    ino_t inode;
    off_t offset;
    ssize_t bytes; /* of old data; the rest was beyond the end */
    off_t file_bytes;
    char was[];
};

static struct cached_write *newest_write;
static pthread_mutex_t write_cache_lock = PTHREAD_MUTEX_INITIALIZER;

static inline ino_t inode_of(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 ? status.st_ino : 0;
}

/* Comes before a write, or before a cut that takes these bytes. */
static inline void write_cache_note(int fd, off_t offset, size_t bytes) {
    struct cached_write *write = malloc(sizeof *write + bytes);
    if (write == NULL)
        abort();
    write->fd = dup(fd);
    write->inode = inode_of(fd);
    write->offset = offset;
    write->bytes = pread(fd, write->was, bytes, offset);
    write->file_bytes = lseek(fd, 0, SEEK_END);
    pthread_mutex_lock(&write_cache_lock);
    write->before = newest_write;
    newest_write = write;
    pthread_mutex_unlock(&write_cache_lock);
}

static inline void write_cache_free(struct cached_write *write) {
    close(write->fd);
    free(write);
}

/* A sync of the file: its writes stay. */
static inline void write_cache_keep(int fd) {
    const ino_t inode = inode_of(fd);
    pthread_mutex_lock(&write_cache_lock);
    for (struct cached_write **link = &newest_write; *link != NULL;) {
        struct cached_write *write = *link;
        if (write->inode == inode) {
            *link = write->before;
            write_cache_free(write);
        } else {
            link = &write->before;
        }
    }
    pthread_mutex_unlock(&write_cache_lock);
}

/* The power is cut: undoes all that is still in the cache. */
static inline void write_cache_cut(void) {
    while (newest_write != NULL) {
        struct cached_write *write = newest_write;
        if ((write->bytes > 0 && pwrite(write->fd, write->was, (size_t)write->bytes, write->offset) < 0) ||
            ftruncate(write->fd, write->file_bytes) < 0)
            abort();
        newest_write = write->before;
        write_cache_free(write);
    }
}

#endif
