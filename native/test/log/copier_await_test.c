/* SPDX-License-Identifier: Apache-2.0 */
/* The second copy of a log: what those who wait for it are told, and what the figures say. */
#include "copied_ring.h"

static int sleeps, wakes;

/* The copy takes while the call sleeps for the first time, and confirms while it sleeps again. */
static int copy_meanwhile(const struct platform *platform, _Atomic uint32_t *word, uint32_t expected,
                          int64_t timeout_ns) {
    (void)platform, (void)word, (void)expected, (void)timeout_ns;
    if (++sleeps == 1) {
        assert_int_equal(take(), 1);
    } else {
        assert_int_equal(wakes, 0);
        assert_int_equal(copier_confirm(copy(), copied.last), 0);
    }
    return 0;
}

static void count_wake(const struct platform *platform, _Atomic uint32_t *word, int count) {
    (void)platform, (void)word, (void)count;
    wakes++;
}

static void a_call_that_waits_is_woken_by_a_confirmation_alone(void **state) {
    (void)state;
    sleeps = wakes = 0;
    host.park = copy_meanwhile;
    host.unpark = count_wake;
    open_and_begin();
    append(100);
    assert_int_equal(copier_await(copy(), 1, -1), 1);
    assert_int_equal(sleeps, 2);
    assert_int_equal(wakes, 1);
}

/* The log file has the record, but nobody knows yet whether the copy has it. */
static void a_copy_that_has_not_begun_has_nothing(void **state) {
    (void)state;
    open_and_begin();
    append(100);
    take_and_confirm_all();
    drain_all();
    close_ring();
    open_ring();
    assert_int_equal(copier_next_sequence(copy()), 2);
    assert_int_equal(copier_await(copy(), 1, 0), 0);
    begin();
    assert_int_equal(copier_await(copy(), 1, 0), 1);
}

static void what_is_drained_while_the_copy_is_away_is_never_called_copied(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(2);
    take_and_confirm_all();
    copier_away(copy());
    append_blocks(2);
    drain_all();
    assert_int_equal(copier_await(copy(), 3, 0), -ENOTCONN);
    copier_end(copy());
    assert_int_equal(copier_await(copy(), 3, 0), -ESHUTDOWN);
    assert_int_equal(copier_await(copy(), 2, 0), 1);
}

static void a_copy_that_is_away_and_never_began_has_nothing(void **state) {
    (void)state;
    open_and_begin();
    append_blocks(2);
    take_and_confirm_all();
    drain_all();
    close_ring();
    open_ring();
    copier_away(copy());
    assert_int_equal(copier_await(copy(), 1, 0), -ENOTCONN);
}

/* A crash took the copy's last record from the ring, and the copy is away until another one with its sequence is in the log
 * file. */
static void a_record_of_no_log_is_dropped_though_the_ring_is_behind_it(void **state) {
    (void)state;
    fail_with_a_record_in_the_copy();
    open_ring();
    copier_away(copy());
    append(10);
    append(10);
    drain_all();
    begin();
    assert_int_equal(begun.surplus, 1);
    assert_int_equal(begun.missing, 2);
    assert_int_equal(begun.next_sequence, 4);
    assert_true(is_told("records 2 to 3 are not in it"));
    assert_int_equal(copier_await(copy(), 2, 0), -ENODATA);
    assert_int_equal(copier_await(copy(), 1, 0), 1);
}

static void what_nobody_can_know_of_a_copy_is_told(void **state) {
    (void)state;
    open_and_begin();
    append(100);
    take_and_confirm_all();
    for (int turn = 0; turn < 2; turn++) {
        close_ring();
        open_ring();
        copier_away(copy());
        append(10);
        drain_all();
    }
    begin();
    assert_int_equal(begun.missing, 2);
    assert_true(is_told("ends with record 1 of epoch 1, and the log was drained without it in a later one"));
    take_and_confirm_all();
    append(10);
    take_and_confirm_all();
    drain_all();
    close_ring();
    open_ring();
    close_ring();
    open_and_begin();
    assert_int_equal(begun.missing, 0);
    assert_false(is_told("was drained without it"));
}

static void what_a_copy_loses_later_is_missing_too(void **state) {
    struct copier_figures figures;
    (void)state;
    open_and_begin();
    append_blocks(10);
    take_and_confirm_all();
    drain_all();
    copied.last = 6;
    begin();
    assert_int_equal(begun.missing, 4);
    assert_int_equal(copier_await(copy(), 5, 0), 1);
    assert_int_equal(copier_await(copy(), 7, 0), -ENODATA);
    copied.last = 2;
    begin();
    assert_int_equal(begun.missing, 8);
    assert_int_equal(copier_await(copy(), 2, 0), 1);
    assert_int_equal(copier_await(copy(), 3, 0), -ENODATA);
    assert_int_equal(copier_await(copy(), 10, 0), -ENODATA);
    copier_look(copy(), &figures);
    assert_int_equal(figures.missing, 8);
    assert_int_equal(figures.next_sequence, 11);
}

static void the_state_is_told(void **state) {
    struct copier_figures figures;
    (void)state;
    open_ring();
    append(100);
    copier_look(copy(), &figures);
    assert_int_equal(figures.state, COPY_EXPECTED);
    assert_int_equal(figures.next_sequence, 1);
    begin();
    take_and_confirm_all();
    copier_look(copy(), &figures);
    assert_int_equal(figures.state, COPY_IS_HERE);
    assert_int_equal(figures.next_sequence, 2);
    copier_away(copy());
    copier_look(copy(), &figures);
    assert_int_equal(figures.state, COPY_IS_AWAY);
    assert_int_equal(figures.missing, 0);
    assert_string_equal(copier_name(copy()), "B");
}

static void an_end_names_what_the_copy_lacks(void **state) {
    (void)state;
    open_and_begin();
    append(100);
    take_and_confirm_all();
    append(100);
    append(100);
    copier_end(copy());
    assert_true(is_told("closes while copy B lacks records 2 to 3: they stay in the ring"));
}

static void an_end_names_what_has_one_copy(void **state) {
    (void)state;
    open_and_begin();
    append(100);
    take_and_confirm_all();
    copier_away(copy());
    append(100);
    append(100);
    drain_all();
    copier_end(copy());
    assert_true(is_told("closes while copy B is away: as far as the log knows, records 2 to 3 have one copy only"));
}

static void an_end_names_what_no_copy_was_there_for(void **state) {
    (void)state;
    open_ring();
    append(100);
    copier_end(copy());
    assert_true(is_told("closes while copy B was not reached: as far as the log knows, records 1 to 1 have"));
}

static void an_end_names_no_record_if_none_came_since_the_copy_is_away(void **state) {
    (void)state;
    open_and_begin();
    append(100);
    take_and_confirm_all();
    copier_away(copy());
    copier_end(copy());
    assert_false(is_told("closes while"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(a_call_that_waits_is_woken_by_a_confirmation_alone),
        COPY_TEST(a_copy_that_has_not_begun_has_nothing),
        COPY_TEST(what_is_drained_while_the_copy_is_away_is_never_called_copied),
        COPY_TEST(a_copy_that_is_away_and_never_began_has_nothing),
        COPY_TEST(a_record_of_no_log_is_dropped_though_the_ring_is_behind_it),
        COPY_TEST(what_nobody_can_know_of_a_copy_is_told),
        COPY_TEST(what_a_copy_loses_later_is_missing_too),
        COPY_TEST(the_state_is_told),
        COPY_TEST(an_end_names_what_the_copy_lacks),
        COPY_TEST(an_end_names_what_has_one_copy),
        COPY_TEST(an_end_names_what_no_copy_was_there_for),
        COPY_TEST(an_end_names_no_record_if_none_came_since_the_copy_is_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
