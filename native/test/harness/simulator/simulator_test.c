/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the scenarios and crashes them, on a block device and on persistent memory. Without arguments it runs all of
 * them, and looks at the same states each time. A violation ends it, and prints the arguments that show the case again.
 */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "harness/simulator/explore.h"
#include "outlet/file/file_rules.h"

extern unsigned long long file_rows_reached[FILE_ROWS];

struct arguments {
    const char *scenario; /* NULL: all */
    const char *medium;   /* NULL: both */
    uint64_t first_seed;
    uint64_t states;  /* go on until at least so many states were looked at ... */
    uint64_t seconds; /* ... and so much time has passed */
};

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void usage(void) {
    fprintf(stderr, "usage: simulator [--scenario NAME] [--medium block|mapped] [--seed N] [--states N] [--seconds N] "
                    "[--exhaustive STATES] [--sampled STATES] [--second-in N] [--second-sampled STATES] "
                    "[--point N --state N] [--trace]\n");
    exit(2);
}

static void read_number(const char *name, const char *value, struct arguments *arguments) {
    const struct {
        const char *name;
        uint64_t *number;
    } options[] = {
        {"--seed", &arguments->first_seed},
        {"--states", &arguments->states},
        {"--seconds", &arguments->seconds},
        {"--exhaustive", &exploration.exhaustive},
        {"--sampled", &exploration.sampled},
        {"--second-in", &exploration.second_in},
        {"--second-sampled", &exploration.second_sampled},
        {"--point", (uint64_t *)&exploration.only_point},
        {"--state", (uint64_t *)&exploration.only_state},
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strcmp(name, options[i].name) == 0) {
            *options[i].number = strtoull(value, NULL, 10);
            return;
        }
    }
    usage();
}

static void read_arguments(int count, char **words, struct arguments *arguments) {
    for (int i = 1; i < count; i++) {
        const char *name = words[i];
        if (strcmp(name, "--trace") == 0) {
            exploration.trace = 1;
        } else if (++i == count) {
            usage();
        } else if (strcmp(name, "--scenario") == 0) {
            arguments->scenario = words[i];
        } else if (strcmp(name, "--medium") == 0) {
            arguments->medium = words[i];
        } else {
            read_number(name, words[i], arguments);
        }
    }
}

static void run_one(const struct scenario *scenario, int is_mapped, uint64_t seed) {
    struct exploration *now = &exploration;
    const double start = now_s();
    now->scenario = scenario;
    now->is_mapped = is_mapped;
    now->seed = seed;
    now->points = now->states = now->whole_points = now->second_points = now->second_states = 0;
    explore();
    now->total += now->states + now->second_states;
    printf("%-34s %-6s seed %-6llu %5llu crash points (%llu whole), %7llu states; second crash: %6llu points, %7llu "
           "states; %.1f s\n",
           scenario->name, is_mapped ? "mapped" : "block", (unsigned long long)seed, (unsigned long long)now->points,
           (unsigned long long)now->whole_points, (unsigned long long)now->states,
           (unsigned long long)now->second_points, (unsigned long long)now->second_states, now_s() - start);
    fflush(stdout);
}

static int is_wanted(const struct arguments *arguments, const struct scenario *scenario, int is_mapped) {
    return (arguments->scenario == NULL || strcmp(arguments->scenario, scenario->name) == 0) &&
           (arguments->medium == NULL || strcmp(arguments->medium, is_mapped ? "mapped" : "block") == 0) &&
           !(is_mapped && scenario->block_only);
}

/* Each open asks for the same memory again, so the kernel need not clear it anew each time. */
static void keep_freed_memory(void) {
#ifdef __GLIBC__
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 256 << 20);
#endif
}

/* Lists the rows of the log file's table that no scenario has met. */
static void list_unreached_rows(void) {
    unsigned reached = 0;
    printf("rows of file_rules.h that were never reached:");
    for (size_t i = 0; i < FILE_ROWS; i++) {
        reached += file_rows_reached[i] > 0;
        if (file_rows_reached[i] == 0) {
            printf(" %s", file_rows[i].label);
        }
    }
    printf(" (%u of %u were)\n", reached, (unsigned)FILE_ROWS);
}

int main(int count, char **words) {
    struct arguments arguments = {.first_seed = 1};
    keep_freed_memory();
    exploration.exhaustive = 64;
    exploration.sampled = 48;
    exploration.second_in = 16;
    exploration.second_sampled = 3;
    exploration.only_point = -1;
    read_arguments(count, words, &arguments);
    const double begin = now_s();
    uint64_t seed = arguments.first_seed;
    int goes_on = 1;
    for (; goes_on; seed += (uint64_t)goes_on) {
        for (size_t i = 0; i < 2 * scenario_count && goes_on; i++) {
            if (is_wanted(&arguments, &scenarios[i / 2], i % 2)) {
                run_one(&scenarios[i / 2], i % 2, seed);
            }
            /* The first seed of each scenario always runs. */
            goes_on = seed == arguments.first_seed || exploration.total < arguments.states ||
                      now_s() - begin < (double)arguments.seconds;
        }
        goes_on = exploration.total > 0 &&
                  (exploration.total < arguments.states || now_s() - begin < (double)arguments.seconds);
    }
    list_unreached_rows();
    printf("%.1f s\nPROOF simulator cases=%llu violations=0 seeds=%llu-%llu\n", now_s() - begin,
           (unsigned long long)exploration.total, (unsigned long long)arguments.first_seed, (unsigned long long)seed);
    return exploration.total > 0 ? 0 : 2;
}
