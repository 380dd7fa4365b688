/* SPDX-License-Identifier: Apache-2.0 */
/* The sentence of an open about blocks that could not be read. */
#include "memory_ring.h"

static struct device_ops bad_ops;
static uint64_t bad_from, bad_to; /* of the medium */
static uint64_t bad_also_from;    /* one more bad sector; 0: none */

static int read_around_bad(struct device *device, uint64_t offset, void *data, size_t bytes) {
    const int is_bad = (offset < bad_to && offset + bytes > bad_from) ||
                       (bad_also_from != 0 && offset < bad_also_from + 512 && offset + bytes > bad_also_from);
    return is_bad ? -EIO : memory_read(device, offset, data, bytes);
}

/* Blocks of the ring, by their positions. */
static void make_unreadable(uint64_t from, uint64_t bytes) {
    bad_from = LAYOUT_DATA_OFFSET + from;
    bad_to = bad_from + bytes;
    bad_also_from = 0;
    bad_ops = *host.device.ops;
    bad_ops.read = read_around_bad;
    host.device.ops = &bad_ops;
}

static struct event reopened(void) {
    struct event event;
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
    const uint64_t end = align_up(ring_claimed(host.engine->ring), BLOCK_BYTES);
    close_ring();
    return end;
}

static void drain_all(void) {
    for (int i = 0; i < 10 && !drain_is_done(host.engine->drainer.drain); i++) {
        assert_int_equal(engine_step(host.engine, 1) < 0, 0);
    }
    assert_true(drain_is_done(host.engine->drainer.drain));
}

static void what_may_have_stood_at_the_end_of_the_log_and_cannot_be_read_is_a_warning(void **state) {
    (void)state;
    make_unreadable(end_after_two_records(), 1024);
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_WARN);
    assert_non_null(strstr(event.text,
                           "opened: 2 records were waiting in the ring (sequences 1..2) and go to the log file; "
                           "positions 12288..16384 of the ring cannot be read: if a record after 2 stood there "
                           "it is lost, and only who wrote it can know"));
}

static void it_is_told_once_whatever_happens_to_the_log_then(void **state) {
    (void)state;
    make_unreadable(end_after_two_records(), 1024);
    assert_int_equal(reopened().severity, EVENT_WARN);
    const uint32_t raised = host.engine->view.recovery.epoch_highest;
    for (uint32_t again = 1; again <= 3; again++) {
        close_ring();
        assert_int_equal(reopened().severity, EVENT_INFO);
        assert_int_equal(host.engine->view.recovery.epoch_highest, raised + again);
    }
    append(100);
    drain_all();
    for (uint32_t again = 4; again <= 6; again++) {
        close_ring();
        const struct event event = reopened();
        assert_int_equal(event.severity, EVENT_INFO);
        assert_null(strstr(event.text, "cannot be read"));
        assert_int_equal(host.engine->view.recovery.epoch_highest, raised + again);
    }
    assert_int_equal(host.engine->view.recovery.next_sequence, 4);
}

static void what_cannot_be_read_where_no_record_can_be_is_not_told_and_costs_nothing(void **state) {
    (void)state;
    const uint64_t end = end_after_two_records();
    make_unreadable(end + 2 * BLOCK_BYTES, CAPACITY_BYTES - end - 2 * BLOCK_BYTES);
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_INFO);
    assert_int_equal(host.engine->view.unreadable_bytes, CAPACITY_BYTES - end - 2 * BLOCK_BYTES);
    assert_int_equal(host.engine->view.recovery.epoch_highest, 1);
    assert_int_equal(host.engine->view.recovery.marker_position, end);
}

static void the_marker_of_an_epoch_of_which_nothing_can_be_read_is_not_overlooked(void **state) {
    (void)state;
    const uint64_t end = end_after_two_records();
    open_ring(); /* its marker goes to the end of the log */
    append(100);
    append(100);
    close_ring();
    make_unreadable(end, 3 * BLOCK_BYTES);
    assert_int_equal(reopened().severity, EVENT_WARN);
    assert_int_equal(host.engine->view.recovery.next_sequence, 3);
    assert_true(host.engine->view.recovery.marker_position >= end + 3 * BLOCK_BYTES);
    assert_true(host.engine->view.recovery.epoch_highest > 2);
}

static void a_hidden_marker_is_thought_of_where_the_block_with_the_end_of_the_log_can_be_read(void **state) {
    (void)state;
    open_ring();
    for (int i = 0; i < 3; i++) {
        assert_true(ring_enqueue(host.engine->ring, "record\n", 7, 0, &stream_0, &for_ever) > 0);
    }
    assert_int_equal(ring_commit(host.engine->ring), 1);
    close_ring();
    const uint64_t third = BLOCK_BYTES + 2 * record_bytes(7);
    medium[LAYOUT_DATA_OFFSET + third + RECORD_HEADER_BYTES] ^= 1; /* as if its commit had been torn */
    open_ring();
    append(100);
    close_ring();
    make_unreadable(2 * BLOCK_BYTES, 2 * BLOCK_BYTES);
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_WARN);
    assert_non_null(strstr(event.text, "if a record after 2 stood there"));
}

static void the_end_of_a_record_that_cannot_be_read_hides_it_as_its_beginning_does(void **state) {
    (void)state;
    open_ring();
    append(2 * BLOCK_BYTES); /* in three blocks, which reach beyond any place of a marker */
    const uint64_t end = align_up(ring_claimed(host.engine->ring), BLOCK_BYTES);
    close_ring();
    make_unreadable(end - BLOCK_BYTES, 512);
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_WARN);
    assert_non_null(strstr(event.text, "if a record after 0 stood there"));
    assert_int_equal(host.engine->view.recovery.marker_position, end);
}

static void what_stands_behind_what_is_hidden_is_hidden_with_it(void **state) {
    (void)state;
    const uint64_t end = end_after_two_records();
    make_unreadable(end, 512);
    bad_also_from = bad_from + 4 * BLOCK_BYTES;
    reopened();
    assert_int_equal(host.engine->view.recovery.hidden_to, end + 5 * BLOCK_BYTES);
}

/* Makes an epoch without a readable header: its marker, a record of four blocks, and a record behind that. The readable block in
 * between is payload. Returns where the log before it ended. */
static uint64_t hide_an_epoch(void) {
    const uint64_t end = end_after_two_records();
    open_ring();
    append(4 * BLOCK_BYTES - RECORD_HEADER_BYTES);
    append(100);
    assert_int_equal(align_up(ring_claimed(host.engine->ring), BLOCK_BYTES), end + 6 * BLOCK_BYTES);
    close_ring();
    make_unreadable(end, 2 * BLOCK_BYTES);
    bad_also_from = bad_from + 5 * BLOCK_BYTES;
    return end;
}

static void the_log_goes_on_behind_the_last_block_that_cannot_be_read_not_behind_the_first(void **state) {
    (void)state;
    const uint64_t end = hide_an_epoch();
    assert_int_equal(reopened().severity, EVENT_WARN);
    assert_int_equal(host.engine->view.recovery.hidden_from, end);
    assert_int_equal(host.engine->view.recovery.hidden_to, end + 6 * BLOCK_BYTES);
    assert_int_equal(host.engine->view.recovery.marker_position, end + 6 * BLOCK_BYTES);
}

static void what_was_hidden_and_can_be_read_again_an_epoch_later_is_void(void **state) {
    (void)state;
    hide_an_epoch();
    reopened();
    append(100);
    close_ring();
    host.device.ops = &memory_ops;
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_INFO);
    assert_non_null(strstr(event.text, "3 records were waiting in the ring (sequences 1..3)"));
    assert_int_equal(host.engine->view.recovery.lost, 0);
}

/* The window's end leaves no room for two blocks behind the hidden ones. */
static void a_marker_goes_before_what_is_hidden_where_there_is_no_room_behind_it(void **state) {
    (void)state;
    open_ring();
    while (align_up(ring_claimed(host.engine->ring), BLOCK_BYTES) < CAPACITY_BYTES - 2 * BLOCK_BYTES) {
        append(BLOCK_BYTES - RECORD_HEADER_BYTES);
    }
    close_ring();
    make_unreadable(CAPACITY_BYTES - BLOCK_BYTES, 512);
    assert_int_equal(reopened().severity, EVENT_WARN);
    assert_int_equal(host.engine->view.recovery.hidden_to, CAPACITY_BYTES);
    assert_int_equal(host.engine->view.recovery.marker_position, CAPACITY_BYTES - 2 * BLOCK_BYTES);
}

static void a_record_that_cannot_be_read_and_that_nothing_proves_is_not_called_lost(void **state) {
    (void)state;
    make_unreadable(end_after_two_records() - BLOCK_BYTES, BLOCK_BYTES);
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_WARN);
    assert_non_null(strstr(event.text, "if a record after 1 stood there"));
    assert_null(strstr(event.text, "LOST"));
}

static void a_record_that_cannot_be_read_and_that_a_later_one_proves_is_called_lost(void **state) {
    (void)state;
    make_unreadable(end_after_two_records() - 2 * BLOCK_BYTES, BLOCK_BYTES);
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_ERROR);
    assert_non_null(
        strstr(event.text, "LOST: records 1..1 (1), damaged at positions 4096..8192; the last provable record is 2"));
    assert_int_equal(host.engine->view.recovery.epoch_highest, 1);
}

static void a_medium_that_can_be_read_is_not_said_to_hide_anything(void **state) {
    (void)state;
    end_after_two_records();
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_INFO);
    assert_null(strstr(event.text, "cannot be read"));
    assert_non_null(strstr(event.text, "the last provable record is 2"));
}

static void a_ring_whose_records_are_all_drained_is_said_to_have_none_waiting(void **state) {
    (void)state;
    assert_non_null(
        strstr(reopened().text, "ring /ring opened: the ring is new; nothing shows that a record was ever"));
    append(100);
    append(100);
    drain_all();
    close_ring();
    assert_non_null(strstr(reopened().text,
                           "opened: no record was waiting in the ring: what there was up to sequence 2 went "
                           "to the log file before; the last provable record is 2"));
}

static void a_log_that_was_closed_is_said_to_have_ended_with_its_last_record(void **state) {
    (void)state;
    open_ring();
    append(100);
    append(100);
    engine_note_end(host.engine);
    close_ring();
    assert_non_null(strstr(reopened().text, "; record 2 was the last when the log was closed"));
    engine_note_end(host.engine);
    close_ring();
    assert_non_null(strstr(reopened().text, "; record 2 was the last when the log was closed"));
    drain_all();
    engine_note_end(host.engine);
    close_ring();
    assert_non_null(strstr(reopened().text, "; record 2 was the last when the log was closed"));
}

static void a_log_that_was_opened_again_and_not_closed_is_not_said_to_be_closed(void **state) {
    (void)state;
    open_ring();
    append(100);
    engine_note_end(host.engine);
    close_ring();
    open_ring();
    close_ring();
    assert_non_null(strstr(reopened().text, "; the last provable record is 1"));
    append(100);
    close_ring();
    assert_non_null(strstr(reopened().text, "; the last provable record is 2"));
}

static void a_closed_log_whose_last_record_rotted_is_not_said_to_end_before_it(void **state) {
    (void)state;
    const uint64_t end = end_after_two_records();
    open_ring();
    engine_note_end(host.engine);
    close_ring();
    make_unreadable(end - BLOCK_BYTES, BLOCK_BYTES);
    const struct event event = reopened();
    assert_int_equal(event.severity, EVENT_ERROR);
    assert_non_null(strstr(event.text, "LOST: records 2..2 (1)"));
}

static void a_log_whose_ring_failed_is_not_said_to_be_closed(void **state) {
    (void)state;
    open_ring();
    append(100);
    ring_fail(host.engine->ring, "for a test");
    engine_note_end(host.engine);
    close_ring();
    assert_non_null(strstr(reopened().text, "; the last provable record is 1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RING_TEST(what_may_have_stood_at_the_end_of_the_log_and_cannot_be_read_is_a_warning),
        RING_TEST(it_is_told_once_whatever_happens_to_the_log_then),
        RING_TEST(what_cannot_be_read_where_no_record_can_be_is_not_told_and_costs_nothing),
        RING_TEST(the_marker_of_an_epoch_of_which_nothing_can_be_read_is_not_overlooked),
        RING_TEST(a_hidden_marker_is_thought_of_where_the_block_with_the_end_of_the_log_can_be_read),
        RING_TEST(the_end_of_a_record_that_cannot_be_read_hides_it_as_its_beginning_does),
        RING_TEST(what_stands_behind_what_is_hidden_is_hidden_with_it),
        RING_TEST(the_log_goes_on_behind_the_last_block_that_cannot_be_read_not_behind_the_first),
        RING_TEST(what_was_hidden_and_can_be_read_again_an_epoch_later_is_void),
        RING_TEST(a_marker_goes_before_what_is_hidden_where_there_is_no_room_behind_it),
        RING_TEST(a_record_that_cannot_be_read_and_that_nothing_proves_is_not_called_lost),
        RING_TEST(a_record_that_cannot_be_read_and_that_a_later_one_proves_is_called_lost),
        RING_TEST(a_medium_that_can_be_read_is_not_said_to_hide_anything),
        RING_TEST(a_ring_whose_records_are_all_drained_is_said_to_have_none_waiting),
        RING_TEST(a_log_that_was_closed_is_said_to_have_ended_with_its_last_record),
        RING_TEST(a_log_that_was_opened_again_and_not_closed_is_not_said_to_be_closed),
        RING_TEST(a_closed_log_whose_last_record_rotted_is_not_said_to_end_before_it),
        RING_TEST(a_log_whose_ring_failed_is_not_said_to_be_closed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
