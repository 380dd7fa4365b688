/* SPDX-License-Identifier: Apache-2.0 */
/* The C API as its users see it, on ring files with real threads. */
#include "log_fixture.h"

#include <sys/resource.h>

static void an_append_is_durable_on_return_and_reaches_the_file(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "one\n", 4, 1), 1);
    assert_int_equal(burst_durable_sequence(log), 1);
    assert_int_equal(burst_append(log, "", 0, 2), 2);
    assert_int_equal(burst_append(log, "two\n", 4, 3), 3);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("one\ntwo\n");
    assert_int_equal(stats_of(log).drained_sequence, 3);
    assert_int_equal(burst_close(log), 0);
}

static void sequences_go_on_over_reopens(void **state) {
    (void)state;
    for (int64_t open = 0; open < 5; open++) {
        burst_t *log = open_small();
        assert_int_equal(burst_append(log, "a\n", 2, 0), 2 * open + 1);
        assert_int_equal(burst_append(log, "b\n", 2, 0), 2 * open + 2);
        assert_int_equal(stats_of(log).epoch, open + 1);
        assert_int_equal(stats_of(log).destination_empty, open == 0);
        assert_int_equal(burst_close(log), 0);
    }
    assert_file_is("a\nb\na\nb\na\nb\na\nb\na\nb\n");
}

/* Each look of the drain wakes the waiting threads. */
static void a_wait_for_a_file_that_takes_nothing_ends_in_time(void **state) {
    (void)state;
    const rlim_t most = 8 << 20;
    struct rlimit before;
    FILE *file = fopen(file_path, "w");
    assert_non_null(file);
    assert_int_equal(ftruncate(fileno(file), (off_t)most), 0);
    fclose(file);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    burst_t *log = open_small();
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &(struct rlimit){most, before.rlim_max}), 0);
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(burst_await_drained(log, SECOND_NS / 5), 0);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
}

static void a_record_reaches_the_file_within_the_drain_interval(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "soon\n", 5, 0), 1);
    struct stat status = {0};
    for (int i = 0; i < 12000 && status.st_size == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        assert_int_equal(stat(file_path, &status), 0);
    }
    assert_file_is("soon\n");
    burst_close(log);
}

static void configuration_errors_name_the_value(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.ring = NULL;
    assert_refused(&config, EINVAL, "ring");
    config = small_config();
    main_config.file_name = "";
    assert_refused(&config, EINVAL, "log file");
    config = small_config();
    main_config.on_full = 7;
    assert_refused(&config, EINVAL, "7");
    config = small_config();
    config.ring_bytes = 4096;
    assert_refused(&config, EINVAL, "4096");
    config = small_config();
    config.struct_bytes = 12;
    assert_refused(&config, EINVAL, "12");
    config = small_config();
    config.io = 9;
    assert_refused(&config, EINVAL, "9");
    config = small_config();
    config.max_record_bytes = 1 << 20;
    assert_refused(&config, EINVAL, "1048576");
    burst_close(open_small());
    config = small_config();
    config.ring_bytes = 3 << 20;
    assert_refused(&config, EINVAL, "3145728");
    config = small_config();
    main_config.file_name = folder;
    assert_refused(&config, EISDIR, folder);
}

static void a_medium_that_survives_less_than_asked_is_refused(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.durability = BURST_DURABILITY_POWER;
    config.ring = "/dev/shm/burst-calls-ring";
    assert_refused(&config, EMEDIUMTYPE, "tmpfs");
    unlink(config.ring);
    config.ring = ring_path;
    main_config.file_name = "/dev/shm/burst-calls-log";
    assert_refused(&config, EMEDIUMTYPE, "tmpfs");
    assert_int_not_equal(access(main_config.file_name, F_OK), 0);
}

static void assert_takes_up_to(burst_t *log, uint64_t most) {
    assert_int_equal(stats_of(log).max_record_bytes, most);
    char *record = malloc(most + 1);
    memset(record, 'x', most + 1);
    assert_int_equal(burst_append(log, record, most + 1, 0), -EMSGSIZE);
    assert_int_equal(burst_append(log, record, most, 0), 1);
    burst_close(log);
    size_t bytes;
    char *text = read_file(&bytes);
    assert_int_equal(bytes, most);
    assert_memory_equal(text, record, most);
    free(text);
    free(record);
}

static void a_record_over_the_limit_is_refused_and_nothing_is_cut(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_takes_up_to(log, stats_of(log).max_record_bytes);
}

static void a_limit_below_a_page_holds_too(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.max_record_bytes = 1000;
    burst_t *log;
    assert_int_equal(burst_open(&config, &log), 0);
    assert_takes_up_to(log, 1000);
}

static void a_second_writer_is_refused_with_the_pid_of_the_first(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_config_t config = small_config();
    char pid[32];
    snprintf(pid, sizeof pid, "%d", (int)getpid());
    assert_refused(&config, EBUSY, pid);
    char other[160];
    snprintf(other, sizeof other, "%s2", ring_path);
    config.ring = other;
    assert_refused(&config, EBUSY, file_path);
    assert_int_equal(burst_append(log, "x\n", 2, 0), 1);
    burst_close(log);
}

static void an_enqueued_record_becomes_durable_by_itself(void **state) {
    (void)state;
    burst_t *log = open_small();
    const int64_t sequence = burst_offer(log, "x\n", 2, 0);
    assert_int_equal(sequence, 1);
    for (int i = 0; i < 12000 && burst_durable_sequence(log) < sequence; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(burst_durable_sequence(log), sequence);
    assert_int_equal(burst_await_durable(log, sequence, 0), 1);
    assert_int_equal(burst_await_durable(log, sequence + 1, 0), -EINVAL);
    assert_int_equal(burst_await_durable(log, -EAGAIN, 0), -EINVAL); /* what an offer returns that is refused */
    assert_int_equal(burst_await_durable(log, 0, 0), 1);             /* what a discarding append returns */
    burst_close(log);
}

static void the_child_of_a_fork_is_refused_and_the_parent_goes_on(void **state) {
    (void)state;
    burst_t *log = open_small();
    assert_int_equal(burst_append(log, "parent\n", 7, 0), 1);
    const pid_t child = fork();
    if (child == 0) {
        _exit(burst_append(log, "child\n", 6, 0) == -EOWNERDEAD && burst_flush(log, -1) == -EOWNERDEAD &&
                      burst_await_drained(log, -1) == -EOWNERDEAD && burst_close(log) == -EOWNERDEAD
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(burst_append(log, "parent\n", 7, 0), 2);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("parent\nparent\n");
}

static void the_operator_is_told_what_recovery_found(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_event_t event = {.struct_bytes = sizeof event};
    assert_int_equal(burst_next_event(log, &event, PATIENCE_NS), 1);
    assert_int_equal(event.severity, BURST_INFO);
    assert_non_null(strstr(event.text, "the ring is new; nothing shows that a record was ever written to it"));
    char text[256];
    assert_int_equal(burst_recovery_statement(log, text, sizeof text), 0);
    assert_non_null(strstr(event.text, text));
    assert_int_equal(burst_next_event(log, &event, PATIENCE_NS), 1);
    assert_non_null(strstr(event.text, ring_path));
    assert_non_null(strstr(event.text, " and log file "));
    assert_non_null(strstr(event.text, " survive "));
    assert_int_equal(burst_next_event(log, &event, PATIENCE_NS), 1);
    assert_int_equal(event.severity, BURST_INFO);
    assert_non_null(strstr(event.text, " is written by "));
    assert_non_null(strstr(event.text, "; it has room for "));
    assert_int_equal(burst_next_event(log, &event, SECOND_NS / 100), 0);
    burst_close(log);
    assert_int_equal(burst_next_event(log, &event, -1), -ESHUTDOWN);
}

static void a_changed_file_name_gets_the_records_from_then_on(void **state) {
    (void)state;
    burst_t *log = open_small();
    burst_append(log, "old\n", 4, 0);
    burst_close(log);
    burst_config_t config = small_config();
    char other[160], path[BURST_PATH_BYTES];
    snprintf(other, sizeof other, "%s/made/for/it/log2", folder);
    main_config.file_name = other;
    log = open_with(&config);
    burst_append(log, "new\n", 4, 0);
    assert_int_equal(burst_current_file(log, path, sizeof path), 0);
    assert_non_null(strstr(path, "made/for/it/log2"));
    burst_close(log);
    assert_file_is("old\n");
    strcpy(file_path, other);
    assert_file_is("new\n");
}

static void a_new_log_file_gets_the_mode_that_was_asked_for(void **state) {
    (void)state;
    burst_config_t config = small_config();
    main_config.file_mode = 0640;
    burst_close(open_with(&config));
    struct stat status;
    assert_int_equal(stat(file_path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640);
    assert_int_equal(stat(ring_path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0600);
}

static int mappings(void) {
    FILE *maps = fopen("/proc/self/maps", "re");
    int lines = 0;
    for (int c; (c = fgetc(maps)) != EOF;) {
        lines += c == '\n';
    }
    fclose(maps);
    return lines;
}

/* A process has room for 65530 mappings. */
static void a_closed_handle_keeps_one_mapping_at_most(void **state) {
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    fprintf(stderr, "SKIPPED a_closed_handle_keeps_one_mapping_at_most: the sanitizers map memory of their own\n");
    skip();
#endif
    burst_close(open_small());
    const int before = mappings();
    for (int i = 0; i < 40; i++) {
        burst_close(open_small());
    }
    assert_true(mappings() - before <= 40);
}

static void an_engine_that_does_not_work_for_a_new_ring_leaves_none_behind(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.io = BURST_IO_NVME;
    assert_refused(&config, ENODEV, "io=nvme cannot be used");
    assert_int_equal(access(ring_path, F_OK), -1);
    config.io = 99;
    assert_refused(&config, EINVAL, "io=99");
    assert_int_equal(access(ring_path, F_OK), -1);
    burst_close(open_small());
    config.io = BURST_IO_NVME;
    assert_refused(&config, ENODEV, "io=nvme cannot be used");
    assert_int_equal(access(ring_path, F_OK), 0); /* it was there before */
}

#define LONG_RECORD_BYTES 3000
#define LONG_RECORDS 2500 /* so that a commit takes several writes of 1 MiB */

/* Each byte of the log file was logged, in this order. */
static void assert_long_records(void) {
    size_t bytes;
    char *text = read_file(&bytes), wanted[LONG_RECORD_BYTES];
    assert_int_equal(bytes, LONG_RECORDS * LONG_RECORD_BYTES);
    for (int i = 0; i < LONG_RECORDS; i++) {
        memset(wanted, 'a' + i % 26, sizeof wanted);
        memcpy(wanted, &i, sizeof i);
        assert_memory_equal(text + i * LONG_RECORD_BYTES, wanted, LONG_RECORD_BYTES);
    }
    free(text);
}

static void log_long_records(uint32_t io) {
    burst_config_t config = small_config();
    config.ring_bytes = 16 * 1024 * 1024;
    config.drain_interval_ns = SECOND_NS;
    config.io = io;
    burst_t *log = open_with(&config);
    assert_int_equal(stats_of(log).io, io);
    char record[LONG_RECORD_BYTES];
    for (int i = 0; i < LONG_RECORDS; i++) {
        memset(record, 'a' + i % 26, sizeof record);
        memcpy(record, &i, sizeof i);
        assert_int_equal(burst_enqueue(log, record, sizeof record, 0), i + 1);
    }
    assert_int_equal(burst_flush(log, -1), 1);
    assert_int_equal(burst_await_drained(log, -1), 1);
    assert_int_equal(burst_close(log), 0);
    assert_long_records();
}

static void long_commits_arrive_whole_with_pwrite(void **state) {
    (void)state;
    log_long_records(BURST_IO_PWRITE);
}

static void long_commits_arrive_whole_with_uring(void **state) {
    (void)state;
    burst_config_t config = small_config();
    burst_t *log;
    config.io = BURST_IO_URING;
    if (burst_open(&config, &log) < 0) {
        fprintf(stderr, "SKIPPED: %s\n", burst_last_error());
        skip();
    }
    burst_close(log);
    assert_int_equal(unlink(ring_path), 0);
    log_long_records(BURST_IO_URING);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_closed_handle_keeps_one_mapping_at_most),
        TEST(an_append_is_durable_on_return_and_reaches_the_file),
        TEST(sequences_go_on_over_reopens),
        TEST(a_wait_for_a_file_that_takes_nothing_ends_in_time),
        TEST(a_record_reaches_the_file_within_the_drain_interval),
        TEST(configuration_errors_name_the_value),
        TEST(a_medium_that_survives_less_than_asked_is_refused),
        TEST(a_record_over_the_limit_is_refused_and_nothing_is_cut),
        TEST(a_limit_below_a_page_holds_too),
        TEST(a_second_writer_is_refused_with_the_pid_of_the_first),
        TEST(an_enqueued_record_becomes_durable_by_itself),
        TEST(the_child_of_a_fork_is_refused_and_the_parent_goes_on),
        TEST(the_operator_is_told_what_recovery_found),
        TEST(a_changed_file_name_gets_the_records_from_then_on),
        TEST(a_new_log_file_gets_the_mode_that_was_asked_for),
        TEST(an_engine_that_does_not_work_for_a_new_ring_leaves_none_behind),
        TEST(long_commits_arrive_whole_with_pwrite),
        TEST(long_commits_arrive_whole_with_uring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
