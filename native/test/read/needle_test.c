/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are passed over, compared with a search line by line. */
#include "read/needle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_BYTES 20000

/* Lines of "a", "b" and newlines alone: needles are frequent, and begin and end anywhere. */
static size_t make_text(char *text, unsigned seed) {
    const size_t bytes = (size_t)rand_r(&seed) % TEXT_BYTES;
    const int lines = rand_r(&seed) % 200 + 1;
    for (size_t i = 0; i < bytes; i++) {
        text[i] = rand_r(&seed) % lines == 0 ? '\n' : (char)('a' + rand_r(&seed) % 2);
    }
    return bytes;
}

/* The first whole line with the needle. Returns where it begins, or where the last line without a newline does. */
static size_t line_by_line(const char *text, size_t bytes, const char *needle, uint64_t *lines, int *is_found) {
    size_t at = 0;
    *lines = 0;
    *is_found = 0;
    for (;;) {
        const char *const end = at == bytes ? NULL : memchr(text + at, '\n', bytes - at);
        const size_t length = end == NULL ? bytes - at : (size_t)(end - (text + at));
        if (length > 0 && memmem(text + at, length, needle, strlen(needle)) != NULL) {
            *is_found = 1;
            return at;
        }
        if (end == NULL) {
            return at;
        }
        at += length + 1;
        ++*lines;
    }
}

static void it_passes_over_what_a_search_line_by_line_would(void **state) {
    static char text[TEXT_BYTES];
    static const char *const needles[] = {"a", "ab", "abba", "bbbbbbbbbb", "aabaabaabaabaabaab"};
    unsigned found_ones = 0;
    (void)state;
    for (unsigned seed = 1; seed <= 2000; seed++) {
        const size_t bytes = make_text(text, seed);
        const char *const literal = needles[seed % 5];
        struct read_needle needle = {.text = literal, .length = strlen(literal)};
        uint64_t lines;
        int is_found, wanted;
        const size_t expected = line_by_line(text, bytes, literal, &lines, &wanted);
        const size_t passed = needle_pass(&needle, (const uint8_t *)text, bytes, &is_found);
        assert_int_equal(passed, expected);
        assert_int_equal(needle.passed, lines);
        assert_int_equal(is_found, wanted);
        found_ones += (unsigned)is_found;
    }
    assert_in_range(found_ones, 200, 1800);
}

/* A lane counts to 255: more newlines than that stand at the same place of their sixteen bytes. */
static void it_counts_any_number_of_lines(void **state) {
    static uint8_t text[1 << 20];
    (void)state;
    memset(text, '\n', sizeof text);
    for (size_t bytes = sizeof text; bytes > 0; bytes /= 3) {
        struct read_needle needle = {.text = "x", .length = 1};
        int is_found;
        assert_int_equal(needle_pass(&needle, text, bytes, &is_found), bytes);
        assert_int_equal(needle.passed, bytes);
        assert_false(is_found);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_passes_over_what_a_search_line_by_line_would),
        cmocka_unit_test(it_counts_any_number_of_lines),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
