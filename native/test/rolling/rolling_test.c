/* SPDX-License-Identifier: Apache-2.0 */
/* Streams whose files the engine rolls by itself. */
#include "roll_log.h"

#include <dirent.h>
#include <pthread.h>
#include <sys/resource.h>

#include "base/error.h"
#include "log/log.h"
#include "rolling/rolling.h"
#include "skip_with.h"

#define TRIES 3000 /* of 10 ms: more than a busy machine needs */

static burst_t *open_rolling(const burst_rolling_t *rolling) {
    burst_config_t config = small_config();
    main_config.file_name = paths[0];
    main_config.rolling = rolling;
    return open_with(&config);
}

static const char *rolled(unsigned index) {
    static char path[240];
    snprintf(path, sizeof path, "%s-%u.log", paths[0], index);
    return path;
}

static void put(burst_t *log, const char *text) {
    if (burst_append(log, text, strlen(text), 0) < 1) {
        fail_msg("append: %s", burst_last_error());
    }
}

static void await_missing(const char *path) {
    for (int i = 0; access(path, F_OK) == 0; i++) {
        if (i == TRIES) {
            fail_msg("%s is still there", path);
        }
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
}

static void a_file_ends_before_it_gets_too_long(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(10);
    burst_t *log = open_rolling(&rolling);
    put(log, "a record that is longer has a file of its own\n");
    put(log, "1234\n");
    put(log, "5678\n"); /* 10 bytes: the limit */
    put(log, "9\n");
    put(log, "and so has this one, behind another\n");
    assert_int_equal(burst_offer(log, "b\n", 2, 0), 10);
    assert_int_equal(burst_enqueue(log, "c\n", 2, 0), 11);
    drain(burst_main_stream(log));
    assert_int_equal(stream_stats(burst_main_stream(log)).file_number, 5);
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(1), "a record that is longer has a file of its own\n");
    assert_holds(rolled(2), "1234\n5678\n");
    assert_holds(rolled(3), "9\n");
    assert_holds(rolled(4), "and so has this one, behind another\n");
    assert_holds(paths[0], "b\nc\n");
    assert_is_missing(rolled(5));
}

static void the_next_open_goes_on_where_the_last_one_ended(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(10);
    burst_t *log = open_rolling(&rolling);
    put(log, "1234567\n");
    put(log, "2\n");
    put(log, "3\n");
    assert_int_equal(burst_close(log), 0);
    log = open_rolling(&rolling);
    put(log, "456789\n"); /* with the 2 bytes that are there: 9 */
    put(log, "5\n");
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(1), "1234567\n2\n");
    assert_holds(rolled(2), "3\n456789\n");
    assert_holds(paths[0], "5\n");
}

static void a_stream_beside_the_main_one_rolls_as_well(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(4);
    burst_t *log = open_without_file();
    burst_stream_config_t config;
    burst_stream_t *stream, *other = open_stream_with(log, "other", paths[1], 0);
    burst_stream_config_init(&config);
    config.file_name = paths[0];
    config.rolling = &rolling;
    assert_int_equal(burst_stream_open(log, &config, &stream), 0);
    append(stream, "one ");
    append(other, "x ");
    append(stream, "two ");
    assert_int_equal(burst_stream_close(stream, PATIENCE_NS), 1);
    assert_int_equal(burst_stream_append(stream, "three ", 6, 0), -ESHUTDOWN);
    append(other, "y ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(1), "one ");
    assert_holds(paths[0], "two ");
    assert_holds(paths[1], "x y ");
}

static void a_roll_on_request_gets_the_next_name(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(10);
    burst_t *log = open_rolling(&rolling);
    burst_roll_t roll;
    burst_roll_init(&roll);
    put(log, "12345678\n");
    append_roll(burst_main_stream(log), &roll, 1000);
    put(log, "2345678\n"); /* the size counts from the roll */
    put(log, "3\n");
    roll.target = archive;
    append_roll(burst_main_stream(log), &roll, 1000);
    put(log, "4\n");
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(1), "12345678\n");
    assert_holds(archive, "2345678\n3\n");
    assert_holds(paths[0], "4\n");
    assert_is_missing(rolled(2)); /* the next file's size does not count bytes before the roll */
}

static void a_file_ends_when_its_time_is_over(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(0);
    rolling.interval_ns = 86400 * SECOND_NS;
    burst_t *log = open_rolling(&rolling);
    struct rolling *inside = burst_main_stream(log)->rolling;
    burst_roll_t roll;
    burst_roll_init(&roll);
    const int64_t first_ns = atomic_load(&inside->next_ns);
    assert_true(first_ns % SECOND_NS == 0);
    atomic_store(&inside->next_ns, 1);
    put(log, "1\n"); /* its time came while it was empty: it serves as the next file */
    assert_true(atomic_load(&inside->next_ns) >= first_ns);
    assert_is_missing(rolled(1));
    atomic_store(&inside->next_ns, 1);
    put(log, "2\n");
    drain(burst_main_stream(log));
    assert_holds(rolled(1), "1\n");
    const burst_stream_stats_t stats = stream_stats(burst_main_stream(log));
    assert_true(stats.file_born_ns >= first_ns - 2 * (int64_t)rolling.interval_ns);
    assert_int_equal(stats.file_number, 3);
    append_roll(burst_main_stream(log), &roll, 1000);
    atomic_store(&inside->next_ns, INT64_MAX);
    put(log, "3\n");
    assert_int_equal(burst_close(log), 0);
    log = open_rolling(&rolling); /* the ring has the file's birth */
    put(log, "4\n");
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(2), "2\n");
    assert_holds(rolled(3), "3\n");
    assert_holds(paths[0], "4\n");
}

static void a_file_that_is_taken_for_empty_goes_on(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(0);
    rolling.interval_ns = 86400 * SECOND_NS;
    burst_t *log = open_rolling(&rolling);
    struct rolling *inside = burst_main_stream(log)->rolling;
    put(log, "1\n");
    atomic_store(&inside->bytes, 0); /* as if the record were not counted yet */
    atomic_store(&inside->next_ns, 1);
    put(log, "2\n");
    drain(burst_main_stream(log));
    for (int i = 0; atomic_load(&inside->quiet_ns) == 0 && i < TRIES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_int_equal(is_told(log, BURST_WARN, ""), 0);
    assert_holds(paths[0], "1\n2\n");
    atomic_store(&inside->next_ns, 1);
    put(log, "3\n");
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(1), "1\n2\n");
    assert_holds(paths[0], "3\n");
}

static void a_clock_that_is_set_back_rolls_to_no_name_twice(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(4);
    snprintf(pattern, sizeof pattern, "%s-%%Y-%%i.log", paths[0]);
    burst_t *log = open_rolling(&rolling);
    struct rolling *inside = burst_main_stream(log)->rolling;
    static const int64_t years[] = {1, 0, 1, 0};
    for (int i = 0; i < 4; i++) {
        put(log, "abc\n");
        inside->born_ns = years[i] * 400 * 86400 * SECOND_NS;
    }
    put(log, "abc\n");
    assert_int_equal(burst_close(log), 0);
    char path[240];
    for (int i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s-%d-%d.log", paths[0], 1970 + (int)years[i], i + 1);
        assert_holds(path, "abc\n");
    }
}

static void what_was_rolled_is_compressed_and_the_oldest_deleted(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(4);
    rolling.compress = 1;
    rolling.keep_files = 2;
    burst_t *log;
    burst_config_t config = small_config();
    main_config.file_name = paths[0];
    main_config.rolling = &rolling;
    if (burst_open(&config, &log) == -ENOPKG) {
        SKIP_WITH("zlib is not installed");
    }
    char oldest[250], newest[250];
    snprintf(oldest, sizeof oldest, "%s.gz", rolled(2));
    snprintf(newest, sizeof newest, "%s.gz", rolled(4));
    for (int i = 0; i < 5; i++) {
        put(log, "abc\n");
    }
    drain(burst_main_stream(log));
    await_missing(rolled(4));
    await_missing(oldest);
    assert_int_equal(access(newest, F_OK), 0);
    assert_int_equal(burst_close(log), 0);
    put_file(rolled(7), "left\n");
    log = open_rolling(&rolling); /* it completes the last one's work, and counts on */
    await_missing(rolled(7));
    put(log, "abc\n");
    put(log, "abc\n");
    assert_int_equal(burst_close(log), 0);
    snprintf(newest, sizeof newest, "%s.gz", rolled(8));
    assert_true(access(rolled(8), F_OK) == 0 || access(newest, F_OK) == 0);
}

static _Atomic int cannot_be_written; /* the log file; where the ring is written by this call, too, it has O_DSYNC */

ssize_t __real_pwrite(int file, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int file, const void *data, size_t bytes, off_t offset);
ssize_t __wrap_pwrite(int file, const void *data, size_t bytes, off_t offset) {
    if (!atomic_load(&cannot_be_written) || (fcntl(file, F_GETFL) & O_DSYNC) != 0)
        return __real_pwrite(file, data, bytes, offset);
    errno = EIO;
    return -1;
}

static void names_wait_for_what_an_earlier_run_has_rolled(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(4);
    burst_roll_t roll;
    burst_roll_init(&roll);
    burst_t *log = open_rolling(&rolling);
    atomic_store(&cannot_be_written, 1);
    put(log, "ab1\n");
    put(log, "ab2\n");
    put(log, "ab3\n");
    burst_close_within(log, SECOND_NS / 10);
    log = open_rolling(&rolling);
    put(log, "cd1\n");
    put(log, "cd2\n"); /* no roll yet: the next index is unknown */
    assert_int_equal(burst_stream_roll(burst_main_stream(log), &roll, 1000), -EAGAIN);
    atomic_store(&cannot_be_written, 0);
    drain(burst_main_stream(log));
    for (int i = 0; !atomic_load(&burst_main_stream(log)->rolling->has_begun) && i < TRIES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    put(log, "ef1\n");
    put(log, "ef2\n");
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(1), "ab1\n");
    assert_holds(rolled(2), "ab2\n");
    assert_holds(rolled(3), "ab3\ncd1\ncd2\n");
    assert_holds(rolled(4), "ef1\n");
    assert_holds(paths[0], "ef2\n");
}

/* Offers records of this length until the ring has no room for one. */
static void fill(burst_stream_t *stream, size_t bytes) {
    static char record[65536];
    int64_t sequence;
    memset(record, 'r', sizeof record);
    do {
        sequence = burst_stream_offer(stream, record, bytes, 0);
    } while (sequence > 0);
    assert_int_equal(sequence, -EAGAIN);
}

static void an_offer_waits_for_no_roll_in_a_full_ring(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(4);
    burst_t *log = open_rolling(&rolling);
    burst_stream_t *beside = open_stream_with(log, "other", paths[1], 0);
    atomic_store(&cannot_be_written, 1);
    put(log, "abc\n");
    fill(beside, 65536);
    fill(beside, 1);
    assert_int_equal(burst_offer(log, "def\n", 4, 0), -EAGAIN);
    atomic_store(&cannot_be_written, 0);
    drain(burst_main_stream(log));
    put(log, "ghi\n");
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(1), "abc\n"); /* the roll that was refused has used up no name */
    assert_holds(paths[0], "ghi\n");
}

static void a_roll_that_is_offered_waits_for_no_space_and_for_no_other(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(1ull << 40);
    burst_stream_t *stream = burst_main_stream(open_rolling(&rolling));
    const burst_roll_t roll = roll_to(archive);
    pthread_mutex_lock(&stream->rolling->lock); /* as if one were rolling for ever */
    assert_int_equal(burst_stream_offer_roll(stream, &roll, 1000), -EAGAIN);
    pthread_mutex_unlock(&stream->rolling->lock);
    atomic_store(&cannot_be_written, 1);
    fill(stream, 1);
    assert_int_equal(burst_stream_offer_roll(stream, &roll, 1000), -EAGAIN);
    atomic_store(&cannot_be_written, 0);
    append(stream, "abc\n"); /* waits for space */
    assert_true(burst_stream_offer_roll(stream, &roll, 1000) > 0);
    append(stream, "def\n");
    assert_int_equal(burst_close(stream->log), 0);
    assert_holds(paths[0], ">def\n");
}

static void nobody_is_kept_from_rolling_by_what_comes_after_a_roll(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(4);
    burst_config_t config = small_config();
    rolling.keep_files = 1;
    main_config.file_name = paths[0];
    main_config.rolling = &rolling;
    config.drain_interval_ns = 3600 * SECOND_NS;
    burst_t *log = open_with(&config);
    struct rolling *inside = burst_main_stream(log)->rolling;
    for (int i = 0; i < 3; i++) {
        put(log, "abc\n");
    }
    pthread_mutex_lock(&inside->lock); /* as if one were rolling for ever */
    drain(burst_main_stream(log));
    await_missing(rolled(1));
    pthread_mutex_unlock(&inside->lock);
    assert_int_equal(burst_close(log), 0);
    assert_holds(rolled(2), "abc\n");
}

static void a_roll_that_was_given_up_is_tried_again(void **state) {
    (void)state;
    if (geteuid() == 0 && access("/dev/shm", W_OK) != 0) {
        SKIP_WITH("there is no other file system");
    }
    burst_rolling_t rolling = rolling_of(4);
    char elsewhere[] = "/dev/shm/burst-rolling-XXXXXX", command[100], second[BURST_PATH_BYTES + 16];
    assert_non_null(mkdtemp(elsewhere));
    snprintf(pattern, sizeof pattern, "%s/%%i.log", elsewhere);
    burst_t *log = open_rolling(&rolling);
    struct rolling *inside = burst_main_stream(log)->rolling;
    put(log, "abc\n");
    put(log, "def\n");
    drain(burst_main_stream(log));
    for (int i = 0; atomic_load(&inside->quiet_ns) == 0 && i < TRIES; i++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    assert_true(atomic_load(&inside->quiet_ns) > 0);
    put(log, "ghi\n"); /* not now */
    drain(burst_main_stream(log));
    assert_holds(paths[0], "abc\ndef\nghi\n");
    assert_int_equal(is_told(log, BURST_WARN, "could not be rolled"), 1);
    pthread_mutex_lock(&inside->lock);
    snprintf(inside->files.name.folder, sizeof inside->files.name.folder, "%.*s",
             (int)(strrchr(paths[0], '/') - paths[0]), paths[0]);
    atomic_store(&inside->quiet_ns, 0); /* the quiet time is over */
    pthread_mutex_unlock(&inside->lock);
    put(log, "jkl\n");
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], "jkl\n");
    snprintf(second, sizeof second, "%s/2.log", inside->files.name.folder);
    assert_holds(second, "abc\ndef\nghi\n");
    snprintf(command, sizeof command, "rm -r %s", elsewhere);
    assert_int_equal(system(command), 0);
}

#define THREADS 4
#define LINES 3000

static void *put_lines(void *argument) {
    burst_t *log = argument;
    static _Atomic int threads;
    const int thread = atomic_fetch_add(&threads, 1);
    char line[32];
    for (int i = 0; i < LINES; i++) {
        const int bytes = snprintf(line, sizeof line, "%d %d\n", thread, i);
        if (burst_enqueue(log, line, (size_t)bytes, 0) < 1) {
            return (void *)-1;
        }
    }
    return NULL;
}

static void every_line_of_all_threads_is_in_one_file_and_in_order(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(4000);
    burst_t *log = open_rolling(&rolling);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_create(&threads[i], NULL, put_lines, log), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        void *result;
        pthread_join(threads[i], &result);
        assert_null(result);
    }
    const uint64_t files = burst_main_stream(log)->rolling->file_number;
    assert_int_equal(burst_close(log), 0);
    int next[THREADS] = {0}, thread, line;
    uint64_t file = 1;
    for (; file <= files; file++) {
        const char *path = file < files ? rolled((unsigned)file) : paths[0];
        FILE *text = fopen(path, "r");
        assert_non_null(text);
        while (fscanf(text, "%d %d\n", &thread, &line) == 2) {
            assert_int_equal(line, next[thread]++);
        }
        fclose(text);
    }
    assert_true(files > 3); /* the threads' pace decides how many */
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(next[i], LINES);
    }
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_paths, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(a_file_ends_before_it_gets_too_long),
        TEST(the_next_open_goes_on_where_the_last_one_ended),
        TEST(a_stream_beside_the_main_one_rolls_as_well),
        TEST(a_roll_on_request_gets_the_next_name),
        TEST(a_file_ends_when_its_time_is_over),
        TEST(a_file_that_is_taken_for_empty_goes_on),
        TEST(a_clock_that_is_set_back_rolls_to_no_name_twice),
        TEST(what_was_rolled_is_compressed_and_the_oldest_deleted),
        TEST(names_wait_for_what_an_earlier_run_has_rolled),
        TEST(an_offer_waits_for_no_roll_in_a_full_ring),
        TEST(a_roll_that_is_offered_waits_for_no_space_and_for_no_other),
        TEST(nobody_is_kept_from_rolling_by_what_comes_after_a_roll),
        TEST(a_roll_that_was_given_up_is_tried_again),
        TEST(every_line_of_all_threads_is_in_one_file_and_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
