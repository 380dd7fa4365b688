/* SPDX-License-Identifier: Apache-2.0 */
#include "device/image.h"

#include <errno.h>
#include <linux/mempolicy.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

#define NODES_MAX 1024
#define WORD_BITS (8 * sizeof(unsigned long))

static void note(struct device *device, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void note(struct device *device, const char *format, ...) {
    size_t used = strlen(device->fallback);
    if (used > 0)
        used += (size_t)snprintf(device->fallback + used, sizeof(device->fallback) - used, "; ");
    if (used >= sizeof(device->fallback))
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(device->fallback + used, sizeof(device->fallback) - used, format, arguments);
    va_end(arguments);
}

/* Moves pages from other nodes. They then have a policy, so automatic balancing leaves them there. It is only a
 * preference: if the node is full, other nodes serve. */
static void prefer_node(struct device *device, void *image, size_t bytes) {
    unsigned long nodes[NODES_MAX / WORD_BITS] = {0};
    const unsigned node = (unsigned)device->image_node;
    nodes[node / WORD_BITS] |= 1ul << node % WORD_BITS;
    if (syscall(SYS_mbind, image, bytes, MPOL_PREFERRED, nodes, (unsigned long)NODES_MAX + 1, MPOL_MF_MOVE) < 0)
        note(device,
             "the ring's memory is on any NUMA node, not on %u: mbind gives %s; allow it in the container's "
             "profile and cpuset",
             node, error_name(errno));
}

void *image_allocate(struct device *device, size_t bytes) {
    const enum platform_memory kind = device->image_small_pages ? PLATFORM_IMAGE_SMALL : PLATFORM_IMAGE;
    const struct device_shared *shared = device->image_shared;
    void *image = shared == NULL
                      ? platform_allocate(device->platform, bytes, kind)
                      : device->platform->ops->share(device->platform, shared->fd, shared->offset, bytes, kind);
    if (image == NULL) {
        error_set(ENOMEM, "no memory for the %zu bytes of the image of ring %s: choose a smaller ring", bytes,
                  device->path);
        return NULL;
    }
    if (device->image_node >= 0 && device->image_node < NODES_MAX)
        prefer_node(device, image, bytes);
    /* The allocation has locked the memory if the host allows that. This second call costs nothing, and tells why the
     * host does not. */
    if (mlock(image, bytes) < 0)
        note(device, "the ring's memory may be swapped out: mlock gives %s, raise RLIMIT_MEMLOCK", error_name(errno));
    return image;
}
