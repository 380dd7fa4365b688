/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that sleep while another one commits: all of them are woken, however the commit ends. */
#include <pthread.h>
#include <time.h>

#include "ring/fake_device.h"

#define FOLLOWERS 6

static _Atomic int completion_is_held, may_complete;

static void pause_a_little(void) {
    nanosleep(&(struct timespec){.tv_nsec = 200000}, NULL);
}

/* Holds the first write under way until the test lets it go. */
static void hold_completion(struct fake_device *fake) {
    (void)fake;
    atomic_store(&completion_is_held, 1);
    while (!atomic_load(&may_complete)) {
        pause_a_little();
    }
}

static void *append_one(void *argument) {
    (void)argument;
    return (void *)(intptr_t)ring_append(fake_device.ring, "record", 6, 0, &stream_0, &fake_rule);
}

static int64_t joined(pthread_t thread) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 30;
    void *result;
    if (pthread_timedjoin_np(thread, &result, &until) != 0) {
        fake_device.ring = NULL; /* the thread may still use everything until the process ends */
        fake_device.image = fake_device.medium = NULL;
        fail_msg("a sleeper was not woken");
    }
    return (intptr_t)result;
}

/* One thread commits its record, and the device holds that; the others sleep until their turn. */
static void lead_and_follow(struct ring *ring, pthread_t *leader, pthread_t *followers) {
    atomic_store(&completion_is_held, 0);
    atomic_store(&may_complete, 0);
    fake_device.before_completion = hold_completion;
    assert_int_equal(ring_enqueue(ring, "enqueued", 8, 0, &stream_0, &fake_rule), 1);
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
        pause_a_little(); /* so all of them sleep in the kernel */
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

static void assert_append_wakes(struct ring *ring, unsigned times) {
    const unsigned before = atomic_load(&fake_platform.unparks);
    assert_true(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule) > 0);
    assert_int_equal(atomic_load(&fake_platform.unparks) - before, times);
}

/* A thread that was woken counts as one that sleeps until it has a CPU. */
static void who_was_woken_and_has_no_cpu_yet_is_not_woken_again(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    atomic_store(&ring->sleepers, 1);
    atomic_store(&ring->due[0], 1); /* until the end of commit 0 */
    assert_append_wakes(ring, 1);
    assert_append_wakes(ring, 0);
    assert_append_wakes(ring, 0);
    atomic_store(&ring->sleepers, 0);
}

/* The counts wrap while threads sleep. */
static void begin_count_at(struct ring *ring, uint32_t count) {
    atomic_store(&ring->generations, (uint64_t)count << 32 | count);
}

/* A leader comes late to wake those who slept for its commit, when others sleep already for one that ends later. */
static void the_end_of_a_commit_keeps_the_mark_of_a_later_one(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    begin_count_at(ring, UINT32_MAX - 1);
    atomic_store(&ring->due[0], 1); /* until the end of commit 0 */
    assert_append_wakes(ring, 1);   /* all */
    assert_append_wakes(ring, 1);   /* one, which leads the next commit */
    assert_int_equal(atomic_load(&ring->due[0]), 1);
    assert_append_wakes(ring, 1); /* all, for the last time */
    assert_append_wakes(ring, 0);
}

/* Another thread leads a commit that has record 0 alone; `mark` is noted, and it is commit `count`. Returns the mark that stands
 * behind an append, which sleeps on word 1. */
static uint32_t mark_behind_a_sleep(uint32_t count, uint32_t mark) {
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    begin_count_at(ring, count);
    atomic_store(&ring->due[1], mark);
    other_leads(ring, LEADER_SEALED + 1);
    pthread_t sleeper;
    pthread_create(&sleeper, NULL, append_one, NULL);
    while (atomic_load(&fake_platform.parks) == 0) {
        pause_a_little();
    }
    const uint32_t stands = atomic_load(&ring->due[1]);
    /* Lets go first: the sleeper may not sleep yet, and must not lie down once more when it sees the count. */
    other_lets_go(ring);
    begin_count_at(ring, count + 1);
    platform_linux.ops->unpark(&platform_linux, &ring->generation[1], 1);
    assert_int_equal(joined(sleeper), 1);
    free_ring(NULL);
    return stands;
}

static void the_mark_of_the_latest_commit_stands(void **state) {
    (void)state;
    assert_int_equal(mark_behind_a_sleep(0, 0), 1);
    assert_int_equal(mark_behind_a_sleep(2, 1), 3);
    assert_int_equal(mark_behind_a_sleep(2, 5), 5);
    assert_int_equal(mark_behind_a_sleep(UINT32_MAX - 1, UINT32_MAX - 2), UINT32_MAX);
    assert_int_equal(mark_behind_a_sleep(UINT32_MAX - 1, 1), 1);
}

#define MOST_IN_FLIGHT_BYTES (1ull << 24) * RECORD_HEADER_BYTES

/* How often those who wait for space are woken at the end of a commit, in a ring of so many bytes. */
static uint32_t wakes_for_space(uint64_t capacity_bytes) {
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    ring->geometry.capacity_bytes = capacity_bytes;
    const uint32_t ticket = event_count_register(&ring->space);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    const uint32_t wakes = atomic_load(&ring->space.count) - ticket;
    event_count_leave(&ring->space);
    return wakes;
}

static void the_end_of_a_commit_is_told_to_those_who_wait_because_too_many_records_are_in_flight(void **state) {
    (void)state;
    assert_int_equal(wakes_for_space(MOST_IN_FLIGHT_BYTES), 1);
}

static void in_a_ring_without_room_for_so_many_it_wakes_nobody(void **state) {
    (void)state;
    assert_int_equal(wakes_for_space(MOST_IN_FLIGHT_BYTES - 4096), 0);
}

static void *read_durable(void *argument) {
    uint64_t *pair = argument;
    ring_durable(fake_device.ring, &pair[0], &pair[1]);
    return NULL;
}

/* The leader is between its two stores. */
static void position_and_sequence_are_read_as_a_pair(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    uint64_t pair[2] = {0, 0};
    pthread_t reader;
    atomic_store(&ring->durable_version, 1);
    atomic_store(&ring->durable_position, 2 * BLOCK_BYTES);
    pthread_create(&reader, NULL, read_durable, pair);
    for (int i = 0; i < 50; i++) {
        pause_a_little();
    }
    atomic_store(&ring->durable_next_sequence, 9);
    atomic_store(&ring->durable_version, 2);
    joined(reader);
    assert_int_equal(pair[0], 2 * BLOCK_BYTES);
    assert_int_equal(pair[1], 9);
    atomic_store(&ring->durable_position, BLOCK_BYTES); /* nothing was written */
    atomic_store(&ring->durable_next_sequence, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(sleepers_of_the_next_commit_are_woken_and_share_it),
        RING_TEST(a_sleeper_of_the_commit_under_way_is_woken_by_its_end),
        RING_TEST(all_sleepers_are_refused_when_the_ring_fails),
        RING_TEST(who_was_woken_and_has_no_cpu_yet_is_not_woken_again),
        RING_TEST(the_end_of_a_commit_keeps_the_mark_of_a_later_one),
        RING_TEST(the_mark_of_the_latest_commit_stands),
        RING_TEST(the_end_of_a_commit_is_told_to_those_who_wait_because_too_many_records_are_in_flight),
        RING_TEST(in_a_ring_without_room_for_so_many_it_wakes_nobody),
        RING_TEST(position_and_sequence_are_read_as_a_pair),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
