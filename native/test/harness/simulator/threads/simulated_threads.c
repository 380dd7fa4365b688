/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs small programs of the log in every schedule within a bound, then all programs in schedules of seeds, and crashes
 * both. A violation ends it, and prints the arguments that show the case again.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "harness/simulator/log.h"
#include "harness/simulator/threads/crashes.h"
#include "harness/simulator/threads/threaded_log.h"

#define PROGRESS_S 5.0
#define ENUMERATED_SHARE 0.5 /* of the time, at most */
#define PREEMPTIONS_MAX 4u
#define STILL_LOOKS 3 /* seconds of processor time */
#define TEXT_BYTES 20000u

struct arguments {
    const char *scenario; /* NULL: all */
    const char *schedule; /* the only schedule to run; NULL: many */
    uint64_t first_seed;
    double seconds;
    uint32_t depth;
    uint32_t preemptions;
    int one; /* runs the first seed only */
    int trace;
};

/* All files of log/ but the engine are compiled with this in place of the real ones. Only a drain in its own process uses it. */
extern const struct files *simulated_files;
const struct files *simulated_files;

static struct arguments arguments = {
    .first_seed = 1, .seconds = 20, .depth = SCHEDULE_UNBOUNDED, .preemptions = PREEMPTIONS_MAX};
static double begin_s, told_s;
static uint64_t schedules, enumerated, last_seed;
static int cut;

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void proof(int violations) {
    printf("PROOF threads cases=%llu violations=%d seeds=%llu-%llu\n",
           (unsigned long long)(schedules + crashes.states + crashes.second_states), violations,
           (unsigned long long)arguments.first_seed, (unsigned long long)last_seed);
    fflush(stdout);
}

/* Prints how to see this run again. */
static void tell_arguments(void) {
    static char decisions[TEXT_BYTES];
    if (run.schedule.way == SCHEDULE_LISTED) {
        schedule_print(&run.schedule, decisions, sizeof decisions);
    }
    fprintf(stderr, "  see it again: simulated_threads --scenario %s --seed %llu %s%s", run.program->name,
            (unsigned long long)run.seed, run.schedule.way == SCHEDULE_LISTED ? "--schedule " : "--one", decisions);
    fprintf(stderr, " --exhaustive %llu --sampled %llu --second-in %llu --second-sampled %llu",
            (unsigned long long)crashes.exhaustive, (unsigned long long)crashes.sampled,
            (unsigned long long)crashes.second_in, (unsigned long long)crashes.second_sampled);
    if (crashes.name != NULL) {
        fprintf(stderr, " --point %llu --state %llu", (unsigned long long)crashes.operation,
                (unsigned long long)crashes.state);
    } else {
        fprintf(stderr, " --point-in 0");
    }
    fprintf(stderr, " --trace\n");
}

void violation(const struct world *world, const char *format, ...) {
    va_list details;
    va_start(details, format);
    fflush(stdout);
    fprintf(stderr, "VIOLATION in %s: ", run.program->name);
    vfprintf(stderr, format, details);
    va_end(details);
    fprintf(stderr, "\n");
    if (crashes.name != NULL) {
        fprintf(stderr, "  after a crash before operation %llu (%s), state %llu", (unsigned long long)crashes.operation,
                crashes.name, (unsigned long long)crashes.state);
        if (world->level == 2) {
            fprintf(stderr, "; in its recovery crash point %llu, state %llu", (unsigned long long)crashes.second_point,
                    (unsigned long long)crashes.second_state);
        }
        fprintf(stderr, "\n");
    }
    tell_arguments();
    const struct events *events = world == run.world ? &run.log.events : &world->events;
    for (uint64_t i = events->first; i < events->end; i++) {
        fprintf(stderr, "  the engine said: %s\n", events->kept[i % EVENTS_KEPT].text);
    }
    proof(1);
    exit(1);
}

/* The engine touched memory that is not there: a violation too, of which little can be told. */
static void crashed(int signal) {
    fprintf(stderr, "VIOLATION in %s: signal %d\n", run.program->name, signal);
    tell_arguments();
    proof(1);
    _exit(1);
}

/* Looks each second of processor time: if several looks find no progress, a thread runs and never reaches a switch. */
static void look_after(int signal) {
    static uint64_t before;
    static int asked;
    const uint64_t done = schedules + sim_threads.points + crashes.states + crashes.second_states;
    asked = done == before ? asked + 1 : 0;
    before = done;
    if (asked == STILL_LOOKS) {
        fprintf(stderr, "VIOLATION in %s: livelock: a thread runs and reaches no switch any more\n", run.program->name);
        crashed(signal);
    }
}

static void catch_crashes(void) {
    static uint8_t stack[64 * 1024];
    const stack_t alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    const struct sigaction action = {.sa_handler = crashed, .sa_flags = SA_ONSTACK | (int)SA_RESETHAND};
    sigaltstack(&alternate, NULL);
    sigaction(SIGSEGV, &action, NULL);
    sigaction(SIGBUS, &action, NULL);
    sigaction(SIGABRT, &action, NULL);
    const struct sigaction look = {.sa_handler = look_after, .sa_flags = SA_ONSTACK | SA_RESTART};
    sigaction(SIGVTALRM, &look, NULL);
    const struct itimerval every = {.it_interval.tv_sec = 1, .it_value.tv_sec = 1};
    setitimer(ITIMER_VIRTUAL, &every, NULL);
}

static void tell_progress(int always) {
    const double now = now_s();
    if (!always && now - told_s < PROGRESS_S) {
        return;
    }
    told_s = now;
    printf(
        "%6.1f s: %llu schedules (%llu enumerated, %llu switches); %llu crash points (%llu whole), %llu states; second "
        "crash: %llu points, %llu states\n",
        now - begin_s, (unsigned long long)schedules, (unsigned long long)enumerated,
        (unsigned long long)sim_threads.switches, (unsigned long long)crashes.points,
        (unsigned long long)crashes.whole_points, (unsigned long long)crashes.states,
        (unsigned long long)crashes.second_points, (unsigned long long)crashes.second_states);
    fflush(stdout);
}

static void run_one(void) {
    crashes_begin_run();
    run_schedule(arguments.trace);
    schedules++;
    if (schedules % 64 == 0) {
        tell_progress(0);
    }
}

static int is_chosen(const struct program *program) {
    return arguments.scenario == NULL || strcmp(arguments.scenario, program->name) == 0;
}

/* Runs all schedules with at most so many preemptions. 1: it ran them all; 0: the time was over first. */
static int enumerate(uint32_t preemptions, double until_s) {
    const uint64_t before = schedules;
    int more = 1;
    memset(run.schedule.made, 0, sizeof run.schedule.made);
    run.schedule.fresh = 0;
    schedule_by_list(&run.schedule, 0);
    while (more && now_s() < until_s) {
        run_one();
        enumerated++;
        more = schedule_advance(&run.schedule, arguments.depth, preemptions);
    }
    printf("%-36s %s %llu schedules with at most %u preemptions\n", run.program->name,
           more ? "CUT by the budget after" : "all", (unsigned long long)(schedules - before), preemptions);
    fflush(stdout);
    return !more;
}

static unsigned count_small(void) {
    unsigned small = 0;
    for (size_t i = 0; i < program_count; i++) {
        small += is_chosen(&programs[i]) && programs[i].small;
    }
    return small;
}

/* Allows one preemption more in each round. All programs run before any gets the next round: they share the time
 * that is left. */
static void enumerate_all(void) {
    const double until_s = begin_s + arguments.seconds * ENUMERATED_SHARE;
    int done[64] = {0};
    unsigned left = count_small();
    run.seed = arguments.first_seed;
    for (uint32_t preemptions = 0; preemptions <= arguments.preemptions && left > 0; preemptions++) {
        unsigned to_come = left;
        for (size_t i = 0; i < program_count; i++) {
            if (!is_chosen(&programs[i]) || !programs[i].small || done[i]) {
                continue;
            }
            run.program = &programs[i];
            const double now = now_s();
            done[i] = !enumerate(preemptions, now + (until_s - now) / to_come--);
            left -= (unsigned)done[i];
            cut |= done[i];
        }
    }
}

static void run_seeds(void) {
    for (uint64_t seed = arguments.first_seed;; seed++) {
        for (size_t i = 0; i < program_count; i++) {
            if (!is_chosen(&programs[i])) {
                continue;
            }
            run.program = &programs[i];
            run.seed = seed;
            schedule_by_seed(&run.schedule, seed * 1000 + i);
            run_one();
        }
        last_seed = seed;
        if (arguments.one || now_s() - begin_s >= arguments.seconds) {
            return;
        }
    }
}

static void usage(void) {
    fprintf(stderr,
            "usage: simulated_threads [--seconds N] [--seed N] [--scenario NAME] [--schedule DECISIONS | --one] "
            "[--trace]\n  enumeration: [--depth DECISIONS] [--preemptions N]\n  crashes: [--point-in N] "
            "[--exhaustive STATES] [--sampled STATES] [--second-in N] [--second-sampled STATES] "
            "[--point N [--state N]]\n  scenarios:");
    for (size_t i = 0; i < program_count; i++) {
        fprintf(stderr, " %s", programs[i].name);
    }
    fprintf(stderr, "\n");
    exit(2);
}

static void read_number(const char *name, uint64_t number) {
    const struct {
        const char *name;
        uint64_t *value;
    } numbers[] = {
        {"--seed", &arguments.first_seed},
        {"--point-in", &crashes.point_in},
        {"--exhaustive", &crashes.exhaustive},
        {"--sampled", &crashes.sampled},
        {"--second-in", &crashes.second_in},
        {"--second-sampled", &crashes.second_sampled},
        {"--point", (uint64_t *)&crashes.only_point},
        {"--state", (uint64_t *)&crashes.only_state},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        if (strcmp(name, numbers[i].name) == 0) {
            *numbers[i].value = number;
            return;
        }
    }
    if (strcmp(name, "--depth") == 0) {
        arguments.depth = (uint32_t)number;
    } else if (strcmp(name, "--preemptions") == 0) {
        arguments.preemptions = (uint32_t)number;
    } else if (strcmp(name, "--seconds") == 0) {
        arguments.seconds = (double)number;
    } else {
        usage();
    }
}

static void read_arguments(int count, char **words) {
    for (int i = 1; i < count; i++) {
        const char *name = words[i];
        if (strcmp(name, "--trace") == 0) {
            arguments.trace = crashes.trace = 1;
            continue;
        }
        if (strcmp(name, "--one") == 0) {
            arguments.one = 1;
            continue;
        }
        if (++i == count) {
            usage();
        }
        char *end = words[i];
        const uint64_t number = strtoull(words[i], &end, 10);
        if (strcmp(name, "--scenario") == 0) {
            arguments.scenario = words[i];
        } else if (strcmp(name, "--schedule") == 0) {
            arguments.schedule = words[i];
        } else if (end == words[i] || *end != '\0') {
            usage();
        } else {
            read_number(name, number);
        }
    }
}

static void run_listed(void) {
    for (size_t i = 0; i < program_count; i++) {
        if (is_chosen(&programs[i])) {
            run.program = &programs[i];
        }
    }
    run.seed = arguments.first_seed;
    const int listed = schedule_parse(&run.schedule, arguments.schedule);
    if (listed < 0 || arguments.scenario == NULL) {
        usage();
    }
    schedule_by_list(&run.schedule, (uint32_t)listed);
    run_one();
}

int main(int count, char **words) {
    crashes = (struct crashes){.point_in = 12,
                               .exhaustive = 9,
                               .sampled = 6,
                               .second_in = 24,
                               .second_sampled = 2,
                               .only_point = -1,
                               .only_state = -1};
    read_arguments(count, words);
    size_t chosen = 0;
    for (size_t i = 0; i < program_count; i++) {
        chosen += (size_t)is_chosen(&programs[i]);
    }
    if (chosen == 0 || crashes.second_in == 0) {
        usage();
    }
    catch_crashes();
    begin_s = told_s = now_s();
    last_seed = arguments.first_seed;
    if (arguments.schedule != NULL) {
        run_listed();
    } else {
        if (!arguments.one) {
            enumerate_all();
        }
        run_seeds();
    }
    tell_progress(1);
    if (cut) {
        printf("The enumeration was cut by the budget; the bound reached by each program is above.\n");
    }
    proof(0);
    return 0;
}
