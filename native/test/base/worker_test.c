/* SPDX-License-Identifier: Apache-2.0 */
/* A thread of the engine: how it starts, how it is asked to end, and how others wait for that. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/error.h"
#include "base/worker.h"

#define IO_CLASS_OF(priority) ((priority) >> 13)
#define IO_CLASS_IDLE 3
#define A_MOMENT_NS 1000000

static int fails;

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    return fails ? EAGAIN : __real_pthread_create(thread, attributes, body, argument);
}

/* The thread of `worker` leaves here how it was started. */
static struct worker worker;
static struct event_count told;
static sigset_t blocked;
static int detach_state, priority, io_priority, looks;

static int begin(void **state) {
    (void)state;
    fails = looks = 0;
    worker = (struct worker){.is_stopped = 0};
    told = (struct event_count){.count = 0};
    return 0;
}

/* Sleeps until it is asked to end, and counts its looks. */
static void sleep_until_stopped(void *argument) {
    assert_ptr_equal(argument, &looks);
    for (;;) {
        const uint32_t ticket = event_count_register(&told);
        looks++;
        if (worker_is_stopped(&worker)) {
            event_count_leave(&told);
            break;
        }
        event_count_wait(&told, &platform_linux, ticket, -1);
    }
    pthread_attr_t attributes;
    pthread_sigmask(SIG_SETMASK, NULL, &blocked);
    assert_int_equal(pthread_getattr_np(pthread_self(), &attributes), 0);
    pthread_attr_getdetachstate(&attributes, &detach_state);
    pthread_attr_destroy(&attributes);
}

static void start(void) {
    assert_int_equal(worker_start(&worker, "burst-test", sleep_until_stopped, &looks), 0);
}

static int awaited(int64_t timeout_ns) {
    struct limit limit = limit_of(timeout_ns);
    return worker_await_end(&worker, &limit);
}

static void its_end_is_awaited_within_a_limit(void **state) {
    (void)state;
    start();
    assert_int_equal(awaited(0), 0);
    assert_int_equal(awaited(A_MOMENT_NS), 0);
    worker_stop(&worker, &told);
    assert_int_equal(awaited(-1), 1);
    assert_int_equal(awaited(0), 1);
    worker_join(&worker);
    assert_int_equal(detach_state, PTHREAD_CREATE_JOINABLE);
}

static void it_may_be_asked_to_end_before_it_starts(void **state) {
    (void)state;
    worker_stop(&worker, &told);
    start();
    worker_join(&worker);
    assert_int_equal(looks, 1);
    assert_int_equal(awaited(0), 1);
}

static void one_that_is_left_gives_back_what_it_has_by_itself(void **state) {
    (void)state;
    start();
    worker_leave(&worker);
    worker_stop(&worker, &told);
    assert_int_equal(awaited(-1), 1);
    assert_int_equal(detach_state, PTHREAD_CREATE_DETACHED);
}

static void it_takes_no_signal_but_that_of_a_mapped_ring(void **state) {
    (void)state;
    sigset_t own, after;
    char name[16];
    sigemptyset(&own);
    sigaddset(&own, SIGUSR1);
    pthread_sigmask(SIG_SETMASK, &own, NULL);
    start();
    pthread_sigmask(SIG_SETMASK, NULL, &after);
    assert_int_equal(pthread_getname_np(worker.thread, name, sizeof name), 0);
    worker_stop(&worker, &told);
    worker_join(&worker);
    assert_string_equal(name, "burst-test");
    for (int number = 1; number < 32; number++) {
        const int is_taken = number == SIGBUS || number == SIGKILL || number == SIGSTOP;
        assert_int_equal(sigismember(&blocked, number), !is_taken);
        assert_int_equal(sigismember(&after, number), sigismember(&own, number));
    }
}

static _Atomic int has_gone;

static void *go(void *argument) {
    sleep_until_stopped(argument);
    atomic_store(&has_gone, 1);
    return NULL;
}

static void one_that_is_sent_off_is_awaited_by_nobody(void **state) {
    (void)state;
    assert_int_equal(worker_send_off("burst-test", go, &looks), 0);
    worker_stop(&worker, &told);
    while (!atomic_load(&has_gone)) {
        sched_yield();
    }
    assert_int_equal(sigismember(&blocked, SIGTERM), 1);
    assert_int_equal(detach_state, PTHREAD_CREATE_DETACHED);
}

static void that_there_is_no_thread_is_told(void **state) {
    (void)state;
    fails = 1;
    assert_int_equal(worker_send_off("burst-test", go, &looks), -EAGAIN);
    assert_int_equal(worker_start(&worker, "burst-test", sleep_until_stopped, &looks), -EAGAIN);
    assert_non_null(strstr(error_text(), "the thread burst-test cannot be started: "));
}

static void step_back(void *argument) {
    (void)argument;
    worker_step_back();
    priority = getpriority(PRIO_PROCESS, (id_t)syscall(SYS_gettid));
    io_priority = (int)syscall(SYS_ioprio_get, 1, 0);
}

static void one_that_steps_back_has_the_lowest_priority(void **state) {
    (void)state;
    const int own = getpriority(PRIO_PROCESS, 0);
    assert_int_equal(worker_start(&worker, "burst-test", step_back, NULL), 0);
    worker_join(&worker);
    assert_int_equal(priority, 19);
    assert_int_equal(IO_CLASS_OF(io_priority), IO_CLASS_IDLE);
    assert_int_equal(getpriority(PRIO_PROCESS, 0), own);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(its_end_is_awaited_within_a_limit, begin),
        cmocka_unit_test_setup(it_may_be_asked_to_end_before_it_starts, begin),
        cmocka_unit_test_setup(one_that_is_left_gives_back_what_it_has_by_itself, begin),
        cmocka_unit_test_setup(it_takes_no_signal_but_that_of_a_mapped_ring, begin),
        cmocka_unit_test_setup(one_that_is_sent_off_is_awaited_by_nobody, begin),
        cmocka_unit_test_setup(that_there_is_no_thread_is_told, begin),
        cmocka_unit_test_setup(one_that_steps_back_has_the_lowest_priority, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
