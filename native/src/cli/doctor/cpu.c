/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the cores: their clock, their sleep, and other threads on them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/doctor/doctor.h"

#define CPU_DIRECTORY "/sys/devices/system/cpu"
#define ONLINE CPU_DIRECTORY "/online"
#define ISOLATED CPU_DIRECTORY "/isolated"
#define NOHZ_FULL CPU_DIRECTORY "/nohz_full"
#define DMA_LATENCY "/dev/cpu_dma_latency"

#define SHALLOW_US 2 /* nobody notices the time that such a state takes to leave */
#define DEEP_US 50

int doctor_latency_cpus(const struct doctor *doctor, cpu_set_t *cpus, const char **unread) {
    *unread = ISOLATED;
    if (host_cpus(&doctor->host, ISOLATED, cpus) == 0 && CPU_COUNT(cpus) > 0) {
        return 0;
    }
    *unread = ONLINE;
    return host_cpus(&doctor->host, ONLINE, cpus);
}

static void check_governor(struct doctor *doctor) {
    static const char id[] = "cpu.governor";
    const char *unread;
    cpu_set_t cpus, slow;
    char path[HOST_PATH_BYTES], governor[64] = "", first[64] = "", text[CPUS_TEXT_BYTES];
    int rc = doctor_latency_cpus(doctor, &cpus, &unread);
    if (rc < 0) {
        doctor_unknown(doctor, id, unread, rc, NULL);
        return;
    }
    CPU_ZERO(&slow);
    int example = 0;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &cpus)) {
            continue;
        }
        snprintf(path, sizeof path, CPU_DIRECTORY "/cpu%d/cpufreq/scaling_governor", cpu);
        rc = host_line(&doctor->host, path, governor, sizeof governor);
        if (rc < 0) {
            doctor_unknown(doctor, id, path, rc,
                           "the host shows no frequency control; in a virtual machine ask its owner");
            return;
        }
        if (strcmp(governor, "performance") != 0) {
            if (CPU_COUNT(&slow) == 0) {
                snprintf(first, sizeof first, "%s", governor);
                example = cpu;
            }
            CPU_SET((size_t)cpu, &slow);
        }
    }
    if (CPU_COUNT(&slow) == 0) {
        doctor_in_order(doctor, id, "%s: %s", path, governor);
        return;
    }
    struct result *found =
        doctor_finding(doctor, id, SEVERITY_HIGH, CPU_DIRECTORY "/cpu%d/cpufreq/scaling_governor: %s (cores %s)",
                       example, first, cpus_text(&slow, text));
    result_cost(found, "A core that idled runs at a fraction of its clock, and the next 1 to 10 ms are spent raising "
                       "it: the computing part of an append (some us) takes 2 to 4 times as long after each pause "
                       "(kernel: admin-guide/pm/cpufreq).");
    result_mend(found, "cpupower -c %s frequency-set -g performance", text);
}

/* The limit that programs asked for, in us. The kernel enters no idle state that takes longer to leave. */
static int latency_limit(const struct doctor *doctor, int32_t *limit) {
    char bytes[sizeof *limit + 1];
    const int got = host_read(&doctor->host, DMA_LATENCY, bytes, sizeof bytes);
    memcpy(limit, bytes, sizeof *limit);
    return got < 0 ? got : got == (int)sizeof *limit ? 0 : -EINVAL;
}

struct idle_state {
    long long latency_us;
    int cpu, state;
    char name[32];
};

/* Finds the core's deepest idle state that is enabled and within the limit. Returns 0, or -errno with the unreadable
 * file in path. */
static int deepest_state(const struct doctor *doctor, int cpu, int32_t limit, struct idle_state *deepest, char *path) {
    int states = 0;
    *deepest = (struct idle_state){.cpu = cpu};
    for (;; states++) {
        long long latency, disabled = 0;
        snprintf(path, HOST_PATH_BYTES, CPU_DIRECTORY "/cpu%d/cpuidle/state%d/latency", cpu, states);
        const int rc = host_number(&doctor->host, path, &latency);
        if (rc < 0) {
            return rc == -ENOENT && states > 0 ? 0 : rc;
        }
        snprintf(path, HOST_PATH_BYTES, CPU_DIRECTORY "/cpu%d/cpuidle/state%d/disable", cpu, states);
        host_number(&doctor->host, path, &disabled);
        if (!disabled && latency <= limit && latency >= deepest->latency_us) {
            deepest->latency_us = latency;
            deepest->state = states;
            snprintf(path, HOST_PATH_BYTES, CPU_DIRECTORY "/cpu%d/cpuidle/state%d/name", cpu, states);
            host_line(&doctor->host, path, deepest->name, sizeof deepest->name);
        }
    }
}

static void check_cstates(struct doctor *doctor) {
    static const char id[] = "cpu.cstates";
    const char *unread;
    cpu_set_t cpus, deep;
    int32_t limit = INT32_MAX;
    char path[HOST_PATH_BYTES], text[CPUS_TEXT_BYTES], held[128];
    int rc = doctor_latency_cpus(doctor, &cpus, &unread);
    if (rc < 0) {
        doctor_unknown(doctor, id, unread, rc, NULL);
        return;
    }
    const int limit_rc = latency_limit(doctor, &limit);
    if (limit_rc < 0) {
        limit = INT32_MAX;
        snprintf(held, sizeof held, DMA_LATENCY " cannot be read (%s)", strerror(-limit_rc));
    } else {
        snprintf(held, sizeof held, DMA_LATENCY ": %d us", limit);
    }
    CPU_ZERO(&deep);
    struct idle_state deepest = {0}, state;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET((size_t)cpu, &cpus)) {
            continue;
        }
        rc = deepest_state(doctor, cpu, limit, &state, path);
        if (rc < 0) {
            doctor_unknown(doctor, id, path, rc, "the host shows no idle states; in a virtual machine ask its owner");
            return;
        }
        if (state.latency_us > SHALLOW_US) {
            CPU_SET((size_t)cpu, &deep);
        }
        if (state.latency_us >= deepest.latency_us) {
            deepest = state;
        }
    }
    if (CPU_COUNT(&deep) == 0) {
        doctor_in_order(doctor, id, CPU_DIRECTORY "/cpu%d/cpuidle/state%d/latency: %lld us; %s", deepest.cpu,
                        deepest.state, deepest.latency_us, held);
        return;
    }
    struct result *found =
        doctor_finding(doctor, id, deepest.latency_us >= DEEP_US ? SEVERITY_HIGH : SEVERITY_MEDIUM,
                       CPU_DIRECTORY "/cpu%d/cpuidle/state%d/latency: %lld us (%s; cores %s); %s", deepest.cpu,
                       deepest.state, deepest.latency_us, deepest.name, cpus_text(&deep, text), held);
    result_cost(found,
                "A core that idled takes up to %lld us to wake, and each append whose thread sleeps waits for that: "
                "the completion interrupt of a write, a wake-up by another thread (kernel: admin-guide/pm/cpuidle).",
                deepest.latency_us);
    result_mend(found,
                "cpupower -c %s idle-set --disable-by-latency %d\n"
                "# for good: kernel parameters intel_idle.max_cstate=1 processor.max_cstate=1",
                text, SHALLOW_US);
}

/* Suggests cores to isolate: the last quarter of the cores near the device. */
static void suggest_cpus(const struct doctor *doctor, const cpu_set_t *online, char *text) {
    cpu_set_t near, chosen;
    char path[HOST_PATH_BYTES];
    int node;
    if (doctor_device_node(doctor, &node, &near, path) != 1) {
        near = *online;
    }
    const int wanted = CPU_COUNT(&near) >= 8 ? CPU_COUNT(&near) / 4 : 1;
    CPU_ZERO(&chosen);
    for (int cpu = CPU_SETSIZE - 1; cpu > 0 && CPU_COUNT(&chosen) < wanted; cpu--) {
        if (CPU_ISSET((size_t)cpu, &near)) {
            CPU_SET((size_t)cpu, &chosen);
        }
    }
    cpus_text(&chosen, text);
}

static void check_isolation(struct doctor *doctor) {
    cpu_set_t online, isolated, tickless;
    char text[CPUS_TEXT_BYTES];
    int rc = host_cpus(&doctor->host, ONLINE, &online);
    if (rc < 0) {
        doctor_unknown(doctor, "cpu.isolated", ONLINE, rc, NULL);
        return;
    }
    rc = host_cpus(&doctor->host, ISOLATED, &isolated);
    if (rc < 0) {
        doctor_unknown(doctor, "cpu.isolated", ISOLATED, rc, NULL);
    } else if (CPU_COUNT(&isolated) > 0) {
        doctor_in_order(doctor, "cpu.isolated", ISOLATED ": %s", cpus_text(&isolated, text));
    } else {
        struct result *found =
            doctor_finding(doctor, "cpu.isolated", SEVERITY_MEDIUM, ISOLATED ": none of %d cores", CPU_COUNT(&online));
        suggest_cpus(doctor, &online, text);
        result_cost(found, "Any other program may take the core of a thread that logs, for a time slice of 1 to 10 ms, "
                           "and caches are cold after it. `burstlog doctor --jitter` measures it.");
        result_mend(found,
                    "# kernel parameters: isolcpus=%s nohz_full=%s rcu_nocbs=%s\n"
                    "# then give these cores to the threads that log: taskset, or commitCpu and drainCpu",
                    text, text, text);
    }
    const int tickless_rc = host_cpus(&doctor->host, NOHZ_FULL, &tickless);
    if (tickless_rc < 0) {
        doctor_unknown(doctor, "cpu.nohz_full", NOHZ_FULL, tickless_rc,
                       "a kernel without CONFIG_NO_HZ_FULL has no such file");
        return;
    }
    cpu_set_t both;
    CPU_AND(&both, &tickless, &isolated);
    if (rc < 0 || CPU_COUNT(&isolated) == 0 || CPU_EQUAL(&both, &isolated)) {
        doctor_in_order(doctor, "cpu.nohz_full", NOHZ_FULL ": %s", cpus_text(&tickless, text));
        return;
    }
    struct result *found =
        doctor_finding(doctor, "cpu.nohz_full", SEVERITY_LOW, NOHZ_FULL ": %s, which is not all that is isolated",
                       CPU_COUNT(&tickless) == 0 ? "none" : cpus_text(&tickless, text));
    result_cost(found, "100 to 1000 timer ticks a second interrupt a busy core, 1 to 5 us each (kernel: "
                       "timers/no_hz).");
    result_mend(found, "# kernel parameter: nohz_full=%s", cpus_text(&isolated, text));
}

/* Finds the hardware threads that share a core with one of `cpus` and are not among them. */
static int find_siblings(const struct doctor *doctor, const cpu_set_t *cpus, cpu_set_t *siblings, char *path) {
    CPU_ZERO(siblings);
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        cpu_set_t together, others;
        if (!CPU_ISSET((size_t)cpu, cpus)) {
            continue;
        }
        snprintf(path, HOST_PATH_BYTES, CPU_DIRECTORY "/cpu%d/topology/thread_siblings_list", cpu);
        const int rc = host_cpus(&doctor->host, path, &together);
        if (rc < 0) {
            return rc;
        }
        CPU_AND(&others, &together, cpus);
        CPU_XOR(&others, &together, &others);
        CPU_OR(siblings, siblings, &others);
    }
    return 0;
}

static void check_smt(struct doctor *doctor) {
    static const char id[] = "cpu.smt", active_path[] = CPU_DIRECTORY "/smt/active";
    long long active;
    cpu_set_t isolated, siblings;
    char path[HOST_PATH_BYTES], text[CPUS_TEXT_BYTES], of[CPUS_TEXT_BYTES];
    int rc = host_number(&doctor->host, active_path, &active);
    if (rc < 0) {
        doctor_unknown(doctor, id, active_path, rc, NULL);
        return;
    }
    if (!active) {
        doctor_in_order(doctor, id, "%s: 0", active_path);
        return;
    }
    rc = host_cpus(&doctor->host, ISOLATED, &isolated);
    snprintf(path, sizeof path, "%s", ISOLATED);
    rc = rc < 0 ? rc : find_siblings(doctor, &isolated, &siblings, path);
    if (rc < 0) {
        doctor_unknown(doctor, id, path, rc, NULL);
        return;
    }
    if (CPU_COUNT(&isolated) > 0 && CPU_COUNT(&siblings) == 0) {
        doctor_in_order(doctor, id, "%s: 1; both hardware threads of each isolated core are isolated", active_path);
        return;
    }
    struct result *found;
    if (CPU_COUNT(&isolated) > 0) {
        found = doctor_finding(doctor, id, SEVERITY_LOW, "%s: 1; %s shares its core with %s, which is not isolated",
                               path, cpus_text(&isolated, of), cpus_text(&siblings, text));
    } else {
        found = doctor_finding(doctor, id, SEVERITY_LOW, "%s: 1", active_path);
    }
    result_cost(found, "A busy neighbour on the other hardware thread of a core takes a third to a half of it: the "
                       "computing part of an append (some us) takes up to twice as long.");
    result_mend(found, "echo off > " CPU_DIRECTORY "/smt/control");
}

static void check_preemption(struct doctor *doctor) {
    static const char id[] = "cpu.preemption", debug[] = "/sys/kernel/debug/sched/preempt", version[] = "/proc/version";
    char line[512], model[64], evidence[200];
    int rc = host_line(&doctor->host, version, line, sizeof line);
    if (rc < 0) {
        doctor_unknown(doctor, id, version, rc, NULL);
        return;
    }
    if (strstr(line, "PREEMPT_RT") != NULL) {
        doctor_in_order(doctor, id, "%s: PREEMPT_RT", version);
        return;
    }
    if (strstr(line, "PREEMPT_DYNAMIC") != NULL) {
        rc = host_choice(&doctor->host, debug, model, sizeof model);
        if (rc < 0) {
            doctor_unknown(doctor, id, debug, rc, "root can read it where debugfs is mounted");
            return;
        }
        snprintf(evidence, sizeof evidence, "%s: %s", debug, model);
    } else {
        snprintf(model, sizeof model, "%s", strstr(line, " PREEMPT ") != NULL ? "full" : "none or voluntary");
        snprintf(evidence, sizeof evidence, "%s: %s", version, strcmp(model, "full") == 0 ? "PREEMPT" : "no PREEMPT");
    }
    if (strcmp(model, "full") == 0 || strcmp(model, "lazy") == 0) {
        doctor_in_order(doctor, id, "%s", evidence);
        return;
    }
    struct result *found = doctor_finding(doctor, id, SEVERITY_LOW, "%s", evidence);
    result_cost(found, "A thread that was woken waits until whoever runs inside the kernel on its core leaves it: 0.1 "
                       "to 5 ms at worst. A core of its own (cpu.isolated) helps as much.");
    result_mend(found, "# kernel parameter: preempt=full");
}

void doctor_check_cpus(struct doctor *doctor) {
    check_governor(doctor);
    check_cstates(doctor);
    check_isolation(doctor);
    check_smt(doctor);
    check_preemption(doctor);
}
