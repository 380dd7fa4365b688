/* SPDX-License-Identifier: Apache-2.0 */
/* A call with a time limit does not wait for the medium, for other threads, or for its own memory. */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/read_line.h"
#include "ring/commit.h"
#include "ring/fake_device.h"

#define MS 1000000ll
#define LIMIT_NS (100 * MS)
#define PAGE 4096u

static struct claim straggler;

/* The fake clock moves when somebody sleeps. */
static void time_passes(struct fake_platform *fake) {
    static int64_t before_ns;
    before_ns = before_ns > fake->slept_ns ? 0 : before_ns;
    fake->now_ns += fake->slept_ns - before_ns;
    before_ns = fake->slept_ns;
    if (fake->slept_ns > 60000 * MS) {
        fail_msg("a limit is waited for without end");
    }
}

static void long_park(struct fake_platform *fake) {
    fake->now_ns += LIMIT_NS;
}

static struct ring *limited_ring(size_t bytes, int64_t limit_ns) {
    struct ring *ring = begun_ring(bytes, 1);
    fake_rule.timeout_ns = limit_ns;
    fake_platform.now_ns = 1000 * MS;
    fake_platform.asleep = time_passes;
    return ring;
}

static void claim_straggler(struct ring *ring) {
    assert_int_equal(claim_record(ring, record_bytes(4), &straggler), 0);
}

static void an_await_with_a_limit_leaves_the_writing_to_the_committer(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, -1);
    fake_platform.lies_down = long_park;
    assert_int_equal(ring_enqueue(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    atomic_store(&ring->enqueued, 0); /* the committer has looked, and waits for a batch */
    assert_int_equal(ring_await_durable(ring, 1, 0), 0);
    assert_int_equal(atomic_load(&ring->enqueued) + atomic_load(&ring->hurried), 0); /* a look wakes nobody */
    assert_int_equal(ring_await_durable(ring, 1, LIMIT_NS), 0);
    assert_int_equal(fake_device.submitted, 0);
    assert_int_equal(atomic_load(&ring->enqueued) + atomic_load(&ring->hurried), 2);
    assert_int_equal(ring_commit(ring), 1);
    assert_int_equal(ring_await_durable(ring, 1, LIMIT_NS), 1);
    assert_int_equal(ring_await_durable(ring, 1, 0), 1);
}

static void lie_down_again(struct fake_platform *fake) {
    (void)fake;
    fail_msg("it was not told, and sleeps on");
}

static void commit_meanwhile(struct fake_platform *fake) {
    const struct event_count *ended = &fake_device.ring->ended;
    const uint32_t before = atomic_load(&ended->count);
    fake->lies_down = lie_down_again;
    assert_int_equal(ring_commit(fake_device.ring), 1);
    assert_int_not_equal(atomic_load(&ended->count), before);
}

static void fail_meanwhile(struct fake_platform *fake) {
    const struct event_count *ended = &fake_device.ring->ended;
    const uint32_t before = atomic_load(&ended->count);
    fake->lies_down = lie_down_again;
    ring_fail(fake_device.ring, "broken");
    assert_int_not_equal(atomic_load(&ended->count), before);
}

/* Else it would sleep until its limit; as the fake clock stands still, it would then sleep again. */
static void it_is_told_of_the_end_of_a_commit_and_of_a_failure(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, -1);
    assert_int_equal(ring_enqueue(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    fake_platform.lies_down = commit_meanwhile;
    assert_int_equal(ring_await_durable(ring, 1, 5000 * MS), 1);
    assert_int_equal(ring_enqueue(ring, "mine", 4, 0, &stream_0, &fake_rule), 2);
    fake_platform.lies_down = fail_meanwhile;
    assert_int_equal(ring_await_durable(ring, 2, 5000 * MS), -EIO);
    assert_int_equal(atomic_load(&ring->ended.waiters), 0);
}

static void an_append_waits_for_a_straggler_no_longer_than_its_limit(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, LIMIT_NS);
    claim_straggler(ring);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
    assert_in_range(fake_platform.slept_ns, LIMIT_NS, LIMIT_NS + MS);
    assert_false(leader_is_there(ring));
    assert_int_equal(atomic_load(&ring->hurried), 1);
    assert_false(ring_is_failing(ring));
    assert_int_equal(fake_device.submitted, 0);
}

/* In the round that was left some headers are finished, and the pieces before the straggler are written. */
static void the_next_leader_goes_on_with_the_round(void **state) {
    (void)state;
    enum { LENGTH = 300000 - RECORD_HEADER_BYTES, RECORDS = 12, STUCK = 7 };
    static uint8_t payload[LENGTH];
    struct ring *ring = limited_ring(LARGE_BYTES, LIMIT_NS);
    uint64_t at[RECORDS + 3], position = BLOCK_BYTES;
    for (int i = 1; i <= RECORDS; i++, position += record_bytes(LENGTH)) {
        at[i] = position;
        if (i == STUCK) {
            assert_int_equal(claim_record(ring, record_bytes(LENGTH), &straggler), 0);
        } else {
            const ring_call call = i == RECORDS ? ring_append : ring_enqueue;
            assert_int_equal(call(ring, payload, LENGTH, 0, &stream_0, &fake_rule), i == RECORDS ? -EINPROGRESS : i);
        }
    }
    const unsigned pieces = (unsigned)((straggler.position - BLOCK_BYTES) / RING_WRITE_BYTES);
    assert_int_equal(fake_device.submitted, pieces);
    uint64_t durable, next;
    ring_durable(ring, &durable, &next);
    assert_in_range(next, 2, STUCK);
    at[RECORDS + 1] = ring_claimed(ring);
    assert_int_equal(at[RECORDS + 1] % BLOCK_BYTES, 0);
    assert_int_equal(ring_append(ring, payload, 100, 0, &stream_0, &fake_rule),
                     -EINPROGRESS); /* leads the old round as well */
    assert_int_equal(fake_device.submitted, pieces);
    claim_publish(ring, &straggler, payload, LENGTH, 0, (struct claim_label){0});
    assert_int_equal(ring_commit(ring), 1);
    assert_durable(ring, at[RECORDS + 1] + BLOCK_BYTES, RECORDS + 2);
    for (int i = 1; i <= RECORDS + 1; i++) {
        assert_int_equal(record_judge(fake_device.medium, LARGE_BYTES, at[i], SEED), RECORD_VALID);
        const struct record_header *header = record_at(fake_device.medium, LARGE_BYTES, at[i]);
        assert_int_equal(header->sequence, i);
        assert_int_equal((header->flags & RECORD_LAST) != 0, i >= RECORDS);
    }
    assert_int_equal(fake_device.submitted, 5); /* four of the round, one of the last record */
    assert_int_equal(atomic_load(&ring->commits), 2);
}

static void the_ring_fails_after_ten_seconds_of_all_leaders_and_says_whose_fault_it_was(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, 3000 * MS);
    assert_int_equal(ring_enqueue(ring, "first", 5, 0, &stream_0, &fake_rule), 1);
    claim_straggler(ring);
    for (int leader = 0; leader < 3; leader++) {
        assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
    }
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EIO);
    assert_in_range(fake_platform.slept_ns, 10000 * MS, 10010 * MS);
    assert_non_null(strstr(error_text(),
                           "record 2 of ring /ring was begun by a thread of this process that did not copy it "
                           "within 10 s: the memory that it copies from did not answer"));
}

static void the_next_straggler_has_ten_seconds_of_its_own(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, 6000 * MS);
    for (int i = 0; i < 3; i++) {
        claim_straggler(ring);
        assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
        claim_publish(ring, &straggler, "late", 4, 0, (struct claim_label){0});
        assert_int_equal(ring_commit(ring), 1);
    }
}

/* The thread that must write the reason down does not run. */
static void a_limit_holds_while_a_failure_is_being_written_down(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, LIMIT_NS);
    fake_platform.lies_down = long_park;
    assert_int_equal(ring_enqueue(ring, "mine", 4, 0, &stream_0, &fake_rule), 1);
    atomic_store(&ring->failed, RING_FAILING);
    assert_int_equal(ring_await_durable(ring, 1, LIMIT_NS), 0);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
    assert_in_range(fake_platform.slept_ns, LIMIT_NS, LIMIT_NS + MS);
    atomic_fetch_or(&ring->claim, CLAIM_FAILED);
    fake_platform.slept_ns = 0;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EIO);
    assert_non_null(strstr(error_text(), "burst_failure()"));
    assert_in_range(fake_platform.slept_ns, LIMIT_NS, LIMIT_NS + MS);
}

/* Another thread has claimed the leadership, has not sealed, and gets no CPU. */
static void a_limit_holds_while_another_leader_does_not_seal(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, LIMIT_NS);
    other_leads(ring, LEADER_CLAIMED);
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
    assert_in_range(fake_platform.slept_ns, LIMIT_NS, LIMIT_NS + MS);
    other_lets_go(ring);
}

static void seals_late(struct fake_platform *fake) {
    time_passes(fake);
    if (fake->now_ns >= 1000 * MS + LIMIT_NS - MS) {
        atomic_store(&fake_device.ring->leader, LEADER_SEALED + 1);
    }
}

static void a_sleep_behind_a_late_seal_is_as_long_as_what_is_left(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, LIMIT_NS);
    other_leads(ring, LEADER_CLAIMED);
    fake_platform.asleep = seals_late;
    fake_platform.lies_down = long_park;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
    assert_int_equal(atomic_load(&fake_platform.parks), 1);
    assert_in_range(atomic_load(&fake_platform.parked_ns), 1, MS);
    other_lets_go(ring);
}

static _Atomic pid_t other_thread;

static void *append_without_limit(void *argument) {
    (void)argument;
    atomic_store(&other_thread, (pid_t)syscall(SYS_gettid));
    return (void *)(intptr_t)ring_append(fake_device.ring, "other", 5, 0, &stream_0, &fake_rule);
}

static int is_asleep(pid_t thread) {
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/self/task/%d/stat", thread);
    assert_int_equal(read_line(path, line, sizeof line), 0);
    return strrchr(line, ')')[2] == 'S';
}

/* The sleeper's time is over when the commit under way ends, and that commit woke only this thread to lead. */
static void commit_ends_too_late(struct fake_platform *fake) {
    fake->lies_down = NULL;
    fake->now_ns += LIMIT_NS;
    other_lets_go(fake_device.ring);
}

static void one_whose_limit_is_over_wakes_another_one_to_lead(void **state) {
    (void)state;
    struct ring *ring = limited_ring(SMALL_BYTES, -1);
    pthread_t other;
    void *result;
    struct timespec until;
    other_leads(ring, LEADER_SEALED + 1);
    assert_int_equal(pthread_create(&other, NULL, append_without_limit, NULL), 0);
    while (atomic_load(&fake_platform.parks) == 0 || !is_asleep(atomic_load(&other_thread))) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    fake_rule.timeout_ns = LIMIT_NS;
    fake_platform.lies_down = commit_ends_too_late;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    if (pthread_timedjoin_np(other, &result, &until) != 0) {
        fake_device.ring = NULL; /* the thread may still use everything until the process ends */
        fake_device.image = fake_device.medium = NULL;
        fail_msg("the other one was not woken");
    }
    assert_int_equal((intptr_t)result, 1);
}

static unsigned parks;

/* The drain releases some space now and then, and others take it. */
static void release_too_little(struct fake_platform *fake) {
    fake->now_ns += LIMIT_NS / 5 * 2;
    event_count_notify(&fake_device.ring->space, &fake->platform);
    if (++parks > 50) {
        fail_msg("the limit begins anew whenever space is released");
    }
}

static struct ring *full_ring(void) {
    static uint8_t payload[BLOCK_BYTES];
    struct ring *ring = limited_ring(SMALL_BYTES, LIMIT_NS);
    fake_rule.on_full = RING_ON_FULL_BLOCK;
    while (ring_enqueue(ring, payload, sizeof payload, 0, &stream_0, &never_waits) > 0) {
    }
    assert_int_equal(ring_commit(ring), 1);
    parks = 0;
    return ring;
}

static void one_limit_holds_for_all_releases_of_space(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    fake_platform.lies_down = release_too_little;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -ETIMEDOUT);
    assert_int_equal(parks, 3);
    assert_int_equal(fake_platform.now_ns, 1000 * MS + LIMIT_NS / 5 * 6);
}

/* Space comes late, when another thread is in the midst of a record. */
static void release_late(struct fake_platform *fake) {
    fake->now_ns += LIMIT_NS / 5 * 4;
    ring_release(fake_device.ring, ring_claimed(fake_device.ring));
    claim_straggler(fake_device.ring);
}

static void the_waits_for_space_and_for_others_share_one_limit(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    fake_platform.lies_down = release_late;
    assert_int_equal(ring_append(ring, "mine", 4, 0, &stream_0, &fake_rule), -EINPROGRESS);
    assert_in_range(fake_platform.slept_ns, LIMIT_NS / 5, LIMIT_NS / 5 + MS);
}

/* ------------------------------------------------------------------------------------------- the caller's memory */

static uint8_t *source;
static unsigned faults;
static uint64_t claimed_at_fault;
static struct sigaction before;

static void fetch_page(int signal_number, siginfo_t *info, void *context) {
    (void)context;
    uint8_t *page = (uint8_t *)((uintptr_t)info->si_addr & ~(uintptr_t)(PAGE - 1));
    if (page < source || page >= source + 4 * PAGE || mprotect(page, PAGE, PROT_READ) < 0) {
        sigaction(signal_number, &before, NULL);
        return;
    }
    faults++;
    claimed_at_fault = ring_next_sequence(fake_device.ring);
}

static void take_pages_away(void) {
    assert_int_equal(mprotect(source, 4 * PAGE, PROT_NONE), 0);
    faults = 0;
    claimed_at_fault = 0;
}

static void make_slow_source(void) {
    source = mmap(NULL, 4 * PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(source != MAP_FAILED);
    const struct sigaction action = {.sa_sigaction = fetch_page, .sa_flags = SA_SIGINFO};
    assert_int_equal(sigaction(SIGSEGV, &action, &before), 0);
}

static int free_slow_source(void **state) {
    sigaction(SIGSEGV, &before, NULL);
    munmap(source, 4 * PAGE);
    return free_ring(state);
}

/* From its claim on all others wait for the record. */
static void all_of_a_record_is_fetched_before_it_is_claimed(void **state) {
    (void)state;
    struct ring *ring = limited_ring(LARGE_BYTES, -1);
    make_slow_source();
    static const struct {
        size_t from, length;
        unsigned pages;
    } records[] = {{0, 0, 0},        {0, 1, 1},   {PAGE - 1, 2, 2}, {PAGE - 8, 2 * PAGE + 16, 4},
                   {0, 4 * PAGE, 4}, {1, PAGE, 2}};
    for (size_t i = 0; i < sizeof records / sizeof records[0]; i++) {
        take_pages_away();
        assert_int_equal(ring_append(ring, source + records[i].from, records[i].length, 0, &stream_0, &fake_rule),
                         i + 1);
        assert_int_equal(faults, records[i].pages);
        assert_true(faults == 0 || claimed_at_fault == i + 1);
    }
}

/* Its pages go while it waits for space. */
static void release_and_take_pages_away(struct fake_platform *fake) {
    (void)fake;
    take_pages_away();
    ring_release(fake_device.ring, ring_claimed(fake_device.ring));
}

static void it_is_fetched_again_after_a_wait_for_space(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    make_slow_source();
    const uint64_t next = ring_next_sequence(ring);
    fake_platform.lies_down = release_and_take_pages_away;
    assert_int_equal(ring_append(ring, source, PAGE, 0, &stream_0, &fake_rule), next);
    assert_int_equal(faults, 1);
    assert_int_equal(claimed_at_fault, next);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(an_await_with_a_limit_leaves_the_writing_to_the_committer),
        RING_TEST(it_is_told_of_the_end_of_a_commit_and_of_a_failure),
        RING_TEST(an_append_waits_for_a_straggler_no_longer_than_its_limit),
        RING_TEST(the_next_leader_goes_on_with_the_round),
        RING_TEST(the_ring_fails_after_ten_seconds_of_all_leaders_and_says_whose_fault_it_was),
        RING_TEST(the_next_straggler_has_ten_seconds_of_its_own),
        RING_TEST(a_limit_holds_while_a_failure_is_being_written_down),
        RING_TEST(a_limit_holds_while_another_leader_does_not_seal),
        RING_TEST(a_sleep_behind_a_late_seal_is_as_long_as_what_is_left),
        RING_TEST(one_whose_limit_is_over_wakes_another_one_to_lead),
        RING_TEST(one_limit_holds_for_all_releases_of_space),
        RING_TEST(the_waits_for_space_and_for_others_share_one_limit),
        cmocka_unit_test_teardown(all_of_a_record_is_fetched_before_it_is_claimed, free_slow_source),
        cmocka_unit_test_teardown(it_is_fetched_again_after_a_wait_for_space, free_slow_source),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
