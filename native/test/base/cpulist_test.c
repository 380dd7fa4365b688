/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpulist.h"

static void assert_reads_as(const char *text, const char *shortest) {
    struct cpulist list;
    char back[64];
    assert_int_equal(cpulist_parse(text, &list), 0);
    cpulist_format(&list, back, sizeof back);
    assert_string_equal(back, shortest);
}

static void a_list_is_numbers_and_ranges_as_the_kernel_writes_them(void **state) {
    (void)state;
    assert_reads_as("3", "3");
    assert_reads_as("3-5,8", "3-5,8");
    assert_reads_as(" 8, 3 - 4 ,5", "3-5,8");
    assert_reads_as("0-0,63,64,65", "0,63-65");
    assert_reads_as("8191", "8191");
    assert_reads_as("1\n", "1");
}

static void anything_else_is_no_list_and_leaves_none(void **state) {
    (void)state;
    static const char *const wrong[] = {"",           " ",      ",",    "1,",  ",1",   "3-",  "-3",
                                        "5-3",        "a",      "1a",   "0x1", "1 2",  "1;2", "8192",
                                        "4294967297", "0-8192", "1--2", "+1",  "1-2-3"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct cpulist list;
        if (cpulist_parse(wrong[i], &list) != -EINVAL) {
            fail_msg("\"%s\" is taken for a list", wrong[i]);
        }
        assert_true(cpulist_is_empty(&list));
    }
}

static void the_first_cpu_that_another_list_lacks_is_found(void **state) {
    (void)state;
    struct cpulist some, all;
    assert_int_equal(cpulist_parse("0-200", &all), 0);
    assert_int_equal(cpulist_parse("0,64,200", &some), 0);
    assert_int_equal(cpulist_first_beyond(&some, &all), -1);
    assert_int_equal(cpulist_first_beyond(&all, &some), 1);
    assert_int_equal(cpulist_parse("64,201,300", &some), 0);
    assert_int_equal(cpulist_first_beyond(&some, &all), 201);
}

static void a_long_list_is_cut_visibly(void **state) {
    (void)state;
    struct cpulist list;
    char text[8];
    assert_int_equal(cpulist_parse("1,3,5,7,9", &list), 0);
    cpulist_format(&list, text, sizeof text);
    assert_string_equal(text, "1,3,5..");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_list_is_numbers_and_ranges_as_the_kernel_writes_them),
        cmocka_unit_test(anything_else_is_no_list_and_leaves_none),
        cmocka_unit_test(the_first_cpu_that_another_list_lacks_is_found),
        cmocka_unit_test(a_long_list_is_cut_visibly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
