/* SPDX-License-Identifier: Apache-2.0 */
/* The ring's medium takes no more writes, and its records still reach the log file. */
#include "log_fixture.h"

#include <dirent.h>
#include <limits.h>

/* From now on each write to the ring fails. */
static void take_ring_away(void) {
    char wanted[PATH_MAX], link[64], path[PATH_MAX];
    assert_non_null(realpath(ring_path, wanted));
    int taken = 0;
    DIR *descriptors = opendir("/proc/self/fd");
    struct dirent *entry;
    while ((entry = readdir(descriptors)) != NULL) {
        snprintf(link, sizeof link, "/proc/self/fd/%.20s", entry->d_name);
        const ssize_t bytes = readlink(link, path, sizeof path - 1);
        path[bytes < 0 ? 0 : bytes] = '\0';
        if (strcmp(path, wanted) == 0) {
            const int read_only = open(ring_path, O_RDONLY | O_CLOEXEC);
            assert_int_equal(dup3(read_only, atoi(entry->d_name), O_CLOEXEC), atoi(entry->d_name));
            close(read_only);
            taken++;
        }
    }
    closedir(descriptors);
    assert_int_equal(taken, 1);
}

static void who_awaits_the_log_file_is_told_that_it_cannot_be_noted(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    config.drain_interval_ns = 3600 * SECOND_NS;
    burst_t *log = open_with(&config);
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    take_ring_away();
    assert_int_equal(burst_await_drained(log, 60 * SECOND_NS), -EIO);
    assert_non_null(strstr(burst_last_error(), "nor does it take note"));
    assert_int_equal(burst_append(log, "two\n", 4, 0), -EIO);
    assert_int_equal(burst_close(log), 1);
    assert_file_is("one\n");
    log = open_small();
    assert_int_equal(burst_append(log, "three\n", 6, 0), 2);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\nthree\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(who_awaits_the_log_file_is_told_that_it_cannot_be_noted),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
