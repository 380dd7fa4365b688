/* SPDX-License-Identifier: Apache-2.0 */
/* A ring that comes back without records that were durable in it: the copy has them. */
#include "copied_ring.h"

static uint8_t older[MEDIUM_BYTES];

/* The copy has three records, each of a commit of its own. The medium is kept as it was behind the first ones. */
static void copy_three(int kept) {
    open_and_begin();
    for (int i = 1; i <= 3; i++) {
        append(100);
        if (i == kept) {
            memcpy(older, medium, sizeof older);
        }
    }
    take_and_confirm_all();
    assert_int_equal(copied.last, 3);
}

static void put_back(void) {
    close_ring();
    memcpy(medium, older, sizeof medium);
}

static void assert_refused(const char *words) {
    struct copier_figures figures;
    assert_int_equal(try_to_begin(), -EINVAL);
    assert_non_null(strstr(error_text(), words));
    copier_look(copy(), &figures);
    assert_int_equal(figures.state, COPY_EXPECTED);
}

static void a_ring_that_has_lost_durable_records_is_refused(void **state) {
    (void)state;
    copy_three(1);
    put_back();
    open_ring();
    assert_refused("ring /ring has lost records 2 to 2, which were durable in it when copy B got record 3: recover");
}

/* Nor is it taken for the copy's ring when it has other records with these sequences. */
static void nor_does_it_pass_with_others_in_their_place(void **state) {
    (void)state;
    copy_three(1);
    put_back();
    for (int epoch = 2; epoch <= 4; epoch++) {
        open_ring();
        append(10);
        append(10);
        assert_refused("has lost records 2 to 2, which");
        close_ring();
    }
    open_ring();
    assert_refused("has lost records 2 to 2, which");
}

/* The copy has noted where it goes on, and got no record since. */
static void a_note_says_as_well_what_was_durable(void **state) {
    (void)state;
    copy_three(1);
    begin();
    assert_int_equal(begun.durable_sequence, 3);
    put_back();
    open_ring();
    assert_refused("has lost records 2 to 3, which were durable in it when copy B got record 3: recover");
}

/* As a crash may leave it: the copy's newest record knows of those before it alone. */
static void the_last_commit_alone_is_not_missed(void **state) {
    (void)state;
    copy_three(2);
    put_back();
    open_and_begin();
    assert_int_equal(begun.surplus, 1);
    assert_int_equal(begun.next_sequence, 3);
}

static void a_copy_that_does_not_know_goes_on(void **state) {
    (void)state;
    copy_three(1);
    put_back();
    copied.durable[3] = 0;
    open_and_begin();
    assert_int_equal(begun.surplus, 2);
    assert_int_equal(begun.next_sequence, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COPY_TEST(a_ring_that_has_lost_durable_records_is_refused),
        COPY_TEST(nor_does_it_pass_with_others_in_their_place),
        COPY_TEST(a_note_says_as_well_what_was_durable),
        COPY_TEST(the_last_commit_alone_is_not_missed),
        COPY_TEST(a_copy_that_does_not_know_goes_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
