/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the way from a path to its file system, and from there to the block devices below it. */
#include "device/host/survival.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/path.h"
#include "device/host/mounts.h"
#include "device/host/survival_block.h"
#include "device/host/sysfs.h"

/* These file systems keep files in memory, whatever lies under them. */
static const char *const memory_file_systems[] = {"tmpfs", "ramfs", "rootfs", "devtmpfs", "hugetlbfs"};

static const struct {
    const char *type;
    int survives;
    const char *because;
} file_systems[] = {
    {"nfs", DURABILITY_OS_CRASH,
     "nfs: the server has it, but whether it writes before it says so (export option sync) cannot be seen from here"},
    {"nfs4", DURABILITY_OS_CRASH,
     "nfs4: the server has it, but whether it writes before it says so (export option sync) cannot be seen from here"},
    {"cifs", DURABILITY_OS_CRASH,
     "cifs: the server has it, but whether it writes before it says so (strict sync) cannot be seen from here"},
    {"smb3", DURABILITY_OS_CRASH,
     "smb3: the server has it, but whether it writes before it says so (strict sync) cannot be seen from here"},
    {"ceph", DURABILITY_OS_CRASH, "ceph: its cluster has it, but where it keeps it cannot be seen from here"},
    {"fuseblk", DURABILITY_PROCESS, "fuseblk: what the process that serves it does at a sync is not known"},
};

static const char *memory_file_system(const struct mount *mount) {
    for (size_t i = 0; i < sizeof(memory_file_systems) / sizeof(memory_file_systems[0]); i++) {
        if (strcmp(mount->type, memory_file_systems[i]) == 0)
            return memory_file_systems[i];
    }
    return NULL;
}

static int is_fuse(const char *type) {
    return strcmp(type, "fuse") == 0 || strncmp(type, "fuse.", 5) == 0;
}

static void survival_of_mount(const char *root, const struct mount *mount, int depth, struct survival *survival);

static int find_upper(const char *root, const struct mount *mount, char *upper, size_t upper_bytes) {
    return mount_option(mount, "upperdir", upper, upper_bytes) && upper[0] == '/' &&
           (root[0] != '\0' || access(upper, F_OK) == 0);
}

/* An overlay writes to its upper directory, which a container mostly cannot see. */
static void survival_of_overlay(const char *root, const struct mount *mount, int depth, struct survival *survival) {
    char upper[PATH_MAX], fsync_mode[32];
    struct survival under = {0};
    if (mount_option(mount, "volatile", NULL, 0) || /* the same as newer kernels show it: */
        (mount_option(mount, "fsync", fsync_mode, sizeof(fsync_mode)) && strcmp(fsync_mode, "volatile") == 0)) {
        conclude(survival, DURABILITY_PROCESS, "overlay on %.48s is mounted volatile: it syncs nothing", mount->point);
    } else if (!find_upper(root, mount, upper, sizeof(upper))) {
        struct mount below;
        if (root[0] != '\0' || depth > SURVIVAL_DEPTH_MAX || mount_below_overlay(mount->point, &below) < 0) {
            conclude(survival, DURABILITY_PROCESS, "where the overlay on %.48s stores cannot be seen from here",
                     mount->point);
            return;
        }
        survival_of_mount(root, &below, depth + 1, &under);
        conclude(survival, under.survives, "overlay stores in the file system that is seen at %.48s: %.100s",
                 below.point, under.because);
    } else {
        survival_of_path_under(root, upper, depth + 1, &under);
        conclude(survival, under.survives, "overlay stores in %.64s: %.120s", upper, under.because);
    }
}

struct members {
    const char *root;
    char directory[SYSFS_PATH_BYTES];
    dev_t wanted; /* the device from which the file system is mounted */
    int depth, found;
    struct survival weakest;
};

static void weaken_by_device(void *argument, const char *name) {
    struct members *members = argument;
    char device[SYSFS_PATH_BYTES + NAME_MAX];
    dev_t number;
    struct survival one;
    snprintf(device, sizeof(device), "%s/%s", members->directory, name);
    if (!sysfs_number(device, &number))
        return;
    members->found |= number == members->wanted;
    survival_of_block_under(members->root, number, members->depth, &one);
    weaken(&members->weakest, &one);
}

static void look_at_btrfs(void *argument, const char *uuid) {
    struct members *all = argument;
    if (all->found)
        return;
    struct members *members = &(struct members){.root = all->root, .wanted = all->wanted, .depth = all->depth};
    snprintf(members->directory, sizeof(members->directory), "%s/sys/fs/btrfs/%s/devices", all->root, uuid);
    sysfs_entries(members->directory, "", weaken_by_device, members);
    if (members->found)
        *all = *members;
}

/* btrfs may have many devices, and the table of mounts names only one. */
static void survival_of_btrfs(const char *root, dev_t number, int depth, struct survival *survival) {
    struct members members = {.root = root, .wanted = number, .depth = depth};
    char all[SYSFS_PATH_BYTES];
    snprintf(all, sizeof(all), "%s/sys/fs/btrfs", root);
    survival_of_block_under(root, number, depth, survival);
    sysfs_entries(all, "", look_at_btrfs, &members);
    if (members.found)
        weaken(survival, &members.weakest);
}

static void survival_of_disks(const char *root, const struct mount *mount, int depth, struct survival *survival) {
    static const char *const further[] = {"logdev", "rtdev"};
    char path[PATH_MAX];
    dev_t number = mount->number;
    const int is_btrfs = strcmp(mount->type, "btrfs") == 0;
    if (major(number) == 0 &&
        (!is_btrfs || mount->source[0] != '/' || !sysfs_node_number(root, mount->source, &number))) {
        conclude(survival, DURABILITY_PROCESS, "what lies under file system %s (%.64s) cannot be seen from here",
                 mount->type, mount->point);
        return;
    }
    if (is_btrfs)
        survival_of_btrfs(root, number, depth, survival);
    else
        survival_of_block_under(root, number, depth, survival);
    for (size_t i = 0; i < sizeof(further) / sizeof(further[0]); i++) {
        struct survival one;
        if (!mount_option(mount, further[i], path, sizeof(path)))
            continue;
        if (sysfs_node_number(root, path, &number))
            survival_of_block_under(root, number, depth, &one);
        else
            conclude(&one, DURABILITY_PROCESS, "its %s %.64s cannot be looked at", further[i], path);
        weaken(survival, &one);
    }
    if (mount_has_no_barriers(mount)) {
        struct survival one;
        conclude(&one, DURABILITY_OS_CRASH, "its %s is mounted without write barriers (%.100s)", mount->type,
                 mount->point);
        weaken(survival, &one);
    }
}

static void survival_of_mount(const char *root, const struct mount *mount, int depth, struct survival *survival) {
    if (memory_file_system(mount) != NULL) {
        conclude(survival, DURABILITY_PROCESS, "%s keeps its files in memory", mount->type);
        return;
    }
    for (size_t i = 0; i < sizeof(file_systems) / sizeof(file_systems[0]); i++) {
        if (strcmp(mount->type, file_systems[i].type) == 0) {
            conclude(survival, file_systems[i].survives, "%s", file_systems[i].because);
            if (mount_option(mount, "nostrictsync", NULL, 0))
                conclude(survival, DURABILITY_PROCESS, "%s on %.100s is mounted nostrictsync: it syncs nothing",
                         mount->type, mount->point);
            return;
        }
    }
    if (is_fuse(mount->type))
        conclude(survival, DURABILITY_PROCESS, "%s: what the process that serves it does at a sync is not known",
                 mount->type);
    else if (strcmp(mount->type, "overlay") == 0)
        survival_of_overlay(root, mount, depth, survival);
    else
        survival_of_disks(root, mount, depth, survival);
}

void survival_of_path_under(const char *root, const char *path, int depth, struct survival *survival) {
    dev_t number;
    struct mount mount;
    if (depth > SURVIVAL_DEPTH_MAX)
        conclude(survival, DURABILITY_PROCESS, "%.100s lies under too many others to be followed", path);
    else if (sysfs_node_number(root, path, &number))
        survival_of_block_under(root, number, depth, survival);
    else if (mount_of_path(root, path, &mount) == 0)
        survival_of_mount(root, &mount, depth, survival);
    else
        conclude(survival, DURABILITY_PROCESS, "%.100s cannot be looked at from here", path);
}

void survival_of_path(const char *root, const char *path, struct survival *survival) {
    survival_of_path_under(root, path, 0, survival);
}

void survival_of_file(int fd, struct survival *survival) {
    struct mount mount;
    if (mount_of(fd, &mount) == 0)
        survival_of_mount("", &mount, 0, survival);
    else
        conclude(survival, DURABILITY_PROCESS, "its file system cannot be looked at");
}

void survival_of_place(const char *path, struct survival *survival) {
    char place[PATH_MAX];
    struct survival file;
    memset(survival, 0, sizeof(*survival));
    if (path_follow(path, place, sizeof(place)) < 0)
        snprintf(place, sizeof(place), "%s", path);
    struct stat status;
    if (stat(place, &status) == 0 && S_ISBLK(status.st_mode)) {
        survival_of_block("", status.st_rdev, survival); /* whatever file system its node lies on */
        return;
    }
    const int is_there = access(place, F_OK) == 0;
    if (is_there)
        survival_of_path("", place, &file);
    for (char *slash = strrchr(place, '/'); slash != NULL; slash = strrchr(place, '/')) {
        *slash = '\0';
        const char *directory = *place == '\0' ? "/" : place;
        if (access(directory, F_OK) == 0) {
            survival_of_path("", directory, survival);
            break;
        }
    }
    if (survival->because[0] == '\0')
        conclude(survival, DURABILITY_PROCESS, "%.100s cannot be looked at from here", path);
    if (is_there)
        weaken(survival, &file);
}

const char *survival_name(int survives) {
    static const char *const names[] = {"power", "os-crash", "process"};
    return names[survives];
}

const char *survival_memory_file_system(int fd) {
    struct stat status;
    struct mount mount;
    /* A device node does not count: its file system tells nothing about the device. */
    return fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && mount_of(fd, &mount) == 0 ? memory_file_system(&mount)
                                                                                           : NULL;
}
