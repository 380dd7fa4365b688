/* SPDX-License-Identifier: Apache-2.0 */
/* The durable stamps that commits leave. */
#include "ring/fake_device.h"

#include "media/durable_stamp.h"

static int read_stamp(const struct ring *ring, const uint8_t *image, uint64_t last, struct durable_stamp *stamp) {
    const struct walk_shape shape = ring_shape(ring);
    return durable_stamp_read(image, &shape, SEED, record_at(image, shape.capacity_bytes, last), stamp);
}

/* Medium and image have the stamp of the commit that ended at `position`. */
static void assert_stamp(const struct ring *ring, uint64_t last, uint64_t position, uint64_t next_sequence,
                         int64_t durable_ns) {
    const uint8_t *const images[] = {fake_device.medium, fake_device.image};
    for (size_t i = 0; i < 2; i++) {
        struct durable_stamp stamp;
        assert_int_equal(read_stamp(ring, images[i], last, &stamp), 1);
        assert_int_equal(stamp.position, position);
        assert_int_equal(stamp.next_sequence, next_sequence);
        assert_int_equal(stamp.durable_ns, durable_ns);
        assert_int_equal(stamp.epoch, 1);
    }
}

static void assert_no_stamp(const struct ring *ring, uint64_t last) {
    struct durable_stamp stamp;
    assert_int_equal(read_stamp(ring, fake_device.medium, last, &stamp), 0);
    assert_int_equal(read_stamp(ring, fake_device.image, last, &stamp), 0);
}

static void complete_at_500(struct fake_device *fake) {
    (void)fake;
    fake_platform.now_ns = 500;
}

/* A depth of 1 commits from the stage, a greater one from the image. */
static void each_commit_has_the_time_of_the_one_before(int write_depth) {
    struct ring *ring = begun_ring(SMALL_BYTES, write_depth);
    fake_platform.now_ns = 100;
    fake_device.before_completion = complete_at_500; /* the time is that of the end of the write */
    assert_int_equal(ring_append(ring, "one", 3, 0, &stream_0, &fake_rule), 1);
    fake_device.before_completion = NULL;
    assert_no_stamp(ring, BLOCK_BYTES); /* the epoch has no commit before */
    fake_platform.now_ns = 700;
    assert_int_equal(ring_enqueue(ring, "two", 3, 0, &stream_0, &fake_rule), 2);
    assert_int_equal(ring_append(ring, "three", 5, 0, &stream_0, &fake_rule), 3);
    assert_no_stamp(ring, 2 * BLOCK_BYTES); /* the second record is not LAST */
    assert_stamp(ring, 2 * BLOCK_BYTES + record_bytes(3), 2 * BLOCK_BYTES, 2, 500);
    fake_platform.now_ns = 900;
    assert_int_equal(ring_append(ring, "four", 4, 0, &stream_0, &fake_rule), 4);
    assert_stamp(ring, 3 * BLOCK_BYTES, 3 * BLOCK_BYTES, 4, 700);
    uint64_t position, next_sequence;
    int64_t durable_ns;
    ring_durable_since(ring, &position, &next_sequence, &durable_ns);
    assert_int_equal(position, 4 * BLOCK_BYTES);
    assert_int_equal(next_sequence, 5);
    assert_int_equal(durable_ns, 900);
    free_ring(NULL);
}

static void a_commit_from_the_stage_has_the_time_of_the_one_before(void **state) {
    (void)state;
    each_commit_has_the_time_of_the_one_before(1);
}

static void a_commit_from_the_image_has_the_time_of_the_one_before(void **state) {
    (void)state;
    each_commit_has_the_time_of_the_one_before(4);
}

static void the_next_commit_and_the_full_block_stay_as_they_are(void **state) {
    (void)state;
    static const uint8_t payload[BLOCK_BYTES] = {1};
    for (int write_depth = 1; write_depth <= 4; write_depth += 3) {
        struct ring *ring = begun_ring(SMALL_BYTES, write_depth);
        fake_platform.now_ns = 100;
        assert_int_equal(ring_append(ring, "one", 3, 0, &stream_0, &fake_rule), 1);
        memset(fake_device.image + 3 * BLOCK_BYTES, 0xaa, BLOCK_BYTES);
        for (size_t room = sizeof(struct durable_stamp) - RECORD_ALIGN_BYTES; room > 0; room -= RECORD_ALIGN_BYTES) {
            const size_t length = BLOCK_BYTES - RECORD_HEADER_BYTES - room;
            assert_true(ring_append(ring, payload, length, 0, &stream_0, &fake_rule) > 0);
            assert_no_stamp(ring, ring_claimed(ring) - BLOCK_BYTES);
            if (room == sizeof(struct durable_stamp) - RECORD_ALIGN_BYTES) {
                assert_int_equal(fake_device.image[3 * BLOCK_BYTES], 0xaa);
            }
        }
        const size_t longest = BLOCK_BYTES - RECORD_HEADER_BYTES - sizeof(struct durable_stamp);
        assert_true(ring_append(ring, payload, longest, 0, &stream_0, &fake_rule) > 0);
        assert_stamp(ring, ring_claimed(ring) - BLOCK_BYTES, ring_claimed(ring) - BLOCK_BYTES, 5, 100);
        free_ring(NULL);
    }
}

static void a_commit_in_pieces_has_the_time_of_the_commit_before_all_of_it(void **state) {
    (void)state;
    static uint8_t payload[300000];
    for (int write_depth = 1; write_depth <= 4; write_depth += 3) {
        struct ring *ring = begun_ring(LARGE_BYTES, write_depth);
        fake_platform.now_ns = 100;
        assert_int_equal(ring_append(ring, "one", 3, 0, &stream_0, &fake_rule), 1);
        fake_platform.now_ns = 200;
        uint64_t last = 0;
        for (uint64_t sequence = 2; sequence <= 10; sequence++) {
            last = ring_claimed(ring);
            assert_int_equal(ring_enqueue(ring, payload, sizeof payload, 0, &stream_0, &fake_rule), sequence);
        }
        assert_int_equal(ring_commit(ring), 1);
        assert_true(fake_device.submitted > 3);
        assert_stamp(ring, last, 2 * BLOCK_BYTES, 2, 100);
        free_ring(NULL);
    }
}

static void a_commit_to_mapped_memory_takes_no_time(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    fake_device.device.mapping = fake_device.image;
    fake_platform.now_ns = 100;
    for (int64_t sequence = 1; sequence <= 3; sequence++) {
        assert_int_equal(ring_append(ring, "one", 3, 0, &stream_0, &fake_rule), sequence);
        assert_no_stamp(ring, (uint64_t)sequence * BLOCK_BYTES);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_commit_from_the_stage_has_the_time_of_the_one_before),
        RING_TEST(a_commit_from_the_image_has_the_time_of_the_one_before),
        RING_TEST(the_next_commit_and_the_full_block_stay_as_they_are),
        RING_TEST(a_commit_in_pieces_has_the_time_of_the_commit_before_all_of_it),
        RING_TEST(a_commit_to_mapped_memory_takes_no_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
