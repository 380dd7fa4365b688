/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "base/error.h"
#include "base/path.h"
#include "cli/doctor/host.h"

#define DEPTH_MAX 8 /* devices under devices */

static const char *on_host(const struct host *host, const char *real) {
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

/* From a disk that is made of others (device-mapper, md) to the first of them. 0 if it is not. */
static int go_below(const struct host *host, char *directory) {
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
    snprintf(directory, PATH_MAX, "%s", on_host(host, real));
    return 1;
}

static void find_disk(const struct host *host, dev_t number, struct place *place) {
    char real[PATH_MAX];
    if (sysfs_disk(host->root, number, real) < 0) {
        return;
    }
    snprintf(place->directory, sizeof place->directory, "%s", on_host(host, real));
    for (int depth = 0; depth < DEPTH_MAX && go_below(host, place->directory); depth++) {
    }
    snprintf(place->disk, sizeof place->disk, "%.63s", path_name(place->directory));
}

/* Where the path leads, also if the file itself is not there yet. */
static int resolve(const struct host *host, const char *path, char *resolved) {
    char followed[PATH_MAX], directory[PATH_MAX], above[PATH_MAX];
    if (host_is_recorded(host)) {
        snprintf(resolved, HOST_PATH_BYTES, "%s", path);
        return path[0] == '/' ? 0 : error_set(EINVAL, "%s: a file of a recorded host is named from its root", path);
    }
    int rc = path_follow(path, followed, sizeof followed);
    if (rc == 0 && realpath(followed, resolved) != NULL) {
        return 0;
    }
    if (rc < 0 || path_directory(followed, directory, sizeof directory) < 0 || realpath(directory, above) == NULL) {
        rc = rc < 0 ? -rc : errno;
        return error_set(rc, "%s cannot be looked at: %s", path, error_name(rc));
    }
    snprintf(resolved, HOST_PATH_BYTES, "%s/%s", strcmp(above, "/") == 0 ? "" : above, path_name(followed));
    return 0;
}

/* A file that is not there yet will be where its directory is. */
static int find_mount(const struct host *host, struct place *place) {
    char directory[PATH_MAX];
    const int rc = mount_of_path(host->root, place->path, &place->mount);
    return rc == -ENOENT && path_directory(place->path, directory, sizeof directory) == 0
               ? mount_of_path(host->root, directory, &place->mount)
               : rc;
}

int place_find(const struct host *host, const char *path, struct place *place) {
    memset(place, 0, sizeof *place);
    const int rc = resolve(host, path, place->path);
    if (rc < 0) {
        return rc;
    }
    dev_t number;
    if (sysfs_node_number(host->root, place->path, &number)) {
        place->is_device = 1;
        find_disk(host, number, place);
        return 0;
    }
    if (find_mount(host, place) < 0) {
        return 0; /* unknown: the checks say so */
    }
    place->mounted = 1;
    number = place->mount.number;
    if (major(number) != 0 ||
        sysfs_node_number(host->root, place->mount.source, &number)) { /* btrfs has its own numbers */
        find_disk(host, number, place);
    }
    return 0;
}

int place_find_above(const struct host *host, const struct place *place, const char *name, char *path) {
    char directory[PATH_MAX];
    snprintf(directory, sizeof directory, "%s", place->directory);
    while (strncmp(directory, "/sys/devices/", 13) == 0) {
        snprintf(path, HOST_PATH_BYTES, "%s/%s", directory, name);
        if (host_exists(host, path)) {
            return 0;
        }
        *strrchr(directory, '/') = '\0';
    }
    return -ENOENT;
}
