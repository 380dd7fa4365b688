/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handler runs in the thread that touched the page, at any instruction, perhaps in many threads at once. It takes
 * no lock, and calls getpid, mmap and sigaction only. It finds a range in a table of pointers. A thread that takes a
 * pointer out waits until every handler that may have seen it has ended.
 */
#include "device/backend/bus_fault.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Atomic(struct guarded_range *) ranges[GUARDED_RANGES_MAX];
static _Atomic uint32_t handlers_looking;
static struct sigaction before; /* the handler before ours, stored once before ours is installed */
static pthread_mutex_t installing = PTHREAD_MUTEX_INITIALIZER;
static int installed;

static int is_memory_fault(const siginfo_t *info) {
    return info->si_code == BUS_ADRERR || info->si_code == BUS_MCEERR_AR || info->si_code == BUS_MCEERR_AO;
}

/* Replaces a lost page. Counts it first: a thread that reads zeros from the new page then sees the count. */
static int replace_page(struct guarded_range *range, uintptr_t address) {
    const size_t page = (address - (uintptr_t)range->base) / range->page_bytes;
    atomic_store(&range->page_is_lost[page], 1);
    atomic_fetch_add(range->lost_pages, 1);
    /* Makes the system call itself: POSIX does not allow mmap in a signal handler, but Linux does. Tools that
     * intercept mmap would believe that this thread wrote the page. */
    return syscall(SYS_mmap, range->base + page * range->page_bytes, range->page_bytes, range->protection,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE, -1, 0l) != -1;
}

static int is_ours(const siginfo_t *info) {
    const uintptr_t address = (uintptr_t)info->si_addr;
    int replaced = 0;
    atomic_fetch_add(&handlers_looking, 1);
    for (size_t i = 0; !replaced && i < GUARDED_RANGES_MAX; i++) {
        struct guarded_range *range = atomic_load(&ranges[i]);
        if (range != NULL && address - (uintptr_t)range->base < range->bytes && range->owner == getpid())
            replaced = replace_page(range, address);
    }
    atomic_fetch_sub(&handlers_looking, 1);
    return replaced;
}

/* Hands the signal to the handler before ours. */
static void hand_on(int number, siginfo_t *info, void *context) {
    if (before.sa_flags & SA_SIGINFO) {
        before.sa_sigaction(number, info, context);
    } else if (before.sa_handler == SIG_IGN && !is_memory_fault(info)) {
        return;
    } else if (before.sa_handler == SIG_DFL || before.sa_handler == SIG_IGN) {
        /* A fault comes again when the handler returns. A signal that a process sent does not, so raise sends it
         * again. */
        const struct sigaction default_action = {.sa_handler = SIG_DFL};
        sigaction(number, &default_action, NULL);
        if (!is_memory_fault(info))
            raise(number);
    } else {
        before.sa_handler(number);
    }
}

static void on_bus_fault(int number, siginfo_t *info, void *context) {
    const int failure = errno;
    if (!is_memory_fault(info) || !is_ours(info))
        hand_on(number, info, context);
    errno = failure;
}

/* Installs the handler, once in the life of the process. If others install a handler later, it runs first, and ours
 * runs only if theirs hands the signal on. */
static int install(void) {
    int result = 0;
    pthread_mutex_lock(&installing);
    if (!installed) {
        if (sigaction(SIGBUS, NULL, &before) < 0)
            result = -errno;
        struct sigaction ours = {.sa_sigaction = on_bus_fault,
                                 .sa_mask = before.sa_mask,
                                 .sa_flags = (before.sa_flags & (SA_NODEFER | SA_RESTART)) | SA_SIGINFO | SA_ONSTACK};
        if (result == 0 && sigaction(SIGBUS, &ours, NULL) < 0)
            result = -errno;
        installed = result == 0;
    }
    pthread_mutex_unlock(&installing);
    return result;
}

int bus_fault_guard(struct guarded_range *range) {
    const size_t pages = (range->bytes + range->page_bytes - 1) / range->page_bytes;
    int result = install();
    if (result < 0)
        return result;
    range->owner = getpid();
    range->page_is_lost = calloc(pages, sizeof(*range->page_is_lost));
    if (range->page_is_lost == NULL)
        return -ENOMEM;
    for (size_t i = 0; i < GUARDED_RANGES_MAX; i++) {
        struct guarded_range *none = NULL;
        if (atomic_compare_exchange_strong(&ranges[i], &none, range))
            return 0;
    }
    free((void *)range->page_is_lost);
    range->page_is_lost = NULL;
    return -EUSERS;
}

void bus_fault_release(struct guarded_range *range) {
    for (size_t i = 0; i < GUARDED_RANGES_MAX; i++) {
        struct guarded_range *expected = range;
        atomic_compare_exchange_strong(&ranges[i], &expected, NULL);
    }
    while (atomic_load(&handlers_looking) != 0)
        sched_yield();
    free((void *)range->page_is_lost);
    range->page_is_lost = NULL;
}

int bus_fault_has_lost(const struct guarded_range *range, uint64_t offset, size_t bytes) {
    if (atomic_load(range->lost_pages) == 0 || bytes == 0)
        return 0;
    for (size_t page = offset / range->page_bytes; page <= (offset + bytes - 1) / range->page_bytes; page++) {
        if (atomic_load(&range->page_is_lost[page]))
            return 1;
    }
    return 0;
}
