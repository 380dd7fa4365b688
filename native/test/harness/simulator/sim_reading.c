/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/sim_reading.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "device/device.h"
#include "device/open.h"
#include "media/record.h"
#include "window/attach.h"
#include "window/memory.h"

#define FOLDER "/logs"
#define RING "/dev/ring"
#define FILE_FD 1000000 /* and the inode's number */
#define WINDOW_FD 2000000
#define WINDOWS 8u /* of a world: a reader renews its own long before so many engines were opened */
#define WORLDS 3u

struct world_windows {
    struct window_maker maker;
    struct world *world;
    void *pages[WINDOWS];
    struct window windows[WINDOWS];
    unsigned made; /* the newest is windows[made % WINDOWS]; 0: none */
    uint8_t *frozen;
};

static struct world_windows all[WORLDS];
static struct world *seen;

/* Windows that readers hold. */
static struct {
    struct attached_window *window;
    struct world_windows *of;
    unsigned number;
} held[8];
#define HELD (sizeof held / sizeof held[0])

void sim_reading_on(struct world *world) {
    seen = world;
}

static struct world_windows *windows_of(const struct world *world) {
    for (unsigned i = 0; i < WORLDS; i++) {
        if (all[i].world == world) {
            return &all[i];
        }
    }
    return NULL;
}

/* --------------------------------------------------------- windows: in the place of window/attach.c and its socket */

/* An engine opens the ring. The image of the one before stays with its readers as it was. */
static struct window *make(struct window_maker *maker, struct device *device, uint64_t capacity_bytes) {
    struct world_windows *self = (struct world_windows *)maker;
    const size_t bytes = (size_t)capacity_bytes;
    (void)device;
    memcpy(self->frozen, self->world->device.image, bytes);
    for (size_t i = 0; i < HELD; i++) {
        if (held[i].window != NULL && held[i].of == self && held[i].number == self->made) {
            held[i].window->image = self->frozen;
        }
    }
    const unsigned place = ++self->made % WINDOWS;
    if (self->pages[place] == NULL) {
        self->pages[place] = aligned_alloc(4096, WINDOW_PAGES_BYTES);
    }
    memset(self->pages[place], 0, WINDOW_PAGES_BYTES);
    self->windows[place] = window_at(self->pages[place]);
    return &self->windows[place];
}

void sim_reading_make_windows(struct world *world) {
    struct world_windows *self = windows_of(world);
    if (self == NULL) {
        self = windows_of(NULL);
        *self = (struct world_windows){.maker.make = make, .world = world, .frozen = malloc(MEDIUM_BYTES_MAX)};
    }
    world->window_maker = &self->maker;
}

void sim_reading_forget(const struct world *world) {
    struct world_windows *self = windows_of(world);
    if (self != NULL) {
        self->made = 0;
    }
}

int window_connect(const char *path, struct window_socket *socket, int *window_fd) {
    const struct world_windows *self = windows_of(seen);
    if (self == NULL || seen->engine == NULL) {
        return error_set(ECONNREFUSED, "no log offers a window at %s", path);
    }
    *socket = (struct window_socket){.fd = WINDOW_FD, .device = seen->level, .inode = self->made};
    *window_fd = WINDOW_FD;
    return 0;
}

int window_socket_is_stale(const struct window_socket *socket, const char *path) {
    const struct world_windows *self = windows_of(seen);
    (void)path;
    return self == NULL || seen->engine == NULL || socket->device != seen->level || socket->inode != self->made;
}

int window_attach(int fd, const char *path, struct attached_window *window) {
    struct world_windows *self = windows_of(seen);
    const struct window *source = &self->windows[self->made % WINDOWS];
    (void)fd, (void)path;
    *window = (struct attached_window){.head = *source->head,
                                       .lines = source->lines,
                                       .starts = source->starts,
                                       .checkpoint = source->checkpoint,
                                       .figures = source->figures,
                                       .image = seen->device.image,
                                       .crc_seed = crc_seed_of(source->head->uuid)};
    window->gaps = calloc(source->head->gap_count + 1u, sizeof *window->gaps);
    for (uint32_t i = 0; i < source->head->gap_count; i++) {
        window->gaps[i].from = source->gaps[i].from;
        window->gaps[i].to = source->gaps[i].to;
        window->gaps[i].first_sequence = source->gaps[i].first_sequence;
        window->gaps[i].count = source->gaps[i].count;
        window->gaps[i].damaged = source->gaps[i].damaged != 0;
    }
    size_t place = 0;
    while (place < HELD && held[place].window != NULL) {
        place++;
    }
    if (place == HELD) {
        abort();
    }
    held[place].window = window;
    held[place].of = self;
    held[place].number = self->made;
    return 0;
}

void window_detach(struct attached_window *window) {
    for (size_t i = 0; i < HELD; i++) {
        if (held[i].window == window) {
            held[i].window = NULL;
        }
    }
    free(window->gaps);
}

void window_disconnect(struct window_socket *socket) {
    (void)socket;
}

/* No reader sleeps here. */
int window_wish(const struct window_socket *socket, uint64_t above_position) {
    (void)socket, (void)above_position;
    return -ECONNREFUSED;
}

/* ----------------------------------------------------------------------------------------------------- medium */

static int read_medium(struct device *device, uint64_t offset, void *data, size_t bytes) {
    (void)device;
    return seen->device.device.ops->read(&seen->device.device, offset, data, bytes);
}

static void close_medium(struct device *device) {
    free(device);
}

int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **device);
int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **device) {
    static const struct device_ops ops = {.name = "a reader's", .read = read_medium, .close = close_medium};
    (void)path, (void)access, (void)io;
    *device = malloc(sizeof **device);
    **device = seen->device.device;
    (*device)->platform = platform;
    (*device)->ops = &ops;
    return 0;
}

int __real_medium_holders(int fd, char *text, size_t text_bytes);
int __wrap_medium_holders(int fd, char *text, size_t text_bytes);
int __wrap_medium_holders(int fd, char *text, size_t text_bytes) {
    if (seen == NULL) { /* the engine asks who holds a log file */
        return __real_medium_holders(fd, text, text_bytes);
    }
    snprintf(text, text_bytes, "%s", seen->is_held ? "the writer" : "");
    return 1;
}

/* ------------------------------------------------------------------------------------------------------ files */

int __real_open(const char *path, int flags, ...);
int __real_stat(const char *path, struct stat *status);
int __real_fstat(int fd, struct stat *status);
ssize_t __real_pread(int fd, void *data, size_t bytes, off_t offset);
int __real_close(int fd);
DIR *__real_opendir(const char *path);
struct dirent *__real_readdir(DIR *folder);
int __real_closedir(DIR *folder);

static int is_here(const char *path) {
    return seen != NULL && strncmp(path, FOLDER "/", sizeof FOLDER) == 0;
}

static int is_ours(int fd) {
    return fd >= FILE_FD;
}

static void fill_status(unsigned inode, struct stat *status) {
    const struct sim_inode *file = &seen->files.inodes[inode];
    /* Files change in the order in which they began: no two of a stream are written at once. */
    *status = (struct stat){.st_dev = 2,
                            .st_ino = inode + 2,
                            .st_mode = S_IFREG | 0600,
                            .st_size = (off_t)file->size,
                            .st_mtim.tv_sec = file->begun};
}

#define COPIES_MOST 1024
static unsigned copied[COPIES_MOST]; /* by descriptor: the inode's number + 1; 0: it is none of a copy */

/* The libraries that unpack a file read a descriptor of the kernel: they get one with the same bytes. */
static int copy_of(unsigned inode) {
    const struct sim_inode *file = &seen->files.inodes[inode];
    const int fd = memfd_create("archive", MFD_CLOEXEC);
    if (fd < 0 || fd >= COPIES_MOST || pwrite(fd, file->cache, file->size, 0) != (ssize_t)file->size) {
        abort();
    }
    copied[fd] = inode + 1;
    return fd;
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list more;
    va_start(more, flags);
    const int mode = (flags & O_CREAT) != 0 ? va_arg(more, int) : 0;
    va_end(more);
    if (!is_here(path)) {
        return __real_open(path, flags, mode);
    }
    const int inode = sim_files_find(&seen->files, path);
    if (inode < 0) {
        errno = ENOENT;
        return -1;
    }
    return strstr(path, ".gz") != NULL ? copy_of((unsigned)inode) : FILE_FD + inode;
}

int __wrap_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status) {
    if (seen != NULL && strcmp(path, RING) == 0) {
        *status = (struct stat){.st_mode = S_IFBLK | 0600};
        return 0;
    }
    if (!is_here(path)) {
        return __real_stat(path, status);
    }
    const int inode = sim_files_find(&seen->files, path);
    if (inode < 0) {
        errno = ENOENT;
        return -1;
    }
    fill_status((unsigned)inode, status);
    return 0;
}

int __wrap_fstat(int fd, struct stat *status);
int __wrap_fstat(int fd, struct stat *status) {
    const int is_copy = seen != NULL && fd >= 0 && fd < COPIES_MOST && copied[fd] != 0;
    if (!is_ours(fd) && !is_copy) {
        return __real_fstat(fd, status);
    }
    fill_status(is_copy ? copied[fd] - 1 : (unsigned)(fd - FILE_FD), status);
    return 0;
}

ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset);
ssize_t __wrap_pread(int fd, void *data, size_t bytes, off_t offset) {
    if (!is_ours(fd)) {
        return __real_pread(fd, data, bytes, offset);
    }
    const struct sim_inode *file = &seen->files.inodes[fd - FILE_FD];
    const size_t left = (size_t)offset < file->size ? file->size - (size_t)offset : 0;
    bytes = bytes < left ? bytes : left;
    memcpy(data, file->cache + (bytes > 0 ? offset : 0), bytes);
    return (ssize_t)bytes;
}

int __wrap_close(int fd);
int __wrap_close(int fd) {
    if (fd >= 0 && fd < COPIES_MOST) {
        copied[fd] = 0;
    }
    return is_ours(fd) ? 0 : __real_close(fd);
}

static unsigned listed; /* the folder that is read: readers read one at a time */

DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path) {
    if (seen == NULL || strcmp(path, FOLDER) != 0) {
        return __real_opendir(path);
    }
    listed = 0;
    return (DIR *)&listed;
}

struct dirent *__wrap_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder) {
    static struct dirent entry;
    if (folder != (DIR *)&listed) {
        return __real_readdir(folder);
    }
    while (listed < FILES_MAX) {
        const char *name = seen->files.is_unmounted ? "" : seen->files.names[listed].name;
        listed++;
        if (strncmp(name, FOLDER "/", sizeof FOLDER) == 0 && strchr(name + sizeof FOLDER, '/') == NULL) {
            snprintf(entry.d_name, sizeof entry.d_name, "%s", name + sizeof FOLDER);
            return &entry;
        }
    }
    return NULL;
}

int __wrap_closedir(DIR *folder);
int __wrap_closedir(DIR *folder) {
    return folder == (DIR *)&listed ? 0 : __real_closedir(folder);
}

/* ------------------------------------------------------------------------------------------------------- gzip */

static uint32_t crc32_of(const uint8_t *bytes, size_t count) {
    uint32_t crc = 0xffffffffu;
    for (size_t i = 0; i < count; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < 8; bit++) {
            crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
        }
    }
    return ~crc;
}

/* Blocks that are stored as they are. */
size_t sim_gzip(const uint8_t *bytes, size_t count, uint8_t *out) {
    static const uint8_t header[10] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255};
    size_t used = sizeof header, done = 0;
    memcpy(out, header, sizeof header);
    do {
        const size_t part = count - done < 65535 ? count - done : 65535;
        out[used++] = done + part == count;
        out[used++] = (uint8_t)part;
        out[used++] = (uint8_t)(part >> 8);
        out[used++] = (uint8_t)~part;
        out[used++] = (uint8_t)(~part >> 8);
        memcpy(out + used, bytes + done, part);
        used += part;
        done += part;
    } while (done < count);
    const uint32_t ends[] = {crc32_of(bytes, count), (uint32_t)count};
    memcpy(out + used, ends, sizeof ends);
    return used + sizeof ends;
}
