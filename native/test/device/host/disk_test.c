/* SPDX-License-Identifier: Apache-2.0 */
/* The facts that are shown of a block device, on recorded machines. */
#include "device/recorded.h"

#include "device/host/disk.h"

#define NVME "sys/devices/pci0000:00/0000:01:00.0/nvme/nvme0/nvme0n1"

static void record_nvme(void) {
    record_disk("259:0", NVME, "write through");
    attribute(NVME, "size", "2097152");
    attribute(NVME, "ro", "0");
    attribute(NVME, "removable", "0");
    attribute(NVME, "device/model", "EMD3D256M08BS1  ");
    attribute(NVME, "queue/logical_block_size", "512");
    attribute(NVME, "queue/physical_block_size", "4096");
    attribute(NVME, "queue/fua", "1");
    attribute(NVME, "queue/rotational", "0");
    attribute(NVME, "queue/dax", "0");
    attribute(NVME, "queue/zoned", "none");
    attribute(NVME, "queue/scheduler", "[none] mq-deadline");
    record_partition("259:1", NVME "/nvme0n1p1");
    attribute(NVME "/nvme0n1p1", "size", "2048");
    attribute(NVME "/nvme0n1p1", "ro", "1");
}

static void a_disk_is_shown_with_its_blocks_caches_and_queues(void **state) {
    (void)state;
    struct disk disk;
    record_nvme();
    assert_int_equal(disk_probe(machine, makedev(259, 0), &disk), 0);
    assert_string_equal(disk.name, "nvme0n1");
    assert_string_equal(disk.partition_of, "");
    assert_string_equal(disk.model, "EMD3D256M08BS1");
    assert_int_equal(disk.bytes, 1u << 30);
    assert_int_equal(disk.logical_block_bytes, 512);
    assert_int_equal(disk.physical_block_bytes, 4096);
    assert_string_equal(disk.write_cache, "write through");
    assert_int_equal(disk.fua, 1);
    assert_int_equal(disk.rotational, 0);
    assert_int_equal(disk.dax, 0);
    assert_string_equal(disk.zoned, "none");
    assert_string_equal(disk.scheduler, "[none] mq-deadline");
    assert_int_equal(disk.read_only, 0);
    assert_int_equal(disk.removable, 0);
}

static void a_partition_has_its_own_size_and_the_queue_of_its_disk(void **state) {
    (void)state;
    struct disk disk;
    record_nvme();
    assert_int_equal(disk_probe(machine, makedev(259, 1), &disk), 0);
    assert_string_equal(disk.name, "nvme0n1p1");
    assert_string_equal(disk.partition_of, "nvme0n1");
    assert_int_equal(disk.bytes, 1u << 20);
    assert_int_equal(disk.read_only, 1);
    assert_int_equal(disk.physical_block_bytes, 4096);
    assert_string_equal(disk.write_cache, "write through");
}

static void what_the_kernel_does_not_say_is_not_made_up(void **state) {
    (void)state;
    struct disk disk;
    record_virtual("252:0", "sys/devices/virtual/block/dm-0", NULL);
    assert_int_equal(disk_probe(machine, makedev(252, 0), &disk), 0);
    assert_int_equal(disk.fua, -1);
    assert_int_equal(disk.rotational, -1);
    assert_string_equal(disk.write_cache, "");
    assert_int_equal(disk_probe(machine, makedev(77, 7), &disk), -ENOENT);
}

int main(void) {
#define RECORDED_TEST(name) cmocka_unit_test_setup_teardown(name, make_machine, remove_scratch)
    const struct CMUnitTest tests[] = {
        RECORDED_TEST(a_disk_is_shown_with_its_blocks_caches_and_queues),
        RECORDED_TEST(a_partition_has_its_own_size_and_the_queue_of_its_disk),
        RECORDED_TEST(what_the_kernel_does_not_say_is_not_made_up),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
