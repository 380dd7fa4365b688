/* SPDX-License-Identifier: Apache-2.0 */
/* A case: a scenario and one or two faults, with a name that can be read back: `waiting: pwritev2#5 EIO once`. */
#ifndef BURST_TEST_FAULTS_CASES_H
#define BURST_TEST_FAULTS_CASES_H

#include "trial.h"

enum weather { WEATHER_FAIR, WEATHER_CLOCK_BACK, WEATHER_INTERRUPTS, WEATHERS };

struct fault_case {
    enum scenario scenario;
    enum weather weather;
    int fault_count; /* two: the second strikes in the second session only, the first in the first */
    struct shim_fault faults[FAULTS_MAX];
};

#define CASE_NAME_BYTES 256

void case_name(const struct fault_case *fault_case, char *name, size_t name_bytes);
/* 0, or -1 if it is not the name of a case. */
int case_parse(const char *name, struct fault_case *fault_case);

/* What a case came to. */
struct case_outcome {
    uint32_t fired[FAULTS_MAX];
    int disturbed; /* the first fault made some call fail or wait */
};

/* Runs it in this process, or where it kills in children of it. trial->wrong tells what is wrong. */
void case_run(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome);

/* The two halves of a case of two faults, so that one first half serves many second ones. */
void case_run_first_half(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome);
void case_run_second_half(const struct fault_case *fault_case, struct trial *trial, struct case_outcome *outcome);

/* The ways in which a call can fail: errnos and short results, each once and more than once. Returns how many. */
struct fault_kind {
    enum shim_call call;
    int effect;
    uint32_t times;
};
int fault_kinds(const struct fault_kind **kinds);

const char *effect_name(int effect);
int effect_parse(const char *name); /* EFFECT_NONE: not known */

/* True if the engine must not let any call fail because of it. */
int fault_is_harmless(const struct shim_fault *fault, uint32_t roles);

#endif
