/* SPDX-License-Identifier: Apache-2.0 */
/* The medium of the ring loses a record before the second copy has it. */
#include "copied_ring.h"

/* The copy has the first record, and is to get the second one. The third one rots; so many others stand behind it. */
static void open_behind_a_loss(int behind) {
    open_and_begin();
    append_blocks(1);
    take_and_confirm_all();
    append_blocks(1);
    const uint64_t position = align_up(ring_claimed(host.engine->ring), BLOCK_BYTES);
    append_blocks(1 + behind);
    engine_note_end(host.engine); /* the last one was durable */
    close_ring();
    memset(medium + LAYOUT_DATA_OFFSET + position % CAPACITY_BYTES, 0xee, BLOCK_BYTES);
    open_and_begin();
    assert_int_equal(host.engine->view.recovery.lost, 1);
    assert_int_equal(begun.next_sequence, 2);
    assert_int_equal(begun.missing, 0);
}

static void a_loss_at_the_end_of_the_log_holds_nothing_up(void **state) {
    (void)state;
    open_behind_a_loss(0);
    take_and_confirm_all();
    assert_int_equal(copied.last, 2);
    drain_all();
    assert_true(engine_is_drained(host.engine));
    copier_end(copy());
    assert_false(is_told("lacks records"));
}

/* Though the copy has confirmed records behind it. */
static void a_record_that_is_lost_is_never_called_copied(void **state) {
    (void)state;
    open_behind_a_loss(1);
    assert_int_equal(take(), 1);
    assert_int_equal(copier_confirm(copy(), 2), 0);
    copied.last = 3; /* the copy has no such record */
    assert_int_equal(take(), 1);
    assert_int_equal(copier_confirm(copy(), 4), 0);
    assert_int_equal(copier_next_sequence(copy()), 5);
    assert_int_equal(copier_await(copy(), 1, 0), 1);
    assert_int_equal(copier_await(copy(), 2, 0), 1);
    assert_int_equal(copier_await(copy(), 3, 0), -ENODATA);
    assert_non_null(strstr(error_text(), "record 3 of ring /ring is lost"));
    assert_int_equal(copier_await(copy(), 4, 0), 1);
    copier_away(copy());
    assert_int_equal(copier_await(copy(), 3, 0), -ENODATA);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(a_loss_at_the_end_of_the_log_holds_nothing_up),
        COPY_TEST(a_record_that_is_lost_is_never_called_copied),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
