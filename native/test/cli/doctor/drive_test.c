/* SPDX-License-Identifier: Apache-2.0 */
/* The line of `burstlog doctor --drive-report`, of recorded drives, of a folder, and of a loop device. */
#include "cli/loop_fixture.h"

#include <dirent.h>

#include "cli/doctor/recorded_host.h"

static void a_recorded_drive_is_told_without_figures(void **state) {
    (void)state;
    make_tuned_host();
    host_put("/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0/nvme/nvme1/model", "Fast | Drive 960G              \n");
    host_put("/sys/devices/pci0000:80/0000:80:01.0/0000:81:00.0/nvme/nvme1/firmware_rev", "GDC5602Q\n");
    assert_int_equal(run("doctor --drive-report /dev/nvme1n1 --root %s", host_folder), 0);
    assert_string_equal(output,
                        "| Fast / Drive 960G (nvme1n1) | GDC5602Q | write through, FUA | it says: no volatile cache | "
                        "the device | - | - | - | - | - | 0 | recorded |\n");
    assert_int_equal(run("doctor --drive-report /logs --root %s", host_folder), 0);
    assert_string_equal(output,
                        "| unknown (sdb) | - | unknown | unknown | ext4 | - | - | - | - | - | 0 | recorded |\n");
    host_put(NVME "/queue/write_cache", "write back\n");
    host_put(NVME "/queue/fua", "0\n");
    assert_int_equal(run("doctor --drive-report /dev/nvme1n1 --root %s", host_folder), 0);
    assert_said("| write back | unknown |");
    remove_host();
}

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

/* The figures of the last line: p50, p90, p99, p99.9, p99.99; 0: the line has none. */
static void read_figures(double figures[5]) {
    const char *at = output;
    for (int cell = 0; cell < 6; cell++) {
        at = strchr(at, '|');
        assert_non_null(at);
        at++;
    }
    for (int i = 0; i < 5; i++) {
        figures[i] = strtod(at, NULL);
        at = strchr(at, '|') + 1;
    }
}

static void a_folder_gets_a_line_and_keeps_nothing(void **state) {
    (void)state;
    const unsigned before = files_in(scratch_path("."));
    double figures[5];
    assert_int_equal(run("doctor --drive-report %s --blocks 1100", scratch_path(".")), 0);
    read_figures(figures);
    assert_true(figures[0] > 0 && figures[0] <= figures[1] && figures[1] <= figures[2] && figures[2] <= figures[3]);
    assert_true(figures[4] == 0); /* 1,100 writes are too few for 99.99% */
    assert_said(" - | 1100 | Linux ");
    assert_int_equal(files_in(scratch_path(".")), before);
}

static void a_device_must_be_blank(void **state) {
    (void)state;
    NEED_LOOP(32 * MIB);
    assert_int_equal(run("doctor --drive-report %s --blocks 10", loop.path), 0);
    assert_said("| loop device (loop");
    assert_said("| the device |");
    assert_said(" | 10 | Linux ");
    assert_int_equal(run("doctor --drive-report %s --blocks 10", loop.path), 3);
    assert_said("is not blank");
    assert_int_equal(run("doctor --drive-report %s --blocks 10 --force", loop.path), 0);
}

static void what_is_no_drive_is_refused(void **state) {
    (void)state;
    make_file(scratch_path("file"), 8192);
    assert_int_equal(run("doctor --drive-report %s", scratch_path("file")), 3);
    assert_said("is neither a folder nor a block device: name a folder on the drive, or its block device");
    assert_int_equal(run("doctor --drive-report %s", scratch_path("nowhere")), 3);
    assert_said("/nowhere cannot be found: ENOENT (No such file or directory); name a folder on the drive");
    assert_null(strstr(output, "ring"));
    assert_int_equal(run("doctor --drive-report %s/none/there", scratch_path(".")), 3);
    assert_said("cannot be found");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_recorded_drive_is_told_without_figures, begin, end),
        cmocka_unit_test_setup_teardown(a_folder_gets_a_line_and_keeps_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_device_must_be_blank, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_drive_is_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
