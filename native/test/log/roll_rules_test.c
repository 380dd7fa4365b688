/* SPDX-License-Identifier: Apache-2.0 */
/* A process dies with rolls in its ring. Their performer does what their records say, and not what is configured by
 * then. */
#include "roll_log.h"

#include <dlfcn.h>

#include "skip_with.h"

#define LINES 6 /* each in a file of its own: so many rolls less one */

static char rolled_name[260];

static const char *rolled(int index, const char *suffix) {
    snprintf(rolled_name, sizeof rolled_name, "%s-%d.log%s", paths[0], index, suffix);
    return rolled_name;
}

static int is_there(const char *path) {
    return access(path, F_OK) == 0;
}

static mode_t mode_of(const char *path) {
    struct stat status;
    if (stat(path, &status) < 0) {
        fail_msg("%s: %s", path, strerror(errno));
    }
    return status.st_mode & 07777;
}

/* The file that ends gets the next name of the pattern. A roll by length may come a record later, if another thread just
 * looks at the files. */
static int64_t roll_unnamed(burst_stream_t *stream) {
    burst_roll_t roll;
    burst_roll_init(&roll);
    return burst_stream_roll(stream, &roll, SECOND_NS);
}

static int is_without_threads; /* threads that begin do nothing: nobody drains, and nobody performs a roll */

static void *do_nothing(void *argument) {
    while (pause() < 0) {
    }
    return argument;
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument);

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    return __real_pthread_create(thread, attributes, is_without_threads ? do_nothing : run, argument);
}

/* A process whose rolls are not performed when it dies. */
static void die_with_rolls(const burst_rolling_t *rolling, mode_t mask, uint32_t file_mode) {
    const pid_t child = fork();
    if (child == 0) {
        umask(mask);
        burst_config_t config = small_config();
        is_without_threads = 1;
        main_config.file_name = paths[0];
        main_config.rolling = rolling;
        main_config.file_mode = file_mode;
        burst_t *log = open_with(&config);
        int64_t last = burst_append(log, "abc\n", 4, 0);
        for (int i = 1; i < LINES; i++) {
            roll_unnamed(burst_main_stream(log));
            last = burst_append(log, "abc\n", 4, 0);
        }
        _exit(last == 2 * LINES - 1 && access(rolled(1, ""), F_OK) < 0 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

/* A ring is opened that knows its streams only from what it holds. */
static burst_t *open_without_configuration(void) {
    burst_t *log = open_without_file();
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    return log;
}

static void await(int wanted, int index, const char *suffix) {
    for (int64_t waited = 0; is_there(rolled(index, suffix)) != wanted; waited += SECOND_NS / 100) {
        assert_true(waited < PATIENCE_NS);
        usleep(10000);
    }
}

static void files_get_the_rights_of_the_appender(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(0);
    die_with_rolls(&rolling, 022, 0640);
    umask(077);
    burst_t *log = open_without_configuration();
    assert_int_equal(mode_of(paths[0]), 0640);
    assert_int_equal(mode_of(rolled(5, "")), 0640);
    assert_int_equal(burst_close(log), 0);
}

/* The one who performs the roll may have another one. */
static void files_get_the_umask_of_the_appender(void **state) {
    (void)state;
    const burst_rolling_t rolling = rolling_of(0);
    die_with_rolls(&rolling, 027, 0);
    umask(002);
    burst_t *log = open_without_configuration();
    assert_int_equal(mode_of(rolled(1, "")), 0640);
    assert_int_equal(mode_of(rolled(5, "")), 0640);
    assert_int_equal(mode_of(paths[0]), 0640);
    assert_int_equal(burst_close(log), 0);
}

static void old_files_go_as_the_record_says(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(0);
    rolling.keep_files = 2;
    die_with_rolls(&rolling, 022, 0);
    burst_t *log = open_without_configuration();
    await(0, 3, "");
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(is_there(rolled(i, "")), i >= 4);
    }
    assert_holds(paths[0], "abc\n");
    assert_int_equal(burst_close(log), 0);
}

/* The stream is opened again, and its new configuration keeps all and compresses nothing. */
static void the_record_decides_although_the_stream_is_open(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(0);
    rolling.keep_files = 2;
    die_with_rolls(&rolling, 022, 0640);
    rolling.keep_files = 0;
    burst_config_t config = small_config();
    main_config.file_name = paths[0];
    main_config.rolling = &rolling;
    main_config.file_mode = 0600;
    burst_t *log = open_with(&config);
    await(0, 3, "");
    assert_true(is_there(rolled(4, "")) && is_there(rolled(5, "")));
    assert_int_equal(mode_of(rolled(5, "")), 0640);
    assert_int_equal(mode_of(paths[0]), 0640);
    /* its own rolls do what it says */
    for (int i = 0; i < 3; i++) {
        append(burst_main_stream(log), "abc\n");
        assert_true(roll_unnamed(burst_main_stream(log)) > 0);
    }
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(mode_of(paths[0]), 0600);
    assert_true(is_there(rolled(4, "")) && is_there(rolled(5, "")) && is_there(rolled(8, "")));
}

/* As with names whose index begins anew with each date. */
static void the_newest_file_may_be_the_one_written_last(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(0);
    rolling.keep_files = 1;
    rolling.newest_by_time = 1;
    const int file = open(rolled(0, ""), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    const struct timespec late[2] = {{.tv_sec = 4000000000}, {.tv_sec = 4000000000}};
    assert_int_equal(futimens(file, late), 0);
    close(file);
    die_with_rolls(&rolling, 022, 0);
    burst_t *log = open_without_configuration();
    await(0, 5, "");
    assert_int_equal(burst_close(log), 0);
    assert_true(is_there(rolled(0, "")));
}

static void assert_compressed(uint32_t compress, int level, const char *suffix) {
    burst_rolling_t rolling = rolling_of(0);
    rolling.compress = compress;
    rolling.compress_level = level;
    die_with_rolls(&rolling, 022, 0640);
    burst_t *log = open_without_configuration();
    for (int i = 1; i <= 5; i++) {
        await(0, i, "");
        assert_int_equal(mode_of(rolled(i, suffix)), 0640);
    }
    assert_int_equal(burst_close(log), 0);
    assert_false(is_told(log, BURST_WARN, ""));
    char command[400], text[8] = "";
    snprintf(command, sizeof command, "%s -dc %s", compress == BURST_COMPRESS_GZIP ? "gzip" : "zstd",
             rolled(3, suffix));
    FILE *unpacked = popen(command, "r");
    assert_int_equal(fread(text, 1, sizeof text, unpacked), 4);
    assert_int_equal(pclose(unpacked), 0);
    assert_string_equal(text, "abc\n");
}

static int lacks(const char *library) {
    void *loaded = dlopen(library, RTLD_NOW);
    if (loaded != NULL) {
        dlclose(loaded);
    }
    return loaded == NULL;
}

static void files_are_compressed_as_the_record_says(void **state) {
    (void)state;
    if (lacks("libz.so.1")) {
        SKIP_WITH("zlib is not installed");
    }
    assert_compressed(BURST_COMPRESS_GZIP, 9, ".gz");
}

static void zstd_and_a_level_are_followed(void **state) {
    (void)state;
    if (lacks("libzstd.so.1") || system("zstd --version > /dev/null 2>&1") != 0) {
        SKIP_WITH("zstd is not installed");
    }
    assert_compressed(BURST_COMPRESS_ZSTD, -5, ".zst");
}

/* The file stays plain for so long, and then it does not wait for the next roll. */
static void a_compression_waits_for_its_delay(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(0);
    if (lacks("libz.so.1")) {
        SKIP_WITH("zlib is not installed");
    }
    rolling.compress = BURST_COMPRESS_GZIP;
    rolling.compress_delay_ns = SECOND_NS;
    die_with_rolls(&rolling, 022, 0);
    burst_t *log = open_without_configuration();
    struct stat status;
    assert_int_equal(stat(rolled(5, ""), &status), 0);
    await(0, 5, "");
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    const int64_t after_ns = (now.tv_sec - status.st_mtim.tv_sec) * SECOND_NS + now.tv_nsec - status.st_mtim.tv_nsec;
    assert_true(after_ns >= SECOND_NS);
    assert_true(is_there(rolled(5, ".gz")));
    assert_int_equal(burst_close(log), 0);
}

static void a_close_does_not_wait_for_a_delay(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(0);
    if (lacks("libz.so.1")) {
        SKIP_WITH("zlib is not installed");
    }
    rolling.compress = BURST_COMPRESS_GZIP;
    rolling.compress_delay_ns = 3600 * SECOND_NS;
    die_with_rolls(&rolling, 022, 0);
    burst_t *log = open_without_configuration();
    assert_int_equal(burst_close(log), 0);
    assert_true(is_there(rolled(5, "")));
    assert_false(is_there(rolled(5, ".gz")));
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_paths, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(files_get_the_rights_of_the_appender),
        TEST(files_get_the_umask_of_the_appender),
        TEST(old_files_go_as_the_record_says),
        TEST(the_newest_file_may_be_the_one_written_last),
        TEST(the_record_decides_although_the_stream_is_open),
        TEST(files_are_compressed_as_the_record_says),
        TEST(zstd_and_a_level_are_followed),
        TEST(a_compression_waits_for_its_delay),
        TEST(a_close_does_not_wait_for_a_delay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
