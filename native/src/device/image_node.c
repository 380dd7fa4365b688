/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the NUMA node for the image of a ring, as /sys describes the host. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/read_line.h"
#include "device/image.h"

#define PLACE_BYTES (PATH_MAX + 64)
#define LIST_BYTES 1024

static int read_list(const char *sys, const char *name, struct cpulist *list) {
    char path[PLACE_BYTES], text[LIST_BYTES];
    snprintf(path, sizeof(path), "%s/%s", sys, name);
    return read_line(path, text, sizeof(text)) == 0 ? cpulist_parse(text, list) : -1;
}

static int count(const struct cpulist *list) {
    int count = 0;
    for (unsigned i = 0; i < CPULIST_CPUS; i++)
        count += cpulist_has(list, i);
    return count;
}

/* Returns the node, or -1 if it is offline or the only one. */
static int if_several(const char *sys, int node) {
    struct cpulist nodes;
    return node >= 0 && read_list(sys, "devices/system/node/online", &nodes) == 0 && count(&nodes) > 1 &&
                   cpulist_has(&nodes, (unsigned)node)
               ? node
               : -1;
}

int image_node_of_cpus(const char *sys, const struct cpulist *cpus) {
    struct cpulist nodes, members;
    if (cpulist_is_empty(cpus) || read_list(sys, "devices/system/node/online", &nodes) < 0)
        return -1;
    for (unsigned node = 0; node < CPULIST_CPUS; node++) {
        char name[64];
        snprintf(name, sizeof(name), "devices/system/node/node%u/cpulist", node);
        if (cpulist_has(&nodes, node) && read_list(sys, name, &members) == 0 &&
            cpulist_first_beyond(cpus, &members) < 0)
            return if_several(sys, (int)node);
    }
    return -1;
}

int image_node_of_device(const char *sys, unsigned device_major, unsigned device_minor) {
    char link[PATH_MAX], top[PATH_MAX], place[PATH_MAX], line[32];
    snprintf(link, sizeof(link), "%s/dev/block/%u:%u", sys, device_major, device_minor);
    if (realpath(link, place) == NULL || realpath(sys, top) == NULL)
        return -1;
    /* The disk has no such attribute, but the controller above it does. */
    for (size_t least = strlen(top); strlen(place) > least; *strrchr(place, '/') = '\0') {
        char attribute[PLACE_BYTES];
        snprintf(attribute, sizeof(attribute), "%s/numa_node", place);
        if (read_line(attribute, line, sizeof(line)) == 0)
            return if_several(sys, atoi(line));
    }
    return -1;
}

int image_node_of_medium(const char *sys, const char *path) {
    struct stat status;
    if (stat(path, &status) < 0)
        return -1;
    const dev_t number = S_ISBLK(status.st_mode) ? status.st_rdev : status.st_dev;
    return image_node_of_device(sys, major(number), minor(number));
}
