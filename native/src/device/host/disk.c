/* SPDX-License-Identifier: Apache-2.0 */
#include "device/host/disk.h"

#include <stdio.h>
#include <string.h>

#include "device/host/mounts.h"
#include "device/probe.h"

int disk_probe(const char *root, dev_t number, struct disk *disk) {
    char self[PATH_MAX], whole[PATH_MAX];
    memset(disk, 0, sizeof(*disk));
    int result = sysfs_device(root, number, self);
    if (result == 0)
        result = sysfs_disk(root, number, whole);
    if (result < 0)
        return result;
    snprintf(disk->name, sizeof(disk->name), "%.63s", sysfs_name(self));
    if (strcmp(self, whole) != 0)
        snprintf(disk->partition_of, sizeof(disk->partition_of), "%.63s", sysfs_name(whole));
    if (!sysfs_line(whole, "device/model", disk->model, sizeof(disk->model)))
        sysfs_line(whole, "device/name", disk->model, sizeof(disk->model)); /* eMMC */
    for (size_t end = strlen(disk->model); end > 0 && disk->model[end - 1] == ' '; end--)
        disk->model[end - 1] = '\0';
    sysfs_line(whole, "queue/write_cache", disk->write_cache, sizeof(disk->write_cache));
    sysfs_line(whole, "queue/zoned", disk->zoned, sizeof(disk->zoned));
    sysfs_line(whole, "queue/scheduler", disk->scheduler, sizeof(disk->scheduler));
    disk->bytes = (uint64_t)sysfs_value(self, "size", 0) * 512;
    disk->logical_block_bytes = (int)sysfs_value(whole, "queue/logical_block_size", -1);
    disk->physical_block_bytes = (int)sysfs_value(whole, "queue/physical_block_size", -1);
    disk->fua = (int)sysfs_value(whole, "queue/fua", -1);
    disk->rotational = (int)sysfs_value(whole, "queue/rotational", -1);
    disk->dax = (int)sysfs_value(whole, "queue/dax", -1);
    disk->read_only = (int)sysfs_value(self, "ro", -1);
    disk->removable = (int)sysfs_value(whole, "removable", -1);
    return 0;
}

/* ------------------------------------------------------------------------------------------ who is on it */

struct users {
    const char *directory;           /* directory of the disk or partition that is looked at */
    char its[SYSFS_LINE_BYTES + 32]; /* "it", "its partition sdb1" */
    char *text;
    size_t text_bytes;
};

static void add(struct users *users, const char *phrase) {
    const size_t used = strlen(users->text);
    snprintf(users->text + used, users->text_bytes - used, "%s%s", used > 0 ? ", " : "", phrase);
}

static void add_holder(void *argument, const char *name) {
    struct users *users = argument;
    char place[SYSFS_PATH_BYTES], mapped[SYSFS_LINE_BYTES] = "", phrase[3 * SYSFS_LINE_BYTES + 100];
    snprintf(place, sizeof(place), "holders/%s/dm/name", name);
    sysfs_line(users->directory, place, mapped, sizeof(mapped));
    snprintf(phrase, sizeof(phrase), "%.32s%s%s%s is made of %s", name, mapped[0] != '\0' ? " (" : "", mapped,
             mapped[0] != '\0' ? ")" : "", users->its);
    add(users, phrase);
}

static int is_node_of(const char *path, dev_t number) {
    dev_t other;
    return path[0] == '/' && sysfs_node_number("", path, &other) && other == number;
}

static void add_swap(struct users *users, dev_t number) {
    char line[PATH_MAX], path[PATH_MAX], phrase[SYSFS_LINE_BYTES + 64];
    FILE *swaps = fopen("/proc/swaps", "re");
    while (swaps != NULL && fgets(line, sizeof(line), swaps) != NULL) {
        if (sscanf(line, "%4095s", path) == 1 && is_node_of(path, number)) {
            snprintf(phrase, sizeof(phrase), "%s is in use as swap space", users->its);
            add(users, phrase);
        }
    }
    if (swaps != NULL)
        fclose(swaps);
}

static void add_mount(struct users *users, dev_t number) {
    struct mount mount;
    char phrase[SYSFS_LINE_BYTES + 300];
    if (mount_of_device(number, &mount) < 0)
        return;
    snprintf(phrase, sizeof(phrase), "%s is mounted on %.200s", users->its, mount.point);
    add(users, phrase);
}

struct loops {
    struct users *users;
    dev_t number;
};

/* The kernel does not list loop devices as holders, and lets the device be opened exclusively beside them. */
static void add_loop(void *argument, const char *name) {
    struct loops *loops = argument;
    char directory[SYSFS_PATH_BYTES], backing[PATH_MAX], phrase[2 * SYSFS_LINE_BYTES + 64];
    snprintf(directory, sizeof(directory), "/sys/block/%s", name);
    if (strncmp(name, "loop", 4) != 0 || !sysfs_line(directory, "loop/backing_file", backing, sizeof(backing)) ||
        !is_node_of(backing, loops->number))
        return;
    snprintf(phrase, sizeof(phrase), "%.32s stores in %s", name, loops->users->its);
    add(loops->users, phrase);
}

/* Adds processes, but none for the device itself: the caller has asked for its holders before. */
static void add_processes(struct users *users, dev_t number) {
    char holders[200], phrase[SYSFS_LINE_BYTES + 300];
    block_holders(number, holders, sizeof(holders));
    if (holders[0] == '\0')
        return;
    snprintf(phrase, sizeof(phrase), "%s is open in process %s", users->its, holders);
    add(users, phrase);
}

static void look_at(struct users *users, const char *directory) {
    dev_t number;
    users->directory = directory;
    sysfs_entries(directory, "holders", add_holder, users);
    if (!sysfs_number(directory, &number))
        return;
    struct loops loops = {.users = users, .number = number};
    add_mount(users, number);
    add_swap(users, number);
    sysfs_entries("/sys/block", "", add_loop, &loops);
}

struct partitions {
    struct users *users;
    const char *disk;
    int and_themselves;
};

static void look_at_partition(void *argument, const char *name) {
    struct partitions *partitions = argument;
    struct users *users = partitions->users;
    char directory[SYSFS_PATH_BYTES];
    snprintf(directory, sizeof(directory), "%s/%s", partitions->disk, name);
    if (!sysfs_has(directory, "partition"))
        return;
    snprintf(users->its, sizeof(users->its), "its partition %.63s", name);
    const size_t before = strlen(users->text);
    look_at(users, directory);
    dev_t number;
    if (sysfs_number(directory, &number))
        add_processes(users, number);
    if (partitions->and_themselves && strlen(users->text) == before) {
        char phrase[SYSFS_LINE_BYTES + 64];
        snprintf(phrase, sizeof(phrase), "it has partition %.63s", name);
        add(users, phrase);
    }
}

void disk_users(dev_t number, int and_partitions, char *text, size_t text_bytes) {
    char directory[PATH_MAX];
    struct users users = {.its = "it", .text = text, .text_bytes = text_bytes};
    text[0] = '\0';
    if (sysfs_device("", number, directory) < 0)
        return;
    look_at(&users, directory);
    struct partitions partitions = {.users = &users, .disk = directory, .and_themselves = and_partitions};
    sysfs_entries(directory, "", look_at_partition, &partitions);
    dev_t disk;
    char whole[PATH_MAX];
    if (sysfs_has(directory, "partition") && sysfs_disk("", number, whole) == 0 && sysfs_number(whole, &disk)) {
        snprintf(users.its, sizeof(users.its), "its disk %.63s", sysfs_name(whole));
        add_processes(&users, disk);
    }
}

struct naming {
    dev_t number;
    char *path;
    size_t path_bytes;
};

static void take_name(void *argument, const char *entry) {
    struct naming *naming = argument;
    char path[PATH_MAX];
    snprintf(path, sizeof(path), "/dev/disk/by-id/%s", entry);
    if (naming->path[0] == '\0' && is_node_of(path, naming->number))
        snprintf(naming->path, naming->path_bytes, "%s", path);
}

void disk_lasting_name(dev_t number, char *path, size_t path_bytes) {
    struct naming naming = {.number = number, .path = path, .path_bytes = path_bytes};
    path[0] = '\0';
    sysfs_entries("/dev/disk/by-id", "", take_name, &naming);
}
