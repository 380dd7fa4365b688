/* SPDX-License-Identifier: Apache-2.0 */
/* Expressions that machine code of libpcre2 decides, judged by regexec itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <regex.h>
#include <stdio.h>

#include "cli/expression.h"
#include "random_expressions.h"
#include "skip_with.h"

#define PATTERNS 6000
#define LINES 60 /* for each */

/* Compiles it, and makes machine code if that can be. Returns whether it has been. */
static int make(struct expression *expression, const char *pattern, int ignore_case) {
    *expression = (struct expression){.is_compiled = 0};
    assert_int_equal(expression_compile(expression, pattern, ignore_case), 0);
    expression_quicken(expression, pattern, ignore_case);
    return expression->code != NULL;
}

static int is_library_there(void) {
    struct expression expression;
    const int is_there = make(&expression, "a", 0);
    expression_free(&expression);
    return is_there;
}

#define NEEDS_LIBRARY()                                                                                                \
    if (!is_library_there()) {                                                                                         \
        SKIP_WITH("expressions as machine code: there is no libpcre2-8.so.0 with a compiler for this processor");      \
    }

static void it_answers_as_regexec_does(void **state) {
    unsigned refused = 0, with_code = 0, matched = 0;
    (void)state;
    NEEDS_LIBRARY();
    random_state = 3;
    for (unsigned i = 0; i < PATTERNS; i++) {
        char pattern[PATTERN_BYTES] = "", line[100];
        const int ignore_case = below(4) == 0;
        struct expression expression;
        regex_t regex;
        put_expression(pattern, 2);
        if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE | (ignore_case ? REG_ICASE : 0)) != 0) {
            refused++;
            continue;
        }
        with_code += (unsigned)make(&expression, pattern, ignore_case);
        for (unsigned of_it = 0; of_it < LINES; of_it++) {
            make_line(line);
            const int is_match = regexec(&regex, line, 0, NULL, 0) == 0;
            if (expression_matches(&expression, line, strlen(line)) != is_match) {
                fail_msg("expression \"%s\" %s \"%s\", of which the machine code says the contrary", pattern,
                         is_match ? "matches" : "does not match", line);
            }
            matched += (unsigned)is_match;
        }
        regfree(&regex);
        expression_free(&expression);
    }
    print_message("of %u expressions %u were refused, %u got machine code; %u lines match\n", PATTERNS, refused,
                  with_code, matched);
    assert_true(with_code > PATTERNS / 8 && matched > 20000);
}

static void what_means_something_else_to_perl_is_left_to_regexec(void **state) {
    static const struct {
        const char *pattern;
        int has_code;
    } examples[] = {
        {"[0-9]{6} accepted", 1},
        {"(ERROR|FATAL).*x{2,}y{1,3}$", 1},
        {"^a+b?c*[^x-z]", 1},
        {"[]a]b[^]c]", 1},
        {"a}b", 1},
        {"a+?b", 0},        /* Perl: as few as can be */
        {"a*+b", 0},        /* Perl: never goes back */
        {"a{,2}", 0},       /* Perl, before 2023: this text */
        {"\\<a", 0},        /* Perl: the sign < */
        {"[[:digit:]]", 0}, /* Perl knows more of them */
        {"[[=a=]]", 0},
        {"[a\\d]", 0}, /* Perl: any digit */
        {"[A-z]", 0},  /* if the case is ignored: no sign to POSIX, signs to Perl */
        {"[ -~]", 0},
        {"[a-c-e]", 0},
    };
    (void)state;
    NEEDS_LIBRARY();
    for (size_t i = 0; i < sizeof examples / sizeof examples[0]; i++) {
        regex_t regex;
        struct expression expression;
        if (regcomp(&regex, examples[i].pattern, REG_EXTENDED) != 0) {
            assert_int_equal(examples[i].has_code, 0);
            continue;
        }
        regfree(&regex);
        if (make(&expression, examples[i].pattern, 0) != examples[i].has_code) {
            fail_msg("\"%s\" has %s machine code", examples[i].pattern, examples[i].has_code ? "no" : "");
        }
        expression_free(&expression);
    }
}

/* The answer of regexec, and of machine code if that can be. */
static int matches(const char *pattern, const void *text, size_t bytes) {
    struct expression expression = {.is_compiled = 0};
    assert_int_equal(expression_compile(&expression, pattern, 0), 0);
    const int is_match = expression_matches(&expression, text, bytes);
    expression_quicken(&expression, pattern, 0);
    assert_int_equal(expression_matches(&expression, text, bytes), is_match);
    expression_free(&expression);
    return is_match;
}

static void a_text_may_have_any_byte_and_several_lines(void **state) {
    (void)state;
    assert_int_equal(matches("a.b", "a\0b", 3), 1);
    assert_int_equal(matches("a[[:space:]]b", "a\0b", 3), 0);
    assert_int_equal(matches("b", "a\0b", 3), 1);
    assert_int_equal(matches("a.b", "a\rb", 3), 1);
    assert_int_equal(matches("a.b",
                             "a\xff"
                             "b",
                             3),
                     1);
    assert_int_equal(matches("^b$", "a\nb\nc", 5), 1);
    assert_int_equal(matches("a.b", "a\nb", 3), 0);
    assert_int_equal(matches("a[^x]b", "a\nb", 3), 0);
    assert_int_equal(matches("b$", "ab\n\n", 4), 1);
    assert_int_equal(matches("^$", "\n", 1), 1);
    assert_int_equal(matches("^$", "", 0), 1);
}

static void an_expression_that_backtracks_without_end_is_left_to_regexec(void **state) {
    static const char text[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaac";
    struct expression expression;
    (void)state;
    NEEDS_LIBRARY();
    assert_true(make(&expression, "(a|aa)+$", 0));
    assert_int_equal(expression_matches(&expression, text, strlen(text)), 0);
    assert_null(expression.code);
    assert_int_equal(expression_matches(&expression, text, strlen(text) - 1), 1);
    expression_free(&expression);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_answers_as_regexec_does),
        cmocka_unit_test(what_means_something_else_to_perl_is_left_to_regexec),
        cmocka_unit_test(a_text_may_have_any_byte_and_several_lines),
        cmocka_unit_test(an_expression_that_backtracks_without_end_is_left_to_regexec),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
