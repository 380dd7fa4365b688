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
                        "not pulled | the device | - | - | - | - | - | 0 | - | - | - | recorded |\n");
    assert_int_equal(run("doctor --drive-report /logs --root %s", host_folder), 0);
    assert_string_equal(
        output, "| unknown (sdb) | - | unknown | unknown | not pulled | ext4 | - | - | - | - | - | 0 | - | - | - | "
                "recorded |\n");
    host_put(NVME "/queue/write_cache", "write back\n");
    host_put(NVME "/queue/fua", "0\n");
    assert_int_equal(run("doctor --drive-report /dev/nvme1n1 --root %s", host_folder), 0);
    assert_said("| write back | unknown |");
    remove_host();
}

static void what_a_ring_writes_in_a_day_is_a_part_of_the_drive(void **state) {
    (void)state;
    make_tuned_host();
    host_put(NVME "/size", "1875385008\n"); /* sectors of 512 bytes: 960 GB */
    assert_int_equal(run("doctor --drive-report /dev/nvme1n1 --root %s", host_folder), 0);
    assert_said("writes a block of 4096 bytes for each commit: 1,000 commits a second are 354 GB a day, which is\n"
                "0.37 drive writes a day of its 960 GB, ");
    remove_host();
}

#define FEW_WRITES 1010 /* enough for 99.9% */

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

/* The figures of the line: p50, p90, p99, p99.9, p99.99; 0: the line has none. */
static void read_figures(double figures[5]) {
    const char *at = output;
    for (int cell = 0; cell < 7; cell++) {
        at = strchr(at, '|');
        assert_non_null(at);
        at++;
    }
    for (int i = 0; i < 5; i++) {
        figures[i] = strtod(at, NULL);
        at = strchr(at, '|') + 1;
    }
}

/* The writes a second of each way, and their 99.9%, which lie behind the figures above. */
static void read_ways(double per_second[3], double p999_us[3]) {
    const char *at = output;
    for (int cell = 0; cell < 13; cell++) {
        at = strchr(at, '|');
        assert_non_null(at);
        at++;
    }
    for (int i = 0; i < 3; i++) {
        char *end;
        per_second[i] = strtod(at, &end);
        p999_us[i] = strtod(strchr(end, '(') + 1, NULL);
        at = strchr(end, '|') + 1;
    }
}

/* No way is compared with another one: a busy machine may turn them round. */
static void assert_each_way_has_its_rate_and_its_tail(void) {
    double per_second[3], p999_us[3];
    read_ways(per_second, p999_us);
    for (int i = 0; i < 3; i++) {
        assert_true(per_second[i] > 0 && p999_us[i] > 0);
        /* Two of the writes take at least as long as the 99.9%; a hundredth is for rounding. */
        assert_true(per_second[i] <= 1.01 * FEW_WRITES / (2 * p999_us[i] / 1e6));
    }
}

static void a_folder_gets_a_line_and_keeps_nothing(void **state) {
    (void)state;
    const unsigned before = files_in(scratch_path("."));
    double figures[5];
    assert_int_equal(run("doctor --drive-report %s --blocks %d", scratch_path("."), FEW_WRITES), 0);
    read_figures(figures);
    assert_true(figures[0] > 0 && figures[0] <= figures[1] && figures[1] <= figures[2] && figures[2] <= figures[3]);
    assert_true(figures[4] == 0); /* too few writes for 99.99% */
    assert_said(" - | 1010 | ");
    assert_each_way_has_its_rate_and_its_tail();
    assert_said(") | Linux ");
    assert_int_equal(files_in(scratch_path(".")), before);
}

static void a_device_must_be_blank(void **state) {
    (void)state;
    NEED_LOOP(32 * MIB);
    assert_int_equal(run("doctor --drive-report %s --blocks 10", loop.path), 0);
    assert_said("| loop device (loop");
    assert_said("| not pulled | the device |");
    assert_said(" | 10 | ");
    assert_said(" (-) | Linux "); /* 10 writes are too few for 99.9% */
    assert_int_equal(run("doctor --drive-report %s --blocks 10", loop.path), 3);
    assert_said("is not blank");
    assert_int_equal(run("doctor --drive-report %s --blocks 10 --force", loop.path), 0);
}

static void a_plug_pull_test_on_the_drive_is_in_its_line(void **state) {
    (void)state;
    const char *test = scratch_path("test");
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 40 --size 1M --io pwrite", test), 0);
    assert_int_equal(run("doctor --drive-report %s --blocks 10 --verify-device %s --check 40", scratch_path("."), test),
                     0);
    assert_said("| one cut, by pwrite: 0 of 40 blocks lost |");
    /* 5 more than were written are said to have been acknowledged: the drive lied. */
    assert_int_equal(run("doctor --verify-device %s --check 45 --drive-report %s --blocks 10", test, scratch_path(".")),
                     0);
    assert_said("| one cut, by pwrite: 5 of 45 blocks lost |");
    make_file(scratch_path("other"), 1 << 20);
    assert_int_equal(
        run("doctor --drive-report %s --verify-device %s --check 4", scratch_path("."), scratch_path("other")), 3);
    assert_said("holds no blocks of this test");
}

static void a_test_on_another_drive_is_refused(void **state) {
    (void)state;
    NEED_LOOP(32 * MIB);
    assert_int_equal(run("doctor --verify-device %s --serve --blocks 4 --size 1M --io pwrite", loop.path), 0);
    assert_int_equal(run("doctor --drive-report %s --verify-device %s --check 4", scratch_path("."), loop.path), 3);
    assert_said(": name one on the same drive");
    assert_int_equal(
        run("doctor --drive-report %s --verify-device %s --check 4 --blocks 10 --force", loop.path, loop.path), 0);
    assert_said("| one cut, by pwrite: 0 of 4 blocks lost | the device |");
}

static void a_test_without_its_last_number_is_misused(void **state) {
    (void)state;
    assert_int_equal(run("doctor --drive-report %s --check 4", scratch_path(".")), 2);
    assert_said("takes a plug-pull test on that drive as --verify-device and --check N");
    assert_int_equal(run("doctor --drive-report %s --verify-device x", scratch_path(".")), 2);
    assert_int_equal(run("doctor --drive-report / --verify-device x --check 4 --root %s", scratch_path(".")), 2);
    assert_said("--drive-report with --root measures nothing, so it takes no --check");
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
        cmocka_unit_test_setup_teardown(what_a_ring_writes_in_a_day_is_a_part_of_the_drive, begin, end),
        cmocka_unit_test_setup_teardown(a_folder_gets_a_line_and_keeps_nothing, begin, end),
        cmocka_unit_test_setup_teardown(a_device_must_be_blank, begin, end),
        cmocka_unit_test_setup_teardown(a_plug_pull_test_on_the_drive_is_in_its_line, begin, end),
        cmocka_unit_test_setup_teardown(a_test_on_another_drive_is_refused, begin, end),
        cmocka_unit_test_setup_teardown(a_test_without_its_last_number_is_misused, begin, end),
        cmocka_unit_test_setup_teardown(what_is_no_drive_is_refused, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
