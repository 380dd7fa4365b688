/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of everything that can make a touch of memory wait. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"
#include "log/ring_file.h"

#define THP "/sys/kernel/mm/transparent_hugepage"
#define BACKLOG_BYTES (1ull << 30)
#define CAP_IPC_LOCK_BIT 14

static void check_huge_pages(struct doctor *doctor) {
    char enabled[32], defrag[32];
    int rc = host_choice(&doctor->host, THP "/enabled", enabled, sizeof enabled);
    if (rc < 0) {
        doctor_unknown(doctor, "memory.thp", THP "/enabled", rc,
                       "a kernel without transparent huge pages has no such file");
        return;
    }
    if (strcmp(enabled, "always") == 0) {
        struct result *found = doctor_finding(doctor, "memory.thp", SEVERITY_MEDIUM, THP "/enabled: always");
        result_cost(found, "Any first touch of memory may clear 2 MB at once, 50 to 200 us, and a page that moves into "
                           "a huge one stalls the threads that use it, up to ms (kernel: admin-guide/mm/transhuge).");
        result_mend(found, "echo madvise > " THP "/enabled");
    } else {
        doctor_in_order(doctor, "memory.thp", THP "/enabled: %s", enabled);
    }
    rc = host_choice(&doctor->host, THP "/defrag", defrag, sizeof defrag);
    if (rc < 0) {
        doctor_unknown(doctor, "memory.thp_defrag", THP "/defrag", rc, NULL);
    } else if (strcmp(enabled, "never") != 0 && strcmp(defrag, "always") == 0) {
        struct result *found = doctor_finding(doctor, "memory.thp_defrag", SEVERITY_MEDIUM, THP "/defrag: always");
        result_cost(found, "A touch of new memory that finds no huge page free compacts memory itself: 0.1 to 10 ms "
                           "(kernel: admin-guide/mm/transhuge).");
        result_mend(found, "echo defer+madvise > " THP "/defrag");
    } else {
        doctor_in_order(doctor, "memory.thp_defrag", THP "/defrag: %s", defrag);
    }
}

static void check_swap(struct doctor *doctor) {
    static const char swaps[] = "/proc/swaps", swappiness_path[] = "/proc/sys/vm/swappiness";
    char table[8192];
    unsigned long long total_kb = 0, used_kb = 0;
    int rc = host_read(&doctor->host, swaps, table, sizeof table);
    if (rc < 0) {
        doctor_unknown(doctor, "memory.swap", swaps, rc, NULL);
        return;
    }
    for (char *line = strchr(table, '\n'); line != NULL && line[1] != '\0'; line = strchr(line + 1, '\n')) {
        unsigned long long size_kb, in_use_kb;
        if (sscanf(line, " %*s %*s %llu %llu", &size_kb, &in_use_kb) == 2) {
            total_kb += size_kb;
            used_kb += in_use_kb;
        }
    }
    if (used_kb > 0) {
        struct result *found = doctor_finding(doctor, "memory.swap", SEVERITY_HIGH, "%s: %llu MB of %llu MB in use",
                                              swaps, used_kb / 1024 + 1, total_kb / 1024);
        result_cost(found, "A touch of a page that was swapped out waits for the disk: 0.1 ms on an SSD, 10 ms on a "
                           "hard disk, each; a collection of the Java heap touches many.");
        result_mend(found, "swapoff -a    # needs that much memory free");
    } else {
        doctor_in_order(doctor, "memory.swap", "%s: %llu MB, none in use", swaps, total_kb / 1024);
    }
    long long swappiness;
    rc = host_number(&doctor->host, swappiness_path, &swappiness);
    if (rc < 0) {
        doctor_unknown(doctor, "memory.swappiness", swappiness_path, rc, NULL);
    } else if (total_kb > 0 && swappiness > 10) {
        struct result *found =
            doctor_finding(doctor, "memory.swappiness", SEVERITY_LOW, "%s: %lld, with %llu MB of swap", swappiness_path,
                           swappiness, total_kb / 1024);
        result_cost(found, "The kernel swaps out idle programs to cache more files, and their next touch waits for the "
                           "disk (see memory.swap; kernel: admin-guide/sysctl/vm).");
        result_mend(found, "sysctl -w vm.swappiness=1");
    } else {
        doctor_in_order(doctor, "memory.swappiness", "%s: %lld%s", swappiness_path, swappiness,
                        total_kb == 0 ? ", no swap" : "");
    }
}

/* 1 if the process may lock any amount. */
static int has_lock_capability(const struct host *host, const char *pid) {
    static const char label[] = "\nCapEff:";
    char path[HOST_PATH_BYTES], text[8192];
    snprintf(path, sizeof path, "/proc/%s/status", pid);
    const char *at = host_read(host, path, text, sizeof text) < 0 ? NULL : strstr(text, label);
    return at != NULL && (strtoull(at + sizeof label - 1, NULL, 16) >> CAP_IPC_LOCK_BIT & 1) != 0;
}

static void check_memlock(struct doctor *doctor) {
    static const char id[] = "memory.memlock", label[] = "\nMax locked memory";
    char path[HOST_PATH_BYTES], text[8192], limit[32], pid[16] = "self";
    if (doctor->pid > 0) {
        snprintf(pid, sizeof pid, "%d", doctor->pid);
    }
    snprintf(path, sizeof path, "/proc/%s/limits", pid);
    const int rc = host_read(&doctor->host, path, text, sizeof text);
    const char *at = rc < 0 ? NULL : strstr(text, label);
    if (at == NULL || sscanf(at + sizeof label - 1, "%31s", limit) != 1) {
        doctor_unknown(doctor, id, path, rc < 0 ? rc : -EINVAL, NULL);
        return;
    }
    const uint64_t wanted = doctor->ring_bytes > 0 ? doctor->ring_bytes : DEFAULT_RING_BYTES;
    if (strcmp(limit, "unlimited") == 0 || strtoull(limit, NULL, 10) >= wanted) {
        doctor_in_order(doctor, id, "%s: Max locked memory %s", path, limit);
    } else if (has_lock_capability(&doctor->host, pid)) {
        doctor_in_order(doctor, id, "/proc/%s/status: CapEff has CAP_IPC_LOCK, no limit applies", pid);
    } else {
        struct result *found =
            doctor_finding(doctor, id, SEVERITY_MEDIUM, "%s: Max locked memory %s bytes; %s %" PRIu64, path, limit,
                           doctor->ring_bytes > 0 ? "the ring has" : "a ring of the default size has", wanted);
        result_cost(found, "The ring's memory cannot be locked: when memory is short it is swapped out, and an append "
                           "waits for the disk, 0.1 to 10 ms a page.");
        result_mend(found,
                    "prlimit --memlock=unlimited --pid %s\n"
                    "# for good: `USER - memlock unlimited` in /etc/security/limits.conf, LimitMEMLOCK=infinity in a "
                    "systemd unit",
                    doctor->pid > 0 ? pid : "$$");
    }
}

static int memory_bytes(const struct host *host, unsigned long long *bytes) {
    char text[256];
    const int rc = host_read(host, "/proc/meminfo", text, sizeof text);
    if (rc < 0 || sscanf(text, "MemTotal: %llu", bytes) != 1) {
        return rc < 0 ? rc : -EINVAL;
    }
    *bytes *= 1024;
    return 0;
}

static void check_dirty_pages(struct doctor *doctor) {
    static const char id[] = "memory.dirty", bytes_path[] = "/proc/sys/vm/dirty_background_bytes",
                      ratio_path[] = "/proc/sys/vm/dirty_background_ratio";
    long long bytes, ratio;
    unsigned long long memory;
    int rc = host_number(&doctor->host, bytes_path, &bytes);
    if (rc < 0) {
        doctor_unknown(doctor, id, bytes_path, rc, NULL);
        return;
    }
    char evidence[200];
    snprintf(evidence, sizeof evidence, "%s: %lld", bytes_path, bytes);
    if (bytes == 0) {
        rc = host_number(&doctor->host, ratio_path, &ratio);
        const int memory_rc = memory_bytes(&doctor->host, &memory);
        if (rc < 0 || memory_rc < 0) {
            doctor_unknown(doctor, id, rc < 0 ? ratio_path : "/proc/meminfo", rc < 0 ? rc : memory_rc, NULL);
            return;
        }
        bytes = (long long)(memory / 100 * (unsigned long long)ratio);
        snprintf(evidence, sizeof evidence, "%s: %lld%% of %llu MB", ratio_path, ratio, memory >> 20);
    }
    if ((unsigned long long)bytes < BACKLOG_BYTES) {
        doctor_in_order(doctor, id, "%s", evidence);
        return;
    }
    struct result *found = doctor_finding(doctor, id, SEVERITY_LOW, "%s, about %lld MB", evidence, bytes >> 20);
    result_cost(found, "Programs may pile up that much before the kernel begins to write it, and then it writes it in "
                       "one go: on the disk of the ring or of the log file, writes and syncs queue behind it for up to "
                       "seconds (kernel: admin-guide/sysctl/vm).");
    result_mend(found, "sysctl -w vm.dirty_background_bytes=67108864 vm.dirty_bytes=268435456");
}

static void check_balancing(struct doctor *doctor) {
    static const char id[] = "memory.numa_balancing", path[] = "/proc/sys/kernel/numa_balancing";
    cpu_set_t nodes;
    long long on;
    if (host_cpus(&doctor->host, "/sys/devices/system/node/online", &nodes) < 0 || CPU_COUNT(&nodes) < 2) {
        return; /* a host with one node has nothing to balance */
    }
    const int rc = host_number(&doctor->host, path, &on);
    if (rc < 0) {
        doctor_unknown(doctor, id, path, rc, "a kernel without CONFIG_NUMA_BALANCING has no such file");
    } else if (on == 0) {
        doctor_in_order(doctor, id, "%s: 0", path);
    } else {
        struct result *found = doctor_finding(doctor, id, SEVERITY_LOW, "%s: %lld", path, on);
        result_cost(found, "To see who uses which memory the kernel takes pages away and waits for the fault: 1 to 3 "
                           "us each, thousands a second at times; and moves them (kernel: admin-guide/sysctl/kernel).");
        result_mend(found, "sysctl -w kernel.numa_balancing=0");
    }
}

void doctor_check_memory(struct doctor *doctor) {
    check_huge_pages(doctor);
    check_swap(doctor);
    check_memlock(doctor);
    check_dirty_pages(doctor);
    check_balancing(doctor);
}
