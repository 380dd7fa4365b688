/* SPDX-License-Identifier: Apache-2.0 */
/* Extended regular expressions, and lines for them, made at random. */
#ifndef RANDOM_EXPRESSIONS_H
#define RANDOM_EXPRESSIONS_H

#include <stdint.h>
#include <string.h>

#define PATTERN_BYTES 4096

static uint32_t random_state;

static inline unsigned below(unsigned end) {
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 16) % end;
}

static inline const char *one_of(const char *const *texts, size_t count) {
    return texts[below((unsigned)count)];
}

#define ONE_OF(texts) one_of(texts, sizeof(texts) / sizeof(texts)[0])

static inline void put_expression(char *pattern, unsigned depth);

static inline void put_piece(char *pattern, unsigned depth) {
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

static inline void put_expression(char *pattern, unsigned depth) {
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

static inline void make_line(char *line) {
    static const char *const texts[] = {"a", "b", "c", "A", "1", " ", "ab", "bca",
                                        ".", "|", "(", ")", "{", "]", "\\", "*"};
    *line = '\0';
    for (unsigned pieces = below(12); pieces > 0; pieces--) {
        strcat(line, one_of(texts, below(3) == 0 ? sizeof texts / sizeof texts[0] : 8));
    }
}

#endif
