/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A user who may write in a ring's folder may put a link in the place of a name at any moment. The test stands between
 * the library and these calls of the C library, and so chooses the moment: it runs no race.
 */
#include "device/media.h"

#include <stdarg.h>
#include <sys/syscall.h>

#include "base/error.h"
#include "base/folders.h"
#include "burstlog.h"
#include "device/medium.h"
#include "device/open.h"
#include "device/ring_name.h"

#define RING_BYTES (4u << 20)
#define VICTIM_BYTES (8u << 20)

static const struct platform *const host = &platform_linux;

enum moment { NEVER, AT_FALLOCATE, AT_FSYNC, AT_OPEN, AT_SYNCHRONOUS_OPEN };
static enum moment moment;
static int refuse_dsync; /* as some sandboxes do */
static char name_to_swap[2 * PATH_BYTES], victim[2 * PATH_BYTES];

/* Makes the name a link to the victim, once, at this moment. */
static void swap_at(enum moment now) {
    if (now != moment)
        return;
    moment = NEVER;
    const char *link = scratch_path("planted");
    assert_int_equal(symlink(victim, link), 0);
    assert_int_equal(rename(link, name_to_swap), 0);
}

int __real_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes);
int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes) {
    swap_at(AT_FALLOCATE);
    return __real_fallocate(fd, mode, offset, bytes);
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd) {
    swap_at(AT_FSYNC);
    return __real_fsync(fd);
}

/* Merely opening a tape or a watchdog has an effect. /dev/null stands for one. */
static int acted;

static int is_character_device(int fd) {
    struct stat status;
    return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
    va_list arguments;
    va_start(arguments, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    va_end(arguments);
    if (flags & O_DSYNC)
        swap_at(AT_SYNCHRONOUS_OPEN);
    if (flags & O_RDWR && strcmp(path, name_to_swap) == 0)
        swap_at(AT_OPEN);
    const int fd = __real_open(path, flags, mode);
    acted += fd >= 0 && strcmp(path, name_to_swap) == 0 && is_character_device(fd);
    return fd;
}

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...) {
    long argument[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_preadv2 && refuse_dsync) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return __real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4], argument[5]);
}

static int make_victim(void **state) {
    if (make_scratch(state) < 0)
        return -1;
    moment = NEVER;
    refuse_dsync = 0;
    snprintf(victim, sizeof victim, "%s", scratch_path("victim"));
    make_file(victim, VICTIM_BYTES);
    const int fd = open(victim, O_WRONLY | O_CLOEXEC);
    for (unsigned at = 0; at < VICTIM_BYTES; at += 4096)
        assert_int_equal(pwrite(fd, "precious", 8, at), 8);
    close(fd);
    return 0;
}

static void assert_victim_is_whole(void) {
    struct stat status;
    uint8_t *content = malloc(VICTIM_BYTES);
    assert_int_equal(stat(victim, &status), 0);
    assert_int_equal(status.st_size, VICTIM_BYTES);
    const int fd = open(victim, O_RDONLY | O_CLOEXEC);
    assert_int_equal(read(fd, content, VICTIM_BYTES), VICTIM_BYTES);
    close(fd);
    for (unsigned at = 0; at < VICTIM_BYTES; at += 4096) {
        if (memcmp(content + at, "precious", 8) != 0)
            fail_msg("the victim was written at %u", at);
    }
    free(content);
}

static int write_first_block(struct device *device, void *argument) {
    (void)argument;
    uint8_t *block = platform_allocate(host, 4096, PLATFORM_PLAIN);
    const int result = device->ops->write(device, 0, block, 4096);
    platform_release(host, block, 4096);
    return result;
}

static void create_while_the_name_is_swapped_at(enum moment when) {
    snprintf(name_to_swap, sizeof name_to_swap, "%s", scratch_path(".a.ring.burstlog-creating"));
    moment = when;
    const int result = device_create_file(host, scratch_path("a.ring"), RING_BYTES, write_first_block, NULL);
    assert_int_equal(moment, NEVER); /* the swap took place */
    assert_victim_is_whole();
    assert_int_equal(result, -ESTALE);
    assert_non_null(strstr(error_text(), "something else in the place of its working file"));
}

static void a_link_planted_before_the_zeros_gets_none(void **state) {
    (void)state;
    create_while_the_name_is_swapped_at(AT_FALLOCATE);
}

static void a_link_planted_behind_the_zeros_gets_no_superblock(void **state) {
    (void)state;
    create_while_the_name_is_swapped_at(AT_FSYNC);
}

/* The engine writes the file that it measured, wherever its name leads by then. */
static void a_link_planted_before_a_second_open_is_seen(void **state) {
    (void)state;
    struct device *device;
    struct stat opened;
    snprintf(name_to_swap, sizeof name_to_swap, "%s", scratch_path("a.ring"));
    make_file(name_to_swap, RING_BYTES);
    refuse_dsync = 1;
    moment = AT_SYNCHRONOUS_OPEN;
    assert_int_equal(device_open(host, name_to_swap, DEVICE_WRITER, BURST_IO_PWRITE, &device), 0);
    assert_int_equal(moment, NEVER);
    assert_int_equal(fstat(device->file.fd, &opened), 0);
    assert_int_equal(device->medium_bytes, opened.st_size);
    device_close(device);
    assert_victim_is_whole();
}

/* The open looks once more where the name leads by then. */
static void a_link_planted_before_the_first_open_is_not_followed_blindly(void **state) {
    (void)state;
    struct device *device;
    snprintf(name_to_swap, sizeof name_to_swap, "%s", scratch_path("a.ring"));
    make_file(name_to_swap, RING_BYTES);
    strcpy(victim, "/dev/null");
    acted = 0;
    moment = AT_OPEN;
    assert_int_equal(device_open(host, name_to_swap, DEVICE_WRITER, BURST_IO_PWRITE, &device), -EINVAL);
    assert_int_equal(moment, NEVER);
    assert_int_equal(acted, 0);
    assert_non_null(strstr(error_text(), "a character device and not memory"));
}

/* An open by name of an open file succeeds only if it is the same file. */
static void what_is_opened_again_is_what_is_open(void **state) {
    (void)state;
    struct device *device;
    snprintf(name_to_swap, sizeof name_to_swap, "%s", scratch_path("a.ring"));
    make_file(name_to_swap, RING_BYTES);
    assert_int_equal(device_open(host, name_to_swap, DEVICE_WRITER, BURST_IO_PWRITE, &device), 0);
    const int again = device_open_again(device, O_RDWR);
    assert_true(again >= 0);
    close(again);
    moment = AT_FSYNC;
    swap_at(AT_FSYNC);
    assert_int_equal(device_open_again(device, O_RDWR), -ESTALE);
    device_close(device);
}

/* No other file loses its name. */
static void only_the_open_file_loses_its_name(void **state) {
    (void)state;
    const char *path = scratch_path("a.ring");
    make_file(path, 4096);
    const int fd = open(path, O_RDWR | O_CLOEXEC);
    assert_int_equal(rename(path, scratch_path("moved")), 0);
    assert_int_equal(symlink("moved", path), 0);
    assert_int_equal(folders_unlink(path, fd), -ESTALE);
    make_file(scratch_path("other"), 4096);
    assert_int_equal(rename(scratch_path("other"), path), 0);
    assert_int_equal(folders_unlink(path, fd), -ESTALE);
    assert_int_equal(access(path, F_OK), 0);
    assert_int_equal(rename(scratch_path("moved"), path), 0);
    assert_int_equal(folders_unlink(path, fd), 0);
    assert_int_equal(access(path, F_OK), -1);
    close(fd);
}

#define SWAP_TEST(name) cmocka_unit_test_setup_teardown(name, make_victim, remove_scratch)

int main(void) {
    const struct CMUnitTest tests[] = {
        SWAP_TEST(a_link_planted_before_the_zeros_gets_none),
        SWAP_TEST(a_link_planted_behind_the_zeros_gets_no_superblock),
        SWAP_TEST(a_link_planted_before_a_second_open_is_seen),
        SWAP_TEST(a_link_planted_before_the_first_open_is_not_followed_blindly),
        SWAP_TEST(only_the_open_file_loses_its_name),
        SWAP_TEST(what_is_opened_again_is_what_is_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
