/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The leader's view of what is published. The medium is memory. The clock stands still. When the leader sleeps, the
 * producer runs that was preempted between claim and publication.
 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "append_rules.h"
#include "base/crc32c.h"
#include "media/record.h"
#include "ring/claim.h"

#define BLOCK 4096u
#define CAPACITY (8u * BLOCK)
#define BEGIN BLOCK
#define CRC_SEED 7u
#define PAYLOAD_BYTES 100u

struct rig {
    struct platform platform;
    struct device device;
    struct events events;
    struct ring *ring;
    struct claim claim; /* the preempted producer's */
    uint8_t *medium;
    uint8_t *image;
    struct device_write *write;
    int writes;
    int writes_before_publishing;
    int sleeps;
    int publish_after_sleeps; /* 0: never */
    uint64_t random;
};

static struct rig rig;

static int64_t stand_still(const struct platform *platform) {
    (void)platform;
    return 1;
}

static void publish_the_claim(void) {
    char payload[PAYLOAD_BYTES];
    memset(payload, 'n', sizeof payload);
    rig.writes_before_publishing = rig.writes;
    claim_publish(rig.ring, &rig.claim, payload, sizeof payload, 0, (struct claim_label){0});
}

static void give_the_producer_its_turn(const struct platform *platform, int64_t duration_ns) {
    (void)platform, (void)duration_ns;
    if (++rig.sleeps == rig.publish_after_sleeps) {
        publish_the_claim();
    }
}

static void fence_nobody(const struct platform *platform) {
    (void)platform;
}

static void wake_nobody(const struct platform *platform, _Atomic uint32_t *word, int count) {
    (void)platform, (void)word, (void)count;
}

static void *allocate(const struct platform *platform, size_t bytes, enum platform_memory kind) {
    (void)platform, (void)kind;
    void *memory = aligned_alloc(BLOCK, align_up(bytes, BLOCK));
    assert_non_null(memory);
    return memset(memory, 0, bytes);
}

static void release(const struct platform *platform, void *memory, size_t bytes) {
    (void)platform, (void)bytes;
    free(memory);
}

static uint64_t next_random(const struct platform *platform) {
    (void)platform;
    return rig.random += 0x9e3779b97f4a7c15ull;
}

static void *image_of(struct device *device, size_t bytes) {
    (void)device, (void)bytes;
    return rig.image;
}

static void submit(struct device *device, struct device_write *write) {
    (void)device;
    rig.write = write;
}

static struct device_write *complete(struct device *device) {
    (void)device;
    memcpy(rig.medium + rig.write->offset - LAYOUT_DATA_OFFSET, rig.write->data, rig.write->bytes);
    rig.write->result = 0;
    rig.writes++;
    return rig.write;
}

static const struct platform_ops platform_ops = {
    .monotonic_ns = stand_still,
    .realtime_ns = stand_still,
    .unpark = wake_nobody,
    .fence_all = fence_nobody,
    .sleep_ns = give_the_producer_its_turn,
    .allocate = allocate,
    .release = release,
    .random = next_random,
};

static const struct device_ops device_ops = {
    .name = "memory", .image = image_of, .submit = submit, .complete = complete};

static int open_ring(void **state) {
    (void)state;
    memset(&rig, 0, sizeof rig);
    rig.platform.ops = &platform_ops;
    rig.device.ops = &device_ops;
    rig.device.write_depth = 1;
    strcpy(rig.device.path, "ring");
    rig.medium = allocate(NULL, CAPACITY, 0);
    rig.image = allocate(NULL, CAPACITY, 0);
    events_init(&rig.events, &rig.platform);
    const struct ring_geometry geometry = {
        .data_offset = LAYOUT_DATA_OFFSET, .capacity_bytes = CAPACITY, .block_bytes = BLOCK, .crc_seed = CRC_SEED};
    const struct ring_limits limits = {.max_record_bytes = 1000};
    assert_int_equal(ring_create(&rig.platform, &rig.device, &rig.events, &geometry, &limits, &rig.ring), 0);
    return 0;
}

static int close_ring(void **state) {
    (void)state;
    ring_destroy(rig.ring);
    free(rig.image);
    free(rig.medium);
    return 0;
}

/* Leaves at the next record's place a record of an earlier epoch that was acknowledged to nobody. */
static void leave_a_record_of_an_earlier_life(void) {
    struct record_header *header = (struct record_header *)(rig.image + BEGIN);
    header->sequence = 1;
    header->length = PAYLOAD_BYTES;
    header->type = RECORD_DATA;
    memset(header + 1, 'o', PAYLOAD_BYTES);
    header->payload_crc = crc32c(0, header + 1, PAYLOAD_BYTES);
    const struct record_seal seal = {
        .position = BEGIN, .durable_position = BEGIN, .durable_next_sequence = 1, .epoch = 1, .last = 1};
    record_seal(header, &seal, CRC_SEED);
}

static void begin_and_claim(void) {
    const struct ring_start start = {.position = BEGIN, .next_sequence = 1, .released = 0, .epoch = 2};
    ring_begin(rig.ring, &start);
    assert_int_equal(claim_record(rig.ring, record_bytes(PAYLOAD_BYTES), &rig.claim), 0);
}

static void a_record_of_an_earlier_life_is_not_taken_for_one_that_was_published(void **state) {
    (void)state;
    leave_a_record_of_an_earlier_life();
    begin_and_claim();
    rig.publish_after_sleeps = 3;
    assert_int_equal(ring_commit(rig.ring), 1);
    assert_int_equal(rig.writes_before_publishing, 0);
    assert_int_equal(rig.sleeps, 3);
    assert_int_equal(rig.writes, 1);
    const struct record_header *written = record_at(rig.medium, CAPACITY, BEGIN);
    assert_int_equal(record_judge(rig.medium, CAPACITY, BEGIN, CRC_SEED), RECORD_VALID);
    assert_int_equal(written->epoch, 2);
    assert_int_equal(record_payload(written)[0], 'n');
}

static void a_producer_that_never_publishes_stops_the_ring_and_nothing_is_written(void **state) {
    (void)state;
    leave_a_record_of_an_earlier_life();
    begin_and_claim();
    assert_int_equal(ring_commit(rig.ring), -EIO);
    assert_true(ring_has_failed(rig.ring));
    assert_int_equal(rig.writes, 0);
    uint64_t position, next_sequence;
    ring_durable(rig.ring, &position, &next_sequence);
    assert_int_equal(position, BEGIN);
    assert_int_equal(next_sequence, 1);
}

static void the_records_before_a_straggler_wait_with_it(void **state) {
    (void)state;
    const struct ring_start start = {.position = BEGIN, .next_sequence = 1, .released = 0, .epoch = 2};
    ring_begin(rig.ring, &start);
    assert_int_equal(ring_enqueue(rig.ring, "first", 5, 0, &stream_0, &for_ever), 1);
    assert_int_equal(claim_record(rig.ring, record_bytes(PAYLOAD_BYTES), &rig.claim), 0);
    assert_int_equal(ring_enqueue(rig.ring, "third", 5, 0, &stream_0, &for_ever), 3);
    rig.publish_after_sleeps = 1;
    assert_int_equal(ring_commit(rig.ring), 1);
    assert_int_equal(rig.writes_before_publishing, 0);
    uint64_t position, next_sequence;
    ring_durable(rig.ring, &position, &next_sequence);
    assert_int_equal(next_sequence, 4);
}

static void a_record_says_whose_it_is_and_whether_somebody_waited(void **state) {
    (void)state;
    const struct ring_start start = {.position = BEGIN, .next_sequence = 1, .released = 0, .epoch = 2};
    ring_begin(rig.ring, &start);
    assert_int_equal(ring_enqueue(rig.ring, "theirs", 6, 7, STREAM(65535), &for_ever), 1);
    assert_int_equal(ring_append(rig.ring, "ours", 4, -8, STREAM(3), &for_ever), 2);
    const struct record_header *theirs = record_at(rig.medium, CAPACITY, BEGIN);
    const struct record_header *ours = record_at(rig.medium, CAPACITY, BEGIN + record_bytes(6));
    assert_int_equal(theirs->stream, 65535);
    assert_int_equal(theirs->flags, RECORD_ENQUEUED);
    assert_int_equal(theirs->event_time_ns, 7);
    assert_int_equal(ours->stream, 3);
    assert_int_equal(ours->flags, RECORD_LAST);
    assert_int_equal(ours->event_time_ns, -8);
}

static void a_block_that_is_released_in_part_only_is_not_taken_back(void **state) {
    (void)state;
    const struct ring_start start = {.position = BEGIN, .next_sequence = 1, .released = 104, .epoch = 2};
    ring_begin(rig.ring, &start);
    int64_t sequence = 0;
    while (sequence >= 0) {
        sequence = ring_enqueue(rig.ring, "x", 1, 0, &stream_0, &never_waits);
    }
    assert_int_equal(sequence, -EAGAIN);
    assert_true(ring_claimed(rig.ring) <= CAPACITY - BLOCK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_record_of_an_earlier_life_is_not_taken_for_one_that_was_published, open_ring,
                                        close_ring),
        cmocka_unit_test_setup_teardown(a_producer_that_never_publishes_stops_the_ring_and_nothing_is_written,
                                        open_ring, close_ring),
        cmocka_unit_test_setup_teardown(the_records_before_a_straggler_wait_with_it, open_ring, close_ring),
        cmocka_unit_test_setup_teardown(a_record_says_whose_it_is_and_whether_somebody_waited, open_ring, close_ring),
        cmocka_unit_test_setup_teardown(a_block_that_is_released_in_part_only_is_not_taken_back, open_ring, close_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
