/* SPDX-License-Identifier: Apache-2.0 */
#include "device/ring_name.h"

#include <sys/stat.h>

void ring_name_note(struct device *device, int fd) {
    struct stat status;
    if (!device->is_file || fstat(fd, &status) < 0)
        return;
    device->file = (struct device_file){.owner = status.st_uid, .group = status.st_gid};
}
