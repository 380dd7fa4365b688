/* SPDX-License-Identifier: Apache-2.0 */
/* What an open says of blocks that could not be read. */
#include "memory_ring.h"

static struct device_ops bad_ops;
static uint64_t bad_from, bad_to; /* of the medium */

static int read_around_bad(struct device *device, uint64_t offset, void *data, size_t bytes) {
    return offset < bad_to && offset + bytes > bad_from ? -EIO : memory_read(device, offset, data, bytes);
}

/* Of the ring, in positions. */
static void make_unreadable(uint64_t from, uint64_t bytes) {
    bad_from = LAYOUT_DATA_OFFSET + from;
    bad_to = bad_from + bytes;
    bad_ops = *host.device.ops;
    bad_ops.read = read_around_bad;
    host.device.ops = &bad_ops;
}

static burst_event_t reopened(void) {
    burst_event_t event = {.struct_bytes = sizeof event};
    while (events_take(&host.events, &event, 0) == 1) {
    }
    open_ring();
    do {
        assert_int_equal(events_take(&host.events, &event, 0), 1);
    } while (strstr(event.text, "opened: ") == NULL);
    return event;
}

static uint64_t end_after_two_records(void) {
    open_ring();
    append(100);
    append(100);
    const uint64_t end = ring_claimed(host.engine->ring);
    close_ring();
    return end;
}

static void bytes_behind_the_last_record_that_cannot_be_read_are_told_as_lost_without_a_proof(void **state) {
    (void)state;
    make_unreadable(align_up(end_after_two_records(), BLOCK_BYTES) + BLOCK_BYTES, 1024);
    const burst_event_t event = reopened();
    assert_int_equal(event.severity, BURST_ERROR);
    assert_non_null(strstr(event.text, "; 1024 bytes of the ring could not be read: records after 2 that stood there are "
                                       "LOST without a proof; nothing proves a record after 2"));
}

static void a_record_that_cannot_be_read_and_that_nothing_proves_is_told_by_its_bytes(void **state) {
    (void)state;
    make_unreadable(align_up(end_after_two_records(), BLOCK_BYTES) - BLOCK_BYTES, BLOCK_BYTES);
    const burst_event_t event = reopened();
    assert_int_equal(event.severity, BURST_ERROR);
    assert_non_null(strstr(event.text, "; 4096 bytes of the ring could not be read: records after 1 that"));
}

static void a_medium_that_can_be_read_is_not_said_to_hide_anything(void **state) {
    (void)state;
    end_after_two_records();
    const burst_event_t event = reopened();
    assert_int_equal(event.severity, BURST_INFO);
    assert_null(strstr(event.text, "could not be read"));
    assert_non_null(strstr(event.text, "nothing proves a record after 2"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(bytes_behind_the_last_record_that_cannot_be_read_are_told_as_lost_without_a_proof),
        RING_TEST(a_record_that_cannot_be_read_and_that_nothing_proves_is_told_by_its_bytes),
        RING_TEST(a_medium_that_can_be_read_is_not_said_to_hide_anything),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
