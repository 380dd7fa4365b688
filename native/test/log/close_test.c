/* SPDX-License-Identifier: Apache-2.0 */
/* A close whose time is over before the log file has all records. */
#include "log_fixture.h"

#include <limits.h>

static const char *const lines[] = {"the first record\n", "the second record\n", "the third record\n"};

static _Atomic int allowed = INT_MAX; /* so many writes of the log file go on; the next one hangs */
static _Atomic int hanging;           /* it does */
static _Atomic int64_t takes_s;       /* seconds of a write, by the clock */
static _Atomic int64_t clock_ahead_s;

/* The linker puts __wrap_ in place of the library's function (--wrap). Writes of the ring, which also
 * come here, have O_DSYNC. */
ssize_t __real_pwrite(int file, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int file, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int file, const void *data, size_t bytes, off_t offset) {
    if ((fcntl(file, F_GETFL) & O_DSYNC) == 0) {
        atomic_store(&hanging, atomic_load(&allowed) == 0);
        while (atomic_load(&allowed) == 0) {
            sched_yield();
        }
        atomic_fetch_sub(&allowed, 1); /* one thread writes */
        atomic_fetch_add(&clock_ahead_s, atomic_load(&takes_s));
    }
    return __real_pwrite(file, data, bytes, offset);
}

int __real_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now);
int __wrap_clock_gettime(clockid_t clock, struct timespec *now) {
    const int rc = __real_clock_gettime(clock, now);
    now->tv_sec += clock == CLOCK_MONOTONIC ? atomic_load(&clock_ahead_s) : 0;
    return rc;
}

static void await_hanging(void) {
    while (!atomic_load(&hanging)) {
        sched_yield();
    }
    atomic_store(&hanging, 0);
}

/* Opens a log with three durable records. The drain hangs in the first one's write, and has not seen the others. */
static burst_t *open_hanging(void) {
    burst_t *log = open_small();
    atomic_store(&allowed, 0);
    assert_int_equal(burst_append(log, lines[0], strlen(lines[0]), 0), 1);
    await_hanging();
    for (int i = 1; i < 3; i++) {
        assert_int_equal(burst_append(log, lines[i], strlen(lines[i]), 0), i + 1);
    }
    return log;
}

/* Waits for the drain to end a close that its caller has left: the ring is locked until then. */
static void await_free_ring(void) {
    const int fd = open(ring_path, O_RDWR | O_CLOEXEC);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    assert_true(fd >= 0);
    assert_int_equal(fcntl(fd, F_OFD_SETLKW, &lock), 0);
    close(fd);
}

static burst_t *open_when_it_is_free(void) {
    await_free_ring();
    return open_small();
}

/* Closes with no time while the log file hangs. Then the log file goes on, and the drain ends the close. */
static void close_with_no_time(burst_t *log) {
    const int64_t rc = burst_close_within(log, SECOND_NS / 1000);
    atomic_store(&allowed, INT_MAX);
    assert_int_equal(rc, -EINPROGRESS);
    assert_non_null(strstr(burst_last_error(), "a write or sync of the log file"));
    assert_non_null(strstr(burst_last_error(), "all accepted records are durable"));
}

static void flip_in_ring(const char *text) {
    static char ring[2 * 1024 * 1024];
    const int fd = open(ring_path, O_RDWR | O_CLOEXEC);
    assert_int_equal(pread(fd, ring, sizeof ring, 0), sizeof ring);
    char *at = memmem(ring, sizeof ring, text, strlen(text));
    assert_non_null(at);
    assert_int_equal(pwrite(fd, "X", 1, at - ring), 1);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

static void records_that_a_close_had_no_time_for_are_there_at_the_next_open(void **state) {
    (void)state;
    char statement[1024];
    close_with_no_time(open_hanging());
    burst_t *log = open_when_it_is_free();
    assert_int_equal(burst_recovery_statement(log, statement, sizeof statement), 0);
    assert_non_null(strstr(statement, "records were waiting in the ring"));
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("the first record\nthe second record\nthe third record\n");
    assert_int_equal(burst_close(log), 0);
}

/* No record is behind the last one, and no checkpoint knows it: only the close's note proves that it was durable. */
static void the_last_record_of_a_close_without_time_is_known_to_be_lost_when_it_rots(void **state) {
    (void)state;
    char statement[1024];
    close_with_no_time(open_hanging());
    await_free_ring();
    flip_in_ring(lines[2]);
    burst_t *log = open_small();
    assert_int_equal(burst_recovery_statement(log, statement, sizeof statement), 1);
    assert_non_null(strstr(statement, "LOST: records 3..3 (1)"));
    assert_int_equal(burst_close(log), 0);
}

/* The close does not wait for a blocked log file, however much time it has. */
static void the_same_after_a_close_that_finds_the_log_file_blocked(void **state) {
    (void)state;
    char statement[1024];
    burst_t *log = open_small();
    block_file();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(burst_append(log, lines[i], strlen(lines[i]), 0), i + 1);
    }
    assert_int_equal(burst_close_within(log, -1), 3);
    unblock_file();
    flip_in_ring(lines[2]);
    log = open_small();
    assert_int_equal(burst_recovery_statement(log, statement, sizeof statement), 1);
    assert_non_null(strstr(statement, "LOST: records 3..3 (1)"));
    assert_int_equal(burst_close(log), 0);
}

#define MIB 1048576
#define MANY 28 /* a batch holds two */

/* Opens a log with so many durable records. One step of the drain has begun on all of them, and
 * hangs in its first batch. */
static burst_t *open_with_a_long_step(void) {
    static char record[MIB - 4096];
    burst_config_t config = small_config();
    config.ring_bytes = 64 * (uint64_t)MIB;
    burst_t *log = open_with(&config);
    memset(record, 'r', sizeof record);
    record[sizeof record - 1] = '\n';
    atomic_store(&allowed, 0);
    assert_int_equal(burst_append(log, lines[0], strlen(lines[0]), 0), 1);
    await_hanging();
    for (int i = 0; i < MANY; i++) {
        assert_int_equal(burst_append(log, record, sizeof record, 0), i + 2);
    }
    atomic_store(&allowed, 1);
    await_hanging();
    return log;
}

static void a_step_under_way_ends_with_the_batch_in_which_the_time_is_over(void **state) {
    (void)state;
    char statement[1024];
    close_with_no_time(open_with_a_long_step());
    await_free_ring();
    struct stat file;
    assert_int_equal(stat(file_path, &file), 0);
    assert_in_range(file.st_size, strlen(lines[0]), strlen(lines[0]) + 2 * MIB); /* one batch, and no second one */
    burst_config_t config = small_config();
    config.ring_bytes = 0;
    burst_t *log = open_with(&config);
    assert_int_equal(burst_recovery_statement(log, statement, sizeof statement), 0);
    assert_non_null(strstr(statement, "records were waiting in the ring"));
    assert_int_equal(burst_close(log), 0);
}

static void *let_write_when_closing(void *log) {
    while (stats_of(log).state != BURST_STATE_CLOSED) {
        sched_yield();
    }
    atomic_store(&allowed, INT_MAX);
    return NULL;
}

/* By the clock a batch takes 10 s, and letting go of the files no time. */
static void a_quarter_of_the_time_is_kept_for_letting_go(void **state) {
    (void)state;
    pthread_t helper;
    burst_t *log = open_with_a_long_step();
    atomic_store(&takes_s, 10);
    assert_int_equal(pthread_create(&helper, NULL, let_write_when_closing, log), 0);
    const int64_t left = burst_close_within(log, 100 * SECOND_NS);
    atomic_store(&takes_s, 0);
    pthread_join(helper, NULL);
    assert_int_equal(left, MANY - 2 * 8); /* the eighth batch ends after 80 s */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(records_that_a_close_had_no_time_for_are_there_at_the_next_open),
        TEST(the_last_record_of_a_close_without_time_is_known_to_be_lost_when_it_rots),
        TEST(the_same_after_a_close_that_finds_the_log_file_blocked),
        TEST(a_step_under_way_ends_with_the_batch_in_which_the_time_is_over),
        TEST(a_quarter_of_the_time_is_kept_for_letting_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
