/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files of a simulated host that its processes share: the lock file, and the drain's page. The linker leads the calls of the
 * C library here; those about other names than below /run, and about other descriptors, go on to the real host.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/simulator/log.h"
#include "harness/simulator/processes/processes.h"
#include "media/handover.h"
#include "window/locks.h"

#define HOST_FD 3000000
#define FILES_MOST 16u
#define FILE_ROOM (512u * 1024u)
#define DESCRIPTORS_MOST 64
#define TORN_FROM 4096u /* longer writes are seen half-made */

_Static_assert(sizeof(struct drain_page) <= FILE_ROOM, "a page fits");

struct shared_file {
    char path[128]; /* "": it was deleted */
    uint8_t *bytes;
    size_t size;
    int locked_by[LOCKS_BYTES]; /* the descriptor; 0: nobody */
};

struct descriptor {
    int is_open;
    unsigned process;
    unsigned file;
};

static struct {
    struct world *world;
    struct shared_file files[FILES_MOST];
    unsigned file_count;
    struct descriptor descriptors[DESCRIPTORS_MOST];
} host;

void host_begin(struct world *world) {
    host.world = world;
    host_ring_begin(world);
}

void host_end(void) {
    for (unsigned i = 0; i < host.file_count; i++) {
        munmap(host.files[i].bytes, FILE_ROOM);
    }
    host_ring_end();
    memset(&host, 0, sizeof host);
}

uint8_t *host_map(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        abort();
    }
    return memory;
}

static int close_one(int number) {
    struct descriptor *descriptor = &host.descriptors[number];
    struct shared_file *file = &host.files[descriptor->file];
    for (unsigned byte = 0; byte < LOCKS_BYTES; byte++) {
        file->locked_by[byte] = file->locked_by[byte] == number ? 0 : file->locked_by[byte];
    }
    descriptor->is_open = 0;
    return 0;
}

void host_close_all_of(unsigned process) {
    for (int i = 1; i < DESCRIPTORS_MOST; i++) {
        if (host.descriptors[i].is_open && host.descriptors[i].process == process) {
            close_one(i);
        }
    }
    host_ring_close_all_of(process);
    for (unsigned i = 0; i < host.world->files.inode_count; i++) {
        struct sim_inode *inode = &host.world->files.inodes[i];
        inode->locked_by = inode->locked_by == 1 + process ? 0 : inode->locked_by;
    }
}

int host_has_open(unsigned process) {
    int has = host_ring_is_open_in(process);
    for (int i = 1; i < DESCRIPTORS_MOST; i++) {
        has |= host.descriptors[i].is_open && host.descriptors[i].process == process;
    }
    for (unsigned i = 0; i < host.world->files.inode_count; i++) {
        has |= host.world->files.inodes[i].locked_by == 1 + process;
    }
    return has;
}

int host_has_lock(unsigned process, unsigned byte) {
    int has = 0;
    for (unsigned i = 0; i < host.file_count; i++) {
        const int by = host.files[i].locked_by[byte];
        has |= by != 0 && host.descriptors[by].process == process;
    }
    return has;
}

void host_delete_lock_files(void) {
    for (unsigned i = 0; i < host.file_count; i++) {
        if (strstr(host.files[i].path, LOCKS_SUFFIX) != NULL) {
            host.files[i].path[0] = '\0';
        }
    }
}

/* --------------------------------------------------------------------------------------------- files below /run */

static int is_here(const char *path) {
    return host.world != NULL && strncmp(path, "/run/", 5) == 0;
}

static int is_ours(int fd) {
    return fd > HOST_FD && fd < HOST_FD + DESCRIPTORS_MOST;
}

static struct shared_file *file_of(int fd) {
    return &host.files[host.descriptors[fd - HOST_FD].file];
}

static int find(const char *path) {
    unsigned place = 0;
    while (place < host.file_count && strcmp(host.files[place].path, path) != 0) {
        place++;
    }
    return place < host.file_count ? (int)place : -1;
}

static int add(const char *path) {
    if (host.file_count == FILES_MOST || strlen(path) >= sizeof host.files[0].path) {
        abort();
    }
    host.files[host.file_count] = (struct shared_file){.bytes = host_map(FILE_ROOM)};
    strcpy(host.files[host.file_count].path, path);
    return (int)host.file_count++;
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(more, int) : 0;
    va_end(more);
    if (!is_here(path)) {
        return __real_open(path, flags, mode);
    }
    sim_thread_yield("open of a file below /run");
    int file = find(path);
    file = file < 0 && (flags & O_CREAT) != 0 ? add(path) : file;
    if (file < 0) {
        errno = ENOENT;
        return -1;
    }
    for (int i = 1; i < DESCRIPTORS_MOST; i++) {
        if (!host.descriptors[i].is_open) {
            host.descriptors[i] =
                (struct descriptor){.is_open = 1, .process = host.world->process, .file = (unsigned)file};
            return HOST_FD + i;
        }
    }
    violation(host.world, "the %s opens more and more files", process_names[host.world->process]);
}

int __real_close(int fd);
int __wrap_close(int fd);
int __wrap_close(int fd) {
    return is_ours(fd) ? close_one(fd - HOST_FD) : fd >= HOST_WINDOW_FD ? 0 : __real_close(fd);
}

int __real_dup3(int fd, int other, int flags);
int __wrap_dup3(int fd, int other, int flags);
int __wrap_dup3(int fd, int other, int flags) {
    if (!is_ours(fd)) {
        return __real_dup3(fd, other, flags);
    }
    const int from = fd - HOST_FD, to = other - HOST_FD;
    struct shared_file *file = file_of(fd);
    close_one(to);
    host.descriptors[to] = host.descriptors[from];
    for (unsigned byte = 0; byte < LOCKS_BYTES;
         byte++) { /* locks are those of the open file, which has two numbers now */
        file->locked_by[byte] = file->locked_by[byte] == from ? to : file->locked_by[byte];
    }
    return other;
}

static int set_lock(int fd, int command, struct flock *lock) {
    int *locked_by = &file_of(fd)->locked_by[lock->l_start];
    const int is_of_others = *locked_by != 0 && *locked_by != fd - HOST_FD;
    if (command == F_OFD_GETLK) {
        lock->l_type = is_of_others ? F_WRLCK : F_UNLCK;
    } else if (is_of_others && lock->l_type != F_UNLCK) {
        errno = EAGAIN;
        return -1;
    } else if (!is_of_others) {
        *locked_by = lock->l_type == F_UNLCK ? 0 : fd - HOST_FD;
    }
    return 0;
}

int __real_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...);
int __wrap_fcntl(int fd, int command, ...) {
    va_list more;
    va_start(more, command);
    void *argument = va_arg(more, void *);
    va_end(more);
    if (!is_ours(fd)) {
        return __real_fcntl(fd, command, argument);
    }
    static const char *const points[] = {"lock of the writer", "lock of the drain", "lock of the one that waits"};
    sim_thread_yield(points[((struct flock *)argument)->l_start]);
    return set_lock(fd, command, argument);
}

static int fill_status(const struct shared_file *file, struct stat *status) {
    *status = (struct stat){.st_dev = 3,
                            .st_ino = (ino_t)(file - host.files) + 1,
                            .st_mode = S_IFREG | 0600,
                            .st_nlink = file->path[0] != '\0',
                            .st_uid = geteuid(),
                            .st_size = (off_t)file->size};
    return 0;
}

int __real_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status) {
    return is_ours(fd) ? fill_status(file_of(fd), status) : __real_fstat(fd, status);
}

int __real_lstat(const char *path, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status) {
    if (!is_here(path)) {
        return __real_lstat(path, status);
    }
    const int file = find(path);
    errno = ENOENT;
    return file < 0 ? -1 : fill_status(&host.files[file], status);
}

ssize_t __real_pread(int fd, void *data, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset) {
    if (!is_ours(fd)) {
        return __real_pread(fd, data, bytes, offset);
    }
    sim_thread_yield("read of a file below /run");
    const struct shared_file *file = file_of(fd);
    const size_t left = (size_t)offset < file->size ? file->size - (size_t)offset : 0;
    bytes = bytes < left ? bytes : left;
    memcpy(data, file->bytes + offset, bytes);
    return (ssize_t)bytes;
}

ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    if (!is_ours(fd)) {
        return __real_pwrite(fd, data, bytes, offset);
    }
    struct shared_file *file = file_of(fd);
    size_t done = 0;
    if ((size_t)offset + bytes > FILE_ROOM) {
        abort();
    }
    sim_thread_yield("write of a file below /run");
    file->size = (size_t)offset + bytes > file->size ? (size_t)offset + bytes : file->size;
    if (bytes > TORN_FROM) {
        done = bytes / 2;
        memcpy(file->bytes + offset, data, done);
        sim_thread_yield("middle of the write of a page");
    }
    memcpy(file->bytes + (size_t)offset + done, (const uint8_t *)data + done, bytes - done);
    return (ssize_t)bytes;
}
