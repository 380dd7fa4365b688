/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the scenarios and crashes them. Without arguments: all of them, the same states each time. A violation ends it
 * with the arguments that show the same case again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "simulator/explore.h"

struct arguments {
    const char *scenario; /* NULL: all */
    uint64_t first_seed;
    int64_t seconds; /* 0: one seed a scenario */
};

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void usage(void) {
    fprintf(stderr, "usage: simulator [--scenario NAME] [--seed N] [--seconds N] [--exhaustive STATES] "
                    "[--sampled STATES] [--second-in N] [--second-sampled STATES] [--point N --state N] [--trace]\n");
    exit(2);
}

static void read_arguments(int count, char **words, struct arguments *arguments) {
    for (int i = 1; i < count; i++) {
        const char *name = words[i];
        if (strcmp(name, "--trace") == 0) {
            exploration.trace = 1;
            continue;
        }
        if (++i == count) {
            usage();
        }
        const uint64_t number = strtoull(words[i], NULL, 10);
        if (strcmp(name, "--scenario") == 0) {
            arguments->scenario = words[i];
        } else if (strcmp(name, "--seed") == 0) {
            arguments->first_seed = number;
        } else if (strcmp(name, "--seconds") == 0) {
            arguments->seconds = (int64_t)number;
        } else if (strcmp(name, "--exhaustive") == 0) {
            exploration.exhaustive = number;
        } else if (strcmp(name, "--sampled") == 0) {
            exploration.sampled = number;
        } else if (strcmp(name, "--second-in") == 0) {
            exploration.second_in = number;
        } else if (strcmp(name, "--second-sampled") == 0) {
            exploration.second_sampled = number;
        } else if (strcmp(name, "--point") == 0) {
            exploration.only_point = (int64_t)number;
        } else if (strcmp(name, "--state") == 0) {
            exploration.only_state = (int64_t)number;
        } else {
            usage();
        }
    }
}

int main(int count, char **words) {
    struct arguments arguments = {.first_seed = 1};
    exploration.exhaustive = 64;
    exploration.sampled = 48;
    exploration.second_in = 16;
    exploration.second_sampled = 3;
    exploration.only_point = -1;
    read_arguments(count, words, &arguments);
    const double begin = now_s();
    uint64_t total = 0;
    uint64_t seed = arguments.first_seed;
    do {
        for (size_t i = 0; i < scenario_count; i++) {
            if (arguments.scenario != NULL && strcmp(arguments.scenario, scenarios[i].name) != 0) {
                continue;
            }
            exploration.scenario = &scenarios[i];
            exploration.seed = seed;
            exploration.points = exploration.states = exploration.whole_points = 0;
            exploration.second_points = exploration.second_states = 0;
            const double start = now_s();
            explore();
            total += exploration.states + exploration.second_states;
            printf("%-34s seed %-4llu %5llu crash points (%llu whole), %8llu states; second crash: %6llu points, %8llu "
                   "states; %.1f s\n", scenarios[i].name, (unsigned long long)seed,
                   (unsigned long long)exploration.points, (unsigned long long)exploration.whole_points,
                   (unsigned long long)exploration.states, (unsigned long long)exploration.second_points,
                   (unsigned long long)exploration.second_states, now_s() - start);
            fflush(stdout);
        }
        seed++;
    } while (now_s() - begin < (double)arguments.seconds);
    printf("%llu crash states, 0 violations, %.1f s\n", (unsigned long long)total, now_s() - begin);
    return total > 0 ? 0 : 2;
}
