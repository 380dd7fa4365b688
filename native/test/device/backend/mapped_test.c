/* SPDX-License-Identifier: Apache-2.0 */
/* The backend `mapped`, on a file system in memory; and, if asked by name, on the page cache. */
#include "device/media.h"

#include <sys/mman.h>
#include <sys/statfs.h>
#include <sys/wait.h>

#include "base/error.h"
#include "burstlog.h"
#include "device/backend/bus_handler.h"
#include "device/backend/mapped.h"
#include "device/medium.h"
#include "device/open.h"
#include "device/salvage.h"
#include "media/layout.h"

#define RING_BYTES (2u << 20)
#define PAGE_BYTES 4096u

static const struct platform *const host = &platform_linux;

static const char *ring_file(void) {
    const char *path = scratch_path("a.ring");
    make_file(path, RING_BYTES);
    return path;
}

static struct device *open_mapped(const char *path, enum device_access access) {
    struct device *device;
    take_bus_handler_back();
    if (device_open(host, path, access, BURST_IO_MAPPED, &device) < 0)
        fail_msg("%s", error_text());
    return device;
}

static void assert_says(const char *text, const char *part) {
    if (strstr(text, part) == NULL)
        fail_msg("\"%s\" does not say \"%s\"", text, part);
}

static int has_dax; /* the file system's own claim */

/* The linker puts __wrap_ in place of the library's function (--wrap). */
void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);
void *__real_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset);

void *__wrap_mmap(void *address, size_t bytes, int protection, int flags, int fd, off_t offset) {
    const int synchronous = MAP_SHARED_VALIDATE | MAP_SYNC;
    if (has_dax && (flags & synchronous) == synchronous) {
        flags = (flags & ~synchronous) | MAP_SHARED;
    }
    return __real_mmap(address, bytes, protection, flags, fd, offset);
}

static void lines_are_written_back_where_the_medium_is_what_must_outlive_the_process(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_mapped(path, DEVICE_WRITER);
    assert_string_equal(mapped_write_back_name(device), "none");
    device_close(device);
    has_dax = 1;
    device = open_mapped(path, DEVICE_WRITER);
    has_dax = 0;
    assert_string_not_equal(mapped_write_back_name(device), "none");
    device_close(device);
}

static uint8_t byte_of(const char *path, off_t offset) {
    uint8_t byte = 0;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, &byte, 1, offset), 1);
    close(fd);
    return byte;
}

static int commit_line(struct device *device, uint8_t *image, size_t at) {
    struct device_write write = {.offset = LAYOUT_DATA_OFFSET + at, .data = image + at, .bytes = 64};
    device->ops->submit(device, &write);
    assert_ptr_equal(device->ops->complete(device), &write);
    assert_null(device->ops->complete(device));
    return write.result;
}

static void the_image_is_the_medium_and_a_commit_takes_lines(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_mapped(path, DEVICE_WRITER);
    assert_string_equal(device->ops->name, "mapped");
    assert_int_equal(device->io, BURST_IO_MAPPED);
    assert_int_equal(device->line_bytes, 64);
    assert_int_equal(device->block_bytes, 4096);
    assert_int_equal(device->medium_bytes, RING_BYTES);
    uint8_t *image = device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET);
    assert_non_null(image);
    assert_true(device_is_in_place(device, LAYOUT_DATA_OFFSET, image));
    image[640] = 'x';
    assert_int_equal(commit_line(device, image, 640), 0);
    assert_int_equal(byte_of(path, LAYOUT_DATA_OFFSET + 640), 'x');
    assert_int_equal(device->ops->flush(device), 0);
    device_close(device);
    device = open_mapped(path, DEVICE_WRITER);
    image = device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET);
    assert_int_equal(image[640], 'x');
    device_close(device);
}

static void what_is_written_elsewhere_is_copied_and_what_is_in_place_stays(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_mapped(path, DEVICE_WRITER);
    uint8_t *image = device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET);
    uint8_t *buffer = platform_allocate(host, 8192, PLATFORM_PLAIN);
    memset(buffer, 'h', 8192);
    assert_int_equal(device->ops->write(device, 65536, buffer, 8192), 0);
    assert_int_equal(byte_of(path, 65536 + 8191), 'h');
    memset(image, 'm', PAGE_BYTES);
    assert_int_equal(device->ops->write(device, LAYOUT_DATA_OFFSET, image, PAGE_BYTES), 0);
    assert_int_equal(byte_of(path, LAYOUT_DATA_OFFSET + 100), 'm');
    assert_int_equal(device->ops->read(device, LAYOUT_DATA_OFFSET, image, 2 * PAGE_BYTES), 0);
    assert_int_equal(image[PAGE_BYTES - 1], 'm');
    assert_int_equal(image[PAGE_BYTES], 0);
    assert_int_equal(device->ops->read(device, 65536, buffer, PAGE_BYTES), 0);
    assert_int_equal(buffer[0], 'h');
    assert_int_equal(device->ops->write(device, RING_BYTES - PAGE_BYTES, buffer, 8192), -EIO);
    assert_int_equal(device->ops->read(device, RING_BYTES, buffer, PAGE_BYTES), -EIO);
    assert_null(device->ops->image(device, RING_BYTES));
    platform_release(host, buffer, 8192);
    device_close(device);
}

static void a_file_in_memory_survives_the_process_only_and_auto_may_map_it(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_mapped(path, DEVICE_WRITER);
    assert_int_equal(device->survives, BURST_DURABILITY_PROCESS);
    assert_says(device->survives_because, "tmpfs");
    assert_says(device->fallback, "MAP_SYNC is refused");
    device_close(device);
    struct medium medium;
    assert_int_equal(medium_open(host, path, O_RDWR, &medium), 0);
    assert_int_equal(backend_mapped.suits(&medium), 1);
    close(medium.fd);
}

static void a_file_in_the_page_cache_survives_the_process_only_and_auto_does_not_map_it(void **state) {
    (void)state;
    char path[] = "burst-mapped-XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0 && ftruncate(fd, RING_BYTES) == 0);
    struct medium medium;
    const int result = medium_open(host, path, O_RDWR, &medium);
    const int in_memory = medium.facts.survives == BURST_DURABILITY_PROCESS;
    const int suits = backend_mapped.suits(&medium);
    has_dax = 1;
    const int suits_as_persistent_memory = backend_mapped.suits(&medium);
    has_dax = 0;
    close(medium.fd);
    struct device *device = NULL;
    if (result == 0 && !in_memory)
        device = open_mapped(path, DEVICE_WRITER);
    unlink(path);
    close(fd);
    assert_int_equal(result, 0);
    if (in_memory)
        SKIP_WITH("the working directory is in memory");
    assert_int_equal(suits, 0);
    assert_int_equal(suits_as_persistent_memory, 0); /* with MAP_SYNC it is taken by name only */
    assert_int_equal(device->survives, BURST_DURABILITY_PROCESS);
    assert_says(device->survives_because, "io=pwrite");
    device_close(device);
}

static void a_second_writer_is_refused_and_a_reader_is_not(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *writer = open_mapped(path, DEVICE_WRITER), *other;
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_MAPPED, &other), -EBUSY);
    assert_int_equal(device_open(host, path, DEVICE_WRITER, BURST_IO_PWRITE, &other), -EBUSY);
    struct device *reader = open_mapped(path, DEVICE_READ_ONLY);
    uint8_t *image = writer->ops->image(writer, RING_BYTES - LAYOUT_DATA_OFFSET);
    uint8_t *buffer = platform_allocate(host, PAGE_BYTES, PLATFORM_PLAIN);
    image[5] = 'r';
    assert_int_equal(reader->ops->read(reader, LAYOUT_DATA_OFFSET, buffer, PAGE_BYTES), 0);
    assert_int_equal(buffer[5], 'r');
    platform_release(host, buffer, PAGE_BYTES);
    device_close(reader);
    device_close(writer);
}

static void what_was_cut_off_is_an_error_each_time_and_nothing_is_acknowledged_after_it(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_mapped(path, DEVICE_WRITER);
    uint8_t *image = device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET);
    uint8_t *buffer = platform_allocate(host, PAGE_BYTES, PLATFORM_PLAIN);
    image[0] = 'k';
    assert_int_equal(device->ops->check(device), 0);
    assert_int_equal(truncate(path, LAYOUT_DATA_OFFSET + 4 * PAGE_BYTES), 0);
    for (int again = 0; again < 2; again++) {
        assert_int_equal(device->ops->read(device, LAYOUT_DATA_OFFSET + 4 * PAGE_BYTES, buffer, PAGE_BYTES), -EIO);
        assert_says(error_text(), "SIGBUS");
    }
    assert_int_equal(device->ops->read(device, LAYOUT_DATA_OFFSET + 3 * PAGE_BYTES, buffer, PAGE_BYTES), 0);
    memset(image + 9 * PAGE_BYTES, 'z', PAGE_BYTES); /* as if a producer went on */
    assert_int_equal(commit_line(device, image, 9 * PAGE_BYTES), -EIO);
    assert_int_equal(commit_line(device, image, 0), -EIO);
    assert_int_equal(device->ops->write(device, LAYOUT_DATA_OFFSET + 9 * PAGE_BYTES, buffer, PAGE_BYTES), -EIO);
    assert_int_equal(device->ops->write(device, 0, buffer, PAGE_BYTES), 0); /* the header slots are still mapped */
    assert_int_equal(device->ops->check(device), -EUCLEAN);
    assert_says(error_text(), "was cut by others");
    assert_int_equal(truncate(path, RING_BYTES), 0);
    assert_int_equal(device->ops->check(device), -EIO);
    assert_says(error_text(), "SIGBUS");
    platform_release(host, buffer, PAGE_BYTES);
    device_close(device);
}

static uint64_t unreadable_from, unreadable_bytes;

static void note_unreadable(void *argument, uint64_t offset, uint64_t bytes) {
    (void)argument;
    unreadable_from = unreadable_bytes == 0 ? offset : unreadable_from;
    unreadable_bytes += bytes;
}

static void salvage_in_place_finds_what_is_gone_and_writes_nothing_into_the_medium(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_mapped(path, DEVICE_WRITER);
    uint8_t *image = device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET);
    memset(image, 'e', RING_BYTES - LAYOUT_DATA_OFFSET);
    assert_int_equal(truncate(path, LAYOUT_DATA_OFFSET + 10 * PAGE_BYTES), 0);
    unreadable_bytes = 0;
    assert_int_equal(device_read_salvage(device, LAYOUT_DATA_OFFSET, image, 16 * PAGE_BYTES, note_unreadable, NULL), 0);
    assert_int_equal(unreadable_from, LAYOUT_DATA_OFFSET + 10 * PAGE_BYTES);
    assert_int_equal(unreadable_bytes, 6 * PAGE_BYTES);
    assert_int_equal(image[11 * PAGE_BYTES], 0);
    for (unsigned page = 0; page < 10; page++)
        assert_int_equal(byte_of(path, (off_t)(LAYOUT_DATA_OFFSET + page * PAGE_BYTES)), 'e');
    device_close(device);
}

static void a_producer_that_is_still_in_the_image_of_a_failed_ring_reaches_the_medium_no_more(void **state) {
    (void)state;
    const char *path = ring_file();
    struct device *device = open_mapped(path, DEVICE_WRITER);
    uint8_t *image = device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET);
    image[0] = 'a';
    device->image_in_use = 1;
    device_close(device);
    memset(image, 'b', PAGE_BYTES);
    assert_int_equal(byte_of(path, LAYOUT_DATA_OFFSET), 'a');
    device = open_mapped(path, DEVICE_WRITER); /* the close has released the lock */
    device_close(device);
}

static void a_forked_child_has_no_mapping_of_it(void **state) {
    (void)state;
#ifdef __SANITIZE_THREAD__
    SKIP_WITH("%s", "the thread sanitizer maps memory of its own into the hole that the child finds there");
#endif
    struct device *device = open_mapped(ring_file(), DEVICE_WRITER);
    uint8_t *image = device->ops->image(device, RING_BYTES - LAYOUT_DATA_OFFSET);
    const pid_t child = fork();
    if (child == 0) {
        unsigned char is_resident;
        _exit(mincore(image, 1, &is_resident) < 0 && errno == ENOMEM ? 0 : 1); /* ENOMEM: nothing is mapped there */
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    device_close(device);
}

/* All scratch files are made in memory, where they can be mapped. */
static int make_scratch_in_memory(void **state) {
    setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, make_scratch_in_memory, remove_scratch)

int main(void) {
    struct statfs status;
    if (statfs("/dev/shm", &status) < 0 || status.f_type != 0x01021994) {
        fprintf(stderr, "SKIPPED mapped_test: /dev/shm is no tmpfs\n");
        return 77;
    }
    install_bus_handler();
    const struct CMUnitTest tests[] = {
        TEST(the_image_is_the_medium_and_a_commit_takes_lines),
        TEST(lines_are_written_back_where_the_medium_is_what_must_outlive_the_process),
        TEST(what_is_written_elsewhere_is_copied_and_what_is_in_place_stays),
        TEST(a_file_in_memory_survives_the_process_only_and_auto_may_map_it),
        TEST(a_file_in_the_page_cache_survives_the_process_only_and_auto_does_not_map_it),
        TEST(a_second_writer_is_refused_and_a_reader_is_not),
        TEST(what_was_cut_off_is_an_error_each_time_and_nothing_is_acknowledged_after_it),
        TEST(salvage_in_place_finds_what_is_gone_and_writes_nothing_into_the_medium),
        TEST(a_producer_that_is_still_in_the_image_of_a_failed_ring_reaches_the_medium_no_more),
        TEST(a_forked_child_has_no_mapping_of_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
