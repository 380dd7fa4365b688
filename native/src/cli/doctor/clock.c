/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of the clock: the cost of reading it, and its distance from UTC. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/timex.h>

#include "cli/doctor/doctor.h"

#define RTS_25_US 100

static void check_source(struct doctor *doctor) {
    static const char id[] = "clock.source", path[] = "/sys/devices/system/clocksource/clocksource0/"
                                                      "current_clocksource";
    static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit", "xen"};
    char source[64];
    const int rc = host_line(&doctor->host, path, source, sizeof source);
    if (rc < 0) {
        doctor_unknown(doctor, id, path, rc, NULL);
        return;
    }
    for (size_t i = 0; i < sizeof slow / sizeof slow[0]; i++) {
        if (strcmp(source, slow[i]) == 0) {
            struct result *found = doctor_finding(doctor, id, SEVERITY_HIGH, "%s: %s", path, source);
            result_cost(found, "Reading the clock is a system call of 0.3 to 5 us instead of 0.02 to 0.05; each log "
                               "event does it at least once (kernel: timers/timekeeping).");
            result_mend(found,
                        "echo tsc > %s\n# refused: the kernel found the tsc unsteady; `dmesg | grep -i tsc` tells why",
                        path);
            return;
        }
    }
    doctor_in_order(doctor, id, "%s: %s", path, source);
}

/* A recorded host has the answer of adjtimex(2) in a file: "status 64 maxerror 16000000 esterror 16". */
static int read_sync(const struct doctor *doctor, struct timex *clock) {
    char line[128];
    memset(clock, 0, sizeof *clock);
    if (!host_is_recorded(&doctor->host)) {
        return adjtimex(clock) < 0 ? -errno : 0;
    }
    const int rc = host_line(&doctor->host, "/adjtimex", line, sizeof line);
    return rc < 0 ? rc
           : sscanf(line, "status %d maxerror %ld esterror %ld", &clock->status, &clock->maxerror, &clock->esterror) ==
                   3
               ? 0
               : -EINVAL;
}

static void check_sync(struct doctor *doctor) {
    static const char id[] = "clock.utc";
    struct timex clock;
    const int rc = read_sync(doctor, &clock);
    if (rc < 0) {
        doctor_unknown(doctor, id, host_is_recorded(&doctor->host) ? "/adjtimex" : "adjtimex(2)", rc, NULL);
        return;
    }
    const int unsynchronised = (clock.status & STA_UNSYNC) != 0;
    if (!unsynchronised && clock.maxerror <= RTS_25_US) {
        doctor_in_order(doctor, id, "adjtimex: maxerror %ld us, esterror %ld us", clock.maxerror, clock.esterror);
        return;
    }
    struct result *found =
        doctor_finding(doctor, id, SEVERITY_MEDIUM, "adjtimex: status 0x%x%s, maxerror %ld us, esterror %ld us",
                       (unsigned)clock.status, unsynchronised ? " (STA_UNSYNC)" : "", clock.maxerror, clock.esterror);
    result_cost(
        found,
        "No latency: the time stamps. %s; where MiFIR Article 22c holds, (EU) 2025/1155 says how close they must "
        "be to UTC (RTS 25, before it: 100 us for a fast trading system).",
        unsynchronised ? "Nothing tells the kernel that its clock is that of UTC"
                       : "The kernel vouches for no more than that");
    result_mend(found, "systemctl enable --now chrony    # with a PTP or GPS source near by: hwtimestamp in "
                       "chrony.conf\nchronyc tracking");
}

void doctor_check_clock(struct doctor *doctor) {
    check_source(doctor);
    check_sync(doctor);
}
