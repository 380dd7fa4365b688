/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/file/mount_identity.h"

#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "base/path.h"

_Static_assert(sizeof(((struct mount_identity *)0)->folder) >= PATH_MAX, "realpath writes there");

/* Cuts the path to its existing part, all links followed. *missing gets the part that was cut, without a slash before
 * it. Returns 0 or -errno. */
static int resolve(char *path, char *resolved, char *missing) {
    missing[0] = '\0';
    while (realpath(path, resolved) == NULL) {
        char above[PATH_MAX], longer[PATH_MAX];
        if (errno != ENOENT)
            return -errno;
        if (strcmp(path, "/") == 0)
            return -ENOENT;
        int length = snprintf(longer, sizeof(longer), "%s%s%s", path_name(path), *missing == '\0' ? "" : "/", missing);
        int result = path_directory(path, above, sizeof(above));
        if (result < 0 || length >= (int)sizeof(longer))
            return -ENAMETOOLONG;
        memcpy(missing, longer, (size_t)length + 1);
        memcpy(path, above, sizeof(above));
    }
    return 0;
}

/* Whether the content outlives a restart. A file system in memory, or of a container, begins empty again: nobody misses
 * its content. */
static int is_lasting(const struct statfs *status) {
    const unsigned long type = (unsigned long)status->f_type & 0xffffffff;
    return type != TMPFS_MAGIC && type != RAMFS_MAGIC && type != OVERLAYFS_SUPER_MAGIC;
}

uint64_t lasting_number(const struct statfs *status) {
    const unsigned long type = (unsigned long)status->f_type & 0xffffffff;
    uint64_t number = 0;
    if (type == EXT4_SUPER_MAGIC || type == BTRFS_SUPER_MAGIC) /* XFS gives the number of its device */
        memcpy(&number, &status->f_fsid, sizeof(number));
    return number;
}

/* The length of the part of the path that leads onto the file system `device` of its folder. 0: it is the root's, or
 * the file itself is a link to another place. */
static uint32_t entry(const char *path, uint64_t device) {
    char here[PATH_MAX], above[PATH_MAX];
    struct stat status;
    if (path_directory(path, here, sizeof(here)) < 0 || stat(here, &status) < 0 || (uint64_t)status.st_dev != device)
        return 0;
    while (strcmp(here, "/") != 0) {
        if (path_directory(here, above, sizeof(above)) < 0 || stat(above, &status) < 0)
            return 0;
        if ((uint64_t)status.st_dev != device)
            return (uint32_t)strlen(here);
        memcpy(here, above, sizeof(here));
    }
    return 0;
}

int host_mount_identity(const struct files *files, const char *path, struct mount_identity *mount) {
    (void)files;
    char target[PATH_MAX], there[PATH_MAX], missing[PATH_MAX];
    struct stat status;
    struct statfs file_system;
    int result = path_follow(path, target, sizeof(target));
    if (result == 0)
        result = path_directory(target, there, sizeof(there));
    if (result == 0)
        result = resolve(there, mount->folder, missing);
    if (result < 0)
        return result;
    if (stat(mount->folder, &status) < 0 || statfs(mount->folder, &file_system) < 0)
        return -errno;
    if (!S_ISDIR(status.st_mode))
        return -ENOTDIR;
    size_t used = strlen(mount->folder);
    int more = snprintf(mount->folder + used, sizeof(mount->folder) - used, "%s%s",
                        *missing == '\0' || used == 1 ? "" : "/", missing);
    if ((size_t)more >= sizeof(mount->folder) - used)
        return -ENAMETOOLONG;
    mount->device = (uint64_t)status.st_dev;
    mount->file_system = lasting_number(&file_system);
    mount->entry_bytes = is_lasting(&file_system) ? entry(path, mount->device) : 0;
    return 0;
}
