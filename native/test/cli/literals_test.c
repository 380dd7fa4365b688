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

#define PATTERNS 4000
#define LINES 60 /* for each */
#define PATTERN_BYTES 4096

/* ------------------------------------------------------------------------------------------------------- expressions */

static uint32_t random_state;

static unsigned below(unsigned end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % end;
}

static const char *one_of(const char *const *texts, size_t count) {
    return texts[below((unsigned)count)];
}

#define ONE_OF(texts) one_of(texts, sizeof(texts) / sizeof(texts)[0])

static void put_expression(char *pattern, unsigned depth);

static void put_piece(char *pattern, unsigned depth) {
    static const char *const plain[] = {"a", "b", "c", "A", "1", " ", "ab", "bca"};
    static const char *const others[] = {".",     "[ab]", "[^a]", "[]a]", "[^]b]", "[[:digit:]a]",
                                         "[.)(]", "\\.",  "\\|",  "\\(",  "\\w",   "[a\\]",
                                         "\\{",   "[|c]", "[*b]", "\\]",  "\\ab",  "[[.a.]b]"};
    static const char *const repeats[] = {"*", "+", "?", "{2}", "{0,1}", "{1,}", "{0}", "+*"};
    const unsigned kind = below(10);
    if (kind < 6) {
        strcat(pattern, ONE_OF(plain));
    } else if (kind < 9 || depth == 0) {
        strcat(pattern, ONE_OF(others));
    } else {
        strcat(pattern, "(");
        put_expression(pattern, depth - 1);
        strcat(pattern, ")");
    }
    if (below(4) == 0) {
        strcat(pattern, ONE_OF(repeats));
    }
}

static void put_expression(char *pattern, unsigned depth) {
    const unsigned alternatives = below(4) == 0 ? 2 + below(2) : 1;
    for (unsigned i = 0; i < alternatives; i++) {
        strcat(pattern, i == 0 ? "" : "|");
        strcat(pattern, below(12) == 0 ? "^" : "");
        for (unsigned pieces = 1 + below(4); pieces > 0; pieces--) {
            put_piece(pattern, depth);
        }
        strcat(pattern, below(12) == 0 ? "$" : "");
    }
}

static void make_line(char *line) {
    static const char *const texts[] = {"a", "b", "c", "A", "1", " ", "ab", "bca",
                                        ".", "|", "(", ")", "{", "]", "\\", "*"};
    *line = '\0';
    for (unsigned pieces = below(12); pieces > 0; pieces--) {
        strcat(line, one_of(texts, below(3) == 0 ? sizeof texts / sizeof texts[0] : 8));
    }
}

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
