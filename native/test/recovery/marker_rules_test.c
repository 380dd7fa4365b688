/* SPDX-License-Identifier: Apache-2.0 */
/* The table of marker_rules.h over its whole domain. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recovery/marker_rules.h"

enum { COMBINATIONS = 32 * 3 * 3 };

static struct marker_facts combination(unsigned i) {
    return (struct marker_facts){.hides_with_room = i & 1,
                                 .ends_in_marker = i >> 1 & 1,
                                 .is_known_elsewhere = i >> 2 & 1,
                                 .is_well_formed = i >> 3 & 1,
                                 .is_in_last_block = i >> 4 & 1,
                                 .reached = (enum marker_reached)(i / 32 % 3),
                                 .pair = (enum marker_pair)(i / 96)};
}

static int gives_way(enum marker_place place) {
    return place == MARKER_IN_FIRST || place == MARKER_IN_SECOND || place == MARKER_IN_PLACE;
}

/* Counts that were worked out by hand. Half of the combinations hide something. In 9 of the others the marker gives
 * way: for each of the three pairs from its end, in the last block and before it, and over damage in the last block. */
static void each_place_has_its_combinations(void **state) {
    (void)state;
    unsigned count[MARKER_IN_PLACE + 1] = {0};
    for (unsigned i = 0; i < COMBINATIONS; i++) {
        count[marker_place_for(combination(i))]++;
    }
    assert_int_equal(count[MARKER_BEHIND_HIDDEN], 144);
    assert_int_equal(count[MARKER_BEHIND_ALL], 135);
    assert_int_equal(count[MARKER_IN_FIRST], 3);
    assert_int_equal(count[MARKER_IN_SECOND], 3);
    assert_int_equal(count[MARKER_IN_PLACE], 3);
}

/* A marker stays if anything might mention it or need it. */
static void a_marker_gives_way_only_if_nothing_needs_it(void **state) {
    (void)state;
    for (unsigned i = 0; i < COMBINATIONS; i++) {
        const struct marker_facts facts = combination(i);
        if (gives_way(marker_place_for(facts))) {
            assert_true(facts.ends_in_marker && facts.is_well_formed);
            assert_false(facts.is_known_elsewhere || facts.hides_with_room);
            assert_int_not_equal(facts.reached, REACHED_ELSEWHERE);
            assert_true(facts.reached == REACHED_FROM_ITS_END || facts.is_in_last_block);
        }
    }
}

/* If its pair has two blocks, a torn write of the next marker leaves the last marker whole. */
static void the_last_marker_is_overwritten_only_where_its_pair_has_one_block(void **state) {
    (void)state;
    for (unsigned i = 0; i < COMBINATIONS; i++) {
        const struct marker_facts facts = combination(i);
        const enum marker_place place = marker_place_for(facts);
        assert_true(place != MARKER_IN_PLACE || facts.pair == PAIR_FIRST_ONLY);
        assert_true(place != MARKER_IN_FIRST || facts.pair == PAIR_SECOND);
        assert_true(place != MARKER_IN_SECOND || facts.pair == PAIR_FIRST);
    }
}

static void nothing_hidden_is_behind_the_marker_if_there_is_room(void **state) {
    (void)state;
    for (unsigned i = 0; i < COMBINATIONS; i++) {
        const struct marker_facts facts = combination(i);
        assert_int_equal(marker_place_for(facts) == MARKER_BEHIND_HIDDEN, facts.hides_with_room);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_place_has_its_combinations),
        cmocka_unit_test(a_marker_gives_way_only_if_nothing_needs_it),
        cmocka_unit_test(the_last_marker_is_overwritten_only_where_its_pair_has_one_block),
        cmocka_unit_test(nothing_hidden_is_behind_the_marker_if_there_is_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
