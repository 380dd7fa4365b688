/* SPDX-License-Identifier: Apache-2.0 */
/* Appends of a stream that is being closed: none gets a place behind the end that the close finds. */
#include "ring/fake_device.h"

static const ring_call calls[] = {ring_append, ring_enqueue, ring_put, ring_append_roll, ring_enqueue_roll};

static struct ring_stream closing;
static uint64_t next_position;

static const struct record_header *next_on_medium(void) {
    const struct record_header *header = record_at(fake_device.medium, fake_device.bytes, next_position);
    const struct walk_shape shape = ring_shape(fake_device.ring);
    assert_int_equal(record_judge(fake_device.medium, fake_device.bytes, next_position, SEED), RECORD_VALID);
    next_position = walk_end_of_record(&shape, next_position, header);
    return header;
}

/* As an append that was held up between the look at its stream and the claim. */
static void what_is_claimed_after_the_close_is_void(void **state) {
    (void)state;
    struct ring *ring = begun_ring(LARGE_BYTES, 1);
    closing = (struct ring_stream){.id = 5};
    ring_close_stream(ring, &closing);
    next_position = BLOCK_BYTES;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        assert_int_equal(calls[i](ring, "late", 4, 7, &closing, &unless_full), -ESHUTDOWN);
        assert_non_null(strstr(error_text(), "stream 5 of ring"));
        assert_int_equal(ring_append(ring, "other", 5, 0, &stream_0, &fake_rule), 2 * i + 2);
        const struct record_header *late = next_on_medium(), *other = next_on_medium();
        assert_int_equal(late->type, RECORD_VOID);
        assert_int_equal(late->length, 4);
        assert_int_equal(late->sequence, 2 * i + 1);
        assert_int_equal(late->flags & ~RECORD_LAST, 0);
        assert_memory_equal(late + 1, "\0\0\0\0", 4);
        assert_int_equal(other->type, RECORD_DATA);
        assert_int_equal(other->sequence, 2 * i + 2);
    }
}

static void whoever_was_to_commit_the_record_commits_the_void(void **state) {
    (void)state;
    struct ring *ring = begun_ring(LARGE_BYTES, 1);
    closing = (struct ring_stream){.id = 5};
    ring_close_stream(ring, &closing);
    assert_int_equal(ring_append(ring, "late", 4, 0, &closing, &fake_rule), -ESHUTDOWN);
    assert_durable(ring, 2 * BLOCK_BYTES, 2);
    assert_false(leader_is_there(ring));
    assert_int_equal(ring_enqueue(ring, "late", 4, 0, &closing, &fake_rule), -ESHUTDOWN);
    assert_int_equal(atomic_load(&ring->enqueued), 1); /* the committer comes */
}

static void a_void_comes_behind_the_pad_of_its_lap(void **state) {
    (void)state;
    struct ring *ring = make_ring(SMALL_BYTES, 1);
    static const uint8_t payload[BLOCK_BYTES];
    next_position = SMALL_BYTES - BLOCK_BYTES;
    ring_begin(ring, &(struct ring_start){
                         .position = next_position, .next_sequence = 9, .released = next_position, .epoch = 1});
    closing = (struct ring_stream){.id = 5};
    ring_close_stream(ring, &closing);
    assert_int_equal(ring_enqueue(ring, payload, sizeof payload, 0, &closing, &fake_rule), -ESHUTDOWN);
    assert_int_equal(ring_commit(ring), 1);
    assert_int_equal(next_on_medium()->type, RECORD_PAD);
    assert_int_equal(next_position, SMALL_BYTES);
    const struct record_header *late = next_on_medium();
    assert_int_equal(late->type, RECORD_VOID);
    assert_int_equal(late->sequence, 9);
}

static void close_it(struct fake_platform *fake) {
    (void)fake;
    ring_close_stream(fake_device.ring, &closing);
}

static void an_append_that_waits_for_space_returns(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    while (ring_append(ring, "x", 1, 0, &stream_0, &unless_full) > 0) {
    }
    const uint64_t claimed = ring_claimed(ring);
    closing = (struct ring_stream){.id = 5};
    fake_platform.lies_down = close_it;
    assert_int_equal(ring_append(ring, "late", 4, 0, &closing, &for_ever), -ESHUTDOWN);
    assert_non_null(strstr(error_text(), "stream 5 of ring"));
    assert_int_equal(atomic_load(&fake_platform.parks), 1);
    assert_int_equal(ring_claimed(ring), claimed);
    assert_int_equal(atomic_load(&ring->space.waiters), 0);
}

static _Atomic int64_t accepted; /* the last sequence of `closing` */

static void *enqueue_until_refused(void *argument) {
    for (;;) {
        const int64_t sequence = ring_enqueue(argument, "record", 6, 0, &closing, &unless_full);
        if (sequence > 0) {
            atomic_store(&accepted, sequence);
        } else if (atomic_load(&closing.is_closed)) {
            return NULL;
        }
    }
}

/* A caller that closes a stream may wait for its last record, and then let others have its file. */
static void the_close_finds_the_end_of_the_records(void **state) {
    (void)state;
    for (int round = 0; round < 1000; round++) {
        struct ring *ring = begun_ring(64 * SMALL_BYTES, 1);
        pthread_t thread;
        closing = (struct ring_stream){.id = 5};
        atomic_store(&accepted, 0);
        assert_int_equal(pthread_create(&thread, NULL, enqueue_until_refused, ring), 0);
        while (atomic_load(&accepted) == 0) {
        }
        ring_close_stream(ring, &closing);
        const uint64_t next_sequence = ring_next_sequence(ring);
        pthread_join(thread, NULL);
        assert_true((uint64_t)atomic_load(&accepted) < next_sequence);
        free_ring(NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(what_is_claimed_after_the_close_is_void),
        RING_TEST(whoever_was_to_commit_the_record_commits_the_void),
        RING_TEST(a_void_comes_behind_the_pad_of_its_lap),
        RING_TEST(an_append_that_waits_for_space_returns),
        RING_TEST(the_close_finds_the_end_of_the_records),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
