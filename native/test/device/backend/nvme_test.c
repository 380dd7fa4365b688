/* SPDX-License-Identifier: Apache-2.0 */
/* The engine `nvme`, as far as it goes without NVMe: its commands, bit by bit, and the search in a
 * tree like the kernel's /sys. */
#include "device/media.h"

#include "base/error.h"
#include "burstlog.h"
#include "device/backend/nvme_command.h"
#include "device/backend/nvme_node.h"
#include "device/medium.h"
#include "device/open.h"

/* ------------------------------------------------------------------------------------------------- commands */

static const struct nvme_place place = {
    .name_space = 7, .lba_shift = 9, .begin_bytes = 1u << 20, .bytes = 1ull << 43, .fua = 1};

static void a_write_command_has_the_first_block_the_count_less_one_and_force_unit_access(void **state) {
    (void)state;
    static uint8_t data[8192];
    struct nvme_uring_cmd command;
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, 1ull << 42, data, 8192, &command), 0);
    const struct nvme_uring_cmd expected = {
        .opcode = 1,
        .nsid = 7,
        .addr = (uint64_t)(uintptr_t)data,
        .data_len = 8192,
        .cdw10 = 2048, /* 2^33 blocks of the offset, and 2048 before the partition */
        .cdw11 = 2,
        .cdw12 = 15 | 1u << 30,
    };
    assert_memory_equal(&command, &expected, sizeof(expected));
}

static void with_blocks_of_4096_bytes_the_numbers_are_those_of_such_blocks(void **state) {
    (void)state;
    const struct nvme_place whole = {.name_space = 1, .lba_shift = 12, .bytes = 1u << 30};
    struct nvme_uring_cmd command;
    assert_int_equal(nvme_command_make(&whole, NVME_WRITE, 5 * 4096, NULL, 4096, &command), 0);
    assert_int_equal(command.cdw10, 5);
    assert_int_equal(command.cdw12, 0); /* one block; no cache, no force */
    assert_int_equal(nvme_command_make(&place, NVME_READ, 0, NULL, 512, &command), 0);
    assert_int_equal(command.opcode, 2);
    assert_int_equal(command.cdw12, 0);
}

static void a_command_beyond_the_ring_or_of_broken_blocks_is_not_made(void **state) {
    (void)state;
    struct nvme_uring_cmd command;
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, place.bytes - 512, NULL, 512, &command), 0);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, place.bytes - 512, NULL, 1024, &command), -EINVAL);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, place.bytes, NULL, 512, &command), -EINVAL);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, UINT64_MAX - 511, NULL, 1024, &command), -EINVAL);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, 256, NULL, 512, &command), -EINVAL);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, 0, NULL, 700, &command), -EINVAL);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, 0, NULL, 0, &command), -EINVAL);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, 0, NULL, 65536ull * 512, &command), 0);
    assert_int_equal(command.cdw12 & 0xffff, 0xffff);
    assert_int_equal(nvme_command_make(&place, NVME_WRITE, 0, NULL, 65537ull * 512, &command), -EINVAL);
}

static void the_queue_entry_passes_the_command_through_to_the_node(void **state) {
    (void)state;
    struct io_uring_sqe entry[2];
    struct nvme_uring_cmd command;
    memset(entry, 0xff, sizeof(entry));
    nvme_command_make(&place, NVME_WRITE, 4096, entry, 4096, &command);
    nvme_command_queue(entry, &command);
    assert_int_equal(entry[0].opcode, IORING_OP_URING_CMD);
    assert_int_equal(entry[0].flags, IOSQE_FIXED_FILE);
    assert_int_equal(entry[0].fd, 0);
    assert_int_equal(entry[0].cmd_op, NVME_URING_CMD_IO);
    assert_memory_equal((uint8_t *)entry + 48, &command, sizeof(command)); /* a 128-byte entry has it there */
}

static void a_status_of_the_device_becomes_the_errno_that_the_block_layer_gives(void **state) {
    (void)state;
    assert_int_equal(nvme_command_meaning(0), 0);
    assert_int_equal(nvme_command_meaning(-ENXIO), -ENXIO);
    assert_int_equal(nvme_command_meaning(0x280), -ENODATA);
    assert_int_equal(nvme_command_meaning(0x4280), -ENODATA); /* the bit "do not retry" is set, too */
    assert_int_equal(nvme_command_meaning(0x281), -ENODATA);
    assert_int_equal(nvme_command_meaning(0x80), -ENODEV);
    assert_int_equal(nvme_command_meaning(0x0b), -ENODEV);
    assert_int_equal(nvme_command_meaning(0x83), -EBADE);
    assert_int_equal(nvme_command_meaning(0x120), -EPERM);
    assert_int_equal(nvme_command_meaning(0x06), -EIO);
    assert_int_equal(nvme_command_meaning(0x2002), -EIO);
}

static void identify_tells_the_block_and_the_transfer(void **state) {
    (void)state;
    static uint8_t answer[NVME_IDENTIFY_BYTES];
    unsigned int shift = 0;
    answer[26] = 3; /* formatted with format 3 */
    answer[128 + 4 * 3 + 2] = 12;
    assert_int_equal(nvme_identified_shift(answer, &shift), 0);
    assert_int_equal(shift, 12);
    answer[26] = 0x21; /* format 17: bits 5 and 6 are its upper bits */
    answer[128 + 4 * 17 + 2] = 9;
    assert_int_equal(nvme_identified_shift(answer, &shift), 0);
    assert_int_equal(shift, 9);
    answer[128 + 4 * 17] = 8; /* bytes of metadata */
    assert_int_equal(nvme_identified_shift(answer, &shift), -EOPNOTSUPP);
    answer[26] = 5; /* a format that does not exist */
    assert_int_equal(nvme_identified_shift(answer, &shift), -EOPNOTSUPP);

    assert_true(nvme_identified_transfer(answer) == UINT64_MAX);
    answer[77] = 5;
    assert_int_equal(nvme_identified_transfer(answer), 128u << 10);
}

static void a_command_carries_whole_blocks_within_every_limit(void **state) {
    (void)state;
    assert_int_equal(nvme_command_bytes(131072, UINT64_MAX, 12), 131072);
    assert_int_equal(nvme_command_bytes(UINT64_MAX, 127 * 4096, 12), 127 * 4096);
    assert_int_equal(nvme_command_bytes(UINT64_MAX, 6000, 12), 4096);
    assert_int_equal(nvme_command_bytes(UINT64_MAX, UINT64_MAX, 9), 65536 * 512);
    assert_int_equal(nvme_command_bytes(100, 100, 12), 4096); /* never 0: that would never end */
}

/* --------------------------------------------------------------------------------------------------- lookup */

static char sys[2 * PATH_BYTES];

static void put(const char *path, const char *text) {
    char whole[3 * PATH_BYTES];
    snprintf(whole, sizeof(whole), "%s/%s", sys, path);
    for (char *slash = strchr(whole + strlen(sys) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        mkdir(whole, 0700);
        *slash = '/';
    }
    if (text[0] == '>') {
        assert_int_equal(symlink(text + 1, whole), 0);
        return;
    }
    FILE *file = fopen(whole, "we");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

#define CONTROLLER "devices/pci0000:00/0000:00:04.0/nvme/nvme0"

/* Makes the tree of a machine with one drive, a partition on it, and a disk of another kind. */
static void make_tree(void) {
    snprintf(sys, sizeof(sys), "%s/sys", scratch);
    if (access(sys, F_OK) == 0)
        return;
    mkdir(sys, 0700);
    put(CONTROLLER "/nvme0n1/dev", "259:0\n");
    put(CONTROLLER "/nvme0n1/queue/max_hw_sectors_kb", "512\n");
    put(CONTROLLER "/nvme0n1/queue/max_segments", "127\n");
    put(CONTROLLER "/nvme0n1/nvme0n1p2/partition", "2\n");
    put(CONTROLLER "/nvme0n1/nvme0n1p2/start", "2048\n");
    put(CONTROLLER "/nvme0n2/dev", "259:3\n"); /* an old kernel: no generic node */
    put(CONTROLLER "/nvme0c1n1/dev", "259:4\n");
    put(CONTROLLER "/ng0n1/dev", "241:0\n");
    put("devices/virtual/block/loop0/dev", "7:0\n");
    put("dev/block/259:0", ">../../" CONTROLLER "/nvme0n1");
    put("dev/block/259:2", ">../../" CONTROLLER "/nvme0n1/nvme0n1p2");
    put("dev/block/259:3", ">../../" CONTROLLER "/nvme0n2");
    put("dev/block/259:4", ">../../" CONTROLLER "/nvme0c1n1");
    put("dev/block/7:0", ">../../devices/virtual/block/loop0");
    put("class/nvme-generic/ng0n1", ">../../" CONTROLLER "/ng0n1");
}

static void the_character_device_of_a_namespace_is_found(void **state) {
    (void)state;
    make_tree();
    struct nvme_node node;
    assert_int_equal(nvme_node_find(scratch, makedev(259, 0), &node), 0);
    assert_string_equal(node.name, "ng0n1");
    assert_int_equal(node.number, makedev(241, 0));
    assert_int_equal(node.begin_bytes, 0);
    assert_int_equal(node.transfer_bytes, 127u * (unsigned)sysconf(_SC_PAGESIZE) < 512u << 10
                                              ? 127u * (unsigned)sysconf(_SC_PAGESIZE)
                                              : 512u << 10);
}

static void a_partition_has_the_node_of_its_namespace_and_its_own_begin(void **state) {
    (void)state;
    make_tree();
    struct nvme_node node;
    assert_int_equal(nvme_node_find(scratch, makedev(259, 2), &node), 0);
    assert_string_equal(node.name, "ng0n1");
    assert_int_equal(node.begin_bytes, 2048 * 512);
}

static void what_is_no_namespace_or_has_no_node_is_told_apart(void **state) {
    (void)state;
    make_tree();
    struct nvme_node node;
    assert_int_equal(nvme_node_find(scratch, makedev(7, 0), &node), -ENODEV);
    assert_int_equal(nvme_node_find(scratch, makedev(259, 4), &node), -ENODEV); /* one path of several */
    assert_int_equal(nvme_node_find(scratch, makedev(259, 3), &node), -ENXIO);
    assert_int_equal(nvme_node_find(scratch, makedev(1, 1), &node), -ENOENT);
}

/* ------------------------------------------------------------------------------------------------- refusals */

static void assert_sentence_has(const char *part) {
    if (strstr(error_text(), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), part);
}

static void by_name_on_what_is_no_nvme_it_is_refused(void **state) {
    (void)state;
    struct device *device;
    struct loop_device loop;
    const char *file = scratch_path("a.ring");
    make_file(file, 1u << 20);
    assert_int_equal(device_open(&platform_linux, file, DEVICE_WRITER, BURST_IO_NVME, &device), -ENODEV);
    assert_sentence_has("io=nvme cannot be used");
    assert_sentence_has("io=pwrite");
    assert_sentence_has(file);
    assert_int_equal(device_open(&platform_linux, file, DEVICE_WRITER, BURST_IO_PWRITE, &device), 0); /* not held */
    device_close(device);
    if (!make_loop(file, &loop))
        SKIP_WITH("no loop device here (%s); wants root", strerror(errno));
    assert_int_equal(device_open(&platform_linux, loop.path, DEVICE_WRITER, BURST_IO_NVME, &device), -ENODEV);
    assert_sentence_has("no NVMe namespace");
    remove_loop(&loop);
}

static void the_character_device_itself_is_refused_by_naming_the_block_device(void **state) {
    (void)state;
    char name[64];
    assert_int_equal(nvme_block_name("ng0n1", name, sizeof(name)), 0);
    assert_string_equal(name, "nvme0n1");
    assert_int_equal(nvme_block_name("ng12n3", name, sizeof(name)), 0);
    assert_string_equal(name, "nvme12n3");
    assert_int_equal(nvme_block_name("ng0", name, sizeof(name)), -EINVAL);
    assert_int_equal(nvme_block_name("ng0n1p1", name, sizeof(name)), -EINVAL);
    assert_int_equal(nvme_block_name("nvme0n1", name, sizeof(name)), -EINVAL);
    struct device *device;
    const char *node = scratch_path("ng3n1");
    if (mknod(node, S_IFCHR | 0600, makedev(1, 3)) < 0)
        SKIP_WITH("no character device can be made here (%s); wants root", strerror(errno));
    assert_int_equal(device_open(&platform_linux, node, DEVICE_WRITER, BURST_IO_NVME, &device), -EINVAL);
    assert_sentence_has("/dev/nvme3n1");
}

static void auto_does_not_take_it(void **state) {
    (void)state;
    const struct medium medium = {.fd = -1, .direct = 1};
    assert_int_equal(backend_nvme.suits(&medium), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_write_command_has_the_first_block_the_count_less_one_and_force_unit_access),
        cmocka_unit_test(with_blocks_of_4096_bytes_the_numbers_are_those_of_such_blocks),
        cmocka_unit_test(a_command_beyond_the_ring_or_of_broken_blocks_is_not_made),
        cmocka_unit_test(the_queue_entry_passes_the_command_through_to_the_node),
        cmocka_unit_test(a_status_of_the_device_becomes_the_errno_that_the_block_layer_gives),
        cmocka_unit_test(identify_tells_the_block_and_the_transfer),
        cmocka_unit_test(a_command_carries_whole_blocks_within_every_limit),
        cmocka_unit_test(the_character_device_of_a_namespace_is_found),
        cmocka_unit_test(a_partition_has_the_node_of_its_namespace_and_its_own_begin),
        cmocka_unit_test(what_is_no_namespace_or_has_no_node_is_told_apart),
        cmocka_unit_test(by_name_on_what_is_no_nvme_it_is_refused),
        cmocka_unit_test(the_character_device_itself_is_refused_by_naming_the_block_device),
        cmocka_unit_test(auto_does_not_take_it),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
