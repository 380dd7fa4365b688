/* SPDX-License-Identifier: Apache-2.0 */
/* Block devices: the test's own loop and zram devices. */
#include "device/media.h"

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"
#include "device/probe.h"

#define RING_BYTES (4u << 20)

static const struct platform *const host = &platform_linux;

static void assert_sentence_has(const char *part) {
    if (strstr(error_text(), part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), part);
}

#define NEED_LOOP(loop)                                                                                                \
    struct loop_device loop;                                                                                           \
    make_file(scratch_path("backing"), RING_BYTES);                                                                    \
    if (!make_loop(scratch_path("backing"), &loop))                                                                    \
    SKIP_WITH("no loop device here (%s); wants root", strerror(errno))

#define NEED_ZRAM(zram)                                                                                                \
    struct zram_device zram;                                                                                           \
    if (!make_zram("16M", scratch_path("zram"), &zram))                                                                \
    SKIP_WITH("no zram device here (%s); wants root and the zram module", strerror(errno))

static void assert_round_trip(struct device *device, uint64_t offset) {
    uint8_t *image = device->ops->image(device, 4096), *back = platform_allocate(host, 4096, PLATFORM_PLAIN);
    memset(image, 'r', 4096);
    struct device_write write = {.offset = offset, .data = image, .bytes = 4096};
    device->ops->submit(device, &write);
    assert_ptr_equal(device->ops->complete(device), &write);
    assert_int_equal(write.result, 0);
    assert_int_equal(device->ops->flush(device), 0);
    assert_int_equal(device->ops->read(device, offset, back, 4096), 0);
    assert_memory_equal(image, back, 4096);
    platform_release(host, back, 4096);
}

static void a_loop_device_has_its_own_size_and_blocks(void **state) {
    (void)state;
    NEED_LOOP(loop);
    struct device *device;
    assert_int_equal(device_open(host, loop.path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    assert_false(device->is_file);
    assert_int_equal(device->medium_bytes, RING_BYTES);
    assert_int_equal(device->logical_block_bytes, 512);
    assert_int_equal(device->block_bytes, 4096);
    assert_string_equal(device->fallback, "");
    assert_round_trip(device, RING_BYTES - 4096);
    device_close(device);
    remove_loop(&loop);
}

static void a_zram_device_is_written_and_read(void **state) {
    (void)state;
    NEED_ZRAM(zram);
    struct device *device;
    assert_int_equal(device_open(host, zram.path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    assert_int_equal(device->medium_bytes, 16u << 20);
    assert_int_equal(device->logical_block_bytes, 4096);
    assert_int_equal(device->survives, BURST_DURABILITY_PROCESS);
    assert_round_trip(device, 8192);
    device_close(device);
    remove_zram(&zram);
}

static void a_second_writer_is_refused_also_through_another_node(void **state) {
    (void)state;
    NEED_ZRAM(zram);
    const char *other = scratch_path("other-node");
    struct stat status;
    assert_int_equal(stat(zram.path, &status), 0);
    assert_int_equal(mknod(other, S_IFBLK | 0600, status.st_rdev), 0);
    struct device *first, *second, *reader;
    assert_int_equal(device_open(host, zram.path, DEVICE_WRITER, BURST_IO_AUTO, &first), 0);
    char pid[32];
    snprintf(pid, sizeof(pid), "process %d (", (int)getpid());
    assert_int_equal(device_open(host, zram.path, DEVICE_WRITER, BURST_IO_AUTO, &second), -EBUSY);
    assert_sentence_has(pid);
    assert_int_equal(device_open(host, other, DEVICE_WRITER, BURST_IO_AUTO, &second), -EBUSY);
    assert_sentence_has(pid);
    assert_sentence_has(other);
    assert_int_equal(device_open(host, other, DEVICE_READ_ONLY, BURST_IO_AUTO, &reader), 0);
    device_close(reader);
    device_close(first);
    assert_int_equal(device_open(host, other, DEVICE_WRITER, BURST_IO_AUTO, &second), 0);
    device_close(second);
    remove_zram(&zram);
}

static void a_read_only_device_is_refused_to_a_writer_and_open_to_a_reader(void **state) {
    (void)state;
    NEED_LOOP(loop);
    int on = 1;
    assert_int_equal(ioctl(loop.fd, BLKROSET, &on), 0);
    struct device *device;
    int result = device_open(host, loop.path, DEVICE_WRITER, BURST_IO_AUTO, &device);
    assert_true(result == -EPERM || result == -EACCES || result == -EROFS);
    assert_sentence_has(loop.path);
    assert_sentence_has("read-only");
    assert_int_equal(device_open(host, loop.path, DEVICE_READ_ONLY, BURST_IO_AUTO, &device), 0);
    device_close(device);
    remove_loop(&loop);
}

static void a_device_that_becomes_read_only_fails_the_write(void **state) {
    (void)state;
    NEED_LOOP(loop);
    struct device *device;
    assert_int_equal(device_open(host, loop.path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    uint8_t *image = device->ops->image(device, 4096);
    int on = 1;
    assert_int_equal(ioctl(loop.fd, BLKROSET, &on), 0);
    assert_int_equal(device->ops->write(device, 0, image, 4096), -EPERM);
    device_close(device);
    remove_loop(&loop);
}

/* Makes the device look removed to processes that have it open: its end is before every offset. */
static void shrink(struct loop_device *loop, off_t bytes) {
    assert_int_equal(truncate(scratch_path("backing"), bytes), 0);
    assert_int_equal(ioctl(loop->fd, LOOP_SET_CAPACITY), 0);
}

static void a_vanished_device_is_told_from_a_full_one(void **state) {
    (void)state;
    NEED_LOOP(loop);
    struct device *device;
    assert_int_equal(device_open(host, loop.path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    uint8_t *image = device->ops->image(device, 8192);
    shrink(&loop, 0);
    assert_int_equal(device->ops->write(device, 0, image, 4096), -ENODEV);
    assert_sentence_has("has vanished or shrunk");
    struct device_write write = {.offset = 4096, .data = image, .bytes = 4096};
    device->ops->submit(device, &write);
    assert_ptr_equal(device->ops->complete(device), &write);
    assert_int_equal(write.result, -ENODEV);
    assert_int_equal(device->ops->read(device, 0, image, 4096), -ENODEV);
    assert_sentence_has("has vanished or shrunk");
    device_close(device);
    remove_loop(&loop);
}

static void a_write_cache_that_is_switched_on_is_noticed(void **state) {
    (void)state;
    NEED_LOOP(loop);
    set_write_cache(&loop, "write through");
    struct stat status;
    assert_int_equal(stat(loop.path, &status), 0);
    if (!medium_is_write_through(status.st_rdev)) {
        fprintf(stderr, "SKIPPED: the write cache of a loop device cannot be switched off here\n");
        remove_loop(&loop);
        skip();
    }
    struct device *device;
    assert_int_equal(device_open(host, loop.path, DEVICE_WRITER, BURST_IO_PWRITE, &device), 0);
    assert_int_equal(device->ops->check(device), 0);
    set_write_cache(&loop, "write back");
    assert_int_equal(device->ops->check(device), -EUCLEAN);
    assert_sentence_has("write cache");
    device_close(device);
    assert_int_equal(device_open(host, loop.path, DEVICE_WRITER, BURST_IO_PWRITE, &device), 0);
    assert_int_equal(device->ops->check(device), 0); /* each write flushes by now */
    set_write_cache(&loop, "write through");
    assert_int_equal(device->ops->check(device), 0);
    device_close(device);
    set_write_cache(&loop, "write back");
    remove_loop(&loop);
}

static void a_write_across_the_end_is_not_acknowledged(void **state) {
    (void)state;
    NEED_LOOP(loop);
    struct device *device;
    assert_int_equal(device_open(host, loop.path, DEVICE_WRITER, BURST_IO_AUTO, &device), 0);
    uint8_t *image = device->ops->image(device, 8192);
    shrink(&loop, RING_BYTES / 2);
    struct device_write write = {.offset = RING_BYTES / 2 - 4096, .data = image, .bytes = 8192};
    device->ops->submit(device, &write);
    assert_ptr_equal(device->ops->complete(device), &write);
    assert_int_equal(write.result, -ENODEV);
    assert_int_equal(device->ops->write(device, RING_BYTES / 2 - 4096, image, 8192), -ENODEV);
    assert_sentence_has("has vanished or shrunk");
    device_close(device);
    remove_loop(&loop);
}

static void a_mounted_device_is_refused_with_its_mount_point(void **state) {
    (void)state;
    make_file(scratch_path("backing"), RING_BYTES);
    struct loop_device loop;
    char command[PATH_BYTES * 3];
    snprintf(command, sizeof(command), "mkfs.ext4 -q -F %s >/dev/null 2>&1", scratch_path("backing"));
    if (system(command) != 0)
        SKIP_WITH("no mkfs.ext4 here");
    if (!make_loop(scratch_path("backing"), &loop))
        SKIP_WITH("no loop device here; wants root");
    const char *point = scratch_path("mounted");
    assert_int_equal(mkdir(point, 0700), 0);
    int mounted = mount(loop.path, point, "ext4", 0, NULL) == 0;
    struct device *device = NULL;
    int result = mounted ? device_open(host, loop.path, DEVICE_WRITER, BURST_IO_AUTO, &device) : 0;
    if (mounted)
        umount(point);
    remove_loop(&loop);
    if (!mounted)
        SKIP_WITH("mounting failed");
    assert_int_equal(result, -EBUSY);
    assert_sentence_has("is mounted on ");
    assert_sentence_has(point);
}

int main(void) {
#define BLOCK_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)
    const struct CMUnitTest tests[] = {
        BLOCK_TEST(a_loop_device_has_its_own_size_and_blocks),
        BLOCK_TEST(a_zram_device_is_written_and_read),
        BLOCK_TEST(a_second_writer_is_refused_also_through_another_node),
        BLOCK_TEST(a_read_only_device_is_refused_to_a_writer_and_open_to_a_reader),
        BLOCK_TEST(a_device_that_becomes_read_only_fails_the_write),
        BLOCK_TEST(a_vanished_device_is_told_from_a_full_one),
        BLOCK_TEST(a_write_cache_that_is_switched_on_is_noticed),
        BLOCK_TEST(a_write_across_the_end_is_not_acknowledged),
        BLOCK_TEST(a_mounted_device_is_refused_with_its_mount_point),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
