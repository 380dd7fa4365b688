/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "recovery/rules.h"

#define END RULE_END
#define MARKER RULE_CONTINUE_AT_MARKER
#define LOSS RULE_SKIP_KNOWN_LOSS
#define ACCEPT RULE_ACCEPT
#define DAMAGE RULE_DAMAGE

/* The facts: the window is over; a marker ends the log here; a loss is known here; the record is valid;
 * it is below the watermark. */
static const struct {
    int over, marker, loss, valid, below;
    enum recovery_rule rule;
} table[] = {
    {0, 0, 0, 0, 0, END},    {0, 0, 0, 0, 1, DAMAGE}, {0, 0, 0, 1, 0, ACCEPT}, {0, 0, 0, 1, 1, ACCEPT},
    {0, 0, 1, 0, 0, LOSS},   {0, 0, 1, 0, 1, LOSS},   {0, 0, 1, 1, 0, LOSS},   {0, 0, 1, 1, 1, LOSS},
    {0, 1, 0, 0, 0, MARKER}, {0, 1, 0, 0, 1, MARKER}, {0, 1, 0, 1, 0, MARKER}, {0, 1, 0, 1, 1, MARKER},
    {0, 1, 1, 0, 0, MARKER}, {0, 1, 1, 0, 1, MARKER}, {0, 1, 1, 1, 0, MARKER}, {0, 1, 1, 1, 1, MARKER},
    {1, 0, 0, 0, 0, END},    {1, 0, 0, 0, 1, END},    {1, 0, 0, 1, 0, END},    {1, 0, 0, 1, 1, END},
    {1, 0, 1, 0, 0, END},    {1, 0, 1, 0, 1, END},    {1, 0, 1, 1, 0, END},    {1, 0, 1, 1, 1, END},
    {1, 1, 0, 0, 0, END},    {1, 1, 0, 0, 1, END},    {1, 1, 0, 1, 0, END},    {1, 1, 0, 1, 1, END},
    {1, 1, 1, 0, 0, END},    {1, 1, 1, 0, 1, END},    {1, 1, 1, 1, 0, END},    {1, 1, 1, 1, 1, END},
};

static void every_combination_of_facts_has_its_rule(void **state) {
    (void)state;
    assert_int_equal(sizeof table / sizeof table[0], 32);
    unsigned seen = 0;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++) {
        const struct recovery_facts facts = {
            .window_is_over = table[i].over,
            .marker_ends_here = table[i].marker,
            .loss_known_here = table[i].loss,
            .record_is_valid = table[i].valid,
            .below_watermark = table[i].below,
        };
        assert_int_equal(recovery_rule_for(facts), table[i].rule);
        seen |= 1u << (table[i].over << 4 | table[i].marker << 3 | table[i].loss << 2 | table[i].valid << 1 |
                       table[i].below);
    }
    assert_int_equal(seen, UINT32_MAX);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_combination_of_facts_has_its_rule)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
