/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/simulator/threads/sim_threads.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/alarm.h"
#include "harness/simulator/log.h"

#define STACK_BYTES (512u * 1024u)
#define GUARD_BYTES 4096u
#define POINTS_MAX 2000000u           /* in one run: a run with more is a livelock */
#define NO_PROGRESS_NS 600000000000ll /* if no call returned for so long, a thread sleeps that nobody wakes */
#define SPURIOUS_IN 16
#define LATE_MOST_NS 1000000000ll
#define DEADLINE_NEVER INT64_MAX

struct sim_threads sim_threads;

static struct sim_thread *self(void) {
    return &sim_threads.threads[sim_threads.running];
}

void sim_threads_describe(char *text, size_t text_bytes) {
    static const char *const names[] = {"ready", "parked", "asleep", "joining", "done"};
    size_t used = 0;
    text[0] = '\0';
    for (unsigned i = 0; i < sim_threads.count && used < text_bytes; i++) {
        const struct sim_thread *thread = &sim_threads.threads[i];
        used += (size_t)snprintf(text + used, text_bytes - used, "\n  %-12s %-8s at %s%s", thread->name,
                                 names[thread->state], thread->at,
                                 thread->deadline_ns != DEADLINE_NEVER ? ", with a deadline" : "");
    }
}

static void stuck(const char *what) {
    char text[2048];
    sim_threads_describe(text, sizeof text);
    violation(sim_threads.world, "%s%s", what, text);
}

static void wake(struct sim_thread *thread, int timed_out) {
    thread->state = SIM_READY;
    thread->timed_out = timed_out;
    thread->deadline_ns = DEADLINE_NEVER;
}

static int64_t nearest_deadline_ns(void) {
    int64_t nearest = DEADLINE_NEVER;
    for (unsigned i = 0; i < sim_threads.count; i++) {
        const struct sim_thread *thread = &sim_threads.threads[i];
        nearest = thread->deadline_ns < nearest ? thread->deadline_ns : nearest;
    }
    return nearest;
}

/* Moves the clock to the first deadline. */
static void pass_time(void) {
    const int64_t nearest = nearest_deadline_ns();
    if (nearest == DEADLINE_NEVER) {
        stuck("deadlock: everybody sleeps and nobody has a deadline");
    }
    struct world *world = sim_threads.world;
    world->now_ns = nearest > world->now_ns ? nearest : world->now_ns;
    if (world->now_ns - sim_threads.progress_ns > NO_PROGRESS_NS) {
        stuck("no call returns any more");
    }
    for (unsigned i = 0; i < sim_threads.count; i++) {
        struct sim_thread *thread = &sim_threads.threads[i];
        if (thread->deadline_ns <= world->now_ns) {
            wake(thread, 1);
        }
    }
}

static int deadline_is_near(void) {
    return nearest_deadline_ns() < sim_threads.world->now_ns + LATE_MOST_NS;
}

/* Lists the threads that can run: the running one first if it can, then the others in turn from there. */
static unsigned find_ready(uint8_t *ready) {
    unsigned found = 0;
    for (unsigned i = 0; i < sim_threads.count; i++) {
        const unsigned thread = (sim_threads.running + i) % sim_threads.count;
        if (sim_threads.threads[thread].state == SIM_READY && !sim_threads.threads[thread].stands_still) {
            ready[found++] = (uint8_t)thread;
        }
    }
    return found;
}

static void wake_one_for_nothing(void) {
    const unsigned thread = (unsigned)(random_next(&sim_threads.random_state) % sim_threads.count);
    if (sim_threads.threads[thread].state == SIM_PARKED) {
        sim_threads.wakes_for_nothing--;
        wake(&sim_threads.threads[thread], 0);
    }
}

/* Lets the next thread run, and returns when it is the caller's turn again. */
static void dispatch(void) {
    uint8_t ready[SCHEDULE_THREADS_MAX];
    unsigned count;
    if (sim_threads.wakes_for_nothing > 0 && random_next(&sim_threads.random_state) % SPURIOUS_IN == 0) {
        wake_one_for_nothing();
    }
    if (sim_threads.late_in > 0 && sim_threads.in_kernel == 0 &&
        random_next(&sim_threads.random_state) % sim_threads.late_in == 0 && deadline_is_near()) {
        pass_time();
    }
    while ((count = find_ready(ready)) == 0) {
        pass_time();
    }
    struct sim_thread *before = self();
    const unsigned next =
        ready[schedule_thread(sim_threads.schedule, ready, count, before->state == SIM_READY && !before->stands_still)];
    if (next == sim_threads.running) {
        return;
    }
    sim_threads.running = next;
    sim_threads.world->process = self()->process;
    sim_threads.switches++;
    if (sim_threads.trace) {
        printf("%30s-> %s\n", "", self()->name);
    }
    if (before->state == SIM_DONE) {
        setcontext(&self()->context);
    }
    swapcontext(&before->context, &self()->context);
}

static void reach(const char *at) {
    self()->at = at;
    if (sim_threads.trace) {
        printf("  %.6f s  %-12s %s\n", (double)(sim_threads.world->now_ns % 1000000000000ll) / 1e9, self()->name, at);
    }
    if (++sim_threads.points > POINTS_MAX) {
        stuck("livelock: everybody runs and nothing comes to an end");
    }
    sim_threads.watch();
    if (self()->state == SIM_DONE) { /* its process is dead */
        dispatch();
    }
}

void sim_threads_vanish(unsigned process) {
    for (unsigned i = 0; i < sim_threads.count; i++) {
        struct sim_thread *thread = &sim_threads.threads[i];
        if (thread->process == process && !thread->is_gone) {
            wake(thread, 0);
            thread->state = SIM_DONE;
            thread->is_gone = 1;
        }
    }
}

void sim_threads_stand_still(unsigned process, int still) {
    for (unsigned i = 0; i < sim_threads.count; i++) {
        if (sim_threads.threads[i].process == process) {
            sim_threads.threads[i].stands_still = still;
        }
    }
}

void sim_thread_yield(const char *at) {
    reach(at);
    dispatch();
}

void sim_thread_sleep(const char *at, int64_t duration_ns) {
    reach(at);
    self()->state = SIM_ASLEEP;
    self()->deadline_ns = sim_threads.world->now_ns + duration_ns;
    dispatch();
}

void sim_thread_errand(void (*errand)(void)) {
    sim_threads.errand = errand;
    swapcontext(&self()->context, &sim_threads.outside);
}

static int has_left(void) {
    for (unsigned i = 0; i < sim_threads.count; i++) {
        if (sim_threads.threads[i].state != SIM_DONE) {
            return 1;
        }
    }
    return 0;
}

static void live(void) {
    self()->run(self()->argument);
    reach("its end");
    self()->state = SIM_DONE;
    for (unsigned i = 0; i < sim_threads.count; i++) {
        struct sim_thread *thread = &sim_threads.threads[i];
        if (thread->state == SIM_JOINING && thread->joins == sim_threads.running) {
            wake(thread, 0);
        }
    }
    if (!has_left()) {
        setcontext(&sim_threads.outside);
    }
    dispatch();
}

static unsigned add(unsigned process, const char *name, void *(*run)(void *), void *argument) {
    unsigned place = 0;
    while (place < sim_threads.count && !sim_threads.threads[place].is_gone) {
        place++;
    }
    if (place == SCHEDULE_THREADS_MAX) {
        abort();
    }
    struct sim_thread *thread = &sim_threads.threads[place];
    sim_threads.count += place == sim_threads.count;
    if (thread->stack == NULL) {
        thread->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (thread->stack == MAP_FAILED || mprotect(thread->stack, GUARD_BYTES, PROT_NONE) < 0) {
            abort();
        }
    }
    thread->name = name;
    thread->run = run;
    thread->argument = argument;
    thread->at = "its start";
    thread->process = process;
    thread->stands_still = thread->is_gone = 0;
    wake(thread, 0);
    getcontext(&thread->context);
    thread->context.uc_stack.ss_sp = thread->stack;
    thread->context.uc_stack.ss_size = STACK_BYTES;
    thread->context.uc_link = NULL;
    makecontext(&thread->context, live, 0);
    return place;
}

unsigned sim_thread_start_in(unsigned process, const char *name, void *(*run)(void *), void *argument) {
    const unsigned thread = add(process, name, run, argument);
    sim_thread_yield("the start of a thread");
    return thread;
}

unsigned sim_thread_start(const char *name, void *(*run)(void *), void *argument) {
    return sim_thread_start_in(self()->process, name, run, argument);
}

void sim_thread_join(unsigned thread) {
    sim_thread_yield("join");
    if (sim_threads.threads[thread].state != SIM_DONE) {
        self()->state = SIM_JOINING;
        self()->joins = thread;
        dispatch();
    }
    sim_threads.threads[thread].is_gone = 1;
}

/* ------------------------------------------------------------------------------------- what the engine calls */

static int park(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    (void)platform;
    sim_thread_yield("park");
    if (atomic_load(word) != expected) {
        return 0;
    }
    if (timeout_ns == 0) {
        return -ETIMEDOUT;
    }
    struct sim_thread *thread = self();
    thread->state = SIM_PARKED;
    thread->word = word;
    /* A wait of more than a minute wakes only to report itself, not to go on: another thread must end it. */
    thread->deadline_ns =
        timeout_ns < 0 || timeout_ns >= ALARM_EVERY_NS ? DEADLINE_NEVER : sim_threads.world->now_ns + timeout_ns;
    dispatch();
    return thread->timed_out ? -ETIMEDOUT : 0;
}

static unsigned find_parked(const _Atomic uint32_t *word, uint8_t *parked) {
    unsigned found = 0;
    for (unsigned i = 0; i < sim_threads.count; i++) {
        if (sim_threads.threads[i].state == SIM_PARKED && sim_threads.threads[i].word == word) {
            parked[found++] = (uint8_t)i;
        }
    }
    return found;
}

static void unpark(const struct platform *platform, _Atomic uint32_t *word, int count) {
    (void)platform;
    sim_thread_yield("a wake-up to come");
    uint8_t parked[SCHEDULE_THREADS_MAX];
    int may_be_late = 0;
    for (; count > 0; count--) {
        const unsigned found = find_parked(word, parked);
        if (found == 0) {
            break;
        }
        const unsigned chosen = (unsigned)count >= found ? 0 : schedule_pick(sim_threads.schedule, found);
        struct sim_thread *thread = &sim_threads.threads[parked[chosen]];
        may_be_late |= thread->deadline_ns != DEADLINE_NEVER;
        wake(thread, 0);
    }
    if (sim_threads.late_decided && may_be_late && deadline_is_near() && schedule_pick(sim_threads.schedule, 2) == 1) {
        pass_time();
    }
    sim_thread_yield("a wake-up done");
}

static void sleep_ns(const struct platform *platform, int64_t duration_ns) {
    (void)platform;
    sim_thread_sleep("sleep", duration_ns);
}

/* The clock moves, so a thread that gathers or spins comes to its end. */
static void give_way(const struct platform *platform) {
    (void)platform;
    sim_thread_sleep("giving way", 1000);
}

static void fence_all(const struct platform *platform) {
    (void)platform;
    sim_thread_yield("a fence in all threads");
}

/* threads.c is compiled with these names in place of the C library's. */
int simulated_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int simulated_join(pthread_t thread, void **result);
int simulated_detach(pthread_t thread);
int simulated_setname(pthread_t thread, const char *name);
int simulated_sigmask(int how, const sigset_t *set, sigset_t *before);

int simulated_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    (void)attributes;
    *thread = (pthread_t)sim_thread_start("of the log", run, argument);
    return 0;
}

int simulated_join(pthread_t thread, void **result) {
    (void)result;
    sim_thread_join((unsigned)thread);
    return 0;
}

int simulated_detach(pthread_t thread) {
    (void)thread;
    return 0;
}

int simulated_setname(pthread_t thread, const char *name) {
    sim_threads.threads[thread].name = name;
    return 0;
}

int simulated_sigmask(int how, const sigset_t *set, sigset_t *before) {
    (void)how, (void)set, (void)before;
    return 0;
}

void sim_threads_run(struct world *world, struct schedule *schedule, void *(*body)(void *)) {
    static struct platform_ops ops;
    static const struct platform_ops *plain;
    if (plain == NULL) {
        plain = world->platform.ops;
        ops = *plain;
        ops.park = park;
        ops.unpark = unpark;
        ops.sleep_ns = sleep_ns;
        ops.yield = give_way;
        ops.fence_all = fence_all;
    }
    world->platform.ops = &ops;
    sim_threads.world = world;
    sim_threads.schedule = schedule;
    sim_threads.count = sim_threads.running = 0;
    sim_threads.points = 0;
    sim_threads.progress_ns = world->now_ns;
    sim_threads.in_kernel = 0;
    add(0, "main", body, NULL);
    swapcontext(&sim_threads.outside, &sim_threads.threads[0].context);
    while (sim_threads.errand != NULL) {
        void (*errand)(void) = sim_threads.errand;
        sim_threads.errand = NULL;
        errand();
        swapcontext(&sim_threads.outside, &self()->context);
    }
    world->platform.ops = plain;
}
