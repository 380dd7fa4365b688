/* SPDX-License-Identifier: Apache-2.0 */
#include "outlet/raw/raw_log.h"

#define CAPACITY RAW_MIN_CAPACITY_BYTES

/* ------------------------------------------------------------------------------------------------- bytes in order */

static void bytes_are_durable_in_order_and_then_named(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    struct raw_view view = fake_view();
    assert_int_equal(raw_view_length(&view), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 25000);
    view = fake_view();
    assert_int_equal(raw_view_length(&view), 25000);
    assert_int_equal(raw_log.state.kind, OUTLET_RAW);
    assert_int_equal(raw_log.state.length, 25000);
    assert_int_equal(raw_log.state.tail_bytes, 4096);
    assert_string_equal(raw_log.state.path, "/dev/fake");
    assert_int_equal(raw_log.outlet->ops->length(raw_log.outlet), 25000);
    assert_int_equal(log_write(25003), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 25003);
}

static void the_two_end_slots_take_turns(void **state) {
    (void)state;
    for (uint64_t i = 1; i < 9; i++) {
        assert_int_equal(log_write(100 * i), 0);
        assert_int_equal(log_sync(), OUTLET_READY);
        const struct raw_view view = fake_view();
        assert_int_equal(view.ends[view.newest].length, 100 * i);
        assert_int_equal(view.ends[1 - view.newest].length, 100 * (i - 1));
    }
}

static void a_log_goes_on_where_it_was(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(40000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 40000);
}

static void a_log_without_a_ring_is_continued_behind_its_end(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    raw_log.outlet->ops->close(raw_log.outlet);
    memset(&raw_log.state, 0, sizeof raw_log.state);
    assert_int_equal(log_bind(), OUTLET_NOTE);
    assert_int_equal(raw_log.state.length, 25000);
    assert_int_equal(log_write(30000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 30000);
}

static void a_redo_writes_the_same_bytes_to_the_same_places(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    const struct outlet_state before = raw_log.state;
    assert_int_equal(log_sync(), OUTLET_READY);
    raw_log.state = before; /* a crash kept the checkpoint from being written */
    raw_log.noted_bytes = 0;
    raw_log.batch_bytes = 7000;
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(14000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(raw_log.state.length, 14000);
    const struct raw_view view = fake_view();
    assert_int_equal(raw_view_length(&view), 25000); /* the device's end does not go back */
    assert_int_equal(log_write(40000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 40000);
    assert_int_equal(raw_log.notes, 1); /* the note of the bind only */
}

static void a_redo_of_other_bytes_goes_behind_what_is_there(void **state) {
    (void)state;
    assert_int_equal(log_write(10000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    const struct outlet_state before = raw_log.state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    raw_log.state = before;
    raw_log.noted_bytes = 10000;
    raw_log.bytes[24000]++; /* since then the ring has lost a record */
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(40000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_told("holds other bytes behind its first 10000 than the log wrote there");
    assert_device_has(25000, 20000, 20000); /* the batch that differs is there once more */
    raw_log.bytes[24000]--;
    assert_device_has(0, 0, 25000);
    assert_int_equal(raw_log.state.length, 45000);
}

/* ---------------------------------------------------------------------------------------------- which device it is */

static void what_is_no_log_device_is_refused_naming_the_command(void **state) {
    (void)state;
    raw_log.outlet->ops->close(raw_log.outlet);
    memset(fake.cached, 0, RAW_DATA_OFFSET);
    assert_int_equal(log_bind(), -ENODATA);
    assert_error_says("`burstlog format --destination /dev/fake`");
    assert_int_equal(log_reopen(), -ENODATA);
    fake_format();
    fake.cached[100]++;
    fake.cached[RAW_HEADER_OFFSET(1) + 100]++;
    assert_int_equal(log_bind(), -EUCLEAN);
    assert_error_says("in both copies");
}

static void a_device_that_a_writer_holds_is_refused_naming_it(void **state) {
    (void)state;
    struct outlet *other;
    struct outlet_state found;
    assert_int_equal(raw_outlet_create(&raw_log.parts, &other), 0);
    assert_int_equal(other->ops->bind(other, "/dev/fake", &raw_log.noted, &found), -EBUSY);
    assert_error_says("held by process 17 (java)");
    other->ops->destroy(other);
}

static void another_device_with_a_log_gets_no_byte(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    const struct outlet_state before = raw_log.state;
    raw_log.outlet->ops->close(raw_log.outlet);
    fake_format();
    assert_int_equal(log_bind(), OUTLET_NOTE); /* another log */
    assert_int_equal(log_write(26000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    raw_log.state = before;
    assert_int_equal(log_reopen(), -ESTALE);
    assert_error_says("not the one that the log wrote to");
    fake.writes = 0;
    assert_int_equal(log_write(30000), -ESTALE);
    assert_int_equal(fake.writes, 0);
}

static void a_device_formatted_anew_is_begun_anew_once_both_slots_know_it(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    raw_log.outlet->ops->close(raw_log.outlet);
    fake_format();
    struct outlet_state found;
    fake.writes = 0;
    raw_log.outlet->ops->destroy(raw_log.outlet);
    log_make_outlet();
    assert_int_equal(raw_log.outlet->ops->open(raw_log.outlet, &raw_log.noted, OUTLET_NOT_MOVED, &found), OUTLET_NOTE);
    for (int i = 0; i < 3; i++) /* until the state is noted the device gets no byte */
        assert_int_equal(raw_log.outlet->ops->ready(raw_log.outlet, &raw_log.noted, "x", 1, 0, &found), OUTLET_NOTE);
    assert_int_equal(fake.writes, 0);
    assert_int_equal(found.length, 0);
    log_note(&found);
    assert_int_equal(log_write(40000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_told("records from 17 on are written to it. The 25000 bytes");
    assert_device_has(0, 25000, 15000);
}

static void an_empty_device_in_the_place_of_a_lost_one_gets_what_was_not_noted(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_write(60000), 0); /* lost with the device, and not noted */
    fake.write_fails = ENXIO;
    assert_int_equal(log_write(70000), -ENXIO);
    fake.write_fails = 0;
    fake_format();
    assert_int_equal(log_write(70000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 25000, 45000);
}

static void what_a_stranger_says_of_the_device_is_noted_anew(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    raw_log.state.mark.inode++;
    raw_log.parts.mark_is_untrusted = 1;
    assert_int_equal(log_reopen(), OUTLET_NOTE);
    assert_int_equal(log_write(40000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 40000);
}

static void an_older_copy_of_the_device_is_refused(void **state) {
    (void)state;
    static uint8_t older[FAKE_BYTES];
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    memcpy(older, fake.cached, sizeof older);
    assert_int_equal(log_write(40000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    memcpy(fake.cached, older, sizeof older);
    assert_int_equal(log_reopen(), -ESTALE);
    assert_error_says("does not hold the 40000 bytes that the log wrote to it (its own end is at byte 25000)");
}

static void a_rotten_end_is_mended_by_what_the_ring_knows(void **state) {
    (void)state;
    for (int both = 0; both < 2; both++) {
        const uint64_t bytes = 25000 + 10000 * (uint64_t)both;
        assert_int_equal(log_write(bytes - 5000), 0);
        assert_int_equal(log_sync(), OUTLET_READY);
        assert_int_equal(log_write(bytes), 0);
        assert_int_equal(log_sync(), OUTLET_READY);
        struct raw_view view = fake_view();
        fake.cached[RAW_END_OFFSET(view.newest) + 20]++;
        if (both)
            fake.cached[RAW_END_OFFSET(1 - view.newest) + 20]++;
        assert_int_equal(log_reopen(), OUTLET_READY);
        view = fake_view();
        assert_int_equal(raw_view_length(&view), bytes);
    }
    fake.cached[RAW_END_OFFSET(0) + 20]++;
    fake.cached[RAW_END_OFFSET(1) + 20]++;
    raw_log.outlet->ops->close(raw_log.outlet);
    assert_int_equal(log_bind(), -EUCLEAN); /* the ring does not name the device: nobody knows its end */
    assert_error_says("in both places");
}

static void one_bad_header_copy_is_used_around(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    fake.cached[60]++;
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(40000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 40000);
}

static void a_device_overwritten_in_use_gets_no_further_byte(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    memset(fake.cached, 0, RAW_DATA_OFFSET);
    fake.writes = 0;
    assert_int_equal(log_write(40000), -ENODATA);
    assert_int_equal(fake.writes, 0);
    assert_false(raw_log.outlet->ops->is_open(raw_log.outlet));
    raw_log.outlet->ops->tell_stalled(raw_log.outlet, -ENODATA, 0, 4096);
    assert_told("`burstlog format --destination /dev/fake` prepares it; the ring keeps the records, 4096 bytes");
}

/* ------------------------------------------------------------------------------------------------- what goes wrong */

static void a_failed_sync_is_followed_by_a_redo_of_all_since_the_checkpoint(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_write(60000), 0);
    fake.sync_fails = EIO; /* the bytes to write are lost with it */
    assert_int_equal(log_sync(), -EIO);
    fake.sync_fails = 0;
    const uint64_t syncs = fake.syncs;
    assert_int_equal(log_sync(), OUTLET_REWIND); /* a failed sync is not repeated */
    assert_int_equal(fake.syncs, syncs);
    assert_int_equal(log_write(70000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 70000);
}

static void a_device_that_is_gone_is_waited_for(void **state) {
    (void)state;
    assert_int_equal(log_write(25000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_int_equal(log_write(60000), 0);
    fake.write_fails = ENXIO;
    assert_int_equal(log_write(70000), -ENXIO);
    fake.is_gone = 1;
    memcpy(fake.cached, fake.durable, sizeof fake.cached);
    for (int i = 0; i < 3; i++)
        assert_int_equal(log_write(70000), -ENOENT);
    raw_log.outlet->ops->tell_stalled(raw_log.outlet, -ENOENT, 120000000000, 45000);
    assert_told("(for 120 s now): log device /dev/fake does not exist");
    fake.is_gone = fake.write_fails = 0;
    assert_int_equal(log_write(70000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, 70000);
}

static void a_full_device_keeps_whole_batches_and_the_rest_waits(void **state) {
    (void)state;
    const uint64_t whole = CAPACITY / LOG_BATCH_BYTES * LOG_BATCH_BYTES;
    assert_int_equal(log_write(CAPACITY + 5000), -ENOSPC);
    assert_int_equal(raw_log.noted_bytes, whole); /* all whole batches that fit are there */
    assert_device_has(0, 0, whole);
    raw_log.outlet->ops->tell_stalled(raw_log.outlet, -ENOSPC, 0, 9000);
    assert_told("log device /dev/fake is full: it takes 1048576 bytes, has 1040000");
    raw_log.outlet->ops->tell_going(raw_log.outlet);
    assert_int_equal(assert_told("is being written again"), EVENT_ERROR); /* as its beginning */
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(CAPACITY + 5000), -ENOSPC);
    assert_int_equal(raw_log.notes, 1);
}

static void a_device_is_filled_to_its_last_byte(void **state) {
    (void)state;
    raw_log.batch_bytes = 4096;
    assert_int_equal(log_write(CAPACITY), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, CAPACITY);
    assert_int_equal(log_reopen(), OUTLET_READY);
    assert_int_equal(log_write(CAPACITY + 1), -ENOSPC);
}

static void a_full_device_is_formatted_beside_the_log_which_goes_on_there(void **state) {
    (void)state;
    const uint64_t whole = CAPACITY / LOG_BATCH_BYTES * LOG_BATCH_BYTES;
    assert_int_equal(log_write(CAPACITY + 5000), -ENOSPC);
    const uint64_t openings = fake.openings;
    assert_int_equal(log_write(CAPACITY + 5000), -ENOSPC);
    assert_int_equal(fake.openings, openings); /* not even for a moment: else format would be refused */
    assert_false(fake.is_held);
    fake_format();
    assert_int_equal(log_write(CAPACITY + 5000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, whole, CAPACITY + 5000 - whole);
}

/* ---------------------------------------------------------------------------------------------------- power is cut */

/* Checks the device up to the end that it names, and writes on. */
static void check_after_the_cut(uint64_t noted_bytes) {
    const struct raw_view view = fake_view();
    const uint64_t end = raw_view_length(&view);
    assert_true(view.newest >= 0);
    if (end < noted_bytes)
        fail_msg("the device names %llu bytes, the ring has let go of %llu", (unsigned long long)end,
                 (unsigned long long)noted_bytes);
    assert_device_has(0, 0, end);
    if (log_reopen() != OUTLET_READY)
        fail_msg("%s", error_text());
    assert_int_equal(log_write(raw_log.written + 30000), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    assert_device_has(0, 0, raw_log.noted_bytes);
    assert_int_equal(raw_log.notes, 1);
}

static void whatever_the_power_leaves_the_bytes_that_are_named_are_there(void **state) {
    (void)state;
    static uint8_t before[FAKE_BYTES];
    memcpy(before, fake.cached, sizeof before);
    const struct outlet_state first = raw_log.state;
    for (int64_t round = 0; round < 300; round++) {
        fake.cut_in = 1 + round % 30;
        raw_log.batch_bytes = 300 + next_random() % LOG_BATCH_BYTES;
        while (fake.cut_in != 0) {
            int rc = log_write(raw_log.written + 1 + next_random() % 20000);
            if (rc == 0 && next_random() % 2 == 0)
                rc = log_sync();
        }
        fake_power_up(next_random);
        check_after_the_cut(raw_log.noted_bytes);
        memcpy(fake.cached, before, sizeof before);
        memcpy(fake.durable, before, sizeof before);
        raw_log.outlet->ops->close(raw_log.outlet);
        raw_log.state = first;
        raw_log.noted_bytes = 0;
        assert_int_equal(log_reopen(), OUTLET_READY);
    }
}

#define RAW_TEST(name) cmocka_unit_test_setup_teardown(name, log_begin, log_end)

int main(void) {
    const struct CMUnitTest tests[] = {
        RAW_TEST(bytes_are_durable_in_order_and_then_named),
        RAW_TEST(the_two_end_slots_take_turns),
        RAW_TEST(a_log_goes_on_where_it_was),
        RAW_TEST(a_log_without_a_ring_is_continued_behind_its_end),
        RAW_TEST(a_redo_writes_the_same_bytes_to_the_same_places),
        RAW_TEST(a_redo_of_other_bytes_goes_behind_what_is_there),
        RAW_TEST(what_is_no_log_device_is_refused_naming_the_command),
        RAW_TEST(a_device_that_a_writer_holds_is_refused_naming_it),
        RAW_TEST(another_device_with_a_log_gets_no_byte),
        RAW_TEST(a_device_formatted_anew_is_begun_anew_once_both_slots_know_it),
        RAW_TEST(an_empty_device_in_the_place_of_a_lost_one_gets_what_was_not_noted),
        RAW_TEST(what_a_stranger_says_of_the_device_is_noted_anew),
        RAW_TEST(an_older_copy_of_the_device_is_refused),
        RAW_TEST(a_rotten_end_is_mended_by_what_the_ring_knows),
        RAW_TEST(one_bad_header_copy_is_used_around),
        RAW_TEST(a_device_overwritten_in_use_gets_no_further_byte),
        RAW_TEST(a_failed_sync_is_followed_by_a_redo_of_all_since_the_checkpoint),
        RAW_TEST(a_device_that_is_gone_is_waited_for),
        RAW_TEST(a_full_device_keeps_whole_batches_and_the_rest_waits),
        RAW_TEST(a_device_is_filled_to_its_last_byte),
        RAW_TEST(a_full_device_is_formatted_beside_the_log_which_goes_on_there),
        RAW_TEST(whatever_the_power_leaves_the_bytes_that_are_named_are_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
