/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/fake_device.h"

#define SECOND_NS 1000000000ll
#define RECORDS 16u /* of a commit in five pieces of at most 1 MiB */
#define RECORD_BYTES (300000u - RECORD_HEADER_BYTES)

static struct claim unpublished; /* of the thread that stopped between claim and publication */

static void publish_after_nine_seconds(struct fake_platform *fake) {
    fake->now_ns += 3600 * SECOND_NS; /* the machine was suspended: the producer is not stuck */
    if (fake->slept_ns >= 9 * SECOND_NS && unpublished.position != 0) {
        claim_publish(fake_device.ring, &unpublished, "late", 4, 0, (struct claim_label){0});
        unpublished.position = 0;
    }
}

static void never_publish(struct fake_platform *fake) {
    fake->now_ns += SECOND_NS;
    if (fake->slept_ns > 60 * SECOND_NS) {
        fail_msg("the leader waits without end");
    }
}

/* Leaves records of an earlier life in the image, from the first block on. The last one is
 * published, but not sealed. */
static void live_and_leave(struct ring *ring) {
    ring_begin(ring, &(struct ring_start){.position = BLOCK_BYTES, .next_sequence = 1, .epoch = 1});
    assert_int_equal(ring_append(ring, "sealed", 6, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(ring_enqueue(ring, "published", 9, 0, &stream_0, &fake_rule), 2);
    ring_destroy(ring);
    memset(fake_device.medium, 0, fake_device.bytes);
    fake_device.submitted = 0;
}

/* Begins a new life at `position`; its first claim is not published. */
static struct ring *reopen_and_claim(uint64_t position) {
    struct ring *ring = create_ring();
    ring_begin(ring, &(struct ring_start){.position = position, .next_sequence = 1, .epoch = 2});
    assert_int_equal(claim_record(ring, record_bytes(4), &unpublished), 0);
    assert_int_equal(unpublished.position, position);
    return ring;
}

static void assert_leader_waits_until_it_fails(uint64_t position) {
    struct ring *ring = reopen_and_claim(position);
    fake_platform.asleep = never_publish;
    assert_int_equal(ring_commit(ring), -EIO);
    assert_in_range(fake_platform.slept_ns, 10 * SECOND_NS, 11 * SECOND_NS);
    assert_durable(ring, position, 1);
    assert_int_equal(fake_device.submitted, 0);
    assert_true(ring_has_failed(ring));
    assert_non_null(strstr(
        error_text(), "record 1 of ring /ring was begun by a thread of this process that did not copy it within 10 s"));
}

static void assert_leader_waits_for_the_publication(uint64_t position) {
    struct ring *ring = reopen_and_claim(position);
    fake_platform.asleep = publish_after_nine_seconds;
    assert_int_equal(ring_commit(ring), 1);
    assert_in_range(fake_platform.slept_ns, 9 * SECOND_NS, 10 * SECOND_NS);
    assert_durable(ring, position + BLOCK_BYTES, 2);
    assert_int_equal(record_judge(fake_device.medium, fake_device.bytes, position, SEED), RECORD_VALID);
    assert_memory_equal(record_payload(record_at(fake_device.medium, fake_device.bytes, position)), "late", 4);
}

static void a_sealed_record_of_an_earlier_life_is_not_taken_for_a_published_one(void **state) {
    (void)state;
    live_and_leave(make_ring(SMALL_BYTES, 1));
    assert_int_equal(record_at(fake_device.image, SMALL_BYTES, BLOCK_BYTES)->position, BLOCK_BYTES);
    assert_leader_waits_until_it_fails(BLOCK_BYTES);
}

static void a_published_record_of_an_earlier_life_is_not_taken_for_one_of_this(void **state) {
    (void)state;
    live_and_leave(make_ring(SMALL_BYTES, 1));
    assert_int_not_equal(record_at(fake_device.image, SMALL_BYTES, 2 * BLOCK_BYTES)->position, 2 * BLOCK_BYTES);
    assert_leader_waits_until_it_fails(2 * BLOCK_BYTES);
}

static void a_straggler_that_publishes_in_time_becomes_durable(void **state) {
    (void)state;
    for (uint64_t block = 1; block <= 2; block++) {
        live_and_leave(make_ring(SMALL_BYTES, 1));
        assert_leader_waits_for_the_publication(block * BLOCK_BYTES);
        free_ring(NULL);
    }
}

static void a_claim_after_the_seal_begins_a_block_of_its_own(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    assert_int_equal(ring_enqueue(ring, "one", 3, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(ring_append(ring, "two", 3, 0, &stream_0, &fake_rule), 2);
    assert_int_equal(ring_claimed(ring), 2 * BLOCK_BYTES);
    assert_int_equal(record_at(fake_device.medium, SMALL_BYTES, BLOCK_BYTES)->flags, RECORD_ENQUEUED);
    assert_int_equal(record_at(fake_device.medium, SMALL_BYTES, BLOCK_BYTES + 64)->flags, RECORD_LAST);
    assert_int_equal(ring_append(ring, "three", 5, 0, &stream_0, &fake_rule), 3);
    assert_durable(ring, 3 * BLOCK_BYTES, 4);
    const struct record_header *third = record_at(fake_device.medium, SMALL_BYTES, 2 * BLOCK_BYTES);
    assert_int_equal(third->sequence, 3);
    assert_int_equal(third->durable_position, 2 * BLOCK_BYTES);
    assert_int_equal(third->in_flight, 0);
    assert_int_equal(ring_commit(ring), 0);
    assert_int_equal(fake_device.submitted, 2);
}

static struct ring *ring_with_a_long_commit(void) {
    static uint8_t payload[RECORD_BYTES];
    struct ring *ring = begun_ring(LARGE_BYTES, 4);
    for (uint64_t sequence = 1; sequence <= RECORDS; sequence++) {
        memset(payload, (int)sequence, sizeof payload);
        assert_int_equal(ring_enqueue(ring, payload, sizeof payload, 0, &stream_0, &fake_rule), sequence);
    }
    return ring;
}

static void pieces_that_complete_in_reverse_are_acknowledged_without_a_hole(void **state) {
    (void)state;
    struct ring *ring = ring_with_a_long_commit();
    fake_device.newest_first = 1;
    assert_int_equal(ring_commit(ring), 1);
    assert_int_equal(fake_device.submitted, 5);
    assert_durable(ring, ring_claimed(ring), RECORDS + 1);
}

static void nothing_behind_a_failed_piece_is_acknowledged(void **state) {
    (void)state;
    for (int failed = 0; failed < 5; failed++) {
        struct ring *ring = ring_with_a_long_commit();
        fake_device.fail_submitted = failed;
        assert_int_equal(ring_commit(ring), -EIO);
        /* All records of the whole pieces, except the one that crosses the last piece's end. */
        const uint64_t records = (uint64_t)failed * RING_WRITE_BYTES / record_bytes(RECORD_BYTES);
        assert_durable(ring, BLOCK_BYTES + records * record_bytes(RECORD_BYTES), records + 1);
        assert_int_equal(ring_await_durable(ring, records + 1, -1), -EIO);
        assert_int_equal(records == 0 || ring_await_durable(ring, records, -1) == 1, 1);
        assert_int_equal(atomic_load(&ring->lost_enqueued), RECORDS - records);
        assert_int_equal(fake_device.under_way_count, 0);
        free_ring(NULL);
    }
}

static void a_failed_piece_that_later_ones_overtook_is_a_hole(void **state) {
    (void)state;
    for (int failed = 0; failed < 5; failed++) {
        struct ring *ring = ring_with_a_long_commit();
        fake_device.newest_first = 1;
        fake_device.fail_submitted = failed;
        assert_int_equal(ring_commit(ring), -EIO);
        assert_durable(ring, BLOCK_BYTES, 1); /* the first piece came last, or failed */
        assert_int_equal(ring_enqueue(ring, "x", 1, 0, &stream_0, &fake_rule), -EIO);
        assert_int_equal(fake_device.under_way_count, 0);
        free_ring(NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_sealed_record_of_an_earlier_life_is_not_taken_for_a_published_one),
        RING_TEST(a_published_record_of_an_earlier_life_is_not_taken_for_one_of_this),
        RING_TEST(a_straggler_that_publishes_in_time_becomes_durable),
        RING_TEST(a_claim_after_the_seal_begins_a_block_of_its_own),
        RING_TEST(pieces_that_complete_in_reverse_are_acknowledged_without_a_hole),
        RING_TEST(nothing_behind_a_failed_piece_is_acknowledged),
        RING_TEST(a_failed_piece_that_later_ones_overtook_is_a_hole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
