/* SPDX-License-Identifier: Apache-2.0 */
/* A recorded machine in the scratch directory: the files of /sys and /proc that say what a medium survives. */
#ifndef BURST_TEST_DEVICE_RECORDED_H
#define BURST_TEST_DEVICE_RECORDED_H

#include "device/media.h"

static char machine[PATH_BYTES + 16];

static inline void make_directories(const char *path) {
    char part[4 * PATH_BYTES];
    snprintf(part, sizeof(part), "%s", path);
    for (char *slash = part + strlen(scratch) + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
        *slash = '\0';
        assert_true(mkdir(part, 0700) == 0 || errno == EEXIST);
        *slash = '/';
    }
}

/* mode "w" or "a" */
static inline void record(const char *mode, const char *path, const char *text) {
    char full[4 * PATH_BYTES];
    snprintf(full, sizeof(full), "%s/%s", machine, path);
    make_directories(full);
    FILE *file = fopen(full, mode);
    assert_non_null(file);
    fprintf(file, "%s\n", text);
    fclose(file);
}

static inline void record_link(const char *path, const char *target) {
    char full[4 * PATH_BYTES], full_target[4 * PATH_BYTES];
    snprintf(full, sizeof(full), "%s/%s", machine, path);
    snprintf(full_target, sizeof(full_target), "%s/%s", machine, target);
    make_directories(full);
    assert_int_equal(symlink(full_target, full), 0);
}

static inline void attribute(const char *directory, const char *name, const char *value) {
    char path[2 * PATH_BYTES];
    snprintf(path, sizeof(path), "%s/%s", directory, name);
    record("w", path, value);
}

/* directory: "sys/devices/.../sda"; number: "8:0". */
static inline void record_device(const char *number, const char *directory) {
    char link[PATH_BYTES];
    attribute(directory, "dev", number);
    snprintf(link, sizeof(link), "sys/dev/block/%s", number);
    record_link(link, directory);
    snprintf(link, sizeof(link), "sys/class/block/%s", strrchr(directory, '/') + 1);
    record_link(link, directory);
}

static inline void record_partition(const char *number, const char *directory) {
    record_device(number, directory);
    attribute(directory, "partition", "1");
}

/* cache: the text of queue/write_cache; NULL: there is no such file. */
static inline void record_virtual(const char *number, const char *directory, const char *cache) {
    record_device(number, directory);
    if (cache != NULL)
        attribute(directory, "queue/write_cache", cache);
}

/* A device with hardware behind it. */
static inline void record_disk(const char *number, const char *directory, const char *cache) {
    record_virtual(number, directory, cache);
    attribute(directory, "device/state", "running");
}

static inline void record_member(const char *directory, const char *member) {
    char link[2 * PATH_BYTES];
    snprintf(link, sizeof(link), "%s/slaves/%s", directory, strrchr(member, '/') + 1);
    record_link(link, member);
}

/* Records a mount as the kernel shows it: number "8:1", point "/data", and so on. A later mount
 * lies on top of earlier ones. */
static inline void record_mount(const char *number, const char *point, const char *type, const char *source,
                                const char *options) {
    static char line[16384];
    snprintf(line, sizeof(line), "30 1 %s / %s rw,relatime shared:1 - %s %s %s", number, point, type, source, options);
    record("a", "proc/self/mountinfo", line);
}

static inline int make_machine(void **state) {
    if (make_scratch(state) < 0)
        return -1;
    snprintf(machine, sizeof(machine), "%s/machine", scratch);
    return 0;
}

#endif
