/* SPDX-License-Identifier: Apache-2.0 */
#include "device/host/identity.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/vfs.h>

#include "device/host/sysfs.h"

static void add_attribute(const char *disk, const char *attribute, char *text, size_t text_bytes) {
    char line[256];
    const size_t used = strlen(text);
    if (sysfs_line(disk, attribute, line, sizeof(line)))
        snprintf(text + used, text_bytes - used, " %s=%s", attribute, line);
}

static void add_disk(dev_t number, char *text, size_t text_bytes) {
    char disk[PATH_MAX];
    if (sysfs_disk("", number, disk) < 0)
        return; /* no disk of its own: btrfs, tmpfs, a network */
    const size_t used = strlen(text);
    snprintf(text + used, text_bytes - used, " disk=%s", sysfs_name(disk));
    add_attribute(disk, "device/model", text, text_bytes);
    add_attribute(disk, "loop/backing_file", text, text_bytes);
    add_attribute(disk, "loop/dio", text, text_bytes);
    add_attribute(disk, "queue/write_cache", text, text_bytes);
}

void identity_of_medium(const struct medium *medium, char *text, size_t text_bytes) {
    struct stat status;
    struct statfs file_system;
    snprintf(text, text_bytes, "bytes=%llu block=%u direct=%d flags=%d", (unsigned long long)medium->bytes,
             medium->block_bytes, medium->direct, medium->write_flags);
    const size_t used = strlen(text);
    if (medium->is_file && fstatfs(medium->fd, &file_system) == 0)
        snprintf(text + used, text_bytes - used, " fs=%lx", (unsigned long)file_system.f_type);
    if (fstat(medium->fd, &status) == 0)
        add_disk(medium->is_file ? status.st_dev : status.st_rdev, text, text_bytes);
}

void identity_of_kernel(char *text, size_t text_bytes) {
    struct utsname kernel;
    snprintf(text, text_bytes, "unknown");
    if (uname(&kernel) == 0)
        snprintf(text, text_bytes, "%s %s", kernel.release, kernel.machine);
}
