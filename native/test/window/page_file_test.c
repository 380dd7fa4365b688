/* SPDX-License-Identifier: Apache-2.0 */
/* The file of the drain's page: what its reader takes, and what it leaves alone. */
#include <sys/stat.h>

#include "base/error.h"
#include "log_fixture.h"
#include "window/page_file.h"

static const uint8_t uuid[16] = {0xab, 1, 2};
static struct page_file drains, logs;
static struct drain_page page, seen;

static int begin(void **state) {
    make_folder(state);
    memset(&page, 0, sizeof page);
    page.drain = 7;
    assert_int_equal(page_file_name(&drains, folder, uuid), 0);
    assert_int_equal(page_file_name(&logs, folder, uuid), 0);
    return page_file_open(&drains);
}

static int end(void **state) {
    page_file_close(&drains);
    return remove_folder(state);
}

static void each_page_is_read_once(void **state) {
    (void)state;
    assert_int_equal(page_file_read(&logs, &seen), 0); /* an empty file */
    for (uint32_t epoch = 1; epoch < 4; epoch++) {
        page.epoch = epoch;
        assert_int_equal(page_file_write(&drains, &page), 0);
        assert_int_equal(page_file_read(&logs, &seen), 1);
        assert_int_equal(seen.epoch, epoch);
        assert_int_equal(page_file_read(&logs, &seen), 0);
    }
    page.drain = 8; /* another drain begins to count anew */
    page.change = 2;
    assert_int_equal(page_file_write(&drains, &page), 0);
    assert_int_equal(page_file_read(&logs, &seen), 1);
}

static void a_page_that_is_being_written_is_read_later(void **state) {
    (void)state;
    assert_int_equal(page_file_write(&drains, &page), 0);
    page.epoch = 9;
    page.change++;
    drain_page_seal(&page, drains.crc_seed);
    assert_int_equal(pwrite(drains.fd, &page, 4096, 0), 4096);
    assert_int_equal(page_file_read(&logs, &seen), 0);
    assert_int_equal(pwrite(drains.fd, &page, sizeof page, 0), sizeof page);
    assert_int_equal(page_file_read(&logs, &seen), 1);
    assert_int_equal(seen.epoch, 9);
}

/* A mapped one would end the log by SIGBUS. */
static void a_page_that_others_cut_or_delete_is_none(void **state) {
    (void)state;
    assert_int_equal(page_file_write(&drains, &page), 0);
    assert_int_equal(ftruncate(drains.fd, 5000), 0);
    assert_int_equal(page_file_read(&logs, &seen), 0);
    assert_int_equal(unlink(drains.path), 0);
    assert_int_equal(page_file_read(&logs, &seen), 0);
    assert_int_equal(mkfifo(drains.path, 0600), 0);
    assert_int_equal(page_file_read(&logs, &seen), 0);
    page_file_close(&drains);
    assert_true(page_file_open(&drains) < 0);
    assert_non_null(strstr(error_text(), drains.path));
}

static void only_its_user_may_open_it(void **state) {
    (void)state;
    struct stat status;
    assert_int_equal(stat(drains.path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
    assert_non_null(strstr(drains.path, "ab010200000000000000000000000000.drain"));
}

#define PAGED(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        PAGED(each_page_is_read_once),
        PAGED(a_page_that_is_being_written_is_read_later),
        PAGED(a_page_that_others_cut_or_delete_is_none),
        PAGED(only_its_user_may_open_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
