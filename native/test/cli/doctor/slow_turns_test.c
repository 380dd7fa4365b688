/* SPDX-License-Identifier: Apache-2.0 */
/* Causes that are provoked are found: appends in turns, on a log in memory. */
#include "log_fixture.h"
#include "device/media.h"

#include <time.h>

#include "cli/doctor/slow_turns.h"
#include "log/log.h"

#define SLOW_WRITE_NS 20000000
#define SLOW_WRITE_EVERY 701u /* no divisor of a block of turns, so that not each is in a lead-in */

static struct slow_turns turns;
static burst_t *log_;

static int begin(void **state) {
    memset(&turns, 0, sizeof turns);
    make_scratch(state);
    burst_config_t config;
    burst_config_init(&config);
    config.ring = scratch_path("ring");
    config.main = main_of(scratch_path("log"));
    config.ring_bytes = 2u << 20;
    config.durability = BURST_DURABILITY_PROCESS;
    config.io = BURST_IO_MAPPED;
    assert_int_equal(burst_open(&config, &log_), 0);
    return 0;
}

static int end(void **state) {
    slow_turns_free(&turns);
    assert_int_equal(burst_close(log_), 0);
    return remove_scratch(state);
}

static const struct device_ops *real;
static unsigned writes;

static void submit_slowly(struct device *device, struct device_write *write) {
    if (++writes % SLOW_WRITE_EVERY == 0) {
        nanosleep(&(struct timespec){.tv_nsec = SLOW_WRITE_NS}, NULL);
    }
    real->submit(device, write);
}

static void a_slow_write_is_the_mediums(void **state) {
    (void)state;
    real = log_->device->ops;
    struct device_ops slow = *real;
    slow.submit = submit_slowly;
    log_->device->ops = &slow;
    assert_int_equal(slow_turns_take(log_, NULL, 1, &turns), 0);
    log_->device->ops = real;
    unsigned found = 0;
    for (size_t i = 0; i < turns.kept_count[SLOW_APPEND]; i++) {
        const struct slow_call *call = &turns.kept[SLOW_APPEND][i];
        int64_t shares_ns[SLOW_CAUSES];
        if (call->write_ns >= SLOW_WRITE_NS && call->queued_ns < SLOW_WRITE_NS / 4) {
            const enum slow_cause cause = slow_assign(call, &turns.typical[SLOW_APPEND], shares_ns);
            assert_true(cause == SLOW_WRITE || cause == SLOW_WRITE_AND_DRAIN);
            assert_int_equal(slow_stage_of(call, &turns.typical[SLOW_APPEND]), SLOW_IN_WRITE);
            found++;
        }
    }
    assert_true(found > 0);
}

static _Atomic int is_over;

static void *hog(void *argument) {
    const cpu_set_t *core = argument;
    assert_int_equal(pthread_setaffinity_np(pthread_self(), sizeof *core, core), 0);
    while (!atomic_load(&is_over)) {
    }
    return NULL;
}

/* Two threads that never sleep share a core, so each waits for the other. */
static void a_thread_without_its_core_was_queued(void **state) {
    (void)state;
    cpu_set_t allowed, core;
    pthread_t other;
    assert_int_equal(sched_getaffinity(0, sizeof allowed, &allowed), 0);
    CPU_ZERO(&core);
    CPU_SET((size_t)allowed_cpu(0), &core);
    assert_int_equal(pthread_create(&other, NULL, hog, &core), 0);
    assert_int_equal(sched_setaffinity(0, sizeof core, &core), 0);
    const int rc = slow_turns_take(log_, NULL, 1, &turns);
    atomic_store(&is_over, 1);
    pthread_join(other, NULL);
    assert_int_equal(sched_setaffinity(0, sizeof allowed, &allowed), 0);
    assert_int_equal(rc, 0);
    unsigned queued = 0;
    for (enum slow_kind kind = 0; kind < SLOW_KINDS; kind++) {
        for (size_t i = 0; i < turns.kept_count[kind]; i++) {
            int64_t shares_ns[SLOW_CAUSES];
            queued += slow_assign(&turns.kept[kind][i], &turns.typical[kind], shares_ns) == SLOW_QUEUED;
        }
    }
    assert_true(queued > 0);
}

/* 20,000 appends of 10 us; beyond p99.9 are 20: 8 queued, 12 unseen, of which the loop shows 10 in as much time. */
static void those_beyond_a_percentile_are_summed_up_with_their_control(void **state) {
    (void)state;
    struct slow_call kept[SLOW_KINDS][20] = {{{0}}};
    struct slow_turns *sum = calloc(1, sizeof *sum);
    assert_non_null(sum);
    for (int i = 0; i < 20000; i++) {
        histogram_record(&sum->took[SLOW_APPEND], i < 20 ? 500000 : 10000);
        histogram_record(&sum->took[SLOW_BARE], 8000);
    }
    sum->typical[SLOW_APPEND] = (struct slow_call){.took_ns = 10000, .before_ns = 1000, .write_ns = 8000};
    sum->typical[SLOW_BARE] = (struct slow_call){.took_ns = 8000, .write_ns = 8000};
    sum->typical[SLOW_NOTHING] = (struct slow_call){.took_ns = 10000};
    for (int i = 0; i < 20; i++) {
        kept[SLOW_APPEND][i] = (struct slow_call){
            .took_ns = 500000, .before_ns = 491000, .write_ns = 8000, .queued_ns = i < 8 ? 490000 : 0};
        kept[SLOW_NOTHING][i] = (struct slow_call){.took_ns = i < 15 ? 500000 : 5000};
    }
    for (enum slow_kind kind = 0; kind < SLOW_KINDS; kind++) {
        sum->kept[kind] = kept[kind];
        sum->kept_count[kind] = kind == SLOW_BARE ? 0 : 20;
    }
    struct slow_beyond beyond;
    slow_turns_sum(sum, 99.9, &beyond);
    assert_int_equal(beyond.appends, 20);
    assert_int_equal(beyond.counts[SLOW_APPEND][SLOW_QUEUED], 8);
    assert_int_equal(beyond.counts[SLOW_APPEND][SLOW_UNSEEN], 12);
    assert_int_equal(beyond.counts[SLOW_NOTHING][SLOW_UNSEEN], 15);
    assert_int_equal(beyond.stages[SLOW_BEFORE_WRITE], 20);
    assert_int_equal(beyond.time_ns[SLOW_QUEUED], 8 * 490000);
    assert_true(beyond.owners[OWNER_MACHINE] == 8 + 3); /* a fifth of an append is outside its write */
    assert_true(beyond.owners[OWNER_MEDIUM] == 0);
    assert_true(beyond.owners[OWNER_OURS] == 9);
    slow_turns_sum(sum, 99.999, &beyond);
    assert_int_equal(beyond.took_ns, 0); /* 20,000 appends do not have it */
    free(sum);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_slow_write_is_the_mediums, begin, end),
        cmocka_unit_test_setup_teardown(a_thread_without_its_core_was_queued, begin, end),
        cmocka_unit_test(those_beyond_a_percentile_are_summed_up_with_their_control),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
