/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the file systems of ring file and log file, and of a disk that both share. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor/doctor.h"

#define MOUNTS "/proc/self/mountinfo"

/* Source: the study file-systems (docs/benchmarks.md). */
static const struct {
    const char *type, *cost;
} slow_types[] = {
    {"btrfs",
     "A durable event through a ring on btrfs took 1.6 times as long as through one on ext4 at the median (498 and "
     "320 us; loop devices on a virtual disk, 1,000 events/s; scripts/bench/all --full file-systems, 2026-11-23)."},
};
/* In that study these took no longer than ext4 at the median; in memory a sync does nothing. */
static const char *const known_types[] = {"ext4", "ext2", "ext3", "xfs", "tmpfs", "ramfs"};

static int is_known(const char *type) {
    for (size_t i = 0; i < sizeof known_types / sizeof known_types[0]; i++) {
        if (strcmp(type, known_types[i]) == 0) {
            return 1;
        }
    }
    return 0;
}

static void check_type(struct doctor *doctor, const char *id, const struct device_location *location) {
    const struct mount *mount = &location->mount;
    for (size_t i = 0; i < sizeof slow_types / sizeof slow_types[0]; i++) {
        if (strcmp(mount->type, slow_types[i].type) == 0) {
            struct result *found = doctor_finding(doctor, id, SEVERITY_MEDIUM, MOUNTS ": %s on %s, which holds %s",
                                                  mount->type, mount->point, location->path);
            result_cost(found, "%s", slow_types[i].cost);
            result_mend(found, "# put it on ext4 or xfs");
            return;
        }
    }
    if (is_known(mount->type)) {
        doctor_in_order(doctor, id, MOUNTS ": %s on %s", mount->type, mount->point);
        return;
    }
    char what[128];
    snprintf(what, sizeof what, "how long a sync takes on %s", mount->type);
    doctor_unknown(doctor, id, what, -ENOTSUP, "scripts/bench/all file-systems compares ext4, xfs and others");
}

static int option_is(const struct mount *mount, const char *name, const char *wanted) {
    char value[64];
    return mount_option(mount, name, value, sizeof value) && strcmp(value, wanted) == 0;
}

static void check_barriers(struct doctor *doctor, const char *id, const struct mount *mount) {
    if (!mount_has_no_barriers(mount)) {
        doctor_in_order(doctor, id, MOUNTS ": %s has write barriers", mount->point);
        return;
    }
    struct result *found =
        doctor_finding(doctor, id, SEVERITY_HIGH, MOUNTS ": %s is mounted with %s", mount->point, mount->options);
    result_cost(found, "No latency: durability. A sync returns while the data is in the disk's cache, and a loss of "
                       "power takes it; durability=\"power\" is refused here.");
    result_mend(found, "mount -o remount,barrier=1 %s", mount->point);
}

static void check_options(struct doctor *doctor, const char *discard_id, const char *atime_id,
                          const struct mount *mount) {
    if (option_is(mount, "discard", "")) {
        struct result *found =
            doctor_finding(doctor, discard_id, SEVERITY_MEDIUM, MOUNTS ": %s is mounted with discard", mount->point);
        result_cost(found, "Each deletion of a file sends the disk a TRIM with the next journal commit, and syncs wait "
                           "behind it: 1 to 100 ms, as the disk takes it (kernel: admin-guide/ext4).");
        result_mend(found,
                    "mount -o remount,nodiscard %s && systemctl enable --now fstrim.timer\n# for good: /etc/fstab",
                    mount->point);
    } else {
        doctor_in_order(doctor, discard_id, MOUNTS ": %s has no discard", mount->point);
    }
    if (mount_has_flag(mount, "noatime") || mount_has_flag(mount, "relatime")) {
        doctor_in_order(doctor, atime_id, MOUNTS ": %s has %s", mount->point, mount->flags);
        return;
    }
    struct result *found =
        doctor_finding(doctor, atime_id, SEVERITY_LOW, MOUNTS ": %s is mounted with %s, without noatime and relatime",
                       mount->point, mount->flags);
    result_cost(found, "Each reader of the log file dirties its inode, which the next sync writes: one journal commit, "
                       "20 us to ms.");
    result_mend(found, "mount -o remount,noatime %s", mount->point);
}

static void check_journal(struct doctor *doctor, const char *id, const struct mount *mount) {
    if (!option_is(mount, "data", "journal")) {
        return;
    }
    struct result *found =
        doctor_finding(doctor, id, SEVERITY_MEDIUM, MOUNTS ": %s is mounted with data=journal", mount->point);
    result_cost(found, "Everything is written twice, and O_DIRECT goes through the page cache: at least twice the time "
                       "(kernel: admin-guide/ext4).");
    result_mend(found, "# /etc/fstab: data=ordered");
}

static void check_same_disk(struct doctor *doctor) {
    static const char id[] = "files.same_disk";
    if (doctor->ring.disk[0] == '\0' || doctor->log.disk[0] == '\0') {
        return;
    }
    if (strcmp(doctor->ring.disk, doctor->log.disk) != 0) {
        doctor_in_order(doctor, id, MOUNTS ": ring on %s, log file on %s", doctor->ring.disk, doctor->log.disk);
        return;
    }
    struct result *found = doctor_finding(doctor, id, SEVERITY_MEDIUM, MOUNTS ": ring and log file are both on disk %s",
                                          doctor->ring.disk);
    result_cost(found,
                "While the drain syncs the log file, appends queue behind it; `scripts/bench/all drain` measures how "
                "much that is.");
    result_mend(found, "# put the log file on another disk than the ring");
}

/* One set of ids for each of the two files. */
static const struct ids {
    const char *type, *barriers, *discard, *atime, *journal;
} ring_ids = {"ring.file_system", "ring.barriers", "ring.discard", "ring.atime", "ring.data_journal"},
  log_ids = {"log.file_system", "log.barriers", "log.discard", "log.atime", "log.data_journal"};

static void check_location(struct doctor *doctor, const struct device_location *location, int is_ring) {
    const struct ids *ids = is_ring ? &ring_ids : &log_ids;
    if (location->path[0] == '\0' || location->is_device) {
        return;
    }
    if (!location->mounted) {
        doctor_unknown(doctor, ids->type, MOUNTS, -ENOENT, "no mount there is above the file");
        return;
    }
    check_type(doctor, ids->type, location);
    check_barriers(doctor, ids->barriers, &location->mount);
    check_options(doctor, ids->discard, ids->atime, &location->mount);
    check_journal(doctor, ids->journal, &location->mount);
}

/* If both files share a mount, the checks of the one hold for the other. */
static int share_a_mount(const struct device_location *one, const struct device_location *other) {
    return one->mounted && other->mounted && strcmp(one->mount.point, other->mount.point) == 0;
}

void doctor_check_files(struct doctor *doctor) {
    check_location(doctor, &doctor->ring, 1);
    if (!share_a_mount(&doctor->ring, &doctor->log)) {
        check_location(doctor, &doctor->log, 0);
    }
    if (doctor->log.path[0] == '\0' && doctor->ring_failure < 0) {
        doctor_unknown(doctor, log_ids.type, doctor->ring.path, doctor->ring_failure, "--file names the log file");
    }
    check_same_disk(doctor);
}
