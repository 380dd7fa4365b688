/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring engines. Engines and clock are the test's own. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "log/calibrate.h"
#include "device/measure.h"

static const struct platform *const host = &platform_linux;

/* An engine whose writes take `write_ns` each by its own clock. The write after `good` ones fails. */
struct slow_device {
    struct device device;
    int64_t write_ns;
    int good;
    int writes;
    struct device_write *under_way;
};

static int64_t clock_ns;

static int64_t told_ns(const struct platform *platform) {
    (void)platform;
    return clock_ns;
}

static void *slow_image(struct device *device, size_t bytes) {
    (void)device;
    return platform_allocate(host, bytes, PLATFORM_PLAIN);
}

static void slow_submit(struct device *device, struct device_write *write) {
    struct slow_device *slow = (struct slow_device *)device;
    assert_in_range(write->offset, LAYOUT_SCRATCH_OFFSET, LAYOUT_SCRATCH_OFFSET + LAYOUT_SCRATCH_BYTES - write->bytes);
    clock_ns += slow->write_ns;
    write->result = slow->writes++ < slow->good ? 0 : -EIO;
    slow->under_way = write;
}

static struct device_write *slow_complete(struct device *device) {
    return ((struct slow_device *)device)->under_way;
}

static const struct device_ops slow_ops = {
    .name = "slow", .image = slow_image, .submit = slow_submit, .complete = slow_complete};

static void measure(struct slow_device *first, struct slow_device *second, struct measured_engine engines[2]) {
    static struct platform_ops ops;
    static const struct platform platform = {&ops};
    ops = *platform_linux.ops;
    ops.monotonic_ns = told_ns;
    struct slow_device *const devices[] = {first, second};
    for (int i = 0; i < 2; i++) {
        devices[i]->device = (struct device){.ops = &slow_ops, .platform = &platform, .block_bytes = 4096};
        engines[i] = (struct measured_engine){.io = (uint32_t)i + 1, .device = &devices[i]->device};
    }
    measure_engines(&platform, engines, 2, CALIBRATE_BUDGET_NS);
}

static void figures_are_those_of_each_engine(void **state) {
    (void)state;
    struct slow_device first = {.write_ns = 4000, .good = 1000}, second = {.write_ns = 14000, .good = 1000};
    struct measured_engine engines[2];
    measure(&first, &second, engines);
    assert_int_equal(engines[0].p50_ns, 4000);
    assert_int_equal(engines[1].p50_ns, 14000);
    assert_int_equal(engines[1].p99_ns, 14000);
    assert_int_equal(engines[0].writes, engines[1].writes);
    assert_in_range(engines[0].writes, 200, 1000);
    assert_int_equal(engines[0].faster, 0);
    assert_int_equal(engines[1].faster, 0);
    measure(&second, &first, engines);
    assert_int_equal(engines[1].faster, engines[1].writes);
}

static void an_engine_that_fails_is_left_out_and_the_other_measured(void **state) {
    (void)state;
    struct slow_device first = {.write_ns = 4000, .good = 1000}, second = {.write_ns = 1000, .good = 50};
    struct measured_engine engines[2];
    measure(&first, &second, engines);
    assert_int_equal(engines[1].writes, 0);
    assert_int_equal(second.writes, 51); /* it gets no further try */
    assert_in_range(engines[0].writes, 200, 1000);
}

static void a_slow_medium_is_measured_for_no_longer_than_the_budget(void **state) {
    (void)state;
    struct slow_device first = {.write_ns = 15000000, .good = 1000}, second = {.write_ns = 10000000, .good = 1000};
    struct measured_engine engines[2];
    clock_ns = 0;
    measure(&first, &second, engines);
    assert_in_range(clock_ns, CALIBRATE_BUDGET_NS, CALIBRATE_BUDGET_NS + 25000000);
    assert_in_range(engines[0].writes, 1, 10);
    assert_int_equal(engines[0].p50_ns, 15000000);
    struct slow_device stalling = {.write_ns = 30000000000, .good = 1000};
    measure(&stalling, &second, engines);
    assert_int_equal(engines[0].writes, 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(figures_are_those_of_each_engine),
        cmocka_unit_test(an_engine_that_fails_is_left_out_and_the_other_measured),
        cmocka_unit_test(a_slow_medium_is_measured_for_no_longer_than_the_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
