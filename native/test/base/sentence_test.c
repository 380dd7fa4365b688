/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences that are too long for where they go. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "base/sentence.h"

static char text[20000];

/* "/xxx..xxx" of that length. */
static const char *path_of(size_t length) {
    static char paths[4][5000];
    static unsigned turn;
    char *path = paths[turn++ % 4];
    memset(path, 'x', length);
    path[0] = '/';
    path[length] = '\0';
    return path;
}

static void assert_fits_as(size_t bytes, const char *expected) {
    sentence_fit(text, bytes);
    assert_string_equal(text, expected);
    assert_true(strlen(text) < bytes);
}

static void a_sentence_that_fits_is_left_alone(void **state) {
    (void)state;
    snprintf(text, sizeof text, "log file %s was deleted", path_of(80));
    char before[200];
    strcpy(before, text);
    assert_fits_as(strlen(before) + 1, before);
    text[0] = '\0';
    assert_fits_as(64, "");
}

static void a_path_loses_its_middle_and_the_remedy_stays(void **state) {
    (void)state;
    char expected[256];
    snprintf(text, sizeof text, "log file /var%s/name.log was deleted by others: restore it", path_of(4000));
    snprintf(expected, sizeof expected, "log file /var%s...%s/name.log was deleted by others: restore it", path_of(36),
             path_of(33) + 1);
    assert_int_equal(strlen(expected), 127);
    assert_fits_as(128, expected);
}

static void each_path_is_cut_before_a_word_is_lost(void **state) {
    (void)state;
    snprintf(text, sizeof text, "records go to log file %s again; those before are in %s: compare", path_of(4000),
             path_of(3000));
    sentence_fit(text, 256);
    assert_true(strlen(text) < 256);
    assert_non_null(strstr(text, "records go to log file /x"));
    assert_non_null(strstr(text, "x again; those before are in /x"));
    assert_non_null(strstr(text, "x: compare"));
}

/* 30 words of 40 bytes. */
static void a_sentence_of_short_words_keeps_its_begin_and_its_end(void **state) {
    (void)state;
    strcpy(text, "begin");
    for (int i = 0; i < 30; i++) {
        sprintf(text + strlen(text), " %s", path_of(40));
    }
    strcat(text, " the end");
    sentence_fit(text, 512);
    assert_int_equal(strlen(text), 511);
    assert_int_equal(strncmp(text, "begin /xx", 9), 0);
    assert_string_equal(text + 511 - 9, "x the end");
    assert_non_null(strstr(text, "..."));
}

static void no_character_is_cut(void **state) {
    (void)state;
    for (size_t bytes = SENTENCE_WORD_BYTES + 1; bytes < 80; bytes++) {
        text[0] = '\0';
        for (int i = 0; i < 100; i++) {
            strcat(text, i % 2 == 0 ? "\u00e4" : "\u20ac");
        }
        sentence_fit(text, bytes);
        assert_in_range(strlen(text), bytes - 1 - 4, bytes - 1);
        for (const char *at = text; *at != '\0';) {
            const size_t length = *at == '.' ? 1 : (*at & 0x20) == 0 ? 2 : 3;
            assert_true(*at == '.' || (*at & 0xc0) == 0xc0);
            for (size_t i = 1; i < length; i++) {
                assert_int_equal(at[i] & 0xc0, 0x80);
            }
            at += length;
        }
    }
    memset(text, '\x80', 300); /* a path of any bytes */
    text[300] = '\0';
    sentence_fit(text, 64);
    assert_true(strlen(text) < 64);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sentence_that_fits_is_left_alone),
        cmocka_unit_test(a_path_loses_its_middle_and_the_remedy_stays),
        cmocka_unit_test(each_path_is_cut_before_a_word_is_lost),
        cmocka_unit_test(a_sentence_of_short_words_keeps_its_begin_and_its_end),
        cmocka_unit_test(no_character_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
