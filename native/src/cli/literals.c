/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/literals.h"

#include <ctype.h>
#include <string.h>

/* The literal that is being read, and what is known of those before. */
struct reading {
    struct read_needle *needle;
    uint8_t *begin, *end; /* of the literal */
    unsigned alternative;
    int has_all;        /* the literals are all that the expression has */
    int has_no_literal; /* of an alternative */
};

/* Both are called at the first character of what they pass over. */
static const char *behind_brackets(const char *at) {
    at += at[1] == '^' ? 2 : 1;
    at += *at == ']';
    while (*at != '\0' && *at != ']') {
        const char close[] = {at[1], ']', '\0'};
        const int is_class = *at == '[' && (at[1] == '.' || at[1] == ':' || at[1] == '=');
        const char *const end = is_class ? strstr(at + 2, close) : NULL;
        at = end == NULL ? at + 1 : end + 2;
    }
    return at + (*at == ']');
}

static const char *behind_group(const char *at) {
    size_t depth = 0;
    do {
        depth += *at == '(';
        depth -= *at == ')';
        at = *at == '[' ? behind_brackets(at) : at + 1 + (*at == '\\' && at[1] != '\0');
    } while (depth > 0 && *at != '\0');
    return at;
}

/* Whether an escape of this character stands for the character: others are classes, places and repetitions of a group. */
static int is_itself(char character) {
    return isprint((unsigned char)character) && !isalnum((unsigned char)character) && strchr("<>`'", character) == NULL;
}

static void end_literal(struct reading *reading) {
    if (reading->end > reading->begin) {
        needle_add(reading->needle, reading->begin, (size_t)(reading->end - reading->begin), reading->alternative);
    }
    reading->begin = reading->end;
}

static void end_alternative(struct reading *reading) {
    const struct read_needle *const needle = reading->needle;
    end_literal(reading);
    reading->has_no_literal |=
        needle->count == 0 || needle->literals[needle->count - 1].alternative != reading->alternative;
    reading->alternative++;
}

/* Takes the piece that begins there, with the repetitions behind it. Returns where the next one begins. */
static const char *take(struct reading *reading, const char *at) {
    const int is_escape = *at == '\\' && at[1] != '\0';
    const int is_byte = is_escape ? is_itself(at[1]) : strchr(".^$[()*+?{\n", *at) == NULL;
    const char *next = *at == '(' ? behind_group(at) : *at == '[' ? behind_brackets(at) : at + 1 + is_escape;
    const char byte = next[-1];
    int is_there = 1, is_repeated = 0;
    while (*next != '\0' && strchr("*+?{", *next) != NULL) {
        const char *const close = *next == '{' ? strchr(next, '}') : NULL;
        is_there &= *next == '+';
        is_repeated = 1;
        next = close == NULL ? next + 1 : close + 1;
    }
    if (is_byte && is_there) {
        *reading->end++ = (uint8_t)byte;
    }
    if (!is_byte || is_repeated) {
        reading->has_all = 0;
        end_literal(reading);
    }
    return next;
}

int literals_of(const char *pattern, struct read_needle *needle, char *text) {
    struct reading reading = {.needle = needle, .begin = (uint8_t *)text, .end = (uint8_t *)text, .has_all = 1};
    const char *end = pattern + strlen(pattern);
    while (*pattern == '(' && behind_group(pattern) == end) { /* it is one group */
        pattern++;
        end--;
    }
    while (pattern < end) {
        if (*pattern == '|') {
            end_alternative(&reading);
            pattern++;
        } else {
            pattern = take(&reading, pattern);
        }
    }
    end_alternative(&reading);
    if (reading.has_no_literal) {
        needle->count = 0;
    }
    return reading.has_all && !reading.has_no_literal;
}
