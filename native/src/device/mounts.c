/* SPDX-License-Identifier: Apache-2.0 */
#include "device/mounts.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

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
    if (sscanf(line, "%d %*d %u:%u %*s %255s", &parsed->id, &number_major, &number_minor, mount->point) != 4 ||
        sscanf(second_half + 3, "%31s %255s %1023s", mount->type, mount->source, mount->options) < 2)
        return 0;
    mount->number = makedev(number_major, number_minor);
    return 1;
}

static int find(const char *process, int (*matches)(const struct mount_line *line, const void *wanted),
                const void *wanted, struct mount *mount) {
    char path[64];
    snprintf(path, sizeof(path), "/proc/%s/mountinfo", process);
    FILE *table = fopen(path, "re");
    if (table == NULL)
        return -errno;
    char *text = NULL;
    size_t text_bytes = 0;
    struct mount_line line;
    int result = -ENOENT;
    while (result < 0 && getline(&text, &text_bytes, table) > 0) {
        if (parse(text, &line) && matches(&line, wanted)) {
            *mount = line.mount;
            result = 0;
        }
    }
    free(text);
    fclose(table);
    return result;
}

static int has_id(const struct mount_line *line, const void *wanted) {
    return line->id == *(const int *)wanted;
}

/* By the number, and by the source as well: btrfs shows a number of its own. */
static int has_device(const struct mount_line *line, const void *wanted) {
    dev_t number = *(const dev_t *)wanted;
    struct stat source;
    return line->mount.number == number || (line->mount.source[0] == '/' && stat(line->mount.source, &source) == 0 &&
                                      S_ISBLK(source.st_mode) && source.st_rdev == number);
}

int mount_of_descriptor(const char *process, const char *descriptor, struct mount *mount) {
    char path[64], line[128];
    snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", process, descriptor);
    FILE *info = fopen(path, "re");
    if (info == NULL)
        return -errno;
    int id, found = 0;
    while (!found && fgets(line, sizeof(line), info) != NULL)
        found = sscanf(line, "mnt_id: %d", &id) == 1;
    fclose(info);
    return found ? find(process, has_id, &id, mount) : -ENOENT;
}

int mount_of(int fd, struct mount *mount) {
    char descriptor[16];
    snprintf(descriptor, sizeof(descriptor), "%d", fd);
    return mount_of_descriptor("self", descriptor, mount);
}

int mount_of_device(dev_t number, struct mount *mount) {
    return find("self", has_device, &number, mount);
}

int mount_has_no_barriers(const struct mount *mount) {
    char options[sizeof(mount->options)], *rest = NULL;
    memcpy(options, mount->options, sizeof(options));
    for (char *option = strtok_r(options, ",", &rest); option != NULL; option = strtok_r(NULL, ",", &rest)) {
        if (strcmp(option, "nobarrier") == 0 || strcmp(option, "barrier=0") == 0)
            return 1;
    }
    return 0;
}
