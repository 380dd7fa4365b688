/* SPDX-License-Identifier: Apache-2.0 */
#include "device/salvage.h"

#include <errno.h>
#include <string.h>

#define STRETCH_BYTES ((size_t)1 << 20)

struct bad_range {
    uint64_t offset;
    uint64_t bytes;
    device_unreadable *unreadable;
    void *argument;
};

static void report(struct bad_range *range) {
    if (range->bytes > 0 && range->unreadable != NULL)
        range->unreadable(range->argument, range->offset, range->bytes);
    range->bytes = 0;
}

static void extend(struct bad_range *range, uint64_t offset, uint64_t bytes) {
    if (range->offset + range->bytes != offset)
        report(range);
    if (range->bytes == 0)
        range->offset = offset;
    range->bytes += bytes;
}

/* The codes with which disks and file systems say that these very blocks are bad: NVMe's unrecovered read is ENODATA,
 * a failed protection check EILSEQ, a checksum of a file system EBADMSG or EUCLEAN. */
static int is_medium_error(int result) {
    return result == -EIO || result == -ENODATA || result == -EILSEQ || result == -EREMOTEIO || result == -EBADMSG ||
           result == -EUCLEAN;
}

static int read_by_block(struct device *device, uint64_t offset, uint8_t *data, size_t bytes, struct bad_range *range) {
    size_t step = device->logical_block_bytes;
    for (size_t done = 0; done < bytes; done += step) {
        if (step > bytes - done)
            step = bytes - done;
        int result = device->ops->read(device, offset + done, data + done, step);
        if (result == 0)
            continue;
        if (!is_medium_error(result))
            return result;
        if (!device_is_in_place(device, offset + done, data + done))
            memset(data + done, 0, step); /* the medium itself is evidence: nothing is written there */
        extend(range, offset + done, step);
    }
    return 0;
}

int device_read_salvage(struct device *device, uint64_t offset, void *data, size_t bytes, device_unreadable *unreadable,
                        void *argument) {
    struct bad_range range = {.unreadable = unreadable, .argument = argument};
    int result = 0;
    for (size_t done = 0; result == 0 && done < bytes;) {
        size_t stretch = bytes - done < STRETCH_BYTES ? bytes - done : STRETCH_BYTES;
        uint8_t *place = (uint8_t *)data + done;
        result = device->ops->read(device, offset + done, place, stretch);
        if (is_medium_error(result))
            result = read_by_block(device, offset + done, place, stretch, &range);
        done += stretch;
    }
    report(&range);
    return result;
}
