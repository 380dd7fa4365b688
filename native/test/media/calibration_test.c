/* SPDX-License-Identifier: Apache-2.0 */
/* The engine that a calibration chooses, and the stored results that are believed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "burstlog.h"
#include "media/calibration.h"

#define SEED 77

static uint32_t writes = 300, faster = 300; /* measured for each engine */

static struct calibration measured(uint64_t pwrite_ns, uint64_t uring_ns, uint64_t mapped_ns) {
    struct calibration calibration = {
        .engine_count = 3,
        .engines =
            {{.io = BURST_IO_PWRITE, .writes = pwrite_ns > 0 ? writes : 0, .p50_ns = pwrite_ns},
             {.io = BURST_IO_URING, .writes = uring_ns > 0 ? writes : 0, .faster = faster, .p50_ns = uring_ns},
             {.io = BURST_IO_MAPPED, .writes = mapped_ns > 0 ? writes : 0, .faster = faster, .p50_ns = mapped_ns}},
    };
    return calibration;
}

static uint32_t choice(uint64_t pwrite_ns, uint64_t uring_ns, uint64_t mapped_ns) {
    const struct calibration calibration = measured(pwrite_ns, uring_ns, mapped_ns);
    const struct calibration_engine *engine = calibration_choose(&calibration);
    return engine == NULL ? BURST_IO_AUTO : engine->io;
}

static void the_fastest_is_taken(void **state) {
    (void)state;
    assert_int_equal(choice(4000, 14000, 20000), BURST_IO_PWRITE);
    assert_int_equal(choice(17300, 10700, 20000), BURST_IO_URING);
    assert_int_equal(choice(17300, 10700, 300), BURST_IO_MAPPED);
}

static void what_is_not_a_tenth_faster_than_pwrite_is_not_taken(void **state) {
    (void)state;
    assert_int_equal(choice(10000, 9999, 9001), BURST_IO_PWRITE);
    assert_int_equal(choice(10000, 9000, 20000), BURST_IO_PWRITE);
    assert_int_equal(choice(10000, 8999, 20000), BURST_IO_URING);
    assert_int_equal(choice(10000, 9500, 8999), BURST_IO_MAPPED);
}

static void of_few_writes_only_half_the_time_is_a_gain(void **state) {
    (void)state;
    writes = 99;
    assert_int_equal(choice(2000000, 1000000, 1500000), BURST_IO_PWRITE);
    assert_int_equal(choice(2000000, 999999, 1500000), BURST_IO_URING);
    writes = 100;
    assert_int_equal(choice(2000000, 1500000, 1900000), BURST_IO_URING);
    writes = 300;
}

static void a_median_that_is_lower_by_chance_is_no_gain(void **state) {
    (void)state;
    faster = 200; /* two of three */
    assert_int_equal(choice(17300, 10700, 20000), BURST_IO_URING);
    faster = 199;
    assert_int_equal(choice(17300, 10700, 20000), BURST_IO_PWRITE);
    faster = 300;
}

static void what_failed_is_not_taken(void **state) {
    (void)state;
    assert_int_equal(choice(10000, 0, 0), BURST_IO_PWRITE);
    assert_int_equal(choice(10000, 0, 5000), BURST_IO_MAPPED);
    assert_int_equal(choice(0, 5000, 0), BURST_IO_URING);
    assert_int_equal(choice(0, 0, 0), BURST_IO_AUTO);
}

static void only_a_whole_record_of_this_ring_is_believed(void **state) {
    (void)state;
    struct calibration calibration = measured(4000, 14000, 0);
    calibration.io = BURST_IO_PWRITE;
    calibration_seal(&calibration, SEED);
    assert_true(calibration_is_valid(&calibration, SEED));
    assert_false(calibration_is_valid(&calibration, SEED + 1)); /* another ring's uuid */
    for (size_t byte = 0; byte < sizeof calibration; byte++) {
        ((uint8_t *)&calibration)[byte] ^= 1;
        assert_false(calibration_is_valid(&calibration, SEED));
        ((uint8_t *)&calibration)[byte] ^= 1;
    }
    assert_true(calibration_is_valid(&calibration, SEED));
}

static void a_record_that_takes_what_it_did_not_measure_is_not_believed(void **state) {
    (void)state;
    struct calibration calibration = measured(4000, 0, 3000);
    calibration.io = BURST_IO_URING; /* which failed */
    calibration_seal(&calibration, SEED);
    assert_false(calibration_is_valid(&calibration, SEED));
    calibration.io = BURST_IO_NVME; /* an engine that was not tried */
    calibration_seal(&calibration, SEED);
    assert_false(calibration_is_valid(&calibration, SEED));
    calibration.io = BURST_IO_MAPPED;
    calibration.engine_count = CALIBRATION_ENGINES_MAX + 1;
    calibration_seal(&calibration, SEED);
    assert_false(calibration_is_valid(&calibration, SEED));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_fastest_is_taken),
        cmocka_unit_test(what_is_not_a_tenth_faster_than_pwrite_is_not_taken),
        cmocka_unit_test(of_few_writes_only_half_the_time_is_a_gain),
        cmocka_unit_test(a_median_that_is_lower_by_chance_is_no_gain),
        cmocka_unit_test(what_failed_is_not_taken),
        cmocka_unit_test(only_a_whole_record_of_this_ring_is_believed),
        cmocka_unit_test(a_record_that_takes_what_it_did_not_measure_is_not_believed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
