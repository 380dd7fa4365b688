/* SPDX-License-Identifier: Apache-2.0 */
#include "layers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_MAX 40000u
#define SECOND_MAX 20000u
#define SECONDS_A_PASS 8u /* so many second faults for each first one; then the next pass over all first ones */

/* The scenarios whose second sessions get a fault of their own. */
static const enum scenario with_seconds[] = {SCENARIO_WAITING, SCENARIO_ROLLS};

#define WITH_SECONDS ((uint32_t)(sizeof with_seconds / sizeof with_seconds[0]))

/* Findings of the sweep over first faults, for the second ones. In shared memory. */
struct findings {
    _Atomic uint32_t disturbing_count;
    struct fault_case disturbing[FIRST_MAX];
    struct seconds {
        uint32_t calls[CALLS]; /* that the second session makes */
        struct shim_fault faults[SECOND_MAX];
        uint32_t count;
    } seconds[WITH_SECONDS];
    _Atomic uint32_t second_cases;
};

static const struct layer *layer;
static struct findings *findings;
static uint32_t pass;

/* NULL: none. */
static struct seconds *seconds_of(enum scenario scenario) {
    for (uint32_t i = 0; i < WITH_SECONDS; i++) {
        if (with_seconds[i] == scenario) {
            return &findings->seconds[i];
        }
    }
    return NULL;
}

static void remember(const struct fault_case *fault_case) {
    const uint32_t place = atomic_fetch_add(&findings->disturbing_count, 1);
    if (place < FIRST_MAX) {
        findings->disturbing[place] = *fault_case;
    }
}

static int first_step(uint32_t item, uint32_t step, struct trial *trial) {
    const struct fault_case fault_case = layer->first_case(item, step);
    struct case_outcome outcome;
    pool_begin_case(&fault_case);
    case_run(&fault_case, trial, &outcome);
    pool_end_case(trial);
    if (outcome.fired[0] > 0 && outcome.disturbed && seconds_of(fault_case.scenario) != NULL) {
        remember(&fault_case);
    }
    return outcome.fired[0] > 0;
}

/* Each first fault meets the second ones in an order of its own, so that a pass that is cut short has tried some of
 * all. */
static int second_step(uint32_t item, uint32_t step, struct trial *trial) {
    static uint32_t halfway = UINT32_MAX;
    struct fault_case fault_case = findings->disturbing[item];
    struct case_outcome outcome = {.disturbed = 0};
    const struct seconds *seconds = seconds_of(fault_case.scenario);
    const uint32_t number = pass * SECONDS_A_PASS + step;
    if (step >= SECONDS_A_PASS || number >= seconds->count) {
        return 0;
    }
    const uint32_t stride = 7919; /* a prime that does not divide the count, so each is met once */
    fault_case.faults[1] = seconds->faults[(uint32_t)(((uint64_t)number * stride + item) % seconds->count)];
    fault_case.fault_count = 2;
    pool_begin_case(&fault_case);
    if (halfway != item || step == 0) {
        halfway = item;
        case_run_first_half(&fault_case, trial, &outcome);
    }
    case_run_second_half(&fault_case, trial, &outcome);
    pool_end_case(trial);
    atomic_fetch_add(&findings->second_cases, 1);
    return step + 1 < SECONDS_A_PASS;
}

/* Counts the calls of the second session behind a first one without a fault. */
static void count_calls(struct trial *trial, void *argument) {
    const enum scenario scenario = *(const enum scenario *)argument;
    stage_set(trial, scenario);
    shim_arm(NULL);
    trial_first_session(trial);
    shim_arm(NULL);
    trial_second_session(trial);
    for (int call = 0; call < CALLS; call++) {
        seconds_of(scenario)->calls[call] = shim_count((enum shim_call)call);
    }
}

static int weather_step(uint32_t item, uint32_t step, struct trial *trial) {
    if (step >= SCENARIOS) {
        return 0; /* the last case killed its process */
    }
    const struct fault_case fault_case = {.scenario = (enum scenario)step, .weather = (enum weather)item};
    struct case_outcome outcome;
    pool_begin_case(&fault_case);
    case_run(&fault_case, trial, &outcome);
    pool_end_case(trial);
    return step + 1 < SCENARIOS;
}

/* Runs one case, and prints what happens. */
static void run_case(struct trial *trial, void *argument) {
    struct case_outcome outcome;
    trial_is_told = 1;
    pool_begin_case(argument);
    case_run(argument, trial, &outcome);
    pool_end_case(trial);
    for (int i = 0; i < ((struct fault_case *)argument)->fault_count; i++) {
        printf("fault %d struck %u times, at: ", i + 1, outcome.fired[i]);
        for (int role = 0; role < ROLES; role++) {
            printf("%s", shim_report()->roles & 1u << role ? shim_role_names[role] : "");
        }
        putchar('\n');
    }
}

static void tell_points(void) {
    for (int point = 0; point < POINTS; point++) {
        uint32_t hits = 0;
        const char *name = point_name(point);
        for (int other = 0; other < POINTS; other++) {
            hits += strcmp(point_name(other), name) == 0 ? pool_figures()->hits[other] : 0;
        }
        int is_first = *name != '\0';
        for (int other = 0; other < point; other++) {
            is_first &= strcmp(point_name(other), name) != 0;
        }
        if (is_first) {
            printf("%8u kills at: %s\n", hits, name);
        }
    }
}

static void run_seconds(void) {
    const uint32_t firsts = findings->disturbing_count < FIRST_MAX ? findings->disturbing_count : FIRST_MAX;
    const struct pool_work work = {.count = firsts, .step = second_step};
    uint32_t most = 0;
    uint64_t all = 0;
    int complete = 1;
    for (uint32_t i = 0; i < firsts; i++) {
        const uint32_t count = seconds_of(findings->disturbing[i].scenario)->count;
        most = count > most ? count : most;
        all += count;
    }
    for (pass = 0; complete && pass * SECONDS_A_PASS < most; pass++) {
        complete = pool_run("second faults", &work);
    }
    printf("second faults: %u of %llu (%u first faults that disturbed something), %s\n", findings->second_cases,
           (unsigned long long)all, firsts, complete ? "complete" : "cut by the budget, by breadth");
}

static int find_seconds(void) {
    for (uint32_t i = 0; i < WITH_SECONDS; i++) {
        enum scenario scenario = with_seconds[i];
        struct seconds *seconds = &findings->seconds[i];
        if (pool_run_alone(count_calls, &scenario) != 0) {
            fprintf(stderr, "the scenario %s does not work without a fault\n", scenario_names[scenario]);
            return 0;
        }
        seconds->count = layer->second_faults(seconds->calls, seconds->faults, SECOND_MAX);
    }
    return 1;
}

static int run_all(int first_only, int seconds) {
    findings = pool_memory(sizeof *findings);
    if (!find_seconds()) {
        return 0;
    }
    const struct pool_work weather = {.count = layer->has_weather ? WEATHERS : 1, .is_least = 1, .step = weather_step};
    const struct pool_work first = {.count = layer->first_count(seconds), .is_least = 1, .step = first_step};
    pool_run("no fault", &weather);
    pool_run("first faults", &first);
    printf("first faults: %llu cases, complete\n", (unsigned long long)pool_figures()->cases);
    if (!first_only) {
        run_seconds();
    }
    if (layer->tells_points) {
        tell_points();
    }
    return 1;
}

static int usage(const char *program) {
    fprintf(stderr, "usage: %s [--seconds N] [--seed S] [--first-only] [--case NAME]\n", program);
    return 2;
}

int layer_main(const struct layer *given, int argc, char **argv) {
    layer = given;
    int seconds = 60, first_only = 0, has_case = 0;
    struct fault_case fault_case;
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--first-only") == 0) {
            first_only = 1;
            continue;
        }
        if (value == NULL) {
            return usage(argv[0]);
        }
        i++;
        if (strcmp(argv[i - 1], "--seconds") == 0) {
            seconds = atoi(value);
        } else if (strcmp(argv[i - 1], "--case") == 0 && case_parse(value, &fault_case) == 0) {
            has_case = 1;
        } else if (strcmp(argv[i - 1], "--seed") != 0) { /* ignored: nothing is left to chance */
            return usage(argv[0]);
        }
    }
    pool_begin(argv[0], seconds);
    int works = 1;
    if (has_case) {
        works = pool_run_alone(run_case, &fault_case) == 0;
    } else {
        works = run_all(first_only, seconds);
    }
    const unsigned long long violations = pool_figures()->violations + (unsigned)!works;
    printf("PROOF %s cases=%llu violations=%llu seeds=-\n", layer->name, (unsigned long long)pool_figures()->cases,
           violations);
    return violations == 0 ? 0 : 1;
}
