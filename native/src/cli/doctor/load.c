/* SPDX-License-Identifier: Apache-2.0 */
/* Checks how much of the last minute threads waited for cores, memory and disks: pressure stall information. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "cli/doctor/doctor.h"

static const struct pressure {
    const char *id, *path, *line, *cost, *mend;
    double limit; /* percent of the last minute */
} pressures[] = {
    {"load.cpu", "/proc/pressure/cpu", "some",
     "Threads wait for a core that often; one of them may be one that logs: a time slice of 1 to 10 ms each.",
     "top -H    # who runs; then fewer of them, or cores of their own: cpu.isolated", 10},
    {"load.memory", "/proc/pressure/memory", "some",
     "Threads wait for memory to be freed or read back in: 0.1 to 100 ms each.",
     "ps aux --sort=-rss | head    # who has it", 1},
    {"load.io", "/proc/pressure/io", "full",
     "Nothing could run because all waited for disks: writes of the ring and syncs of the log file queue as well.",
     "iostat -x 1    # which disk; iotop -o: who", 10},
};

static void check_pressure(struct doctor *doctor, const struct pressure *pressure) {
    char text[512], label[16];
    double minute;
    const int rc = host_read(&doctor->host, pressure->path, text, sizeof text);
    snprintf(label, sizeof label, "%s ", pressure->line);
    const char *at = rc < 0 ? NULL : strstr(text, label);
    if (at == NULL || sscanf(at + strlen(label), "avg10=%*s avg60=%lf", &minute) != 1) {
        doctor_unknown(doctor, pressure->id, pressure->path, rc < 0 ? rc : -EINVAL,
                       "the kernel parameter psi=1 switches it on");
    } else if (minute < pressure->limit) {
        doctor_in_order(doctor, pressure->id, "%s: %s avg60=%.2f", pressure->path, pressure->line, minute);
    } else {
        struct result *found =
            doctor_finding(doctor, pressure->id, SEVERITY_MEDIUM, "%s: %s avg60=%.2f (percent of the last minute)",
                           pressure->path, pressure->line, minute);
        result_cost(found, "%s (kernel: accounting/psi)", pressure->cost);
        result_mend(found, "%s", pressure->mend);
    }
}

void doctor_check_load(struct doctor *doctor) {
    for (size_t i = 0; i < sizeof pressures / sizeof pressures[0]; i++) {
        check_pressure(doctor, &pressures[i]);
    }
}
