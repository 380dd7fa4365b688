/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a search for the holders of a device has looked at each process of the host. Calls that look at processes are
 * stood in for, as hosts differ in what they let a test see. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "device/lock.h"
#include "device/probe.h"

#define FIRST_NAMESPACE 0xEFFFFFFCu

static int device;                          /* any that is no block device: nobody writes it here */
static int written;                         /* a descriptor that is open for writing, of another device */
static int opendir_fails, readlinkat_fails; /* for this process: an errno, or 0 */
static int readdir_fails, fstatat_fails, fdinfo_fails;
static int fdinfo_passes; /* so many times that of `written` can be opened before */
static int is_first_hidden, is_container;
static DIR *processes, *descriptors;

static int is_own_folder(const char *path) {
    char own[64];
    snprintf(own, sizeof own, "/proc/%d/fd", (int)getpid());
    return strcmp(path, own) == 0;
}

DIR *__real_opendir(const char *path);
DIR *__wrap_opendir(const char *path);
DIR *__wrap_opendir(const char *path) {
    if (strcmp(path, "/proc") == 0) {
        descriptors = NULL;
        return processes = __real_opendir(path);
    }
    if (!is_own_folder(path)) {
        return __real_opendir("/proc/self/ns"); /* a process without descriptors: no name is a number */
    }
    errno = opendir_fails;
    return descriptors = opendir_fails != 0 ? NULL : __real_opendir(path);
}

struct dirent *__real_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder);
struct dirent *__wrap_readdir(DIR *folder) {
    if (folder == descriptors && readdir_fails != 0) {
        errno = readdir_fails;
        return NULL;
    }
    struct dirent *entry = __real_readdir(folder);
    if (folder == processes && entry != NULL && is_first_hidden && strcmp(entry->d_name, "1") == 0) {
        entry = __real_readdir(folder);
    }
    return entry;
}

ssize_t __real_readlinkat(int folder, const char *path, char *target, size_t bytes);
ssize_t __wrap_readlinkat(int folder, const char *path, char *target, size_t bytes);
ssize_t __wrap_readlinkat(int folder, const char *path, char *target, size_t bytes) {
    errno = readlinkat_fails;
    return readlinkat_fails != 0 ? -1 : __real_readlinkat(folder, path, target, bytes);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) {
    char info[64];
    snprintf(info, sizeof info, "/proc/%d/fdinfo/%d", (int)getpid(), written);
    if (fdinfo_fails != 0 && strcmp(path, info) == 0 && fdinfo_passes-- == 0) {
        errno = fdinfo_fails;
        return NULL;
    }
    return __real_fopen(path, mode);
}

int __real_fstatat(int folder, const char *path, struct stat *status, int flags);
int __wrap_fstatat(int folder, const char *path, struct stat *status, int flags);
int __wrap_fstatat(int folder, const char *path, struct stat *status, int flags) {
    errno = fstatat_fails;
    return fstatat_fails != 0 ? -1 : __real_fstatat(folder, path, status, flags);
}

int __real_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status);
int __wrap_stat(const char *path, struct stat *status) {
    if (strcmp(path, "/proc/self/ns/pid") != 0) {
        return __real_stat(path, status);
    }
    *status = (struct stat){.st_ino = is_container ? FIRST_NAMESPACE + 1 : FIRST_NAMESPACE};
    return 0;
}

static int has_looked_at_all(void) {
    char text[MEDIUM_HOLDERS_BYTES];
    return medium_holders(device, text, sizeof text);
}

static void all_processes_were_looked_at(void **state) {
    char text[MEDIUM_HOLDERS_BYTES];
    (void)state;
    assert_int_equal(has_looked_at_all(), 1);
    lock_tell_holders(device, text, sizeof text);
    assert_string_equal(text, "no process");
}

static void one_that_may_not_be_looked_at_may_hold_it(void **state) {
    (void)state;
    opendir_fails = EACCES; /* another user's */
    assert_int_equal(has_looked_at_all(), 0);
    opendir_fails = EMFILE;
    assert_int_equal(has_looked_at_all(), 0);
    opendir_fails = ENOENT; /* it has ended */
    assert_int_equal(has_looked_at_all(), 1);
    opendir_fails = 0;
    readlinkat_fails = EACCES; /* root without CAP_SYS_PTRACE */
    assert_int_equal(has_looked_at_all(), 0);
    readlinkat_fails = ENOENT; /* the descriptor was closed */
    assert_int_equal(has_looked_at_all(), 1);
}

static void so_may_one_that_does_not_tell_all_that_it_has_open(void **state) {
    (void)state;
    const int fails[] = {EMFILE, ENOENT}; /* this process has no descriptor left; that one was closed */
    for (int gone = 0; gone <= 1; gone++) {
        readdir_fails = fails[gone];
        assert_int_equal(has_looked_at_all(), gone);
        readdir_fails = 0;
        fdinfo_fails = fails[gone];
        for (int passes = 0; passes <= 1; passes++) { /* its flags, its mount */
            fdinfo_passes = passes;
            assert_int_equal(has_looked_at_all(), gone);
        }
        fdinfo_fails = 0;
        fstatat_fails = fails[gone];
        assert_int_equal(has_looked_at_all(), gone);
        fstatat_fails = 0;
    }
}

static void so_may_one_outside_of_the_container(void **state) {
    (void)state;
    char text[MEDIUM_HOLDERS_BYTES];
    is_container = 1;
    assert_int_equal(has_looked_at_all(), 0);
    lock_tell_holders(device, text, sizeof text);
    assert_non_null(strstr(text, "unknown"));
}

static void so_may_one_that_is_hidden(void **state) {
    (void)state;
    is_first_hidden = 1;
    assert_int_equal(has_looked_at_all(), 0);
}

static int begin(void **state) {
    (void)state;
    opendir_fails = readlinkat_fails = readdir_fails = fstatat_fails = fdinfo_fails = 0;
    is_first_hidden = is_container = 0;
    device = open("/dev/zero", O_RDONLY | O_CLOEXEC);
    written = open("/dev/null", O_WRONLY | O_CLOEXEC);
    return device < 0 || written < 0;
}

static int end(void **state) {
    (void)state;
    return close(written) | close(device);
}

int main(void) {
#define HOLDERS_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        HOLDERS_TEST(all_processes_were_looked_at),
        HOLDERS_TEST(one_that_may_not_be_looked_at_may_hold_it),
        HOLDERS_TEST(so_may_one_that_does_not_tell_all_that_it_has_open),
        HOLDERS_TEST(so_may_one_outside_of_the_container),
        HOLDERS_TEST(so_may_one_that_is_hidden),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
