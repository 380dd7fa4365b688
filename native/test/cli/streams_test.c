/* SPDX-License-Identifier: Apache-2.0 */
/* The commands' answers about a ring with several streams. */
#include "log_fixture.h"
#include "cli/run.h"

static char paths[2][160];

static int make_paths(void **state) {
    make_folder(state);
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/stream%d", folder, i);
    }
    return 0;
}

static burst_stream_t *open_stream(burst_t *log, const char *name, const char *path) {
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    config.name = name;
    config.file_name = path;
    burst_stream_t *stream = NULL;
    if (burst_stream_open(log, &config, &stream) < 0) {
        fail_msg("stream: %s", burst_last_error());
    }
    return stream;
}

static void append(burst_stream_t *stream, const char *text) {
    if (burst_stream_append(stream, text, strlen(text), 0) < 1) {
        fail_msg("append: %s", burst_last_error());
    }
}

static void assert_holds(const char *path, const char *wanted) {
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, wanted);
}

/* Puts a directory in the place of the file. */
static void block(const char *path) {
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
}

/* Ends as a killed process: two records of "orders" wait, and all others are drained. */
static void leave_records(void) {
    const pid_t child = fork();
    if (child == 0) {
        burst_t *log = open_small();
        burst_stream_t *orders = open_stream(log, "orders", paths[0]), *audit = open_stream(log, NULL, paths[1]);
        block(paths[0]);
        append(orders, "o1\n"); /* 1 */
        append(audit, "a1\n");
        append(orders, "o2\n"); /* 3 */
        append(audit, "a2\n");
        append(burst_main_stream(log), "m1\n"); /* 5 */
        const int drained = burst_stream_await_drained(audit, PATIENCE_NS) == 1 &&
                            burst_stream_await_drained(burst_main_stream(log), PATIENCE_NS) == 1;
        _exit(drained ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_holds(paths[1], "a1\na2\n");
    assert_file_is("m1\n");
    assert_int_equal(rmdir(paths[0]), 0);
}

/* Finds the words in this order; anything may stand between them. */
static void assert_said_in_order(const char *const *words) {
    const char *at = output;
    for (; *words != NULL; words++) {
        const char *found = strstr(at, *words);
        if (found == NULL) {
            fail_msg("\"%s\" does not follow in: %s", *words, output);
            return;
        }
        at = found + strlen(*words);
    }
}

#define SAID(...) assert_said_in_order((const char *const[]){__VA_ARGS__, NULL})

static void info_and_verify_tell_what_waits_for_each_stream(void **state) {
    (void)state;
    static const char *const commands[] = {"info", "verify"};
    leave_records();
    for (int i = 0; i < 2; i++) {
        assert_int_equal(run("%s --json %s", commands[i], ring_path), 0);
        SAID("\"streams\": [", "\"stream\": 0,", "\"name\": \"\",", file_path, "\"records_waiting\": 0,",
             "\"bytes_held\": 0", "\"stream\": 1,", "\"name\": \"orders\",", paths[0],
             "\"drained_position\": ", "\"records_waiting\": 2,",
             "\"bytes_held\": 20480", /* five commits of one block each */
             "\"stream\": 2,", "\"name\": \"\",", paths[1], "\"records_waiting\": 0,");
        assert_int_equal(run("%s %s", commands[i], ring_path), 0);
        SAID("name: orders", "records waiting: 2", "bytes held: 20480");
    }
    assert_int_equal(run("info %s", ring_path), 0);
    SAID("log", "begins at position", "records waiting: 2", "first sequence: 1",
         "2 records were waiting in the ring (sequences 1..5) and go to the log file"); /* the others are moved */
    assert_int_equal(run("verify %s", ring_path), 0);
    SAID("records waiting: 2", "records drained: 3");
}

static void dump_tells_whose_each_record_is_and_whether_it_is_drained(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("dump --json %s", ring_path), 0);
    SAID("\"streams\": [", "\"stream\": 1,", "\"name\": \"orders\",", "\"records\": [", "\"state\": \"waiting\"",
         "\"stream\": 1,", "\"o1", "\"state\": \"drained\"", "\"stream\": 2,", "\"a1", "\"state\": \"waiting\"",
         "\"stream\": 1,", "\"o2", "\"state\": \"drained\"", "\"stream\": 0,", "\"m1");
    assert_int_equal(run("dump %s", ring_path), 0);
    SAID("waiting data        1 ", "o1", "drained data        2 ", "a1", "drained data        0 ", "m1");
}

static void recover_names_every_file_that_it_moved_records_to(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("recover --json %s", ring_path), 0);
    SAID("\"records_moved\": 2,", "\"streams\": [", "\"stream\": 0,", "\"records_moved\": 0", "\"name\": \"orders\",",
         paths[0], "\"records_waiting\": 0,", "\"records_moved\": 2", "\"stream\": 2,", "\"records_moved\": 0");
    assert_holds(paths[0], "o1\no2\n");
    assert_holds(paths[1], "a1\na2\n");
    assert_file_is("m1\n");
}

/* recover names the file that cannot be written, and moves all other records. */
static void recover_names_the_file_that_cannot_be_written(void **state) {
    (void)state;
    char beside[180];
    leave_records();
    assert_int_equal(mkdir(paths[0], 0700), 0);
    assert_int_not_equal(run("recover %s", ring_path), 0);
    SAID("records moved: 0", "name: orders", "records waiting: 2", "records moved: 0", paths[0], "cannot be written");
    snprintf(beside, sizeof beside, "%s cannot be written", file_path);
    assert_null(strstr(output, beside));
    assert_int_equal(rmdir(paths[0]), 0);
    assert_int_equal(run("recover %s", ring_path), 0);
    assert_said("records moved: 2");
    assert_holds(paths[0], "o1\no2\n");
}

static void format_asks_for_the_number_of_those_that_are_in_no_file(void **state) {
    (void)state;
    leave_records();
    assert_int_equal(run("format %s", ring_path), 3);
    assert_said("--discard-records=2");
    assert_int_equal(run("format --discard-records=5 %s", ring_path), 3);
    assert_int_equal(run("format --discard-records=2 %s", ring_path), 0);
}

/* A ring without a main stream, in mapped memory. */
static void a_mapped_ring_without_a_main_stream_is_recovered(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = small_config();
        config.main = NULL;
        config.io = BURST_IO_MAPPED;
        burst_t *log = open_with(&config);
        burst_stream_t *orders = open_stream(log, "orders", paths[0]), *audit = open_stream(log, "audit", paths[1]);
        block(paths[0]);
        append(orders, "o1\n");
        append(audit, "a1\n");
        _exit(burst_stream_await_drained(audit, PATIENCE_NS) == 1 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
    assert_int_equal(rmdir(paths[0]), 0);
    assert_int_equal(run("recover %s", ring_path), 0);
    SAID("name: orders", "records moved: 1", "name: audit", "records moved: 0");
    assert_holds(paths[0], "o1\n");
    assert_holds(paths[1], "a1\n");
}

/* Ends as a killed process: one record waits for the main stream's log file and for its segments. */
static void leave_a_record_for_segments(const char *segments) {
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = small_config();
        main_config.segments = segments;
        burst_t *log = open_with(&config);
        append(burst_main_stream(log), "m1\n");
        append(burst_main_stream(log), "m2\n");
        burst_consumer_t *consumer;
        if (burst_await_drained(log, PATIENCE_NS) != 1 || burst_consumer_open(segments, "a", &consumer) != 0 ||
            burst_consumer_seek(consumer, 2) != 0 || burst_consumer_ack(consumer, 1) != 0 ||
            burst_consumer_open(segments, "b", &consumer) != 0) {
            _exit(1);
        }
        burst_close(log);
        config.drain_interval_ns = 3600000000000;
        append(burst_main_stream(open_with(&config)), "m3\n");
        _exit(0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void info_tells_of_consumers_and_recover_moves_to_segments(void **state) {
    (void)state;
    char segments[180];
    snprintf(segments, sizeof segments, "%s/segments", folder);
    leave_a_record_for_segments(segments);
    assert_int_equal(run("info --json %s", ring_path), 0);
    SAID("\"streams\": [", "\"stream\": 1,", "\"records_of_stream\": 0,", segments, "\"records_waiting\": 1,",
         "\"consumers\": [", "\"name\": \"a\",", "\"acknowledged_number\": 1,", "\"records_behind\": 1,",
         "\"name\": \"b\",", "\"acknowledged_number\": 0,", "\"records_behind\": 2,",
         "\"bytes_behind\": ", "1 record was waiting in the ring (sequences 3..3): 1 to the log file, 1 to segments");
    assert_int_equal(run("recover %s", ring_path), 0);
    SAID("records moved: 1", "stream: 0", "records moved: 1", "stream: 1", "records moved: 1");
    assert_file_is("m1\nm2\nm3\n");
    assert_int_equal(run("info %s", ring_path), 0);
    SAID("name: a", "acknowledged number: 1", "records behind: 2", "name: b", "records behind: 3");
    burst_consumer_state_t found = {.struct_bytes = sizeof found};
    assert_int_equal(burst_consumer_look(segments, 0, &found), 1);
    assert_int_equal(found.records, 2);
}

static void a_folder_of_segments_in_the_place_of_a_ring_is_named_with_what_reads_it(void **state) {
    (void)state;
    static const char *const commands[] = {"info", "dump", "verify", "recover"};
    char segments[180], uuid[33] = "", named[80];
    snprintf(segments, sizeof segments, "%s/segments", folder);
    leave_a_record_for_segments(segments);
    assert_int_equal(run("info %s", ring_path), 0);
    assert_int_equal(sscanf(strstr(output, "uuid: "), "uuid: %32s", uuid), 1);
    snprintf(named, sizeof named, "of ring %s: `burstlog info` of that ring", uuid);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        assert_int_equal(run("%s %s", commands[i], segments), 3);
        SAID("/segments is a folder of segments of a stream without a name ", named, "a consumer", "reads its records");
        assert_int_equal(run("%s %s", commands[i], folder), 3); /* has none */
        SAID("is a directory: name a block device");
    }
}

/* Log4j's appenders are streams with names; nothing goes to the main one. */
static void a_main_stream_that_nothing_uses_is_not_shown(void **state) {
    (void)state;
    static const char *const commands[] = {"info", "dump", "verify", "recover"};
    burst_config_t config = small_config();
    config.main = NULL;
    burst_t *log = open_with(&config);
    append(open_stream(log, "orders", paths[0]), "o1\n");
    assert_int_equal(burst_close(log), 0);
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        assert_int_equal(run("%s %s", commands[i], ring_path), 0);
        SAID("stream: 1", "name: orders");
        assert_null(strstr(output, "stream: 0"));
        assert_null(strstr(output, "log file: \n"));
        assert_int_equal(run("%s --json %s", commands[i], ring_path), 0);
        assert_null(strstr(output, "\"stream\": 0"));
    }
}

/* Ends as a process that was killed while its segments could not be written: the log file has the
 * records that wait for them. */
static void leave_records_for_segments_alone(const char *segments, const char *away) {
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = small_config();
        main_config.segments = segments;
        burst_t *log = open_with(&config);
        append(burst_main_stream(log), "m1\n");
        if (burst_await_drained(log, PATIENCE_NS) != 1 || rename(segments, away) != 0) {
            _exit(1);
        }
        append(burst_main_stream(log), "m2\n");
        append(burst_main_stream(log), "m3\n");
        _exit(burst_stream_await_drained(burst_main_stream(log), PATIENCE_NS) == 1 ? 0 : 1);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void what_waits_for_segments_alone_is_not_said_to_go_to_the_log_file(void **state) {
    (void)state;
    char segments[180], away[180];
    snprintf(segments, sizeof segments, "%s/segments", folder);
    snprintf(away, sizeof away, "%s/away", folder);
    leave_records_for_segments_alone(segments, away);
    assert_file_is("m1\nm2\nm3\n");
    static const char *const statement =
        "2 records were waiting in the ring (sequences 2..3) and go to segments; the log file has them; the last";
    assert_int_equal(run("info %s", ring_path), 0);
    SAID("stream: 0", "records waiting: 0", "stream: 1", "segments: ", "records waiting: 2", statement);
    assert_int_equal(run("verify %s", ring_path), 0);
    SAID(statement);
    assert_int_equal(rename(away, segments), 0);
    assert_int_equal(run("recover %s", ring_path), 0);
    SAID("records moved: 2", "stream: 0", "records moved: 0", "stream: 1", "segments: ", "records moved: 2", statement);
    assert_int_equal(run("info %s", ring_path), 0);
    SAID("no record was waiting in the ring: what there was up to sequence 3 went to the log file before");
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_paths, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(info_and_verify_tell_what_waits_for_each_stream),
        TEST(a_folder_of_segments_in_the_place_of_a_ring_is_named_with_what_reads_it),
        TEST(a_main_stream_that_nothing_uses_is_not_shown),
        TEST(dump_tells_whose_each_record_is_and_whether_it_is_drained),
        TEST(recover_names_every_file_that_it_moved_records_to),
        TEST(recover_names_the_file_that_cannot_be_written),
        TEST(format_asks_for_the_number_of_those_that_are_in_no_file),
        TEST(a_mapped_ring_without_a_main_stream_is_recovered),
        TEST(info_tells_of_consumers_and_recover_moves_to_segments),
        TEST(what_waits_for_segments_alone_is_not_said_to_go_to_the_log_file),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
