/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts that lack or refuse a system call; a filter in a child of the test plays them. */
#include "device/media.h"

#include <sys/syscall.h>
#include <sys/wait.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/open.h"
#include "refused_calls.h"

#define RING_BYTES (1u << 20)

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "line %d: " #condition "; last sentence: %s\n", __LINE__, error_text());                   \
            _exit(1);                                                                                                  \
        }                                                                                                              \
    } while (0)

/* Counted in place of sleeping. */
static int sleeps;

static void count_sleep(const struct platform *platform, int64_t duration_ns) {
    (void)platform, (void)duration_ns;
    sleeps++;
}

static struct platform_ops counting_ops;
static struct platform host = {&counting_ops};

static void in_child(void (*body)(const char *path)) {
    counting_ops = *platform_linux.ops;
    counting_ops.sleep_ns = count_sleep;
    const char *path = scratch_path("a.ring");
    make_file(path, RING_BYTES);
    pid_t child = fork();
    if (child == 0) {
        alarm(60); /* a body that takes longer has failed */
        body(path);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    unlink(path);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 77)
        SKIP_WITH("system call filters are not allowed here");
    assert_int_equal(status, 0);
}

static struct device *open_ring(const char *path) {
    struct device *device = NULL;
    CHECK(device_open(&host, path, DEVICE_WRITER, BURST_IO_AUTO, &device) == 0);
    return device;
}

static void check_writes(struct device *device) {
    uint8_t *image = device->ops->image(device, 4096), *back = platform_allocate(&host, 4096, PLATFORM_PLAIN);
    CHECK(image != NULL && back != NULL);
    memset(image, 'w', 4096);
    CHECK(device->ops->write(device, 8192, image, 4096) == 0);
    CHECK(device->ops->read(device, 8192, back, 4096) == 0);
    CHECK(memcmp(image, back, 4096) == 0);
}

/* Says whether the ring's descriptor in this process has the flag. */
static int ring_is_open_with(const char *path, int flag) {
    for (int fd = 3; fd < 100; fd++) {
        char link[64], target[PATH_BYTES * 2];
        snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
        ssize_t length = readlink(link, target, sizeof(target) - 1);
        if (length > 0 && (target[length] = '\0', strcmp(target, path) == 0))
            return (fcntl(fd, F_GETFL) & flag) == flag;
    }
    return 0;
}

static void without_rwf_dsync(const char *path) {
    refuse_call(SYS_preadv2, 0, ENOSYS);
    refuse_call(SYS_pwritev2, 0, ENOSYS);
    struct device *device = open_ring(path);
    CHECK(strstr(device->fallback, "O_DSYNC") != NULL);
    CHECK(ring_is_open_with(path, O_DSYNC | O_DIRECT));
    check_writes(device);
    struct device *second;
    CHECK(device_open(&host, path, DEVICE_WRITER, BURST_IO_AUTO, &second) == -EBUSY);
}

static void a_kernel_without_rwf_dsync_gets_an_o_dsync_descriptor(void **state) {
    (void)state;
    in_child(without_rwf_dsync);
}

static void refuse_open(unsigned int flags, unsigned int failure) {
    refuse_call(SYS_openat, flags, failure);
#ifdef SYS_open
    refuse_argument(SYS_open, 1, flags, failure); /* which musl calls */
#endif
}

static void without_o_direct(const char *path) {
    refuse_open(O_DIRECT, EINVAL);
    struct device *device = open_ring(path);
    CHECK(strstr(device->fallback, "O_DIRECT") != NULL);
    CHECK(!ring_is_open_with(path, O_DIRECT));
    check_writes(device);
}

static void a_file_system_without_o_direct_is_written_through_the_page_cache(void **state) {
    (void)state;
    in_child(without_o_direct);
}

static void direct_that_does_not_read(const char *path) {
    refuse_call(SYS_preadv2, 0, EINVAL);
    struct device *device = open_ring(path);
    CHECK(strstr(device->fallback, "O_DIRECT") != NULL);
    CHECK(!ring_is_open_with(path, O_DIRECT));
    check_writes(device);
}

static void a_file_system_that_opens_o_direct_but_does_not_serve_it_is_found_out_at_open(void **state) {
    (void)state;
    in_child(direct_that_does_not_read);
}

static void neither(const char *path) {
    refuse_open(O_DIRECT, EINVAL);
    refuse_call(SYS_preadv2, 0, EOPNOTSUPP);
    refuse_call(SYS_pwritev2, 0, EOPNOTSUPP);
    struct device *device = open_ring(path);
    CHECK(ring_is_open_with(path, O_DSYNC));
    check_writes(device);
    CHECK(strstr(device->fallback, "O_DIRECT") != NULL && strstr(device->fallback, "; ") != NULL);
}

static void both_reasons_are_told_where_both_are_missing(void **state) {
    (void)state;
    in_child(neither);
}

static int submit_result(struct device *device) {
    uint8_t *image = device->ops->image(device, 4096);
    struct device_write write = {.offset = 0, .data = image, .bytes = 4096};
    device->ops->submit(device, &write);
    CHECK(device->ops->complete(device) == &write);
    return write.result;
}

static void always_again(const char *path) {
    struct device *device = open_ring(path);
    refuse_call(SYS_pwritev2, 0, EAGAIN);
    CHECK(submit_result(device) == -EAGAIN);
    CHECK(sleeps > 10 && sleeps < 1000);
}

static void always_interrupted(const char *path) {
    struct device *device = open_ring(path);
    refuse_call(SYS_pwritev2, 0, EINTR);
    CHECK(submit_result(device) == -EINTR);
}

static void a_write_that_never_gets_through_is_given_up_unacknowledged(void **state) {
    (void)state;
    in_child(always_again);
    in_child(always_interrupted);
}

static void write_error(const char *path) {
    struct device *device = open_ring(path);
    refuse_call(SYS_pwritev2, 0, ENODATA);
    CHECK(submit_result(device) == -ENODATA);
    CHECK(device->ops->write(device, 4096, device->ops->image(device, 4096), 4096) == -ENODATA);
    CHECK(strstr(error_text(), "ENODATA") != NULL && strstr(error_text(), path) != NULL);
    CHECK(sleeps == 0);
}

static void a_write_error_is_returned_at_once_and_not_repeated(void **state) {
    (void)state;
    in_child(write_error);
}

static void full_file_system(const char *path) {
    struct device *device = open_ring(path);
    refuse_call(SYS_pwritev2, 0, ENOSPC);
    CHECK(submit_result(device) == -ENOSPC);
}

static void no_space_in_a_file_is_not_a_vanished_device(void **state) {
    (void)state;
    in_child(full_file_system);
}

static void memory_that_cannot_be_locked(const char *path) {
    struct device *device = open_ring(path);
    refuse_call(SYS_mlock, 0, EPERM);
    CHECK(device->ops->image(device, 65536) != NULL);
    CHECK(strstr(device->fallback, "swapped out") != NULL && strstr(device->fallback, "EPERM") != NULL);
}

static void an_image_that_cannot_be_locked_is_used_and_told(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    SKIP_WITH("the sanitizers replace mlock by nothing");
#endif
    in_child(memory_that_cannot_be_locked);
}

static int prepare_nothing(struct device *device, void *argument) {
    (void)device, (void)argument;
    return 0;
}

static void no_exclusive_rename(const char *path) {
    refuse_call(SYS_renameat2, 0, EINVAL);
    unlink(path);
    CHECK(device_create_file(&host, path, RING_BYTES, prepare_nothing, NULL) == 0);
    struct stat status;
    CHECK(stat(path, &status) == 0 && status.st_size == RING_BYTES && status.st_nlink == 1);
    CHECK(device_create_file(&host, path, RING_BYTES, prepare_nothing, NULL) == -EEXIST);
}

static void a_ring_file_is_created_also_without_an_exclusive_rename(void **state) {
    (void)state;
    in_child(no_exclusive_rename);
}

static void no_fallocate(const char *path) {
    refuse_call(SYS_fallocate, 0, EOPNOTSUPP);
    unlink(path);
    CHECK(device_create_file(&host, path, RING_BYTES, prepare_nothing, NULL) == 0);
}

static void a_ring_file_is_created_also_without_fallocate(void **state) {
    (void)state;
    in_child(no_fallocate);
}

static void no_randomness(const char *path) {
    (void)path;
    refuse_call(SYS_getrandom, 0, ENOSYS);
    uint64_t first = host.ops->random(&host), second = host.ops->random(&host);
    CHECK(first != 0 && second != 0 && first != second);
}

static void random_bits_do_not_depend_on_getrandom(void **state) {
    (void)state;
    in_child(no_randomness);
}

static void no_prefault(const char *path) {
    (void)path;
    refuse_call(SYS_mlock, 0, ENOMEM);
    refuse_call(SYS_madvise, 0, EINVAL);
    CHECK(platform_allocate(&host, 65536, PLATFORM_IMAGE) == NULL); /* without MADV_DONTFORK a fork would copy it */
}

static void an_image_that_a_fork_would_copy_is_not_given(void **state) {
    (void)state;
    in_child(no_prefault);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_kernel_without_rwf_dsync_gets_an_o_dsync_descriptor),
        cmocka_unit_test(a_file_system_without_o_direct_is_written_through_the_page_cache),
        cmocka_unit_test(a_file_system_that_opens_o_direct_but_does_not_serve_it_is_found_out_at_open),
        cmocka_unit_test(both_reasons_are_told_where_both_are_missing),
        cmocka_unit_test(a_write_that_never_gets_through_is_given_up_unacknowledged),
        cmocka_unit_test(a_write_error_is_returned_at_once_and_not_repeated),
        cmocka_unit_test(no_space_in_a_file_is_not_a_vanished_device),
        cmocka_unit_test(an_image_that_cannot_be_locked_is_used_and_told),
        cmocka_unit_test(a_ring_file_is_created_also_without_an_exclusive_rename),
        cmocka_unit_test(a_ring_file_is_created_also_without_fallocate),
        cmocka_unit_test(random_bits_do_not_depend_on_getrandom),
        cmocka_unit_test(an_image_that_a_fork_would_copy_is_not_given),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
