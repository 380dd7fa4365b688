/* SPDX-License-Identifier: Apache-2.0 */
#include "device/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "device/sysfs.h"

/* 36 35 98:0 /root /point options optional.. - type source super-options */
struct mount_line {
    int id;
    struct mount mount;
};

static int parse(char *line, struct mount_line *parsed) {
    unsigned int number_major, number_minor;
    char *second_half = strstr(line, " - ");
    if (second_half == NULL)
        return 0;
    struct mount *mount = &parsed->mount;
    mount->options[0] = '\0';
    if (sscanf(line, "%d %*d %u:%u %*s %255s %255s", &parsed->id, &number_major, &number_minor, mount->point,
               mount->point_options) != 5 ||
        sscanf(second_half + 3, "%31s %255s %1023s", mount->type, mount->source, mount->options) < 2)
        return 0;
    mount->number = makedev(number_major, number_minor);
    return 1;
}

/* The last line of the table that matches better than those before it: `matches` says how well, 0 not at all. */
static int find(const char *root, size_t (*matches)(const struct mount_line *line, const void *wanted),
                const void *wanted, struct mount *mount) {
    char path[SYSFS_PATH_BYTES];
    snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
    FILE *table = fopen(path, "re");
    if (table == NULL)
        return -errno;
    char *text = NULL;
    size_t text_bytes = 0, best = 0;
    struct mount_line line;
    while (getline(&text, &text_bytes, table) > 0) {
        size_t match = parse(text, &line) ? matches(&line, wanted) : 0;
        if (match > 0 && match >= best) {
            *mount = line.mount;
            best = match;
        }
    }
    free(text);
    fclose(table);
    return best > 0 ? 0 : -ENOENT;
}

static size_t has_id(const struct mount_line *line, const void *wanted) {
    return line->id == *(const int *)wanted;
}

/* By the number, and by the source as well: btrfs shows a number of its own. */
static size_t has_device(const struct mount_line *line, const void *wanted) {
    dev_t number = *(const dev_t *)wanted;
    struct stat source;
    return line->mount.number == number || (line->mount.source[0] == '/' && stat(line->mount.source, &source) == 0 &&
                                      S_ISBLK(source.st_mode) && source.st_rdev == number);
}

/* A path is on the longest mount point above it; of two mounts there, on the later one. */
static size_t is_above(const struct mount_line *line, const void *wanted) {
    const char *path = wanted, *point = line->mount.point;
    size_t length = strlen(point);
    if (strcmp(point, "/") == 0)
        return 1;
    return strncmp(path, point, length) == 0 && (path[length] == '/' || path[length] == '\0') ? length : 0;
}

int mount_of(int fd, struct mount *mount) {
    char path[64], line[128];
    snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
    FILE *info = fopen(path, "re");
    if (info == NULL)
        return -errno;
    int id, found = 0;
    while (!found && fgets(line, sizeof(line), info) != NULL)
        found = sscanf(line, "mnt_id: %d", &id) == 1;
    fclose(info);
    return found ? find("", has_id, &id, mount) : -ENOENT;
}

int mount_of_device(dev_t number, struct mount *mount) {
    return find("", has_device, &number, mount);
}

int mount_of_path(const char *root, const char *path, struct mount *mount) {
    return find(root, is_above, path, mount);
}

int mount_has_option(const char *options, const char *wanted) {
    size_t length = strlen(wanted);
    for (const char *option = options; option != NULL; option = strchr(option, ',')) {
        option += *option == ',';
        if (strncmp(option, wanted, length) == 0 && (option[length] == ',' || option[length] == '\0'))
            return 1;
    }
    return 0;
}

int mount_has_no_barriers(const struct mount *mount) {
    return mount_has_option(mount->options, "nobarrier") || mount_has_option(mount->options, "barrier=0");
}
