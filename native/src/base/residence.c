/* SPDX-License-Identifier: Apache-2.0 */
#include "base/residence.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PATH_BYTES 64
#define LINE_BYTES 4096
#define KIB 1024u
#define MIB (KIB * KIB)

/* One mapping as /proc/PID/smaps describes it. */
struct mapping {
    uint64_t start;
    struct image_residence residence;
};

/* Reads a line such as "Size: 65536 kB". */
static void take_size(const char *line, const char *name, uint64_t *bytes) {
    uint64_t kib;
    const size_t length = strlen(name);
    if (strncmp(line, name, length) == 0 && sscanf(line + length, ": %" SCNu64 " kB", &kib) == 1)
        *bytes = kib * KIB;
}

/* Returns true at the last line of a mapping that is the image. */
static int take_line(const char *line, uint64_t image_bytes, struct mapping *mapping) {
    uint64_t start, end;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " ", &start, &end) == 2)
        *mapping = (struct mapping){.start = start, .residence.bytes = end - start};
    take_size(line, "AnonHugePages", &mapping->residence.huge_bytes);
    take_size(line, "Locked", &mapping->residence.locked_bytes);
    return strncmp(line, "VmFlags:", 8) == 0 && strstr(line, " dc") != NULL && mapping->residence.bytes == image_bytes;
}

/* Collects the nodes of a mapping's line in numa_maps: "N0=512 N1=30 ..". */
static void take_nodes(const char *line, struct image_residence *residence) {
    size_t used = 0;
    for (const char *word = strchr(line, ' '); word != NULL; word = strchr(word + 1, ' ')) {
        unsigned node;
        uint64_t pages;
        if (sscanf(word, " N%u=%" SCNu64, &node, &pages) != 2 || used >= sizeof(residence->nodes))
            continue;
        int length =
            snprintf(residence->nodes + used, sizeof(residence->nodes) - used, "%s%u", used > 0 ? "," : "", node);
        used += (size_t)length;
    }
}

static void read_nodes(const char *process, struct mapping *mapping) {
    char path[PATH_BYTES], line[LINE_BYTES];
    snprintf(path, sizeof(path), "%s/numa_maps", process);
    FILE *file = fopen(path, "re");
    while (file != NULL && fgets(line, sizeof(line), file) != NULL) {
        uint64_t start;
        if (sscanf(line, "%" SCNx64 " ", &start) == 1 && start == mapping->start)
            take_nodes(line, &mapping->residence);
    }
    if (file != NULL)
        fclose(file);
}

int image_residence_of(const char *process, uint64_t image_bytes, struct image_residence *residence) {
    char path[PATH_BYTES], line[LINE_BYTES];
    snprintf(path, sizeof(path), "%s/smaps", process);
    FILE *file = fopen(path, "re");
    if (file == NULL)
        return -errno;
    struct mapping mapping = {.start = 0};
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    image_bytes = (image_bytes + page_bytes - 1) & ~(page_bytes - 1);
    int found = 0;
    while (!found && fgets(line, sizeof(line), file) != NULL)
        found = take_line(line, image_bytes, &mapping);
    const int failure = ferror(file) ? EACCES : ENOENT; /* another user's file can be opened but not read */
    fclose(file);
    if (!found)
        return -failure;
    read_nodes(process, &mapping);
    *residence = mapping.residence;
    return 0;
}

void image_residence_tell(const struct image_residence *residence, char *text, size_t text_bytes) {
    snprintf(text, text_bytes, "%s, %" PRIu64 " of %" PRIu64 " MiB in huge pages%s%s",
             residence->locked_bytes >= residence->bytes ? "locked" : "not locked", residence->huge_bytes / MIB,
             residence->bytes / MIB, residence->nodes[0] == '\0' ? "" : ", NUMA node ", residence->nodes);
}

static const char *policy_name(int policy) {
    switch (policy & ~SCHED_RESET_ON_FORK) {
    case SCHED_OTHER:
        return "SCHED_OTHER";
    case SCHED_FIFO:
        return "SCHED_FIFO";
    case SCHED_RR:
        return "SCHED_RR";
    case SCHED_BATCH:
        return "SCHED_BATCH";
    case SCHED_IDLE:
        return "SCHED_IDLE";
    default:
        return "another policy";
    }
}

int thread_residence_of(pid_t thread, struct thread_residence *residence) {
    struct sched_param parameters;
    /* musl's functions of these names always fail: POSIX defines them for processes, the kernel has them for
     * threads. */
    residence->policy = (int)syscall(SYS_sched_getscheduler, thread);
    if (residence->policy < 0 || syscall(SYS_sched_getparam, thread, &parameters) < 0 ||
        sched_getaffinity(thread, sizeof(residence->cpus), (cpu_set_t *)&residence->cpus) < 0)
        return -errno;
    residence->priority = parameters.sched_priority;
    return 0;
}

void thread_residence_tell(const struct thread_residence *residence, char *text, size_t text_bytes) {
    char list[128], priority[32] = "";
    cpulist_format(&residence->cpus, list, sizeof(list));
    if (residence->priority > 0)
        snprintf(priority, sizeof(priority), " priority %d", residence->priority);
    snprintf(text, text_bytes, "CPU %s, %s%s", list, policy_name(residence->policy), priority);
}
