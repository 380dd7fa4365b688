/* SPDX-License-Identifier: Apache-2.0 */
/* A ring whose image does not fit into its control group's memory. */
#include "base/memory_limit.h"
#include "memory_ring.h"

static struct memory_limit there_is;
static int images_made;
static struct device_ops counting_ops;

static void tell_limit(const struct platform *platform, struct memory_limit *limit) {
    (void)platform;
    *limit = there_is;
}

static void *count_image(struct device *device, size_t bytes) {
    images_made++;
    return memory_image(device, bytes);
}

static void limit_memory(uint64_t limit_bytes, uint64_t most_bytes, uint64_t left_bytes) {
    there_is = (struct memory_limit){.limit_bytes = limit_bytes,
                                     .most_bytes = most_bytes,
                                     .left_bytes = left_bytes,
                                     .file = "/sys/fs/cgroup/memory.max"};
    host.memory_limit = tell_limit;
    images_made = 0;
    counting_ops = memory_ops;
    counting_ops.image = count_image;
    host.device.ops = &counting_ops;
}

static void assert_refused(const char *numbers) {
    static uint8_t before[MEDIUM_BYTES];
    memcpy(before, medium, sizeof before);
    assert_int_equal(try_to_open(), -ENOMEM);
    assert_int_equal(images_made, 0);
    assert_memory_equal(medium, before, sizeof before);
    if (strstr(error_text(), numbers) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", error_text(), numbers);
    }
    assert_non_null(strstr(error_text(), "raise that limit or choose a smaller ring"));
}

/* The warning's event; its text is "" if there is none. */
static struct event warning(void) {
    struct event event;
    while (events_take(&host.events, &event, 0) == 1) {
        if (event.severity == EVENT_WARN) {
            return event;
        }
    }
    return (struct event){.text = ""};
}

static void a_ring_above_the_limit_is_refused_before_it_takes_memory(void **state) {
    (void)state;
    limit_memory(CAPACITY_BYTES - 1, MEMORY_UNLIMITED, MEMORY_UNLIMITED);
    assert_refused("ring /ring takes 65536 bytes of memory, and the control group of this process may have 65535 "
                   "(/sys/fs/cgroup/memory.max)");
}

static void a_ring_that_cannot_be_had_beside_what_others_use_is_refused_as_well(void **state) {
    (void)state;
    limit_memory(10 * CAPACITY_BYTES, CAPACITY_BYTES - 1, 100);
    assert_refused(
        "of the 655360 of the control group of this process (/sys/fs/cgroup/memory.max) at most 65535 can be had");
}

static void a_ring_above_what_is_left_is_opened_with_a_warning(void **state) {
    (void)state;
    limit_memory(10 * CAPACITY_BYTES, CAPACITY_BYTES, CAPACITY_BYTES - 1);
    open_ring();
    const struct event event = warning();
    assert_non_null(strstr(event.text, "ring /ring takes 65536 bytes of memory, and of the 655360 of the control group "
                                       "of this process (/sys/fs/cgroup/memory.max) 65535 were left"));
    assert_non_null(strstr(event.text, "raise that limit or choose a smaller ring"));
}

static void a_ring_that_fits_is_opened_without_a_word(void **state) {
    (void)state;
    limit_memory(CAPACITY_BYTES, CAPACITY_BYTES, CAPACITY_BYTES);
    open_ring();
    assert_string_equal(warning().text, "");
    assert_int_equal(images_made, 1);
}

static void reading_a_ring_is_refused_where_it_would_kill_the_reader(void **state) {
    (void)state;
    struct ring_view *view;
    limit_memory(CAPACITY_BYTES - 1, MEMORY_UNLIMITED, MEMORY_UNLIMITED);
    assert_int_equal(ring_view_open(timeless_platform(), &host.device, &view), -ENOMEM);
    assert_non_null(strstr(error_text(), "reading ring /ring takes 65536 bytes of memory"));
    limit_memory(CAPACITY_BYTES, MEMORY_UNLIMITED, 0);
    assert_int_equal(ring_view_open(timeless_platform(), &host.device, &view), 0);
    ring_view_close(timeless_platform(), view);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(a_ring_above_the_limit_is_refused_before_it_takes_memory),
        RING_TEST(a_ring_that_cannot_be_had_beside_what_others_use_is_refused_as_well),
        RING_TEST(a_ring_above_what_is_left_is_opened_with_a_warning),
        RING_TEST(a_ring_that_fits_is_opened_without_a_word),
        RING_TEST(reading_a_ring_is_refused_where_it_would_kill_the_reader),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
