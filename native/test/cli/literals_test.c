/* SPDX-License-Identifier: Apache-2.0 */
/* The literals of expressions, judged by regexec itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <regex.h>
#include <stdio.h>
#include <string.h>

#include "cli/literals.h"
#include "random_expressions.h"

#define PATTERNS 4000
#define LINES 60 /* for each */

static void no_line_that_matches_is_passed_over(void **state) {
    unsigned refused = 0, with_literals = 0, alone = 0, matched = 0, passed = 0;
    (void)state;
    for (random_state = 1; refused + with_literals < PATTERNS;) {
        char pattern[PATTERN_BYTES] = "", text[PATTERN_BYTES], line[100];
        struct read_needle needle = {.ignore_case = below(4) == 0};
        regex_t regex;
        put_expression(pattern, 2);
        const int decides = literals_of(pattern, &needle, text);
        if (needle.count == 0 ||
            regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE | (needle.ignore_case ? REG_ICASE : 0)) !=
                0) {
            refused++;
            continue;
        }
        with_literals++;
        alone += (unsigned)decides;
        for (unsigned i = 0; i < LINES; i++) {
            make_line(line);
            const int is_match = regexec(&regex, line, 0, NULL, 0) == 0;
            const int is_possible = needle_has(&needle, (const uint8_t *)line, strlen(line));
            if ((is_match && !is_possible) || (decides && is_possible != is_match)) {
                fail_msg("expression \"%s\" %s \"%s\", of which its literals say the contrary", pattern,
                         is_match ? "matches" : "does not match", line);
            }
            matched += (unsigned)is_match;
            passed += (unsigned)!is_possible;
        }
        regfree(&regex);
    }
    print_message("of %u expressions %u have literals, %u of them alone; of %u lines %u match, %u are passed over\n",
                  PATTERNS, with_literals, alone, with_literals * LINES, matched, passed);
    assert_true(with_literals > PATTERNS / 3 && alone > 50 && matched > 5000 && passed > 5000);
}

/* ---------------------------------------------------------------------------------------------------------- examples */

static void an_expression_has_these_literals(void **state) {
    static const struct {
        const char *pattern, *literals; /* "a, b | c": a and b, or c */
        int decides;
    } examples[] = {
        {"order 4711 ", "order 4711 ", 1},
        {"4711.*ACME", "4711, ACME", 0},
        {"acme [0-9]+ @ 9", "acme ,  @ 9", 0},
        {"^ab$", "ab", 0},
        {"ab*c", "a, c", 0},
        {"ab?c", "a, c", 0},
        {"ab{2}c", "a, c", 0},
        {"ab+c", "ab, c", 0},
        {"ab+*c", "a, c", 0},
        {"a\\.b", "a.b", 1},
        {"a\\wb\\1c\\<d", "a, b, c, d", 0},
        {"[]a]b[^]c]d[[:digit:]e]f", "b, d, f", 0},
        {"(ab|cd)ef(gh)*ij(\\)k[)]l)mn", "ef, ij, mn", 0},
        {"((ab)(cd))ef", "ef", 0},
        {"ERROR|FATAL", "ERROR | FATAL", 1},
        {"(ERROR|FATAL)", "ERROR | FATAL", 1},
        {"((a.b|c))", "a, b | c", 0},
        {"(a)(b)", "", 0},
        {"(a)*", "", 0},
        {"()", "", 0},
        {"ERROR: .*x|FATAL", "ERROR: , x | FATAL", 0},
        {"ERROR|[0-9]", "", 0},
        {"ERROR|", "", 0},
        {"", "", 0},
        {".*", "", 0},
        {"a\nb", "a, b", 0},
        {"1.2.3.4.5.6.7.8.9.a.b.c.d.e.f.g.h", "1, 2, 3, 4, 5, 6, 7, 8, 9, a, b, c, d, e, f, g", 0},
        {"1|2|3|4|5|6|7|8|9", "", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        struct read_needle needle = {.count = 0};
        char text[PATTERN_BYTES], found[PATTERN_BYTES] = "";
        const int decides = literals_of(examples[i].pattern, &needle, text);
        for (size_t at = 0; at < needle.count; at++) {
            const struct needle_literal *const literal = &needle.literals[at];
            const int is_first = at == 0, is_same = !is_first && literal[-1].alternative == literal->alternative;
            snprintf(found + strlen(found), sizeof found - strlen(found), "%s%.*s",
                     is_first  ? ""
                     : is_same ? ", "
                               : " | ",
                     (int)literal->length, (const char *)literal->text);
        }
        if (strcmp(found, examples[i].literals) != 0 || decides != examples[i].decides) {
            fail_msg("\"%s\" has the literals \"%s\" instead of \"%s\", and they are %s", examples[i].pattern, found,
                     examples[i].literals, decides ? "all" : "not all");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_line_that_matches_is_passed_over),
        cmocka_unit_test(an_expression_has_these_literals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
