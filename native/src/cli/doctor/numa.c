/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether the writers and the disk's interrupts run on the socket that the ring's disk is attached to. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"

#define NODES "/sys/devices/system/node"
#define INTERRUPTS "/proc/interrupts"
#define INTERRUPTS_BYTES (1u << 20)
#define VECTORS_MAX 1024

int doctor_device_node(const struct doctor *doctor, int *node, cpu_set_t *cpus, char *path) {
    cpu_set_t nodes;
    long long number;
    snprintf(path, HOST_PATH_BYTES, NODES "/online");
    int rc = host_cpus(&doctor->host, path, &nodes);
    if (rc < 0) {
        return rc;
    }
    if (CPU_COUNT(&nodes) < 2 || strncmp(doctor->ring.directory, "/sys/devices/virtual/", 21) == 0) {
        return 0;
    }
    if (doctor->ring.disk[0] == '\0' ||
        device_location_find_above(&doctor->host, &doctor->ring, "numa_node", path) < 0) {
        snprintf(path, HOST_PATH_BYTES, "the numa_node of the ring's disk");
        return -ENOENT;
    }
    rc = host_number(&doctor->host, path, &number);
    if (rc < 0 || number < 0) {
        return rc < 0 ? rc : -EINVAL; /* -1 in the file: the firmware does not tell */
    }
    *node = (int)number;
    char list[HOST_PATH_BYTES];
    snprintf(list, sizeof list, NODES "/node%d/cpulist", *node);
    rc = host_cpus(&doctor->host, list, cpus);
    if (rc < 0) {
        snprintf(path, HOST_PATH_BYTES, "%s", list);
    }
    return rc < 0 ? rc : 1;
}

static void check_node(struct doctor *doctor, int node, const cpu_set_t *near, const char *path) {
    static const char id[] = "numa.device";
    const char *unread;
    cpu_set_t used, both;
    char text[CPUS_TEXT_BYTES], near_text[CPUS_TEXT_BYTES];
    const int rc = doctor_latency_cpus(doctor, &used, &unread);
    if (rc < 0) {
        doctor_unknown(doctor, id, unread, rc, NULL);
        return;
    }
    CPU_AND(&both, &used, near);
    cpus_text(near, near_text);
    if (CPU_EQUAL(&both, &used)) {
        doctor_in_order(doctor, id, "%s: %d (cores %s)", path, node, near_text);
        return;
    }
    CPU_XOR(&used, &used, &both);
    struct result *found = doctor_finding(doctor, id, CPU_COUNT(&both) == 0 ? SEVERITY_HIGH : SEVERITY_MEDIUM,
                                          "%s: %d (cores %s); but cores %s, on which threads may log, are on another "
                                          "socket",
                                          path, node, near_text, cpus_text(&used, text));
    result_cost(found, "Each write crosses to the other socket and back: 1 to 2 us more on a device that answers in 5 "
                       "to 10, and more while the link is busy; the ring's memory is 0.1 us away instead of 0.06.");
    result_mend(found, "numactl --cpunodebind=%d --membind=%d COMMAND\n# or isolate cores of %s instead", node, node,
                near_text);
}

/* Finds the line of /proc/interrupts with this number: its name, and its count. Returns 0 if there is none. */
static int describe_vector(const char *table, int vector, char *name, size_t room, unsigned long long *count) {
    char label[16];
    snprintf(label, sizeof label, "%d:", vector);
    for (const char *line = table; line != NULL && *line != '\0'; line = strchr(line, '\n')) {
        line += *line == '\n';
        const char *at = line + strspn(line, " ");
        if (strncmp(at, label, strlen(label)) != 0) {
            continue;
        }
        at += strlen(label);
        *count = 0;
        for (char *end;; at = end) {
            const unsigned long long here = strtoull(at, &end, 10);
            if (end == at || !isspace((unsigned char)*end)) {
                break;
            }
            *count += here;
        }
        const size_t length = strcspn(at, "\n");
        size_t begin = length;
        while (begin > 0 && at[begin - 1] != ' ') {
            begin--;
        }
        snprintf(name, room, "%.*s", (int)(length - begin), at + begin);
        return 1;
    }
    return 0;
}

/* Whether the interrupt does not belong to a write: "virtio1-config", "nvme0q0". */
static int is_administrative(const char *name) {
    const size_t length = strlen(name);
    return strstr(name, "config") != NULL ||
           (strncmp(name, "nvme", 4) == 0 && length > 2 && strcmp(name + length - 2, "q0") == 0);
}

static void check_interrupts(struct doctor *doctor, int node, const cpu_set_t *near) {
    static const char id[] = "irq.affinity";
    static char table[INTERRUPTS_BYTES];
    static int vectors[VECTORS_MAX];
    char path[HOST_PATH_BYTES], list[64], name[64], text[CPUS_TEXT_BYTES], first[512] = "", numbers[128] = "";
    const int above = device_location_find_above(&doctor->host, &doctor->ring, "msi_irqs", path);
    const int count = above < 0 ? above : host_numbered_entries(&doctor->host, path, vectors, VECTORS_MAX);
    const int rc = host_read(&doctor->host, INTERRUPTS, table, sizeof table);
    if (count < 0 || rc < 0) {
        doctor_unknown(doctor, id, count < 0 ? "msi_irqs of the ring's disk" : INTERRUPTS, count < 0 ? count : rc,
                       NULL);
        return;
    }
    int looked_at = 0, far = 0;
    for (int i = 0; i < count; i++) {
        unsigned long long interrupts;
        cpu_set_t cpus;
        if (!describe_vector(table, vectors[i], name, sizeof name, &interrupts) || interrupts == 0) {
            continue;
        }
        snprintf(list, sizeof list, "/proc/irq/%d/smp_affinity_list", vectors[i]);
        const int read = host_cpus(&doctor->host, list, &cpus);
        if (read < 0) {
            doctor_unknown(doctor, id, list, read, NULL);
            return;
        }
        looked_at++;
        if (is_administrative(name) || cpus_overlap(&cpus, near)) {
            continue;
        }
        if (far++ == 0) {
            snprintf(first, sizeof first, "%s: %s (%s, %llu interrupts)", list, cpus_text(&cpus, text), name,
                     interrupts);
        }
        const size_t used = strlen(numbers);
        snprintf(numbers + used, sizeof numbers - used, "%s%d", used > 0 ? " " : "", vectors[i]);
    }
    if (far == 0) {
        doctor_in_order(doctor, id, "%s: %d of them used, all on node %d or for administration", path, looked_at, node);
        return;
    }
    struct result *found =
        doctor_finding(doctor, id, SEVERITY_MEDIUM, "%s; %d of the disk's %d used interrupts come to the other socket",
                       first, far, looked_at);
    result_cost(found, "The completion of a write is handled on one socket and wakes its thread on the other: 1 to 3 "
                       "us more, and the core there may be asleep or busy (kernel: core-api/irq/irq-affinity).");
    result_mend(found,
                "for i in %s; do echo %s > /proc/irq/$i/smp_affinity_list; done\n"
                "# EIO: the kernel gives each core its own queue; then run the threads that log on node %d",
                numbers, cpus_text(near, text), node);
}

void doctor_check_numa(struct doctor *doctor) {
    if (doctor->ring.path[0] == '\0') {
        return;
    }
    cpu_set_t near;
    char path[HOST_PATH_BYTES];
    int node;
    const int rc = doctor_device_node(doctor, &node, &near, path);
    if (rc < 0) {
        doctor_unknown(doctor, "numa.device", path, rc, NULL);
        doctor_unknown(doctor, "irq.affinity", path, rc, "without the node there is nothing to compare with");
    } else if (rc == 0) {
        doctor_in_order(doctor, "numa.device", NODES "/online: one node, or a disk that is no hardware");
        doctor_in_order(doctor, "irq.affinity", NODES "/online: one node, or a disk that is no hardware");
    } else {
        check_node(doctor, node, &near, path);
        check_interrupts(doctor, node, &near);
    }
}
