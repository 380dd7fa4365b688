/* SPDX-License-Identifier: Apache-2.0 */
#include "device/backend/nvme_node.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "device/host/sysfs.h"

#define SECTOR_BYTES 512u /* /sys counts in these, also if the disk has larger sectors */

/* Returns true for PREFIX<number>n<number>: a namespace, even one that several paths lead to, but not one of these
 * paths. */
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
    const long long value = sysfs_value(disk, attribute, 0);
    return value <= 0 ? UINT64_MAX : (uint64_t)value * unit_bytes;
}

int nvme_node_find(const char *root, dev_t number, struct nvme_node *node) {
    char self[PATH_MAX], disk[PATH_MAX], generic[SYSFS_PATH_BYTES];
    unsigned int controller, name_space;
    int result = sysfs_device(root, number, self);
    if (result == 0)
        result = sysfs_disk(root, number, disk);
    if (result < 0)
        return result;
    if (!is_namespace(sysfs_name(disk), "nvme", &controller, &name_space))
        return -ENODEV;
    node->begin_bytes = (uint64_t)sysfs_value(self, "start", 0) * SECTOR_BYTES;
    snprintf(node->name, sizeof(node->name), "ng%un%u", controller, name_space);
    snprintf(generic, sizeof(generic), "%s/sys/class/nvme-generic/%s", root, node->name);
    if (!sysfs_number(generic, &node->number))
        return -ENXIO;
    /* The driver refuses a command of more segments than it has. A segment may be as small as a page. */
    const uint64_t by_bytes = limit(disk, "queue/max_hw_sectors_kb", 1024);
    const uint64_t by_pages = limit(disk, "queue/max_segments", (uint64_t)sysconf(_SC_PAGESIZE));
    node->transfer_bytes = by_bytes < by_pages ? by_bytes : by_pages;
    return 0;
}
