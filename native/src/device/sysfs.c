/* SPDX-License-Identifier: Apache-2.0 */
#include "device/sysfs.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

int sysfs_line(const char *path, char *line, size_t line_bytes) {
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -errno;
    char *got = fgets(line, (int)line_bytes, file);
    fclose(file);
    if (got == NULL)
        return -ENODATA;
    line[strcspn(line, "\n")] = '\0';
    return 0;
}

int sysfs_disk_under(const char *root, dev_t number, char *directory, uint64_t *begin_bytes) {
    char path[SYSFS_PATH_BYTES], line[32];
    snprintf(path, sizeof(path), "%s/dev/block/%u:%u", root, major(number), minor(number));
    if (realpath(path, directory) == NULL)
        return -errno;
    if (begin_bytes != NULL)
        *begin_bytes = 0;
    snprintf(path, sizeof(path), "%s/partition", directory);
    if (access(path, F_OK) < 0)
        return 0;
    snprintf(path, sizeof(path), "%s/start", directory);
    const int result = begin_bytes == NULL ? 0 : sysfs_line(path, line, sizeof(line));
    if (begin_bytes != NULL && result == 0)
        *begin_bytes = strtoull(line, NULL, 10) * SYSFS_SECTOR_BYTES;
    *strrchr(directory, '/') = '\0';
    return result;
}

int sysfs_disk(dev_t number, char *directory) {
    return sysfs_disk_under("/sys", number, directory, NULL);
}
