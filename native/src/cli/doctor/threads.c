/* SPDX-License-Identifier: Apache-2.0 */
/* Checks where the engine's own threads of a running process may run. The threads that append are the application's. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/doctor/doctor.h"

#define THREADS_MAX 65536
#define ENGINE_THREADS 8

struct engine_thread {
    int tid;
    char name[32];
    char status[64];
    cpu_set_t cpus;
};

static int read_allowed(const struct host *host, const char *path, cpu_set_t *cpus) {
    static const char label[] = "\nCpus_allowed_list:";
    char text[8192], list[CPUS_TEXT_BYTES * 4];
    const int rc = host_read(host, path, text, sizeof text);
    const char *at = rc < 0 ? NULL : strstr(text, label);
    if (at == NULL || sscanf(at + sizeof label - 1, "%1023s", list) != 1) {
        return rc < 0 ? rc : -EINVAL;
    }
    return cpus_parse(list, cpus);
}

/* Finds the engine's threads by their names. Returns how many there are, or -errno with the unreadable path. */
static int find_threads(const struct doctor *doctor, struct engine_thread *threads, char *path) {
    static int tids[THREADS_MAX];
    int found = 0;
    snprintf(path, HOST_PATH_BYTES, "/proc/%d/task", doctor->pid);
    const int count = host_numbered_entries(&doctor->host, path, tids, THREADS_MAX);
    if (count < 0) {
        return count;
    }
    for (int i = 0; i < count && found < ENGINE_THREADS; i++) {
        struct engine_thread *thread = &threads[found];
        snprintf(path, HOST_PATH_BYTES, "/proc/%d/task/%d/comm", doctor->pid, tids[i]);
        if (host_line(&doctor->host, path, thread->name, sizeof thread->name) < 0 ||
            strncmp(thread->name, "burst-", 6) != 0) {
            continue; /* the thread has ended, or is another user's */
        }
        thread->tid = tids[i];
        snprintf(thread->status, sizeof thread->status, "/proc/%d/task/%d/status", doctor->pid, tids[i]);
        const int rc = read_allowed(&doctor->host, thread->status, &thread->cpus);
        if (rc < 0) {
            snprintf(path, HOST_PATH_BYTES, "%s", thread->status);
            return rc;
        }
        found++;
    }
    snprintf(path, HOST_PATH_BYTES, "/proc/%d/task", doctor->pid);
    return found;
}

static int is_unpinned(const struct engine_thread *thread) {
    return CPU_COUNT(&thread->cpus) > 1;
}

static void check_pinning(struct doctor *doctor, const struct engine_thread *threads, int count) {
    char text[CPUS_TEXT_BYTES], evidence[768] = "", mend[256] = "";
    for (int i = 0; i < count; i++) {
        if (is_unpinned(&threads[i])) {
            size_t used = strlen(evidence);
            snprintf(evidence + used, sizeof evidence - used, "%s%s: Cpus_allowed_list: %s (%s)", used > 0 ? "; " : "",
                     threads[i].status, cpus_text(&threads[i].cpus, text), threads[i].name);
            used = strlen(mend);
            snprintf(mend + used, sizeof mend - used, "taskset -cp CORE %d\n", threads[i].tid);
        }
    }
    if (evidence[0] == '\0') {
        doctor_in_order(doctor, "cpu.threads", "/proc/%d/task: %d threads, each on one core", doctor->pid, count);
        return;
    }
    struct result *found = doctor_finding(doctor, "cpu.threads", SEVERITY_LOW, "%s", evidence);
    result_cost(found, "The scheduler may put the engine's thread on the core of one that logs, which then waits for "
                       "it: 0.1 to 4 ms; and it moves it from core to core, with cold caches.");
    result_mend(found, "%s# for good: drainCpu; `burstlog doctor --jitter` advises a core", mend);
}

static void check_node_of_threads(struct doctor *doctor, const struct engine_thread *threads, int count) {
    cpu_set_t near;
    char path[HOST_PATH_BYTES], text[CPUS_TEXT_BYTES];
    int node, far = 0;
    if (doctor_device_node(doctor, &node, &near, path) != 1) {
        return; /* the result numa.device tells why */
    }
    for (int i = 0; i < count; i++) {
        if (!cpus_overlap(&threads[i].cpus, &near)) {
            struct result *found = doctor_finding(
                doctor, "numa.threads", SEVERITY_MEDIUM, "%s: Cpus_allowed_list: %s (%s); the disk is on node %d",
                threads[i].status, cpus_text(&threads[i].cpus, text), threads[i].name, node);
            result_cost(found, "It reads the ring's memory and drives the disk from the other socket: 1 to 2 us more a "
                               "write.");
            result_mend(found, "taskset -cp %s %d", cpus_text(&near, text), threads[i].tid);
            far++;
        }
    }
    if (far == 0) {
        doctor_in_order(doctor, "numa.threads", "/proc/%d/task: all may run on node %d", doctor->pid, node);
    }
}

void doctor_check_threads(struct doctor *doctor) {
    struct engine_thread threads[ENGINE_THREADS];
    char path[HOST_PATH_BYTES];
    if (doctor->ring.path[0] == '\0') {
        return;
    }
    if (doctor->pid <= 0) {
        if (!host_is_recorded(&doctor->host) && geteuid() != 0) {
            doctor_unknown(doctor, "cpu.threads", "the process that holds the ring", -EACCES,
                           "if there is one, name it with --pid, or look as root");
        }
        return;
    }
    const int count = find_threads(doctor, threads, path);
    if (count <= 0) {
        doctor_unknown(doctor, "cpu.threads", path, count < 0 ? count : -ESRCH,
                       "no thread burst-drain or burst-commit is there");
        return;
    }
    check_pinning(doctor, threads, count);
    check_node_of_threads(doctor, threads, count);
}
