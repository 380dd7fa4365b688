/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The threads that a leader waits for before it seals, and the spinning of waiting threads. There is one thread, and a
 * clock that moves only when somebody yields.
 */
#include <pthread.h>
#include <sched.h>

#include "ring/commit.h"
#include "ring/fake_device.h"

#define COMMIT_NS 100000
#define FAST_COMMIT_NS 4000
#define GATHER_CREDIT_MOST 4
#define GATHER_PROBE 32

static void *append_one(void *argument) {
    (void)argument;
    return (void *)(intptr_t)ring_append(fake_device.ring, "record", 6, 0, &stream_0, &fake_rule);
}

static unsigned comers; /* so many other threads append, one at each yield */

static void one_comes(struct fake_platform *fake) {
    (void)fake;
    if (comers > 0) {
        comers--;
        assert_true(ring_enqueue(fake_device.ring, "other", 5, 0, &stream_0, &fake_rule) > 0);
    }
}

/* A commit for so many threads has just ended. */
static struct ring *ring_after_a_commit_for(unsigned threads, int64_t commit_ns) {
    struct ring *ring = begun_ring(LARGE_BYTES, 1);
    fake_platform.now_ns = 1000000;
    fake_platform.yields = 0;
    fake_platform.yielded = one_comes;
    atomic_store(&ring->commit_ns, (uint64_t)commit_ns);
    ring->gathering = (struct gathering){
        .expected = threads, .gather_credit = GATHER_CREDIT_MOST, .until_ns = fake_platform.now_ns + commit_ns};
    return ring;
}

static void a_leader_lets_those_come_whom_the_last_commit_made_durable(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(3, COMMIT_NS);
    comers = 5;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, 2);
    assert_int_equal(fake_device.submitted, 1);
    assert_durable(ring, 2 * BLOCK_BYTES, 4); /* one write for its own record and for those of the two others */
}

static void a_leader_alone_waits_for_nobody_and_asks_no_clock(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(1, COMMIT_NS);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, 0);
    assert_int_equal(ring_enqueue(ring, "other", 5, 0, &stream_0, &fake_rule), 2);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 3); /* not by claim_alone */
    assert_int_equal(fake_platform.yields, 0);
    assert_int_equal(ring->gathering.began_ns, 0);
}

static void those_who_do_not_come_are_waited_for_as_long_as_a_commit_takes(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(3, COMMIT_NS);
    comers = 1;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, COMMIT_NS / 1000);
    assert_durable(ring, 2 * BLOCK_BYTES, 3);
    assert_int_equal(ring->gathering.gather_credit, GATHER_CREDIT_MOST - 1);
}

static void a_leader_that_comes_later_than_that_does_not_wait(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(3, COMMIT_NS);
    fake_platform.now_ns = ring->gathering.until_ns;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, 0);
}

static void where_nobody_ever_comes_it_is_tried_now_and_then_only(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(3, COMMIT_NS);
    unsigned gathered = 0;
    for (int i = 0; i < GATHER_CREDIT_MOST + 2 * GATHER_PROBE; i++) {
        const unsigned before = fake_platform.yields;
        ring->gathering.expected = 3;
        ring->gathering.until_ns = fake_platform.now_ns + COMMIT_NS;
        assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), i + 1);
        gathered += fake_platform.yields > before;
    }
    assert_int_equal(gathered, GATHER_CREDIT_MOST + 2);
    /* If they come again, the leader believes that again. */
    for (int i = 0; i < GATHER_PROBE; i++) {
        comers = 2;
        ring->gathering.expected = 3;
        ring->gathering.until_ns = fake_platform.now_ns + COMMIT_NS;
        assert_true(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule) > 0);
    }
    assert_int_equal(ring->gathering.gather_credit, 1);
}

static void a_commit_that_others_waited_for_is_gathered_after_for_as_long_as_one_takes(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(1, COMMIT_NS);
    atomic_store(&ring->sleepers, 2);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(ring->gathering.expected, 3);
    assert_int_equal(ring->gathering.until_ns, fake_platform.now_ns + COMMIT_NS);
}

static void write_stalls(struct fake_device *fake) {
    (void)fake;
    fake_platform.now_ns += 5000000000;
}

/* Else one stall would set how long the next leaders wait for threads that do not come. */
static void a_stall_counts_as_four_commits(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(2, COMMIT_NS);
    fake_platform.now_ns = ring->gathering.until_ns;
    fake_device.before_completion = write_stalls;
    atomic_store(&ring->sleepers, 1);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(ring->commit_ns, COMMIT_NS + 3 * COMMIT_NS / 8);
}

static void media_as_fast_as_a_wake_up_are_not_gathered_for(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(3, FAST_COMMIT_NS);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, 0);
}

static void a_clock_that_stands_still_holds_up_no_commit(void **state) {
    (void)state;
    struct ring *ring = ring_after_a_commit_for(3, COMMIT_NS);
    ring->gathering.until_ns = INT64_MAX;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_in_range(fake_platform.yields, 1, 10000);
}

static void leader_lets_go(struct fake_platform *fake) {
    (void)fake;
    other_lets_go(fake_device.ring);
    atomic_fetch_add(&fake_device.ring->generation[0], 1);
    atomic_fetch_add(&fake_device.ring->generation[1], 1);
}

static void leader_lets_go_at_the_third_look(struct fake_platform *fake) {
    if (fake->yields == 3) {
        leader_lets_go(fake);
    }
}

/* Another thread leads; its round is over when a thread goes to sleep for it. */
static struct ring *led_ring(int64_t commit_ns, uint32_t cpus) {
    struct ring *ring = ring_after_a_commit_for(1, commit_ns);
    ring->limits.cpus = cpus;
    fake_platform.yielded = leader_lets_go_at_the_third_look;
    fake_platform.lies_down = leader_lets_go;
    other_leads(ring, LEADER_SEALED + 1);
    return ring;
}

static void a_fast_commit_is_spun_for(void **state) {
    (void)state;
    struct ring *ring = led_ring(FAST_COMMIT_NS, 2);
    atomic_store(&ring->spinners, 3);
    atomic_store(&ring->sleepers, 4);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, 3);
    assert_int_equal(fake_platform.parks, 0);
    assert_int_equal(ring->spinners, 3);
}

static void assert_slept(struct ring *ring) {
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, 0);
    assert_int_equal(fake_platform.parks, 1);
    free_ring(NULL);
}

static void slow_commits_are_slept_for_and_so_are_fast_ones_where_cpus_are_few(void **state) {
    (void)state;
    assert_slept(led_ring(COMMIT_NS, 1));
    assert_slept(led_ring(0, 1)); /* not known yet */
    assert_slept(led_ring(FAST_COMMIT_NS, 0));
    struct ring *ring = led_ring(FAST_COMMIT_NS, 2);
    atomic_store(&ring->spinners, 4);
    assert_slept(ring);
    ring = led_ring(FAST_COMMIT_NS, 2);
    atomic_store(&ring->sleepers, 5);
    assert_slept(ring);
}

/* A spinner gives up after eight times the usual time. */
static void a_commit_that_takes_long_this_time_is_slept_for_in_the_end(void **state) {
    (void)state;
    struct ring *ring = led_ring(FAST_COMMIT_NS, 1);
    fake_platform.yielded = NULL;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(fake_platform.yields, 8 * FAST_COMMIT_NS / 1000);
    assert_int_equal(fake_platform.parks, 1);
}

/* The leader gathers this record, too: its thread sleeps on the word of this commit. */
static void whoever_comes_while_the_leader_gathers_sleeps_for_this_commit(void **state) {
    (void)state;
    struct ring *ring = led_ring(COMMIT_NS, 0);
    other_leads(ring, LEADER_GATHERING);
    fake_platform.lies_down = NULL;
    pthread_t sleeper;
    pthread_create(&sleeper, NULL, append_one, NULL);
    while (atomic_load(&fake_platform.parks) == 0) {
        sched_yield();
    }
    assert_int_not_equal(atomic_load(&ring->due[0]), 0);
    assert_int_equal(atomic_load(&ring->due[1]), 0);
    leader_lets_go(NULL);
    platform_linux.ops->unpark(&platform_linux, &ring->generation[0], 1);
    void *sequence;
    pthread_join(sleeper, &sequence);
    assert_int_equal((intptr_t)sequence, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_leader_lets_those_come_whom_the_last_commit_made_durable),
        RING_TEST(a_leader_alone_waits_for_nobody_and_asks_no_clock),
        RING_TEST(those_who_do_not_come_are_waited_for_as_long_as_a_commit_takes),
        RING_TEST(a_leader_that_comes_later_than_that_does_not_wait),
        RING_TEST(where_nobody_ever_comes_it_is_tried_now_and_then_only),
        RING_TEST(a_commit_that_others_waited_for_is_gathered_after_for_as_long_as_one_takes),
        RING_TEST(a_stall_counts_as_four_commits),
        RING_TEST(media_as_fast_as_a_wake_up_are_not_gathered_for),
        RING_TEST(a_clock_that_stands_still_holds_up_no_commit),
        RING_TEST(a_fast_commit_is_spun_for),
        RING_TEST(slow_commits_are_slept_for_and_so_are_fast_ones_where_cpus_are_few),
        RING_TEST(a_commit_that_takes_long_this_time_is_slept_for_in_the_end),
        RING_TEST(whoever_comes_while_the_leader_gathers_sleeps_for_this_commit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
