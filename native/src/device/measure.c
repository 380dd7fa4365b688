/* SPDX-License-Identifier: Apache-2.0 */
#include "device/measure.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "media/layout.h"

#define WARM_UP 4u
#define ROUNDS 300u

/* An engine with its figures. */
struct lane {
    struct measured_engine *engine;
    uint8_t *scratch;
    int is_out;
    int64_t took_ns[ROUNDS];
};

/* Fills each block with other random bytes: some media write zeros or repeated bytes faster. */
static void fill(const struct platform *platform, uint64_t *words, size_t bytes) {
    uint64_t bits = platform->ops->random(platform);
    for (size_t i = 0; i < bytes / sizeof(*words); i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        words[i] = bits;
    }
}

/* The image of a mapped medium does not hold the scratch blocks, so these are written from other memory. */
static int image_is_medium(const struct measured_engine *engine) {
    return engine->io == DEVICE_IO_MAPPED;
}

static void prepare(const struct platform *platform, struct measured_engine *engine, struct lane *lane) {
    engine->writes = engine->faster = 0;
    engine->p50_ns = engine->p99_ns = 0;
    lane->engine = engine;
    lane->scratch = image_is_medium(engine) ? platform_allocate(platform, LAYOUT_SCRATCH_BYTES, PLATFORM_PLAIN)
                                            : engine->device->ops->image(engine->device, LAYOUT_SCRATCH_BYTES);
    lane->is_out = lane->scratch == NULL;
    if (!lane->is_out)
        fill(platform, (uint64_t *)lane->scratch, LAYOUT_SCRATCH_BYTES);
}

static int write_block(const struct lane *lane, uint32_t round) {
    struct device *device = lane->engine->device;
    const size_t bytes = device->block_bytes, place = round * bytes % LAYOUT_SCRATCH_BYTES;
    struct device_write write = {
        .offset = LAYOUT_SCRATCH_OFFSET + place, .data = lane->scratch + place, .bytes = bytes};
    if (image_is_medium(lane->engine))
        return device->ops->write(device, write.offset, write.data, bytes);
    device->ops->submit(device, &write);
    return device->ops->complete(device) == &write ? write.result : -EIO;
}

static void measure_in_turns(const struct platform *platform, struct lane *lanes, uint32_t count, int64_t budget_ns) {
    const int64_t end_ns = platform_monotonic_ns(platform) + budget_ns;
    int64_t now_ns = 0;
    for (uint32_t round = 0; round < WARM_UP + ROUNDS && (round <= WARM_UP || now_ns < end_ns); round++) {
        for (uint32_t turn = 0; turn < count; turn++) {
            struct lane *lane = &lanes[(round + turn) % count];
            if (lane->is_out)
                continue;
            const int64_t before_ns = platform_monotonic_ns(platform);
            lane->is_out = write_block(lane, round) < 0;
            now_ns = platform_monotonic_ns(platform);
            if (!lane->is_out && round >= WARM_UP)
                lane->took_ns[lane->engine->writes++] = now_ns - before_ns;
        }
    }
}

/* Compares the turns, so it must run before the times are sorted. */
static void compare_turns(struct lane *lane, const struct lane *first) {
    for (uint32_t turn = 0; turn < lane->engine->writes && turn < first->engine->writes; turn++)
        lane->engine->faster += lane->took_ns[turn] < first->took_ns[turn];
}

static int compare(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

static void conclude(const struct platform *platform, struct lane *lane) {
    struct measured_engine *engine = lane->engine;
    if (lane->is_out)
        engine->writes = 0;
    if (engine->writes > 0) {
        qsort(lane->took_ns, engine->writes, sizeof(lane->took_ns[0]), compare);
        engine->p50_ns = (uint64_t)lane->took_ns[(engine->writes - 1) / 2];
        engine->p99_ns = (uint64_t)lane->took_ns[(engine->writes - 1) * 99 / 100];
    }
    if (image_is_medium(engine))
        platform_release(platform, lane->scratch, LAYOUT_SCRATCH_BYTES);
}

void measure_engines(const struct platform *platform, struct measured_engine *engines, uint32_t count,
                     int64_t budget_ns) {
    struct lane *lanes = calloc(count, sizeof(*lanes));
    if (lanes == NULL)
        return; /* nothing was measured */
    for (uint32_t i = 0; i < count; i++)
        prepare(platform, &engines[i], &lanes[i]);
    measure_in_turns(platform, lanes, count, budget_ns);
    for (uint32_t i = 0; i < count; i++)
        compare_turns(&lanes[i], &lanes[0]);
    for (uint32_t i = 0; i < count; i++)
        conclude(platform, &lanes[i]);
    free(lanes);
}
