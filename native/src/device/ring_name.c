/* SPDX-License-Identifier: Apache-2.0 */
#include "device/ring_name.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void ring_name_note(struct device *device, int fd) {
    struct stat status;
    if (fstat(fd, &status) < 0)
        return;
    device->file = (struct device_file){.fd = fd, .number = status.st_rdev};
    if (device->is_file)
        device->file = (struct device_file){
            .fd = fd, .device = status.st_dev, .inode = status.st_ino, .owner = status.st_uid, .group = status.st_gid};
}

static int is_the_same(const struct device *device, const struct stat *other) {
    return device->is_file ? other->st_dev == device->file.device && other->st_ino == device->file.inode
                           : other->st_rdev != 0 && other->st_rdev == device->file.number;
}

int device_open_again(const struct device *device, int flags) {
    struct stat opened;
    const int fd = open(device->path, flags | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return -errno;
    if (fstat(fd, &opened) == 0 && is_the_same(device, &opened))
        return fd;
    close(fd);
    return -ESTALE;
}

static int leads_elsewhere(const struct device *device) {
    struct stat named;
    if (stat(device->path, &named) < 0)
        return errno == ENOENT || errno == ENOTDIR; /* any other error says only that it cannot be looked at */
    return !is_the_same(device, &named);
}

int ring_name_is_lost(const struct device *device, char *now, size_t now_bytes) {
    char link[64];
    struct stat status;
    if (device->file.inode == 0 || !leads_elsewhere(device) || fstat(device->file.fd, &status) < 0 ||
        status.st_nlink == 0)
        return 0;
    snprintf(link, sizeof(link), "/proc/self/fd/%d", device->file.fd);
    const ssize_t length = readlink(link, now, now_bytes - 1);
    now[length < 0 ? 0 : length] = '\0';
    if (strcmp(now, device->path) == 0) /* another mount hides it */
        now[0] = '\0';
    return 1;
}
