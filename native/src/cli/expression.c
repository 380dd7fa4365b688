/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/expression.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/shared_library.h"

#define NAME "libpcre2-8.so.0"
#define STEPS_MOST 10000 /* a match takes some hundred; one that backtracks without end is regexec's */

static const char *const functions[] = {
#define FUNCTION_NAME(type, name, parameters) #name,
    LIBPCRE2_FUNCTIONS(FUNCTION_NAME)};

_Static_assert(sizeof(struct libpcre2) == sizeof(functions) / sizeof(functions[0]) * sizeof(void *), "a pointer each");

/* -------------------------------------------------------------------------------------- what means the same to both */

static int is_in(char byte, const char *set) {
    return byte != '\0' && strchr(set, byte) != NULL;
}

/* Where the digits end. */
static const char *digits(const char *at) {
    while (*at >= '0' && *at <= '9') {
        at++;
    }
    return at;
}

/* The bounds {2}, {2,} or {2,5}. Returns where they end, or NULL if it is something else. */
static const char *bounds(const char *at) {
    const char *end = digits(at + 1);
    if (end == at + 1) {
        return NULL;
    }
    end = *end == ',' ? digits(end + 1) : end;
    return *end == '}' ? end + 1 : NULL;
}

/* Whether a range is one of digits, of small letters or of capitals: others depend on what ignoring the case means. */
static int is_plain_range(char first, char last) {
    return (first >= '0' && last <= '9') || (first >= 'a' && last <= 'z') || (first >= 'A' && last <= 'Z');
}

/* A bracket expression without classes. Returns where it ends, or NULL if it has something else. */
static const char *bracket(const char *at) {
    const char *const first = at + (at[1] == '^' ? 2 : 1);
    for (at = first; *at != ']' || at == first; at++) {
        if (*at == '\0' || *at == '[' || *at == '\\') {
            return NULL;
        }
        if (at[1] == '-' && at[2] != ']') {
            if (!is_plain_range(at[0], at[2]) || at[3] == '-') {
                return NULL;
            }
            at += 2;
        }
    }
    return at + 1;
}

/* Whether the pattern, which is an extended regular expression, has only what Perl's expressions have, too. A quantifier
 * that nothing stands before, or another one, means something else there, and so does a backslash. */
static int is_common(const char *at) {
    int may_repeat = 0;
    while (at != NULL && *at != '\0') {
        const char byte = *at;
        if (byte == '\\' || (is_in(byte, "*+?{") && !may_repeat)) {
            return 0;
        }
        may_repeat = !is_in(byte, "*+?{(|^$");
        at = byte == '[' ? bracket(at) : byte == '{' ? bounds(at) : at + 1;
    }
    return at != NULL;
}

/* ------------------------------------------------------------------------------------------------------ machine code */

static void drop_code(struct expression *expression) {
    if (expression->code != NULL) {
        expression->pcre2.pcre2_code_free_8(expression->code);
        expression->pcre2.pcre2_match_data_free_8(expression->match);
        expression->pcre2.pcre2_match_context_free_8(expression->limits);
        expression->code = NULL;
    }
}

void expression_quicken(struct expression *expression, const char *pattern, int ignore_case) {
    struct libpcre2 *const pcre2 = &expression->pcre2;
    int error;
    size_t at;
    if (!is_common(pattern) ||
        shared_library_load(NAME, functions, sizeof functions / sizeof functions[0], pcre2) != NULL) {
        return;
    }
    expression->code = pcre2->pcre2_compile_8((const uint8_t *)pattern, strlen(pattern),
                                              LIBPCRE2_DOLLAR_ENDONLY | LIBPCRE2_DOTALL | LIBPCRE2_NEVER_UTF |
                                                  LIBPCRE2_NO_AUTO_CAPTURE | (ignore_case ? LIBPCRE2_CASELESS : 0),
                                              &error, &at, NULL);
    if (expression->code == NULL) {
        return;
    }
    expression->match = pcre2->pcre2_match_data_create_8(1, NULL);
    expression->limits = pcre2->pcre2_match_context_create_8(NULL);
    if (expression->match == NULL || expression->limits == NULL ||
        pcre2->pcre2_set_match_limit_8(expression->limits, STEPS_MOST) != 0 ||
        pcre2->pcre2_jit_compile_8(expression->code, LIBPCRE2_JIT_COMPLETE) != 0) {
        drop_code(expression);
    }
}

/* Returns 1 or 0, or -1 if regexec is to decide. */
static int run_code(struct expression *expression, const uint8_t *text, size_t bytes) {
    if (expression->code == NULL || memchr(text, '\n', bytes) != NULL) {
        return -1;
    }
    const int rc =
        expression->pcre2.pcre2_jit_match_8(expression->code, text, bytes, 0, 0, expression->match, expression->limits);
    if (rc >= 0 || rc == LIBPCRE2_NOMATCH) {
        return rc >= 0;
    }
    drop_code(expression);
    return -1;
}

/* ----------------------------------------------------------------------------------------------------------- for all */

int expression_compile(struct expression *expression, const char *pattern, int ignore_case) {
    char why[200];
    const int code =
        regcomp(&expression->regex, pattern, REG_EXTENDED | REG_NOSUB | REG_NEWLINE | (ignore_case ? REG_ICASE : 0));
    if (code != 0) {
        regerror(code, &expression->regex, why, sizeof why);
        return error_set(EINVAL, "pattern \"%s\" is no extended regular expression: %s; -F searches the text as it is",
                         pattern, why);
    }
    expression->is_compiled = 1;
    expression->for_zero = 1;
    while (expression->for_zero < 127 && strchr(pattern, expression->for_zero) != NULL) {
        expression->for_zero++;
    }
    return 0;
}

static int run_regex(struct expression *expression, const uint8_t *text, size_t bytes) {
    if (bytes + 1 > expression->room) {
        char *larger = realloc(expression->text, 2 * bytes + 256);
        if (larger == NULL) {
            return error_set(ENOMEM, "no memory to search a record of %zu bytes", bytes);
        }
        expression->text = larger;
        expression->room = 2 * bytes + 256;
    }
    memcpy(expression->text, text, bytes);
    expression->text[bytes] = '\0';
    for (char *at = expression->text; (at = memchr(at, '\0', bytes - (size_t)(at - expression->text))) != NULL;) {
        *at = expression->for_zero;
    }
    return regexec(&expression->regex, expression->text, 0, NULL, 0) == 0;
}

int expression_matches(struct expression *expression, const void *text, size_t bytes) {
    const uint8_t *const begin = text;
    while (bytes > 0 && begin[bytes - 1] == '\n') {
        bytes--;
    }
    const int matches = run_code(expression, begin, bytes);
    return matches >= 0 ? matches : run_regex(expression, begin, bytes);
}

void expression_free(struct expression *expression) {
    drop_code(expression);
    if (expression->is_compiled) {
        regfree(&expression->regex);
    }
    free(expression->text);
    *expression = (struct expression){.is_compiled = 0};
}
