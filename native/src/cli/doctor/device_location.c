/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/error.h"
#include "base/path.h"
#include "cli/doctor/host.h"

#define DEPTH_MAX 8 /* devices under devices, at most */

static const char *path_on_host(const struct host *host, const char *real) {
    char root[PATH_MAX];
    if (!host_is_recorded(host) || realpath(host->root, root) == NULL) {
        return real;
    }
    const size_t length = strlen(root);
    return strncmp(real, root, length) == 0 ? real + length : real;
}

static void keep_first(void *argument, const char *entry) {
    char *first = argument;
    if (first[0] == '\0') {
        snprintf(first, NAME_MAX + 1, "%s", entry);
    }
}

/* Goes from a disk that consists of others (device-mapper, md) to the first of them. Returns 0 if it consists of
 * none. */
static int descend_to_member(const struct host *host, char *directory) {
    char path[2 * PATH_MAX + NAME_MAX + 16], member[NAME_MAX + 1] = "", real[PATH_MAX];
    dev_t number;
    snprintf(path, sizeof path, "%s%s", host->root, directory);
    if (sysfs_entries(path, "slaves", keep_first, member) == 0) {
        return 0;
    }
    snprintf(path, sizeof path, "%s%s/slaves/%s", host->root, directory, member);
    if (!sysfs_number(path, &number) || sysfs_disk(host->root, number, real) < 0) {
        return 0;
    }
    snprintf(directory, PATH_MAX, "%s", path_on_host(host, real));
    return 1;
}

static void find_disk(const struct host *host, dev_t number, struct device_location *location) {
    char real[PATH_MAX];
    if (sysfs_disk(host->root, number, real) < 0) {
        return;
    }
    snprintf(location->directory, sizeof location->directory, "%s", path_on_host(host, real));
    for (int depth = 0; depth < DEPTH_MAX && descend_to_member(host, location->directory); depth++) {
        snprintf(location->stack, sizeof location->stack, "%.63s", path_name(real));
    }
    snprintf(location->disk, sizeof location->disk, "%.63s", path_name(location->directory));
}

/* Resolves the path's links. The file itself need not exist yet. */
static int resolve_path(const struct host *host, const char *path, char *resolved) {
    char followed[PATH_MAX], directory[PATH_MAX], above[PATH_MAX];
    if (host_is_recorded(host)) {
        snprintf(resolved, HOST_PATH_BYTES, "%s", path);
        return path[0] == '/'
                   ? 0
                   : error_set(EINVAL, "%s: name a file of a recorded host by its absolute path there", path);
    }
    int rc = path_follow(path, followed, sizeof followed);
    if (rc == 0 && realpath(followed, resolved) != NULL) {
        return 0;
    }
    if (rc < 0 || path_directory(followed, directory, sizeof directory) < 0 || realpath(directory, above) == NULL) {
        rc = rc < 0 ? -rc : errno;
        return error_set(rc, "%s cannot be found: %s", path, error_name(rc));
    }
    snprintf(resolved, HOST_PATH_BYTES, "%s/%s", strcmp(above, "/") == 0 ? "" : above, path_name(followed));
    return 0;
}

/* Finds the mount of the file; if the file does not exist yet, the mount of its folder. */
static int find_mount(const struct host *host, struct device_location *location) {
    char directory[PATH_MAX];
    const int rc = mount_of_path(host->root, location->path, &location->mount);
    return rc == -ENOENT && path_directory(location->path, directory, sizeof directory) == 0
               ? mount_of_path(host->root, directory, &location->mount)
               : rc;
}

int device_location_find(const struct host *host, const char *path, struct device_location *location) {
    memset(location, 0, sizeof *location);
    const int rc = resolve_path(host, path, location->path);
    if (rc < 0) {
        return rc;
    }
    dev_t number;
    if (sysfs_node_number(host->root, location->path, &number)) {
        location->is_device = 1;
        find_disk(host, number, location);
        return 0;
    }
    if (find_mount(host, location) < 0) {
        return 0; /* no mount is known: the checks report that */
    }
    location->mounted = 1;
    number = location->mount.number;
    if (major(number) != 0 ||
        sysfs_node_number(host->root, location->mount.source, &number)) { /* btrfs shows device numbers of its own */
        find_disk(host, number, location);
    }
    return 0;
}

int device_location_judge(const struct host *host, const struct device_location *location, struct survival *survival,
                          enum cache_said *said) {
    char directory[2 * PATH_MAX];
    dev_t number;
    snprintf(directory, sizeof directory, "%s%s", host->root, location->directory);
    if (!sysfs_number(directory, &number)) {
        return -ENOENT;
    }
    survival_of_block(host->root, number, survival);
    *said = survival_cache_said(directory);
    return 0;
}

int device_location_find_above(const struct host *host, const struct device_location *location, const char *name,
                               char *path) {
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", location->directory);
    while (strncmp(directory, "/sys/devices/", 13) == 0) {
        snprintf(path, HOST_PATH_BYTES, "%s/%s", directory, name);
        if (host_exists(host, path)) {
            return 0;
        }
        *strrchr(directory, '/') = '\0';
    }
    return -ENOENT;
}
