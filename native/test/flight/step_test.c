/* SPDX-License-Identifier: Apache-2.0 */
/* The difference between two fillings of figures. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "burstlog.h"
#include "flight/step.h"

#define SECOND_NS 1000000000ll

static struct figures before, now;
static struct flight_scratch scratch;
static struct flight_step step;

static int begin(void **state) {
    (void)state;
    memset(&before, 0, sizeof before);
    before.bytes = sizeof before;
    before.pid = 4711;
    before.epoch = 3;
    before.monotonic_ns = SECOND_NS;
    now = before;
    now.monotonic_ns += 2 * SECOND_NS;
    return 0;
}

static void counts_are_those_of_the_step(void **state) {
    (void)state;
    before.durable_sequence = before.full_waits = before.discarded = before.lost_enqueued = 1000;
    now.durable_sequence = 1300;
    now.full_waits = 1001;
    now.discarded = 1002;
    now.lost_enqueued = 1003;
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 1);
    assert_int_equal(step.records, 300);
    assert_int_equal(step.full_waits, 1);
    assert_int_equal(step.discarded, 2);
    assert_int_equal(step.lost, 3);
    assert_true(step.seconds > 1.99 && step.seconds < 2.01);
}

static void a_clock_that_steps_changes_nothing(void **state) {
    (void)state;
    now.time_ns = before.time_ns - 3600 * SECOND_NS;
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 1);
    assert_true(step.seconds > 1.99 && step.seconds < 2.01);
}

static void figures_of_another_open_make_no_step(void **state) {
    (void)state;
    now.epoch++;
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 0);
    now.epoch--;
    now.pid++;
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 0);
    now.pid--;
    now.monotonic_ns = before.monotonic_ns;
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 0);
    now.monotonic_ns++;
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 1);
    before.bytes = 0;
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 0);
}

static void waits_and_lags_are_the_latency(void **state) {
    (void)state;
    histogram_record(&now.stages[BURST_STAGE_COMMIT_WAIT], 10000);
    histogram_record(&now.stages[BURST_STAGE_ENQUEUE_LAG], 20000);
    histogram_record(&now.stages[BURST_STAGE_DRAIN_LAG], 90000000);
    for (unsigned stage = 0; stage < FIGURES_STAGES; stage++) {
        now.stages[stage].count = histogram_count(&now.stages[stage]);
    }
    assert_int_equal(flight_step(&before, &now, &scratch, &step), 1);
    assert_int_equal(step.latency.count, 2);
    assert_int_equal(step.slowest_stage, BURST_STAGE_ENQUEUE_LAG);
    assert_int_equal(histogram_count(&scratch.latency), 2);
}

int main(void) {
#define STEP_TEST(name) cmocka_unit_test_setup(name, begin)
    const struct CMUnitTest tests[] = {
        STEP_TEST(counts_are_those_of_the_step),
        STEP_TEST(a_clock_that_steps_changes_nothing),
        STEP_TEST(figures_of_another_open_make_no_step),
        STEP_TEST(waits_and_lags_are_the_latency),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
