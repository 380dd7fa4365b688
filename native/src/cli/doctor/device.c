/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the ring's disk: everything between a write and its completion. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor/doctor.h"

#define NVME_MODULE "/sys/module/nvme_core/parameters/default_ps_max_latency_us"

static int is_nvme(const struct doctor *doctor) {
    return strncmp(doctor->ring.disk, "nvme", 4) == 0;
}

/* Such a disk is memory: no queue before it, no volatile cache behind it. */
static int is_virtual(const struct doctor *doctor) {
    return strncmp(doctor->ring.directory, "/sys/devices/virtual/", 21) == 0;
}

static const char *queue_file(const struct doctor *doctor, const char *name, char *path) {
    snprintf(path, HOST_PATH_BYTES, "%s/queue/%s", doctor->ring.directory, name);
    return path;
}

/* The path in the form that a user would write. */
static const char *short_file(const struct doctor *doctor, const char *name, char *path) {
    snprintf(path, HOST_PATH_BYTES, "/sys/block/%s/queue/%s", doctor->ring.disk, name);
    return path;
}

static void check_scheduler(struct doctor *doctor) {
    static const char id[] = "device.scheduler";
    char path[HOST_PATH_BYTES], shown[HOST_PATH_BYTES], scheduler[64];
    short_file(doctor, "scheduler", shown);
    const int rc = host_choice(&doctor->host, queue_file(doctor, "scheduler", path), scheduler, sizeof scheduler);
    if (rc == -ENOENT && is_virtual(doctor)) {
        doctor_in_order(doctor, id, "%s: there is none", shown);
    } else if (rc < 0) {
        doctor_unknown(doctor, id, shown, rc, NULL);
    } else if (strcmp(scheduler, "none") == 0) {
        doctor_in_order(doctor, id, "%s: none", shown);
    } else {
        struct result *found = doctor_finding(
            doctor, id, strcmp(scheduler, "bfq") == 0 ? SEVERITY_MEDIUM : SEVERITY_LOW, "%s: %s", shown, scheduler);
        result_cost(found, "Each write passes through the scheduler's lock and queue: 1 to 5 us, and behind other "
                           "programs' requests where it sorts them. A fast device has nothing to gain from that "
                           "(kernel: block/switching-sched).");
        result_mend(found, "echo none > %s", shown);
    }
}

/* Such a queue is in order on a disk that survives a loss of power without flushes. */
static void check_write_through(struct doctor *doctor, const char *id, const char *shown,
                                const struct survival *survival, enum cache_said said) {
    if (survival->survives == DURABILITY_POWER) {
        doctor_in_order(doctor, id, "%s: write through", shown);
        return;
    }
    struct result *found = doctor_finding(doctor, id, SEVERITY_HIGH, "%s: write through; %s", shown, survival->because);
    result_cost(
        found,
        "Durability, not latency: the ring survives %s only. An open refuses it, unless its `durability` asks for "
        "no more (docs/durability.md).",
        survival_name(survival->survives));
    if (said == CACHE_WRITE_BACK) {
        result_mend(found, "echo \"write back\" > %s", shown);
    } else {
        result_mend(found, "# another medium, or durability=\"%s\" if that is meant",
                    survival_name(survival->survives));
    }
}

static void check_write_cache(struct doctor *doctor) {
    static const char id[] = "device.write_cache";
    char path[HOST_PATH_BYTES], shown[HOST_PATH_BYTES], cache[32];
    struct survival survival;
    enum cache_said said;
    long long fua = 0;
    short_file(doctor, "write_cache", shown);
    int rc = host_line(&doctor->host, queue_file(doctor, "write_cache", path), cache, sizeof cache);
    rc = rc < 0 ? rc : device_location_judge(&doctor->host, &doctor->ring, &survival, &said);
    if (rc < 0) {
        doctor_unknown(doctor, id, shown, rc, NULL);
        return;
    }
    if (strcmp(cache, "write through") == 0) {
        check_write_through(doctor, id, shown, &survival, said);
        return;
    }
    const int has_fua = host_number(&doctor->host, queue_file(doctor, "fua", path), &fua) == 0 && fua != 0;
    struct result *found =
        doctor_finding(doctor, id, has_fua ? SEVERITY_MEDIUM : SEVERITY_HIGH, "%s: %s; fua: %d", shown, cache, has_fua);
    result_cost(found,
                "The disk says that its cache is lost with the power, so each durable write %s: 0.5 to 5 ms on an SSD "
                "without power-loss protection, 10 to 50 us on one with it (kernel: block/writeback_cache_control).",
                has_fua ? "is forced through it (FUA)" : "is followed by a flush of all of it");
    result_mend(
        found,
        said == CACHE_NOT_SAID
            ? "# a disk with power-loss protection, which says `write through`. Only if its maker promises that "
              "the cache\n"
              "# survives, and `burstlog doctor --verify-device` has shown it: echo \"write through\" > %s"
            : "# a disk with power-loss protection, which says `write through`. That word written to\n"
              "# %s switches flushes off: the ring then survives os-crash only",
        shown);
}

static void check_rotational(struct doctor *doctor) {
    static const char id[] = "device.rotational";
    char path[HOST_PATH_BYTES], shown[HOST_PATH_BYTES];
    long long rotational;
    short_file(doctor, "rotational", shown);
    const int rc = host_number(&doctor->host, queue_file(doctor, "rotational", path), &rotational);
    if (rc < 0) {
        doctor_unknown(doctor, id, shown, rc, NULL);
    } else if (rotational == 0) {
        doctor_in_order(doctor, id, "%s: 0", shown);
    } else {
        struct result *found = doctor_finding(doctor, id, SEVERITY_MEDIUM, "%s: %lld", shown, rotational);
        result_cost(found, "A hard disk takes 4 to 10 ms for each write. A virtual disk often claims to turn and does "
                           "not; then the kernel only waits a little for neighbouring writes.");
        result_mend(found, "# a hard disk: another medium. A virtual one: echo 0 > %s", shown);
    }
}

static void check_power_states(struct doctor *doctor) {
    static const char id[] = "device.power_states";
    char path[HOST_PATH_BYTES];
    long long tolerated;
    if (!is_nvme(doctor)) {
        return;
    }
    snprintf(path, sizeof path, NVME_MODULE);
    const int rc = host_number(&doctor->host, path, &tolerated);
    if (rc < 0) {
        doctor_unknown(doctor, id, path, rc, NULL);
    } else if (tolerated == 0) {
        doctor_in_order(doctor, id, "%s: 0", path);
    } else {
        struct result *found = doctor_finding(doctor, id, SEVERITY_MEDIUM, "%s: %lld", path, tolerated);
        result_cost(found,
                    "After some 100 ms without work the disk may sleep, and the next write waits up to %lld us for it "
                    "to wake. Only a disk that has such states (`nvme id-ctrl`: apsta) does (kernel: "
                    "admin-guide/kernel-parameters).",
                    tolerated);
        result_mend(found, "# kernel parameter: nvme_core.default_ps_max_latency_us=0");
    }
}

static void check_aspm(struct doctor *doctor) {
    static const char id[] = "device.aspm", path[] = "/sys/module/pcie_aspm/parameters/policy";
    char policy[64];
    if (!is_nvme(doctor)) {
        return;
    }
    const int rc = host_choice(&doctor->host, path, policy, sizeof policy);
    if (rc < 0) {
        doctor_unknown(doctor, id, path, rc, "a kernel without CONFIG_PCIEASPM has no such file");
    } else if (strncmp(policy, "power", 5) != 0) {
        doctor_in_order(doctor, id, "%s: %s", path, policy);
    } else {
        struct result *found = doctor_finding(doctor, id, SEVERITY_LOW, "%s: %s", path, policy);
        result_cost(found, "The link to the disk sleeps between writes and takes 2 to 60 us to wake.");
        result_mend(found, "echo performance > %s", path);
    }
}

void doctor_check_device(struct doctor *doctor) {
    if (doctor->ring.path[0] == '\0') {
        return;
    }
    if (doctor->ring.disk[0] == '\0') {
        char what[HOST_PATH_BYTES + 64];
        snprintf(what, sizeof what, "the disk under %s", doctor->ring.path);
        doctor_unknown(doctor, "device.queue", what, -ENODEV,
                       doctor->ring.mounted ? "its file system names no block device (memory, network, layers)" : NULL);
        return;
    }
    check_scheduler(doctor);
    check_write_cache(doctor);
    check_rotational(doctor);
    if (!is_virtual(doctor)) {
        check_power_states(doctor);
        check_aspm(doctor);
    }
}
