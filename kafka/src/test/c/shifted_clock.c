/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Preloaded (LD_PRELOAD): CLOCK_REALTIME is off by the nanoseconds, an int64_t, that the file SHIFTED_CLOCK has at the moment.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>

#define NS_PER_S 1000000000ll

static const int64_t none;
static const volatile int64_t *shift = &none;
static int (*true_clock)(clockid_t, struct timespec *);

__attribute__((constructor)) static void begin(void) {
    *(void **)&true_clock = dlsym(RTLD_NEXT, "clock_gettime");
    const char *name = getenv("SHIFTED_CLOCK");
    const int file = name == NULL ? -1 : open(name, O_RDONLY | O_CLOEXEC);
    void *const page = file < 0 ? MAP_FAILED : mmap(NULL, sizeof *shift, PROT_READ, MAP_SHARED, file, 0);
    if (page != MAP_FAILED) {
        shift = page;
    }
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    if (true_clock == NULL) {
        begin();
    }
    const int rc = true_clock(clock, now);
    if (rc == 0 && clock == CLOCK_REALTIME) {
        const int64_t ns = now->tv_sec * NS_PER_S + now->tv_nsec + *shift;
        *now = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
    }
    return rc;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    (void)zone;
    struct timespec precise;
    const int rc = clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){.tv_sec = precise.tv_sec, .tv_usec = precise.tv_nsec / 1000};
    return rc;
}

time_t time(time_t *now) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (now != NULL) {
        *now = precise.tv_sec;
    }
    return precise.tv_sec;
}
