/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual time: which threads sleep. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

#define THREADS_MAX 8
#define POLLED_MAX 96
#define SLICE_NS 50000
#define LITTLE_NS 200000
#define HANG_NS 120000000000ll /* so much real time without a wake-up is a hang: this program may have a low priority */

long __real_syscall(long number, ...);
int __real_poll(struct pollfd *fds, nfds_t count, int timeout_ms);
int __real_clock_gettime(clockid_t clock, struct timespec *now);

/* A thread of the engine. */
struct sleeper {
    _Atomic uint32_t used;
    _Atomic uint32_t parks;           /* how often it went to sleep */
    _Atomic(_Atomic uint32_t *) word; /* the word that it sleeps on; NULL: awake */
    _Atomic uint32_t expected;
    _Atomic uint32_t polled; /* it waits for so many of these, without a limit; 0: it does not */
    struct pollfd fds[POLLED_MAX];
};

static struct sleeper sleepers[THREADS_MAX];
static _Atomic uint32_t changes; /* counts threads that went to sleep or ended */
static _Thread_local struct sleeper *self;
static _Atomic int threads;
static _Atomic int64_t skew_ns;

int64_t shim_skew_ns(void) {
    return atomic_load(&skew_ns);
}

void shim_skip_ns(int64_t duration_ns) {
    atomic_fetch_add(&skew_ns, duration_ns);
}

int shim_threads(void) {
    return atomic_load(&threads);
}

static int64_t real_ns(void) {
    struct timespec now;
    __real_clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

static struct sleeper *free_sleeper(void) {
    for (int i = 0; i < THREADS_MAX; i++) {
        uint32_t expected = 0;
        if (atomic_compare_exchange_strong(&sleepers[i].used, &expected, 1)) {
            return &sleepers[i];
        }
    }
    abort();
}

static void tell_change(void) {
    atomic_fetch_add(&changes, 1);
    __real_syscall(SYS_futex, &changes, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

void *shim_thread(void *argument) {
    const struct shim_start start = *(struct shim_start *)argument;
    free(argument);
    shim_enter();
    self = free_sleeper();
    void *result = start.body(start.argument);
    atomic_store(&self->used, 0);
    shim_leave();
    atomic_fetch_sub(&threads, 1);
    tell_change();
    return result;
}

void shim_count_thread(void) {
    atomic_fetch_add(&threads, 1);
}

void shim_uncount_thread(void) {
    atomic_fetch_sub(&threads, 1);
}

/* The thread waits for descriptors, and none of them has anything for it. */
static int is_polling_in_vain(const struct sleeper *sleeper) {
    struct pollfd fds[POLLED_MAX];
    const uint32_t count = atomic_load(&sleeper->polled);
    memcpy(fds, sleeper->fds, count * sizeof *fds);
    return count > 0 && __real_poll(fds, count, 0) == 0;
}

/* The thread sleeps, and nobody has changed its word: only another thread or a timeout can wake it. */
static int is_asleep(struct sleeper *sleeper) {
    _Atomic uint32_t *word = atomic_load(&sleeper->word);
    return word != NULL && atomic_load(word) == atomic_load(&sleeper->expected);
}

static int all_asleep(void) {
    int used = 0;
    for (int i = 0; i < THREADS_MAX; i++) {
        if (atomic_load(&sleepers[i].used) == 0) {
            continue;
        }
        used++;
        if (!is_asleep(&sleepers[i]) && !is_polling_in_vain(&sleepers[i])) {
            return 0;
        }
    }
    return used == atomic_load(&threads);
}

static void hang(const char *where) {
    fprintf(stderr, "HANG: %s\n", where);
    abort();
}

static long futex_wait(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    const struct timespec timeout = {.tv_sec = timeout_ns / 1000000000, .tv_nsec = timeout_ns % 1000000000};
    return __real_syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? NULL : &timeout, NULL, 0);
}

/* Sleeps until the next change, or for a short time. */
static void rest(uint32_t seen) {
    futex_wait(&changes, seen, LITTLE_NS);
}

static long park_engine(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    atomic_store(&self->expected, expected);
    atomic_store(&self->word, word);
    atomic_fetch_add(&self->parks, 1);
    tell_change();
    const long result = futex_wait(word, expected, timeout_ns);
    const int failure = errno;
    atomic_store(&self->word, NULL);
    errno = failure;
    return result;
}

/* The caller's thread waits in the engine. */
static long park_caller(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    const int64_t begin_ns = real_ns();
    for (;;) {
        const long result = futex_wait(word, expected, SLICE_NS);
        if (result == 0 || errno != ETIMEDOUT) {
            return result;
        }
        const int nothing_moves = all_asleep() && atomic_load(word) == expected;
        if (nothing_moves && timeout_ns >= 0) {
            shim_skip_ns(timeout_ns);
            errno = ETIMEDOUT;
            return -1;
        }
        if (real_ns() - begin_ns > HANG_NS) {
            hang(nothing_moves ? "a wait without timeout that nobody ends" : "a thread of the engine never rests");
        }
    }
}

long shim_park(_Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    return self != NULL ? park_engine(word, expected, timeout_ns) : park_caller(word, expected, timeout_ns);
}

int shim_poll(struct pollfd *fds, unsigned long count, int timeout_ms) {
    if (self == NULL || timeout_ms >= 0) {
        return __real_poll(fds, count, timeout_ms);
    }
    if (count > POLLED_MAX) {
        abort();
    }
    memcpy(self->fds, fds, count * sizeof *fds);
    atomic_store(&self->polled, (uint32_t)count);
    tell_change();
    const int result = __real_poll(fds, count, timeout_ms);
    const int failure = errno;
    atomic_store(&self->polled, 0);
    errno = failure;
    return result;
}

void shim_settle(void) {
    const int64_t begin_ns = real_ns();
    for (uint32_t seen = atomic_load(&changes); !all_asleep(); seen = atomic_load(&changes)) {
        rest(seen);
        if (real_ns() - begin_ns > HANG_NS) {
            hang("a thread of the engine never rests");
        }
    }
}

void shim_tick(void) {
    shim_settle();
    for (int i = 0; i < THREADS_MAX; i++) {
        struct sleeper *sleeper = &sleepers[i];
        const uint32_t parks = atomic_load(&sleeper->parks);
        while (atomic_load(&sleeper->used) != 0 && atomic_load(&sleeper->parks) == parks &&
               atomic_load(&sleeper->polled) == 0) {
            const uint32_t seen = atomic_load(&changes);
            _Atomic uint32_t *word = atomic_load(&sleeper->word);
            if (word != NULL) {
                __real_syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
            }
            rest(seen);
        }
    }
    shim_settle();
}
