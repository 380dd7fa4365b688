/* SPDX-License-Identifier: Apache-2.0 */
/* A thread that waits for space: how it is woken, and what the operator is told. */
#include "ring/fake_device.h"

static struct ring *full_ring(void) {
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    fake_rule.on_full = RING_ON_FULL_BLOCK;
    while (ring_append(ring, "x", 1, 0, &stream_0, &unless_full) > 0) {
    }
    return ring;
}

static void fail_it(struct ring *ring) {
    ring_fail(ring, "as a test wants it");
}

static void release_it(struct ring *ring) {
    ring_release(ring, BLOCK_BYTES);
}

static void assert_wakes_who_waits_for_space(void (*act)(struct ring *ring)) {
    struct ring *ring = full_ring();
    const uint32_t ticket = event_count_register(&ring->space);
    act(ring);
    assert_int_not_equal(atomic_load(&ring->space.count), ticket);
    event_count_leave(&ring->space);
    free_ring(NULL);
}

static void whoever_waits_for_space_is_woken_by_all_that_ends_his_wait(void **state) {
    (void)state;
    assert_wakes_who_waits_for_space(release_it);
    assert_wakes_who_waits_for_space(ring_refuse);
    assert_wakes_who_waits_for_space(fail_it);
}

/* A log that another process drains looks at the slots each time that a waiter asks. If that woke the waiter, both would ask
 * and look without a pause. */
static void a_release_that_frees_nothing_wakes_nobody(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    release_it(ring);
    const uint32_t ticket = event_count_register(&ring->space);
    release_it(ring);
    assert_int_equal(atomic_load(&ring->space.count), ticket);
    event_count_leave(&ring->space);
    free_ring(NULL);
}

static int naps;

/* A second passes, and the waiter is woken without a reason. After some of these there is space. */
static void nap(struct fake_platform *fake) {
    fake->now_ns += 1000000000;
    if (++naps == 6) {
        atomic_store(&fake_device.ring->freed, 4 * BLOCK_BYTES);
    }
    atomic_fetch_add(&fake_device.ring->space.count, 1);
}

static unsigned told(uint32_t *severity, int64_t *time_ns) {
    struct event event;
    unsigned times = 0;
    while (events_take(&fake_events, &event, 0) == 1) {
        if (strstr(event.text, " has been full for ") != NULL) {
            *time_ns = times == 0 ? event.time_ns : *time_ns;
            *severity = event.severity;
            times++;
        }
    }
    return times;
}

static void assert_told_once(int64_t timeout_ns) {
    struct ring *ring = full_ring();
    uint32_t severity = EVENT_INFO;
    int64_t time_ns = 0;
    fake_rule.timeout_ns = timeout_ns;
    naps = 0;
    fake_platform.lies_down = nap;
    const uint64_t before = atomic_load(&ring->full_waits);
    assert_true(ring_enqueue(ring, "y", 1, 0, &stream_0, &fake_rule) > 0);
    assert_int_equal(naps, 6);
    assert_int_equal(atomic_load(&ring->full_waits), before + 1);
    assert_int_equal(told(&severity, &time_ns), 1);
    assert_true(severity >= EVENT_WARN);
    assert_in_range(time_ns, 1000000000, 2000000000);
    free_ring(NULL);
}

static void a_ring_that_is_full_for_a_second_is_told_once_with_a_limit_and_without(void **state) {
    (void)state;
    assert_told_once(-1);
    assert_told_once(60000000000);
}

static void a_refused_offer_counts_as_one_that_met_a_full_ring(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    const uint64_t before = atomic_load(&ring->full_waits);
    assert_int_equal(ring_enqueue(ring, "y", 1, 0, &stream_0, &never_waits), -EAGAIN);
    assert_int_equal(atomic_load(&ring->full_waits), before + 1);
    fake_rule.on_full = RING_ON_FULL_DISCARD;
    assert_int_equal(ring_enqueue(ring, "y", 1, 0, &stream_0, &never_waits),
                     -EAGAIN); /* the caller of offer learns of it */
    assert_int_equal(atomic_load(&ring->discarded), 0);
    assert_int_equal(ring_enqueue(ring, "y", 1, 0, &stream_0, &fake_rule), 0);
    assert_int_equal(atomic_load(&ring->discarded), 1);
    assert_int_equal(atomic_load(&ring->full_waits), before + 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(whoever_waits_for_space_is_woken_by_all_that_ends_his_wait),
        RING_TEST(a_release_that_frees_nothing_wakes_nobody),
        RING_TEST(a_ring_that_is_full_for_a_second_is_told_once_with_a_limit_and_without),
        RING_TEST(a_refused_offer_counts_as_one_that_met_a_full_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
