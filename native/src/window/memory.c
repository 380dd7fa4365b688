/* SPDX-License-Identifier: Apache-2.0 */
#include "window/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/retry.h"

/* Values of the kernel that older headers lack. */
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif
#ifndef F_SEAL_FUTURE_WRITE
#define F_SEAL_FUTURE_WRITE 0x10
#endif

#define MEMORY_NAME "burstlog-window"

/* Not every C library has memfd_create(). Kernels before 6.3 do not know MFD_NOEXEC_SEAL; hosts may demand it. */
static int make_memfd(void) {
    const int fd = (int)syscall(SYS_memfd_create, MEMORY_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING | MFD_NOEXEC_SEAL);
    return fd >= 0 || errno != EINVAL ? fd
                                      : (int)syscall(SYS_memfd_create, MEMORY_NAME, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

/* Whether the kernel can forbid all later writers, since 5.1. Without that others could write into the ring's image. */
static int forbids_writers(void) {
    const int fd = make_memfd();
    const int rc = fd < 0 ? -1 : fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE);
    if (fd >= 0) {
        close(fd);
    }
    return rc == 0;
}

static struct window *no_window(struct window_memory *memory, const char *step) {
    snprintf(memory->why_not, sizeof memory->why_not, "%s gives %s", step, error_name(errno));
    window_memory_close(memory);
    return NULL;
}

/* The pages of the image get their memory when the image is mapped, which can give it huge pages. */
static struct window *make(struct window_maker *maker, struct device *device, uint64_t capacity_bytes) {
    struct window_memory *memory = (struct window_memory *)maker;
    const int has_image = device->mapping == NULL && device->platform->ops->share != NULL && forbids_writers();
    memory->fd = make_memfd();
    if (memory->fd < 0) {
        return no_window(memory, "memfd_create");
    }
    const size_t pages_bytes = memory->has_requests ? WINDOW_REQUESTS_END : WINDOW_PAGES_BYTES;
    const uint64_t bytes = has_image ? WINDOW_IMAGE_OFFSET + capacity_bytes : pages_bytes;
    if (fchmod(memory->fd, S_IRUSR) < 0 || ftruncate(memory->fd, (off_t)bytes) < 0) {
        return no_window(memory, "ftruncate");
    }
    if (TEMP_FAILURE_RETRY(fallocate(memory->fd, 0, 0, (off_t)pages_bytes)) < 0) {
        return no_window(memory, "fallocate");
    }
    void *pages = mmap(NULL, pages_bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_POPULATE, memory->fd, 0);
    if (pages == MAP_FAILED) {
        return no_window(memory, "mmap");
    }
    madvise(pages, pages_bytes, MADV_DONTFORK);
    mlock(pages, pages_bytes);
    memory->pages = pages;
    memory->pages_bytes = pages_bytes;
    memory->window = window_at(pages);
    if (memory->has_requests) {
        memory->window.requests = (struct stream_requests *)((uint8_t *)pages + WINDOW_REQUESTS_OFFSET);
    }
    if (has_image) {
        memory->image = (struct device_shared){.fd = memory->fd, .offset = WINDOW_IMAGE_OFFSET};
        device->image_shared = &memory->image;
    } else if (device->mapping == NULL) {
        snprintf(memory->why_not, sizeof memory->why_not, "this kernel (before 5.1) cannot forbid others to write");
    }
    return &memory->window;
}

void window_memory_init(struct window_memory *memory) {
    *memory = (struct window_memory){.maker.make = make, .fd = -1};
}

int window_memory_seal(struct window_memory *memory) {
    char path[64];
    const int seals = F_SEAL_SHRINK | F_SEAL_GROW;
    const int forbids = fcntl(memory->fd, F_ADD_SEALS, seals | F_SEAL_FUTURE_WRITE | F_SEAL_SEAL) == 0;
    if (!forbids && fcntl(memory->fd, F_ADD_SEALS, seals | F_SEAL_SEAL) < 0) {
        const int failure = errno;
        snprintf(memory->why_not, sizeof memory->why_not, "F_ADD_SEALS gives %s", error_name(failure));
        return -failure;
    }
    snprintf(path, sizeof path, "/proc/self/fd/%d", memory->fd);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && forbids) {
        fd = fcntl(memory->fd, F_DUPFD_CLOEXEC, 0); /* nobody can write through it any more */
    }
    if (fd < 0) {
        const int failure = errno;
        snprintf(memory->why_not, sizeof memory->why_not, "/proc/self/fd, which this kernel needs for that, gives %s",
                 error_name(failure));
        return -failure;
    }
    return fd;
}

void window_memory_close(struct window_memory *memory) {
    if (memory->pages != NULL) {
        /* A thread that looked for space before the close may move the floor even now. So its line stays mapped. */
        uint8_t *const lines = (uint8_t *)memory->window.lines;
        mmap(lines, sizeof *memory->window.lines, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0);
        munmap(memory->pages, WINDOW_LINES_OFFSET);
        munmap(lines + WINDOW_LINES_OFFSET, memory->pages_bytes - 2 * WINDOW_LINES_OFFSET);
        memory->pages = NULL;
    }
    if (memory->fd >= 0) {
        close(memory->fd);
        memory->fd = -1;
    }
}
