/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of a simulated host as each process has it open: its medium, the guard of its writer, and windows. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/error.h"
#include "device/open.h"
#include "harness/simulator/log.h"
#include "harness/simulator/processes/processes.h"
#include "media/handover.h"
#include "media/record.h"
#include "window/attach.h"
#include "window/locks.h"
#include "window/memory.h"

#define WINDOWS_MOST 64u
#define WINDOW_ROOM (WINDOW_IMAGE_OFFSET + WORLD_BLOCKS_MAX * WORLD_BLOCK_BYTES)

struct shared_window {
    struct window window;
    uint8_t *pages;
    char folder[64];
    unsigned process;
    int is_offered, was_offered;
};

static struct {
    struct world *world;
    struct shared_window windows[WINDOWS_MOST];
    unsigned window_count;
    unsigned guard; /* the process that has the ring open as its writer; 0: none */
    int is_flushed; /* by that process, since it has the guard */
    struct window_maker maker;
    char folder[64];  /* of the next window */
    int has_requests; /* it has */
} host;

void host_ring_begin(struct world *world) {
    host.world = world;
}

void host_ring_end(void) {
    for (unsigned i = 0; i < host.window_count; i++) {
        munmap(host.windows[i].pages, WINDOW_ROOM);
    }
    memset(&host, 0, sizeof host);
}

void host_ring_close_all_of(unsigned process) {
    for (unsigned i = 0; i < host.window_count; i++) {
        host.windows[i].is_offered &= host.windows[i].process != process;
    }
    host.guard = host.guard == process ? 0 : host.guard;
}

int host_ring_is_open_in(unsigned process) {
    return host.guard == process;
}

/* ------------------------------------------------------------------------------------------------------- window */

/* An open that is tried again lets go of the window that nobody has seen. */
static void forget_unseen(void) {
    const struct shared_window *newest = &host.windows[host.window_count - 1];
    if (host.window_count > 0 && newest->process == host.world->process && !newest->was_offered) {
        munmap(newest->pages, WINDOW_ROOM);
        host.window_count--;
    }
}

static struct window *make(struct window_maker *maker, struct device *device, uint64_t capacity_bytes) {
    static const struct device_shared shared = {.fd = -1};
    (void)maker, (void)capacity_bytes;
    forget_unseen();
    if (host.window_count == WINDOWS_MOST) {
        abort();
    }
    struct shared_window *made = &host.windows[host.window_count++];
    *made = (struct shared_window){.pages = host_map(WINDOW_ROOM), .process = host.world->process};
    strcpy(made->folder, host.folder);
    made->window = window_at(made->pages);
    made->window.requests = host.has_requests ? (struct stream_requests *)(made->pages + WINDOW_REQUESTS_OFFSET) : NULL;
    device->image_shared = &shared;
    return &made->window;
}

struct window_maker *host_window_maker(const char *folder, int has_requests) {
    host.maker.make = make;
    host.has_requests = has_requests;
    snprintf(host.folder, sizeof host.folder, "%s", folder);
    return &host.maker;
}

/* The newest window of the caller. */
static struct shared_window *own_window(void) {
    for (unsigned i = host.window_count; i-- > 0;) {
        if (host.windows[i].process == host.world->process) {
            return &host.windows[i];
        }
    }
    abort();
}

void host_offer_window(void) {
    own_window()->is_offered = own_window()->was_offered = 1;
}

/* Its log is closed. */
static void take_back_windows(void) {
    for (unsigned i = 0; i < host.window_count; i++) {
        struct shared_window *window = &host.windows[i];
        if (window->process == host.world->process && window->is_offered) {
            atomic_store(&window->window.lines->state, WINDOW_CLOSED);
            window->is_offered = 0;
        }
    }
}

/* The window that connections to this socket get. */
static const struct shared_window *offered(const char *path) {
    for (unsigned i = host.window_count; i-- > 0;) {
        const struct shared_window *window = &host.windows[i];
        if (window->is_offered && strncmp(path, window->folder, strlen(window->folder)) == 0) {
            return window;
        }
    }
    return NULL;
}

int __wrap_window_connect(const char *path, struct window_socket *socket, int *window_fd);
int __wrap_window_connect(const char *path, struct window_socket *socket, int *window_fd) {
    sim_thread_yield("connection to the window");
    const struct shared_window *window = offered(path);
    if (window == NULL) {
        return error_set(ECONNREFUSED, "no log offers a window at %s", path);
    }
    *window_fd = HOST_WINDOW_FD + (int)(window - host.windows);
    *socket = (struct window_socket){.fd = *window_fd, .inode = (ino_t)(window - host.windows)};
    return 0;
}

int __wrap_window_socket_is_over(const struct window_socket *socket, const char *path);
int __wrap_window_socket_is_over(const struct window_socket *socket, const char *path) {
    const struct shared_window *window = offered(path);
    return window == NULL || (ino_t)(window - host.windows) != socket->inode;
}

int __wrap_window_attach(int fd, const char *path, struct attached_window *window);
int __wrap_window_attach(int fd, const char *path, struct attached_window *window) {
    (void)path;
    sim_thread_yield("mapping of the window");
    const struct shared_window *shared = &host.windows[fd - HOST_WINDOW_FD];
    const struct window *source = &shared->window;
    const size_t bytes = (source->head->gap_count + 1) * sizeof *window->gaps;
    *window = (struct attached_window){.head = *source->head,
                                       .lines = source->lines,
                                       .starts = source->starts,
                                       .checkpoint = source->checkpoint,
                                       .figures = source->figures,
                                       .requests = source->requests,
                                       .image = shared->pages + WINDOW_IMAGE_OFFSET,
                                       .crc_seed = crc_seed_of(source->head->uuid),
                                       .memory_bytes = bytes};
    window->gaps = platform_allocate(&host.world->platform, bytes, PLATFORM_PLAIN);
    for (uint32_t i = 0; i < source->head->gap_count; i++) {
        window->gaps[i].from = source->gaps[i].from;
        window->gaps[i].to = source->gaps[i].to;
        window->gaps[i].first_sequence = source->gaps[i].first_sequence;
        window->gaps[i].count = source->gaps[i].count;
        window->gaps[i].damaged = source->gaps[i].damaged != 0;
    }
    return 0;
}

void __wrap_window_detach(struct attached_window *window);
void __wrap_window_detach(struct attached_window *window) {
    if (window->gaps != NULL) {
        platform_release(&host.world->platform, window->gaps, window->memory_bytes);
    }
}

void __wrap_window_disconnect(struct window_socket *socket);
void __wrap_window_disconnect(struct window_socket *socket) {
    (void)socket;
}

/* -------------------------------------------------------------------------------------------------- ring's medium */

/* The ring as one process has it open. */
struct opened {
    struct device device;
    enum device_access access;
    int is_flushed;
};

static struct device *medium(void) {
    return &host.world->device.device;
}

static void *own_image(struct device *device, size_t bytes) {
    (void)device, (void)bytes;
    return own_window()->pages + WINDOW_IMAGE_OFFSET;
}

static void submit(struct device *device, struct device_write *write) {
    (void)device;
    medium()->ops->submit(medium(), write);
}

static struct device_write *complete(struct device *device) {
    (void)device;
    return medium()->ops->complete(medium());
}

/* Slots are the drain's, notes, markers and records the writer's: docs/drain.md. */
static void check_owner(uint64_t offset) {
    const int is_slot = offset >= LAYOUT_CHECKPOINT_OFFSET(0) && offset < LAYOUT_DATA_OFFSET;
    const unsigned process = host.world->process;
    if (!host_has_lock(process, is_slot ? LOCKS_DRAIN : LOCKS_WRITER)) {
        violation(host.world, "the %s writes a %s at %llu, and has not the lock for that", process_names[process],
                  is_slot ? "checkpoint slot" : "note, marker or record", (unsigned long long)offset);
    }
}

static int write_medium(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    (void)device;
    check_owner(offset);
    sim_threads.in_kernel++;
    const int rc = medium()->ops->write(medium(), offset, data, bytes);
    sim_threads.in_kernel--;
    return rc;
}

/* A loss of power may take what a dead process wrote and another one has read. So a drain flushes the medium before it
 * reads it. log-engine_test asks that of the application, which looks for the ring's uuid first. */
static int read_medium(struct device *device, uint64_t offset, void *data, size_t bytes) {
    const struct opened *opened = (const struct opened *)device;
    const int is_drain = host.world->process != APPLICATION && opened->access != DEVICE_READ_ONLY;
    if (is_drain && !opened->is_flushed) {
        violation(host.world, "the %s reads the ring at %llu before it has flushed it",
                  process_names[host.world->process], (unsigned long long)offset);
    }
    sim_thread_yield(offset < LAYOUT_DATA_OFFSET ? "read of a header slot" : "read of blocks");
    return medium()->ops->read(medium(), offset, data, bytes);
}

static int flush(struct device *device) {
    struct opened *opened = (struct opened *)device;
    sim_thread_yield("flush of the medium");
    opened->is_flushed = 1;
    host.is_flushed |= opened->access == DEVICE_WRITER;
    return 0;
}

static void close_medium(struct device *device) {
    struct opened *opened = (struct opened *)device;
    if (opened->access == DEVICE_WRITER) {
        host.guard = 0;
        take_back_windows();
    }
    platform_release(&host.world->platform, opened, sizeof *opened);
}

static const struct device_ops ops = {.name = "a process's",
                                      .image = own_image,
                                      .submit = submit,
                                      .complete = complete,
                                      .write = write_medium,
                                      .read = read_medium,
                                      .flush = flush,
                                      .close = close_medium};

int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **device);
int __wrap_device_open(const struct platform *platform, const char *path, enum device_access access, uint32_t io,
                       struct device **device) {
    (void)io;
    sim_thread_yield("open of the ring");
    if (access == DEVICE_WRITER && host.guard != 0) {
        return error_set(EBUSY, "ring %s is open in the %s", path, process_names[host.guard]);
    }
    struct opened *opened = platform_allocate(platform, sizeof *opened, PLATFORM_PLAIN);
    opened->device = *medium();
    opened->device.platform = platform;
    opened->device.ops = &ops;
    opened->access = access;
    opened->is_flushed = host.guard == host.world->process && host.is_flushed;
    host.is_flushed &= access != DEVICE_WRITER;
    host.guard = access == DEVICE_WRITER ? host.world->process : host.guard;
    *device = &opened->device;
    return 0;
}
