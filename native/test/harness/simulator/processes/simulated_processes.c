/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs all plays: each in orders of steps that a seed chooses, and each of these orders with a death or a standstill at
 * one step after another. A violation ends it, and prints the arguments that show the case again.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/simulator/log.h"
#include "harness/simulator/processes/play.h"

struct arguments {
    const char *scenario; /* NULL: all */
    uint64_t first_seed;
    uint64_t orders; /* of each play */
    uint64_t faults; /* of each order */
    uint64_t power_in;
    double seconds; /* goes on with more orders for so long */
    int64_t only_fault;
    uint64_t at;
    int trace;
};

static struct arguments arguments = {.first_seed = 1, .orders = 3, .faults = 36, .power_in = 4000, .only_fault = -1};
static const char *const fault_names[FAULTS] = {"nothing", "death", "death of all", "standstill"};
static uint64_t runs, cuts, last_seed;
static double begin_s;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void proof(int violations) {
    printf("PROOF processes cases=%llu violations=%d seeds=%llu-%llu\n", (unsigned long long)(runs + cuts), violations,
           (unsigned long long)arguments.first_seed, (unsigned long long)last_seed);
    fflush(stdout);
}

static void tell_events(const char *who, const struct events *events) {
    for (uint64_t i = events->first; i < events->end; i++) {
        fprintf(stderr, "  the %s said: %s\n", who, events->kept[i % EVENTS_KEPT].text);
    }
}

void violation(const struct world *world, const char *format, ...) {
    static char threads[2048];
    va_list details;
    va_start(details, format);
    fflush(stdout);
    fprintf(stderr, "VIOLATION in %s: ", run.play->name);
    vfprintf(stderr, format, details);
    va_end(details);
    sim_threads_describe(threads, sizeof threads);
    fprintf(stderr,
            "\n  step %llu, with %s at step %llu%s%s\n  see it again: simulated_processes --scenario %s --seed %llu "
            "--fault %d --at %llu --power-in %llu --trace\n",
            (unsigned long long)sim_threads.points, fault_names[run.fault], (unsigned long long)run.at,
            world == run.world ? "" : ", after a cut of the power", threads, run.play->name,
            (unsigned long long)run.seed, (int)run.fault, (unsigned long long)arguments.at,
            (unsigned long long)run.power_in);
    tell_events("application", application_events());
    for (unsigned i = DRAIN; i < PROCESSES; i++) {
        tell_events(process_names[i], &processes[i].events);
    }
    proof(1);
    exit(1);
}

static void run_one(uint64_t seed, enum fault fault, uint64_t at) {
    run.seed = seed;
    run.fault = fault;
    run.at = arguments.at = at;
    run.power_in = arguments.power_in;
    run.trace = arguments.trace;
    run.cuts = 0;
    play_once();
    runs++;
    cuts += run.cuts;
}

/* One order of steps, and the same with a fault at one step after another: half of them at any step, half where a process works. */
static void run_order(uint64_t seed) {
    static uint64_t works[WORKS_MAX];
    run_one(seed, FAULT_NONE, 0);
    const uint64_t steps = run.steps, work_count = run.work_count;
    memcpy(works, run.works, sizeof works);
    for (uint64_t i = 0; i < arguments.faults; i++) {
        const uint64_t among = i % 2 == 0 ? steps : work_count;
        const uint64_t from = among * i / arguments.faults, to = among * (i + 1) / arguments.faults;
        uint64_t state = seed ^ i << 32;
        const enum fault fault = FAULT_DEATH + random_next(&state) % (FAULTS - FAULT_DEATH);
        const uint64_t place = from + random_next(&state) % (to - from + 1);
        run_one(seed, fault, i % 2 == 0 ? 1 + place : works[place < work_count ? place : work_count - 1]);
    }
}

static int is_chosen(const struct play *play) {
    return arguments.scenario == NULL || strcmp(arguments.scenario, play->name) == 0;
}

static void usage(void) {
    fprintf(stderr, "usage: simulated_processes [--scenario NAME] [--seed N] [--orders N] [--faults N] [--power-in N] "
                    "[--seconds N] [--fault N --at N] [--trace]\n  scenarios:");
    for (size_t i = 0; i < play_count; i++) {
        fprintf(stderr, " %s", plays[i].name);
    }
    fprintf(stderr, "\n");
    exit(2);
}

static void read_number(const char *name, const char *value) {
    const struct {
        const char *name;
        uint64_t *number;
    } numbers[] = {
        {"--seed", &arguments.first_seed},
        {"--orders", &arguments.orders},
        {"--faults", &arguments.faults},
        {"--power-in", &arguments.power_in},
        {"--fault", (uint64_t *)&arguments.only_fault},
        {"--at", &arguments.at},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].number = strtoull(value, NULL, 10);
            return;
        }
    }
    if (strcmp(name, "--seconds") != 0) {
        usage();
    }
    arguments.seconds = strtod(value, NULL);
}

static void read_arguments(int count, char **words) {
    for (int i = 1; i < count; i++) {
        if (strcmp(words[i], "--trace") == 0) {
            arguments.trace = 1;
        } else if (i + 1 == count) {
            usage();
        } else if (strcmp(words[i], "--scenario") == 0) {
            arguments.scenario = words[++i];
        } else {
            read_number(words[i], words[i + 1]);
            i++;
        }
    }
}

static void run_play(const struct play *play, uint64_t seed) {
    const double start_s = now_s();
    const uint64_t before = runs, cuts_before = cuts;
    run.play = play;
    if (arguments.only_fault >= 0) {
        run_one(seed, (enum fault)arguments.only_fault, arguments.at);
    } else {
        run_order(seed);
    }
    if (seed == arguments.first_seed + arguments.orders - 1 || arguments.only_fault >= 0) {
        printf("%-49s seed %-6llu %6llu runs of about %llu steps, %6llu cuts of the power; %.2f s an order\n",
               play->name, (unsigned long long)seed, (unsigned long long)(runs - before), (unsigned long long)run.steps,
               (unsigned long long)(cuts - cuts_before), now_s() - start_s);
        fflush(stdout);
    }
}

int main(int count, char **words) {
    read_arguments(count, words);
    arguments.orders = arguments.only_fault >= 0 ? 1 : arguments.orders;
    begin_s = now_s();
    for (uint64_t seed = arguments.first_seed;
         seed < arguments.first_seed + arguments.orders || now_s() - begin_s < arguments.seconds; seed++) {
        for (size_t i = 0; i < play_count; i++) {
            if (is_chosen(&plays[i])) {
                run_play(&plays[i], seed);
            }
        }
        last_seed = seed;
    }
    if (runs == 0) {
        usage();
    }
    printf(
        "%.1f s: %llu lives, %llu deaths and %llu standstills of processes; the log began to drain by itself %llu times; slots "
        "stopped %llu drains\n",
        now_s() - begin_s, (unsigned long long)run.lives, (unsigned long long)run.deaths,
        (unsigned long long)run.standstills, (unsigned long long)run.takes, (unsigned long long)run.stopped);
    proof(0);
    return 0;
}
