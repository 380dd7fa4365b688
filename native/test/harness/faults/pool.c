/* SPDX-License-Identifier: Apache-2.0 */
#include "pool.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define CASES_A_PROCESS 1500 /* closed logs stay in memory for ever, as the API promises: so a process ends in time */
#define HANG_SECONDS 150     /* longer than the shim takes to notice a hang */
#define PROGRESS_SECONDS 5
#define VIOLATIONS_TOLD 100

struct worker {
    pid_t pid;
    _Atomic uint32_t has_item;
    _Atomic uint32_t item;
    _Atomic uint32_t step;
    _Atomic uint32_t is_done; /* no work is left, or the time is over */
    _Atomic uint64_t cases;
    char name[CASE_NAME_BYTES];
    struct trial trial;
    uint64_t cases_seen;
    int64_t seen_at;
    char folder[128];
};

struct pool {
    struct pool_figures figures;
    _Atomic uint32_t next_item;
    _Atomic uint32_t time_is_over;
    struct worker workers[WORKERS_MAX];
};

static struct pool *pool;
static struct worker *self;
static const char *program_name;
static int64_t begin_s, deadline_s;

static int64_t now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec;
}

void *pool_memory(size_t bytes) {
    void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        perror("mmap");
        exit(2);
    }
    return memory;
}

void pool_begin(const char *program, int seconds) {
    program_name = program;
    pool = pool_memory(sizeof *pool);
    begin_s = now_s();
    deadline_s = begin_s + seconds;
    shim_count_kills(pool->figures.hits);
}

struct pool_figures *pool_figures(void) {
    return &pool->figures;
}

static void tell(const char *name, const char *wrong) {
    if (atomic_fetch_add(&pool->figures.violations, 1) < VIOLATIONS_TOLD) {
        printf("VIOLATION %s\n    again: %s --case \"%s\"\n", wrong, program_name, name);
        fflush(stdout);
    }
}

void pool_begin_case(const struct fault_case *fault_case) {
    case_name(fault_case, self->name, sizeof self->name);
    self->trial.wrong[0] = '\0';
}

void pool_end_case(const struct trial *trial) {
    if (trial->wrong[0] != '\0') {
        tell(self->name, trial->wrong);
    }
    self->name[0] = '\0';
    atomic_fetch_add(&pool->figures.cases, 1);
    atomic_fetch_add(&self->cases, 1);
}

static void enter_stage(struct worker *worker) {
    self = worker;
    snprintf(worker->folder, sizeof worker->folder, "/dev/shm/burst-faults-XXXXXX");
    stage_build(worker->folder);
}

static void work_until_tired(struct worker *worker, const struct pool_work *work) {
    enter_stage(worker);
    const uint64_t enough = atomic_load(&worker->cases) + CASES_A_PROCESS;
    while (atomic_load(&worker->cases) < enough) {
        if (now_s() >= deadline_s && !work->is_least) {
            atomic_store(&pool->time_is_over, 1);
            atomic_store(&worker->is_done, 1);
            break;
        }
        if (!worker->has_item) {
            worker->item = atomic_fetch_add(&pool->next_item, 1);
            worker->step = 0;
            worker->has_item = 1;
        }
        if (worker->item >= work->count) {
            atomic_store(&worker->is_done, 1);
            break;
        }
        /* Counted before it runs: a step that kills the process is not run again. */
        const uint32_t step = atomic_fetch_add(&worker->step, 1);
        if (!work->step(worker->item, step, &worker->trial)) {
            worker->has_item = 0;
        }
    }
    stage_remove(worker->folder);
}

static void start(struct worker *worker, const struct pool_work *work) {
    fflush(stdout);
    worker->cases_seen = UINT64_MAX;
    const pid_t child = fork();
    if (child == 0) {
        work_until_tired(worker, work);
        fflush(stdout);
        _exit(0);
    }
    worker->pid = child; /* only the parent writes it: this memory is shared */
}

static void remove_stage_of(const struct worker *worker) {
    char command[160];
    snprintf(command, sizeof command, "rm -rf '%s'", worker->folder);
    if (system(command) != 0) {
        fprintf(stderr, "%s stays behind\n", worker->folder);
    }
}

/* Returns 1 while the worker works. */
static int look_after(struct worker *worker, const struct pool_work *work) {
    int status = 0;
    if (worker->pid == 0) {
        return 0;
    }
    if (waitpid(worker->pid, &status, WNOHANG) == 0) {
        const uint64_t cases = atomic_load(&worker->cases);
        if (cases != worker->cases_seen) {
            worker->cases_seen = cases;
            worker->seen_at = now_s();
        } else if (now_s() - worker->seen_at > HANG_SECONDS) {
            kill(worker->pid, SIGKILL);
        }
        return 1;
    }
    worker->pid = 0;
    if (status != 0) {
        char wrong[128];
        snprintf(wrong, sizeof wrong,
                 WIFSIGNALED(status) ? "the process died of signal %d" : "the process exited with %d",
                 WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        tell(worker->name, wrong);
        atomic_fetch_add(&pool->figures.cases, 1);
        remove_stage_of(worker);
    } else if (worker->is_done) {
        return 0;
    }
    start(worker, work);
    return 1;
}

static int worker_count(void) {
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors < 1 ? 1 : processors > WORKERS_MAX ? WORKERS_MAX : (int)processors;
}

int pool_run(const char *what, const struct pool_work *work) {
    const int workers = worker_count();
    int64_t told_at = now_s();
    atomic_store(&pool->next_item, 0);
    memset(pool->workers, 0, sizeof pool->workers);
    for (int i = 0; i < workers; i++) {
        start(&pool->workers[i], work);
    }
    for (int working = workers; working > 0;) {
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
        working = 0;
        for (int i = 0; i < workers; i++) {
            working += look_after(&pool->workers[i], work);
        }
        if (now_s() - told_at >= PROGRESS_SECONDS) {
            told_at = now_s();
            const uint32_t item = atomic_load(&pool->next_item);
            printf("%4lld s  %s: item %u of %u, %llu cases in all, %llu violations\n", (long long)(told_at - begin_s),
                   what, item < work->count ? item : work->count, work->count, (unsigned long long)pool->figures.cases,
                   (unsigned long long)pool->figures.violations);
            fflush(stdout);
        }
    }
    return !atomic_load(&pool->time_is_over);
}

int pool_run_alone(void (*body)(struct trial *trial, void *argument), void *argument) {
    fflush(stdout);
    struct worker *worker = &pool->workers[0];
    const pid_t child = fork();
    if (child == 0) {
        enter_stage(worker);
        body(&worker->trial, argument);
        stage_remove(worker->folder);
        fflush(stdout);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (status != 0) {
        remove_stage_of(worker);
    }
    return status;
}
