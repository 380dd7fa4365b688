/* SPDX-License-Identifier: Apache-2.0 */
#include "base/worker.h"

#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"

#define LEAST_PRIORITY 19
#define IDLE_IO (3 << 13) /* IOPRIO_CLASS_IDLE */
#define ONE_THREAD 1      /* IOPRIO_WHO_PROCESS */

static void *run(void *argument) {
    struct worker *worker = argument;
    worker->run(worker->argument);
    atomic_store(&worker->has_ended, 1);
    event_count_notify(&worker->ended, &platform_linux);
    return NULL;
}

static int start(pthread_t *thread, const char *name, void *(*body)(void *argument), void *argument) {
    sigset_t all, before;
    sigfillset(&all);
    /* A mapped ring gets SIGBUS: blocked, it would end the process although a handler could handle it. */
    sigdelset(&all, SIGBUS);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int rc = pthread_create(thread, NULL, body, argument);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (rc != 0) {
        return error_set(rc, "the thread %s cannot be started: %s", name, error_name(rc));
    }
    pthread_setname_np(*thread, name);
    return 0;
}

int worker_start(struct worker *worker, const char *name, void (*body)(void *argument), void *argument) {
    worker->run = body;
    worker->argument = argument;
    return start(&worker->thread, name, run, worker);
}

int worker_send_off(const char *name, void *(*body)(void *argument), void *argument) {
    pthread_t thread;
    const int rc = start(&thread, name, body, argument);
    if (rc == 0) {
        pthread_detach(thread);
    }
    return rc;
}

void worker_stop(struct worker *worker, struct event_count *sleeps_at) {
    atomic_store(&worker->is_stopped, 1);
    event_count_notify(sleeps_at, &platform_linux);
}

int worker_await_end(struct worker *worker, struct limit *limit) {
    for (;;) {
        const uint32_t ticket = event_count_register(&worker->ended);
        const int64_t left_ns = limit_left_ns(limit, &platform_linux);
        const int has_ended = atomic_load(&worker->has_ended) != 0;
        if (has_ended || left_ns == 0) {
            event_count_leave(&worker->ended);
            return has_ended;
        }
        event_count_wait(&worker->ended, &platform_linux, ticket, left_ns);
    }
}

void worker_join(struct worker *worker) {
    pthread_join(worker->thread, NULL);
}

void worker_leave(struct worker *worker) {
    pthread_detach(worker->thread);
}

void worker_step_back(void) {
    setpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid), LEAST_PRIORITY);
    syscall(SYS_ioprio_set, ONE_THREAD, 0, IDLE_IO);
}
