/* SPDX-License-Identifier: Apache-2.0 */
/* The things of an ordered list that stay. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/keep.h"

#define ANY UINT64_MAX
#define ANY_AGE INT64_MAX
#define NOW_NS 100
#define MOST 8

/* One letter for each thing, the newest first: f is free, n is needed, a always stays. Each has 10 bytes; `changed` has its time. */
static const char *staying(const struct keep_rule *rule, const char *things, const int64_t *changed) {
    static char stays[MOST + 1];
    struct keep keep = {.rule = rule, .now_ns = NOW_NS};
    for (size_t i = 0; i <= strlen(things); i++) {
        const struct keep_thing thing = {.bytes = 10,
                                         .changed_ns = changed[i],
                                         .need = things[i] == 'f'   ? KEEP_FREE
                                                 : things[i] == 'n' ? KEEP_NEEDED
                                                                    : KEEP_ALWAYS};
        stays[i] = things[i] == '\0' ? '\0' : keep_goes(&keep, &thing) ? '-' : things[i];
    }
    return stays;
}

static const int64_t in_turn[MOST] = {90, 80, 70, 60, 50, 40, 30, 20};

#define NO_LIMITS ((struct keep_limits){.count = ANY, .bytes = ANY, .age_ns = ANY_AGE})

static void what_is_needed_stays_within_the_limits(void **state) {
    (void)state;
    assert_string_equal(staying(&(struct keep_rule){.limits = NO_LIMITS}, "nnnnnn", in_turn), "nnnnnn");
    assert_string_equal(
        staying(&(struct keep_rule){.limits = {.count = 2, .bytes = ANY, .age_ns = ANY_AGE}}, "nnnnnn", in_turn),
        "nn----");
    assert_string_equal(
        staying(&(struct keep_rule){.limits = {.count = ANY, .bytes = 39, .age_ns = ANY_AGE}}, "nnnnnn", in_turn),
        "nnn---");
    assert_string_equal(
        staying(&(struct keep_rule){.limits = {.count = ANY, .bytes = 40, .age_ns = ANY_AGE}}, "nnnnnn", in_turn),
        "nnnn--");
    assert_string_equal(
        staying(&(struct keep_rule){.limits = {.count = ANY, .bytes = ANY, .age_ns = 30}}, "nnnnnn", in_turn),
        "nnn---");
    assert_string_equal(
        staying(&(struct keep_rule){.limits = {.count = 0, .bytes = ANY, .age_ns = ANY_AGE}}, "anannn", in_turn),
        "a-a---");
}

static void one_that_is_too_old_counts_only_where_none_goes_before_the_older_ones(void **state) {
    (void)state;
    const int64_t changed[MOST] = {90, 1, 70, 1, 50, 40};
    struct keep_rule rule = {.limits = {.count = 3, .bytes = ANY, .age_ns = 90}};
    assert_string_equal(staying(&rule, "nnnnnn", changed), "n-n-n-");
    rule.in_order = 1;
    assert_string_equal(staying(&rule, "nnnnnn", changed), "n-n---");
}

static void what_nobody_needs_goes_when_both_are_over(void **state) {
    (void)state;
    assert_string_equal(staying(&(struct keep_rule){.limits = NO_LIMITS}, "fnfaff", in_turn), "-n-a--");
    assert_string_equal(staying(&(struct keep_rule){.limits = NO_LIMITS, .least_bytes = 20}, "ffffff", in_turn),
                        "ff----");
    assert_string_equal(staying(&(struct keep_rule){.limits = NO_LIMITS, .least_bytes = 21}, "ffffff", in_turn),
                        "fff---");
    assert_string_equal(staying(&(struct keep_rule){.limits = NO_LIMITS, .least_ns = 40}, "ffffff", in_turn), "fff---");
    const struct keep_rule both = {.limits = NO_LIMITS, .least_bytes = 20, .least_ns = 50};
    assert_string_equal(staying(&both, "ffffff", in_turn), "ffff--");
}

static void beyond_the_limits_goes_what_nobody_needs_too(void **state) {
    (void)state;
    const struct keep_rule rule = {.limits = {.count = 2, .bytes = ANY, .age_ns = ANY_AGE}, .least_bytes = 1000};
    assert_string_equal(staying(&rule, "ffnffn", in_turn), "ff----");
}

static void a_clock_that_was_set_back_keeps_nothing_for_no_time(void **state) {
    (void)state;
    const int64_t to_come[MOST] = {1000, 900, 800, 700};
    assert_string_equal(staying(&(struct keep_rule){.limits = NO_LIMITS}, "ffff", to_come), "----");
    assert_string_equal(staying(&(struct keep_rule){.limits = NO_LIMITS, .least_ns = 1}, "ffff", to_come), "ffff");
}

static void sizes_that_no_number_holds_are_beyond_every_limit(void **state) {
    (void)state;
    const struct keep_rule rule = {.limits = {.count = ANY, .bytes = ANY - 1, .age_ns = ANY_AGE}};
    struct keep keep = {.rule = &rule, .now_ns = NOW_NS};
    const struct keep_thing large = {.bytes = ANY - 5, .need = KEEP_NEEDED}, next = {.bytes = 10, .need = KEEP_NEEDED};
    assert_int_equal(keep_goes(&keep, &large), 0);
    assert_int_equal(keep_goes(&keep, &next), 1);
    assert_int_equal(keep_goes(&keep, &next), 1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_needed_stays_within_the_limits),
        cmocka_unit_test(one_that_is_too_old_counts_only_where_none_goes_before_the_older_ones),
        cmocka_unit_test(what_nobody_needs_goes_when_both_are_over),
        cmocka_unit_test(beyond_the_limits_goes_what_nobody_needs_too),
        cmocka_unit_test(a_clock_that_was_set_back_keeps_nothing_for_no_time),
        cmocka_unit_test(sizes_that_no_number_holds_are_beyond_every_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
