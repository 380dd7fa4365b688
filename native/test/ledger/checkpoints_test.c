/* SPDX-License-Identifier: Apache-2.0 */
/* Two drains that do not see each other's lock: the slots stop one of them before it writes. */
#include "ledger/ledger_medium.h"

static struct ledger *others;

/* Another process does this while this one sleeps. */
static void (*meanwhile)(void);

static void sleep_ns(const struct platform *platform, int64_t duration_ns) {
    (void)platform, (void)duration_ns;
    if (meanwhile != NULL) {
        meanwhile();
    }
}

static struct platform_ops slow_ops;
static const struct platform slow = {.ops = &slow_ops};

static struct checkpoints *mine(void) {
    return ledger_checkpoints(ledger);
}

static int begin(void **state) {
    format(state);
    slow_ops = *platform_linux.ops;
    slow_ops.sleep_ns = sleep_ns;
    meanwhile = NULL;
    close_ledger(NULL);
    assert_int_equal(ledger_read(&slow, &device, &ledger), 0);
    assert_int_equal(ledger_read(&slow, &device, &others), 0);
    return 0;
}

static int end(void **state) {
    ledger_close(others);
    return close_ledger(state);
}

static int write_by(struct ledger *drain, uint64_t drained) {
    streams[0].drained_position = drained;
    streams[0].next_sequence = 1 + drained / 64;
    return checkpoints_write(ledger_checkpoints(drain), 1, states, count);
}

static uint64_t author(unsigned index) {
    return ((const struct checkpoint_head *)(const void *)slot(index))->drain;
}

static void each_drain_signs_what_it_writes(void **state) {
    (void)state;
    assert_int_equal(author(0), 0); /* as older versions leave it */
    assert_int_equal(checkpoints_take(mine()), 0);
    assert_int_equal(write_by(ledger, 64), 0);
    assert_int_equal(write_by(ledger, 128), 0);
    assert_int_not_equal(author(0), 0);
    assert_int_equal(author(0), author(1));
    assert_int_equal(author(0), mine()->drain);
    open_ledger();
    assert_int_equal(slots()->facts[0].drain, author(0));
    assert_int_equal(checkpoints_take(mine()), 0);
    assert_int_not_equal(mine()->drain, author(0));
}

static void a_slot_that_another_drain_wrote_stops_this_one(void **state) {
    (void)state;
    static uint8_t before[MEDIUM_BYTES];
    for (unsigned written = 0; written < 3; written++) { /* slots of this drain; the others are as it found them */
        open_ledger();
        assert_int_equal(checkpoints_take(mine()), 0);
        for (unsigned i = 0; i < written; i++) {
            assert_int_equal(write_by(ledger, 64 * (i + 1)), 0);
        }
        ledger_close(others);
        assert_int_equal(ledger_read(&slow, &device, &others), 0);
        assert_int_equal(checkpoints_take(ledger_checkpoints(others)), 0);
        assert_int_equal(write_by(others, 640), 0);
        memcpy(before, medium, sizeof medium);
        for (int tries = 0; tries < 2; tries++) {
            assert_int_equal(write_by(ledger, 320), -ESTALE);
            assert_non_null(strstr(error_text(), "another process drains ring /ring"));
            assert_memory_equal(before, medium, sizeof medium);
        }
    }
}

static void a_drain_levels_no_slot_of_another(void **state) {
    (void)state;
    assert_int_equal(write_by(ledger, 64), 0); /* before it is a drain: the slots differ */
    assert_int_equal(checkpoints_take(mine()), 0);
    ledger_close(others);
    assert_int_equal(ledger_read(&slow, &device, &others), 0);
    assert_int_equal(checkpoints_take(ledger_checkpoints(others)), 0);
    assert_int_equal(write_by(others, 640), 0);
    assert_int_equal(checkpoints_level(mine(), &events), -ESTALE);
}

static unsigned torn_slot;
static uint8_t whole[LAYOUT_CHECKPOINT_BYTES];

static void finish_write(void) {
    memcpy(slot(torn_slot), whole, sizeof whole);
}

/* The other drain stands still in the middle of its write, and goes on later. */
static void tear_a_write_of_the_other(void) {
    assert_int_equal(checkpoints_take(ledger_checkpoints(others)), 0);
    assert_int_equal(write_by(others, 640), 0);
    torn_slot = ledger_newest(others);
    memcpy(whole, slot(torn_slot), sizeof whole);
    memset((uint8_t *)slot(torn_slot) + 40, 0x5a, 200);
    meanwhile = finish_write;
}

static void a_write_of_another_drain_that_is_under_way_stops_this_one(void **state) {
    (void)state;
    assert_int_equal(checkpoints_take(mine()), 0);
    tear_a_write_of_the_other();
    assert_int_equal(write_by(ledger, 320), -ESTALE);
    assert_memory_equal(slot(torn_slot), whole, sizeof whole);
}

static void a_damaged_slot_stops_no_drain(void **state) {
    (void)state;
    assert_int_equal(checkpoints_take(mine()), 0);
    assert_int_equal(write_by(ledger, 64), 0);
    for (unsigned i = 0; i < 4; i++) {
        memset(slot(i % 2), 0x5a, 300);
        assert_int_equal(write_by(ledger, 64 * (i + 2)), 0);
    }
}

static void its_own_torn_write_stops_no_drain(void **state) {
    (void)state;
    make_streams(6, 3500);
    assert_int_equal(checkpoints_take(mine()), 0);
    for (int left = 0; left < 6; left++) {
        from_the_end = left % 2;
        blocks_left = left;
        assert_int_equal(write_by(ledger, 64 * ((uint64_t)left + 1)), -EIO);
        assert_int_equal(write_by(ledger, 64 * ((uint64_t)left + 1)), 0);
    }
}

/* Without it a drain levels the slot that another one has finished meanwhile. */
static void a_drain_that_begins_waits_for_a_write_under_way(void **state) {
    (void)state;
    tear_a_write_of_the_other();
    meanwhile = NULL;
    open_ledger();
    assert_false(slots()->is_valid[torn_slot]);
    close_ledger(NULL);
    assert_int_equal(ledger_read(&slow, &device, &ledger), 0);
    meanwhile = finish_write;
    assert_int_equal(checkpoints_settle(mine()), 0);
    assert_true(slots()->is_valid[0] && slots()->is_valid[1]);
    assert_int_equal(slots()->newest, torn_slot);
    assert_int_equal(slots()->facts[torn_slot].drain, ledger_checkpoints(others)->drain);
}

static unsigned writes_under_way;

static void write_another(void) {
    if (writes_under_way > 0) {
        writes_under_way--;
        assert_int_equal(write_by(others, 6400 - 64 * writes_under_way), 0);
    }
}

static void a_drain_that_begins_waits_until_the_slots_are_still(void **state) {
    (void)state;
    assert_int_equal(checkpoints_take(ledger_checkpoints(others)), 0);
    writes_under_way = 3;
    meanwhile = write_another;
    assert_int_equal(checkpoints_settle(mine()), 0);
    assert_int_equal(writes_under_way, 0);
    assert_int_equal(slots()->facts[slots()->newest].generation,
                     ledger_slots(others)->facts[ledger_newest(others)].generation);
}

static void a_slot_that_stays_bad_is_damaged(void **state) {
    (void)state;
    memset(slot(1), 0x5a, 300);
    assert_int_equal(checkpoints_settle(mine()), 0);
    assert_false(slots()->is_valid[1]);
    assert_int_equal(checkpoints_take(mine()), 0);
    assert_int_equal(checkpoints_level(mine(), &events), 0);
    assert_told("checkpoint slot");
    memset(slot(0), 0x5a, 300);
    memset(slot(1), 0x5a, 300);
    assert_int_equal(checkpoints_settle(mine()), -EUCLEAN);
}

#define DRAINED(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        DRAINED(each_drain_signs_what_it_writes),
        DRAINED(a_slot_that_another_drain_wrote_stops_this_one),
        DRAINED(a_drain_levels_no_slot_of_another),
        DRAINED(a_write_of_another_drain_that_is_under_way_stops_this_one),
        DRAINED(a_damaged_slot_stops_no_drain),
        DRAINED(its_own_torn_write_stops_no_drain),
        DRAINED(a_drain_that_begins_waits_for_a_write_under_way),
        DRAINED(a_drain_that_begins_waits_until_the_slots_are_still),
        DRAINED(a_slot_that_stays_bad_is_damaged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
