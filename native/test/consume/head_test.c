/* SPDX-License-Identifier: Apache-2.0 */
/* A folder is deleted, emptied, moved or begun anew while a consumer has it open. */
#include <fcntl.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include "consume/consumer_log.h"

#define LONG_NS 60000000000ll /* far longer than a test waits: the folder is looked at within a second */

static int has_no_inotify;
static int open_error; /* of the next open of a head; 0: it succeeds */

int __real_inotify_init1(int flags);
int __wrap_inotify_init1(int flags);
int __real_openat(int folder, const char *path, int flags, ...);
int __wrap_openat(int folder, const char *path, int flags, ...);

int __wrap_inotify_init1(int flags) {
    errno = EMFILE;
    return has_no_inotify ? -1 : __real_inotify_init1(flags);
}

int __wrap_openat(int folder, const char *path, int flags, ...) {
    errno = open_error;
    return open_error != 0 && strcmp(path, SEGMENTS_HEAD_NAME) == 0 ? -1 : __real_openat(folder, path, flags, 0666);
}

static void run(const char *words) {
    char command[2000];
    snprintf(command, sizeof command, "cd '%s/made' && %s", seg_log.folder, words);
    assert_int_equal(system(command), 0);
}

/* Begins the folder anew, as another log does, or the same log with a ring formatted anew. */
static void begin_anew(void) {
    seg_log.outlet->ops->close(seg_log.outlet);
    assert_int_equal(log_bind(), OUTLET_NOTE);
}

static int64_t lag_records(void) {
    burst_consumer_lag_t found = {.struct_bytes = sizeof found};
    const int rc = burst_consumer_lag(consumer, &found);
    return rc < 0 ? rc : (int64_t)found.records;
}

/* No call waits for ever; each says what has happened. */
static void assert_stale(const char *what) {
    static uint64_t buffer[100];
    assert_int_equal(lag_records(), -ESTALE);
    assert_int_equal(burst_consumer_next(consumer, &record, LONG_NS), -ESTALE);
    assert_non_null(strstr(burst_last_error(), what));
    assert_non_null(strstr(burst_last_error(), seg_log.path));
    assert_non_null(strstr(burst_last_error(), "\"orders\""));
    assert_int_equal(burst_consumer_poll(consumer, buffer, sizeof buffer, LONG_NS), -ESTALE);
    assert_int_equal(burst_consumer_next(consumer, &record, 0), -ESTALE);
}

/* The same, when only the wait can find it out. */
static void assert_stale_while_it_waits(const char *what) {
    assert_int_equal(burst_consumer_next(consumer, &record, LONG_NS), -ESTALE);
    assert_non_null(strstr(burst_last_error(), what));
    assert_stale(what);
}

static void write_and_read(void) {
    assert_int_equal(log_write(60), 0);
    const uint64_t behind = assert_all(1, 60);
    assert_int_equal(next(0), 0);
    assert_int_equal(burst_consumer_position(consumer), behind);
}

static void a_deleted_folder_ends_the_wait(void **state) {
    (void)state;
    write_and_read();
    run("rm -r orders");
    assert_stale_while_it_waits("was deleted");
}

static void a_deleted_folder_ends_the_wait_without_inotify(void **state) {
    (void)state;
    has_no_inotify = 1;
    reopen_consumer();
    has_no_inotify = 0;
    write_and_read();
    run("rm -r orders");
    assert_stale_while_it_waits("was deleted");
}

static void what_can_be_read_of_a_deleted_folder_comes_first(void **state) {
    (void)state;
    assert_int_equal(log_write(15), 0);
    assert_next(1, 1);
    run("rm -r orders");
    assert_int_equal(lag_records(), -ESTALE);
    uint64_t sequence = 1;
    for (uint64_t number = 2; sequence < 15; number++) {
        sequence = sequence_behind(sequence);
        assert_next(number, sequence);
    }
    assert_stale("was deleted");
}

/* The lag looks again, even if it looked a moment ago. */
static void the_lag_is_never_that_of_a_folder_that_is_gone(void **state) {
    (void)state;
    write_and_read();
    assert_int_equal(lag_records(), 0);
    run("rm -r orders");
    assert_int_equal(lag_records(), -ESTALE);
}

static void a_deleted_folder_with_one_in_its_place_is_told(void **state) {
    (void)state;
    write_and_read();
    run("rm -r orders && mkdir orders && : > orders/head");
    begin_anew();
    assert_int_equal(log_write(90), 0);
    assert_stale_while_it_waits("was deleted");
    reopen_consumer();
    assert_int_equal(next(0), 1);
    assert_int_equal(record.number, 1);
}

static void a_moved_folder_with_one_in_its_place_is_told(void **state) {
    (void)state;
    write_and_read();
    run("mv orders before && mkdir orders && : > orders/head");
    assert_int_equal(burst_consumer_next(consumer, &record, 1), 0); /* no log has begun the new folder */
    begin_anew();
    assert_int_equal(log_write(90), 0);
    assert_stale_while_it_waits("was begun anew, in the place of the one before");
}

/* A relative path keeps the meaning that it had when the consumer was opened. */
static void a_relative_path_stays_what_it_was(void **state) {
    (void)state;
    char before[500];
    assert_non_null(getcwd(before, sizeof before));
    assert_int_equal(chdir(seg_log.folder), 0);
    burst_consumer_close(consumer);
    assert_int_equal(burst_consumer_open("made/orders", "reader", &consumer), 0);
    assert_int_equal(chdir("/"), 0);
    write_and_read();
    run("mv orders before && mkdir orders && : > orders/head");
    begin_anew();
    assert_stale_while_it_waits("was begun anew, in the place of the one before");
    assert_int_equal(chdir(before), 0);
}

static void a_folder_begun_anew_where_it_is_is_told(void **state) {
    (void)state;
    write_and_read();
    run("rm -r orders/* && : > orders/head");
    assert_int_equal(burst_consumer_next(consumer, &record, 1), 0); /* which nobody has begun yet */
    begin_anew();
    assert_int_equal(log_write(90), 0);
    assert_stale_while_it_waits("was begun anew");
    assert_null(strstr(burst_last_error(), "in the place")); /* the open folder itself says so */
}

static unsigned comers; /* consumers that came meanwhile and found a folder */

/* Opens another consumer, at any moment. */
static void come(void) {
    char name[20];
    burst_consumer_t *late;
    snprintf(name, sizeof name, "late-%u", comers);
    const int rc = burst_consumer_open(seg_log.path, name, &late);
    if (rc < 0) {
        assert_int_equal(rc, -ENOENT); /* no log has written the head yet */
        return;
    }
    comers++;
    assert_int_equal(burst_consumer_position(late), 5);
    burst_consumer_close(late);
}

static int create_and_come(const struct files *files, const char *path, const struct new_file *new_file) {
    const int file = files_posix.ops->create(files, path, new_file);
    come();
    return file;
}

static int64_t write_and_come(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    const int64_t written = files_posix.ops->write(files, file, data, bytes, offset);
    come();
    return written;
}

/* Else the consumer would report records of the old folder as missing. */
static void who_comes_while_a_folder_is_begun_anew_misses_nothing(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0); /* numbers 1 to 4 */
    assert_int_equal(log_sync(), OUTLET_READY);
    run("rm -r orders && mkdir orders && : > orders/head");
    comers = 0;
    seg_log.ops.create = create_and_come;
    seg_log.ops.write = write_and_come;
    assert_int_equal(log_write(15), 0);
    assert_true(comers >= 3); /* after the head, after the header, after the first records */
    reopen_consumer();
    assert_next(5, 7);
}

static int64_t write_nothing(const struct files *files, int file, const void *data, size_t bytes, uint64_t offset) {
    (void)files, (void)file, (void)data, (void)bytes, (void)offset;
    return -EIO;
}

/* The first segment has its name, but its header does not say yet whose it is. */
static void a_crash_while_a_folder_is_begun_anew_is_harmless(void **state) {
    (void)state;
    assert_int_equal(log_write(6), 0);
    assert_int_equal(log_sync(), OUTLET_READY);
    run("rm -r orders && mkdir orders && : > orders/head");
    seg_log.ops.write = write_nothing;
    assert_int_equal(log_write(15), -EIO);
    assert_int_equal(access(segment_path(5), F_OK), 0);
    seg_log.ops.write = files_posix.ops->write;
    assert_int_equal(log_reopen(), OUTLET_NOTE);
    assert_int_equal(log_write(15), 0);
    assert_int_equal(read_folder(5)->frames, 6);
    reopen_consumer();
    assert_next(5, 7);
}

static void an_emptied_folder_is_told(void **state) {
    (void)state;
    write_and_read();
    run("rm -r orders/*");
    assert_stale_while_it_waits("was emptied");
}

static void a_folder_that_was_moved_and_comes_back_goes_on(void **state) {
    (void)state;
    write_and_read();
    run("mv orders away");
    assert_stale_while_it_waits("was moved away");
    run("mv away orders");
    assert_int_equal(next(0), 0);
    assert_int_equal(lag_records(), 0);
    assert_int_equal(log_write(61), 0);
    assert_int_equal(next(LONG_NS), 1);
    assert_int_equal(record.sequence, 61);
}

/* The process may have changed its root or its rights, or have no file descriptor left. */
static void that_the_path_cannot_be_followed_proves_nothing(void **state) {
    (void)state;
    write_and_read();
    char moved[300], made[300];
    snprintf(made, sizeof made, "%s/made", seg_log.folder);
    snprintf(moved, sizeof moved, "%s/unmade", seg_log.folder);
    assert_int_equal(rename(made, moved), 0);
    const int64_t lag = lag_records(), waited = burst_consumer_next(consumer, &record, 1);
    assert_int_equal(rename(moved, made), 0);
    assert_int_equal(lag, 0);
    assert_int_equal(waited, 0);
    open_error = EMFILE;
    const int rc = burst_consumer_next(consumer, &record, 1100000000); /* that it looks */
    open_error = 0;
    assert_int_equal(rc, 0);
}

static void a_damaged_head_is_not_another_one(void **state) {
    (void)state;
    write_and_read();
    run("printf x | dd of=orders/head bs=1 seek=20 conv=notrunc 2>/dev/null");
    assert_int_equal(lag_records(), 0);
    run("rm orders/head && mkfifo orders/head");
    assert_int_equal(lag_records(), 0);
}

static void nothing_is_acknowledged_in_a_deleted_file(void **state) {
    (void)state;
    write_and_read();
    assert_int_equal(burst_consumer_ack(consumer, 3), 0);
    run("rm orders/consumers/reader");
    assert_int_equal(burst_consumer_ack(consumer, 4), -ESTALE);
    assert_non_null(strstr(burst_last_error(), "was deleted"));
    reopen_consumer();
    assert_next(1, 1);
    assert_int_equal(burst_consumer_ack(consumer, 1), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CONSUMER_TEST(a_deleted_folder_ends_the_wait),
        CONSUMER_TEST(a_deleted_folder_ends_the_wait_without_inotify),
        CONSUMER_TEST(what_can_be_read_of_a_deleted_folder_comes_first),
        CONSUMER_TEST(the_lag_is_never_that_of_a_folder_that_is_gone),
        CONSUMER_TEST(a_deleted_folder_with_one_in_its_place_is_told),
        CONSUMER_TEST(a_moved_folder_with_one_in_its_place_is_told),
        CONSUMER_TEST(a_relative_path_stays_what_it_was),
        CONSUMER_TEST(a_folder_begun_anew_where_it_is_is_told),
        CONSUMER_TEST(who_comes_while_a_folder_is_begun_anew_misses_nothing),
        CONSUMER_TEST(a_crash_while_a_folder_is_begun_anew_is_harmless),
        CONSUMER_TEST(an_emptied_folder_is_told),
        CONSUMER_TEST(a_folder_that_was_moved_and_comes_back_goes_on),
        CONSUMER_TEST(that_the_path_cannot_be_followed_proves_nothing),
        CONSUMER_TEST(a_damaged_head_is_not_another_one),
        CONSUMER_TEST(nothing_is_acknowledged_in_a_deleted_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
