/* SPDX-License-Identifier: Apache-2.0 */
/* Block devices: their members, their caches, and whether they are disks at all. */
#include <ctype.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "device/host/survival_block.h"
#include "device/host/sysfs.h"

void conclude(struct survival *survival, int survives, const char *format, ...) {
    survival->survives = survives;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(survival->because, sizeof(survival->because), format, arguments);
    va_end(arguments);
}

void weaken(struct survival *survival, const struct survival *other) {
    if (survival->because[0] == '\0' || other->survives > survival->survives)
        *survival = *other;
}

/* Disks that are memory, by the beginning of their name. */
static const struct {
    const char *prefix;
    const char *what;
} memory_disks[] = {
    {"zram", "keeps its blocks in memory (zram)"},
    {"ram", "keeps its blocks in memory (brd)"},
    {"nullb", "is a test device that keeps its blocks in memory or nowhere (null_blk)"},
};

/* Disks that are memory behind a real driver, by the beginning of their model. */
static const char *const memory_models[] = {"scsi_debug", "RAMDISK"};

static int is_numbered(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && isdigit((unsigned char)name[length]);
}

static int line_is(const char *directory, const char *name, const char *wanted) {
    char line[SYSFS_LINE_BYTES];
    return sysfs_line(directory, name, line, sizeof(line)) && strcmp(line, wanted) == 0;
}

static int is_write_through(const char *directory) {
    return line_is(directory, "queue/write_cache", "write through");
}

/* ------------------------------------------------------------------------------------------ made of others */

struct members {
    const char *root;
    const char *directory;
    int depth;
    int has_cache; /* a member has a volatile cache */
    struct survival weakest;
};

static void weaken_by_member(void *argument, const char *name) {
    struct members *members = argument;
    char member[SYSFS_PATH_BYTES + NAME_MAX], disk[PATH_MAX];
    dev_t number;
    struct survival one;
    snprintf(member, sizeof(member), "%s/slaves/%s", members->directory, name);
    if (!sysfs_number(member, &number))
        return;
    survival_of_block_under(members->root, number, members->depth + 1, &one);
    weaken(&members->weakest, &one);
    members->has_cache |=
        sysfs_disk(members->root, number, disk) == 0 && line_is(disk, "queue/write_cache", "write back");
}

/* Judges by the weakest member, and lower if flushes do not reach a member that needs them. */
static void survival_of_members(const char *root, const char *directory, int depth, struct survival *survival) {
    const char *name = sysfs_name(directory);
    struct members members = {.root = root, .directory = directory, .depth = depth};
    sysfs_entries(directory, "slaves", weaken_by_member, &members);
    if (members.weakest.because[0] == '\0')
        conclude(survival, DURABILITY_PROCESS, "%.32s is made of devices that cannot be seen", name);
    else if (members.weakest.survives == DURABILITY_POWER && members.has_cache && is_write_through(directory))
        conclude(survival, DURABILITY_OS_CRASH,
                 "%.32s is set to write through and hands no flush on to its disks, which have volatile caches", name);
    else
        conclude(survival, members.weakest.survives, "%.32s is made of others: %.160s", name, members.weakest.because);
}

static void survival_of_loop(const char *root, const char *directory, int depth, struct survival *survival) {
    const char *name = sysfs_name(directory);
    char backing[PATH_MAX];
    struct survival under;
    if (!sysfs_line(directory, "loop/backing_file", backing, sizeof(backing))) {
        conclude(survival, DURABILITY_PROCESS, "%.32s has no backing file that can be seen", name);
        return;
    }
    survival_of_path_under(root, backing, depth + 1, &under);
    if (under.survives < DURABILITY_PROCESS && is_write_through(directory))
        conclude(survival, DURABILITY_PROCESS, "%.32s is set to write through: it never syncs %.100s", name, backing);
    else
        conclude(survival, under.survives, "%.32s stores in %.60s: %.120s", name, backing, under.because);
}

/* ------------------------------------------------------------------------------------------ hardware */

struct cache_type {
    const char *directory;
    char *line;
};

static void read_scsi_cache_type(void *argument, const char *entry) {
    char name[SYSFS_LINE_BYTES + NAME_MAX];
    const struct cache_type *asked = argument;
    snprintf(name, sizeof(name), "device/scsi_disk/%s/cache_type", entry);
    sysfs_line(asked->directory, name, asked->line, SYSFS_LINE_BYTES);
}

enum cache_said survival_cache_said(const char *directory) {
    char line[SYSFS_LINE_BYTES];
    if (!sysfs_line(directory, "cache_type", line, sizeof(line)))
        sysfs_entries(directory, "device/scsi_disk", read_scsi_cache_type,
                      &(struct cache_type){.directory = directory, .line = line});
    return line[0] == '\0' ? CACHE_NOT_SAID : strncmp(line, "write back", 10) == 0 ? CACHE_WRITE_BACK : CACHE_THROUGH;
}

static int is_memory_model(const char *directory) {
    char model[SYSFS_LINE_BYTES];
    sysfs_line(directory, "device/model", model, sizeof(model));
    for (size_t i = 0; i < sizeof(memory_models) / sizeof(memory_models[0]); i++) {
        if (strncmp(model, memory_models[i], strlen(memory_models[i])) == 0)
            return 1;
    }
    return 0;
}

/* Whether "persistent" memory is plain memory of the kernel's command line (memmap=). */
static int is_made_up_pmem(const char *directory) {
    char bus[PATH_MAX];
    snprintf(bus, sizeof(bus), "%s", directory);
    char *ndbus = strstr(bus, "/ndbus");
    if (ndbus == NULL)
        return 0;
    ndbus[1 + strcspn(ndbus + 1, "/")] = '\0';
    return line_is(bus, "provider", "e820");
}

static const char *who_keeps_flushes(const char *directory, const char *name) {
    if (strstr(directory, "/virtio") != NULL || strstr(directory, "/VMBUS") != NULL || strncmp(name, "xvd", 3) == 0)
        return ", a virtual one: as far as its host keeps flushes";
    if (strncmp(name, "nvme", 4) == 0 &&
        (line_is(directory, "device/transport", "tcp") || line_is(directory, "device/transport", "rdma") ||
         line_is(directory, "device/transport", "fc")))
        return ", a remote one: as far as its target keeps flushes";
    if (strstr(directory, "/session") != NULL)
        return ", a remote one (iSCSI): as far as its target keeps flushes";
    return "";
}

static void survival_of_disk(const char *directory, struct survival *survival) {
    const char *name = sysfs_name(directory), *who = who_keeps_flushes(directory, name);
    if (is_memory_model(directory))
        conclude(survival, DURABILITY_PROCESS, "%.32s keeps its blocks in memory, by its model", name);
    else if (is_made_up_pmem(directory))
        conclude(survival, DURABILITY_PROCESS,
                 "%.32s is memory declared persistent by the kernel's command line "
                 "or an old firmware (e820): nothing proves that it is",
                 name);
    else if (is_numbered(name, "rbd"))
        conclude(survival, DURABILITY_OS_CRASH,
                 "%.32s: its cluster has it, but where it keeps it cannot be seen "
                 "from here",
                 name);
    else if (line_is(directory, "queue/write_cache", "write back"))
        conclude(survival, DURABILITY_POWER, "%.32s is a disk with a write cache that is flushed%s", name, who);
    else if (!is_write_through(directory))
        conclude(survival, DURABILITY_OS_CRASH, "%.32s is a disk, but of its write cache nothing is known", name);
    else if (survival_cache_said(directory) == CACHE_WRITE_BACK)
        conclude(survival, DURABILITY_OS_CRASH,
                 "%.32s is a disk with a write cache that is never flushed: "
                 "queue/write_cache was set to write through",
                 name);
    else if (strstr(directory, "/usb") != NULL)
        conclude(survival, DURABILITY_OS_CRASH,
                 "%.32s is a disk on USB, of which the kernel only assumes that it "
                 "has no write cache",
                 name);
    else
        conclude(survival, DURABILITY_POWER, "%.32s is a disk without a volatile write cache%s", name, who);
}

void survival_of_block_under(const char *root, dev_t number, int depth, struct survival *survival) {
    char directory[PATH_MAX];
    if (depth > SURVIVAL_DEPTH_MAX || sysfs_disk(root, number, directory) < 0) {
        conclude(survival, DURABILITY_PROCESS, "nothing is known of block device %u:%u", major(number), minor(number));
        return;
    }
    const char *name = sysfs_name(directory);
    for (size_t i = 0; i < sizeof(memory_disks) / sizeof(memory_disks[0]); i++) {
        if (is_numbered(name, memory_disks[i].prefix)) {
            conclude(survival, DURABILITY_PROCESS, "%s %s", name, memory_disks[i].what);
            return;
        }
    }
    if (is_numbered(name, "loop"))
        survival_of_loop(root, directory, depth, survival);
    else if (sysfs_entries(directory, "slaves", NULL, NULL) > 0 || sysfs_has(directory, "dm") ||
             sysfs_has(directory, "md"))
        survival_of_members(root, directory, depth, survival);
    else if (sysfs_has(directory, "device"))
        survival_of_disk(directory, survival);
    else
        conclude(survival, DURABILITY_PROCESS, "%.32s is a kind of block device of which nothing is known", name);
}

void survival_of_block(const char *root, dev_t number, struct survival *survival) {
    survival_of_block_under(root, number, 0, survival);
}
