/* SPDX-License-Identifier: Apache-2.0 */
#include "base/folders.h"

#include "log_fixture.h"

static char path[1024];

static const char *in_folder(const char *name) {
    char here[512];
    assert_non_null(getcwd(here, sizeof here));
    snprintf(path, sizeof path, "%s/%s/%s", here, folder, name);
    return path;
}

static int is_there(const char *name) {
    char beside[256];
    snprintf(beside, sizeof beside, "%s/%s", folder, name);
    return access(beside, F_OK) == 0;
}

static void missing_folders_are_made_and_taken_back(void **state) {
    (void)state;
    unsigned missing;
    assert_int_equal(folders_missing(in_folder("a/b/c/file")), 3);
    assert_int_equal(folders_make(in_folder("a/b/c/file"), &missing), 0);
    assert_int_equal(missing, 3);
    assert_true(is_there("a/b/c"));
    assert_int_equal(folders_sync(in_folder("a/b/c/file"), 3), 0);
    assert_int_equal(folders_missing(in_folder("a/b/c/file")), 0);
    folders_take_back(in_folder("a/b/c/file"), 3);
    assert_false(is_there("a"));
    assert_true(is_there("")); /* it was there before, and is empty now */
}

static void a_folder_that_is_in_use_stays(void **state) {
    (void)state;
    unsigned missing;
    assert_int_equal(folders_make(in_folder("a/b/file"), &missing), 0);
    assert_int_equal(mkdir(in_folder("a/others"), 0700), 0);
    folders_take_back(in_folder("a/b/file"), missing);
    assert_true(is_there("a/others"));
    assert_false(is_there("a/b"));
}

static void a_failure_half_way_leaves_none(void **state) {
    (void)state;
    unsigned missing;
    char name[400];
    snprintf(name, sizeof name, "a/b/%0300d/c/file", 0); /* the name is too long for a folder */
    assert_int_equal(folders_make(in_folder(name), &missing), -ENAMETOOLONG);
    assert_false(is_there("a"));
}

static void two_slashes_are_one_and_a_way_back_is_none(void **state) {
    (void)state;
    unsigned missing;
    assert_int_equal(folders_make(in_folder("a//b/../c//file"), &missing), 0);
    assert_true(is_there("a/b") && is_there("a/c"));
    folders_take_back(in_folder("a//b/../c//file"), missing);
    assert_false(is_there("a/c"));
    assert_true(is_there(""));
}

static void what_is_there_is_left(void **state) {
    (void)state;
    unsigned missing = 9;
    assert_int_equal(folders_make(in_folder("file"), &missing), 0);
    assert_int_equal(missing, 0);
    folders_take_back(in_folder("file"), missing);
    assert_true(is_there(""));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(missing_folders_are_made_and_taken_back),
        TEST(a_folder_that_is_in_use_stays),
        TEST(a_failure_half_way_leaves_none),
        TEST(two_slashes_are_one_and_a_way_back_is_none),
        TEST(what_is_there_is_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
