/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a medium survives is read off the kernel's own description of it: a block device is looked up in /sys, a file
 * leads to the block device under its file system, and devices made of others lead to those.
 */
#include "device/probe.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "burstlog.h"
#include "device/mounts.h"
#include "device/sysfs.h"

#define DEPTH_MAX 8 /* devices under devices */
#define NAME_MAX_SHOWN 48

static void conclude(struct medium_facts *facts, int survives, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void conclude(struct medium_facts *facts, int survives, const char *format, ...) {
    facts->survives = survives;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(facts->because, sizeof(facts->because), format, arguments);
    va_end(arguments);
}

static void classify_block(dev_t number, int depth, struct medium_facts *facts);
static void classify_path(const char *path, int depth, struct medium_facts *facts);

static int is_numbered(const char *name, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(name, prefix, length) == 0 && isdigit((unsigned char)name[length]);
}

/* Disks that are memory. */
static const struct {
    const char *prefix;
    const char *what;
} memory_disks[] = {
    {"zram", "keeps its blocks in memory (zram)"},
    {"ram", "keeps its blocks in memory (brd)"},
    {"nullb", "is a test device that keeps its blocks in memory or nowhere (null_blk)"},
};

/* A device made of others (device-mapper, md) is as weak as the weakest. True if it is one. */
static int classify_members(const char *directory, const char *name, int depth, struct medium_facts *facts) {
    char path[SYSFS_PATH_BYTES + NAME_MAX + 16], line[64];
    snprintf(path, sizeof(path), "%s/slaves", directory);
    DIR *members = opendir(path);
    if (members == NULL)
        return 0;
    int found = 0;
    struct dirent *entry;
    while ((entry = readdir(members)) != NULL) {
        unsigned int number_major, number_minor;
        snprintf(path, sizeof(path), "%s/slaves/%s/dev", directory, entry->d_name);
        if (entry->d_name[0] == '.' || sysfs_line(path, line, sizeof(line)) < 0 ||
            sscanf(line, "%u:%u", &number_major, &number_minor) != 2)
            continue;
        struct medium_facts member = *facts;
        classify_block(makedev(number_major, number_minor), depth + 1, &member);
        if (!found || member.survives > facts->survives)
            conclude(facts, member.survives, "%.*s is made of others: %.100s", NAME_MAX_SHOWN, name, member.because);
        found = 1;
    }
    closedir(members);
    return found;
}

static void classify_loop(const char *directory, const char *name, int depth, struct medium_facts *facts) {
    char path[SYSFS_PATH_BYTES], backing[PATH_MAX];
    snprintf(path, sizeof(path), "%s/loop/backing_file", directory);
    if (sysfs_line(path, backing, sizeof(backing)) < 0) {
        conclude(facts, BURST_DURABILITY_POWER, "%s has no backing file: loss of power is assumed", name);
        return;
    }
    struct medium_facts under = *facts;
    classify_path(backing, depth + 1, &under);
    conclude(facts, under.survives, "%.*s stores in %.*s: %.80s", NAME_MAX_SHOWN, name, NAME_MAX_SHOWN, backing,
             under.because);
}

static void classify_block(dev_t number, int depth, struct medium_facts *facts) {
    char directory[PATH_MAX];
    if (depth > DEPTH_MAX || sysfs_disk("", number, directory) < 0) {
        conclude(facts, BURST_DURABILITY_POWER, "nothing is known of block device %u:%u: loss of power is assumed",
                 major(number), minor(number));
        return;
    }
    const char *name = strrchr(directory, '/') + 1;
    for (size_t i = 0; i < sizeof(memory_disks) / sizeof(memory_disks[0]); i++) {
        if (is_numbered(name, memory_disks[i].prefix)) {
            conclude(facts, BURST_DURABILITY_PROCESS, "%s %s", name, memory_disks[i].what);
            return;
        }
    }
    if (is_numbered(name, "loop"))
        classify_loop(directory, name, depth, facts);
    else if (!classify_members(directory, name, depth, facts))
        conclude(facts, BURST_DURABILITY_POWER, "%.*s is a disk", NAME_MAX_SHOWN, name);
}

static const struct {
    long magic;
    const char *name;
} memory_file_systems[] = {{TMPFS_MAGIC, "tmpfs"}, {RAMFS_MAGIC, "ramfs"}, {HUGETLBFS_MAGIC, "hugetlbfs"}};

static void classify_mount(int fd, dev_t number, int depth, struct medium_facts *facts) {
    struct mount mount;
    struct stat source;
    int known = mount_of(fd, &mount) == 0;
    if (major(number) != 0)
        classify_block(number, depth, facts);
    else if (known && mount.source[0] == '/' && stat(mount.source, &source) == 0 && S_ISBLK(source.st_mode))
        classify_block(source.st_rdev, depth, facts); /* btrfs, for one, numbers its subvolumes */
    else if (known)
        conclude(facts, BURST_DURABILITY_POWER, "what lies under file system %s is not known: loss of power is assumed",
                 mount.type);
    else
        conclude(facts, BURST_DURABILITY_POWER, "its file system is not known: loss of power is assumed");
    if (known && facts->survives == BURST_DURABILITY_POWER && mount_has_no_barriers(&mount))
        conclude(facts, BURST_DURABILITY_OS_CRASH, "its %s is mounted without write barriers (%s)", mount.type,
                 mount.point);
}

static void classify_file(int fd, dev_t number, int depth, struct medium_facts *facts) {
    struct statfs file_system;
    if (fstatfs(fd, &file_system) == 0) {
        for (size_t i = 0; i < sizeof(memory_file_systems) / sizeof(memory_file_systems[0]); i++) {
            if (file_system.f_type == (__typeof__(file_system.f_type))memory_file_systems[i].magic) {
                conclude(facts, BURST_DURABILITY_PROCESS, "%s keeps its files in memory", memory_file_systems[i].name);
                return;
            }
        }
    }
    classify_mount(fd, number, depth, facts);
}

static void classify_path(const char *path, int depth, struct medium_facts *facts) {
    struct stat status;
    int fd = open(path, O_PATH | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0)
        conclude(facts, BURST_DURABILITY_POWER, "it cannot be looked at: loss of power is assumed");
    else if (S_ISBLK(status.st_mode))
        classify_block(status.st_rdev, depth, facts);
    else
        classify_file(fd, status.st_dev, depth, facts);
    if (fd >= 0)
        close(fd);
}

static int is_write_through(dev_t number) {
    char directory[PATH_MAX], path[SYSFS_PATH_BYTES], cache[32];
    if (sysfs_disk("", number, directory) < 0)
        return 0;
    snprintf(path, sizeof(path), "%s/queue/write_cache", directory);
    return sysfs_line(path, cache, sizeof(cache)) == 0 && strcmp(cache, "write through") == 0;
}

void medium_probe(int fd, struct medium_facts *facts) {
    memset(facts, 0, sizeof(*facts));
    struct stat status;
    if (fstat(fd, &status) < 0) {
        conclude(facts, BURST_DURABILITY_POWER, "it cannot be looked at: loss of power is assumed");
    } else if (S_ISBLK(status.st_mode)) {
        int logical = 0;
        unsigned int physical = 0;
        if (ioctl(fd, BLKSSZGET, &logical) == 0)
            facts->logical_block_bytes = (uint32_t)logical;
        if (ioctl(fd, BLKPBSZGET, &physical) == 0)
            facts->physical_block_bytes = physical;
        facts->write_through = is_write_through(status.st_rdev);
        classify_block(status.st_rdev, 0, facts);
    } else {
        classify_file(fd, status.st_dev, 0, facts);
    }
}
