/* SPDX-License-Identifier: Apache-2.0 */
/* Rolled names that a log writes to are passed over, whatever locks its writer could get. */
#include "roll_log.h"

#include <fcntl.h>
#include <sys/file.h>

#include "base/error.h"
#include "device/lock.h"
#include "rolling/files.h"

static struct rolling_files files;
static _Atomic uint32_t is_stopped;
static int knows_flock_alone; /* the file system */

int __real_lock_is_writers(int fd);
int __wrap_lock_is_writers(int fd);
int __wrap_lock_is_writers(int fd) {
    return knows_flock_alone ? -EINVAL : __real_lock_is_writers(fd);
}

static char rolled[2][240], guard[300];

/* Two rolled files, the first of which goes. */
static int begin(void **state) {
    make_paths(state);
    knows_flock_alone = 0;
    files = (struct rolling_files){
        .is_stopped = &is_stopped, .keep_files = 1, .keep_bytes = UINT64_MAX, .keep_ns = INT64_MAX};
    for (int i = 0; i < 2; i++) {
        snprintf(rolled[i], sizeof rolled[i], "%s-%d.log", paths[0], i + 1);
        put_file(rolled[i], "a line\n");
    }
    assert_int_equal(rolling_name_read("r", rolling_of(0).pattern, &files.name), 0);
    snprintf(guard, sizeof guard, "%.230s/.stream0-1.log.burstlog-lock", files.name.folder);
    return gzip_load("r", &files.gzip);
}

static int tidy(void) {
    int64_t again_ns;
    return rolling_files_tidy(&files, 1000ll * 1000000000, &again_ns);
}

static void assert_is_passed_over(void) {
    assert_int_equal(tidy(), -EBUSY);
    assert_non_null(strstr(error_text(), "stream0-1.log has the name of a rolled one"));
    assert_holds(rolled[0], "a line\n");
}

static void assert_goes(void) {
    assert_int_equal(tidy(), 0);
    assert_int_equal(access(rolled[0], F_OK), -1);
    assert_holds(rolled[1], "a line\n");
}

static int reader(int locks) {
    struct flock whole = {.l_type = F_RDLCK, .l_whence = SEEK_SET};
    const int file = open(rolled[0], O_RDONLY | O_CLOEXEC);
    assert_int_equal(fcntl(file, F_OFD_SETLK, &whole), 0);
    assert_int_equal(flock(file, locks | LOCK_NB), 0);
    return file;
}

static int writer(void) {
    const int file = open(rolled[0], O_RDWR | O_CLOEXEC);
    assert_int_equal(lock_log_file(file), 0);
    return file;
}

/* The writer got none of the locks that readers cannot have, but the guard. */
static void one_whose_writer_met_readers_stays(void **state) {
    (void)state;
    const int before = reader(LOCK_EX);
    const int file = writer();
    assert_is_passed_over();
    close(before);
    assert_is_passed_over();
    lock_close(file);
    assert_int_equal(access(guard, F_OK), 0);
    assert_goes();
}

static void so_it_does_while_only_their_read_lock_is_in_the_way(void **state) {
    (void)state;
    const int before = reader(LOCK_UN);
    const int file = writer();
    assert_is_passed_over();
    lock_close(file);
    close(before);
    assert_goes();
}

/* When the readers have gone, its flock is free. */
static void nor_is_it_compressed(void **state) {
    (void)state;
    const int before = reader(LOCK_EX);
    const int file = writer();
    close(before);
    files.keep_files = UINT64_MAX;
    files.compress = ROLL_COMPRESSION_GZIP;
    assert_is_passed_over();
    lock_close(file);
    assert_int_equal(tidy(), 0);
    assert_int_equal(access(rolled[0], F_OK), -1);
}

/* Readers hold up nothing. */
static void one_that_readers_alone_hold_goes(void **state) {
    (void)state;
    const int before = reader(LOCK_EX);
    assert_goes();
    close(before);
}

/* As one of another user; root could open that. */
static void one_whose_guard_cannot_be_opened_stays(void **state) {
    (void)state;
    assert_int_equal(symlink("nowhere", guard), 0);
    assert_is_passed_over();
    assert_int_equal(unlink(guard), 0);
    assert_goes();
}

static void where_there_is_flock_alone_it_tells_the_writer(void **state) {
    (void)state;
    const int file = writer();
    knows_flock_alone = 1;
    assert_is_passed_over();
    lock_close(file);
    assert_goes();
}

#define WRITTEN_TEST(name) cmocka_unit_test_setup_teardown(name, begin, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        WRITTEN_TEST(one_whose_writer_met_readers_stays),
        WRITTEN_TEST(so_it_does_while_only_their_read_lock_is_in_the_way),
        WRITTEN_TEST(nor_is_it_compressed),
        WRITTEN_TEST(one_that_readers_alone_hold_goes),
        WRITTEN_TEST(one_whose_guard_cannot_be_opened_stays),
        WRITTEN_TEST(where_there_is_flock_alone_it_tells_the_writer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
