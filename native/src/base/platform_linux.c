/* SPDX-License-Identifier: Apache-2.0 */
#include "base/platform.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cancel.h"
#include "base/memory_limit.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define HUGE_PAGE_BYTES ((size_t)2 << 20)
#define NS_PER_S 1000000000ll
#define FENCE_WAIT_NS 100000
#define WORDS_MASK ((uintptr_t)0xfff) /* pages have at least 4096 bytes */
#define WORDS_A_PAGE 1024u            /* the first is never given out, so no word stands at the beginning of a page */

_Static_assert(sizeof(_Atomic uint32_t) == 4, "the kernel parks on a 32-bit word");

static int64_t clock_ns(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * NS_PER_S + now.tv_nsec;
}

static int64_t linux_monotonic_ns(const struct platform *platform) {
    (void)platform;
    return clock_ns(CLOCK_MONOTONIC);
}

static int64_t linux_realtime_ns(const struct platform *platform) {
    (void)platform;
    return clock_ns(CLOCK_REALTIME);
}

static struct timespec timespec_of(int64_t ns) {
    return (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
}

static int linux_park(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    (void)platform;
    struct timespec timeout = timespec_of(timeout_ns < 0 ? 0 : timeout_ns);
    int before = errno;
    long result = syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, expected, timeout_ns < 0 ? NULL : &timeout, NULL, 0);
    int timed_out = result < 0 && errno == ETIMEDOUT; /* EAGAIN: the word has another value; EINTR: a signal */
    errno = before;
    return timed_out ? -ETIMEDOUT : 0;
}

static void linux_unpark(const struct platform *platform, _Atomic uint32_t *word, int count) {
    (void)platform;
    syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

static void linux_sleep_ns(const struct platform *platform, int64_t duration_ns) {
    (void)platform;
    struct timespec left = timespec_of(duration_ns < 0 ? 0 : duration_ns);
    const int before = cancel_hold();
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
    cancel_restore(before);
}

static void linux_yield(const struct platform *platform) {
    (void)platform;
    sched_yield();
}

/* On old kernels, in sandboxes and on CPUs without a tick the call fails. Then it sleeps instead: a store becomes
 * visible in far less time. */
static void linux_fence_all(const struct platform *platform) {
    const int before = errno;
    atomic_thread_fence(memory_order_seq_cst);
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0) < 0) {
        linux_sleep_ns(platform, FENCE_WAIT_NS);
    }
    errno = before;
}

/* Maps address space that begins at a huge page, so that the kernel can back all of it with huge pages. fd -1: private
 * memory. */
static void *map_aligned(size_t bytes, int fd, off_t offset) {
    size_t wide = bytes + HUGE_PAGE_BYTES;
    if (wide < bytes)
        return NULL;
    uint8_t *map = mmap(NULL, wide, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (map == MAP_FAILED)
        return NULL;
    uintptr_t start = ((uintptr_t)map + HUGE_PAGE_BYTES - 1) & ~(HUGE_PAGE_BYTES - 1);
    size_t before = start - (uintptr_t)map;
    size_t after = wide - before - bytes;
    if (before > 0)
        munmap(map, before);
    if (after > 0)
        munmap((uint8_t *)start + bytes, after);
    if (fd >= 0 &&
        mmap((void *)start, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, fd, offset) == MAP_FAILED) {
        munmap((void *)start, bytes);
        return NULL;
    }
    return (void *)start;
}

/* Touches every page, and locks it if the host allows that: no append then waits for a page fault. */
static int prefault(uint8_t *memory, size_t bytes, size_t page_bytes) {
    if (madvise(memory, bytes, MADV_POPULATE_WRITE) < 0) {
        if (errno != EINVAL)
            return -errno;
        for (size_t offset = 0; offset < bytes; offset += page_bytes) /* before Linux 5.14 */
            *(volatile uint8_t *)(memory + offset) = 0;
    }
    mlock(memory, bytes);
    return 0;
}

/*
 * Words that a forked child finds zeroed. They come from pages that are never given back. With a mapping for each word,
 * closed handles would leave ever more parts of mappings, and a process may have only 65530. This variable holds the
 * address of the page and, in its low bits, the number of the next word. The page itself cannot hold that number: it is
 * zeroed in a child, which would then give out its parent's words again.
 */
static _Atomic uintptr_t wiped_words;

static void *wiped_word(size_t page_bytes) {
    uintptr_t next = atomic_load(&wiped_words);
    while ((next & WORDS_MASK) != 0) {
        const uintptr_t after = ((next + 1) & WORDS_MASK) < WORDS_A_PAGE ? next + 1 : 0;
        if (atomic_compare_exchange_weak(&wiped_words, &next, after))
            return (uint32_t *)(next & ~WORDS_MASK) + (next & WORDS_MASK);
    }
    void *page = mmap(NULL, page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED)
        return NULL;
    madvise(page, page_bytes, MADV_WIPEONFORK);
    next = 0;
    atomic_compare_exchange_strong(&wiped_words, &next, (uintptr_t)page + 2); /* otherwise another thread was faster */
    return (uint32_t *)page + 1;
}

static void *prepare_image(void *memory, size_t bytes, size_t page_bytes, enum platform_memory kind) {
    if (memory == NULL)
        return NULL;
    /* This comes before the first touch. A kernel without huge pages gives small ones. */
    madvise(memory, bytes, kind == PLATFORM_IMAGE ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    /* Otherwise parent and child would copy each page on its first touch after a fork. */
    if (madvise(memory, bytes, MADV_DONTFORK) < 0 || prefault(memory, bytes, page_bytes) < 0) {
        munmap(memory, bytes);
        return NULL;
    }
    return memory;
}

static void *linux_share(const struct platform *platform, int fd, uint64_t offset, size_t bytes,
                         enum platform_memory kind) {
    (void)platform;
    const size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    bytes = (bytes + page_bytes - 1) & ~(page_bytes - 1);
    /* A kernel that cannot populate the mapping gets the memory now: a touch without memory would end the process. Before
     * Linux 5.14; huge pages are then out of reach. */
    if (madvise(NULL, 0, MADV_POPULATE_WRITE) < 0 && fallocate(fd, 0, (off_t)offset, (off_t)bytes) < 0)
        return NULL;
    return prepare_image(map_aligned(bytes, fd, (off_t)offset), bytes, page_bytes, kind);
}

static void *linux_allocate(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    (void)platform;
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    if (bytes == 0 || bytes > SIZE_MAX - page_bytes)
        return NULL;
    if (kind == PLATFORM_WIPED_IN_CHILD && bytes <= sizeof(uint32_t))
        return wiped_word(page_bytes);
    bytes = (bytes + page_bytes - 1) & ~(page_bytes - 1);
    if (kind != PLATFORM_IMAGE && kind != PLATFORM_IMAGE_SMALL) {
        void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory != MAP_FAILED && kind == PLATFORM_WIPED_IN_CHILD)
            madvise(memory, bytes, MADV_WIPEONFORK);
        return memory == MAP_FAILED ? NULL : memory;
    }
    return prepare_image(map_aligned(bytes, -1, 0), bytes, page_bytes, kind);
}

static void linux_release(const struct platform *platform, void *memory, size_t bytes) {
    (void)platform;
    size_t page_bytes = (size_t)sysconf(_SC_PAGESIZE);
    if (memory != NULL &&
        ((uintptr_t)memory & (page_bytes - 1)) == 0) /* otherwise it is a word, which is never used again */
        munmap(memory, (bytes + page_bytes - 1) & ~(page_bytes - 1));
}

static void linux_forget(const struct platform *platform, void *memory, size_t bytes) {
    (void)platform;
    const uintptr_t page_bytes = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t begin = ((uintptr_t)memory + page_bytes - 1) & ~(page_bytes - 1);
    const uintptr_t end = ((uintptr_t)memory + bytes) & ~(page_bytes - 1);
    if (begin < end)
        madvise((void *)begin, end - begin, MADV_DONTNEED);
}

/* Random bits when a sandbox forbids getrandom: from the 16 random bytes that the kernel gives each process, and the
 * clock. */
static uint64_t random_of_process(void) {
    uint64_t bits[2] = {0, 0};
    const void *given = (const void *)getauxval(AT_RANDOM);
    if (given != NULL)
        memcpy(bits, given, sizeof(bits));
    uint64_t mixed = bits[0] ^ (uint64_t)clock_ns(CLOCK_MONOTONIC) * 0x9e3779b97f4a7c15ull;
    mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9ull + bits[1];
    mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebull;
    return mixed ^ mixed >> 31;
}

static uint64_t linux_random(const struct platform *platform) {
    (void)platform;
    for (;;) {
        uint64_t bits = 0;
        /* not every C library has getrandom() */
        const long got = syscall(SYS_getrandom, &bits, sizeof(bits), 0);
        if (got < 0 && errno != EINTR)
            bits = random_of_process();
        else if (got != (long)sizeof(bits))
            continue;
        if (bits != 0)
            return bits;
    }
}

static void linux_memory_limit(const struct platform *platform, struct memory_limit *limit) {
    (void)platform;
    memory_limit_read("", limit);
}

static const struct platform_ops linux_ops = {
    .monotonic_ns = linux_monotonic_ns,
    .realtime_ns = linux_realtime_ns,
    .park = linux_park,
    .unpark = linux_unpark,
    .sleep_ns = linux_sleep_ns,
    .yield = linux_yield,
    .fence_all = linux_fence_all,
    .allocate = linux_allocate,
    .release = linux_release,
    .share = linux_share,
    .forget = linux_forget,
    .random = linux_random,
    .memory_limit = linux_memory_limit,
};

const struct platform platform_linux = {.ops = &linux_ops};
