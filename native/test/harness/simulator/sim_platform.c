/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "harness/simulator/world.h"

static struct world *world_of(const struct platform *platform) {
    return (struct world *)platform;
}

uint64_t random_next(uint64_t *state) {
    uint64_t value = *state += 0x9e3779b97f4a7c15ull;
    value = (value ^ value >> 30) * 0xbf58476d1ce4e5b9ull;
    value = (value ^ value >> 27) * 0x94d049bb133111ebull;
    return value ^ value >> 31;
}

uint64_t world_random(struct world *world, uint64_t below) {
    return random_next(&world->random_state) % below;
}

/* The clock is set to another time again and again. */
static int64_t sim_realtime_ns(const struct platform *platform) {
    struct world *world = world_of(platform);
    sim_mapped_evict(world); /* the engine reads this clock while it makes a marker */
    return world->now_ns + (int64_t)(random_next(&world->random_state) % 7200000000000u) - 3600000000000;
}

static int64_t sim_now_ns(const struct platform *platform) {
    return world_of(platform)->now_ns;
}

/* No other thread could wake the caller: the drain takes a step, or the time passes. */
static int sim_park(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected, int64_t timeout_ns) {
    struct world *world = world_of(platform);
    if (atomic_load(word) != expected) {
        return 0;
    }
    if (world->park_drains && !world->in_park && world->engine != NULL) {
        world->in_park = 1;
        const int rc = engine_step(world->engine, 0);
        world->in_park = 0;
        if (rc >= 0) {
            world->now_ns += 1000000;
            return 0;
        }
    }
    world->now_ns += timeout_ns < 0 ? 1000000000 : timeout_ns;
    return -ETIMEDOUT;
}

static void sim_unpark(const struct platform *platform, _Atomic uint32_t *word, int count) {
    (void)platform, (void)word, (void)count;
}

static void sim_sleep(const struct platform *platform, int64_t duration_ns) {
    world_of(platform)->now_ns += duration_ns;
}

static void sim_yield(const struct platform *platform) {
    sim_sleep(platform, 1000);
}

/* There is one processor: it sees what was stored. */
static void sim_fence_all(const struct platform *platform) {
    (void)platform;
}

/* Tables for the most streams that there may be: nearly all of their pages stay zeros, which the kernel gives on demand. */
static int is_sparse(size_t bytes) {
    return bytes >= 1 << 20;
}

static void *sim_allocate(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    (void)kind;
    struct world *world = world_of(platform);
    if (world->fail_allocation_in >= 0 && world->fail_allocation_in-- == 0) {
        return NULL;
    }
    world->allocations++;
    if (is_sparse(bytes)) {
        return mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    }
    void *memory = aligned_alloc(WORLD_BLOCK_BYTES, align_up(bytes, WORLD_BLOCK_BYTES));
    memset(memory, 0, align_up(bytes, WORLD_BLOCK_BYTES));
    return memory;
}

static void sim_release(const struct platform *platform, void *memory, size_t bytes) {
    world_of(platform)->allocations--;
    if (is_sparse(bytes)) {
        munmap(memory, bytes);
    } else {
        free(memory);
    }
}

static uint64_t sim_random(const struct platform *platform) {
    return random_next(&world_of(platform)->random_state) | 1;
}

static const struct platform_ops sim_platform_ops = {
    .monotonic_ns = sim_now_ns,
    .realtime_ns = sim_realtime_ns,
    .park = sim_park,
    .unpark = sim_unpark,
    .sleep_ns = sim_sleep,
    .yield = sim_yield,
    .fence_all = sim_fence_all,
    .allocate = sim_allocate,
    .release = sim_release,
    .random = sim_random,
};

void sim_platform_init(struct world *world) {
    world->platform.ops = &sim_platform_ops;
}
