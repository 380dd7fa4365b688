/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `pwrite`: submit does the write, complete hands it back. One system call a commit, and the thread that
 * commits waits for the medium in it: with a fast medium nothing is shorter.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/image.h"
#include "device/medium.h"

#define ATTEMPTS_MAX 100
#define AGAIN_PAUSE_NS 1000000
#define MIN_SECTOR_BYTES 512 /* a read that ends elsewhere has met the end of the file */

struct pwrite_device {
    struct device device;
    int fd;
    int write_flags;
    void *image;
    size_t image_bytes;
    struct device_write *oldest; /* written, and not yet handed back */
    struct device_write *newest;
};

static struct pwrite_device *of(struct device *device) {
    return (struct pwrite_device *)device;
}

/* EINTR and EAGAIN say that nothing happened. True while the call is worth making once more. */
static int worth_repeating(const struct device *device, int failure, int *attempts) {
    if ((failure != EINTR && failure != EAGAIN) || ++*attempts >= ATTEMPTS_MAX)
        return 0;
    if (failure == EAGAIN)
        device->platform->ops->sleep_ns(device->platform, AGAIN_PAUSE_NS);
    return 1;
}

/* A device that was removed, or shrunk below the offset, answers a write with ENOSPC: its end is now before it. */
static int meaning_of(const struct device *device, int failure) {
    return failure == ENOSPC && !device->is_file ? -ENODEV : -failure;
}

static int write_durably(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    const struct pwrite_device *pwriter = of(device);
    struct iovec range = {.iov_base = (void *)data, .iov_len = bytes};
    int attempts = 0;
    for (;;) {
        long written = pwriter->write_flags == 0
                           ? pwrite(pwriter->fd, data, bytes, (off_t)offset)
                           : syscall(SYS_pwritev2, pwriter->fd, &range, 1, (long)offset, 0l, pwriter->write_flags);
        if (written == (long)bytes)
            return 0;
        if (written >= 0) /* across the end of a shrunk device, for instance: nothing of it is acknowledged */
            return device->is_file ? -EIO : -ENODEV;
        if (!worth_repeating(device, errno, &attempts))
            return meaning_of(device, errno);
    }
}

static void pwrite_submit(struct device *device, struct device_write *write) {
    struct pwrite_device *pwriter = of(device);
    write->result = write_durably(device, write->offset, write->data, write->bytes);
    write->next = NULL;
    if (pwriter->oldest == NULL)
        pwriter->oldest = write;
    else
        pwriter->newest->next = write;
    pwriter->newest = write;
}

static struct device_write *pwrite_complete(struct device *device) {
    struct pwrite_device *pwriter = of(device);
    struct device_write *write = pwriter->oldest;
    if (write != NULL)
        pwriter->oldest = write->next;
    return write;
}

static int pwrite_write(struct device *device, uint64_t offset, const void *data, size_t bytes) {
    int result = write_durably(device, offset, data, bytes);
    if (result < 0)
        return error_set(-result, "writing %zu bytes at %llu of %s failed: %s", bytes, (unsigned long long)offset,
                         device->path, device_failure(result));
    return 0;
}

static int pwrite_read(struct device *device, uint64_t offset, void *data, size_t bytes) {
    const struct pwrite_device *pwriter = of(device);
    int attempts = 0;
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(pwriter->fd, (uint8_t *)data + done, bytes - done, (off_t)(offset + done));
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
        if (worth_repeating(device, errno, &attempts))
            continue;
        int failure = errno;
        return error_set(failure, "reading %zu bytes at %llu of %s failed: %s", bytes - done, place, device->path,
                         error_name(failure));
    }
    return 0;
}

static int pwrite_flush(struct device *device) {
    if (fsync(of(device)->fd) == 0)
        return 0;
    int failure = errno;
    return error_set(failure, "flushing %s failed: %s", device->path, error_name(failure));
}

/* Writes to a file that was cut make it longer again, around a hole, and those to a deleted one succeed: only the file
 * itself tells. */
static int pwrite_check(struct device *device) {
    struct stat status;
    if (!device->is_file || fstat(of(device)->fd, &status) < 0)
        return 0; /* a write will tell */
    if (status.st_nlink == 0)
        return error_set(ENOENT, "ring file %s was deleted by others", device->path);
    if ((uint64_t)status.st_size < device->medium_bytes)
        return error_set(EUCLEAN, "ring file %s was cut by others from %llu to %llu bytes", device->path,
                         (unsigned long long)device->medium_bytes, (unsigned long long)status.st_size);
    return 0;
}

static void *pwrite_image(struct device *device, size_t bytes) {
    struct pwrite_device *pwriter = of(device);
    void *image = image_allocate(device, bytes);
    if (image == NULL)
        return NULL;
    pwriter->image = image;
    pwriter->image_bytes = bytes;
    return image;
}

static void pwrite_close(struct device *device) {
    struct pwrite_device *pwriter = of(device);
    if (device->image_in_use) {
        munlock(pwriter->image, pwriter->image_bytes);
        madvise(pwriter->image, pwriter->image_bytes, MADV_DONTNEED); /* gives back the memory, not the addresses */
    } else {
        platform_release(device->platform, pwriter->image, pwriter->image_bytes);
    }
    close(pwriter->fd); /* and with it the lock */
    free(pwriter);
}

static const struct device_ops pwrite_ops = {
    .name = "pwrite",
    .image = pwrite_image,
    .submit = pwrite_submit,
    .complete = pwrite_complete,
    .write = pwrite_write,
    .read = pwrite_read,
    .flush = pwrite_flush,
    .check = pwrite_check,
    .close = pwrite_close,
};

static struct device *pwrite_attach(const struct platform *platform, const struct medium *medium, const char *path) {
    struct pwrite_device *pwriter = calloc(1, sizeof(*pwriter));
    if (pwriter == NULL) {
        error_set(ENOMEM, "no memory to open %s", path);
        return NULL;
    }
    device_describe(&pwriter->device, BURST_IO_PWRITE, &pwrite_ops, platform, medium, path);
    pwriter->fd = medium->fd;
    pwriter->write_flags = medium->write_flags;
    return &pwriter->device;
}

/* Everything but memory that can only be mapped. */
static int pwrite_suits(const struct medium *medium) {
    return medium->dax_align_bytes == 0;
}

const struct device_backend backend_pwrite = {
    .io = BURST_IO_PWRITE, .name = "pwrite", .attach = pwrite_attach, .suits = pwrite_suits};
