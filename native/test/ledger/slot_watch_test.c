/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's look at slots that another process writes. */
#include "ledger/slot_watch.h"

#include "ledger/ledger_medium.h"

static struct slot_watch watch;
static int read_error;

static int read_or_fail(struct device *from, uint64_t offset, void *data, size_t bytes) {
    return read_error != 0 ? error_set(-read_error, "the medium cannot be read")
                           : read_blocks(from, offset, data, bytes);
}

static const struct device_ops failing_ops = {.name = "memory", .write = write_blocks, .read = read_or_fail};

static int begin(void **state) {
    format(state);
    read_error = 0;
    device.ops = &failing_ops;
    return slot_watch_begin(&watch, ledger_checkpoints(ledger), 1);
}

static int end(void **state) {
    slot_watch_end(&watch);
    return close_ledger(state);
}

static void assert_released(uint64_t wanted) {
    assert_int_equal(slot_watch_look(&watch), 0);
    assert_int_equal(slot_watch_released(&watch), wanted);
}

static void space_is_free_once_both_slots_let_go_of_it(void **state) {
    (void)state;
    checkpoint(64);
    assert_released(0);
    checkpoint(128);
    assert_released(64);
    assert_int_equal(slot_watch_drained(&watch), 128);
    checkpoint(128);
    assert_released(128);
}

static void the_slowest_of_all_streams_holds_its_space(void **state) {
    (void)state;
    make_streams(3, 20);
    checkpoint(64);
    streams[0].drained_position = streams[1].drained_position = 4096;
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), 0);
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), 0);
    assert_released(64 + 2 * 8);
}

/* The drain is just writing the slot, or died in the middle. */
static void a_torn_slot_leaves_what_was_known(void **state) {
    (void)state;
    checkpoint(64);
    checkpoint(128);
    assert_released(64);
    const unsigned older = 1 - slots()->newest;
    uint8_t *const byte = (uint8_t *)slot(older) + 100;
    const uint8_t before = *byte;
    *byte ^= 1;
    assert_released(64);
    *byte = before;
    checkpoint(192);
    assert_released(128);
}

/* The write of the newer one may not be durable yet. */
static void a_stream_is_drained_as_far_as_both_slots_say(void **state) {
    (void)state;
    make_streams(2, 20);
    checkpoint(64);
    checkpoint(128);
    assert_int_equal(slot_watch_look(&watch), 0);
    checkpoint(640);
    assert_int_equal(slot_watch_look(&watch), 0);
    assert_int_equal(slot_watch_next_sequence(&watch, 1), 1 + 128 / 64);
    assert_int_equal(checkpoint_position(slot_watch_surely(&watch), 1).drained_position, 128 + 8);
    checkpoint(640);
    assert_int_equal(slot_watch_look(&watch), 0);
    assert_int_equal(slot_watch_next_sequence(&watch, 1), 1 + 640 / 64);
}

static void a_stream_that_one_slot_lacks_is_not_drained(void **state) {
    (void)state;
    make_streams(2, 20);
    checkpoint(64);
    assert_int_equal(slot_watch_look(&watch), 0);
    assert_int_equal(slot_watch_next_sequence(&watch, 1), 0);
    assert_int_equal(slot_watch_next_sequence(&watch, 0), 1);
    checkpoint(64);
    assert_int_equal(slot_watch_look(&watch), 0);
    assert_int_equal(slot_watch_next_sequence(&watch, 1), 2);
    assert_int_equal(slot_watch_next_sequence(&watch, 9), 0);
}

static void of_a_long_checkpoint_every_block_counts(void **state) {
    (void)state;
    make_streams(LAYOUT_STREAMS_MAX, 1000);
    checkpoint(64);
    checkpoint(128);
    assert_released(64);
    for (int left = 1; left < 5; left++) {
        for (from_the_end = 0; from_the_end < 2; from_the_end++) {
            for (unsigned i = 0; i < count; i++) {
                streams[i].drained_position += 64;
            }
            streams[count - 1].outlet.path[999] ^= 1; /* in the last block */
            blocks_left = left;
            assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), -EIO);
            assert_released(64);
        }
    }
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), 0);
    assert_released(128);
}

/* A drain that was stopped for long writes what it knew. */
static void a_slot_that_goes_back_is_not_believed(void **state) {
    (void)state;
    static struct one_stream old;
    checkpoint(64);
    old = *slot(slots()->newest);
    const unsigned place = slots()->newest;
    checkpoint(128);
    checkpoint(192);
    checkpoint(256);
    assert_released(192);
    *slot(place) = old;
    assert_released(192);
}

static void a_medium_that_cannot_be_read_frees_nothing(void **state) {
    (void)state;
    checkpoint(64);
    checkpoint(128);
    read_error = -EIO;
    assert_int_equal(slot_watch_look(&watch), -EIO);
    assert_int_equal(slot_watch_released(&watch), 0);
    read_error = 0;
    assert_released(64);
}

/* The medium may have got all of it; nobody knows. */
static void a_checkpoint_whose_write_failed_frees_nothing(void **state) {
    (void)state;
    checkpoint(64);
    blocks_left = 1;
    assert_int_equal(checkpoints_write(ledger_checkpoints(ledger), 1, states, count), -EIO);
    slot_watch_take(&watch, ledger_checkpoints(ledger));
    assert_int_equal(slot_watch_released(&watch), 0);
    assert_int_equal(slot_watch_drained(&watch), 64);
    checkpoint(128);
    slot_watch_take(&watch, ledger_checkpoints(ledger));
    assert_int_equal(slot_watch_released(&watch), 64);
}

static void a_stream_is_there_once_both_slots_name_it(void **state) {
    (void)state;
    struct checkpoints *const checkpoints = ledger_checkpoints(ledger);
    make_streams(2, 20);
    assert_true(slot_watch_names(&watch, NULL, 0));
    assert_false(slot_watch_names(&watch, NULL, 1) || slot_watch_names(&watch, checkpoints, 1));
    checkpoint(64);
    assert_false(slot_watch_names(&watch, NULL, 1) || slot_watch_names(&watch, checkpoints, 1));
    checkpoint(128);
    assert_true(slot_watch_names(&watch, NULL, 1) && slot_watch_names(&watch, checkpoints, 1));
    ((uint8_t *)slot(slots()->newest))[100] ^= 1;
    assert_false(slot_watch_names(&watch, NULL, 1));
}

#define WATCHED(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        WATCHED(a_stream_is_drained_as_far_as_both_slots_say),
        WATCHED(a_stream_that_one_slot_lacks_is_not_drained),
        WATCHED(space_is_free_once_both_slots_let_go_of_it),
        WATCHED(the_slowest_of_all_streams_holds_its_space),
        WATCHED(a_torn_slot_leaves_what_was_known),
        WATCHED(of_a_long_checkpoint_every_block_counts),
        WATCHED(a_slot_that_goes_back_is_not_believed),
        WATCHED(a_medium_that_cannot_be_read_frees_nothing),
        WATCHED(a_stream_is_there_once_both_slots_name_it),
        WATCHED(a_checkpoint_whose_write_failed_frees_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
