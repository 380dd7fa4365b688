/* SPDX-License-Identifier: Apache-2.0 */
/* `burstlog doctor --slow-appends`. */
#include "cli/loop_fixture.h"

#include <dirent.h>

static unsigned files_in(const char *path) {
    unsigned files = 0;
    DIR *entries = opendir(path);
    assert_non_null(entries);
    while (readdir(entries) != NULL) {
        files++;
    }
    closedir(entries);
    return files;
}

static void a_folder_gets_its_table_and_keeps_nothing(void **state) {
    (void)state;
    const unsigned before = files_in(scratch_path("."));
    assert_int_equal(run("doctor --slow-appends %s --seconds 0.2 --io mapped", scratch_path(".")), 0);
    assert_said("(mapped); in turns with bare writes and a loop that does\nnothing");
    assert_said("appends of 256 bytes in 0.2 s, ring in ");
    assert_null(strstr(output, "bare write  "));
    assert_int_equal(files_in(scratch_path(".")), before);
    assert_int_equal(run("doctor --slow-appends %s --seconds 0.2 --json --io mapped", scratch_path(".")), 0);
    assert_said("\"engine\": \"mapped\"");
    assert_said("\"milliseconds\": 200");
    assert_said("\"beyond\": [");
}

static void the_ring_of_a_device_stands_before_its_bare_writes(void **state) {
    (void)state;
    NEED_LOOP(16 * MIB);
    assert_int_equal(run("doctor --slow-appends %s %s --seconds 0.1", scratch_path("."), loop.path), 0);
    assert_said("ring on /dev/loop");
    assert_said("bare write  ");
    assert_int_equal(run("verify %s", loop.path), 0); /* nothing was written into it */
    assert_int_equal(run("doctor --slow-appends %s %s --seconds 0.1", scratch_path("."), loop.path), 3);
    assert_said("holds a ring: --force overwrites it");
}

/* A log file that reaches a limit stalls: here within the first lap, 5000 appends to a ring of 16 MiB, of which it then lacks some
 * 500. */
static void a_log_file_that_lacks_records_costs_no_result(void **state) {
    (void)state;
    NEED_LOOP(32 * MIB);
    shell("(ulimit -f %d; exec %s doctor --slow-appends %s %s --seconds 0.000001) >%s 2>&1", 4500 * 256 / 512,
          BURST_CLI, scratch_path("."), loop.path, scratch_path("said"));
    shell("grep -q 'appends of 256 bytes in 1e-06 s' %s", scratch_path("said"));
    shell("%s verify %s | grep -q '^records waiting: [1-9]'", BURST_CLI, loop.path);
}

static void it_is_refused_without_a_place(void **state) {
    (void)state;
    assert_int_equal(run("doctor --slow-appends %s/none", scratch_path(".")), 3);
    assert_said("no folder can be made in ");
    assert_said("ENOENT (No such file or directory); name a folder for ring and log file");
    make_file(scratch_path("file"), 8 * MIB);
    assert_int_equal(run("doctor --slow-appends %s %s", scratch_path("."), scratch_path("file")), 3);
    assert_said("is no block device: name one, or a folder alone");
    assert_int_equal(run("doctor --slow-appends %s --root %s", scratch_path("."), scratch_path(".")), 2);
    assert_int_equal(files_in(scratch_path(".")), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_folder_gets_its_table_and_keeps_nothing, begin, end),
        cmocka_unit_test_setup_teardown(the_ring_of_a_device_stands_before_its_bare_writes, begin, end),
        cmocka_unit_test_setup_teardown(a_log_file_that_lacks_records_costs_no_result, begin, end),
        cmocka_unit_test_setup_teardown(it_is_refused_without_a_place, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
