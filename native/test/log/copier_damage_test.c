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

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(a_loss_at_the_end_of_the_log_holds_nothing_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
