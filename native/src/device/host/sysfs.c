/* SPDX-License-Identifier: Apache-2.0 */
#include "device/host/sysfs.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/read_line.h"

int sysfs_device(const char *root, dev_t number, char *directory) {
    char link[SYSFS_PATH_BYTES];
    snprintf(link, sizeof(link), "%s/sys/dev/block/%u:%u", root, major(number), minor(number));
    return realpath(link, directory) == NULL ? -errno : 0;
}

int sysfs_disk(const char *root, dev_t number, char *directory) {
    const int result = sysfs_device(root, number, directory);
    if (result == 0 && sysfs_has(directory, "partition"))
        *strrchr(directory, '/') = '\0';
    return result;
}

const char *sysfs_name(const char *directory) {
    const char *slash = strrchr(directory, '/');
    return slash == NULL ? directory : slash + 1;
}

int sysfs_line(const char *directory, const char *name, char *line, size_t line_bytes) {
    char path[SYSFS_PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    line[0] = '\0';
    return read_line(path, line, line_bytes) == 0;
}

long long sysfs_value(const char *directory, const char *name, long long missing) {
    char line[SYSFS_LINE_BYTES], *end;
    if (!sysfs_line(directory, name, line, sizeof(line)))
        return missing;
    const long long value = strtoll(line, &end, 10);
    return end == line ? missing : value;
}

int sysfs_number(const char *directory, dev_t *number) {
    char line[SYSFS_LINE_BYTES];
    unsigned int number_major, number_minor;
    if (!sysfs_line(directory, "dev", line, sizeof(line)) || sscanf(line, "%u:%u", &number_major, &number_minor) != 2)
        return 0;
    *number = makedev(number_major, number_minor);
    return 1;
}

int sysfs_has(const char *directory, const char *name) {
    char path[SYSFS_PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    return access(path, F_OK) == 0;
}

int sysfs_node_number(const char *root, const char *path, dev_t *number) {
    struct stat status;
    if (root[0] == '\0') {
        const int is_block = stat(path, &status) == 0 && S_ISBLK(status.st_mode);
        if (is_block)
            *number = status.st_rdev;
        return is_block;
    }
    char directory[SYSFS_PATH_BYTES]; /* a recorded tree has no nodes */
    snprintf(directory, sizeof(directory), "%s/sys/class/block/%s", root, sysfs_name(path));
    return strncmp(path, "/dev/", 5) == 0 && sysfs_number(directory, number);
}

int sysfs_entries(const char *directory, const char *name, void (*each)(void *argument, const char *entry),
                  void *argument) {
    char path[SYSFS_PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    DIR *entries = opendir(path);
    if (entries == NULL)
        return 0;
    int count = 0;
    for (struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        if (entry->d_name[0] == '.')
            continue;
        count++;
        if (each != NULL)
            each(argument, entry->d_name);
    }
    closedir(entries);
    return count;
}
