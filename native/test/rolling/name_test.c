/* SPDX-License-Identifier: Apache-2.0 */
/* The names of rolled files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "rolling/name.h"

static struct rolling_name name_of(const char *pattern) {
    struct rolling_name name;
    if (rolling_name_read("r", pattern, &name) < 0) {
        fail_msg("%s", error_text());
    }
    return name;
}

static void a_name_has_the_parts_of_a_time_and_an_index(void **state) {
    (void)state;
    char path[BURST_PATH_BYTES];
    setenv("TZ", "<+03>-3", 1);
    tzset();
    const struct rolling_name all = name_of("/var/log/o-%Y%m%d-%j-%H.%M.%S-%i-100%%.log"), root = name_of("/%i");
    rolling_name_make(&all, 86399, 12, path, sizeof path);
    assert_string_equal(path, "/var/log/o-19700102-002-02.59.59-12-100%.log");
    rolling_name_make(&root, 0, 7, path, sizeof path);
    assert_string_equal(path, "/7");
}

static int fits(const char *pattern, const char *file, uint64_t *index) {
    const struct rolling_name name = name_of(pattern);
    int is_compressed;
    return rolling_name_fits(&name, file, index, &is_compressed) ? 1 + is_compressed : 0;
}

static void a_file_is_known_by_its_name(void **state) {
    (void)state;
    uint64_t index;
    assert_int_equal(fits("/l/o-%Y-%i.log", "o-2026-17.log", &index), 1);
    assert_int_equal(index, 17);
    assert_int_equal(fits("/l/o-%Y-%i.log", "o-2026-17.log.gz", &index), 2);
    assert_int_equal(fits("/l/o-%Y-%i.log", "o-2026-17.log.3", &index), 1);
    assert_int_equal(index, 17);
    assert_int_equal(fits("/l/o-%Y-%i.log", "o-2026-17.log.3.gz", &index), 2);
    assert_int_equal(fits("/l/o%i%Y", "o1232026", &index), 1); /* the index is what the year leaves of the digits */
    assert_int_equal(index, 123);
    assert_int_equal(fits("/l/100%%.%i", "100%.1", &index), 1);
    static const char *const others[] = {"",           "o-2026-.log",       "o-2026-x.log",      "o-26-17.log",
                                         "o-2026-17",  "o-2026-17.log.",    "o-2026-17.log.zip", "o-2026-17.log.gz.1",
                                         "xo-2026-17", "o-2026-17.log.gzx", "o-2026-17.log~",    "o-2026-17.log.3x"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        assert_int_equal(fits("/l/o-%Y-%i.log", others[i], &index), 0);
    }
}

static void a_path_is_hit_only_in_the_folder(void **state) {
    (void)state;
    const struct rolling_name name = name_of("/l/o%i");
    assert_true(rolling_name_hits(&name, "/l/o1"));
    assert_false(rolling_name_hits(&name, "/m/o1"));
    assert_false(rolling_name_hits(&name, "/l/p1"));
}

static void names_of_a_log_file_that_cannot_go_on_are_known(void **state) {
    (void)state;
    const struct rolling_name bad = name_of("/l/o.log.%i"), worse = name_of("/l/o.log.%Y%m.%d"),
                              good = name_of("/l/o.log.%Y-%i");
    assert_true(rolling_name_is_diverted(&bad, "/l/o.log"));
    assert_true(rolling_name_is_diverted(&worse, "/l/o.log"));
    assert_false(rolling_name_is_diverted(&good, "/l/o.log"));
    assert_false(rolling_name_is_diverted(&bad, "/l/o"));
    assert_false(rolling_name_is_diverted(&bad, "/m/o.log"));
    static const char *const others[] = {"/l/o.log.burst-%i", "/l/o.log.burst-%i.%d", "/l/o.log.burst-%d",
                                         "/l/%Y.burst-%i", "/l/o.log.burst-17"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct rolling_name name = name_of(others[i]);
        assert_true(rolling_name_is_diverted(&name, i == 3 ? "/l/2026" : "/l/o.log"));
    }
    static const char *const free[] = {"/l/o.log.burst-%i.old", "/l/o.log.burst%i", "/m/o.log.burst-%i",
                                       "/l/o.burst-%i"};
    for (size_t i = 0; i < sizeof free / sizeof *free; i++) {
        const struct rolling_name name = name_of(free[i]);
        assert_false(rolling_name_is_diverted(&name, "/l/o.log"));
    }
}

static void assert_refused(const char *pattern, const char *why) {
    struct rolling_name name;
    assert_true(rolling_name_read("r", pattern, &name) < 0);
    if (strstr(error_text(), why) == NULL) {
        fail_msg("%s", error_text());
    }
}

static void what_is_no_pattern_is_refused(void **state) {
    (void)state;
    char longest[300];
    memset(longest, 'x', sizeof longest);
    longest[sizeof longest - 1] = '\0';
    assert_refused(NULL, "no rollPattern");
    assert_refused("", "no rollPattern");
    assert_refused("/l/%Y/o", "its folder has a %");
    assert_refused("/l/o%y", "behind a %");
    assert_refused("/l/o%", "behind a %");
    assert_refused("/l/%i%i", "more than once");
    assert_refused("/l/", "1 to 200");
    assert_refused(longest, "1 to 200");
    longest[188] = '\0';
    strcat(longest, "%i"); /* an index may get long */
    assert_refused(longest, "1 to 200");
    strcpy(longest + 187, "%i");
    name_of(longest);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_name_has_the_parts_of_a_time_and_an_index),
        cmocka_unit_test(a_file_is_known_by_its_name),
        cmocka_unit_test(a_path_is_hit_only_in_the_folder),
        cmocka_unit_test(names_of_a_log_file_that_cannot_go_on_are_known),
        cmocka_unit_test(what_is_no_pattern_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
