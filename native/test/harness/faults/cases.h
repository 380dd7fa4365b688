/* SPDX-License-Identifier: Apache-2.0 */
/* A case: a scenario and one or two faults. Its name can be parsed again: `waiting: pwritev2#5 EIO once`. */
#ifndef BURST_TEST_FAULTS_CASES_H
#define BURST_TEST_FAULTS_CASES_H

#include "trial.h"

enum weather { WEATHER_FAIR, WEATHER_CLOCK_BACK, WEATHER_INTERRUPTS, WEATHERS };

struct fault_case {
    enum scenario scenario;
    enum weather weather;
    int fault_count; /* 2: the first fault strikes in the first session, the second one in the second */
    struct shim_fault faults[FAULTS_MAX];
};

#define CASE_NAME_BYTES 256

void case_name(const struct fault_case *fault_case, char *name, size_t name_bytes);
/* 0, or -1 if it is no name of a case. */
int case_parse(const char *name, struct fault_case *fault_case);

/* The outcome of a case. */
struct case_outcome {
    uint32_t fired[FAULTS_MAX];
    int disturbed; /* the first fault made a call fail or wait */
};

/* Runs the case: in this process, or in children if a fault kills. trial->wrong says what is wrong. */
void case_run(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome);

/* Which call the first faults strike at this step: each one; of scenario `reads`, whose readers repeat themselves, the 1st,
 * 2nd, 4th, 8th ... */
uint32_t case_number(enum scenario scenario, uint32_t step);

/* The two halves of a case of two faults. One first half serves many second ones. */
void case_run_first_half(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome);
void case_run_second_half(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome);

/* A way in which a call can fail: an errno or a short result, once or more than once. fault_kinds returns how many
 * there are. */
struct fault_kind {
    enum shim_call call;
    int effect;
    uint32_t times;
};
int fault_kinds(const struct fault_kind **kinds);

const char *effect_name(int effect);
int effect_parse(const char *name); /* EFFECT_NONE: not known */

/* 1: no call may fail because of this fault. */
int fault_is_harmless(const struct shim_fault *fault, uint32_t roles);

#endif
