/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The backend `uring`: a write is one io_uring command on a registered file, from the registered memory of the image.
 * Several pieces of a long commit are under way at once. On a block device with a volatile cache the write carries FUA
 * and nothing else, where pwritev2(RWF_DSYNC) pays for FUA and a flush.
 */
#include "device/backend/uring_queue.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/error.h"

#define COMMAND_BYTES ((size_t)1 << 30)
#define BUFFER_BYTES ((size_t)1 << 30) /* most bytes that the kernel registers as one buffer */
#define BUFFERS_MAX 1024u              /* memory beyond them is written unregistered */

/* The registered buffer that holds all of the range, or -1. */
static int buffer_of(const struct uring *uring, const void *data, size_t bytes) {
    const uintptr_t offset = (uintptr_t)data - (uintptr_t)uring->direct.image;
    if (bytes == 0 || (uintptr_t)data < (uintptr_t)uring->direct.image || offset + bytes > uring->direct.image_bytes)
        return -1;
    const uintptr_t number = offset / BUFFER_BYTES;
    return number < uring->buffers && (offset + bytes - 1) / BUFFER_BYTES == number ? (int)number : -1;
}

/* The file of a command: the registered one has number 0. */
static int file_of(const struct uring *uring) {
    return uring->file_is_registered ? 0 : uring->direct.medium.fd;
}

static unsigned int flags_of(const struct uring *uring) {
    return uring->file_is_registered ? IOSQE_FIXED_FILE : 0;
}

static void prepare_write(struct uring *uring, struct io_uring_sqe *sqe, uint64_t offset, const void *data,
                          size_t bytes) {
    const int buffer = buffer_of(uring, data, bytes);
    if (buffer >= 0)
        io_uring_prep_write_fixed(sqe, file_of(uring), data, (unsigned int)bytes, offset, buffer);
    else
        io_uring_prep_write(sqe, file_of(uring), data, (unsigned int)bytes, offset);
    io_uring_sqe_set_flags(sqe, flags_of(uring));
    sqe->rw_flags = uring->direct.medium.write_flags;
}

static int meaning_of_write(const struct uring *uring, int result, size_t bytes) {
    if (result == (int)bytes)
        return 0;
    return result >= 0 ? direct_short(&uring->direct) : direct_meaning(&uring->direct, -result);
}

static void note(struct device *device, const char *format, const char *what) {
    const size_t used = strlen(device->fallback);
    snprintf(device->fallback + used, sizeof(device->fallback) - used, "%s", used > 0 ? "; " : "");
    const size_t begin = strlen(device->fallback);
    snprintf(device->fallback + begin, sizeof(device->fallback) - begin, format, what);
}

static void register_image(struct uring *uring) {
    static const char *const sentence = "the ring's memory is not registered with io_uring, which gives %s: raise "
                                        "RLIMIT_MEMLOCK";
    struct device *device = &uring->direct.device;
    struct iovec *ranges = calloc(BUFFERS_MAX, sizeof(*ranges));
    unsigned int count = 0;
    for (size_t at = 0; ranges != NULL && at < uring->direct.image_bytes && count < BUFFERS_MAX; at += BUFFER_BYTES) {
        const size_t left = uring->direct.image_bytes - at;
        ranges[count++] = (struct iovec){.iov_base = (uint8_t *)uring->direct.image + at,
                                         .iov_len = left < BUFFER_BYTES ? left : BUFFER_BYTES};
    }
    if (uring->buffers > 0)
        io_uring_unregister_buffers(&uring->ring);
    const int result = ranges == NULL ? -ENOMEM : io_uring_register_buffers(&uring->ring, ranges, count);
    uring->buffers = result < 0 ? 0 : count;
    if (result < 0)
        note(device, sentence, error_name(result));
    free(ranges);
}

static void *uring_image(struct device *device, size_t bytes) {
    void *image = direct_image(device, bytes);
    if (image != NULL)
        register_image(uring_of(device));
    return image;
}

/* Tries a read, which the kernel checks as it checks a write: for this command, this medium and this kind of ring. */
static int try_read(struct uring *uring) {
    struct direct *direct = &uring->direct;
    const size_t bytes = direct->medium.block_bytes;
    void *block = platform_allocate(direct->device.platform, bytes, PLATFORM_PLAIN);
    if (block == NULL)
        return -ENOMEM;
    struct io_uring_sqe *sqe = io_uring_get_sqe(&uring->ring); /* the first entry of an empty queue */
    io_uring_prep_read(sqe, file_of(uring), block, (unsigned int)bytes, 0);
    io_uring_sqe_set_flags(sqe, flags_of(uring));
    const int result = uring_run_alone(uring);
    platform_release(direct->device.platform, block, bytes);
    /* The data does not matter here, nor does an error of the medium. */
    return result == -ENOMEM || result == -EINVAL || result == -EOPNOTSUPP || result == -ENOSYS || result == -EPERM ||
                   result == -EACCES
               ? result
               : 0;
}

static int set_up(struct uring *uring) {
    struct direct *direct = &uring->direct;
    int result = uring_queue_open(uring, 0);
    if (result < 0)
        return result;
    uring->file_is_registered = io_uring_register_files(&uring->ring, &direct->medium.fd, 1) == 0;
    result = try_read(uring);
    if (result == 0)
        return 0;
    char why[160];
    snprintf(why, sizeof(why), "a read through it gives %s", error_name(result));
    return uring_refuse(&direct->device, -result, why, "use a newer kernel or another file system");
}

static void uring_close(struct device *device) {
    uring_queue_close(uring_of(device));
    direct_end(direct_of(device));
    free(device);
}

static const struct device_ops uring_ops = {
    .name = "uring",
    .image = uring_image,
    .submit = uring_submit,
    .complete = uring_complete,
    .write = direct_write,
    .read = direct_read,
    .flush = direct_flush,
    .check = direct_check,
    .close = uring_close,
};

/* Without O_DIRECT the kernel hands each write to one of its threads, which is never faster. */
static int uring_suits(const struct medium *medium) {
    return medium->direct;
}

static struct device *uring_attach(const struct platform *platform, const struct medium *medium, const char *path) {
    struct uring *uring = calloc(1, sizeof(*uring));
    if (uring == NULL) {
        error_set(errno = ENOMEM, "no memory to open %s", path);
        return NULL;
    }
    direct_begin(&uring->direct, DEVICE_IO_URING, &uring_ops, platform, medium, path);
    uring->direct.device.write_depth = URING_DEPTH;
    uring->command_bytes = COMMAND_BYTES;
    uring->prepare = prepare_write;
    uring->meaning = meaning_of_write;
    const int result = set_up(uring);
    if (result < 0) {
        uring_queue_close(uring);
        free(uring);
        errno = -result;
        return NULL;
    }
    return &uring->direct.device;
}

const struct device_backend backend_uring = {
    .io = DEVICE_IO_URING, .name = "uring", .suits = uring_suits, .attach = uring_attach};
