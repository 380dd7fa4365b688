/* SPDX-License-Identifier: Apache-2.0 */
/* The write cache of a disk, in the words of `burstlog doctor` and in its line for a drive, on recorded hosts. */
#include "log_fixture.h"

#include "cli/doctor/recorded_host.h"
#include "cli/run.h"

static int make_host(void **state) {
    (void)state;
    make_tuned_host();
    return 0;
}

static int remove_the_host(void **state) {
    (void)state;
    remove_host();
    return 0;
}

/* `write through` on a disk with a cache: the kernel asks for no flush any more, and an open refuses the ring. */
static void a_disk_whose_flushes_are_switched_off_is_found(void **state) {
    (void)state;
    host_put_virtio("write back\n", "write back\n");
    assert_int_equal(run("doctor /dev/vda --json --root %s", host_folder), 1);
    assert_said("/sys/block/vda/queue/write_cache switches flushes off");
    assert_null(strstr(output, "echo \\\"write through"));
    host_put_virtio("write back\n", "write through\n");
    assert_int_equal(run("doctor /dev/vda --json --root %s", host_folder), 1);
    assert_said(
        "\"/sys/block/vda/queue/write_cache: write through; vda is a disk with a write cache that is never flushed");
    assert_said("the ring survives os-crash only");
    assert_said("echo \\\"write back\\\" > /sys/block/vda/queue/write_cache");
    host_put_virtio("write through\n", "write through\n");
    run("doctor /dev/vda --json --root %s", host_folder);
    assert_said("\"/sys/block/vda/queue/write_cache: write through\""); /* in order: no word more */
    host_put(NVME "/queue/write_cache", "write back\n");                /* which shows no word of its own */
    assert_int_equal(run("doctor /dev/nvme1n1 --json --root %s", host_folder), 1);
    assert_said("echo \\\"write through\\\" > /sys/block/nvme1n1/queue/write_cache");
}

static void a_disk_that_is_memory_is_not_in_order(void **state) {
    (void)state;
    host_put_ram();
    assert_int_equal(run("doctor /dev/ram0 --json --root %s", host_folder), 1);
    assert_said("write_cache: write through; ram0 keeps its blocks in memory (brd)");
    assert_said("# another medium, or durability=\\\"process\\\" if that is meant");
}

static void a_drive_that_keeps_nothing_is_not_told_as_one_without_a_cache(void **state) {
    (void)state;
    host_put_virtio("write back\n", "write through\n");
    assert_int_equal(run("doctor --drive-report /dev/vda --root %s", host_folder), 0);
    assert_said("| virtio disk (vda) | - | write through | no: flushes are off | not pulled |");
    host_put_virtio("write through\n", "write through\n");
    assert_int_equal(run("doctor --drive-report /dev/vda --root %s", host_folder), 0);
    assert_said("| write through | it says: no volatile cache |");
    host_put_ram();
    assert_int_equal(run("doctor --drive-report /dev/ram0 --root %s", host_folder), 0);
    assert_said("| write through | no: survives process only |");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_disk_whose_flushes_are_switched_off_is_found, make_host, remove_the_host),
        cmocka_unit_test_setup_teardown(a_disk_that_is_memory_is_not_in_order, make_host, remove_the_host),
        cmocka_unit_test_setup_teardown(a_drive_that_keeps_nothing_is_not_told_as_one_without_a_cache, make_host,
                                        remove_the_host),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
