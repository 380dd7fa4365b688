/* SPDX-License-Identifier: Apache-2.0 */
#include "device/host/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#define FIGURES_ATTEMPTS 5

/* A line of mountinfo: 36 35 98:0 /root /point options optional.. - type source super-options */
struct mount_line {
    int id;
    struct mount mount;
};

/* Decodes spaces and the like, which the kernel writes as \040. */
static void unescape(char *text) {
    char *to = text;
    for (const char *from = text; *from != '\0'; to++) {
        const int escaped = from[0] == '\\' && from[1] >= '0' && from[1] <= '3' && from[2] >= '0' && from[2] <= '7' &&
                            from[3] >= '0' && from[3] <= '7';
        *to = escaped ? (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0')) : *from;
        from += escaped ? 4 : 1;
    }
    *to = '\0';
}

static int parse(char *line, struct mount_line *parsed) {
    unsigned int number_major, number_minor;
    char *second_half = strstr(line, " - ");
    if (second_half == NULL)
        return 0;
    struct mount *mount = &parsed->mount;
    mount->options[0] = '\0';
    if (sscanf(line, "%d %*d %u:%u %*s %255s %255s", &parsed->id, &number_major, &number_minor, mount->point,
               mount->flags) != 5 ||
        sscanf(second_half + 3, "%31s %255s %8191s", mount->type, mount->source, mount->options) < 2)
        return 0;
    unescape(mount->point);
    unescape(mount->source);
    mount->number = makedev(number_major, number_minor);
    return 1;
}

/* Takes the last line that matches: a later mount lies on top. */
static int find_mount(const char *root, const char *process,
                      int (*matches)(const struct mount_line *line, void *wanted), void *wanted, struct mount *mount) {
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "%s/proc/%s/mountinfo", root, process);
    FILE *table = fopen(path, "re");
    if (table == NULL)
        return -errno;
    char *text = NULL;
    size_t text_bytes = 0;
    struct mount_line line;
    int result = -ENOENT;
    while (getline(&text, &text_bytes, table) > 0) {
        if (parse(text, &line) && matches(&line, wanted)) {
            *mount = line.mount;
            result = 0;
        }
    }
    free(text);
    fclose(table);
    return result;
}

static int has_id(const struct mount_line *line, void *wanted) {
    return line->id == *(const int *)wanted;
}

/* Matches the number or the source: btrfs shows a number of its own. */
static int has_device(const struct mount_line *line, void *wanted) {
    dev_t number = *(const dev_t *)wanted;
    struct stat source;
    return line->mount.number == number || (line->mount.source[0] == '/' && stat(line->mount.source, &source) == 0 &&
                                            S_ISBLK(source.st_mode) && source.st_rdev == number);
}

struct longest {
    const char *path;
    size_t length; /* length of the longest mount point so far */
};

static int is_longest_before(const struct mount_line *line, void *wanted) {
    struct longest *longest = wanted;
    size_t length = strlen(line->mount.point);
    if (length == 1)
        length = 0; /* "/" comes before all others */
    if (length < longest->length || strncmp(longest->path, line->mount.point, length) != 0 ||
        (longest->path[length] != '/' && longest->path[length] != '\0'))
        return 0;
    longest->length = length;
    return 1;
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
    return found ? find_mount("", process, has_id, &id, mount) : -ENOENT;
}

int mount_of(int fd, struct mount *mount) {
    char descriptor[16];
    snprintf(descriptor, sizeof(descriptor), "%d", fd);
    return mount_of_descriptor("self", descriptor, mount);
}

int mount_of_path(const char *root, const char *path, struct mount *mount) {
    struct longest longest = {.path = path};
    if (root[0] != '\0')
        return find_mount(root, "self", is_longest_before, &longest, mount);
    const int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0)
        return -errno;
    const int result = mount_of(fd, mount);
    close(fd);
    return result;
}

int mount_of_device(dev_t number, struct mount *mount) {
    return find_mount("", "self", has_device, &number, mount);
}

static int has_same_figures(const struct statfs *one, const struct statfs *other) {
    return one->f_blocks > 0 && one->f_bsize == other->f_bsize && one->f_blocks == other->f_blocks &&
           one->f_bfree == other->f_bfree && one->f_files == other->f_files && one->f_ffree == other->f_ffree;
}

/* Looks only at file systems on block devices. Others may have the same figures by chance, or wait for a server. */
static int is_below(const struct mount_line *line, void *wanted) {
    const char *point = wanted;
    const struct mount *mount = &line->mount;
    struct statfs overlay, other;
    if ((major(mount->number) == 0 && strcmp(mount->type, "btrfs") != 0) || strcmp(mount->type, "fuseblk") == 0)
        return 0;
    for (int attempt = 0; attempt < FIGURES_ATTEMPTS; attempt++) { /* other processes change the figures meanwhile */
        if (statfs(point, &overlay) == 0 && statfs(mount->point, &other) == 0 && has_same_figures(&overlay, &other))
            return 1;
    }
    return 0;
}

int mount_below_overlay(const char *point, struct mount *mount) {
    return find_mount("", "self", is_below, (void *)point, mount);
}

static int find_option(const char *options, const char *name, char *value, size_t value_bytes) {
    const size_t name_bytes = strlen(name);
    for (const char *option = options; *option != '\0';) {
        const size_t length = strcspn(option, ",");
        if (length >= name_bytes && strncmp(option, name, name_bytes) == 0 &&
            (length == name_bytes || option[name_bytes] == '=')) {
            const size_t rest = length == name_bytes ? 0 : length - name_bytes - 1;
            if (value != NULL) {
                snprintf(value, value_bytes, "%.*s", (int)rest, option + length - rest);
                unescape(value);
            }
            return 1;
        }
        option += length + (option[length] == ',');
    }
    return 0;
}

int mount_option(const struct mount *mount, const char *name, char *value, size_t value_bytes) {
    return find_option(mount->options, name, value, value_bytes);
}

int mount_has_flag(const struct mount *mount, const char *name) {
    return find_option(mount->flags, name, NULL, 0);
}

int mount_has_no_barriers(const struct mount *mount) {
    char value[32];
    return mount_option(mount, "nobarrier", NULL, 0) ||
           (mount_option(mount, "barrier", value, sizeof(value)) &&
            (strcmp(value, "0") == 0 || strcmp(value, "none") == 0)) ||
           (mount_option(mount, "fsync_mode", value, sizeof(value)) && strcmp(value, "nobarrier") == 0);
}
