/* SPDX-License-Identifier: Apache-2.0 */
/* An append that finds all durable and nobody who leads: one exchange claims, seals and leads. And who comes meanwhile. */
#include <pthread.h>
#include <sched.h>

#include "base/spin.h"
#include "ring/fake_device.h"

static int64_t append_four(void) {
    return ring_append(fake_device.ring, "mine", 4, 0, &stream_0, &fake_rule);
}

static void *append_beside(void *argument) {
    (void)argument;
    return (void *)(intptr_t)append_four();
}

static int goes_alone(struct ring *ring, uint64_t bytes) {
    struct claim claim;
    return claim_alone(ring, bytes, &claim);
}

static void it_leads_behind_a_seal_and_lets_go(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct claim claim;
    assert_int_equal(claim_alone(ring, record_bytes(4), &claim), 1);
    assert_int_equal(claim.position, BLOCK_BYTES);
    assert_int_equal(claim.sequence, 1);
    assert_true(leader_is_there(ring));
    assert_int_equal(ring_claimed(ring), 2 * BLOCK_BYTES);
    assert_int_equal(ring_next_sequence(ring), 2);
    claim_publish(ring, &claim, "mine", 4, 0, (struct claim_label){0});
    assert_int_equal(leader_commit_alone(ring, &claim, record_bytes(4)), 1);
    assert_false(leader_is_there(ring));
    assert_int_equal(atomic_load(&ring->leader), LEADER_CLAIMED);
    assert_int_equal(atomic_load(&ring->generation[0]), 1);
    assert_int_equal(atomic_load(&ring->generation[1]), 1);
    assert_int_equal(atomic_load(&ring->commits), 1);
    assert_durable(ring, 2 * BLOCK_BYTES, 2);
    assert_int_equal(record_judge(fake_device.medium, SMALL_BYTES, BLOCK_BYTES, SEED), RECORD_VALID);
    assert_true((record_at(fake_device.medium, SMALL_BYTES, BLOCK_BYTES)->flags & RECORD_LAST) != 0);
}

/* Each of these would be wrong alone, or dearer. */
static void it_comes_the_usual_way_where_it_is_not_alone(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    const uint64_t bytes = record_bytes(4);
    atomic_store(&ring->gathering.expected, 2);
    assert_false(goes_alone(ring, bytes));
    atomic_store(&ring->gathering.expected, 1);
    other_leads(ring, LEADER_CLAIMED);
    assert_false(goes_alone(ring, bytes));
    other_lets_go(ring);
    assert_int_equal(ring_enqueue(ring, "other", 5, 0, &stream_0, &fake_rule), 1);
    assert_false(goes_alone(ring, bytes));
    assert_int_equal(ring_commit(ring), 1);
    atomic_fetch_or(&ring->claim, CLAIM_FAILED);
    assert_false(goes_alone(ring, bytes));
    atomic_fetch_and(&ring->claim, ~CLAIM_FAILED);
    ring_refuse(ring);
    assert_false(goes_alone(ring, bytes));
    atomic_fetch_and(&ring->claim, ~CLAIM_CLOSED);
    assert_true(goes_alone(ring, bytes));
}

static void it_needs_room_in_the_lap_and_space_and_one_piece(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    assert_false(goes_alone(ring, SMALL_BYTES - 4 * BLOCK_BYTES + 8)); /* one block more than it needs stays free */
    assert_true(goes_alone(ring, SMALL_BYTES - 4 * BLOCK_BYTES));
    free_ring(NULL);
    ring = make_ring(SMALL_BYTES, 1);
    ring_begin(ring, &(struct ring_start){
                         .position = 7 * BLOCK_BYTES, .next_sequence = 1, .released = 7 * BLOCK_BYTES, .epoch = 1});
    assert_false(goes_alone(ring, BLOCK_BYTES + 8)); /* it would cross the end of the lap */
    assert_true(goes_alone(ring, BLOCK_BYTES));
    free_ring(NULL);
    ring = begun_ring(LARGE_BYTES, 1);
    assert_false(goes_alone(ring, RING_WRITE_BYTES + 8));
    assert_true(goes_alone(ring, RING_WRITE_BYTES));
}

static void the_last_sequence_before_its_wrap_is_not_taken_alone(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    atomic_store(&ring->durable_next_sequence, CLAIM_SEQUENCE_MASK);
    atomic_store(&ring->claim, claim_pack(BLOCK_BYTES, CLAIM_SEQUENCE_MASK, 0));
    assert_false(goes_alone(ring, record_bytes(4)));
    assert_int_equal(append_four(), CLAIM_SEQUENCE_MASK);
    assert_int_equal(append_four(), CLAIM_SEQUENCE_MASK + 1);
}

static void enqueue_meanwhile(struct fake_device *fake) {
    fake->before_completion = NULL;
    assert_int_equal(ring_enqueue(fake->ring, "other", 5, 0, &stream_0, &fake_rule), 2);
}

static void who_enqueues_meanwhile_is_part_of_the_next_commit(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    fake_device.before_completion = enqueue_meanwhile;
    assert_int_equal(append_four(), 1);
    assert_durable(ring, 2 * BLOCK_BYTES, 2);
    assert_int_equal(ring_claimed(ring), 2 * BLOCK_BYTES + record_bytes(5));
    assert_int_equal(append_four(), 3);
    assert_durable(ring, 3 * BLOCK_BYTES, 4);
    assert_int_equal(record_judge(fake_device.medium, SMALL_BYTES, 2 * BLOCK_BYTES, SEED), RECORD_VALID);
}

static void others_sleep_meanwhile(struct fake_device *fake) {
    atomic_store(&fake->ring->sleepers, 2);
}

static void it_notes_who_sleeps_meanwhile(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    fake_device.before_completion = others_sleep_meanwhile;
    assert_int_equal(append_four(), 1);
    assert_int_equal(atomic_load(&ring->gathering.expected), 3);
    assert_false(goes_alone(ring, record_bytes(4)));
}

static void close_meanwhile(struct fake_device *fake) {
    ring_refuse(fake->ring);
}

static void fail_meanwhile(struct fake_device *fake) {
    fake->before_completion = NULL;
    ring_fail(fake->ring, "a reason");
}

static void a_close_meanwhile_leaves_it_its_record(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    fake_device.before_completion = close_meanwhile;
    assert_int_equal(append_four(), 1);
    assert_int_equal(append_four(), -ESHUTDOWN);
    assert_false(leader_is_there(ring));
}

static void a_failure_meanwhile_and_a_failed_write_acknowledge_nothing(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    fake_device.before_completion = fail_meanwhile;
    assert_int_equal(append_four(), -EIO);
    assert_durable(ring, BLOCK_BYTES, 1);
    assert_false(leader_is_there(ring));
    free_ring(NULL);
    ring = begun_ring(SMALL_BYTES, 1);
    fake_device.fail_submitted = 0;
    assert_int_equal(append_four(), -EIO);
    assert_non_null(strstr(error_text(), "writing 4096 bytes"));
    assert_durable(ring, BLOCK_BYTES, 1);
    assert_false(leader_is_there(ring));
}

static pthread_t sleeper;

static void another_one_lies_down(struct fake_device *fake) {
    fake->before_completion = NULL;
    assert_int_equal(pthread_create(&sleeper, NULL, append_beside, NULL), 0);
    while (atomic_load(&fake->ring->due[1]) == 0) { /* of the next commit */
        sched_yield();
    }
}

static void its_end_wakes_who_sleeps_for_the_next_commit(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    fake_device.before_completion = another_one_lies_down;
    assert_int_equal(append_four(), 1);
    void *sequence;
    assert_int_equal(pthread_join(sleeper, &sequence), 0);
    assert_int_equal((intptr_t)sequence, 2);
    assert_durable(ring, 3 * BLOCK_BYTES, 3);
}

static void not_without_end(struct fake_platform *fake) {
    if (fake->slept_ns > 60000000000) {
        fail_msg("it is waited for without end");
    }
}

/* Its memory does not answer, or it was stopped. The next thread sees no seal, and does not wait for ever. */
static void one_that_does_not_copy_fails_the_ring_after_ten_seconds(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct claim stuck;
    fake_platform.asleep = not_without_end;
    assert_int_equal(claim_alone(ring, record_bytes(4), &stuck), 1);
    assert_int_equal(append_four(), -EIO);
    assert_in_range(fake_platform.slept_ns, 10000000000, 10010000000);
    assert_non_null(strstr(error_text(),
                           "record 1 of ring /ring was begun by a thread of this process that did not copy "
                           "it within 10 s"));
    ring_quiesce(ring); /* a close does not wait for it */
    claim_publish(ring, &stuck, "late", 4, 0, (struct claim_label){0});
    assert_int_equal(leader_commit_alone(ring, &stuck, record_bytes(4)), 0);
    assert_int_equal(fake_device.submitted, 0);
    assert_durable(ring, BLOCK_BYTES, 1);
    assert_false(leader_is_there(ring));
}

static struct claim lone;

/* Its leader ends the commit, and another thread goes alone behind that. Nobody sees the seal. */
static void another_one_goes_alone(struct fake_platform *fake) {
    fake->asleep = not_without_end;
    other_lets_go(fake_device.ring);
    assert_int_equal(ring_commit(fake_device.ring), 1);
    assert_int_equal(claim_alone(fake_device.ring, record_bytes(4), &lone), 1);
}

static void one_whose_record_is_durable_does_not_wait_for_who_goes_alone_behind_it(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    other_leads(ring, LEADER_CLAIMED);
    fake_platform.asleep = another_one_goes_alone;
    assert_int_equal(append_four(), 1);
    assert_int_equal(fake_platform.slept_ns, SPIN_SLEEP_NS);
    assert_false(ring_is_failing(ring));
    claim_publish(ring, &lone, "late", 4, 0, (struct claim_label){0});
    assert_int_equal(leader_commit_alone(ring, &lone, record_bytes(4)), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(it_leads_behind_a_seal_and_lets_go),
        RING_TEST(it_comes_the_usual_way_where_it_is_not_alone),
        RING_TEST(it_needs_room_in_the_lap_and_space_and_one_piece),
        RING_TEST(the_last_sequence_before_its_wrap_is_not_taken_alone),
        RING_TEST(who_enqueues_meanwhile_is_part_of_the_next_commit),
        RING_TEST(it_notes_who_sleeps_meanwhile),
        RING_TEST(a_close_meanwhile_leaves_it_its_record),
        RING_TEST(a_failure_meanwhile_and_a_failed_write_acknowledge_nothing),
        RING_TEST(its_end_wakes_who_sleeps_for_the_next_commit),
        RING_TEST(one_that_does_not_copy_fails_the_ring_after_ten_seconds),
        RING_TEST(one_whose_record_is_durable_does_not_wait_for_who_goes_alone_behind_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
