/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring on a device in memory. The test chooses the order of completions, and can let a write fail. At each call of
 * the ring the device checks that the watermark covers nothing that is not written. Sleeping takes no time: it is
 * counted, and the test can let something happen meanwhile.
 */
#ifndef BURST_TEST_RING_FAKE_DEVICE_H
#define BURST_TEST_RING_FAKE_DEVICE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "append_rules.h"
#include "media/record.h"
#include "ring/claim.h"
#include "ring/claim_word.h"
#include "ring/leader.h"

#define BLOCK_BYTES 4096u
#define SMALL_BYTES (8u * BLOCK_BYTES)
#define LARGE_BYTES (16u * 1024u * 1024u)
#define SEED 0x5eed5eedu
#define WRITES_MAX 8u

struct fake_device {
    struct device device;
    struct ring *ring;
    uint8_t *image;
    uint8_t *medium; /* the durable bytes of the data area */
    size_t bytes;
    struct device_write *under_way[WRITES_MAX];
    unsigned under_way_count;
    unsigned submitted;
    int fail_submitted; /* number of the write that fails; -1: none */
    struct device_write *failing;
    int newest_first; /* completions come in reverse order */
    void (*before_completion)(struct fake_device *fake);
};

struct fake_platform {
    struct platform platform;
    int64_t slept_ns;
    int64_t now_ns;
    uint64_t randoms;
    _Atomic unsigned parks;
    _Atomic int64_t parked_ns; /* the limit of the last park */
    _Atomic unsigned unparks;
    void (*lies_down)(struct fake_platform *fake);
    void (*asleep)(struct fake_platform *fake);
    unsigned yields;
    void (*yielded)(struct fake_platform *fake);
};

static struct fake_device fake_device;
static struct fake_platform fake_platform;
static struct events fake_events;
static struct ring_rule fake_rule;

/* ------------------------------------------------------------------------------------------------ platform */

static inline struct fake_platform *platform_of(const struct platform *platform) {
    return (struct fake_platform *)platform;
}

static inline int64_t fake_now_ns(const struct platform *platform) {
    return platform_of(platform)->now_ns;
}

static inline void fake_sleep_ns(const struct platform *platform, int64_t duration_ns) {
    struct fake_platform *fake = platform_of(platform);
    fake->slept_ns += duration_ns;
    if (fake->asleep != NULL) {
        fake->asleep(fake);
    }
}

static inline int fake_park(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected,
                            int64_t timeout_ns) {
    struct fake_platform *fake = platform_of(platform);
    void (*lies_down)(struct fake_platform * fake) =
        fake->lies_down; /* the test may change it when it sees the count */
    atomic_fetch_add(&fake->parks, 1);
    atomic_store(&fake->parked_ns, timeout_ns);
    if (lies_down != NULL) {
        lies_down(fake);
    }
    return platform_linux.ops->park(&platform_linux, word, expected, timeout_ns);
}

static inline void fake_unpark(const struct platform *platform, _Atomic uint32_t *word, int count) {
    atomic_fetch_add(&platform_of(platform)->unparks, 1);
    platform_linux.ops->unpark(&platform_linux, word, count);
}

static inline void *fake_allocate(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    (void)platform;
    return platform_linux.ops->allocate(&platform_linux, bytes, kind);
}

static inline void fake_release(const struct platform *platform, void *memory, size_t bytes) {
    (void)platform;
    platform_linux.ops->release(&platform_linux, memory, bytes);
}

static inline void fake_fence_all(const struct platform *platform) {
    (void)platform;
}

static inline uint64_t fake_random(const struct platform *platform) {
    return 0x9e3779b97f4a7c15ull * ++platform_of(platform)->randoms;
}

/* -------------------------------------------------------------------------------------------------- device */

/* All below the watermark is on the medium. */
static inline void assert_durable_is_written(const struct fake_device *fake) {
    uint64_t durable, next_sequence;
    ring_durable(fake->ring, &durable, &next_sequence);
    const struct walk_shape shape = ring_shape(fake->ring);
    uint64_t position = fake->ring->begin_position;
    while (position < durable) {
        const size_t place = (size_t)(position % fake->bytes);
        const struct record_header *header = (const struct record_header *)(fake->image + place);
        if (memcmp(fake->medium + place, header, record_bytes(header->length)) != 0) {
            fail_msg("position %llu is called durable and not written", (unsigned long long)position);
        }
        position = walk_end_of_record(&shape, position, header);
    }
}

static inline void *fake_image(struct device *device, size_t bytes) {
    struct fake_device *fake = (struct fake_device *)device;
    assert_int_equal(bytes, fake->bytes);
    return fake->image;
}

static inline void fake_submit(struct device *device, struct device_write *write) {
    struct fake_device *fake = (struct fake_device *)device;
    assert_durable_is_written(fake);
    assert_true(fake->under_way_count < (unsigned)device->write_depth);
    assert_int_equal(write->offset % BLOCK_BYTES, 0);
    assert_int_equal(write->bytes % BLOCK_BYTES, 0);
    assert_in_range(write->offset, LAYOUT_DATA_OFFSET, LAYOUT_DATA_OFFSET + fake->bytes - write->bytes);
    if (write->data != fake->ring->stage) {
        assert_ptr_equal(write->data, fake->image + (write->offset - LAYOUT_DATA_OFFSET));
    }
    if ((int)fake->submitted++ == fake->fail_submitted) {
        fake->failing = write;
    }
    fake->under_way[fake->under_way_count++] = write;
}

static inline struct device_write *fake_complete(struct device *device) {
    struct fake_device *fake = (struct fake_device *)device;
    assert_durable_is_written(fake);
    assert_true(fake->under_way_count > 0);
    if (fake->before_completion != NULL) {
        fake->before_completion(fake);
    }
    struct device_write *write = fake->under_way[fake->newest_first ? fake->under_way_count - 1 : 0];
    fake->under_way_count--;
    if (!fake->newest_first) {
        memmove(fake->under_way, fake->under_way + 1, fake->under_way_count * sizeof fake->under_way[0]);
    }
    write->result = write == fake->failing ? -EIO : 0;
    if (write->result == 0) {
        memcpy(fake->medium + (write->offset - LAYOUT_DATA_OFFSET), write->data, write->bytes);
    } else {
        fake->failing = NULL;
    }
    return write;
}

/* Moves the clock: a leader gathers only until some moment, which must come. */
static inline void fake_yield(const struct platform *platform) {
    struct fake_platform *fake = platform_of(platform);
    fake->now_ns += 1000;
    fake->yields++;
    if (fake->yielded != NULL) {
        fake->yielded(fake);
    }
}

static const struct platform_ops fake_platform_ops = {
    .monotonic_ns = fake_now_ns,
    .realtime_ns = fake_now_ns,
    .park = fake_park,
    .unpark = fake_unpark,
    .sleep_ns = fake_sleep_ns,
    .yield = fake_yield,
    .fence_all = fake_fence_all,
    .allocate = fake_allocate,
    .release = fake_release,
    .random = fake_random,
};

static const struct device_ops fake_device_ops = {
    .name = "fake",
    .image = fake_image,
    .submit = fake_submit,
    .complete = fake_complete,
};

/* ---------------------------------------------------------------------------------------------------- ring */

/* Another thread leads, and has got so far: a value of the word `leader`. */
static inline void other_leads(struct ring *ring, uint64_t leader) {
    atomic_fetch_or(&ring->claim, CLAIM_LED);
    atomic_store(&ring->leader, leader);
}

static inline void other_lets_go(struct ring *ring) {
    atomic_store(&ring->leader, LEADER_CLAIMED);
    atomic_fetch_and(&ring->claim, ~CLAIM_LED);
}

/* A second ring on the same device, as a reopened log has. The image keeps its content. */
static inline struct ring *create_ring(void) {
    const struct ring_geometry geometry = {.data_offset = LAYOUT_DATA_OFFSET,
                                           .capacity_bytes = fake_device.bytes,
                                           .block_bytes = BLOCK_BYTES,
                                           .crc_seed = SEED};
    const struct ring_limits limits = {.max_record_bytes = fake_device.bytes / 4 - RECORD_HEADER_BYTES};
    struct ring *ring;
    fake_rule = unless_full;
    assert_int_equal(ring_create(&fake_platform.platform, &fake_device.device, &fake_events, &geometry, &limits, &ring),
                     0);
    fake_device.ring = ring;
    return ring;
}

static inline struct ring *make_ring(size_t bytes, int write_depth) {
    fake_platform = (struct fake_platform){.platform = {&fake_platform_ops}};
    fake_device = (struct fake_device){
        .device = {.ops = &fake_device_ops, .block_bytes = BLOCK_BYTES, .write_depth = write_depth, .path = "/ring"},
        .image = aligned_alloc(BLOCK_BYTES, bytes),
        .medium = aligned_alloc(BLOCK_BYTES, bytes),
        .bytes = bytes,
        .fail_submitted = -1};
    memset(fake_device.image, 0, bytes);
    memset(fake_device.medium, 0, bytes);
    memset(&fake_events, 0, sizeof fake_events);
    events_init(&fake_events, &fake_platform.platform);
    return create_ring();
}

/* A ring that begins behind the marker in its first block. */
static inline struct ring *begun_ring(size_t bytes, int write_depth) {
    struct ring *ring = make_ring(bytes, write_depth);
    ring_begin(ring, &(struct ring_start){.position = BLOCK_BYTES, .next_sequence = 1, .released = 0, .epoch = 1});
    return ring;
}

static inline int free_ring(void **state) {
    (void)state;
    if (fake_device.ring != NULL) {
        ring_destroy(fake_device.ring);
        fake_device.ring = NULL;
    }
    free(fake_device.image);
    free(fake_device.medium);
    fake_device.image = fake_device.medium = NULL;
    return 0;
}

static inline void assert_durable(const struct ring *ring, uint64_t position, uint64_t next_sequence) {
    uint64_t durable, next;
    ring_durable(ring, &durable, &next);
    assert_int_equal(durable, position);
    assert_int_equal(next, next_sequence);
    assert_durable_is_written(&fake_device);
}

#define RING_TEST(name) cmocka_unit_test_teardown(name, free_ring)

#endif
