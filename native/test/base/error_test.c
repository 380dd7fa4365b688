/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"

static void *set_in_another_thread(void *before) {
    strcpy(before, error_text());
    error_set(EPERM, "the other thread's");
    return NULL;
}

static void every_thread_has_its_own_sentence(void **state) {
    (void)state;
    char before[64] = "?";
    assert_int_equal(error_set(EIO, "this %s's", "thread"), -EIO);
    pthread_t other;
    pthread_create(&other, NULL, set_in_another_thread, before);
    pthread_join(other, NULL);
    assert_string_equal(before, "");
    assert_string_equal(error_text(), "this thread's");
}

static void a_sentence_can_quote_the_one_before(void **state) {
    (void)state;
    error_set(EIO, "the write failed");
    assert_int_equal(error_set(EIO, "opening: %s; done", error_text()), -EIO);
    assert_string_equal(error_text(), "opening: the write failed; done");
}

static void a_sentence_that_is_too_long_is_cut_and_terminated(void **state) {
    (void)state;
    char path[5000];
    memset(path, 'x', sizeof(path) - 1);
    path[sizeof(path) - 1] = '\0';
    error_set(EIO, "%s", path);
    assert_in_range(strlen(error_text()), 1000, 4000);
}

static void an_errno_has_its_name_and_meaning(void **state) {
    (void)state;
    char text[64];
    snprintf(text, sizeof text, "EIO (%s)", strerror(EIO)); /* "Input/output error", or "I/O error" with musl */
    assert_string_equal(error_name(EIO), text);
    assert_string_equal(error_name(-ENOSPC), "ENOSPC (No space left on device)");
    assert_string_equal(error_name(-EBADE), "EBADE (the device is reserved for another host)");
    assert_string_equal(error_name(4242), "errno 4242");
}

static void several_errors_are_told_at_once_under_the_code_of_the_first(void **state) {
    (void)state;
    struct error_list errors = {.code = 0};
    assert_int_equal(error_list_result(&errors), 0);
    error_list_add(&errors, 0);
    error_list_add(&errors, 7);
    assert_int_equal(error_list_result(&errors), 0);
    error_list_add(&errors, error_set(EINVAL, "%s", "one"));
    error_list_add(&errors, error_set(EPERM, "two"));
    error_list_add(&errors, 0);
    error_set(EIO, "something else");
    assert_int_equal(error_list_result(&errors), -EINVAL);
    assert_string_equal(error_text(), "one; also: two");
}

static void errors_that_are_too_many_are_cut_and_terminated(void **state) {
    (void)state;
    struct error_list errors = {.code = 0};
    for (int i = 0; i < 1000; i++) {
        error_list_add(&errors, error_set(EINVAL, "an error"));
    }
    assert_int_equal(error_list_result(&errors), -EINVAL);
    assert_in_range(strlen(error_text()), 1000, 4000);
}

static void a_time_has_its_largest_unit_without_a_fraction(void **state) {
    (void)state;
    assert_string_equal(error_time(0), "0 ns");
    assert_string_equal(error_time(1), "1 ns");
    assert_string_equal(error_time(10000), "10 us");
    assert_string_equal(error_time(1500000000), "1500 ms");
    assert_string_equal(error_time(10000000000), "10 s");
    assert_string_equal(error_time(300000000000), "5 min");
}

static void setting_a_sentence_keeps_errno(void **state) {
    (void)state;
    errno = EXDEV;
    error_set(EIO, "%s", error_name(EIO));
    assert_int_equal(errno, EXDEV);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_thread_has_its_own_sentence),
        cmocka_unit_test(a_sentence_can_quote_the_one_before),
        cmocka_unit_test(a_sentence_that_is_too_long_is_cut_and_terminated),
        cmocka_unit_test(an_errno_has_its_name_and_meaning),
        cmocka_unit_test(several_errors_are_told_at_once_under_the_code_of_the_first),
        cmocka_unit_test(errors_that_are_too_many_are_cut_and_terminated),
        cmocka_unit_test(a_time_has_its_largest_unit_without_a_fraction),
        cmocka_unit_test(setting_a_sentence_keeps_errno),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
