/* SPDX-License-Identifier: Apache-2.0 */
#include "device/probe.h"

#include <limits.h>
#include <linux/fs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "device/host/sysfs.h"

int medium_is_write_through(dev_t number) {
    char directory[PATH_MAX], cache[SYSFS_LINE_BYTES];
    return sysfs_disk("", number, directory) == 0 && sysfs_line(directory, "queue/write_cache", cache, sizeof(cache)) &&
           strcmp(cache, "write through") == 0;
}

void medium_probe(int fd, struct medium_facts *facts) {
    struct survival survival;
    struct stat status;
    memset(facts, 0, sizeof(*facts));
    if (fstat(fd, &status) == 0 && S_ISBLK(status.st_mode)) {
        int logical = 0;
        unsigned int physical = 0;
        if (ioctl(fd, BLKSSZGET, &logical) == 0)
            facts->logical_block_bytes = (uint32_t)logical;
        if (ioctl(fd, BLKPBSZGET, &physical) == 0)
            facts->physical_block_bytes = physical;
        facts->write_through = medium_is_write_through(status.st_rdev);
        survival_of_block("", status.st_rdev, &survival);
    } else {
        survival_of_file(fd, &survival);
    }
    facts->survives = survival.survives;
    memcpy(facts->because, survival.because, sizeof(facts->because));
}
