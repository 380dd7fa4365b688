/* SPDX-License-Identifier: Apache-2.0 */
#include "device/backend/direct.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/error.h"
#include "device/image.h"
#include "device/lock.h"
#include "device/ring_name.h"

#define ATTEMPTS_MAX 100
#define AGAIN_PAUSE_NS 1000000
#define MIN_SECTOR_BYTES 512 /* a read that ends at no sector has met the end of the file */

int direct_worth_repeating(const struct direct *direct, int failure, int *attempts) {
    const struct platform *platform = direct->device.platform;
    if ((failure != EINTR && failure != EAGAIN) || ++*attempts >= ATTEMPTS_MAX)
        return 0;
    if (failure == EAGAIN)
        platform->ops->sleep_ns(platform, AGAIN_PAUSE_NS);
    return 1;
}

/* A removed device, or one that shrank below the offset, answers a write with ENOSPC. */
int direct_meaning(const struct direct *direct, int failure) {
    return failure == ENOSPC && !direct->device.is_file ? -ENODEV : -failure;
}

/* A short write, for instance across the end of a shrunk device, is an error: nothing of it is acknowledged. */
int direct_short(const struct direct *direct) {
    return direct->device.is_file ? -EIO : -ENODEV;
}

static long write_uncancelled(const struct medium *medium, uint64_t offset, const void *data, size_t bytes) {
    struct iovec range = {.iov_base = (void *)data, .iov_len = bytes};
    if (medium->write_flags != 0 && !medium->flush_after)
        return syscall(SYS_pwritev2, medium->fd, &range, 1, (long)offset, 0l, medium->write_flags);
    long written = pwrite(medium->fd, data, bytes, (off_t)offset);
    if (written == (long)bytes && medium->flush_after && fdatasync(medium->fd) < 0)
        return -1;
    return written;
}

static long write_once(const struct medium *medium, uint64_t offset, const void *data, size_t bytes) {
    const int before = cancel_hold();
    const long written = write_uncancelled(medium, offset, data, bytes);
    cancel_restore(before);
    return written;
}

int direct_write_durably(struct direct *direct, uint64_t offset, const void *data, size_t bytes) {
    int attempts = 0;
    for (;;) {
        long written = write_once(&direct->medium, offset, data, bytes);
        if (written == (long)bytes)
            return 0;
        if (written >= 0)
            return direct_short(direct);
        if (!direct_worth_repeating(direct, errno, &attempts))
            return direct_meaning(direct, errno);
    }
}

void direct_done(struct direct *direct, struct device_write *write, int result) {
    write->result = result;
    write->next = NULL;
    if (direct->oldest == NULL)
        direct->oldest = write;
    else
        direct->newest->next = write;
    direct->newest = write;
}

struct device_write *direct_complete(struct direct *direct) {
    struct device_write *write = direct->oldest;
    if (write != NULL)
        direct->oldest = write->next;
    return write;
}

void direct_submit(struct device *device, struct device_write *write) {
    struct direct *direct = direct_of(device);
    direct_done(direct, write, direct_write_durably(direct, write->offset, write->data, write->bytes));
}

struct device_write *direct_complete_next(struct device *device) {
    return direct_complete(direct_of(device));
}

void direct_close(struct device *device) {
    direct_end(direct_of(device));
    free(device);
}

int direct_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    int result = direct_write_durably(direct_of(device), offset, data, bytes);
    if (result < 0)
        return error_set(-result, "writing %zu bytes at %llu of %s failed: %s", bytes, (unsigned long long)offset,
                         device->path, device_failure(result));
    return 0;
}

int direct_read(struct device *device, uint64_t offset, void *data, size_t bytes) {
    const struct direct *direct = direct_of(device);
    int attempts = 0;
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(direct->medium.fd, (uint8_t *)data + done, bytes - done, (off_t)(offset + done));
        if (got > 0)
            done += (size_t)got;
        if (got > 0 && got % MIN_SECTOR_BYTES == 0)
            continue;
        unsigned long long place = offset + done;
        if (got >= 0 && device->is_file)
            return error_set(EIO, "%s ends at byte %llu: it was cut, or copied incompletely", device->path, place);
        if (got == 0)
            return error_set(ENODEV, "reading at %llu of %s brought nothing: the device has vanished or shrunk", place,
                             device->path);
        if (direct_worth_repeating(direct, errno, &attempts))
            continue;
        int failure = errno;
        return error_set(failure, "reading %zu bytes at %llu of %s failed: %s", bytes - done, place, device->path,
                         error_name(failure));
    }
    return 0;
}

int direct_flush(struct device *device) {
    if (fsync(direct_of(device)->medium.fd) == 0)
        return 0;
    int failure = errno;
    return error_set(failure, "flushing %s failed: %s", device->path, error_name(failure));
}

/* If the device's cache was switched on since the open, completed writes are no longer durable. */
static int check_cache(const struct direct *direct, dev_t number) {
    if (direct->medium.write_flags != 0 || direct->medium.flush_after || !direct->medium.facts.write_through ||
        medium_is_write_through(number))
        return 0;
    return error_set(EUCLEAN,
                     "the volatile write cache of %s was switched on while its ring was open, so that writes do not "
                     "survive a loss of power any more: open the ring again, which then flushes each",
                     direct->device.path);
}

/* Asks whether the file was cut or deleted, since a write does not tell: it makes a cut file longer again, with a
 * hole, and succeeds on a deleted one. */
int direct_check(struct device *device) {
    struct stat status;
    if (fstat(direct_of(device)->medium.fd, &status) < 0)
        return 0; /* the next write will fail and tell */
    if (!device->is_file)
        return check_cache(direct_of(device), status.st_rdev);
    if (status.st_nlink == 0)
        return error_set(ENOENT, "ring file %s was deleted by others", device->path);
    if ((uint64_t)status.st_size < device->medium_bytes)
        return error_set(EUCLEAN, "ring file %s was cut by others from %llu to %llu bytes", device->path,
                         (unsigned long long)device->medium_bytes, (unsigned long long)status.st_size);
    return 0;
}

void *direct_image(struct device *device, size_t bytes) {
    struct direct *direct = direct_of(device);
    platform_release(device->platform, direct->image, direct->image_bytes);
    direct->image = image_allocate(device, bytes);
    direct->image_bytes = bytes;
    return direct->image;
}

void direct_begin(struct direct *direct, uint32_t io, const struct device_ops *ops, const struct platform *platform,
                  const struct medium *medium, const char *path) {
    device_describe(&direct->device, io, ops, platform, medium, path);
    ring_name_note(&direct->device, medium->fd);
    direct->medium = *medium;
}

struct device *direct_make(uint32_t io, const struct device_ops *ops, const struct platform *platform,
                           const struct medium *medium, const char *path) {
    struct direct *direct = calloc(1, sizeof(*direct));
    if (direct == NULL) {
        error_set(errno = ENOMEM, "no memory to open %s", path);
        return NULL;
    }
    direct_begin(direct, io, ops, platform, medium, path);
    return &direct->device;
}

void direct_end(struct direct *direct) {
    if (direct->device.image_in_use) {
        munlock(direct->image, direct->image_bytes);
        /* Frees the memory, keeps the addresses mapped. The readers of shared memory keep what they have. */
        mmap(direct->image, direct->image_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
             0);
    } else {
        platform_release(direct->device.platform, direct->image, direct->image_bytes);
    }
    lock_close(direct->medium.fd);
}
