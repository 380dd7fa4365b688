/* SPDX-License-Identifier: Apache-2.0 */
/* Lines that are passed over, compared with a search byte by byte. */
#include "read/needle.h"

#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT_BYTES 20000
#define LITERAL_MOST 20

static uint8_t literals[NEEDLE_LITERALS][LITERAL_MOST];

/* Lines of "a" and "b", some of them capitals, and newlines alone: needles are frequent, and begin and end anywhere. */
static size_t make_text(uint8_t *text, size_t room, unsigned seed) {
    const size_t bytes = (size_t)rand_r(&seed) % room;
    const int lines = rand_r(&seed) % 200 + 1;
    for (size_t i = 0; i < bytes; i++) {
        text[i] = rand_r(&seed) % lines == 0 ? '\n' : (uint8_t)("abAB"[rand_r(&seed) % (i % 7 == 0 ? 4 : 2)]);
    }
    return bytes;
}

/* One to three literals, each an alternative of its own, if they are not to be together in a line. */
static void make_needle(struct read_needle *needle, unsigned seed, int are_together) {
    const unsigned count = 1 + (unsigned)rand_r(&seed) % 3;
    *needle = (struct read_needle){.ignore_case = rand_r(&seed) % 2};
    for (unsigned i = 0; i < count; i++) {
        const size_t length = 1 + (size_t)rand_r(&seed) % LITERAL_MOST;
        for (size_t at = 0; at < length; at++) {
            literals[i][at] = (uint8_t)("abA"[rand_r(&seed) % (at % 5 == 0 ? 3 : 2)]);
        }
        needle_add(needle, literals[i], length, are_together ? 0 : i);
    }
}

static int is_at(const struct read_needle *needle, size_t which, const uint8_t *text, size_t bytes) {
    const struct needle_literal *const literal = &needle->literals[which];
    int is_same = bytes >= literal->length;
    for (size_t i = 0; is_same && i < literal->length; i++) {
        is_same = needle->ignore_case ? tolower(text[i]) == tolower(literal->text[i]) : text[i] == literal->text[i];
    }
    return is_same;
}

/* The first place where any of them is; `bytes` if there is none. */
static size_t byte_by_byte(const struct read_needle *needle, const uint8_t *text, size_t bytes) {
    for (size_t at = 0; at < bytes; at++) {
        for (size_t which = 0; which < needle->count; which++) {
            if (is_at(needle, which, text + at, bytes - at)) {
                return at;
            }
        }
    }
    return bytes;
}

static void it_passes_over_what_a_search_byte_by_byte_would(void **state) {
    static uint8_t text[TEXT_BYTES];
    unsigned found_ones = 0;
    (void)state;
    for (unsigned seed = 1; seed <= 2000; seed++) {
        struct read_needle needle;
        const size_t bytes = make_text(text, TEXT_BYTES, seed);
        make_needle(&needle, seed, 0);
        const size_t place = byte_by_byte(&needle, text, bytes);
        size_t begin = place; /* of its line */
        while (begin > 0 && text[begin - 1] != '\n') {
            begin--;
        }
        uint64_t lines = 0;
        for (size_t i = 0; i < begin; i++) {
            lines += text[i] == '\n';
        }
        int is_found;
        assert_int_equal(needle_pass(&needle, text, bytes, &is_found), begin);
        assert_int_equal(needle.passed, lines);
        assert_int_equal(is_found, place < bytes);
        found_ones += (unsigned)is_found;
    }
    assert_in_range(found_ones, 200, 1800);
}

/* Blocks of 64, of 16 and single places meet each length of a text, which ends where its memory does. */
static void it_finds_it_at_each_place_of_each_length(void **state) {
    static const size_t lengths[] = {1, 2, 17, 70};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        uint8_t literal[70];
        memset(literal, 'x', sizeof literal);
        literal[0] = 'y';
        literal[lengths[i] - 1] = 'z';
        struct read_needle needle = {.count = 0};
        needle_add(&needle, literal, lengths[i], 0);
        for (size_t bytes = lengths[i]; bytes <= 200; bytes++) {
            uint8_t *const text = malloc(bytes);
            for (size_t place = 0; place + lengths[i] <= bytes; place++) {
                int is_found;
                memset(text, '.', bytes);
                assert_false(needle_has(&needle, text, bytes));
                memcpy(text + place, literal, lengths[i]);
                assert_true(needle_has(&needle, text, bytes));
                assert_int_equal(needle_pass(&needle, text, bytes, &is_found), 0);
                assert_true(is_found);
                memmove(text, text + place + 1, bytes - place - 1);
                assert_int_equal(needle_has(&needle, text, bytes - place - 1), 0);
            }
            free(text);
        }
    }
}

/* A lane counts to 255: more newlines than that stand at the same place of their sixteen bytes. */
static void it_counts_any_number_of_lines(void **state) {
    static uint8_t text[1 << 20];
    uint8_t literal[] = "x";
    (void)state;
    memset(text, '\n', sizeof text);
    for (size_t bytes = sizeof text; bytes > 0; bytes /= 3) {
        struct read_needle needle = {.count = 0};
        int is_found;
        needle_add(&needle, literal, 1, 0);
        assert_int_equal(needle_pass(&needle, text, bytes, &is_found), bytes);
        assert_int_equal(needle.passed, bytes);
        assert_false(is_found);
    }
}

/* Literals of one alternative stand one behind the other. */
static void it_wants_all_of_them_in_their_order(void **state) {
    (void)state;
    unsigned had = 0;
    for (unsigned seed = 1; seed <= 20000; seed++) {
        struct read_needle needle;
        uint8_t text[120];
        make_needle(&needle, seed, 1);
        const size_t bytes = make_text(text, sizeof text, seed);
        size_t at = 0, which = 0;
        while (at < bytes && which < needle.count) {
            const int is_here = is_at(&needle, which, text + at, bytes - at);
            at += is_here ? needle.literals[which].length : 1;
            which += (size_t)is_here;
        }
        assert_int_equal(needle_has(&needle, text, bytes), which == needle.count);
        had += which == needle.count;
    }
    assert_in_range(had, 1000, 19000);
    const struct read_needle none = {.count = 0};
    assert_true(needle_has(&none, (const uint8_t *)"", 0)); /* it wants all */
}

/* Whichever literal of an alternative and whichever of its bytes is rare in the log, a search begins with that. */
static void it_seeks_what_is_rare(void **state) {
    static const char text[] = "2026 order one\n2026 order two\n2026 order 4711\n2026 order six\n";
    uint8_t date[] = "2026 order ", number[] = "4711", other[] = "zero";
    struct read_needle needle = {.count = 0};
    int is_found;
    (void)state;
    needle_add(&needle, date, sizeof date - 1, 0);
    needle_add(&needle, number, sizeof number - 1, 0);
    needle_add(&needle, other, sizeof other - 1, 1);
    assert_int_equal(needle_pass(&needle, (const uint8_t *)text, sizeof text - 1, &is_found), 30);
    assert_true(is_found);
    assert_int_equal(needle.sought_count, 2);
    assert_ptr_equal(needle.sought[0].text, number);
    assert_int_equal(number[needle.sought[0].places[0]], '4');
    assert_int_equal(number[needle.sought[0].places[1]], '7');
    assert_int_equal(other[needle.sought[1].places[0]], 'z');
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_passes_over_what_a_search_byte_by_byte_would),
        cmocka_unit_test(it_finds_it_at_each_place_of_each_length),
        cmocka_unit_test(it_counts_any_number_of_lines),
        cmocka_unit_test(it_wants_all_of_them_in_their_order),
        cmocka_unit_test(it_seeks_what_is_rare),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
