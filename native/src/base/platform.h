/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The host's services for the engine besides device and files: time, sleeping, waking, memory, randomness. They stand
 * in one table, so that a test can run the production engine under a clock and a scheduler of its own.
 */
#ifndef BURST_BASE_PLATFORM_H
#define BURST_BASE_PLATFORM_H

#include <stddef.h>
#include <stdint.h>
#include <stdatomic.h>

struct memory_limit;

struct platform {
    const struct platform_ops *ops;
};

enum platform_memory {
    PLATFORM_PLAIN,
    /* Prefaulted; locked if the host allows it; in huge pages if it has such; absent in a forked child. */
    PLATFORM_IMAGE,
    PLATFORM_IMAGE_SMALL,    /* PLATFORM_IMAGE in pages of the ordinary size */
    PLATFORM_WIPED_IN_CHILD, /* a forked child finds it zeroed (since Linux 4.14) */
};

struct platform_ops {
    /* CLOCK_MONOTONIC and CLOCK_REALTIME in nanoseconds. */
    int64_t (*monotonic_ns)(const struct platform *platform);
    int64_t (*realtime_ns)(const struct platform *platform);

    /* Sleeps while *word == expected, at most timeout_ns (< 0: no limit). Returns -ETIMEDOUT after that time, else 0:
     * after a wake-up, for another value of the word, or for no reason. */
    int (*park)(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns);
    /* Wakes at most `count` threads parked on the word. */
    void (*unpark)(const struct platform *platform, _Atomic uint32_t *word, int count);

    void (*sleep_ns)(const struct platform *platform, int64_t duration_ns);
    /* Lets other threads run that can. */
    void (*yield)(const struct platform *platform);

    /* A full fence in every thread of the process. Takes up to some milliseconds. */
    void (*fence_all)(const struct platform *platform);

    /* Zeroed memory, or NULL. Aligned to a page; a WIPED_IN_CHILD word of 4 bytes is aligned only to itself. */
    void *(*allocate)(const struct platform *platform, size_t bytes, enum platform_memory kind);
    void (*release)(const struct platform *platform, void *memory, size_t bytes);
    /* Maps a part of a file in memory, readable and writable, prepared as an image of that kind. NULL with errno after
     * an error. `release` unmaps it. A NULL function means that this host shares no memory. */
    void *(*share)(const struct platform *platform, int fd, uint64_t offset, size_t bytes, enum platform_memory kind);
    /* Zeroes the whole pages in a range of PLAIN memory and gives them back to the host. They stay mapped. */
    void (*forget)(const struct platform *platform, void *memory, size_t bytes);

    /* Unpredictable bits; never 0. */
    uint64_t (*random)(const struct platform *platform);

    /* The host's memory limits for this process: base/memory_limit.h. A NULL function means that there is no limit. */
    void (*memory_limit)(const struct platform *platform, struct memory_limit *limit);
};

/* The Linux host. */
extern const struct platform platform_linux;

static inline int64_t platform_monotonic_ns(const struct platform *platform) {
    return platform->ops->monotonic_ns(platform);
}

static inline int64_t platform_realtime_ns(const struct platform *platform) {
    return platform->ops->realtime_ns(platform);
}

/* The time timeout_ns from now; without a limit (< 0) one that never comes. */
static inline int64_t platform_deadline_ns(const struct platform *platform, int64_t timeout_ns) {
    const int64_t now_ns = platform_monotonic_ns(platform);
    return timeout_ns < 0 || timeout_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + timeout_ns;
}

static inline void *platform_allocate(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    return platform->ops->allocate(platform, bytes, kind);
}

static inline void platform_release(const struct platform *platform, void *memory, size_t bytes) {
    platform->ops->release(platform, memory, bytes);
}

#endif
