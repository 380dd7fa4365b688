/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Hiccups: a thread pinned to a core reads the clock without end. Some 10 ns lie between two readings, unless something
 * took the core away: an interrupt, another thread, the firmware, the host of a virtual machine. The figures say how
 * long an append would have waited for its core, if one came every 100 us: a gap of 1 ms holds up ten.
 */
#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/histogram.h"
#include "base/platform.h"
#include "base/worker.h"
#include "cli/cli.h"
#include "cli/doctor/doctor.h"
#include "cli/report.h"

#define APPEND_EVERY_NS 100000ll

struct core {
    struct worker worker;
    int cpu;
    int failure;
    int64_t duration_ns;
    struct histogram waits;
};

/* Counts the appends that would have come between `from` and `to`, while the core was gone. Returns when the next one
 * comes. */
static int64_t count_waits(struct histogram *waits, int64_t next_append_ns, int64_t from_ns, int64_t to_ns) {
    for (; next_append_ns <= to_ns; next_append_ns += APPEND_EVERY_NS) {
        histogram_record(waits, (uint64_t)(to_ns - (next_append_ns > from_ns ? next_append_ns : from_ns)));
    }
    return next_append_ns;
}

static void watch_core(void *argument) {
    struct core *core = argument;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)core->cpu, &one);
    core->failure = pthread_setaffinity_np(pthread_self(), sizeof one, &one);
    if (core->failure != 0) {
        return;
    }
    int64_t last_ns = platform_monotonic_ns(&platform_linux);
    const int64_t end_ns = last_ns + core->duration_ns;
    int64_t next_append_ns = last_ns + APPEND_EVERY_NS;
    while (last_ns < end_ns) {
        const int64_t now_ns = platform_monotonic_ns(&platform_linux);
        next_append_ns = count_waits(&core->waits, next_append_ns, last_ns, now_ns);
        last_ns = now_ns;
    }
}

static int measure_cores(struct core *cores, int count, int together) {
    int rc = 0, started = 0;
    for (int i = 0; i < count && rc == 0; i++) {
        rc = worker_start(&cores[i].worker, "burst-jitter", watch_core, &cores[i]);
        started += rc == 0;
        if (rc == 0 && !together) {
            worker_join(&cores[i].worker);
        }
    }
    for (int i = 0; together && i < started; i++) {
        worker_join(&cores[i].worker);
    }
    for (int i = 0; rc == 0 && i < count; i++) {
        const int failure = cores[i].failure;
        if (failure != 0) {
            return error_set(failure, "core %d cannot be used: %s; choose others with --cpu", cores[i].cpu,
                             error_name(failure));
        }
    }
    return rc;
}

static int quieter_first(const void *one, const void *other) {
    static const double ranks[] = {99.9, 100, 99, 50};
    const struct core *const *a = one, *const *b = other;
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        const uint64_t x = histogram_percentile(&(*a)->waits, ranks[i]),
                       y = histogram_percentile(&(*b)->waits, ranks[i]);
        if (x != y) {
            return x < y ? -1 : 1;
        }
    }
    return (*a)->cpu - (*b)->cpu;
}

static int share_a_core(const struct host *host, int one, int other) {
    char path[HOST_PATH_BYTES];
    cpu_set_t together;
    snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", one);
    return host_cpus(host, path, &together) == 0 && CPU_ISSET((size_t)other, &together);
}

/* Chooses the two quietest cores, which are no hardware threads of one core. Cores near the disk come first. -1: there
 * is none. */
static void advise_cores(const struct doctor *doctor, struct core *cores, int count, int *commit_cpu, int *drain_cpu) {
    static struct core *order[CPU_SETSIZE];
    cpu_set_t near;
    char path[HOST_PATH_BYTES];
    int node;
    const int placed = doctor->ring.path[0] != '\0' && doctor_device_node(doctor, &node, &near, path) == 1;
    *commit_cpu = *drain_cpu = -1;
    for (int i = 0; i < count; i++) {
        order[i] = &cores[i];
    }
    qsort(order, (size_t)count, sizeof order[0], quieter_first);
    for (int round = placed ? 0 : 1; round < 2; round++) {
        for (int i = 0; i < count; i++) {
            const int cpu = order[i]->cpu;
            if ((round == 0 && !CPU_ISSET((size_t)cpu, &near)) || cpu == *commit_cpu) {
                continue;
            }
            if (*commit_cpu < 0) {
                *commit_cpu = cpu;
            } else if (*drain_cpu < 0 && !share_a_core(&doctor->host, *commit_cpu, cpu)) {
                *drain_cpu = cpu;
            }
        }
    }
}

static const struct {
    const char *name;
    double percent;
} columns[] = {{"p50", 50}, {"p99", 99}, {"p99.9", 99.9}, {"max", 100}};
#define COLUMNS (sizeof columns / sizeof columns[0])

static void print_text(const struct core *cores, int count, int commit_cpu, int drain_cpu,
                       const struct jitter_request *request) {
    printf("How long an append every 100 us waits for its core, %g s on each%s, in us:\n\n%6s", request->seconds,
           request->together ? " at once" : "", "core");
    for (size_t c = 0; c < COLUMNS; c++) {
        printf("%10s", columns[c].name);
    }
    putchar('\n');
    for (int i = 0; i < count; i++) {
        printf("%6d", cores[i].cpu);
        for (size_t c = 0; c < COLUMNS; c++) {
            printf("%10.2f", (double)histogram_percentile(&cores[i].waits, columns[c].percent) / 1000);
        }
        putchar('\n');
    }
    printf("\nQuietest: core %d for the thread that logs (commitCpu)", commit_cpu);
    if (drain_cpu >= 0) {
        printf(", core %d for the drain (drainCpu).\n", drain_cpu);
    } else {
        puts("; there is no second core for the drain.");
    }
}

static void print_json(const struct core *cores, int count, int commit_cpu, int drain_cpu,
                       const struct jitter_request *request) {
    struct report report;
    report_begin(&report, stdout, 1);
    report_number(&report, "milliseconds of each core", (uint64_t)(request->seconds * 1000));
    report_flag(&report, "together", request->together);
    report_list(&report, "cores");
    for (int i = 0; i < count; i++) {
        report_group(&report, NULL);
        report_number(&report, "core", (uint64_t)cores[i].cpu);
        report_number(&report, "appends", histogram_count(&cores[i].waits));
        report_number(&report, "p50 ns", histogram_percentile(&cores[i].waits, 50));
        report_number(&report, "p99 ns", histogram_percentile(&cores[i].waits, 99));
        report_number(&report, "p99.9 ns", histogram_percentile(&cores[i].waits, 99.9));
        report_number(&report, "max ns", cores[i].waits.max_ns);
        report_group_end(&report);
    }
    report_list_end(&report);
    report_number(&report, "commit cpu", (uint64_t)commit_cpu);
    if (drain_cpu >= 0) {
        report_number(&report, "drain cpu", (uint64_t)drain_cpu);
    }
    report_end(&report);
}

/* The cores of the list, or, without a list, all that this process may use. */
static int choose_cores(const char *list, cpu_set_t *cpus) {
    cpu_set_t allowed, both;
    if (sched_getaffinity(0, sizeof allowed, &allowed) < 0) {
        return error_set(errno, "the cores of this process are not known: %s", error_name(errno));
    }
    if (list == NULL) {
        *cpus = allowed;
        return 0;
    }
    if (cpus_parse(list, cpus) < 0 || CPU_COUNT(cpus) == 0) {
        return error_set(EINVAL, "--cpu wants a list of cores such as 0-3,8: %s", list);
    }
    CPU_AND(&both, cpus, &allowed);
    char text[CPUS_TEXT_BYTES];
    return CPU_EQUAL(&both, cpus)
               ? 0
               : error_set(EINVAL, "--cpu %s: this process may use cores %s only", list, cpus_text(&allowed, text));
}

int doctor_jitter(const struct doctor *doctor, const struct jitter_request *request) {
    cpu_set_t cpus;
    int rc = choose_cores(request->cpus, &cpus);
    if (rc < 0) {
        return cli_failed(rc);
    }
    struct core *cores = calloc((size_t)CPU_COUNT(&cpus), sizeof *cores);
    if (cores == NULL) {
        return cli_failed(error_set(ENOMEM, "no memory for %d histograms", CPU_COUNT(&cpus)));
    }
    int count = 0, commit_cpu, drain_cpu;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (CPU_ISSET((size_t)cpu, &cpus)) {
            cores[count].cpu = cpu;
            cores[count++].duration_ns = (int64_t)(request->seconds * 1e9);
        }
    }
    rc = measure_cores(cores, count, request->together);
    if (rc == 0) {
        advise_cores(doctor, cores, count, &commit_cpu, &drain_cpu);
        (request->json ? print_json : print_text)(cores, count, commit_cpu, drain_cpu, request);
    }
    free(cores);
    return rc < 0 ? cli_failed(rc) : EXIT_OK;
}
