/* SPDX-License-Identifier: Apache-2.0 */
/* Commands that write a ring whose lock file lies in another folder than the ring. */
#include "drain_beside.h"

#include "cli/run.h"

static char place[100];

/* The window's folder is `folder`. */
static void make_ring_elsewhere(void) {
    snprintf(place, sizeof place, "%s/rings", folder);
    assert_int_equal(mkdir(place, 0700), 0);
    snprintf(ring_path, sizeof ring_path, "%s/ring", place);
    make_ring();
}

static void assert_refused_with(const char *words) {
    const char *const commands[] = {"recover", "format --force"};
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run("%s --window=%s %s", commands[i], folder, ring_path), 3);
        assert_said(words);
    }
}

static void they_are_refused_while_another_process_drains_the_ring(void **state) {
    (void)state;
    char holder[64];
    make_ring_elsewhere();
    snprintf(holder, sizeof holder, "is drained by process %d", (int)getpid());
    const int drain = lock_silently(LOCKS_DRAIN);
    assert_refused_with(holder);
    close(drain);
    assert_int_equal(run("recover --json --window %s %s", folder, ring_path), 0);
    assert_int_equal(run("format --force --window %s %s", folder, ring_path), 0);
}

/* The lock file is beside the ring then. */
static void without_the_option_they_look_where_a_drain_does(void **state) {
    (void)state;
    make_ring();
    const int drain = lock_silently(LOCKS_DRAIN);
    assert_int_equal(run("recover %s", ring_path), 3);
    assert_said("is drained by process");
    assert_int_equal(run("format --force %s", ring_path), 3);
    assert_said("is drained by process");
    close(drain);
    assert_int_equal(run("recover %s", ring_path), 0);
}

/* Else a misspelt one would be a ring without a drain. */
static void a_folder_that_is_not_there_is_refused(void **state) {
    (void)state;
    char window[64];
    make_ring_elsewhere();
    const int drain = lock_silently(LOCKS_DRAIN);
    snprintf(window, sizeof window, "%s", folder);
    snprintf(folder, sizeof folder, "%.50s/none", window);
    assert_refused_with("/none of ring");
    assert_refused_with("cannot be looked into: ENOENT");
    snprintf(folder, sizeof folder, "%.50s/log", window);
    assert_refused_with("cannot be looked into: ENOTDIR");
    strcpy(folder, window);
    close(drain);
    assert_int_equal(run("recover --window %s %s", place, ring_path), 0); /* of a ring that never had a drain */
}

static void what_only_reads_takes_no_such_option(void **state) {
    (void)state;
    make_ring();
    assert_int_equal(run("info --window %s %s", folder, ring_path), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(they_are_refused_while_another_process_drains_the_ring),
        TEST(without_the_option_they_look_where_a_drain_does),
        TEST(a_folder_that_is_not_there_is_refused),
        TEST(what_only_reads_takes_no_such_option),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
