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

int sysfs_disk(const char *root, dev_t number, char *directory) {
    char link[SYSFS_PATH_BYTES], partition[SYSFS_PATH_BYTES];
    snprintf(link, sizeof(link), "%s/sys/dev/block/%u:%u", root, major(number), minor(number));
    if (realpath(link, directory) == NULL)
        return -errno;
    snprintf(partition, sizeof(partition), "%s/partition", directory);
    if (access(partition, F_OK) == 0)
        *strrchr(directory, '/') = '\0';
    return 0;
}
