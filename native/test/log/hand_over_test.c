/* SPDX-License-Identifier: Apache-2.0 */
/* A log whose drain is another process: who drains when, what the log knows of it, and what it refuses. */
#include "drain_beside.h"
#include "log/log.h"
#include "log/requests.h"
#include "media/handover.h"
#include "media/layout.h"
#include "window/locks.h"

static void what_another_process_cannot_do_is_refused(void **state) {
    (void)state;
    burst_config_t config = external_config();
    config.window = NULL;
    assert_refused(&config, EINVAL, "needs a window");
    config = external_config();
    config.drain = 2;
    assert_refused(&config, EINVAL, "inner (0) or external (1)");
    config = external_config();
    main_config.rolls_by_caller = 1;
    assert_refused(&config, EINVAL, "is rolled by its caller");
    config = external_config();
    config.io = BURST_IO_MAPPED;
    assert_refused(&config, ENOTSUP, "which one process alone can do");
}

static void without_a_drain_records_stay_in_the_ring_and_it_says_so(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    burst_t *log = open_with(&config);
    assert_true(await_event(log, "has no drain: its records stay in the ring"));
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, SECOND_NS / 5), 0);
    assert_file_is("");
    assert_int_equal(burst_close(log), 1); /* does not wait for the file */
    burst_config_t inner = small_config();
    log = open_with(&inner);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\n");
}

#define FILLED_BYTES (5000u * 1000u) /* more than twice the ring */

static void fill_twice(burst_t *log) {
    static char record[1000];
    memset(record, 'r', sizeof record - 1);
    record[sizeof record - 1] = '\n';
    for (size_t filled = 0; filled < FILLED_BYTES; filled += sizeof record) {
        assert_true(burst_enqueue(log, record, sizeof record, 0) > 0);
    }
}

static void it_drains_by_itself_when_the_ring_gets_full_and_gives_way(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    burst_t *log = open_with(&config);
    fill_twice(log);
    assert_true(await_event(log, "by itself, since it is three quarters full"));
    struct drain_beside *drain = drain_beside_start();
    assert_true(await_event(log, "and no longer by this process"));
    assert_true(await_event_of(&drain->events, "this process drains ring"));
    append_text(log, "last\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
    size_t bytes;
    char *text = read_file(&bytes);
    assert_int_equal(bytes, FILLED_BYTES + 5);
    free(text);
}

/* A restart of the drain makes no hand-over, but is told. */
static void it_waits_for_a_drain_that_is_started_again(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(drain_beside_stop(drain), 0);
    assert_true(await_event(log, "has no drain any more"));
    append_text(log, "two\n");
    assert_file_is("one\n");
    drain = drain_beside_start();
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("one\ntwo\n");
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

static void its_figures_are_those_of_the_drain(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    burst_stream_stats_t stats = {.struct_bytes = sizeof stats};
    char path[BURST_PATH_BYTES];
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    append_text(log, "four\n");
    append_text(log, "five\n");
    await_released(log);
    assert_int_equal(stats_of(log).drained_sequence, 2);
    for (int i = 0; i < 12000 && stats.drained_records < 2; i++) {
        assert_int_equal(burst_stream_stats(burst_main_stream(log), &stats), 0);
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_int_equal(stats.drained_records, 2);
    assert_int_equal(stats.drained_bytes, 10);
    assert_int_equal(stats.file_bytes, 10);
    assert_int_equal(burst_current_file(log, path, sizeof path), 0);
    assert_string_equal(strrchr(path, '/'), "/log");
    assert_int_equal(burst_is_drained(log, 2), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

static void a_stall_of_the_drain_is_told_to_the_log(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    block_file();
    append_text(log, "one\n");
    assert_true(await_event(log, "cannot be written"));
    for (int i = 0; i < 12000 && stats_of(log).state != BURST_STATE_STALLED; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(stats_of(log).state, BURST_STATE_STALLED);
    unblock_file();
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

static void streams_are_opened_and_closed_by_the_drain(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    char path[160];
    burst_stream_config_t second;
    burst_stream_t *stream;
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    burst_stream_config_init(&second);
    snprintf(path, sizeof path, "%s/second", folder);
    second.name = "second";
    second.file_name = path;
    assert_int_equal(burst_stream_open(log, &second, &stream), 0);
    assert_true(burst_stream_append(stream, "2\n", 2, 0) > 0);
    append_text(log, "1\n");
    assert_int_equal(burst_stream_close(stream, PATIENCE_NS), 1);
    assert_int_equal(burst_stream_open(log, &second, &stream), 0);
    assert_true(burst_stream_append(stream, "3\n", 2, 0) > 0);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("1\n");
    strcpy(file_path, path);
    assert_file_is("2\n3\n");
    second.name = "third";
    assert_int_equal(burst_stream_open(log, &second, &stream), -EBUSY); /* its file is the second's */
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

/* Opening or closing a stream is no time for patience. */
static void a_stream_is_opened_and_closed_without_a_drain(void **state) {
    (void)state;
    burst_config_t config = external_config();
    char path[160];
    burst_stream_config_t second;
    burst_stream_t *stream;
    config.main = NULL;
    burst_t *log = open_with(&config);
    burst_stream_config_init(&second);
    snprintf(path, sizeof path, "%s/second", folder);
    second.file_name = path;
    assert_int_equal(burst_stream_open(log, &second, &stream), 0);
    assert_true(await_event(log, "since a stream is to be opened or closed and it has no drain"));
    assert_true(burst_stream_append(stream, "one\n", 4, 0) > 0);
    assert_int_equal(burst_stream_close(stream, PATIENCE_NS), 1);
    strcpy(file_path, path);
    assert_file_is("one\n");
    assert_int_equal(burst_close(log), 0);
}

static void *close_stream(void *stream) {
    return burst_stream_close(stream, PATIENCE_NS) == 1 ? stream : NULL;
}

/* Its drain hangs: all the same the close asks before it waits. So a log whose drain has gone need not run out of patience
 * before it closes a stream. */
static void the_close_of_a_stream_asks_at_once(void **state) {
    (void)state;
    burst_config_t config = external_config();
    char path[160];
    burst_stream_config_t second;
    burst_stream_t *stream;
    pthread_t closer;
    void *is_closed;
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    burst_stream_config_init(&second);
    snprintf(path, sizeof path, "%s/second", folder);
    second.file_name = path;
    assert_int_equal(burst_stream_open(log, &second, &stream), 0);
    const int wanted = lock_silently(LOCKS_WANTED); /* keeps the log from draining by itself meanwhile */
    assert_int_equal(drain_beside_stop(drain), 0);
    const int hung = lock_silently(LOCKS_DRAIN);
    close(wanted);
    assert_true(burst_stream_append(stream, "one\n", 4, 0) > 0);
    assert_false(requests_are_waiting(log->engine->requests));
    assert_int_equal(pthread_create(&closer, NULL, close_stream, stream), 0);
    for (int i = 0; i < 6000 && !requests_are_waiting(log->engine->requests); i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_true(requests_are_waiting(log->engine->requests));
    close(hung);
    assert_int_equal(pthread_join(closer, &is_closed), 0);
    assert_ptr_equal(is_closed, stream);
    strcpy(file_path, path);
    assert_file_is("one\n");
    assert_int_equal(burst_close(log), 0);
}

static void a_log_file_that_the_drain_cannot_open_refuses_the_log(void **state) {
    (void)state;
    burst_config_t config = external_config();
    burst_t *log;
    char path[160];
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    snprintf(path, sizeof path, "%s/ring/below", folder); /* below a file */
    config.main = main_of(path);
    assert_true(burst_open(&config, &log) < 0);
    assert_null(log);
    config = external_config();
    log = open_with(&config);
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
    assert_file_is("one\n");
}

/* While the drain recovers the ring it has the guard of the only writer. Its page is written when it drains. */
static void await_page(void) {
    char page[160];
    struct stat status = {.st_size = 0};
    glob_t files;
    snprintf(page, sizeof page, "%s/*" DRAIN_PAGE_SUFFIX, folder);
    for (int i = 0; i < 12000 && status.st_size == 0; i++) {
        if (glob(page, 0, NULL, &files) == 0) {
            assert_int_equal(stat(files.gl_pathv[0], &status), 0);
            globfree(&files);
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_true(status.st_size > 0);
}

static void a_log_that_drains_by_itself_is_refused_beside_a_drain(void **state) {
    (void)state;
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    await_page();
    burst_config_t config = external_config();
    config.drain = BURST_DRAIN_INNER;
    assert_refused(&config, EBUSY, "is drained by process");
    assert_int_equal(drain_beside_stop(drain), 0);
    assert_int_equal(burst_close(open_with(&config)), 0);
}

/* A deleted lock file must not part the log from its drains for as long as it is open. */
static void it_follows_its_drain_to_a_new_lock_file(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    burst_t *log = open_with(&config);
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    remove_locks();
    assert_true(await_event(log, "it has its locks in a new one now"));
    append_text(log, "two\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_file_is("one\ntwo\n");
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, 0) == 1) {
        assert_null(strstr(event.text, "by itself, since"));
    }
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

/* As if the file was deleted, and a drain had its lock in the next one at once. */
static void replace_lock_file(struct ring_locks *locks) {
    glob_t files;
    snprintf(locks->path, sizeof locks->path, "%s/*" LOCKS_SUFFIX, folder);
    assert_int_equal(glob(locks->path, 0, NULL, &files), 0);
    snprintf(locks->path, sizeof locks->path, "%s/next", folder);
    locks->fd = open(locks->path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(locks_try(locks, LOCKS_DRAIN), 0);
    assert_int_equal(rename(locks->path, files.gl_pathv[0]), 0);
    globfree(&files);
}

static void it_gives_way_though_its_lock_file_was_deleted_while_it_drained(void **state) {
    (void)state;
    const burst_config_t config = external_config();
    make_ring();
    burst_t *log = open_with(&config);
    fill_twice(log);
    assert_true(await_event(log, "by itself, since it is three quarters full"));
    struct ring_locks locks = {.fd = -1};
    replace_lock_file(&locks);
    assert_true(await_event(log, "and no longer by this process"));
    locks_close(&locks);
    struct drain_beside *drain = drain_beside_start();
    append_text(log, "last\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
    size_t bytes;
    free(read_file(&bytes));
    assert_int_equal(bytes, FILLED_BYTES + 5);
}

/* As a loss of power leaves a slot that was being written. */
static void tear_slot(void) {
    static const uint8_t torn[LAYOUT_MIN_BLOCK_BYTES];
    const int fd = open(ring_path, O_WRONLY | O_CLOEXEC);
    assert_int_equal(pwrite(fd, torn, sizeof torn, LAYOUT_CHECKPOINT_OFFSET(1)), sizeof torn);
    assert_int_equal(fsync(fd), 0);
    close(fd);
}

/* Waits until somebody has the byte. fd: the lock file, open here. */
static void await_held(int fd, enum locks_byte byte) {
    const struct ring_locks locks = {.fd = fd};
    for (int i = 0; i < 12000 && locks_is_held(&locks, byte) == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(locks_is_held(&locks, byte), 1);
}

static void *open_log(void *config) {
    return open_with(config);
}

/* Both start after the loss. The log is the writer before the drain looks at the dead ring. The log waits for a whole slot,
 * and the drain for the log's window. */
static void a_slot_that_was_torn_keeps_no_log_from_its_drain(void **state) {
    (void)state;
    burst_config_t config = external_config();
    pthread_t opener;
    void *log;
    make_ring();
    tear_slot();
    const int held = lock_silently(LOCKS_DRAIN);
    struct drain_beside *drain = drain_beside_start();
    await_held(held, LOCKS_WANTED);
    assert_int_equal(pthread_create(&opener, NULL, open_log, &config), 0);
    await_held(held, LOCKS_WRITER);
    close(held);
    assert_int_equal(pthread_join(opener, &log), 0);
    assert_true(await_event_of(&drain->events, "checkpoint slot 1 of ring"));
    append_text(log, "one\n");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
    assert_file_is("one\n");
}

/* Rolls, with what their records say of compressing and deleting, are the drain's. */
static void the_drain_rolls_and_tidies(void **state) {
    (void)state;
    burst_config_t config = external_config();
    burst_rolling_t rolling;
    char rolled_pattern[160], first[160], third[160];
    burst_rolling_init(&rolling);
    snprintf(rolled_pattern, sizeof rolled_pattern, "%s/rolled-%%i", folder);
    rolling.pattern = rolled_pattern;
    rolling.size_bytes = 100;
    rolling.keep_files = 1;
    make_ring();
    struct drain_beside *drain = drain_beside_start();
    main_config.rolling = &rolling;
    config.main = &main_config;
    burst_t *log = open_with(&config);
    for (int i = 0; i < 12; i++) {
        append_text(log, "0123456789012345678901234567890\n"); /* three a file */
    }
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    snprintf(first, sizeof first, "%s/rolled-1", folder);
    snprintf(third, sizeof third, "%s/rolled-3", folder);
    for (int i = 0; i < 12000 && access(first, F_OK) == 0; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_not_equal(access(first, F_OK), 0);
    assert_int_equal(access(third, F_OK), 0);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(drain_beside_stop(drain), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_another_process_cannot_do_is_refused),
        TEST(without_a_drain_records_stay_in_the_ring_and_it_says_so),
        TEST(it_drains_by_itself_when_the_ring_gets_full_and_gives_way),
        TEST(it_waits_for_a_drain_that_is_started_again),
        TEST(its_figures_are_those_of_the_drain),
        TEST(a_stall_of_the_drain_is_told_to_the_log),
        TEST(streams_are_opened_and_closed_by_the_drain),
        TEST(a_stream_is_opened_and_closed_without_a_drain),
        TEST(the_close_of_a_stream_asks_at_once),
        TEST(a_log_file_that_the_drain_cannot_open_refuses_the_log),
        TEST(a_log_that_drains_by_itself_is_refused_beside_a_drain),
        TEST(it_follows_its_drain_to_a_new_lock_file),
        TEST(it_gives_way_though_its_lock_file_was_deleted_while_it_drained),
        TEST(a_slot_that_was_torn_keeps_no_log_from_its_drain),
        TEST(the_drain_rolls_and_tidies),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
