/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder's file: over restarts, and beside files that are none of its own. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "flight/file.h"

static char folder[64], path[128];
static uint8_t uuid[16];
static struct flight_file file;
static struct flight_log flight;
static struct flight_wanted wanted;

static int begin(void **state) {
    (void)state;
    strcpy(folder, "/dev/shm/burst-flight-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/ring.flight", folder);
    memset(uuid, 7, sizeof uuid);
    wanted = (struct flight_wanted){.path = path, .ring = "/a/ring", .uuid = uuid, .mode = 0640, .now_ns = 1, .id = 99};
    file.fd = -1;
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[128];
    flight_file_close(&file);
    flight_log_free(&flight);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static int open_it(void) {
    int anew;
    const int rc = flight_file_open(&file, &wanted, &anew);
    return rc < 0 ? rc : anew;
}

static void put_line(uint32_t records) {
    struct flight_line line = {.kind = FLIGHT_SECOND, .records = records};
    assert_int_equal(flight_file_put_line(&file, &line), 0);
}

static void put_event(const char *text) {
    struct flight_event event = {.severity = 1};
    strcpy(event.text, text);
    assert_int_equal(flight_file_put_event(&file, &event), 0);
}

static void read_it(void) {
    flight_log_free(&flight);
    assert_int_equal(flight_log_read(path, &flight), 0);
}

static void make_file(const char *bytes, size_t count) {
    const int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, 0600);
    assert_true(fd >= 0 && write(fd, bytes, count) == (ssize_t)count && close(fd) == 0);
}

static void overwrite(off_t offset, const void *bytes, size_t count) {
    const int fd = open(path, O_WRONLY);
    assert_true(fd >= 0 && pwrite(fd, bytes, count, offset) == (ssize_t)count && close(fd) == 0);
}

static off_t size_of_it(void) {
    struct stat status;
    return stat(path, &status) < 0 ? -1 : status.st_size;
}

static void a_new_open_goes_on_behind_the_last_line(void **state) {
    (void)state;
    struct stat status;
    assert_int_equal(open_it(), 0);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, FLIGHT_FILE_BYTES);
    assert_int_equal(status.st_mode & 07777, 0640);
    put_line(1);
    put_event("one");
    read_it(); /* while it is written */
    assert_int_equal(flight.line_count, 1);
    flight_file_close(&file);
    wanted.id = 1234; /* is for a new file alone */
    assert_int_equal(open_it(), 0);
    put_line(2);
    put_event("two");
    read_it();
    assert_string_equal(flight.head.ring, "/a/ring");
    assert_int_equal(flight.line_count, 2);
    assert_int_equal(flight.lines[0].records, 1);
    assert_int_equal(flight.lines[1].records, 2);
    assert_int_equal(flight.lines[1].number, 2);
    assert_int_equal(flight.event_count, 2);
    assert_string_equal(flight.events[1].text, "two");
}

static void the_oldest_line_gives_way(void **state) {
    (void)state;
    assert_int_equal(open_it(), 0);
    for (uint32_t i = 1; i <= FLIGHT_LINES + 2; i++) {
        put_line(i);
    }
    for (uint32_t i = 1; i <= FLIGHT_EVENTS + 3; i++) {
        put_event("again");
    }
    assert_int_equal(size_of_it(), FLIGHT_FILE_BYTES);
    read_it();
    assert_int_equal(flight.line_count, FLIGHT_LINES);
    assert_int_equal(flight.lines[0].records, 3);
    assert_int_equal(flight.lines[FLIGHT_LINES - 1].records, FLIGHT_LINES + 2);
    assert_int_equal(flight.event_count, FLIGHT_EVENTS);
    assert_int_equal(flight.events[0].number, 4);
    flight_file_close(&file);
    assert_int_equal(open_it(), 0);
    assert_int_equal(file.next_line, FLIGHT_LINES + 3);
    assert_int_equal(file.next_event, FLIGHT_EVENTS + 4);
}

/* The process died in the middle of a line: its place holds neither the old one nor the new one. */
static void a_torn_line_is_left_out_and_written_anew(void **state) {
    (void)state;
    assert_int_equal(open_it(), 0);
    for (uint32_t i = 1; i <= 5; i++) {
        put_line(i);
    }
    flight_file_close(&file);
    overwrite((off_t)flight_line_offset(5) + 100, "torn", 4);
    read_it();
    assert_int_equal(flight.line_count, 4);
    assert_int_equal(open_it(), 0);
    assert_int_equal(file.next_line, 5);
    /* A newer line is behind an old one that a torn write left. */
    struct flight_line line = {.kind = FLIGHT_SECOND, .number = FLIGHT_LINES + 3};
    flight_seal_line(&line, file.id);
    overwrite((off_t)flight_line_offset(3), &line, sizeof line);
    read_it();
    assert_int_equal(flight.line_count, 2); /* that one, and number 4; 1 and 2 are older than a day */
}

static void a_second_writer_is_refused(void **state) {
    (void)state;
    struct flight_file second = {.fd = -1};
    int anew;
    assert_int_equal(open_it(), 0);
    put_line(1);
    assert_int_equal(flight_file_open(&second, &wanted, &anew), -EBUSY);
    assert_non_null(strstr(error_text(), "is written by another process"));
    assert_int_equal(second.fd, -1);
    put_line(2);
    read_it();
    assert_int_equal(flight.line_count, 2);
}

static void another_ring_or_version_or_a_cut_file_begins_anew(void **state) {
    (void)state;
    assert_int_equal(open_it(), 0);
    put_line(1);
    flight_file_close(&file);
    uuid[0]++;
    assert_int_equal(open_it(), 1); /* of another ring */
    put_line(1);
    struct flight_head head = {.id = 5};
    flight_file_close(&file);
    flight_seal_head(&head);
    head.version = 2;
    overwrite(0, &head, sizeof head);
    assert_int_equal(flight_log_read(path, &flight), -EPROTO);
    assert_non_null(strstr(error_text(), "is of version 2 of the flight recorder"));
    assert_int_equal(open_it(), 1);
    put_line(1);
    flight_file_close(&file);
    assert_int_equal(truncate(path, FLIGHT_HEAD_BYTES + 100), 0); /* the process died while it made it */
    assert_int_equal(open_it(), 1);
    assert_int_equal(size_of_it(), FLIGHT_FILE_BYTES);
    flight_file_close(&file);
    static const char zeros[FLIGHT_HEAD_BYTES];
    overwrite(0, zeros, sizeof zeros); /* the power went before the head was written */
    assert_int_equal(open_it(), 1);
    read_it();
    assert_int_equal(flight.line_count, 0);
}

static void what_is_no_recorders_file_stays(void **state) {
    (void)state;
    char other[128];
    make_file("orders of yesterday\n", 20);
    assert_int_equal(open_it(), -EEXIST);
    assert_int_equal(size_of_it(), 20);
    assert_int_equal(flight_log_read(path, &flight), -EINVAL);
    snprintf(other, sizeof other, "%s/other", folder);
    assert_int_equal(rename(path, other), 0);
    assert_int_equal(symlink(other, path), 0);
    assert_int_equal(open_it(), -ELOOP);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(truncate(other, 0), 0);
    assert_int_equal(link(other, path), 0); /* an empty file that has another name, too */
    assert_int_equal(open_it(), -EEXIST);
    assert_int_equal(size_of_it(), 0);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_int_equal(open_it(), -EEXIST);
    assert_int_equal(flight_log_read(path, &flight), -EINVAL); /* and does not wait for a writer */
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_int_equal(open_it(), -EISDIR);
}

static void numbers_at_the_end_of_the_scale_begin_anew(void **state) {
    (void)state;
    assert_int_equal(open_it(), 0);
    file.next_line = FLIGHT_NUMBER_MAX;
    put_line(1);
    flight_file_close(&file);
    assert_int_equal(open_it(), 1);
    assert_int_equal(file.next_line, 1);
}

static void a_file_that_cannot_be_made_leaves_nothing(void **state) {
    (void)state;
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    const struct rlimit limit = {.rlim_cur = 1 << 20, .rlim_max = before.rlim_max};
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const int rc = open_it();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(rc, -EFBIG);
    assert_int_equal(size_of_it(), -1);
    wanted.path = "/dev/shm/no-such-folder/ring.flight";
    assert_int_equal(open_it(), -ENOENT);
}

int main(void) {
#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        FILE_TEST(a_new_open_goes_on_behind_the_last_line),
        FILE_TEST(the_oldest_line_gives_way),
        FILE_TEST(a_torn_line_is_left_out_and_written_anew),
        FILE_TEST(a_second_writer_is_refused),
        FILE_TEST(another_ring_or_version_or_a_cut_file_begins_anew),
        FILE_TEST(what_is_no_recorders_file_stays),
        FILE_TEST(numbers_at_the_end_of_the_scale_begin_anew),
        FILE_TEST(a_file_that_cannot_be_made_leaves_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
