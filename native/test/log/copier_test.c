/* SPDX-License-Identifier: Apache-2.0 */
/* The second copy of a log: what it may take when, and what waits for it. */
#include "copied_ring.h"

#include "ring/full.h"

static uint64_t durable_next(void) {
    uint64_t position, next;
    ring_durable(host.engine->ring, &position, &next);
    return next;
}

static long log_file_bytes(void) {
    FILE *file = fopen(host.file, "r");
    assert_non_null(file);
    fseek(file, 0, SEEK_END);
    const long bytes = ftell(file);
    fclose(file);
    return bytes;
}

static uint64_t durable_when_taken;

static void take_and_submit(struct device *device, struct device_write *write) {
    assert_int_equal(take(), 1);
    durable_when_taken = durable_next();
    memory_submit(device, write);
}

static void a_record_can_be_taken_before_its_write_is_done(void **state) {
    (void)state;
    static struct device_ops ops;
    open_and_begin();
    assert_int_equal(take(), 0);
    ops = memory_ops;
    ops.submit = take_and_submit;
    host.device.ops = &ops;
    append(100);
    append(200);
    host.device.ops = &memory_ops;
    assert_int_equal(copied.last, 2);
    assert_int_equal(durable_when_taken, 2);
    assert_int_equal(take(), 0);
}

static void no_log_file_gets_what_the_copy_lacks(void **state) {
    (void)state;
    open_ring();
    append(100);
    assert_int_equal(engine_step(host.engine, 1), 0);
    begin();
    assert_int_equal(engine_step(host.engine, 1), 0);
    assert_int_equal(take(), 1);
    assert_int_equal(engine_step(host.engine, 1), 0);
    assert_int_equal(log_file_bytes(), 0);
    assert_false(engine_is_drained(host.engine));
    assert_int_equal(copier_confirm(copy(), 1), 0);
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_int_equal(log_file_bytes(), 100);
    assert_true(engine_is_drained(host.engine));
}

static void an_empty_log_is_drained_with_an_empty_copy(void **state) {
    (void)state;
    open_and_begin();
    engine_step(host.engine, 1);
    assert_true(engine_is_drained(host.engine));
    close_ring();
    open_and_begin(); /* another epoch without a record */
    engine_step(host.engine, 1);
    assert_true(engine_is_drained(host.engine));
}

/* Many laps, with blocks of all sizes. */
static void each_record_is_taken_once_and_in_order(void **state) {
    (void)state;
    open_and_begin();
    for (unsigned turn = 1; turn < 600; turn++) {
        append(turn * 37 % BLOCK_BYTES);
        if (turn % 3 == 0) {
            append(turn % 50);
        }
        while (take_within(BLOCK_BYTES + RECORD_HEADER_BYTES + turn * 11 % (3 * BLOCK_BYTES)) == 1) {
        }
        assert_int_equal(copied.last + 1, durable_next());
        if (turn % 2 == 0) {
            assert_int_equal(copier_confirm(copy(), copied.last - turn % 4 / 2), 0);
            assert_true(engine_step(host.engine, 1) >= 0);
        }
    }
}

static void a_crash_leaves_what_the_copy_lacks(void **state) {
    (void)state;
    open_and_begin();
    append(100);
    append(100);
    take_and_confirm_all();
    append(100);
    assert_int_equal(take(), 1); /* the copy has it, and the ring was not told */
    append(100);
    assert_int_equal(engine_step(host.engine, 1), 1);
    close_ring();
    open_and_begin();
    assert_int_equal(begun.next_sequence, 4);
    assert_int_equal(begun.missing, 0);
    assert_int_equal(begun.surplus, 0);
    append(100);
    assert_int_equal(take(), 1); /* a block ends with its epoch */
    assert_int_equal(block.last_sequence, 4);
    assert_int_equal(take(), 1);
    assert_int_equal(block.epoch, 2);
    assert_int_equal(copied.last, 5);
}

/* The copy gets no VOID, and a block has no gap. */
static void a_block_ends_before_a_void(void **state) {
    (void)state;
    struct ring_stream closed = {.id = 1};
    open_and_begin();
    ring_close_stream(host.engine->ring, &closed);
    append(100);
    assert_int_equal(ring_append(host.engine->ring, "late", 4, 0, &closed, &for_ever), -ESHUTDOWN);
    append(100);
    assert_int_equal(ring_append(host.engine->ring, "late", 4, 0, &closed, &for_ever), -ESHUTDOWN);
    assert_int_equal(take(), 1);
    assert_int_equal(copied.last++, 1);
    assert_int_equal(take(), 1);
    assert_int_equal(copied.last, 3);
    assert_int_equal(take(), 0);
    assert_int_equal(copier_confirm(copy(), 3), 0);
    assert_int_equal(engine_step(host.engine, 1), 1);
    assert_true(engine_is_drained(host.engine));
}

static void what_no_call_acknowledged_is_dropped_from_the_copy(void **state) {
    (void)state;
    fail_with_a_record_in_the_copy();
    open_and_begin();
    assert_int_equal(begun.surplus, 1);
    assert_int_equal(begun.missing, 0);
    append(10);
    assert_int_equal(take(), 1);
    assert_int_equal(copied.last, 2);
    assert_int_equal(copied.first_byte[2], 'x');
}

static void it_is_dropped_too_if_the_ring_has_other_records_meanwhile(void **state) {
    (void)state;
    fail_with_a_record_in_the_copy();
    open_ring();
    append(10);
    append(10);
    begin();
    assert_int_equal(begun.surplus, 1);
    assert_int_equal(begun.next_sequence, 2);
    assert_int_equal(take(), 1);
    assert_int_equal(copied.first_byte[2], 'x');
    assert_int_equal(copied.last, 3);
}

/* The copy has the first two of 18 records, and lacks those up to the tenth. */
static void leave_a_gap(void) {
    open_and_begin();
    append_blocks(2);
    take_and_confirm_all();
    close_ring();
    open_and_begin(); /* so its last record is of an earlier epoch than those that it will lack */
    copier_away(copy());
    append_blocks(8);
    drain_all();
    append_blocks(8);
    begin();
    assert_int_equal(begun.missing, 8);
    assert_true(is_told("records 3 to 10 are not in it"));
}

static void nobody_waits_for_a_copy_that_is_away_and_the_gap_is_named(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(2);
    take_and_confirm_all();
    assert_int_equal(copier_away(copy()), 0);
    assert_true(is_told("copy B of ring /ring is away: records from 3 on have one copy only"));
    assert_int_equal(take(), -ENOTCONN);
    assert_int_equal(copier_confirm(copy(), 2), -ENOTCONN);
    append_blocks(8);
    assert_int_equal(copier_await(copy(), 3, 0), -ENOTCONN);
    assert_int_equal(copier_await(copy(), 2, 0), 1);
    drain_all();
    append_blocks(8); /* more than the ring holds beside the first ones */
    begin();
    assert_int_equal(begun.missing, 8);
    assert_int_equal(begun.next_sequence, 11);
    assert_true(is_told("records 3 to 10 are not in it, and not in the ring any more"));
    assert_int_equal(copier_await(copy(), 10, 0), -ENODATA);
    assert_int_equal(copier_await(copy(), 11, 0), 0);
    take_and_confirm_all();
    assert_int_equal(copied.last, 18);
    assert_int_equal(copier_await(copy(), 11, 0), 1);
    assert_int_equal(copier_await(copy(), 2, 0), 1);
    drain_all();
    assert_true(engine_is_drained(host.engine));
}

/* The copy has noted it, and its copier fails before the first record behind it is stored. */
static void a_gap_is_named_once(void **state) {
    (void)state;
    leave_a_gap();
    begin();
    assert_int_equal(begun.next_sequence, 11);
    assert_int_equal(begun.missing + begun.surplus, 0);
    assert_false(is_told("are not in it"));
}

/* Its note of the gap was lost. */
static void a_gap_that_is_named_twice_counts_once(void **state) {
    struct copier_figures figures;
    (void)state;
    leave_a_gap();
    copied.last = 2;
    begin();
    assert_int_equal(begun.missing, 8);
    copier_look(copy(), &figures);
    assert_int_equal(figures.missing, 8);
}

/* The copy has its note, but the host crashes, twice: no record has another epoch than before. */
static void a_gap_is_named_once_over_crashes(void **state) {
    (void)state;
    leave_a_gap();
    for (int turn = 0; turn < 2; turn++) {
        close_ring();
        open_ring();
    }
    begin();
    assert_int_equal(begun.next_sequence, 11);
    assert_int_equal(begun.missing + begun.surplus, 0);
    assert_false(is_told("are not in it"));
    assert_false(is_told("was drained without it"));
    take_and_confirm_all();
    assert_int_equal(copied.last, 18);
}

/* An empty copy of a ring that has drained records. */
static void a_gap_is_named_once_to_a_copy_without_a_record(void **state) {
    (void)state;
    open_ring();
    append_blocks(2);
    copier_away(copy());
    drain_all();
    begin();
    assert_int_equal(begun.missing, 2);
    begin();
    assert_int_equal(begun.missing + begun.surplus, 0);
}

/* The copy notes that it goes on behind a record that a crash then takes from the ring, and which gives its sequence to
 * another one in the next epoch. */
static void a_note_keeps_no_record_that_a_crash_takes(void **state) {
    (void)state;
    open_and_begin();
    append(100);
    host.fail_submitted = 1;
    assert_true(ring_append(host.engine->ring, "lost", 4, 0, &stream_0, &for_ever) < 0);
    host.fail_submitted = 0;
    assert_int_equal(take(), 1);
    begin();
    assert_int_equal(begun.next_sequence, 3);
    close_ring();
    open_ring();
    append(10);
    begin();
    assert_int_equal(begun.next_sequence, 2);
    assert_int_equal(begun.surplus, 1);
    assert_int_equal(take(), 1);
    assert_int_equal(copied.first_byte[2], 'x');
}

/* The copy notes that its last record is of no log, and only the next epoch but one gives its sequence to another one. */
static void a_note_that_drops_a_record_stands_over_crashes(void **state) {
    (void)state;
    fail_with_a_record_in_the_copy();
    open_and_begin();
    assert_int_equal(begun.surplus, 1);
    close_ring();
    open_ring();
    append(10);
    begin();
    assert_int_equal(begun.next_sequence, 2);
    assert_int_equal(begun.missing + begun.surplus, 0);
    assert_int_equal(take(), 1);
    assert_int_equal(copied.first_byte[2], 'x');
}

static void a_copy_that_is_back_soon_misses_nothing(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(2);
    take_and_confirm_all();
    copier_away(copy());
    append_blocks(2);
    begin();
    assert_int_equal(begun.missing, 0);
    assert_true(is_told("is back, and goes on with record 3"));
    engine_step(host.engine, 1);
    assert_int_equal(host.engine->ring->freed, host.engine->ring->copy.kept);
    assert_int_equal(take(), 1);
    assert_int_equal(block.first_sequence, 3);
}

/* The open must bring the records to the file that the stream had before. */
static void what_is_drained_early_stays_in_the_ring_for_the_copy(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(3);
    close_ring();
    strcat(host.file, ".other");
    open_ring();
    const uint64_t freed = host.engine->ring->freed;
    append_blocks(1);
    drain_all();
    assert_int_equal(host.engine->ring->freed, freed);
    begin();
    assert_int_equal(begun.missing, 0);
    take_and_confirm_all();
    assert_int_equal(copied.last, 4);
    engine_step(host.engine, 1);
    assert_true(host.engine->ring->freed > freed);
}

/* Both checkpoints have the records before the copy is declared away, and none is written before it begins. */
static void what_was_drained_early_is_missing_in_a_copy_declared_away(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(8);
    close_ring();
    strcat(host.file, ".other");
    open_ring();
    drain_all();
    copier_away(copy());
    assert_true(is_told("records from 1 on have one copy only"));
    engine_step(host.engine, 0);
    append_blocks(14); /* the last ones stand where the first ones were */
    begin();
    assert_int_equal(begun.missing, 8);
    assert_int_equal(begun.next_sequence, 9);
    assert_true(is_told("records 1 to 8 are not in it, and not in the ring any more"));
    assert_int_equal(copier_await(copy(), 8, 0), -ENODATA);
    take_and_confirm_all();
    assert_int_equal(copied.last, 22);
}

/* The drain has nothing to write, so it writes no checkpoint. */
static void space_comes_back_if_the_copy_alone_moves(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(3);
    close_ring();
    strcat(host.file, ".other");
    open_and_begin();
    const uint64_t freed = host.engine->ring->freed;
    drain_all();
    take_and_confirm_all();
    assert_int_equal(host.engine->ring->freed, freed);
    assert_int_equal(engine_step(host.engine, 0), 0);
    assert_true(host.engine->ring->freed > freed);
}

static void a_full_ring_names_the_one_who_is_behind(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(8);
    full_begins(host.engine->ring, host.now_ns);
    full_lasts(host.engine->ring, 2000000000, host.now_ns);
    assert_true(is_told("appends wait until its second copy has its records"));
    take_and_confirm_all();
    full_begins(host.engine->ring, host.now_ns);
    full_lasts(host.engine->ring, 2000000000, host.now_ns + 120000000000);
    assert_true(is_told("appends wait until its records are in the log file"));
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    open_ring();
    append(100);
    assert_int_equal(take(), -ENOTCONN);
    assert_int_equal(copier_await(copy(), 1, 0), 0);
    assert_int_equal(copier_begin(copy(), 1, 2, 0, &begun), -EINVAL); /* an epoch to come */
    assert_int_equal(copier_begin(copy(), 2, 1, 0, &begun), -EINVAL); /* a record to come */
    begin();
    assert_int_equal(copier_confirm(copy(), 1), -EINVAL);
    assert_int_equal(take_within(100), -EMSGSIZE);
    assert_int_equal(take(), 1);
    assert_int_equal(copier_confirm(copy(), 1), 0);
    assert_int_equal(copier_confirm(copy(), 1), 0);
    copier_end(copy());
    assert_false(is_told("lacks records"));
    assert_int_equal(take(), -ESHUTDOWN);
    assert_int_equal(copier_confirm(copy(), 1), -ESHUTDOWN);
    assert_int_equal(copier_away(copy()), -ESHUTDOWN);
    assert_int_equal(copier_begin(copy(), 1, 1, 0, &begun), -ESHUTDOWN);
    assert_int_equal(copier_await(copy(), 1, 0), 1);
    assert_int_equal(copier_await(copy(), 2, -1), -ESHUTDOWN);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(a_record_can_be_taken_before_its_write_is_done),
        COPY_TEST(no_log_file_gets_what_the_copy_lacks),
        COPY_TEST(an_empty_log_is_drained_with_an_empty_copy),
        COPY_TEST(each_record_is_taken_once_and_in_order),
        COPY_TEST(a_crash_leaves_what_the_copy_lacks),
        COPY_TEST(a_block_ends_before_a_void),
        COPY_TEST(what_no_call_acknowledged_is_dropped_from_the_copy),
        COPY_TEST(it_is_dropped_too_if_the_ring_has_other_records_meanwhile),
        COPY_TEST(nobody_waits_for_a_copy_that_is_away_and_the_gap_is_named),
        COPY_TEST(a_gap_is_named_once),
        COPY_TEST(a_gap_that_is_named_twice_counts_once),
        COPY_TEST(a_gap_is_named_once_over_crashes),
        COPY_TEST(a_gap_is_named_once_to_a_copy_without_a_record),
        COPY_TEST(a_note_keeps_no_record_that_a_crash_takes),
        COPY_TEST(a_note_that_drops_a_record_stands_over_crashes),
        COPY_TEST(a_copy_that_is_back_soon_misses_nothing),
        COPY_TEST(what_is_drained_early_stays_in_the_ring_for_the_copy),
        COPY_TEST(what_was_drained_early_is_missing_in_a_copy_declared_away),
        COPY_TEST(space_comes_back_if_the_copy_alone_moves),
        COPY_TEST(a_full_ring_names_the_one_who_is_behind),
        COPY_TEST(what_cannot_be_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
