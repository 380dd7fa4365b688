/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls in a ring whose application is gone: the commands show them, and perform them as the rolls say. */
#include "cli/run.h"

static char archive[160];

/* Leaves a roll between two records, none of them in the log file, as a killed process does. */
static void leave_a_roll(void) {
    snprintf(archive, sizeof archive, "%s/old/1.log", folder);
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = small_config();
        main_config.rolls_by_caller = 1;
        burst_t *log = open_with(&config);
        block_file();
        burst_roll_t roll;
        burst_roll_init(&roll);
        roll.footer = "</log>\n";
        roll.footer_bytes = 7;
        roll.header = "<log>\n";
        roll.header_bytes = 6;
        roll.target = archive;
        roll.next_time_ns = 3600000000000;
        roll.next_file_bytes = 1000000;
        _exit(burst_append(log, "one\n", 4, 0) == 1 &&
                      burst_stream_roll(burst_main_stream(log), &roll, 60000000000) == 2 &&
                      burst_append(log, "two\n", 4, 0) == 3
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    unblock_file();
}

static void assert_holds(const char *path, const char *wanted) {
    char text[256] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, wanted);
}

static void dump_shows_a_roll(void **state) {
    (void)state;
    leave_a_roll();
    assert_int_equal(run("dump %s", ring_path), 0);
    assert_said("waiting roll");
    assert_said("1970-01-01T00:01:00");
    assert_said("/old/1.log\", next file \"\", footer 7, header 6, note 0 bytes");
    assert_int_equal(run("dump --json %s", ring_path), 0);
    assert_said("\"footer\": \"</log>\\\\n\"");
    assert_said("\"next_roll_bytes\": 1000000");
}

static void recover_rolls_by_the_target(void **state) {
    (void)state;
    leave_a_roll();
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("log file number: 1");
    assert_said("roll under way: none");
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("records moved: 3");
    assert_holds(archive, "one\n</log>\n");
    assert_holds(file_path, "<log>\ntwo\n");
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("log file number: 2");
    assert_said("log file born: 1970-01-01T00:01:00Z");
    assert_said("next roll: 1970-01-01T01:00:00Z");
    assert_said("next roll at bytes: 1000000");
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("records moved: 0");
}

static void what_cannot_be_renamed_is_told(void **state) {
    (void)state;
    leave_a_roll();
    FILE *file = fopen(archive, "w"); /* its folder is missing */
    assert_null(file);
    char obstacle[160];
    snprintf(obstacle, sizeof obstacle, "%s/old", folder);
    file = fopen(obstacle, "w"); /* nor can the folder be made */
    assert_non_null(file);
    fclose(file);
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("could not be rolled");
    assert_holds(file_path, "one\n</log>\ntwo\n");
}

/* A roll in the main stream, and a record of another one; none of them in a log file. */
static void leave_a_roll_and_a_record(const char *orders_path) {
    const pid_t child = fork();
    if (child == 0) {
        char pattern[160];
        burst_rolling_t rolling;
        burst_roll_t roll;
        burst_stream_config_t of_orders;
        burst_stream_t *orders;
        burst_rolling_init(&rolling);
        snprintf(pattern, sizeof pattern, "%s/rolled-%%i", folder);
        rolling.pattern = pattern;
        rolling.compress = BURST_COMPRESS_GZIP;
        burst_config_t config = small_config();
        main_config.rolling = &rolling;
        burst_t *log = open_with(&config);
        burst_stream_config_init(&of_orders);
        of_orders.name = "orders";
        of_orders.file_name = orders_path;
        burst_roll_init(&roll);
        if (burst_stream_open(log, &of_orders, &orders) < 0) {
            _exit(2);
        }
        block_file();
        _exit(burst_append(log, "one\n", 4, 0) == 1 &&
                      burst_stream_roll(burst_main_stream(log), &roll, SECOND_NS) == 2 && unlink(orders_path) == 0 &&
                      mkdir(orders_path, 0700) == 0 && burst_stream_append(orders, "order\n", 6, 0) == 3
                  ? 0
                  : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    unblock_file();
}

/* A folder has the name of the compressed file: that is told too, and is not why recover ends. */
static void the_file_that_cannot_be_written_is_named_whatever_becomes_of_rolled_ones(void **state) {
    (void)state;
    char orders_path[160], rolled[160], compressed[160];
    snprintf(orders_path, sizeof orders_path, "%s/orders", folder);
    snprintf(rolled, sizeof rolled, "%s/rolled-7", folder);
    snprintf(compressed, sizeof compressed, "%s/rolled-7.gz", folder);
    leave_a_roll_and_a_record(orders_path);
    const int fd = open(rolled, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_true(fd >= 0 && close(fd) == 0 && mkdir(compressed, 0700) == 0);
    assert_int_not_equal(run("recover %s", ring_path), 0);
    assert_said("rolled-7 could not be compressed, and stays as it is");
    assert_said("/orders cannot be written: ");
    assert_said("; the records stay in the ring: make the file writable and recover again\n");
}

static void info_shows_when_a_file_is_rolled_unasked(void **state) {
    (void)state;
    burst_rolling_t rolling;
    burst_rolling_init(&rolling);
    rolling.pattern = "rolled-%i";
    rolling.size_bytes = 12345;
    rolling.interval_ns = 24 * 3600ull * SECOND_NS;
    burst_config_t config = small_config();
    main_config.rolling = &rolling;
    assert_int_equal(burst_close(open_with(&config)), 0);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_said("log file number: 1");
    assert_said("next roll at bytes: 12345");
    assert_said("next roll: 2");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(dump_shows_a_roll),
        TEST(recover_rolls_by_the_target),
        TEST(what_cannot_be_renamed_is_told),
        TEST(the_file_that_cannot_be_written_is_named_whatever_becomes_of_rolled_ones),
        TEST(info_shows_when_a_file_is_rolled_unasked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
