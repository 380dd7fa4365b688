/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/media.h"

#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "device/host/disk.h"
#include "device/host/mounts.h"
#include "device/probe.h"
#include "device/host/survival.h"

static void report_known_text(struct report *report, const char *name, const char *value) {
    if (value[0] != '\0') {
        report_text(report, name, value);
    }
}

static void report_known_number(struct report *report, const char *name, int value) {
    if (value >= 0) {
        report_number(report, name, (uint64_t)value);
    }
}

static void report_known_flag(struct report *report, const char *name, int value) {
    if (value >= 0) {
        report_flag(report, name, value != 0);
    }
}

static void report_disk(struct report *report, dev_t number) {
    struct disk disk;
    char text[512];
    if (disk_probe("", number, &disk) < 0) {
        return;
    }
    report_group(report, "device");
    report_text(report, "name", disk.name);
    report_known_text(report, "partition of", disk.partition_of);
    disk_lasting_name(number, text, sizeof text);
    report_known_text(report, "lasting name", text);
    report_known_text(report, "model", disk.model);
    report_number(report, "bytes", disk.bytes);
    report_known_number(report, "logical block bytes", disk.logical_block_bytes);
    report_known_number(report, "physical block bytes", disk.physical_block_bytes);
    report_known_text(report, "write cache", disk.write_cache);
    report_known_flag(report, "forced unit access", disk.fua);
    report_known_flag(report, "rotational", disk.rotational);
    report_known_flag(report, "dax", disk.dax);
    report_known_text(report, "zoned", disk.zoned);
    report_known_text(report, "scheduler", disk.scheduler);
    report_known_flag(report, "read-only", disk.read_only);
    report_known_flag(report, "removable", disk.removable);
    disk_users(number, 1, text, sizeof text);
    report_text(report, "in use", text[0] == '\0' ? "by nobody else" : text);
    report_group_end(report);
}

static void report_file_system(struct report *report, const char *path) {
    struct mount mount;
    dev_t number;
    if (mount_of_path("", path, &mount) < 0) {
        return;
    }
    report_group(report, "file system");
    report_text(report, "type", mount.type);
    report_text(report, "mounted on", mount.point);
    report_text(report, "from", mount.source);
    report_text(report, "options", mount.options);
    report_group_end(report);
    if (major(mount.number) != 0) {
        report_disk(report, mount.number);
    } else if (sysfs_node_number("", mount.source, &number)) {
        report_disk(report, number);
    }
}

void media_report_device(struct report *report, const struct device *device) {
    struct stat status;
    if (device->is_file) {
        report_file_system(report, device->path);
    } else if (stat(device->path, &status) == 0) {
        report_disk(report, status.st_rdev);
    }
}

void media_report_log_file(struct report *report, const char *path) {
    struct survival survival;
    survival_of_place(path, &survival);
    report_group(report, NULL);
    report_text(report, "name", path);
    report_text(report, "survives", survival_name(survival.survives));
    report_text(report, "because", survival.because);
    report_group_end(report);
}
