/* SPDX-License-Identifier: Apache-2.0 */
/* Filling the holes of a ring file when a call fails. All else about that: cli/ring_blocks_test.c. */
#include "device/media.h"

#include "base/error.h"
#include "burstlog.h"
#include "device/extents.h"
#include "device/open.h"

#define RING_BYTES (4u << 20)

static int pwrites, fsyncs;         /* so many */
static int fail_pwrite, fail_fsync; /* the number of the call that fails; 0: none */
static int failure;                 /* its errno; 0: it comes back short */

ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    if (++pwrites == fail_pwrite) {
        errno = failure;
        return failure != 0 ? -1 : __real_pwrite(fd, data, 8192, offset);
    }
    return __real_pwrite(fd, data, bytes, offset);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    if (++fsyncs == fail_fsync) {
        errno = failure;
        return -1;
    }
    return __real_fsync(fd);
}

/* Opens a ring file with bytes in each mebibyte but the last, and holes between. */
static struct device *open_sparse(void) {
    struct device *device;
    uint64_t begin, end;
    const char *path = scratch_path("a.ring");
    const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, RING_BYTES), 0);
    for (int i = 0; i < 3; i++)
        assert_int_equal(__real_pwrite(fd, "content", 7, i << 20), 7);
    const int is_told = extents_find_missing(fd, 0, RING_BYTES, &begin, &end) == 1;
    close(fd);
    if (!is_told)
        SKIP_WITH("the file system of %s tells no holes", scratch);
    assert_int_equal(begin, 4096);
    assert_int_equal(end, 1 << 20);
    assert_int_equal(device_open(&platform_linux, path, DEVICE_WRITER, BURST_IO_PWRITE, &device), 0);
    pwrites = fsyncs = fail_pwrite = fail_fsync = failure = 0;
    return device;
}

static void assert_content_stands(struct device *device) {
    uint8_t *content = platform_allocate(&platform_linux, RING_BYTES, PLATFORM_PLAIN);
    assert_int_equal(device->ops->read(device, 0, content, RING_BYTES), 0);
    for (uint32_t at = 0; at < RING_BYTES; at++) {
        const uint32_t within = at & 0xfffff;
        if (content[at] != (within < 7 && at < 3u << 20 ? "content"[within] : 0))
            fail_msg("byte %u is %d", at, content[at]);
    }
    platform_release(&platform_linux, content, RING_BYTES);
}

static void assert_take_gives(struct device *device, int result, const char *words) {
    uint64_t taken;
    assert_int_equal(extents_take(device, &taken), result);
    if (words != NULL && strstr(error_text(), words) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", error_text(), words);
    assert_content_stands(device);
}

static void holes_are_written_and_then_synced_once(void **state) {
    (void)state;
    struct device *device = open_sparse();
    assert_take_gives(device, 0, NULL);
    assert_true(pwrites >= 4);
    assert_int_equal(fsyncs, 1);
    device_close(device);
}

static void a_sync_that_fails_is_told(void **state) {
    (void)state;
    struct device *device = open_sparse();
    fail_fsync = 1;
    failure = EIO;
    assert_take_gives(device, -EIO, "writing them gives EIO");
    device_close(device);
}

static void a_write_that_fails_is_told_whichever_it_is(void **state) {
    (void)state;
    for (int number = 1; number <= 4; number++) {
        struct device *device = open_sparse();
        fail_pwrite = number;
        failure = number == 4 ? EIO : ENOSPC;
        assert_take_gives(device, -failure, number == 4 ? "writing them gives EIO" : "make room");
        device_close(device);
        assert_int_equal(unlink(scratch_path("a.ring")), 0);
    }
}

static void a_short_write_is_continued(void **state) {
    (void)state;
    uint64_t begin, end;
    struct device *device = open_sparse();
    fail_pwrite = 2;
    assert_take_gives(device, 0, NULL);
    assert_int_equal(extents_find_missing(device->file.fd, 0, RING_BYTES, &begin, &end), 0);
    device_close(device);
}

#define EXTENTS_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        EXTENTS_TEST(holes_are_written_and_then_synced_once),
        EXTENTS_TEST(a_sync_that_fails_is_told),
        EXTENTS_TEST(a_write_that_fails_is_told_whichever_it_is),
        EXTENTS_TEST(a_short_write_is_continued),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
