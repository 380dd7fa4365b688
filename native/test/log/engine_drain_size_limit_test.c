/* SPDX-License-Identifier: Apache-2.0 */
/* RLIMIT_FSIZE: records that the log file may not take stay in the ring, and no SIGXFSZ kills the process. */
#include "log_fixture.h"

#include <signal.h>
#include <sys/resource.h>

#define RING_BYTES (2 * 1024 * 1024)

static void limit_files_to(rlim_t bytes) {
    struct rlimit limit;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes == RLIM_INFINITY ? limit.rlim_max : bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

static int make_limited_folder(void **state) {
    limit_files_to(RLIM_INFINITY);
    return make_folder(state);
}

/* From then on the log file takes no byte. The ring still takes all of its own bytes. */
static void fill_log_file_up_to_the_limit(void) {
    const int file = open(file_path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(ftruncate(file, RING_BYTES), 0);
    close(file);
    limit_files_to(RING_BYTES);
}

static void assert_log_file_ends_with(const char *wanted) {
    size_t bytes;
    char *text = read_file(&bytes);
    assert_int_equal(bytes, RING_BYTES + strlen(wanted));
    assert_string_equal(text + RING_BYTES, wanted);
    free(text);
}

/* 1: SIGXFSZ is pending; 2: it is blocked; 3: both. */
static int state_of_signal(void) {
    sigset_t pending, blocked;
    assert_int_equal(sigpending(&pending), 0);
    assert_int_equal(pthread_sigmask(SIG_BLOCK, NULL, &blocked), 0);
    return sigismember(&pending, SIGXFSZ) + 2 * sigismember(&blocked, SIGXFSZ);
}

static burst_t *open_that_drains_at_close(void) {
    burst_config_t config = small_config();
    config.drain_interval_ns = 3600 * SECOND_NS;
    return open_with(&config);
}

static void a_close_at_the_limit_leaves_the_records_in_the_ring(void **state) {
    (void)state;
    fill_log_file_up_to_the_limit();
    burst_t *log = open_that_drains_at_close();
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(burst_close(log), 1);
    assert_int_equal(state_of_signal(), 0);
    limit_files_to(RLIM_INFINITY);
    assert_int_equal(burst_close(open_small()), 0);
    assert_log_file_ends_with("one\n");
}

static void an_open_that_must_write_beyond_the_limit_is_refused(void **state) {
    (void)state;
    fill_log_file_up_to_the_limit();
    burst_t *log = open_that_drains_at_close();
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(burst_close(log), 1);
    char other[160];
    snprintf(other, sizeof other, "%s/other", folder);
    burst_config_t config = small_config();
    main_config.file_name = other; /* records go first to the file that the ring names */
    assert_refused(&config, EFBIG, "make it writable");
    assert_int_equal(state_of_signal(), 0);
    limit_files_to(RLIM_INFINITY);
    assert_int_equal(burst_close(open_with(&config)), 0);
    assert_log_file_ends_with("one\n");
}

static void a_signal_of_the_callers_own_stays_pending(void **state) {
    (void)state;
    const struct timespec now = {0};
    sigset_t set, before;
    sigemptyset(&set);
    sigaddset(&set, SIGXFSZ);
    pthread_sigmask(SIG_BLOCK, &set, &before);
    raise(SIGXFSZ);
    fill_log_file_up_to_the_limit();
    burst_t *log = open_that_drains_at_close();
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(burst_close(log), 1);
    assert_int_equal(state_of_signal(), 1 + 2);
    assert_int_equal(sigtimedwait(&set, NULL, &now), SIGXFSZ);
    log = open_that_drains_at_close();
    assert_int_equal(burst_close(log), 1);
    assert_int_equal(state_of_signal(), 2);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void a_ring_beyond_the_limit_is_refused_with_both_sizes(void **state) {
    (void)state;
    burst_close(open_small());
    limit_files_to(RING_BYTES - 1);
    const burst_config_t config = small_config();
    assert_refused(&config, EFBIG,
                   "of 2097152 bytes reaches beyond what this process may write of a file, 2097151 bytes");
    assert_int_equal(access(ring_path, F_OK), 0);
    limit_files_to(RING_BYTES);
    burst_close(open_small());
}

static void no_ring_is_made_beyond_the_limit(void **state) {
    (void)state;
    limit_files_to(RING_BYTES - 1);
    const burst_config_t config = small_config();
    assert_refused(&config, EFBIG, "RLIMIT_FSIZE");
    assert_int_equal(access(ring_path, F_OK), -1);
    assert_int_equal(state_of_signal(), 0);
}

static void a_mapped_ring_knows_no_limit(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.io = BURST_IO_MAPPED;
    burst_close(open_with(&config));
    limit_files_to(RING_BYTES / 2);
    burst_t *log = open_with(&config);
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\n");
}

int main(void) {
#define LIMITED(name) cmocka_unit_test_setup_teardown(name, make_limited_folder, remove_folder)
    const struct CMUnitTest tests[] = {
        LIMITED(a_close_at_the_limit_leaves_the_records_in_the_ring),
        LIMITED(an_open_that_must_write_beyond_the_limit_is_refused),
        LIMITED(a_signal_of_the_callers_own_stays_pending),
        LIMITED(a_ring_beyond_the_limit_is_refused_with_both_sizes),
        LIMITED(no_ring_is_made_beyond_the_limit),
        LIMITED(a_mapped_ring_knows_no_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
