/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/blank.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "media/layout.h"

/* Returns 1 if each byte of the range is zero, 0 if not, or -errno. */
static int is_zero(struct device *device, uint8_t *buffer, uint64_t offset, size_t bytes) {
    const int rc = device->ops->read(device, offset, buffer, bytes);
    if (rc < 0) {
        return rc;
    }
    return buffer[0] == 0 && memcmp(buffer, buffer + 1, bytes - 1) == 0;
}

int device_is_blank(struct device *device) {
    const uint64_t whole = align_down(device->medium_bytes, device->block_bytes);
    const size_t bytes = whole < BLANK_LOOKED_AT_BYTES ? (size_t)whole : BLANK_LOOKED_AT_BYTES;
    if (bytes == 0) {
        return 1;
    }
    uint8_t *buffer = platform_allocate(device->platform, bytes, PLATFORM_PLAIN);
    if (buffer == NULL) {
        return error_set(ENOMEM, "no memory to read %s: %zu bytes", device->path, bytes);
    }
    int blank = is_zero(device, buffer, 0, bytes);
    if (blank == 1) {
        blank = is_zero(device, buffer, whole - bytes, bytes);
    }
    platform_release(device->platform, buffer, bytes);
    return blank;
}
