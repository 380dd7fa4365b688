/* SPDX-License-Identifier: Apache-2.0 */
/* The waker: it leads what was put in, and hears of everything that tasks wait for. No other thread commits here. */
#include <pthread.h>
#include <time.h>

#include "ring/fake_device.h"
#include "ring/progress.h"

#define NEVER_NS 60000000000ll /* longer than the test: somebody must wake the waker */

static void pause_a_little(void) {
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

static struct progress at_begin(struct ring *ring) {
    struct progress seen = {.freed = 0};
    assert_int_equal(ring_await_progress(ring, &seen, 0, 0), 1);
    return seen;
}

static int64_t put_one(struct ring *ring) {
    return ring_put(ring, "record", 6, 0, &stream_0, &unless_full);
}

static const struct record_header *first_record(const struct ring *ring) {
    return (const struct record_header *)ring_at(ring, ring->begin_position);
}

static void what_was_put_in_is_committed_by_the_waker_alone(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct progress seen = at_begin(ring);
    assert_int_equal(put_one(ring), 1);
    assert_int_equal(put_one(ring), 2);
    assert_int_equal(fake_device.submitted, 0);
    assert_int_equal(ring_await_progress(ring, &seen, 0, 0), 1);
    assert_int_equal(seen.durable_next_sequence, 3);
    assert_int_equal(fake_device.submitted, 1);
    assert_int_equal(ring_await_progress(ring, &seen, 0, 0), 0);
    assert_int_equal(fake_device.submitted, 1);
}

static void a_record_that_was_put_in_is_not_counted_as_lost_unheard(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    assert_int_equal(put_one(ring), 1);
    assert_int_equal(first_record(ring)->flags & RECORD_ENQUEUED, 0);
    ring_fail(ring, "as a test wants it");
    assert_int_equal(atomic_load(&ring->lost_enqueued), 0);
}

static void records_that_nobody_waits_for_are_left_to_the_committer(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct progress seen = at_begin(ring);
    assert_int_equal(ring_enqueue(ring, "record", 6, 0, &stream_0, &unless_full), 1);
    assert_int_equal(ring_await_progress(ring, &seen, 0, 0), 0);
    assert_int_equal(fake_device.submitted, 0);
    progress_nudge(ring); /* now a task waits for it */
    assert_int_equal(ring_await_progress(ring, &seen, 0, 0), 1);
    ring_await_progress(ring, &seen, 0, 0);
    assert_int_equal(seen.durable_next_sequence, 2);
}

static void many_records_are_handed_over_to_the_committer(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct progress seen = at_begin(ring);
    for (int i = 0; i < 31; i++) {
        put_one(ring);
    }
    ring_release(ring, BLOCK_BYTES);
    assert_int_equal(ring_await_progress(ring, &seen, 0, 0), 1);
    assert_int_equal(atomic_load(&ring->hurried), 0);
    put_one(ring);
    ring_release(ring, 2 * BLOCK_BYTES);
    assert_int_equal(ring_await_progress(ring, &seen, 0, 0), 1);
    assert_int_equal(atomic_load(&ring->hurried), 1);
}

static struct progress of_waker;
static _Atomic int is_back;

static void *wake_once(void *argument) {
    const int rc = ring_await_progress(argument, &of_waker, 0, NEVER_NS);
    atomic_store(&is_back, 1);
    return (void *)(intptr_t)rc;
}

static void put_it(struct ring *ring) {
    put_one(ring);
}

static void release_it(struct ring *ring) {
    ring_release(ring, BLOCK_BYTES);
}

static void fail_it(struct ring *ring) {
    ring_fail(ring, "as a test wants it");
}

/* It comes back long before its time is over. */
static void assert_is_woken(pthread_t waker) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    void *result;
    if (pthread_timedjoin_np(waker, &result, &until) != 0) {
        fake_device.ring = NULL; /* the thread may still use everything until the process ends */
        fake_device.image = fake_device.medium = NULL;
        fail_msg("the waker was not woken");
    }
    assert_int_equal((intptr_t)result, 1);
}

/* The waker sleeps in the kernel; the change wakes it. */
static void assert_wakes(void (*act)(struct ring *ring)) {
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    pthread_t waker;
    of_waker = at_begin(ring);
    atomic_store(&is_back, 0);
    const unsigned parks = atomic_load(&fake_platform.parks);
    pthread_create(&waker, NULL, wake_once, ring);
    while (atomic_load(&fake_platform.parks) == parks) {
        pause_a_little();
    }
    for (int i = 0; i < 20; i++) {
        pause_a_little();
    }
    assert_int_equal(atomic_load(&is_back), 0);
    act(ring);
    assert_is_woken(waker);
    free_ring(NULL);
}

static void the_waker_hears_of_all_that_tasks_wait_for(void **state) {
    (void)state;
    assert_wakes(put_it);
    assert_wakes(release_it);
    assert_wakes(progress_drained);
    assert_wakes(progress_nudge);
    assert_wakes(fail_it);
    assert_wakes(ring_refuse);
    assert_wakes(progress_end);
}

static _Atomic int completion_is_held, may_complete;

static void hold_completion(struct fake_device *fake) {
    (void)fake;
    atomic_store(&completion_is_held, 1);
    while (!atomic_load(&may_complete)) {
        pause_a_little();
    }
}

static void *append_one(void *argument) {
    return (void *)(intptr_t)ring_append(argument, "record", 6, 0, &stream_0, &fake_rule);
}

/* A record comes while another thread's commit is under way: nobody notifies the waker but the end of that commit. */
static void the_end_of_another_commit_makes_the_waker_lead(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    pthread_t leader, waker;
    of_waker = at_begin(ring);
    atomic_store(&completion_is_held, 0);
    atomic_store(&may_complete, 0);
    fake_device.before_completion = hold_completion;
    pthread_create(&leader, NULL, append_one, ring);
    while (!atomic_load(&completion_is_held)) {
        pause_a_little();
    }
    assert_int_equal(put_one(ring), 2);
    const unsigned parks = atomic_load(&fake_platform.parks);
    pthread_create(&waker, NULL, wake_once, ring);
    while (atomic_load(&fake_platform.parks) == parks) {
        pause_a_little();
    }
    atomic_store(&may_complete, 1);
    void *result;
    pthread_join(leader, &result);
    assert_int_equal((intptr_t)result, 1);
    assert_is_woken(waker);
    while (of_waker.durable_next_sequence < 3) {
        assert_int_equal(ring_await_progress(ring, &of_waker, 0, NEVER_NS), 1);
    }
}

static void a_full_ring_counts_a_record_once(void **state) {
    (void)state;
    const struct ring_rule retry = {.on_full = RING_ON_FULL_FAIL, .is_retry = 1};
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    while (put_one(ring) > 0) {
    }
    assert_int_equal(atomic_load(&ring->full_waits), 1);
    assert_int_equal(ring_put(ring, "record", 6, 0, &stream_0, &retry), -EAGAIN);
    assert_int_equal(atomic_load(&ring->full_waits), 1);
}

static int seconds;

/* A second passes; after four of them the waker is nudged. */
static void a_second(struct fake_platform *fake) {
    fake->now_ns += 1000000000;
    if (++seconds == 4) {
        progress_nudge(fake_device.ring);
    }
    atomic_fetch_add(&fake_device.ring->progress.count, 1);
}

static void who_waits_for_space_through_the_waker_is_seen(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    struct progress seen = at_begin(ring);
    struct event event;
    seconds = 0;
    fake_platform.now_ns = 1000;
    fake_platform.lies_down = a_second;
    event_count_register(&ring->drain);
    assert_int_equal(ring_await_progress(ring, &seen, 1000, -1), 1);
    fake_platform.lies_down = NULL;
    assert_int_not_equal(atomic_load(&ring->drain.count), 0); /* the drain makes haste */
    assert_int_equal(events_take(&fake_events, &event, 0), 1);
    assert_non_null(strstr(event.text, " has been full for "));
    assert_int_equal(atomic_load(&ring->space.waiters), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_was_put_in_is_committed_by_the_waker_alone, free_ring),
        cmocka_unit_test_teardown(a_record_that_was_put_in_is_not_counted_as_lost_unheard, free_ring),
        cmocka_unit_test_teardown(records_that_nobody_waits_for_are_left_to_the_committer, free_ring),
        cmocka_unit_test_teardown(many_records_are_handed_over_to_the_committer, free_ring),
        cmocka_unit_test(the_waker_hears_of_all_that_tasks_wait_for),
        cmocka_unit_test_teardown(the_end_of_another_commit_makes_the_waker_lead, free_ring),
        cmocka_unit_test_teardown(a_full_ring_counts_a_record_once, free_ring),
        cmocka_unit_test_teardown(who_waits_for_space_through_the_waker_is_seen, free_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
