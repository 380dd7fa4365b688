/* SPDX-License-Identifier: Apache-2.0 */
/* Wrappers of reads and writes, raw system calls, memory, threads and time. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "shim.h"

#define LONG_SLEEP_NS 10000000

static const struct shim_target nothing = {.role = ROLE_NONE};

void *__real_malloc(size_t bytes);

/* ------------------------------------------------------------------------------------------- reads and writes */

/* 1: the fault decides the outcome, which is *result. 0: the call goes on with *bytes. */
static int decide_transfer(struct shim_verdict verdict, size_t *bytes, ssize_t *result) {
    if (verdict.effect > 0) {
        errno = verdict.effect;
        *result = -1;
        return 1;
    }
    if (verdict.effect == EFFECT_NOTHING) {
        *result = 0;
        return 1;
    }
    if (verdict.effect == EFFECT_SHORT && *bytes > 1) {
        *bytes /= 2;
    }
    return 0;
}

#define WRAP_TRANSFER(name, data_type)                                                                                 \
    ssize_t __real_##name(int fd, data_type data, size_t bytes, off_t offset);                                         \
    ssize_t __wrap_##name(int fd, data_type data, size_t bytes, off_t offset);                                         \
    ssize_t __wrap_##name(int fd, data_type data, size_t bytes, off_t offset) {                                        \
        if (!shim_is_inside())                                                                                         \
            return __real_##name(fd, data, bytes, offset);                                                             \
        const struct shim_target target = {.role = shim_role_of(fd), .offset = offset, .data = data};                  \
        const struct shim_verdict verdict = shim_before(CALL_##name, &target);                                         \
        ssize_t result;                                                                                                \
        if (decide_transfer(verdict, &bytes, &result))                                                                 \
            return result;                                                                                             \
        result = __real_##name(fd, data, bytes, offset);                                                               \
        shim_after(CALL_##name, &target, verdict);                                                                     \
        return result;                                                                                                 \
    }

WRAP_TRANSFER(pread, void *)
WRAP_TRANSFER(pwrite, const void *)

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);

static long call_vector(long number, const long *argument) {
    const struct iovec *given = (const struct iovec *)argument[1];
    struct iovec range = *given;
    const struct shim_target target = {
        .role = shim_role_of((int)argument[0]), .offset = argument[3], .data = given->iov_base};
    const enum shim_call call = number == SYS_pwritev2 ? CALL_pwritev2 : CALL_preadv2;
    const struct shim_verdict verdict = shim_before(call, &target);
    ssize_t result;
    if (decide_transfer(verdict, &range.iov_len, &result))
        return result;
    /* A medium that insists on whole blocks refuses half a block, so this call stays whole. */
    if (verdict.effect == EFFECT_SHORT && range.iov_len % 512 != 0)
        range.iov_len = given->iov_len;
    result = __real_syscall(number, argument[0], &range, 1, argument[3], argument[4], argument[5]);
    shim_after(call, &target, verdict);
    return result;
}

static long call_plainly(enum shim_call call, struct shim_target target, long number, const long *argument) {
    const struct shim_verdict verdict = shim_before(call, &target);
    if (verdict.effect > 0) {
        errno = verdict.effect;
        return -1;
    }
    long result;
    if (number == SYS_futex && argument[1] == FUTEX_WAIT_PRIVATE) {
        const struct timespec *timeout = (const struct timespec *)argument[3];
        result = shim_park((_Atomic uint32_t *)argument[0], (uint32_t)argument[2],
                           timeout == NULL ? -1 : timeout->tv_sec * 1000000000ll + timeout->tv_nsec);
    } else {
        result = __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
    }
    shim_after(call, &target, verdict);
    return result;
}

static long call_getrandom(long number, const long *argument) {
    const struct shim_verdict verdict = shim_before(CALL_getrandom, &nothing);
    size_t bytes = (size_t)argument[1];
    ssize_t result;
    if (decide_transfer(verdict, &bytes, &result))
        return result;
    result = __real_syscall(number, argument[0], bytes, argument[2]);
    shim_after(CALL_getrandom, &nothing, verdict);
    return result;
}

long __wrap_syscall(long number, ...) {
    long argument[6];
    va_list rest;
    va_start(rest, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(rest, long);
    va_end(rest);
    if (shim_is_inside()) {
        switch (number) {
        case SYS_pwritev2:
        case SYS_preadv2:
            return call_vector(number, argument);
        case SYS_getrandom:
            return call_getrandom(number, argument);
        case SYS_memfd_create: {
            const long fd = call_plainly(CALL_memfd_create, nothing, number, argument);
            shim_opened((int)fd, "");
            return fd;
        }
        case SYS_gettid:
        case SYS_ioprio_set: /* the engine ignores its result */
            break;
        case SYS_futex:
            return call_plainly(argument[1] == FUTEX_WAIT_PRIVATE ? CALL_futex_wait : CALL_futex_wake, nothing, number,
                                argument);
        case SYS_renameat2:
            return call_plainly(CALL_renameat2, shim_target_of_path((const char *)argument[3]), number, argument);
        case SYS_statx:
            return call_plainly(CALL_statx, shim_target_of_fd((int)argument[0]), number, argument);
        case SYS_membarrier:
            return call_plainly(CALL_membarrier, nothing, number, argument);
        default:
            fprintf(stderr, "the shim does not know system call %ld\n", number);
            abort();
        }
    }
    return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

/* ---------------------------------------------------------------------------------- calls with a third argument */

/* `then` notes the result. */
#define WRAP_CONTROL(name, request_type, then)                                                                         \
    int __real_##name(int fd, request_type request, ...);                                                              \
    int __wrap_##name(int fd, request_type request, ...);                                                              \
    int __wrap_##name(int fd, request_type request, ...) {                                                             \
        va_list rest;                                                                                                  \
        va_start(rest, request);                                                                                       \
        void *argument = va_arg(rest, void *);                                                                         \
        va_end(rest);                                                                                                  \
        if (!shim_is_inside())                                                                                         \
            return __real_##name(fd, request, argument);                                                               \
        const struct shim_target target = shim_target_of_fd(fd);                                                       \
        const struct shim_verdict verdict = shim_before(CALL_##name, &target);                                         \
        if (verdict.effect > 0) {                                                                                      \
            errno = verdict.effect;                                                                                    \
            return -1;                                                                                                 \
        }                                                                                                              \
        const int result = __real_##name(fd, request, argument);                                                       \
        then;                                                                                                          \
        shim_after(CALL_##name, &target, verdict);                                                                     \
        return result;                                                                                                 \
    }

WRAP_CONTROL(fcntl, int, if (request == F_DUPFD_CLOEXEC) shim_duplicated(result, fd))
WRAP_CONTROL(ioctl, unsigned long, )

/* ------------------------------------------------------------------------------------------- memory and threads */

void *__real_mmap(void *place, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *place, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__wrap_mmap(void *place, size_t bytes, int protection, int flags, int fd, off_t offset) {
    if (!shim_is_inside())
        return __real_mmap(place, bytes, protection, flags, fd, offset);
    const struct shim_verdict verdict = shim_before(CALL_mmap, &nothing);
    if (verdict.effect > 0) {
        errno = verdict.effect;
        return MAP_FAILED;
    }
    void *memory = __real_mmap(place, bytes, protection, flags, fd, offset);
    if (memory != MAP_FAILED)
        shim_mapped((int64_t)bytes);
    shim_after(CALL_mmap, &nothing, verdict);
    return memory;
}

int __real_munmap(void *memory, size_t bytes);
int __wrap_munmap(void *memory, size_t bytes);
int __wrap_munmap(void *memory, size_t bytes) {
    if (shim_is_inside())
        shim_mapped(-(int64_t)bytes);
    return __real_munmap(memory, bytes);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument) {
    if (!shim_is_inside())
        return __real_pthread_create(thread, attributes, body, argument);
    const struct shim_verdict verdict = shim_before(CALL_pthread_create, &nothing);
    if (verdict.effect > 0)
        return verdict.effect;
    struct shim_start *start = __real_malloc(sizeof *start);
    *start = (struct shim_start){body, argument};
    shim_count_thread();
    const int result = __real_pthread_create(thread, attributes, shim_thread, start);
    if (result != 0)
        shim_uncount_thread();
    shim_after(CALL_pthread_create, &nothing, verdict);
    return result;
}

/* --------------------------------------------------------------------------------------------------------- time */

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    static _Atomic int64_t jumps;
    if (!shim_is_inside())
        return __real_clock_gettime(clock, now);
    const struct shim_verdict verdict = shim_before(CALL_clock_gettime, &nothing);
    const int result = __real_clock_gettime(clock, now);
    if (clock == CLOCK_MONOTONIC) {
        const int64_t ns = now->tv_sec * 1000000000ll + now->tv_nsec + shim_skew_ns();
        *now = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
    } else if (shim_weather.clock_jumps_back) {
        now->tv_sec -= 3600 * ++jumps;
    }
    shim_after(CALL_clock_gettime, &nothing, verdict);
    return result;
}

int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *left);
int __wrap_clock_nanosleep(clockid_t clock, int flags, const struct timespec *duration, struct timespec *left) {
    (void)clock, (void)flags;
    const int64_t ns = duration->tv_sec * 1000000000ll + duration->tv_nsec;
    const struct shim_verdict verdict = shim_before(CALL_clock_nanosleep, &nothing);
    /* Long sleeps last far longer than asked, as on a busy machine: so a poll takes fewer rounds. */
    shim_skip_ns(verdict.effect > 0 ? 0 : ns >= LONG_SLEEP_NS ? 50 * ns : ns);
    if (verdict.effect > 0) {
        *left = (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
        return verdict.effect;
    }
    __real_syscall(SYS_nanosleep, &(struct timespec){.tv_nsec = 10000}, NULL);
    shim_after(CALL_clock_nanosleep, &nothing, verdict);
    return 0;
}
