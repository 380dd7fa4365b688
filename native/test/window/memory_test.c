/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a window: only the log's process writes it, and nobody cuts it. */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "device/image.h"
#include "skip_with.h"
#include "window/memory.h"

#define CAPACITY_BYTES (1024u * 1024u)

static struct window_memory memory;
static struct device device;
static uint8_t *image;

static int begin(void **state) {
    (void)state;
    device = (struct device){.platform = &platform_linux, .image_node = -1};
    window_memory_init(&memory);
    assert_non_null(memory.maker.make(&memory.maker, &device, CAPACITY_BYTES));
    image = device.image_shared == NULL ? NULL : image_allocate(&device, CAPACITY_BYTES);
    return 0;
}

static int end(void **state) {
    (void)state;
    if (image != NULL) {
        platform_release(&platform_linux, image, CAPACITY_BYTES);
    }
    window_memory_close(&memory);
    return 0;
}

static void a_reader_sees_the_image_and_cannot_change_it(void **state) {
    (void)state;
    assert_non_null(image);
    const int fd = window_memory_seal(&memory);
    assert_true(fd >= 0);
    struct stat status;
    assert_int_equal(fstat(fd, &status), 0);
    assert_int_equal(status.st_size, WINDOW_IMAGE_OFFSET + CAPACITY_BYTES);
    assert_int_equal(status.st_mode & 07777, 0400);
    memcpy(image + 4096, "record", 6);
    window_put_watermark(&memory.window, 2, 8192, 3);
    const uint8_t *seen = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_SHARED, fd, 0);
    assert_ptr_not_equal(seen, MAP_FAILED);
    assert_memory_equal(seen + WINDOW_IMAGE_OFFSET + 4096, "record", 6);
    assert_int_equal(((const struct window_lines *)(seen + WINDOW_LINES_OFFSET))->watermark, 8192);
    memcpy(image + 4096, "Record", 6);
    assert_memory_equal(seen + WINDOW_IMAGE_OFFSET + 4096, "Record", 6);
    munmap((void *)seen, (size_t)status.st_size);
    close(fd);
}

/* Not even the owner can, through any descriptor. */
static void after_the_seal_nobody_writes_cuts_or_grows_it(void **state) {
    (void)state;
    const int fd = window_memory_seal(&memory);
    assert_true(fd >= 0);
    const int fds[] = {fd, memory.fd};
    for (size_t i = 0; i < sizeof fds / sizeof fds[0]; i++) {
        assert_ptr_equal(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fds[i], 0), MAP_FAILED);
        assert_int_equal(pwrite(fds[i], "x", 1, 0), -1);
        assert_int_equal(ftruncate(fds[i], 4096), -1);
        assert_int_equal(ftruncate(fds[i], 1ll << 30), -1);
        assert_int_equal(fallocate(fds[i], FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, 4096), -1);
        assert_int_equal(fcntl(fds[i], F_ADD_SEALS, F_SEAL_WRITE), -1);
    }
    close(fd);
}

static void a_forked_child_has_none_of_it(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    SKIP_WITH("%s", "the thread sanitizer maps memory of its own into the hole that the child finds there");
#endif
    const pid_t child = fork();
    if (child == 0) {
        unsigned char in_core;
        _exit(mincore(memory.pages, 4096, &in_core) == -1 && errno == ENOMEM && mincore(image, 4096, &in_core) == -1 &&
                      errno == ENOMEM
                  ? 0
                  : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

/* A thread that looked for space before the close may move the floor after it. */
static void the_floor_can_be_moved_even_after_the_close(void **state) {
    (void)state;
    struct window window = memory.window;
    window_memory_close(&memory);
    window_raise_floor(&window, 4096);
    unsigned char in_core;
    assert_int_equal(mincore(window.head, 4096, &in_core), -1);
    assert_int_equal(mincore(window.starts, 4096, &in_core), -1);
}

static void a_mapped_ring_has_pages_only(void **state) {
    (void)state;
    static const uint8_t mapping[1];
    struct device mapped = {.platform = &platform_linux, .mapping = mapping};
    struct window_memory pages;
    struct stat status;
    window_memory_init(&pages);
    assert_non_null(pages.maker.make(&pages.maker, &mapped, CAPACITY_BYTES));
    assert_null(mapped.image_shared);
    assert_string_equal(pages.why_not, "");
    assert_int_equal(fstat(pages.fd, &status), 0);
    assert_int_equal(status.st_size, WINDOW_PAGES_BYTES);
    window_memory_close(&pages);
}

static void a_host_that_gives_no_memory_says_why(void **state) {
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    const struct rlimit none = {.rlim_cur = 3, .rlim_max = before.rlim_max};
    struct window_memory refused;
    window_memory_init(&refused);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    const struct window *made = refused.maker.make(&refused.maker, &device, CAPACITY_BYTES);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_null(made);
    assert_non_null(strstr(refused.why_not, "memfd_create gives EMFILE"));
    assert_int_equal(refused.fd, -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_reader_sees_the_image_and_cannot_change_it, begin, end),
        cmocka_unit_test_setup_teardown(after_the_seal_nobody_writes_cuts_or_grows_it, begin, end),
        cmocka_unit_test_setup_teardown(a_forked_child_has_none_of_it, begin, end),
        cmocka_unit_test_setup_teardown(the_floor_can_be_moved_even_after_the_close, begin, end),
        cmocka_unit_test_setup_teardown(a_mapped_ring_has_pages_only, begin, end),
        cmocka_unit_test_setup_teardown(a_host_that_gives_no_memory_says_why, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
