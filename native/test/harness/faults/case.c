/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one case and judges its outcome. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cases.h"

#define PATIENT_NS 10000000000ll
#define SYNC_ATTEMPTS_MAX 40 /* of each stream: two for each call that asks for a sync, and for each tick */

static const char *const weather_names[WEATHERS] = {"", "clock-back ", "interrupts "};

static const char *times_name(uint32_t times) {
    return times == TIMES_ONCE ? "once" : times == TIMES_STORM ? "storm" : "forever";
}

void case_name(const struct fault_case *fault_case, char *name, size_t name_bytes) {
    size_t used = (size_t)snprintf(name, name_bytes, "%s: %s", scenario_names[fault_case->scenario],
                                   weather_names[fault_case->weather]);
    for (int i = 0; i < fault_case->fault_count; i++) {
        const struct shim_fault *fault = &fault_case->faults[i];
        used += (size_t)snprintf(name + used, name_bytes - used, "%s%s#%u %s %s", i > 0 ? " then " : "",
                                 shim_call_names[fault->call], fault->first, effect_name(fault->effect),
                                 times_name(fault->times));
    }
}

static int index_of(const char *word, size_t bytes, const char *const *names, int count) {
    for (int i = 0; i < count; i++) {
        if (strlen(names[i]) == bytes && memcmp(names[i], word, bytes) == 0) {
            return i;
        }
    }
    return -1;
}

static int parse_fault(const char *text, struct shim_fault *fault) {
    char call[32], effect[32], times[32];
    if (sscanf(text, "%31[^#]#%u %31s %31s", call, &fault->first, effect, times) != 4) {
        return -1;
    }
    const int number = index_of(call, strlen(call), shim_call_names, CALLS);
    fault->call = (enum shim_call)number;
    fault->effect = effect_parse(effect);
    fault->times = strcmp(times, "once") == 0      ? TIMES_ONCE
                   : strcmp(times, "storm") == 0   ? TIMES_STORM
                   : strcmp(times, "forever") == 0 ? TIMES_FOREVER
                                                   : 0;
    return number < 0 || fault->effect == EFFECT_NONE || fault->times == 0 ? -1 : 0;
}

int case_parse(const char *name, struct fault_case *fault_case) {
    memset(fault_case, 0, sizeof *fault_case);
    const char *colon = strstr(name, ": ");
    const int scenario = colon == NULL ? -1 : index_of(name, (size_t)(colon - name), scenario_names, SCENARIOS);
    if (scenario < 0) {
        return -1;
    }
    fault_case->scenario = (enum scenario)scenario;
    const char *text = colon + 2;
    for (int i = 1; i < WEATHERS; i++) {
        if (strncmp(text, weather_names[i], strlen(weather_names[i])) == 0) {
            fault_case->weather = (enum weather)i;
            text += strlen(weather_names[i]);
        }
    }
    while (*text != '\0' && fault_case->fault_count < FAULTS_MAX) {
        if (parse_fault(text, &fault_case->faults[fault_case->fault_count++]) < 0) {
            return -1;
        }
        const char *then = strstr(text, " then ");
        text = then == NULL ? "" : then + 6;
    }
    return 0;
}

static int kills(const struct shim_fault *fault) {
    return fault != NULL && (fault->effect == EFFECT_KILL_BEFORE || fault->effect == EFFECT_KILL_AFTER);
}

/* Says whether the fault is one by which disks and file systems report that blocks are bad, or end. */
static int damages(const struct shim_fault *fault, uint32_t roles) {
    return fault->call == CALL_pread && (roles & 1u << ROLE_RING) != 0 &&
           (fault->effect == EIO || fault->effect == ENODATA || fault->effect == EILSEQ || fault->effect == EREMOTEIO ||
            fault->effect == EFFECT_NOTHING || fault->effect == EFFECT_SHORT);
}

/* A fault of the log file alone is no reason to refuse a record. */
static int concerns_only_the_log_file(const struct shim_fault *fault, uint32_t roles) {
    return (fault->call == CALL_pwrite || fault->call == CALL_fdatasync || fault->call == CALL_ftruncate ||
            fault->call == CALL_flock) &&
           roles == 1u << ROLE_LOG;
}

static void judge(const struct shim_fault *fault, struct trial *trial) {
    const struct shim_report *report = shim_report();
    if (report->data_writes_after_failure > 0) {
        trial_wrong(trial, "the ring was written %u times after one of its writes had failed",
                    report->data_writes_after_failure);
    }
    if (report->failed_data_writes > 0 && trial->refusals == 0) {
        trial_wrong(trial, "a write of the ring failed, and no call told so");
    }
    if (report->fired == 0) {
        return;
    }
    const uint32_t files =
        trial->scenario == SCENARIO_STREAMS || trial->scenario == SCENARIO_SEGMENTS ? STREAMS
        : trial->scenario == SCENARIO_ROLLS || trial->scenario == SCENARIO_PLANNED || trial->scenario == SCENARIO_READS
            ? 4 * STREAMS
            : 1;
    if (fault->call == CALL_fdatasync && fault->times == TIMES_FOREVER && report->fired > SYNC_ATTEMPTS_MAX * files) {
        trial_wrong(trial, "%u syncs were tried of files that cannot be synced: the drain does not rest between",
                    report->fired);
    }
    if (fault_is_harmless(fault, report->roles) && trial->refusals + trial->timeouts + trial->sync_failures > 0) {
        trial_wrong(trial,
                    "%u refusals (%s), %u waits in vain and %u changes of file, though this fault passes by itself",
                    trial->refusals, trial->refusal, trial->timeouts, trial->sync_failures);
    }
    if (concerns_only_the_log_file(fault, report->roles) && trial->append_refusals > 0) {
        trial_wrong(trial, "%u appends were refused because of the log file", trial->append_refusals);
    }
    trial->damage_is_possible |= damages(fault, report->roles);
}

static void run_sessions(const struct shim_fault *fault, struct trial *trial, int first, int second) {
    trial->wait_ns = PATIENT_NS;
    shim_arm(fault);
    if (first) {
        trial_first_session(trial);
    }
    if (second) {
        trial_second_session(trial);
    }
}

/* Runs the sessions in a child, which the fault kills. The witness is in shared memory. */
static uint32_t run_until_killed(const struct shim_fault *fault, struct trial *trial, int first, int second) {
    const pid_t child = fork();
    if (child == 0) {
        run_sessions(fault, trial, first, second);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    const int was_killed = WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
    if (!was_killed && status != 0) {
        trial_wrong(trial, "the process ended by itself, with status %d", status);
    }
    return (uint32_t)was_killed;
}

static uint32_t run_under(const struct shim_fault *fault, struct trial *trial, int first, int second) {
    shim_weather.only_readers = trial->scenario == SCENARIO_READS && fault != NULL && !kills(fault);
    if (kills(fault)) {
        return run_until_killed(fault, trial, first, second);
    }
    trial->refusals = trial->append_refusals = trial->timeouts = trial->sync_failures = 0;
    run_sessions(fault, trial, first, second);
    const uint32_t fired = shim_report()->fired;
    if (fault != NULL) {
        judge(fault, trial);
    } else if (trial->refusals + trial->timeouts > 0) {
        trial_wrong(trial, "%u refusals (%s) and %u waits in vain without a fault", trial->refusals, trial->refusal,
                    trial->timeouts);
    }
    return fired;
}

static void set(const struct fault_case *fault_case, struct trial *trial) {
    stage_set(trial, fault_case->scenario);
    shim_weather.clock_jumps_back = fault_case->weather == WEATHER_CLOCK_BACK;
    shim_weather.interrupts = fault_case->weather == WEATHER_INTERRUPTS;
}

static void end(struct trial *trial, int was_killed) {
    if (trial->scenario == SCENARIO_READS && was_killed) {
        shim_arm(NULL);
        verify_reads(trial, 0);
    }
    shim_weather = (struct shim_weather){.clock_jumps_back = 0};
    trial_last_session(trial);
}

void case_run_first_half(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome) {
    set(fault_case, trial);
    outcome->fired[0] = run_under(&fault_case->faults[0], trial, 1, 0);
    stage_remember(trial);
}

void case_run_second_half(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome) {
    stage_recall(trial);
    outcome->fired[1] = run_under(&fault_case->faults[1], trial, 0, 1);
    end(trial, kills(&fault_case->faults[1]));
}

void case_run(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome) {
    *outcome = (struct case_outcome){.disturbed = 0};
    if (fault_case->fault_count == 2) {
        case_run_first_half(fault_case, trial, outcome);
        case_run_second_half(fault_case, trial, outcome);
        return;
    }
    set(fault_case, trial);
    const struct shim_fault *fault = fault_case->fault_count == 0 ? NULL : &fault_case->faults[0];
    outcome->fired[0] = run_under(fault, trial, 1, 1);
    outcome->disturbed = trial->refusals + trial->timeouts + trial->sync_failures > 0 || kills(fault);
    end(trial, kills(fault));
}

uint32_t case_number(enum scenario scenario, uint32_t step) {
    return scenario != SCENARIO_READS ? step + 1 : step < 31 ? 1u << step : UINT32_MAX;
}
