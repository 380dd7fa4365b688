/* SPDX-License-Identifier: Apache-2.0 */
/* The memory of a mapped ring has an error: one page gives SIGBUS, and the other pages keep their content. */
#include "log_fixture.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/statfs.h>

#include "append_rules.h"
#include "base/error.h"
#include "base/memory_limit.h"
#include "device/backend/bus_handler.h"
#include "device/open.h"
#include "log/engine.h"

#define PAGE_BYTES 4096u
#define RECORD_BYTES 1000u
#define RECORDS 40u
#define BAD_PAGE 3u /* a page of the data area; page 0 has the marker */

static struct {
    struct device *device;
    struct events events;
    struct engine *engine;
} host;

static const struct engine_stream main_stream = {.name = ""}; /* where it is bound */

static int64_t append_number(unsigned number) {
    char record[RECORD_BYTES];
    memset(record, 'a' + (int)(number % 26), sizeof record);
    snprintf(record, 16, "%08u", number);
    record[8] = ' ';
    record[RECORD_BYTES - 1] = '\n';
    return ring_append(host.engine->ring, record, sizeof record, 0, &stream_0, &for_ever);
}

/* Leaves records in the ring that no file has. */
static void leave_records_in_the_ring(void) {
    burst_config_t config = small_config();
    config.io = BURST_IO_MAPPED;
    burst_t *log = open_with(&config);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(device_open(&platform_linux, ring_path, DEVICE_WRITER, BURST_IO_AUTO, &host.device), 0);
    const struct engine_parts parts = {
        .platform = &platform_linux, .device = host.device, .files = &files_posix, .events = &host.events};
    const struct engine_config engine_config = {.main = &main_stream};
    assert_int_equal(engine_open(&parts, &engine_config, &host.engine), 0);
    for (unsigned number = 1; number <= RECORDS; number++) {
        assert_int_equal(append_number(number), number);
    }
    engine_close(host.engine);
    device_close(host.device);
}

static void copy_of_page(uint8_t *page) {
    const int fd = open(ring_path, O_RDONLY | O_CLOEXEC);
    assert_int_equal(pread(fd, page, PAGE_BYTES, LAYOUT_DATA_OFFSET + BAD_PAGE * PAGE_BYTES), PAGE_BYTES);
    close(fd);
}

/* Replaces the page, for this process, by memory that cannot be touched. */
static void lose_page(unsigned page) {
    const int nothing = (int)syscall(SYS_memfd_create, "nothing", MFD_CLOEXEC);
    assert_true(nothing >= 0);
    assert_ptr_not_equal(mmap((uint8_t *)host.device->mapping + LAYOUT_DATA_OFFSET + page * PAGE_BYTES, PAGE_BYTES,
                              PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED, nothing, 0),
                         MAP_FAILED);
    close(nothing);
}

static void open_mapped(enum device_access access) {
    assert_int_equal(device_open(&platform_linux, ring_path, access, BURST_IO_AUTO, &host.device), 0);
    assert_string_equal(host.device->ops->name, "mapped");
}

static void open_with_a_bad_page(enum device_access access) {
    open_mapped(access);
    lose_page(BAD_PAGE);
}

static void recovery_reports_the_page_and_leaves_what_it_holds_and_the_rest_is_drained(void **state) {
    (void)state;
    take_bus_handler_back();
    leave_records_in_the_ring();
    uint8_t before[PAGE_BYTES], after[PAGE_BYTES];
    copy_of_page(before);
    open_with_a_bad_page(DEVICE_WRITER);
    const struct engine_parts parts = {
        .platform = &platform_linux, .device = host.device, .files = &files_posix, .events = &host.events};
    const struct engine_config config = {.main = &main_stream};
    if (engine_open(&parts, &config, &host.engine) < 0) {
        fail_msg("%s", error_text());
    }
    const struct recovery *recovery = &host.engine->view.recovery;
    assert_int_equal(host.engine->view.unreadable_bytes, PAGE_BYTES);
    assert_int_equal(recovery->next_sequence, RECORDS + 1);
    assert_in_range(recovery->lost, 4, 5);
    assert_int_equal(recovery->records + recovery->lost, RECORDS);
    const uint64_t lost = recovery->lost;
    assert_int_equal(append_number(RECORDS + 1), -EIO); /* memory with an error acknowledges nothing */
    for (int i = 0; i < 5; i++) {
        engine_step(host.engine, 1);
    }
    engine_close(host.engine);
    device_close(host.device);
    copy_of_page(after);
    assert_memory_equal(before, after, PAGE_BYTES);
    size_t bytes;
    char *text = read_file(&bytes);
    unsigned found = 0;
    for (char *line = strtok(text, "\n"); line != NULL; line = strtok(NULL, "\n")) {
        found += *line == '0';
        assert_true(*line == '0' || strstr(line, "are lost: the ring is damaged") != NULL);
    }
    assert_int_equal(found, RECORDS - lost);
    free(text);
}

static void a_reader_reports_the_page_each_time(void **state) {
    (void)state;
    take_bus_handler_back();
    leave_records_in_the_ring();
    open_with_a_bad_page(DEVICE_READ_ONLY);
    for (int again = 0; again < 2; again++) {
        struct ring_view *view;
        assert_int_equal(ring_view_open(&platform_linux, host.device, &view), 0);
        assert_int_equal(view->unreadable_bytes, PAGE_BYTES);
        assert_in_range(view->recovery.lost, 4, 5);
        ring_view_close(&platform_linux, view);
    }
    device_close(host.device);
}

static const struct device_ops *real_ops;

/* Loses the page when all of the ring has been read, before recovery looks at it. */
static int read_and_lose(struct device *device, uint64_t offset, void *data, size_t bytes) {
    const int rc = real_ops->read(device, offset, data, bytes);
    if (offset + bytes == device->medium_bytes) {
        lose_page(BAD_PAGE);
    }
    return rc;
}

static void a_page_that_is_lost_while_it_is_recovered_refuses_the_open(void **state) {
    (void)state;
    take_bus_handler_back();
    leave_records_in_the_ring();
    open_mapped(DEVICE_WRITER);
    real_ops = host.device->ops;
    struct device_ops ops = *real_ops;
    ops.read = read_and_lose;
    host.device->ops = &ops;
    const struct engine_parts parts = {
        .platform = &platform_linux, .device = host.device, .files = &files_posix, .events = &host.events};
    const struct engine_config config = {.main = &main_stream};
    assert_int_equal(engine_open(&parts, &config, &host.engine), -EIO);
    assert_non_null(strstr(error_text(), "became unreadable while it was being recovered"));
    real_ops->close(host.device);
}

static int64_t slept_ns;

static void count_sleep(const struct platform *platform, int64_t duration_ns) {
    (void)platform;
    slept_ns += duration_ns;
}

/* The record's publication went with the page: without the error the leader would wait for it as for a
 * producer that stands still. */
static void a_record_whose_page_is_lost_before_its_commit_fails_the_ring_at_once(void **state) {
    (void)state;
    static struct platform_ops ops;
    static const struct platform counting = {&ops};
    ops = *platform_linux.ops;
    ops.sleep_ns = count_sleep;
    take_bus_handler_back();
    leave_records_in_the_ring();
    open_mapped(DEVICE_WRITER);
    const struct engine_parts parts = {
        .platform = &counting, .device = host.device, .files = &files_posix, .events = &host.events};
    const struct engine_config config = {.main = &main_stream};
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    assert_int_equal(append_number(RECORDS + 1), RECORDS + 1);
    const uint64_t position = align_up(ring_claimed(host.engine->ring), PAGE_BYTES);
    while (ring_claimed(host.engine->ring) <= position) { /* the last record is in a page of its own */
        assert_true(ring_enqueue(host.engine->ring, "record\n", 7, 0, &stream_0, &for_ever) > 0);
    }
    lose_page((unsigned)(position / PAGE_BYTES));
    slept_ns = 0;
    ring_commit(host.engine->ring);
    assert_true(ring_has_failed(host.engine->ring));
    assert_non_null(strstr(host.engine->ring->failure, "were lost under its records"));
    assert_in_range(slept_ns, 0, SECOND_NS / 10);
    engine_close(host.engine);
    device_close(host.device);
}

static void tell_no_memory(const struct platform *platform, struct memory_limit *limit) {
    (void)platform;
    *limit = (struct memory_limit){.limit_bytes = 1, .left_bytes = 1, .most_bytes = 1};
}

/* Such an image is the medium. Persistent memory counts for no control group; a file in memory
 * counted when it was made. */
static void the_image_of_a_mapped_ring_is_not_asked_for_in_the_control_group(void **state) {
    (void)state;
    static struct platform_ops ops;
    static const struct platform limited = {&ops};
    ops = *platform_linux.ops;
    ops.memory_limit = tell_no_memory;
    leave_records_in_the_ring();
    open_mapped(DEVICE_WRITER);
    const struct engine_parts parts = {
        .platform = &limited, .device = host.device, .files = &files_posix, .events = &host.events};
    const struct engine_config config = {.main = &main_stream};
    assert_int_equal(engine_open(&parts, &config, &host.engine), 0);
    assert_int_equal(append_number(RECORDS + 1), RECORDS + 1);
    engine_close(host.engine);
    device_close(host.device);
}

static int set_up(void **state) {
    events_init(&host.events, &platform_linux);
    return make_folder(state);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, remove_folder)

int main(void) {
    struct statfs status;
    if (statfs("/dev/shm", &status) < 0 || status.f_type != 0x01021994 || chdir("/dev/shm") < 0) {
        fprintf(stderr, "SKIPPED mapped_error_test: /dev/shm is no tmpfs\n");
        return 77;
    }
    install_bus_handler();
    const struct CMUnitTest tests[] = {
        TEST(recovery_reports_the_page_and_leaves_what_it_holds_and_the_rest_is_drained),
        TEST(a_reader_reports_the_page_each_time),
        TEST(the_image_of_a_mapped_ring_is_not_asked_for_in_the_control_group),
        TEST(a_page_that_is_lost_while_it_is_recovered_refuses_the_open),
        TEST(a_record_whose_page_is_lost_before_its_commit_fails_the_ring_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
