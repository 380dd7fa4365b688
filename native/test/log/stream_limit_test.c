/* SPDX-License-Identifier: Apache-2.0 */
/* Streams are opened and closed within a time limit, though a sync of a log file does not return. */
#include <sys/syscall.h>

#include "log_fixture.h"

#define LIMIT_NS (SECOND_NS / 5)

static _Atomic(const char *) hanging; /* a sync of a path with this end does not return; NULL: all do */
static _Atomic int hangs;

static int sync_unless_hanging(int fd, long call) {
    char link[64], path[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t length = readlink(link, path, sizeof path - 1);
    for (int first = 1;; first = 0) {
        const char *name = atomic_load(&hanging);
        const size_t bytes = name == NULL ? 0 : strlen(name);
        if (name == NULL || length < (ssize_t)bytes || strcmp(path + length - bytes, name) != 0) {
            return (int)syscall(call, fd);
        }
        atomic_fetch_add(&hangs, first);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

/* Takes the place of the library's. */
int fdatasync(int fd) {
    return sync_unless_hanging(fd, SYS_fdatasync);
}

int fsync(int fd) {
    return sync_unless_hanging(fd, SYS_fsync);
}

static void hang(const char *name) {
    atomic_store(&hangs, 0);
    atomic_store(&hanging, name);
}

static void await_hang(void) {
    while (atomic_load(&hangs) == 0) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

static burst_t *open_limited(void) {
    burst_config_t config = small_config();
    config.shutdown_timeout_ns = LIMIT_NS;
    return open_with(&config);
}

static const char *path_of(const char *name) {
    static char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int open_stream(burst_t *log, const char *name, burst_stream_t **stream) {
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    config.file_name = path_of(name);
    return burst_stream_open(log, &config, stream);
}

static burst_stream_t *open_at_last(burst_t *log, const char *name) {
    burst_stream_t *stream;
    int rc;
    while ((rc = open_stream(log, name, &stream)) < 0) {
        if (rc != -ETIMEDOUT) {
            fail_msg("%s", burst_last_error());
        }
    }
    return stream;
}

static void assert_late(burst_t *log, const char *name) {
    burst_stream_t *stream;
    assert_int_equal(open_stream(log, name, &stream), -ETIMEDOUT);
    assert_null(stream);
    assert_non_null(strstr(burst_last_error(), "was not opened within shutdownTimeout, 200 ms: "));
    assert_non_null(strstr(burst_last_error(), path_of(name)));
    assert_non_null(atomic_load(&hanging)); /* the call did not wait */
}

static void append(burst_stream_t *stream, const char *text) {
    if (burst_stream_append(stream, text, strlen(text), 0) < 1) {
        fail_msg("append: %s", burst_last_error());
    }
}

static void assert_holds(const char *name, const char *wanted) {
    char before[sizeof file_path];
    strcpy(before, file_path);
    strcpy(file_path, path_of(name));
    assert_file_is(wanted);
    strcpy(file_path, before);
}

static void *give_up_hanging(void *argument) {
    (void)argument;
    nanosleep(&(struct timespec){.tv_sec = 60}, NULL);
    hang(NULL);
    return NULL;
}

/* A call that waits until the hang ends returns another result, and so fails the test. */
static int make_patient_folder(void **state) {
    static pthread_t thread;
    if (thread == 0 && pthread_create(&thread, NULL, give_up_hanging, NULL) != 0) {
        return -1;
    }
    hang(NULL);
    return make_folder(state);
}

static void a_log_file_that_hangs_holds_up_no_open_or_close_of_another_stream(void **state) {
    (void)state;
    burst_t *log = open_limited();
    burst_stream_t *one = open_at_last(log, "one");
    append(one, "1 ");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    hang("/log");
    assert_int_equal(burst_append(log, "m ", 2, 0), 2);
    assert_int_equal(burst_await_drained(log, 0), 0);
    await_hang();
    append(one, "2 ");
    assert_int_equal(burst_stream_close(one, LIMIT_NS), 0);
    assert_non_null(atomic_load(&hanging)); /* it did not wait */
    assert_late(log, "one");
    assert_late(log, "two");
    assert_int_equal(access(path_of("two"), F_OK), -1);
    hang(NULL);
    append(open_at_last(log, "one"), "3 ");
    append(open_at_last(log, "two"), "t ");
    assert_int_equal(burst_close_within(log, PATIENCE_NS), 0);
    assert_holds("one", "1 2 3 ");
    assert_holds("two", "t ");
}

/* A stream that opens too late is closed again. A stream that nobody waits for any more is not opened. */
static void nor_does_its_own_file_hold_up_who_opens_a_stream(void **state) {
    (void)state;
    burst_t *log = open_limited();
    hang("/late");
    assert_int_equal(mkdir(path_of("late"), 0700), 0);
    assert_late(log, "late/file");
    await_hang();
    assert_late(log, "never");
    hang(NULL);
    append(open_at_last(log, "late/file"), "l ");
    assert_int_equal(access(path_of("never"), F_OK), -1);
    assert_int_equal(burst_close_within(log, PATIENCE_NS), 0);
    assert_holds("late/file", "l ");
}

static void and_the_log_is_closed_in_time_meanwhile(void **state) {
    (void)state;
    burst_t *log = open_limited();
    hang("/late");
    assert_int_equal(mkdir(path_of("late"), 0700), 0);
    assert_late(log, "late/file");
    await_hang();
    assert_late(log, "never");
    assert_int_equal(burst_close(log), -EINPROGRESS);
    assert_non_null(atomic_load(&hanging));
    hang(NULL);
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, PATIENCE_NS) == 1) {
    }
    assert_int_equal(access(path_of("never"), F_OK), -1);
    log = open_limited();
    append(open_at_last(log, "late/file"), "l ");
    assert_int_equal(burst_close_within(log, PATIENCE_NS), 0);
    assert_holds("late/file", "l ");
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_patient_folder, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_log_file_that_hangs_holds_up_no_open_or_close_of_another_stream),
        TEST(nor_does_its_own_file_hold_up_who_opens_a_stream),
        TEST(and_the_log_is_closed_in_time_meanwhile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
