/* SPDX-License-Identifier: Apache-2.0 */
/* The owner of a slow append, from recorded counters. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cli/doctor/slow_owner.h"

#define US 1000ll

/* A typical append takes 10 us: 1 before its write, 8 in it, 1 behind it. */
static const struct slow_call typical = {.took_ns = 10 * US, .before_ns = 1 * US, .write_ns = 8 * US};

static const struct {
    const char *what;
    struct slow_call call;
    enum slow_cause owner;
    int64_t share_us; /* of the owner */
    int64_t unseen_us;
} calls[] = {
    {"a typical call lost nothing", {.took_ns = 10 * US, .before_ns = 1 * US, .write_ns = 8 * US}, SLOW_QUEUED, 0, 0},
    {"it waited for a core",
     {.took_ns = 110 * US, .before_ns = 1 * US, .write_ns = 8 * US, .queued_ns = 95 * US, .drain_ns = 40 * US},
     SLOW_QUEUED,
     95,
     5},
    {"the drain ran for half of that time",
     {.took_ns = 110 * US, .before_ns = 1 * US, .write_ns = 8 * US, .queued_ns = 95 * US, .drain_ns = 48 * US},
     SLOW_QUEUED_BY_DRAIN,
     95,
     5},
    {"a wait for a core inside the write is none of the medium's",
     {.took_ns = 110 * US, .before_ns = 1 * US, .write_ns = 108 * US, .queued_ns = 100 * US},
     SLOW_QUEUED,
     100,
     0},
    {"the host stopped its core",
     {.took_ns = 60 * US, .before_ns = 51 * US, .write_ns = 8 * US, .stopped_ns = 50 * US},
     SLOW_STOPPED,
     50,
     0},
    {"a stop that lasted longer than the loss explains no more than the loss",
     {.took_ns = 60 * US, .before_ns = 51 * US, .write_ns = 8 * US, .stopped_ns = 70 * US},
     SLOW_STOPPED,
     50,
     0},
    {"it waited for space",
     {.took_ns = 510 * US, .before_ns = 501 * US, .write_ns = 8 * US, .asleep_ns = 490 * US, .waited_for_space = 1},
     SLOW_SPACE,
     500,
     0},
    {"the write was slow",
     {.took_ns = 300 * US, .before_ns = 1 * US, .write_ns = 298 * US, .asleep_ns = 290 * US},
     SLOW_WRITE,
     290,
     0},
    {"the write was slow, and the drain at work",
     {.took_ns = 300 * US, .before_ns = 1 * US, .write_ns = 298 * US, .asleep_ns = 290 * US, .drain_at_work = 1},
     SLOW_WRITE_AND_DRAIN,
     290,
     0},
    {"a page fault outside the write",
     {.took_ns = 50 * US, .before_ns = 41 * US, .write_ns = 8 * US, .faults = 1},
     SLOW_FAULT,
     40,
     0},
    {"a page fault explains nothing of a slow write",
     {.took_ns = 300 * US, .before_ns = 1 * US, .write_ns = 298 * US, .faults = 1},
     SLOW_WRITE,
     290,
     0},
    {"it slept outside the write",
     {.took_ns = 210 * US, .before_ns = 1 * US, .write_ns = 8 * US, .asleep_ns = 200 * US},
     SLOW_ASLEEP,
     192,
     8},
    {"another thread had the core right before it",
     {.took_ns = 14 * US, .before_ns = 4 * US, .write_ns = 9 * US, .was_preempted = 1},
     SLOW_COLD,
     3,
     0},
    {"nothing moved", {.took_ns = 40 * US, .before_ns = 31 * US, .write_ns = 8 * US}, SLOW_UNSEEN, 30, 30},
    {"the greater share has the call",
     {.took_ns = 110 * US, .before_ns = 1 * US, .write_ns = 78 * US, .queued_ns = 30 * US},
     SLOW_WRITE,
     70,
     0},
};

static void each_slow_call_has_the_owner_that_its_counters_tell(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        int64_t shares_ns[SLOW_CAUSES], sum_ns = 0;
        const enum slow_cause owner = slow_assign(&calls[i].call, &typical, shares_ns);
        for (int cause = 0; cause < SLOW_CAUSES; cause++) {
            assert_true(shares_ns[cause] >= 0);
            sum_ns += shares_ns[cause];
        }
        if (owner != calls[i].owner || shares_ns[owner] != calls[i].share_us * US ||
            shares_ns[SLOW_UNSEEN] != calls[i].unseen_us * US) {
            fail_msg("%s: %s has %lld ns, %lld are unseen", calls[i].what, slow_cause_words(owner),
                     (long long)shares_ns[owner], (long long)shares_ns[SLOW_UNSEEN]);
        }
        assert_int_equal(sum_ns, calls[i].call.took_ns - typical.took_ns);
    }
}

static const struct slow_reading before = {.wall_ns = 1000 * US,
                                           .cpu_ns = 700 * US,
                                           .queued_ns = 50 * US,
                                           .drain_cpu_ns = 9 * US,
                                           .sleeps = 3,
                                           .preemptions = 4};

static const struct {
    const char *what;
    struct slow_reading moved; /* from `before` on */
    struct slow_call call;
} readings[] = {
    {"on its core all the time", {.wall_ns = 100 * US, .cpu_ns = 100 * US}, {0}},
    {"queued: the kernel counts it",
     {.wall_ns = 100 * US, .cpu_ns = 40 * US, .queued_ns = 60 * US, .preemptions = 1},
     {.queued_ns = 60 * US}},
    {"off its core, neither queued nor asleep: stopped",
     {.wall_ns = 100 * US, .cpu_ns = 40 * US, .queued_ns = 20 * US, .preemptions = 1},
     {.queued_ns = 20 * US, .stopped_ns = 40 * US}},
    {"asleep, and queued when it was woken",
     {.wall_ns = 100 * US, .cpu_ns = 10 * US, .queued_ns = 20 * US, .sleeps = 1},
     {.queued_ns = 20 * US, .asleep_ns = 70 * US}},
    {"the drain ran meanwhile",
     {.wall_ns = 100 * US, .cpu_ns = 100 * US, .drain_cpu_ns = 5 * US},
     {.drain_ns = 5 * US, .drain_at_work = 1}},
    {"a fault, and a full ring",
     {.wall_ns = 100 * US, .cpu_ns = 100 * US, .faults = 2, .full_waits = 1},
     {.faults = 2, .waited_for_space = 1}},
    {"the two clocks are read one after the other", {.wall_ns = 100 * US, .cpu_ns = 101 * US}, {0}},
};

static void counters_tell_where_a_thread_was_that_had_no_core(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof readings / sizeof readings[0]; i++) {
        const struct slow_reading *moved = &readings[i].moved;
        const struct slow_reading after = {.wall_ns = before.wall_ns + moved->wall_ns,
                                           .cpu_ns = before.cpu_ns + moved->cpu_ns,
                                           .queued_ns = before.queued_ns + moved->queued_ns,
                                           .drain_cpu_ns = before.drain_cpu_ns + moved->drain_cpu_ns,
                                           .sleeps = before.sleeps + moved->sleeps,
                                           .preemptions = before.preemptions + moved->preemptions,
                                           .faults = moved->faults,
                                           .full_waits = moved->full_waits};
        struct slow_call call = {0};
        slow_between(&before, &after, &call);
        if (memcmp(&call, &readings[i].call, sizeof call) != 0) {
            fail_msg("%s: queued %lld, stopped %lld, asleep %lld ns", readings[i].what, (long long)call.queued_ns,
                     (long long)call.stopped_ns, (long long)call.asleep_ns);
        }
    }
}

static void without_the_kernels_count_a_preempted_thread_was_queued(void **state) {
    (void)state;
    struct slow_reading first = before, last = before;
    struct slow_call call = {0};
    first.queued_ns = last.queued_ns = -1;
    last.wall_ns += 100 * US;
    slow_between(&first, &last, &call);
    assert_int_equal(call.queued_ns, 0);
    assert_int_equal(call.stopped_ns, 100 * US);
    last.preemptions++;
    slow_between(&first, &last, &call);
    assert_int_equal(call.queued_ns, 100 * US);
    assert_int_equal(call.stopped_ns, 0);
}

static void a_call_lost_its_time_in_the_stage_that_took_the_most_beyond_its_own(void **state) {
    (void)state;
    const struct slow_call in_claim = {.took_ns = 40 * US, .before_ns = 31 * US, .write_ns = 8 * US};
    const struct slow_call in_write = {.took_ns = 40 * US, .before_ns = 5 * US, .write_ns = 30 * US};
    const struct slow_call behind = {.took_ns = 40 * US, .before_ns = 1 * US, .write_ns = 8 * US};
    assert_int_equal(slow_stage_of(&in_claim, &typical), SLOW_BEFORE_WRITE);
    assert_int_equal(slow_stage_of(&in_write, &typical), SLOW_IN_WRITE);
    assert_int_equal(slow_stage_of(&behind, &typical), SLOW_BEHIND_WRITE);
}

static void only_what_a_control_does_not_suffer_is_ours(void **state) {
    (void)state;
    const uint64_t counts[SLOW_CAUSES] = {[SLOW_QUEUED] = 40, [SLOW_QUEUED_BY_DRAIN] = 2, [SLOW_STOPPED] = 5,
                                          [SLOW_SPACE] = 1,   [SLOW_WRITE] = 20,          [SLOW_WRITE_AND_DRAIN] = 10,
                                          [SLOW_COLD] = 7,    [SLOW_FAULT] = 3,           [SLOW_ASLEEP] = 4,
                                          [SLOW_UNSEEN] = 8};
    double owners[SLOW_OWNERS];
    slow_divide(counts, &(struct slow_control){.writes = 26, .unseen = 6}, owners);
    assert_true(owners[OWNER_MACHINE] == 40 + 5 + 7 + 6);
    assert_true(owners[OWNER_MEDIUM] == 26);
    assert_true(owners[OWNER_OURS] == 2 + 1 + 3 + 4 + (30 - 26) + (8 - 6));
    slow_divide(counts, &(struct slow_control){.writes = 100, .unseen = 100}, owners); /* a control may suffer more */
    assert_true(owners[OWNER_MEDIUM] == 30 && owners[OWNER_OURS] == 2 + 1 + 3 + 4);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_slow_call_has_the_owner_that_its_counters_tell),
        cmocka_unit_test(counters_tell_where_a_thread_was_that_had_no_core),
        cmocka_unit_test(without_the_kernels_count_a_preempted_thread_was_queued),
        cmocka_unit_test(a_call_lost_its_time_in_the_stage_that_took_the_most_beyond_its_own),
        cmocka_unit_test(only_what_a_control_does_not_suffer_is_ours),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
