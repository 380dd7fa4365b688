/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/processes/play.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "harness/simulator/crash.h"
#include "harness/simulator/log.h"
#include "log/ring_drain.h"
#include "window/locks.h"

#define LOOK_NS 50000000ll
#define ALL_DRAINED_WITHIN_NS 200000000000ll
#define ENDS_WITHIN_NS 120000000000ll
#define CUT_STATES 3u
#define FOR_GOOD 0

struct play_run run;

/* The sources of log/ are compiled with these in place of the real ones. */
extern const struct platform *simulated_platform;
extern const struct files *simulated_files;
const struct platform *simulated_platform;
const struct files *simulated_files;

static _Atomic uint32_t stops[PROCESSES];
static int is_finished; /* the application has done all, and closed its log */

uint64_t run_random(uint64_t below) {
    return random_next(&run.random_state) % below;
}

/* ------------------------------------------------------------------------------------------------- power is cut */

static void cut_power(void) {
    static struct crash crash;
    static struct world *after;
    after = after == NULL ? world_create() : after;
    crash_survey(&crash, run.world, run.seed + sim_threads.points);
    const uint64_t states = crash_states(&crash, CUT_STATES, CUT_STATES);
    for (uint64_t state = 0; state < states; state++) {
        crash_build(&crash, state, states, after);
        log_open_whole(after);
        log_drain_all(after);
        log_check_files(after);
        if (log_append(after, 100) < 0) {
            violation(after, "nothing can be appended after recovery: %s", error_text());
        }
        log_drain_all(after);
        log_check_files(after);
        log_close(after);
        run.cuts++;
    }
}

/* -------------------------------------------------------------------------------------------------------- faults */

static int64_t one_of(const int64_t *choices, unsigned count) {
    return choices[run_random(count)];
}

/* A drain may stay away for good: its log gets along by itself. */
static void die(enum process_name process) {
    static const int64_t away_ns[] = {1000000, 1000000000, 4000000000, 15000000000, FOR_GOOD};
    if (processes[process].is_alive) {
        run.deaths++;
        process_kill(process);
        const int64_t away = one_of(away_ns, process == APPLICATION ? 4 : 5);
        processes[process].starts_ns = away == FOR_GOOD ? 0 : run.world->now_ns + away;
    }
}

static void stop(enum process_name process) {
    static const int64_t still_ns[] = {50000000, 700000000, 12000000000, 70000000000};
    run.standstills++;
    process_stand_still(process, 1);
    processes[process].goes_on_ns = run.world->now_ns + one_of(still_ns, 4);
}

/* Whether the step is more than a look of one who waits. */
static int is_work(const char *at) {
    static const char *const looks[] = {"lock of", "sleep", "park", "rest", "a wake-up", "read of a file", "looking"};
    for (size_t i = 0; i < sizeof looks / sizeof looks[0]; i++) {
        if (strncmp(at, looks[i], strlen(looks[i])) == 0) {
            return 0;
        }
    }
    return 1;
}

static void note_work(uint64_t step) {
    if (run.world->process != OPERATOR && run.work_count < WORKS_MAX &&
        is_work(sim_threads.threads[sim_threads.running].at)) {
        run.works[run.work_count++] = step;
    }
}

/* At each step: what is to happen to the process whose step it is. A process that is in the kernel stops behind its call. */
static void watch(void) {
    const enum process_name process = run.world->process;
    const uint64_t step = sim_threads.points;
    note_work(step);
    run.takes += !run.log_drains && application_drains();
    run.log_drains = application_drains();
    if (run.power_in != 0 && (step * 0x9e3779b97f4a7c15ull ^ run.seed) % run.power_in == 0) {
        sim_thread_errand(cut_power);
    }
    if (run.fault == FAULT_NONE || step != run.at) {
        return;
    }
    if (process == OPERATOR || !processes[process].is_alive ||
        (run.fault == FAULT_STANDSTILL && run.world->device.current[process].bytes > 0)) {
        run.at++;
        return;
    }
    if (run.fault == FAULT_STANDSTILL) {
        stop(process);
    } else if (run.fault == FAULT_DEATH_OF_ALL) {
        for (enum process_name all = APPLICATION; all < PROCESSES; all++) {
            die(all);
        }
    } else {
        die(process);
    }
}

/* Only the drain touches log files: docs/drain.md. */
static void check_drains(const struct world *world, const char *operation) {
    const int is_of_the_ring = strcmp(operation, "submit") == 0 || strcmp(operation, "complete") == 0 ||
                               strncmp(operation, "write of a ", 11) == 0 ||
                               strcmp(operation, "middle of a write") == 0;
    if (!is_of_the_ring && !host_has_lock(world->process, LOCKS_DRAIN)) {
        violation(world, "the %s does a %s, and is not the drain", process_names[world->process], operation);
    }
}

static void arrive(struct world *world, const char *operation) {
    check_drains(world, operation);
    sim_thread_yield(operation);
}

/* ------------------------------------------------------------------------------------------------------ processes */

static void *application(void *argument) {
    (void)argument;
    run.play->application();
    is_finished = 1;
    process_exit(0);
    return NULL;
}

static void *drain(void *argument) {
    const enum process_name self = run.world->process;
    const struct ring_drain_config config = {
        .ring = "/dev/ring",
        .window = self == OTHER_DRAIN && run.play->other_folder != NULL ? run.play->other_folder : FOLDER_USUAL};
    (void)argument;
    process_exit(ring_drain_run(&config, &processes[self].events, &stops[self]));
    return NULL;
}

static void start(enum process_name process) {
    if (!processes[process].is_alive) {
        run.lives++;
        atomic_store(&stops[process], 0);
        process_start(process, process == APPLICATION ? application : drain);
    }
}

static void end(enum process_name process) {
    processes[process].starts_ns = 0;
    atomic_store(&stops[process], 1);
}

/* ------------------------------------------------------------------------------------------------------- operator */

static void look_after(enum process_name process) {
    struct process *self = &processes[process];
    if (self->starts_ns != 0 && run.world->now_ns >= self->starts_ns) {
        self->starts_ns = 0;
        start(process);
    }
    if (self->stands_still && self->goes_on_ns != 0 && run.world->now_ns >= self->goes_on_ns) {
        self->goes_on_ns = 0;
        process_stand_still(process, 0);
    }
    if (!self->is_alive && self->rc == -ESTALE) {
        run.stopped++;
        self->rc = 0;
    }
    if (!self->is_alive && self->rc < 0) {
        violation(run.world, "the %s has ended: %s", process_names[process], self->error);
    }
}

static void look(void) {
    for (enum process_name process = APPLICATION; process < PROCESSES; process++) {
        look_after(process);
    }
    sim_thread_sleep("looking after processes", LOOK_NS);
    sim_threads.progress_ns = processes[APPLICATION].stands_still || !processes[APPLICATION].is_alive
                                  ? run.world->now_ns
                                  : sim_threads.progress_ns;
}

static void act(const struct operator_act *act) {
    switch (act->does) {
    case STARTS:
        start(act->process);
        break;
    case ENDS:
        end(act->process);
        break;
    case KILLS:
        run.deaths += (uint64_t)processes[act->process].is_alive;
        process_kill(act->process);
        break;
    case STOPS:
    case LETS_GO_ON:
        process_stand_still(act->process, act->does == STOPS);
        break;
    case DELETES_LOCK_FILES:
        host_delete_lock_files();
        break;
    case DOES_NOTHING:
        break;
    }
}

/* Whether both slots say that all is in the log files. */
static int is_drained(void) {
    struct ring_view *view;
    if (ring_view_open(&run.world->platform, &run.world->device.device, &view) < 0) {
        return 0; /* a slot is just being written */
    }
    const int drained = view->recovery.records == 0 && view->recovery.jump_count == 0;
    ring_view_close(&run.world->platform, view);
    return drained;
}

static int lives(enum process_name process) {
    return processes[process].is_alive || processes[process].starts_ns != 0;
}

/* The drain moves what the application has left. */
static void await_files(void) {
    const int64_t until_ns = run.world->now_ns + ALL_DRAINED_WITHIN_NS;
    while (!is_drained()) {
        if (!lives(DRAIN)) {
            start(DRAIN);
        }
        if (run.world->now_ns > until_ns) {
            violation(run.world, "nobody drains the ring");
        }
        look();
    }
}

static void end_drains(void) {
    const int64_t until_ns = run.world->now_ns + ENDS_WITHIN_NS;
    for (enum process_name process = DRAIN; process < PROCESSES; process++) {
        process_stand_still(process, 0);
        end(process);
    }
    while (processes[DRAIN].is_alive || processes[OTHER_DRAIN].is_alive) {
        if (run.world->now_ns > until_ns) {
            violation(run.world, "a drain that was told to end does not end");
        }
        look();
    }
}

static void *operator(void *argument) {
    (void)argument;
    const int64_t begin_ns = run.world->now_ns;
    for (unsigned i = 0; i < ACTS_MAX && run.play->acts[i].does != DOES_NOTHING; i++) {
        while (run.world->now_ns - begin_ns < run.play->acts[i].at_ms * 1000000) {
            look();
        }
        act(&run.play->acts[i]);
    }
    while (!is_finished) {
        look();
    }
    await_files();
    run.steps = sim_threads.points;
    end_drains();
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------------ run */

static const struct world *formatted(unsigned blocks) {
    static struct world *worlds[WORLD_BLOCKS_MAX + 1];
    if (worlds[blocks] == NULL) {
        worlds[blocks] = world_create();
        world_reset(worlds[blocks], blocks, blocks);
        log_format(worlds[blocks]);
    }
    return worlds[blocks];
}

static void set_up(void) {
    run.world = run.world == NULL ? world_create() : run.world;
    struct world *world = run.world;
    world_copy(world, formatted(run.play->blocks));
    simulated_platform = &world->platform;
    simulated_files = &world->files.files;
    run.random_state = run.seed * 0x9e3779b97f4a7c15ull + 1;
    world->random_state = run_random(UINT64_MAX);
    world->before_operation = arrive;
    world->has_processes = 1;
    world->files.hides_locks = run.play->other_folder != NULL;
    is_finished = 0;
    run.log_drains = 0;
    run.work_count = 0;
    schedule_by_seed(&run.schedule, run_random(UINT64_MAX));
    sim_threads.wakes_for_nothing = (unsigned)run_random(3);
    sim_threads.late_in = run_random(3) == 0 ? 20 + (unsigned)run_random(200) : 0;
    sim_threads.late_decided = 0;
    sim_threads.random_state = run_random(UINT64_MAX);
    sim_threads.watch = watch;
    sim_threads.trace = run.trace;
    application_reset(world);
    memset(stops, 0, sizeof stops);
}

static void check_end(void) {
    struct world *world = run.world;
    world->before_operation = NULL;
    world->has_processes = 0;
    log_read_and_settle(world);
    log_check_files(world);
    log_open_whole(world);
    log_drain_all(world);
    log_check_files(world);
    log_close(world);
}

static void *first(void *argument) {
    processes_begin(run.world);
    operator(argument);
    processes_end();
    return NULL;
}

void play_once(void) {
    set_up();
    sim_threads_run(run.world, &run.schedule, first);
    check_end();
}
