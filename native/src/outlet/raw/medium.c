/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/raw/medium.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "device/ring_name.h"

struct host_medium {
    struct raw_medium medium;
    struct device *device; /* excludes other writers; NULL: the device's owner closes it */
    int fd;
};

static int fd_of(const struct raw_medium *medium) {
    return ((const struct host_medium *)medium)->fd;
}

static int host_read(const struct raw_medium *medium, void *data, size_t bytes, uint64_t offset) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t got = pread(fd_of(medium), (uint8_t *)data + done, bytes - done, (off_t)(offset + done));
        if (got == 0)
            return -EIO;
        if (got > 0)
            done += (size_t)got;
        else if (errno != EINTR)
            return -errno;
    }
    return 0;
}

static int host_write(const struct raw_medium *medium, const void *data, size_t bytes, uint64_t offset) {
    for (size_t done = 0; done < bytes;) {
        const ssize_t written =
            pwrite(fd_of(medium), (const uint8_t *)data + done, bytes - done, (off_t)(offset + done));
        if (written > 0)
            done += (size_t)written;
        else if (written == 0 || errno != EINTR)
            return written == 0 ? -EIO : -errno;
    }
    return 0;
}

static int host_sync(const struct raw_medium *medium) {
    return fdatasync(fd_of(medium)) < 0 ? -errno : 0;
}

static void host_close(struct raw_medium *medium) {
    struct host_medium *host = (struct host_medium *)medium;
    close(host->fd);
    if (host->device != NULL)
        device_close(host->device);
    free(host);
}

static const struct raw_medium_ops host_ops = {
    .read = host_read,
    .write = host_write,
    .sync = host_sync,
    .close = host_close,
};

int raw_medium_of_device(const struct device *device, enum device_access access, struct raw_medium **medium) {
    const int fd = device_open_again(device, access == DEVICE_WRITER ? O_RDWR : O_RDONLY);
    if (fd < 0)
        return error_set(-fd, "opening log device %s failed: %s", device->path, error_name(fd));
    struct stat status;
    if (access == DEVICE_WRITER && (fstat(fd, &status) < 0 || !S_ISBLK(status.st_mode))) {
        close(fd);
        return error_set(ENOTBLK,
                         "log device %s is no block device: name one, or a log file, which needs no preparation",
                         device->path);
    }
    struct host_medium *host = calloc(1, sizeof(*host));
    if (host == NULL) {
        close(fd);
        return error_set(ENOMEM, "no memory to open log device %s", device->path);
    }
    host->medium = (struct raw_medium){.ops = &host_ops, .bytes = device->medium_bytes};
    host->fd = fd;
    *medium = &host->medium;
    return 0;
}

static int host_open(const struct raw_media *media, const char *path, enum device_access access,
                     struct raw_medium **medium) {
    (void)media;
    struct device *device;
    int result = device_open_as(&platform_linux, "log device", path, access, DEVICE_IO_AUTO, &device);
    if (result < 0)
        return result;
    result = raw_medium_of_device(device, access, medium);
    if (result < 0)
        device_close(device);
    else
        ((struct host_medium *)*medium)->device = device;
    return result;
}

const struct raw_media raw_media_posix = {.open = host_open};

int raw_is_device(const char *path) {
    struct stat status;
    return stat(path, &status) == 0 && S_ISBLK(status.st_mode);
}
