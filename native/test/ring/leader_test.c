/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that sleep while another one commits: all of them are woken, whatever becomes of the commit. */
#include <pthread.h>
#include <time.h>

#include "ring/fake_device.h"

#define FOLLOWERS 6

static _Atomic int completion_is_held, may_complete;

static void pause_a_little(void) {
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/* The first write stays under way until the test says so. */
static void hold_completion(struct fake_device *fake) {
    (void)fake;
    atomic_store(&completion_is_held, 1);
    while (!atomic_load(&may_complete)) {
        pause_a_little();
    }
}

static void *append_one(void *argument) {
    (void)argument;
    return (void *)(intptr_t)ring_append(fake_device.ring, "record", 6, 0, RING_DURABLE);
}

static int64_t joined(pthread_t thread) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    void *result;
    if (pthread_timedjoin_np(thread, &result, &until) != 0) {
        fake_device.ring = NULL; /* the thread may still use everything: it stays until the process ends */
        fake_device.image = fake_device.medium = NULL;
        fail_msg("a sleeper was not woken");
    }
    return (intptr_t)result;
}

/* One thread commits its record, held by the device; the others sleep until it is their turn. */
static void lead_and_follow(struct ring *ring, pthread_t *leader, pthread_t *followers) {
    atomic_store(&completion_is_held, 0);
    atomic_store(&may_complete, 0);
    fake_device.before_completion = hold_completion;
    assert_int_equal(ring_append(ring, "enqueued", 8, 0, RING_ENQUEUE), 1);
    pthread_create(leader, NULL, append_one, NULL);
    while (!atomic_load(&completion_is_held)) {
        pause_a_little();
    }
    for (int i = 0; i < FOLLOWERS; i++) {
        pthread_create(&followers[i], NULL, append_one, NULL);
    }
    while (atomic_load(&fake_platform.parks) < FOLLOWERS) {
        pause_a_little();
    }
    for (int i = 0; i < 50; i++) {
        pause_a_little(); /* all of them are in the kernel now */
    }
    assert_durable(ring, BLOCK_BYTES, 1);
}

static void sleepers_of_the_next_commit_are_woken_and_share_it(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    pthread_t leader, followers[FOLLOWERS];
    lead_and_follow(ring, &leader, followers);
    atomic_store(&may_complete, 1);
    assert_int_equal(joined(leader), 2);
    for (int i = 0; i < FOLLOWERS; i++) {
        assert_in_range(joined(followers[i]), 3, 2 + FOLLOWERS);
    }
    assert_durable(ring, 3 * BLOCK_BYTES, 3 + FOLLOWERS);
    assert_int_equal(fake_device.submitted, 2);
}

static void a_sleeper_of_the_commit_under_way_is_woken_by_its_end(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    pthread_t leader, followers[FOLLOWERS];
    lead_and_follow(ring, &leader, followers);
    assert_int_equal(ring_await_durable(ring, 1, 0), 0);
    atomic_store(&may_complete, 1);
    assert_int_equal(ring_await_durable(ring, 1, -1), 1);
    for (int i = 0; i < FOLLOWERS; i++) {
        joined(followers[i]);
    }
    joined(leader);
}

static void all_sleepers_are_refused_when_the_ring_fails(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    pthread_t leader, followers[FOLLOWERS];
    fake_device.fail_submitted = 0;
    lead_and_follow(ring, &leader, followers);
    atomic_store(&may_complete, 1);
    assert_int_equal(joined(leader), -EIO);
    for (int i = 0; i < FOLLOWERS; i++) {
        assert_int_equal(joined(followers[i]), -EIO);
    }
    assert_durable(ring, BLOCK_BYTES, 1);
    assert_int_equal(fake_device.submitted, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(sleepers_of_the_next_commit_are_woken_and_share_it),
        RING_TEST(a_sleeper_of_the_commit_under_way_is_woken_by_its_end),
        RING_TEST(all_sleepers_are_refused_when_the_ring_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
