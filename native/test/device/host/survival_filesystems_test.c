/* SPDX-License-Identifier: Apache-2.0 */
/* Ring files on each file system of this host, on loop devices of the test's own. */
#include "device/media.h"

#include <linux/magic.h>
#include <sys/vfs.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"

#define RING_BYTES (8u << 20)

static const struct platform *const host = &platform_linux;

static int write_superblock(struct device *device, void *argument) {
    (void)argument;
    uint8_t *block = platform_allocate(host, 4096, PLATFORM_PLAIN);
    memset(block, 'S', 4096);
    int result = device->ops->write(device, 0, block, 4096);
    platform_release(host, block, 4096);
    return result;
}

static int has_copy_on_write(const char *path) {
    struct statfs file_system;
    int flags = 0, fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(fstatfs(fd, &file_system), 0);
    int on_btrfs = file_system.f_type == BTRFS_SUPER_MAGIC;
    if (on_btrfs)
        assert_int_equal(ioctl(fd, FS_IOC_GETFLAGS, &flags), 0);
    close(fd);
    return on_btrfs && !(flags & FS_NOCOW_FL);
}

static void use_ring(const char *path) {
    struct device *device, *second;
    if (device_create_file(host, path, RING_BYTES, write_superblock, NULL) < 0 ||
        device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device) < 0)
        fail_msg("%s", error_text());
    assert_int_equal(device->medium_bytes, RING_BYTES);
    assert_string_equal(device->fallback, "");
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &second), -EBUSY);
    uint8_t *image = device->ops->image(device, RING_BYTES);
    assert_int_equal(device->ops->read(device, 0, image, RING_BYTES), 0);
    assert_int_equal(image[0], 'S');
    assert_int_equal(image[4096], 0);
    memset(image, 'w', RING_BYTES);
    for (uint64_t offset = 4096; offset < RING_BYTES; offset += 1 << 20)
        assert_int_equal(device->ops->write(device, offset, image + offset, 4096), 0);
    assert_int_equal(device->ops->flush(device), 0);
    device_close(device);
    assert_false(has_copy_on_write(path));
}

static void on_loop(const char *type, const char *mkfs) {
    if (geteuid() != 0)
        SKIP_WITH("mounting wants root");
    char command[PATH_BYTES * 3];
    const char *memory = scratch_path("tmpfs"), *point = scratch_path("point"), *path = scratch_path("point/a.ring");
    assert_true(mount_tmpfs(memory, "size=400m"));
    make_file(scratch_path("tmpfs/backing"), 320u << 20);
    snprintf(command, sizeof(command), "%s %s >/dev/null 2>&1", mkfs, scratch_path("tmpfs/backing"));
    struct loop_device loop = {.fd = -1};
    int mounted = system(command) == 0 && make_loop(scratch_path("tmpfs/backing"), &loop) && mkdir(point, 0700) == 0 &&
                  mount(loop.path, point, type, 0, NULL) == 0;
    if (mounted) {
        use_ring(path);
        umount(point);
    }
    if (loop.fd >= 0)
        remove_loop(&loop);
    umount2(memory, MNT_DETACH);
    if (!mounted)
        SKIP_WITH("no %s on this host", type);
}

static void a_ring_file_works_on_ext4(void **state) {
    (void)state;
    on_loop("ext4", "mkfs.ext4 -q -F");
}

static void a_ring_file_works_on_ext3(void **state) {
    (void)state;
    on_loop("ext3", "mkfs.ext3 -q -F");
}

static void a_ring_file_works_on_ext2(void **state) {
    (void)state;
    on_loop("ext2", "mkfs.ext2 -q -F");
}

static void a_ring_file_works_on_xfs(void **state) {
    (void)state;
    on_loop("xfs", "mkfs.xfs -q -f");
}

static void a_ring_file_works_on_btrfs_without_copy_on_write(void **state) {
    (void)state;
    on_loop("btrfs", "mkfs.btrfs -q -f");
}

static void a_ring_file_works_on_tmpfs(void **state) {
    (void)state;
    const char *memory = scratch_path("tmpfs"), *path = scratch_path("tmpfs/a.ring");
    if (!mount_tmpfs(memory, "size=20m"))
        SKIP_WITH("mounting a tmpfs failed: %s", strerror(errno));
    struct device *device;
    int result = device_create_file(host, path, RING_BYTES, write_superblock, NULL);
    if (result == 0)
        result = device_open(host, path, DEVICE_WRITER, BURST_IO_AUTO, &device);
    if (result == 0) {
        uint8_t *image = device->ops->image(device, 4096);
        result = device->ops->write(device, 8192, image, 4096);
        device_close(device);
    }
    umount(memory);
    assert_int_equal(result, 0);
}

/* A failed test leaves its mounts: they must go before the directory. */
static int unmount_and_remove(void **state) {
    umount2(scratch_path("point"), MNT_DETACH);
    umount2(scratch_path("tmpfs"), MNT_DETACH);
    return remove_scratch(state);
}

int main(void) {
#define FILE_SYSTEM_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, unmount_and_remove)
    const struct CMUnitTest tests[] = {
        FILE_SYSTEM_TEST(a_ring_file_works_on_ext4),
        FILE_SYSTEM_TEST(a_ring_file_works_on_ext3),
        FILE_SYSTEM_TEST(a_ring_file_works_on_ext2),
        FILE_SYSTEM_TEST(a_ring_file_works_on_xfs),
        FILE_SYSTEM_TEST(a_ring_file_works_on_btrfs_without_copy_on_write),
        FILE_SYSTEM_TEST(a_ring_file_works_on_tmpfs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
