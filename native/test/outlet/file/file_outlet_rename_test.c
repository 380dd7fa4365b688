/* SPDX-License-Identifier: Apache-2.0 */
/* Giving a file another name: nothing that has content is replaced, also where the kernel or the file system knows no rename
 * that replaces nothing. */
#include "device/media.h"

#include <stdarg.h>
#include <sys/syscall.h>

#include "base/path.h"
#include "outlet/file/fs.h"

static const struct files *const files = &files_posix;
static char from[4096], to[4096];
static int refusal;       /* of renameat2; 0: none */
static int unlinks_left;  /* -1: all */
static char folded[4096]; /* the file system takes this for the name `from`; "": none */

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
    long argument[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_renameat2 && refusal != 0) {
        errno = refusal;
        return -1;
    }
    return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

int __real_unlink(const char *path);
int __wrap_unlink(const char *path);
int __wrap_unlink(const char *path) {
    if (unlinks_left == 0) {
        errno = EIO;
        return -1;
    }
    unlinks_left -= unlinks_left > 0;
    return __real_unlink(path);
}

int __real_lstat(const char *path, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status);
int __wrap_lstat(const char *path, struct stat *status) {
    return __real_lstat(strcmp(path, folded) == 0 ? from : path, status);
}

static void put(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void assert_holds(const char *path, const char *wanted) {
    char text[64] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, wanted);
}

static void assert_missing(const char *path) {
    assert_int_equal(access(path, F_OK), -1);
}

static int begin(void **state) {
    refusal = 0;
    unlinks_left = -1;
    folded[0] = '\0';
    make_scratch(state);
    snprintf(from, sizeof from, "%s", scratch_path("log"));
    snprintf(to, sizeof to, "%s", scratch_path("archive"));
    put(from, "ours");
    return 0;
}

static int rename_it(void) {
    return files->ops->rename(files, from, to);
}

static const int refusals[] = {0, EINVAL, ENOSYS, EPERM};

static void a_free_name_is_taken(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        refusal = refusals[i];
        assert_int_equal(rename_it(), 0);
        assert_missing(from);
        assert_holds(to, "ours");
        unlink(to);
        put(from, "ours");
    }
}

static void content_is_not_replaced(void **state) {
    (void)state;
    put(to, "theirs");
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; i++) {
        refusal = refusals[i];
        assert_int_equal(rename_it(), -EEXIST);
        assert_holds(from, "ours");
        assert_holds(to, "theirs");
    }
    unlink(to);
    assert_int_equal(symlink("nowhere", to), 0);
    assert_int_equal(rename_it(), -EEXIST);
    unlink(to);
    assert_int_equal(mkdir(to, 0700), 0);
    assert_int_equal(rename_it(), -EEXIST);
    assert_holds(from, "ours");
    rmdir(to);
}

static void an_empty_file_is_replaced(void **state) {
    (void)state;
    put(to, "");
    assert_int_equal(rename_it(), 0);
    assert_missing(from);
    assert_holds(to, "ours");
}

static void missing_folders_are_made_and_taken_back(void **state) {
    (void)state;
    snprintf(to, sizeof to, "%s", scratch_path("2026/01/archive"));
    refusal = EACCES;
    assert_int_equal(rename_it(), -EACCES);
    assert_missing(scratch_path("2026"));
    refusal = 0;
    assert_int_equal(rename_it(), 0);
    assert_holds(to, "ours");
    assert_int_equal(unlink(to), 0);
    assert_int_equal(rmdir(scratch_path("2026/01")), 0);
    assert_int_equal(rmdir(scratch_path("2026")), 0);
}

static void what_has_both_names_gets_one(void **state) {
    (void)state;
    refusal = EINVAL;
    unlinks_left = 0; /* a stop between two calls */
    assert_int_equal(rename_it(), -EIO);
    assert_holds(from, "ours");
    assert_holds(to, "ours");
    refusal = 0;
    unlinks_left = -1;
    assert_int_equal(rename_it(), 0);
    assert_missing(from);
    assert_holds(to, "ours");
}

static void assert_is_no_other_name(const char *name) {
    snprintf(to, sizeof to, "%s", name);
    assert_int_equal(rename_it(), -EEXIST);
    assert_holds(from, "ours");
}

/* Else the only name would go, and the content with it. */
static void its_own_name_is_no_other_one_by_whatever_path(void **state) {
    (void)state;
    char moved[4096];
    assert_int_equal(mkdir(scratch_path("sub"), 0700), 0);
    assert_int_equal(symlink(".", scratch_path("alias")), 0);
    for (int has_link_elsewhere = 0; has_link_elsewhere < 2; has_link_elsewhere++) {
        assert_is_no_other_name(scratch_path("alias/log"));
        assert_is_no_other_name(scratch_path("sub/../log"));
        snprintf(moved, sizeof moved, "%s", scratch_path("sub/log"));
        assert_int_equal(link(from, moved), has_link_elsewhere ? -1 : 0);
    }
    snprintf(to, sizeof to, "%s", moved);
    assert_int_equal(rename_it(), 0); /* the same last part, but in another folder */
    assert_missing(from);
    assert_holds(to, "ours");
}

/* As vfat does, and ext4 in a folder that folds cases. */
static void a_name_that_the_file_system_takes_for_its_own_is_no_other_one(void **state) {
    (void)state;
    snprintf(folded, sizeof folded, "%s", scratch_path("LOG"));
    assert_is_no_other_name(folded);
}

/* The link stays, and leads to the next file when that is made. */
static void of_a_link_the_file_is_renamed(void **state) {
    (void)state;
    const struct new_file new_file = {.mode = 0};
    char link_path[4096];
    snprintf(link_path, sizeof link_path, "%s", scratch_path("link"));
    assert_int_equal(symlink(path_name(from), link_path), 0);
    assert_int_equal(files->ops->rename(files, link_path, to), 0);
    assert_missing(from);
    assert_holds(to, "ours");
    const int file = files->ops->create(files, link_path, &new_file);
    assert_true(file >= 0);
    files->ops->close(files, file);
    assert_holds(from, "");
    unlink(link_path);
}

static void what_is_missing_is_told(void **state) {
    (void)state;
    unlink(from);
    assert_int_equal(rename_it(), -ENOENT);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_free_name_is_taken),
        TEST(content_is_not_replaced),
        TEST(an_empty_file_is_replaced),
        TEST(missing_folders_are_made_and_taken_back),
        TEST(what_has_both_names_gets_one),
        TEST(of_a_link_the_file_is_renamed),
        TEST(what_is_missing_is_told),
        TEST(its_own_name_is_no_other_one_by_whatever_path),
        TEST(a_name_that_the_file_system_takes_for_its_own_is_no_other_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
