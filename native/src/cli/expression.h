/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An extended regular expression of POSIX, in which a character is a byte.
 *
 * DESIGN. The C library decides what a pattern means, and whether it is one. If libpcre2 is there, and the pattern has
 * only what means the same to it, machine code of that looks at texts of one line. Backtracking may take it too long: then
 * the C library decides from there on. So whatever answers, the answer is the same.
 */
#ifndef BURST_CLI_EXPRESSION_H
#define BURST_CLI_EXPRESSION_H

#include <regex.h>
#include <stddef.h>

#include "cli/libpcre2.h"

struct expression {
    regex_t regex;
    int is_compiled;
    char *text; /* a copy with a terminator, for regexec */
    size_t room;
    char for_zero; /* in the place of a byte of zero there, which would end it early; the pattern does not have it */
    struct libpcre2 pcre2;
    struct pcre2_code *code; /* NULL: regexec decides */
    struct pcre2_match *match;
    struct pcre2_limits *limits;
};

/* The expression is all zeros. Returns 0, or -errno with a sentence. */
int expression_compile(struct expression *expression, const char *pattern, int ignore_case);

/* Makes machine code of the pattern, which was compiled, if it can. */
void expression_quicken(struct expression *expression, const char *pattern, int ignore_case);

/* Whether a line of the text matches. Newlines at its end do not count. Returns 1 or 0, or -ENOMEM with a sentence. */
int expression_matches(struct expression *expression, const void *text, size_t bytes);

void expression_free(struct expression *expression);

#endif
