/* SPDX-License-Identifier: Apache-2.0 */
/* The names of archives say whose they are, and which is the older one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "read/archive_names.h"

static int sign(int number) {
    return (number > 0) - (number < 0);
}

static void archives_begin_as_the_log_file_does(void **state) {
    (void)state;
    static const char *const archives[] = {"app.log.1", "app-2026-11-23.log.gz", "app.log.burst-7", "app.1.log",
                                           "app7.log",  "app.log.old",           "app_x.log.bz2"};
    static const char *const others[] = {"app.log", "apple.log", "app.txt", "app.log.ring", "app-1", "ap.log", "app"};
    for (size_t i = 0; i < sizeof archives / sizeof archives[0]; i++) {
        assert_true(archive_name_fits(archives[i], "app.log"));
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(archive_name_fits(others[i], "app.log"));
    }
    assert_true(archive_name_fits("app.1", "app"));
    assert_false(archive_name_fits("app1", "app"));
}

static void files_of_another_stream_are_no_archives(void **state) {
    (void)state;
    static const struct {
        const char *path;
        int is_others;
    } cases[] = {
        {"/logs/orders.log", 0},       {"/logs/orders.log.1", 0},           {"/logs/orders-2026-11-25.log.gz", 0},
        {"/logs/orders.log.two", 1},   {"/logs/orders.log.two.1", 1},       {"/logs/orders.log-1.two.gz", 1},
        {"/logs/orders-audit.log", 1}, {"/logs/orders-audit-3.log.zst", 1}, {"/old/orders-audit-3.log.zst", 1},
        {"/logs/orders-7.log", 1},     {"/logs/orders-7.log.gz", 0}, /* the seventh of orders.log, perhaps */
        {"/logs/trades.log", 1},
    };
    struct other_logs others = {.paths = NULL};
    assert_false(other_logs_have(NULL, "/logs/orders.log.two", "/logs/orders.log"));
    assert_false(other_logs_have(&others, "/logs/orders.log.two", "/logs/orders.log"));
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(other_logs_add(&others, "/logs/orders.log"), 0);
        assert_int_equal(other_logs_add(&others, "/logs/orders.log.two"), 0);
        assert_int_equal(other_logs_add(&others, "/logs/orders-audit.log"), 0);
        assert_int_equal(other_logs_add(&others, "/logs/orders-7.log"), 0);
        assert_int_equal(other_logs_add(&others, "/logs/trades.log"), 0);
    }
    assert_int_equal(others.bytes, 17 + 21 + 23 + 19 + 17); /* each once */
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        if (other_logs_have(&others, cases[i].path, "/logs/orders.log") != cases[i].is_others) {
            fail_msg("%s", cases[i].path);
        }
    }
    /* The longer name has its own archives, and none of the shorter one's. */
    assert_false(other_logs_have(&others, "/logs/orders.log.two.1", "/logs/orders.log.two"));
    assert_false(other_logs_have(&others, "/logs/orders.log.two-1", "/logs/orders.log.two"));
    other_logs_clear(&others);
    assert_null(others.paths);
}

static void the_last_number_orders_archives(void **state) {
    (void)state;
    static const struct {
        const char *one, *other;
        int rises, falls, number; /* the signs of the comparisons */
    } cases[] = {
        {"app.log.2", "app.log.10", -1, 1, -1},
        {"app.log.2.gz", "app.log.10", -1, 1, -1},
        {"app.log.002", "app.log.2", -1, -1, 0},
        {"app-9.log.gz", "app-10.log.zst", -1, 1, -1},
        {"app-2026-11-9-1.log", "app-2026-11-10-2.log", -1, -1, 0},
        {"app.1.log.bz2", "app.2.log.bz2", -1, 1, -1},
        {"app.log.7z", "app.log.8z", -1, -1, 0},
        {"app.log.burst-3", "app.log.burst-2", 1, -1, 1},
        {"app.log", "app.log.1", -1, -1, 0},
        {"app.log", "app.log", 0, 0, 0},
        {"app.log.1", "app.log.1.gz", -1, -1, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *one = cases[i].one, *other = cases[i].other;
        if (sign(archive_names_compare(one, other, 0)) != cases[i].rises ||
            sign(archive_names_compare(other, one, 0)) != -cases[i].rises ||
            sign(archive_names_compare(one, other, 1)) != cases[i].falls ||
            sign(archive_names_compare(other, one, 1)) != -cases[i].falls ||
            sign(archive_names_by_number(one, other)) != cases[i].number ||
            sign(archive_names_by_number(other, one)) != -cases[i].number) {
            fail_msg("%s and %s", one, other);
        }
    }
}

static void alike_are_names_that_differ_in_numbers(void **state) {
    (void)state;
    assert_true(archive_names_are_alike("/a/app.log.1", "/a/app.log.22.gz"));
    assert_true(archive_names_are_alike("/a/app-2026-11-09.zst", "/a/app-2026-12-1.gz"));
    assert_false(archive_names_are_alike("/a/app.log.1", "/a/app.log.two"));
    assert_false(archive_names_are_alike("/a/app.log.1", "/a/app.log"));
    assert_false(archive_names_are_alike("/a/app.log.1", "/a/app.log."));
    assert_false(archive_names_are_alike("/a/app.log.1", "/b/app.log.1"));
    assert_false(archive_names_are_alike("/a/app.log.1x", "/a/app.log.1"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(archives_begin_as_the_log_file_does),
        cmocka_unit_test(files_of_another_stream_are_no_archives),
        cmocka_unit_test(the_last_number_orders_archives),
        cmocka_unit_test(alike_are_names_that_differ_in_numbers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
