/* SPDX-License-Identifier: Apache-2.0 */
/* A ring after a failure, before its reason is written down, and the losses that it reports then. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

#include "ring/commit.h"
#include "ring/fake_device.h"

static void reason_is_there(struct fake_platform *fake) {
    (void)fake;
    snprintf(fake_device.ring->failure, sizeof fake_device.ring->failure, "the reason");
    atomic_store(&fake_device.ring->failed, RING_FAILED);
}

/* Another thread writes the reason down, and needs this CPU. */
static struct ring *failing_ring(void) {
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    atomic_store(&ring->failed, RING_FAILING);
    fake_platform.asleep = reason_is_there;
    return ring;
}

static void whoever_appends_sleeps_until_the_reason_is_there(void **state) {
    (void)state;
    struct ring *ring = failing_ring();
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EIO);
    assert_non_null(strstr(error_text(), "the reason"));
    assert_true(fake_platform.slept_ns > 0);
    assert_int_equal(fake_device.submitted, 0);
}

static void so_does_whoever_is_refused(void **state) {
    (void)state;
    struct ring *ring = failing_ring();
    atomic_fetch_or(&ring->claim, CLAIM_FAILED);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EIO);
    assert_non_null(strstr(error_text(), "the reason"));
    assert_true(fake_platform.slept_ns > 0);
}

/* Such a record may be published too late to be counted as lost. */
static void what_is_enqueued_meanwhile_is_not_called_accepted(void **state) {
    (void)state;
    struct ring *ring = failing_ring();
    assert_int_equal(ring_enqueue(ring, "mine", 4, 0, &stream_0, &fake_rule), -EIO);
    assert_non_null(strstr(error_text(), "the reason"));
}

static void an_offer_does_not_wait_for_the_reason(void **state) {
    (void)state;
    struct ring *ring = failing_ring();
    assert_int_equal(ring_enqueue(ring, "mine", 4, 0, &stream_0, &never_waits), -EIO);
    assert_non_null(strstr(error_text(), "burst_failure()"));
    assert_int_equal(fake_platform.slept_ns, 0);
}

static void a_commit_that_seals_meanwhile_does_not_open_it_again(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    assert_int_equal(ring_enqueue(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    atomic_fetch_or(&ring->claim, CLAIM_FAILED);
    other_leads(ring, LEADER_CLAIMED);
    struct limit limit = limit_of(-1);
    commit_round(ring, &limit);
    struct claim claim;
    assert_int_equal(claim_record(ring, record_bytes(4), &claim), -EIO);
}

/* It sees no failure, and gets no CPU until the ring has failed and a close has let go of the device. */
static void a_leader_that_seals_behind_a_close_leaves_the_device_alone(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct claim unpublished;
    struct limit limit = limit_of(-1);
    assert_int_equal(claim_record(ring, record_bytes(4), &unpublished), 0);
    other_leads(ring, LEADER_CLAIMED);
    ring_fail(ring, "broken");
    ring_quiesce(ring);
    ring->device = NULL;
    commit_round(ring, &limit);
    assert_int_equal(fake_platform.slept_ns, 0);
    assert_int_equal(atomic_load(&ring->commits), 0);
}

static struct claim stuck;

/* Two records that can be counted, one that its thread never publishes, and two behind it. */
static struct ring *ring_with_a_stuck_thread(void) {
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    for (int i = 0; i < 5; i++) {
        if (i == 2) {
            assert_int_equal(claim_record(ring, record_bytes(4), &stuck), 0);
        } else {
            assert_int_equal(ring_enqueue(ring, "lost", 4, 0, &stream_0, &fake_rule), i + 1);
        }
    }
    return ring;
}

static void records_behind_one_that_was_never_published_are_counted_as_lost(void **state) {
    (void)state;
    struct ring *ring = ring_with_a_stuck_thread();
    ring_fail(ring, "broken");
    assert_int_equal(atomic_load(&ring->lost_enqueued), 5);
    assert_string_equal(ring->failure, "broken (up to 5 enqueued records are lost)");
}

/* An earlier epoch left a record at this position: its length and kind must not be believed. */
static void so_they_are_where_an_earlier_epoch_left_a_record(void **state) {
    (void)state;
    struct ring *ring = ring_with_a_stuck_thread();
    stuck.header->position = stuck.position;
    stuck.header->type = RECORD_DATA;
    stuck.header->length = 3000;
    ring_fail(ring, "broken");
    assert_int_equal(atomic_load(&ring->lost_enqueued), 5);
}

static void without_such_a_one_their_number_is_exact(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    assert_int_equal(ring_enqueue(ring, "lost", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(ring_enqueue(ring, "lost", 4, 0, &stream_0, &fake_rule), 2);
    fake_device.fail_submitted = 0;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EIO);
    assert_int_equal(atomic_load(&ring->lost_enqueued), 2);
    assert_non_null(strstr(ring->failure, " (2 enqueued records are lost)"));
}

static pthread_t failing_thread;
static _Atomic int is_counted;

static void *fail_beside_the_leader(void *ring) {
    ring_fail(ring, "broken");
    atomic_store_explicit(&is_counted, 1, memory_order_relaxed);
    return NULL;
}

/* The last record is published, and another thread counts it before the leader seals it. Nothing but the record itself
 * puts the two in order: so the thread sanitizer judges the count, too. */
static void count_before_the_seal(struct fake_platform *fake) {
    fake->asleep = NULL;
    claim_publish(fake_device.ring, &stuck, "last", 4, 0, (struct claim_label){.flags = RECORD_ENQUEUED});
    assert_int_equal(pthread_create(&failing_thread, NULL, fail_beside_the_leader, fake_device.ring), 0);
    while (!atomic_load_explicit(&is_counted, memory_order_relaxed)) {
        sched_yield();
    }
}

static void a_record_that_is_being_sealed_is_counted(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct limit limit = limit_of(-1);
    assert_int_equal(ring_enqueue(ring, "lost", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(claim_record(ring, record_bytes(4), &stuck), 0);
    other_leads(ring, LEADER_CLAIMED);
    fake_platform.asleep = count_before_the_seal;
    commit_round(ring, &limit);
    assert_int_equal(pthread_join(failing_thread, NULL), 0);
    assert_int_equal(fake_device.submitted, 0);
    assert_int_equal(stuck.header->position, stuck.position); /* it is sealed */
    assert_true(stuck.header->flags & RECORD_LAST);
    assert_int_equal(atomic_load(&ring->lost_enqueued), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(whoever_appends_sleeps_until_the_reason_is_there),
        RING_TEST(so_does_whoever_is_refused),
        RING_TEST(what_is_enqueued_meanwhile_is_not_called_accepted),
        RING_TEST(an_offer_does_not_wait_for_the_reason),
        RING_TEST(a_commit_that_seals_meanwhile_does_not_open_it_again),
        RING_TEST(a_leader_that_seals_behind_a_close_leaves_the_device_alone),
        RING_TEST(records_behind_one_that_was_never_published_are_counted_as_lost),
        RING_TEST(so_they_are_where_an_earlier_epoch_left_a_record),
        RING_TEST(without_such_a_one_their_number_is_exact),
        RING_TEST(a_record_that_is_being_sealed_is_counted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
