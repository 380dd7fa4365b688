/* SPDX-License-Identifier: Apache-2.0 */
#include "device/nvme_node.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "device/sysfs.h"

/* True for PREFIX<number>n<number>: a namespace, also the common one of several paths, but no single path of it. */
static int is_namespace(const char *name, const char *prefix, unsigned int *controller, unsigned int *number) {
    char whole[32];
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0 || sscanf(name + length, "%un%u", controller, number) != 2)
        return 0;
    snprintf(whole, sizeof(whole), "%s%un%u", prefix, *controller, *number);
    return strcmp(whole, name) == 0;
}

int nvme_block_name(const char *node_name, char *name, size_t name_bytes) {
    unsigned int controller, number;
    if (!is_namespace(node_name, "ng", &controller, &number))
        return -EINVAL;
    snprintf(name, name_bytes, "nvme%un%u", controller, number);
    return 0;
}

static uint64_t limit(const char *disk, const char *attribute, uint64_t unit_bytes) {
    char path[SYSFS_PATH_BYTES], line[32];
    snprintf(path, sizeof(path), "%s/queue/%s", disk, attribute);
    const uint64_t value = sysfs_line(path, line, sizeof(line)) == 0 ? strtoull(line, NULL, 10) : 0;
    return value == 0 ? UINT64_MAX : value * unit_bytes;
}

int nvme_node_find(const char *sys, dev_t number, struct nvme_node *node) {
    char disk[PATH_MAX], path[PATH_MAX], line[32];
    unsigned int controller, name_space, node_major, node_minor;
    int result = sysfs_disk_under(sys, number, disk, &node->begin_bytes);
    if (result < 0)
        return result;
    if (!is_namespace(strrchr(disk, '/') + 1, "nvme", &controller, &name_space))
        return -ENODEV;
    snprintf(node->name, sizeof(node->name), "ng%un%u", controller, name_space);
    snprintf(path, sizeof(path), "%s/class/nvme-generic/%s/dev", sys, node->name);
    if (sysfs_line(path, line, sizeof(line)) < 0 || sscanf(line, "%u:%u", &node_major, &node_minor) != 2)
        return -ENXIO;
    node->number = makedev(node_major, node_minor);
    /* A command that needs more segments than the driver has is refused; each may be one page. */
    const uint64_t by_bytes = limit(disk, "max_hw_sectors_kb", 1024);
    const uint64_t by_pages = limit(disk, "max_segments", (uint64_t)sysconf(_SC_PAGESIZE));
    node->transfer_bytes = by_bytes < by_pages ? by_bytes : by_pages;
    return 0;
}
