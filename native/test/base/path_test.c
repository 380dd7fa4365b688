/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/path.h"

static void a_relative_path_is_seen_from_the_working_directory(void **state) {
    (void)state;
    char here[PATH_MAX], absolute[PATH_MAX], expected[2 * PATH_MAX];
    assert_non_null(getcwd(here, sizeof(here)));
    snprintf(expected, sizeof(expected), "%s/logs/a.ring", strcmp(here, "/") == 0 ? "" : here);
    assert_int_equal(path_absolute("logs/a.ring", absolute, sizeof(absolute)), 0);
    assert_string_equal(absolute, expected);
    assert_int_equal(path_absolute("/logs/a.ring", absolute, sizeof(absolute)), 0);
    assert_string_equal(absolute, "/logs/a.ring");
}

static void an_unusable_path_is_refused(void **state) {
    (void)state;
    char absolute[8];
    assert_int_equal(path_absolute("", absolute, sizeof(absolute)), -ENOENT);
    assert_int_equal(path_absolute(NULL, absolute, sizeof(absolute)), -ENOENT);
    assert_int_equal(path_absolute("/1234567", absolute, sizeof(absolute)), -ENAMETOOLONG);
    assert_int_equal(path_absolute("/123456", absolute, sizeof(absolute)), 0);
}

static void directory_and_name_are_the_two_sides_of_the_last_slash(void **state) {
    (void)state;
    const char *cases[][3] = {{"/a/b", "/a", "b"}, {"/a", "/", "a"}, {"a", ".", "a"}, {"a//b", "a", "b"}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char directory[32];
        assert_int_equal(path_directory(cases[i][0], directory, sizeof(directory)), 0);
        assert_string_equal(directory, cases[i][1]);
        assert_string_equal(path_name(cases[i][0]), cases[i][2]);
    }
    char small[3];
    assert_int_equal(path_directory("/abc/d", small, sizeof(small)), -ENAMETOOLONG);
}

static void a_link_is_followed_to_a_name_where_nothing_is_yet(void **state) {
    (void)state;
    char directory[] = "path-test-XXXXXX", link[64], absolute[PATH_MAX], expected[PATH_MAX], followed[PATH_MAX];
    assert_non_null(mkdtemp(directory));
    snprintf(link, sizeof(link), "%s/link", directory);
    snprintf(absolute, sizeof(absolute), "%s/there", directory);
    assert_int_equal(symlink("there", link), 0);
    assert_int_equal(path_absolute(absolute, expected, sizeof(expected)), 0);
    assert_int_equal(path_follow(link, followed, sizeof(followed)), 0);
    assert_string_equal(followed, expected);
    unlink(link);
    assert_int_equal(symlink("link", link), 0);
    assert_int_equal(path_follow(link, followed, sizeof(followed)), -ELOOP);
    unlink(link);
    rmdir(directory);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_relative_path_is_seen_from_the_working_directory),
        cmocka_unit_test(an_unusable_path_is_refused),
        cmocka_unit_test(directory_and_name_are_the_two_sides_of_the_last_slash),
        cmocka_unit_test(a_link_is_followed_to_a_name_where_nothing_is_yet),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
