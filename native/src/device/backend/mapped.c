/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `mapped`: the medium is memory, and the ring's image is its mapping. A commit is durable once its cache
 * lines are written back, without a system call. The processor may write a line back earlier, at any time: a crash
 * then leaves no more than a torn write could leave (docs/persistent-memory.md).
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory_limit.h"
#include "device/backend/bus_fault.h"
#include "device/backend/mapped.h"
#include "device/lock.h"
#include "device/medium.h"
#include "device/ring_name.h"
#include "device/host/survival.h"
#include "device/host/writeback.h"
#include "media/superblock.h"

#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif
#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 0x03
#endif
#ifndef MADV_POPULATE_READ
#define MADV_POPULATE_READ 22
#define MADV_POPULATE_WRITE 23
#endif

struct mapped_device {
    struct device device;
    int fd;
    int can_sync;  /* the medium has fsync; device DAX needs none */
    int is_cached; /* the mapping is of the page cache, or of a file system in memory */
    const struct writeback *writeback;
    struct guarded_range range;  /* the whole medium */
    struct device_write *oldest; /* writes that are done and not yet handed back */
    struct device_write *newest;
};

static struct mapped_device *of(struct device *device) {
    return (struct mapped_device *)device;
}

static uint8_t *place(struct device *device, uint64_t offset) {
    return of(device)->range.base + offset;
}

static int lost(struct device *device, const char *what, uint64_t offset, size_t bytes) {
    return error_set(
        EIO,
        "%s %zu bytes at %llu of %s failed: memory there is gone (SIGBUS): the file was cut, or the medium "
        "has an error",
        what, bytes, (unsigned long long)offset, device->path);
}

/* After the first lost page no write is acknowledged, wherever it lies. */
static void mapped_submit(struct device *device, struct device_write *write) {
    struct mapped_device *mapped = of(device);
    mapped->writeback->range(write->data, write->bytes);
    write->result = device_lost_pages(device) > 0 ? -EIO : 0;
    write->next = NULL;
    if (mapped->oldest == NULL)
        mapped->oldest = write;
    else
        mapped->newest->next = write;
    mapped->newest = write;
}

static struct device_write *mapped_complete(struct device *device) {
    struct mapped_device *mapped = of(device);
    struct device_write *write = mapped->oldest;
    if (write != NULL)
        mapped->oldest = write->next;
    return write;
}

static int is_inside(const struct device *device, uint64_t offset, size_t bytes) {
    return offset <= device->medium_bytes && bytes <= device->medium_bytes - offset;
}

static int mapped_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    struct mapped_device *mapped = of(device);
    if (!is_inside(device, offset, bytes))
        return error_set(EIO, "writing %zu bytes at %llu of %s failed: it has %llu", bytes, (unsigned long long)offset,
                         device->path, (unsigned long long)device->medium_bytes);
    if (!device_is_in_place(device, offset, data))
        memcpy(place(device, offset), data, bytes);
    mapped->writeback->range(place(device, offset), bytes);
    return bus_fault_has_lost(&mapped->range, offset, bytes) ? lost(device, "writing", offset, bytes) : 0;
}

/* Touches each line, so that an error of the memory shows now, and not when recovery reads there. */
static void touch(const uint8_t *data, size_t bytes) {
    for (size_t done = 0; done < bytes; done += LAYOUT_LINE_BYTES)
        (void)*(const volatile uint8_t *)(data + done);
}

static int mapped_read(struct device *device, uint64_t offset, void *data, size_t bytes) {
    if (!is_inside(device, offset, bytes))
        return error_set(EIO, "%s ends at byte %llu: it was cut, or copied incompletely", device->path,
                         (unsigned long long)device->medium_bytes);
    if (device_is_in_place(device, offset, data))
        touch(data, bytes);
    else
        memcpy(data, place(device, offset), bytes);
    atomic_thread_fence(memory_order_acquire); /* beside a writer: a later read sees nothing older */
    return bus_fault_has_lost(&of(device)->range, offset, bytes) ? lost(device, "reading", offset, bytes) : 0;
}

/* The number of bytes that the ring takes of the medium, which may be much larger. */
static uint64_t ring_bytes(struct device *device) {
    uint64_t bytes = 0;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        const uint64_t offset = LAYOUT_SUPERBLOCK_OFFSET(copy);
        const struct superblock *superblock = (const struct superblock *)place(device, offset);
        if (is_inside(device, offset, sizeof(*superblock)) && superblock_judge(superblock) == SUPERBLOCK_VALID)
            bytes = superblock->data_offset + superblock->capacity_bytes;
    }
    return bytes == 0 || bytes > device->medium_bytes ? device->medium_bytes : bytes;
}

/* Writes back the lines that an ended process left in the CPU's caches. Recovery reads them there, so a later crash
 * must not lose them. */
static int mapped_flush(struct device *device) {
    struct mapped_device *mapped = of(device);
    mapped->writeback->range(mapped->range.base, ring_bytes(device));
    if (!mapped->can_sync || fsync(mapped->fd) == 0)
        return 0;
    int failure = errno;
    return error_set(failure, "flushing %s failed: %s", device->path, error_name(failure));
}

static int mapped_check(struct device *device) {
    struct stat status;
    if (device->is_file && fstat(of(device)->fd, &status) == 0) {
        if (status.st_nlink == 0)
            return error_set(ENOENT, "ring file %s was deleted by others", device->path);
        if ((uint64_t)status.st_size < device->medium_bytes)
            return error_set(EUCLEAN, "ring file %s was cut by others from %llu to %llu bytes", device->path,
                             (unsigned long long)device->medium_bytes, (unsigned long long)status.st_size);
    }
    if (device_lost_pages(device) > 0)
        return error_set(EIO, "%u pages of the memory of ring %s are gone (SIGBUS): its medium has an error",
                         device_lost_pages(device), device->path);
    return 0;
}

/* Locked page cache counts for the control group like allocated memory: beyond the limit the kernel kills the
 * process, while it would write unlocked pages back. The pages of a file system in memory were counted when the file
 * was made. */
static int may_lock(const struct mapped_device *mapped, size_t bytes) {
    struct memory_limit limit;
    memory_limit_of(mapped->device.platform, &limit);
    return survival_memory_file_system(mapped->fd) != NULL || memory_limit_judge(&limit, bytes) != MEMORY_IS_LACKING;
}

static void *mapped_image(struct device *device, size_t bytes) {
    struct mapped_device *mapped = of(device);
    if (!is_inside(device, LAYOUT_DATA_OFFSET, bytes)) {
        error_set(EUCLEAN, "ring %s has %llu bytes, its image needs %zu", device->path,
                  (unsigned long long)device->medium_bytes, bytes);
        return NULL;
    }
    uint8_t *image = place(device, LAYOUT_DATA_OFFSET);
    /* Maps every page before the first append. Older kernels map each page when an append touches it. */
    madvise(image, bytes, MADV_POPULATE_WRITE);
    if (mapped->is_cached && !may_lock(mapped, bytes)) {
        size_t used = strlen(device->fallback);
        snprintf(device->fallback + used, sizeof(device->fallback) - used,
                 "%sthe ring's memory is not locked: the limit of this process's control group has no room for it",
                 used > 0 ? "; " : "");
    } else if (mapped->is_cached && mlock(image, bytes) < 0) {
        size_t used = strlen(device->fallback);
        snprintf(device->fallback + used, sizeof(device->fallback) - used,
                 "%sthe ring's memory may be swapped out: mlock gives %s, raise RLIMIT_MEMLOCK", used > 0 ? "; " : "",
                 error_name(errno));
    }
    return image;
}

void mapped_write_back(struct device *device, int always) {
    of(device)->writeback = always ? writeback_choose(writeback_features_here()) : &writeback_none;
}

const char *mapped_write_back_name(struct device *device) {
    return of(device)->writeback->name;
}

static void mapped_close(struct device *device) {
    struct mapped_device *mapped = of(device);
    struct guarded_range *range = &mapped->range;
    /* A producer of a failed ring may still be copying. Empty memory takes the place of the mapping, and the copy goes
         * there: another process may own the medium by then. */
    if (device->image_in_use)
        mmap(range->base, range->bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE,
             -1, 0);
    bus_fault_release(range);
    if (!device->image_in_use)
        munmap(range->base, range->bytes);
    lock_close(mapped->fd);
    free(mapped);
}

static const struct device_ops mapped_ops = {
    .name = "mapped",
    .image = mapped_image,
    .submit = mapped_submit,
    .complete = mapped_complete,
    .write = mapped_write,
    .read = mapped_read,
    .flush = mapped_flush,
    .check = mapped_check,
    .close = mapped_close,
};

static size_t page_bytes_of(const struct medium *medium) {
    struct statfs file_system;
    if (medium->dax_align_bytes != 0)
        return medium->dax_align_bytes;
    if (fstatfs(medium->fd, &file_system) == 0 && file_system.f_type == HUGETLBFS_MAGIC)
        return (size_t)file_system.f_bsize;
    return (size_t)sysconf(_SC_PAGESIZE);
}

static int protection_of(const struct medium *medium) {
    return (fcntl(medium->fd, F_GETFL) & O_ACCMODE) == O_RDONLY ? PROT_READ : PROT_READ | PROT_WRITE;
}

/* Maps the medium. *synchronous: a line is durable once it is written back. Returns MAP_FAILED with errno after an
 * error. */
static void *map(const struct medium *medium, size_t bytes, int *synchronous) {
    void *base = mmap(NULL, bytes, protection_of(medium), MAP_SHARED_VALIDATE | MAP_SYNC, medium->fd, 0);
    *synchronous = base != MAP_FAILED;
    return *synchronous ? base : mmap(NULL, bytes, protection_of(medium), MAP_SHARED, medium->fd, 0);
}

/* A mapping without MAP_SYNC survives what the page cache survives. */
static void settle_durability(struct device *device, const struct medium *medium, int synchronous) {
    const char *memory = survival_memory_file_system(medium->fd);
    if (synchronous)
        return;
    if (device->survives != DURABILITY_PROCESS) {
        device->survives = DURABILITY_PROCESS;
        snprintf(device->survives_because, sizeof(device->survives_because),
                 "its mapping is refused MAP_SYNC (no DAX) and reaches only the page cache; io=pwrite survives %s",
                 medium->facts.survives == DURABILITY_POWER ? "power" : "os-crash");
    }
    const size_t used = strlen(device->fallback);
    snprintf(device->fallback + used, sizeof(device->fallback) - used,
             "%sMAP_SYNC is refused: the mapping is of %s and "
             "survives the process only",
             used > 0 ? "; " : "", memory != NULL ? memory : "the page cache");
}

static void *refuse(int failure, const char *path, const char *what) {
    error_set(failure, "ring %s cannot be mapped: %s gives %s; choose io=pwrite", path, what, error_name(failure));
    return NULL;
}

static struct device *mapped_attach(const struct platform *platform, const struct medium *medium, const char *path) {
    const struct writeback *writeback = writeback_choose(writeback_features_here());
    const size_t page_bytes = page_bytes_of(medium);
    if (writeback == NULL)
        return refuse(ENOTSUP, path, "looking for an instruction that writes cache lines back");
    if (medium->bytes == 0)
        return refuse(ENODATA, path, "its size of 0");
    struct mapped_device *mapped = calloc(1, sizeof(*mapped));
    if (mapped == NULL)
        return refuse(ENOMEM, path, "allocating its description");
    int synchronous = 0;
    mapped->range = (struct guarded_range){
        .bytes = align_up(medium->bytes, page_bytes), .page_bytes = page_bytes, .protection = protection_of(medium)};
    mapped->range.base = map(medium, mapped->range.bytes, &synchronous);
    if (mapped->range.base == MAP_FAILED) {
        const int failure = errno;
        free(mapped);
        return refuse(failure, path, "mmap");
    }
    device_describe(&mapped->device, DEVICE_IO_MAPPED, &mapped_ops, platform, medium, path);
    ring_name_note(&mapped->device, medium->fd);
    mapped->device.line_bytes = LAYOUT_LINE_BYTES;
    mapped->device.mapping = mapped->range.base;
    mapped->range.lost_pages = &mapped->device.lost_pages;
    mapped->fd = medium->fd;
    mapped->writeback = synchronous ? writeback : &writeback_none;
    mapped->is_cached = !synchronous;
    mapped->can_sync = medium->dax_align_bytes == 0 && mapped->range.protection != PROT_READ;
    settle_durability(&mapped->device, medium, synchronous);
    /* A forked child shares the medium, and would keep it mapped. */
    madvise(mapped->range.base, mapped->range.bytes, MADV_DONTFORK);
    const int result = bus_fault_guard(&mapped->range);
    if (result < 0) {
        munmap(mapped->range.base, mapped->range.bytes);
        free(mapped);
        return refuse(-result, path, "guarding it against SIGBUS (at most 64 mapped rings in one process)");
    }
    return &mapped->device;
}

/* Persistent memory does not suit: nobody has seen yet what a loss of power leaves of a mapping there. */
static int mapped_suits(const struct medium *medium) {
    return medium->bytes >= page_bytes_of(medium) && survival_memory_file_system(medium->fd) != NULL;
}

const struct device_backend backend_mapped = {
    .io = DEVICE_IO_MAPPED, .name = "mapped", .attach = mapped_attach, .suits = mapped_suits};
