/* SPDX-License-Identifier: Apache-2.0 */
/* The engine `flush`: what it asks of the kernel for a ring file. rigs-fua shows what that is worth. */
#include "device/media.h"

#include "base/error.h"
#include "burstlog.h"
#include "device/medium.h"
#include "device/open.h"

#define RING_BYTES (1u << 20)

static char calls[64]; /* w: a write; f: a flush */
static int flush_fails;

static void note(char call) {
    const size_t used = strlen(calls);
    if (used + 1 < sizeof calls)
        calls[used] = call;
}

int __real_fdatasync(int fd);
int __wrap_fdatasync(int fd);
int __wrap_fdatasync(int fd) {
    note('f');
    if (flush_fails) {
        errno = EIO;
        return -1;
    }
    return __real_fdatasync(fd);
}

ssize_t __real_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    note('w');
    return __real_pwrite(fd, data, bytes, offset);
}

static struct device *open_ring(void) {
    struct device *device;
    const char *path = scratch_path("a.ring");
    make_file(path, RING_BYTES);
    if (device_open(&platform_linux, path, DEVICE_WRITER, BURST_IO_FLUSH, &device) < 0)
        fail_msg("%s", error_text());
    assert_string_equal(device->ops->name, "flush");
    memset(calls, 0, sizeof calls);
    flush_fails = 0;
    return device;
}

static int submit(struct device *device, const uint8_t *image) {
    struct device_write write = {.offset = 4096, .data = image, .bytes = 4096};
    device->ops->submit(device, &write);
    assert_ptr_equal(device->ops->complete(device), &write);
    return write.result;
}

static void each_write_is_followed_by_a_flush(void **state) {
    (void)state;
    struct device *device = open_ring();
    uint8_t *image = device->ops->image(device, 8192);
    assert_int_equal(submit(device, image), 0);
    assert_string_equal(calls, "wf");
    assert_int_equal(submit(device, image), 0);
    assert_string_equal(calls, "wfwf");
    assert_int_equal(device->ops->write(device, 0, image, 4096), 0);
    assert_string_equal(calls, "wfwfwf");
    device_close(device);
}

static void a_write_whose_flush_fails_is_not_acknowledged(void **state) {
    (void)state;
    struct device *device = open_ring();
    uint8_t *image = device->ops->image(device, 8192);
    flush_fails = 1;
    assert_int_equal(submit(device, image), -EIO);
    assert_string_equal(calls, "wf"); /* nor tried again */
    device_close(device);
}

static void auto_does_not_take_it(void **state) {
    (void)state;
    struct medium medium = {.fd = -1, .is_file = 1, .direct = 1};
    assert_int_equal(backend_flush.suits(&medium), 0);
}

#define FLUSH_TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        FLUSH_TEST(each_write_is_followed_by_a_flush),
        FLUSH_TEST(a_write_whose_flush_fails_is_not_acknowledged),
        FLUSH_TEST(auto_does_not_take_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
