/* SPDX-License-Identifier: Apache-2.0 */
/* A stream whose records also go to a folder of segments. */
#include "log/segments_fixture.h"

static void both_have_the_records_and_segments_no_others(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_followed(log, segments);
    burst_stream_t *beside = open_stream(log, "beside", paths[1]);
    append(stream, "one\n");
    append(beside, "of another stream\n");
    append(stream, "two\n");
    drain(log);
    const struct frames *frames = read_segments(segments);
    assert_int_equal(frames->count, 2);
    assert_string_equal(frames->first_bytes[0], "one\n");
    assert_string_equal(frames->first_bytes[1], "two\n");
    assert_int_equal(frames->sequences[1], frames->sequences[0] + 2);
    assert_holds(paths[0], "one\ntwo\n");
    assert_int_equal(burst_close(log), 0);
}

/* The caller's names, and the engine's own copies of them, are gone when the first segment is made. */
static void segments_have_the_owner_that_the_stream_names(void **state) {
    (void)state;
    char owner[16];
    struct stat status;
    snprintf(owner, sizeof owner, "%u", geteuid() == 0 ? 1 : geteuid());
    burst_stream_config_t of_main = stream_config(NULL, file_path), of_other = stream_config("other", paths[1]);
    of_main.file_owner = of_other.file_owner = owner;
    of_main.segments = segments;
    of_other.segments = other;
    burst_config_t config = small_config();
    config.main = &of_main;
    burst_t *log = open_with(&config);
    burst_stream_t *stream;
    assert_int_equal(burst_stream_open(log, &of_other, &stream), 0);
    const unsigned wanted = (unsigned)strtoul(owner, NULL, 10);
    snprintf(owner, sizeof owner, "0");
    append(burst_main_stream(log), "one\n");
    append(stream, "two\n");
    drain(log);
    for (int i = 0; i < 2; i++) {
        char path[300], name[SEGMENT_NAME_BYTES];
        segment_name(name, 1);
        snprintf(path, sizeof path, "%s/%s", i == 0 ? segments : other, name);
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_uid, wanted);
    }
    assert_int_equal(burst_close(log), 0);
}

static void segments_begin_with_what_is_appended_from_then_on(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream(log, "orders", paths[0]);
    append(stream, "before\n");
    assert_int_equal(burst_stream_close(stream, -1), 1);
    stream = open_followed(log, segments);
    append(stream, "after\n");
    drain(log);
    assert_int_equal(read_segments(segments)->count, 1);
    assert_holds(paths[0], "before\nafter\n");
    assert_int_equal(burst_close(log), 0);
}

static void a_log_goes_on_in_them(void **state) {
    (void)state;
    for (unsigned life = 0; life < 3; life++) {
        burst_t *log = open_without_file();
        burst_stream_t *stream = open_followed(log, segments);
        append_texts(stream, "text ", life * 2000, life * 2000 + 1998);
        assert_int_equal(burst_close(log), 0);
    }
    const struct frames *frames = read_segments(segments);
    assert_int_equal(frames->count, 6000);
    assert_true(frames->segments >= 3);
    for (unsigned i = 0; i < 6000; i++) {
        char wanted[24];
        snprintf(wanted, sizeof wanted, i % 2000 == 1999 ? "" : "text %u", i);
        assert_string_equal(frames->first_bytes[i], wanted);
    }
}

/* Appends until the process is killed, and writes to `to` each number that was acknowledged. */
static void live_and_die(unsigned life, int to) {
    burst_config_t config = small_config();
    config.main = NULL;
    config.drain_interval_ns = 1;
    burst_t *log = open_with(&config);
    burst_stream_t *stream = open_followed(log, segments);
    for (uint32_t i = 0;; i++) {
        char text[60];
        snprintf(text, sizeof text, "life %u text %u", life, i);
        if (burst_stream_append(stream, text, strlen(text) + i % 30, 5) < 1 || write(to, &i, sizeof i) < 0) {
            _exit(1);
        }
    }
}

#define LIVES 8

static uint32_t acknowledged[LIVES];

/* A consumer that reads all the time, and the record that it must get next. */
struct follower {
    burst_consumer_t *consumer;
    unsigned life, text;
    uint64_t number;
};

static void follow(struct follower *follower) {
    burst_consumed_t record = {.struct_bytes = sizeof record};
    while (burst_consumer_next(follower->consumer, &record, 0) == 1) {
        char text[60] = "";
        unsigned life, number;
        memcpy(text, record.data, record.length < sizeof text ? record.length : sizeof text - 1);
        assert_int_equal(sscanf(text, "life %u text %u", &life, &number), 2);
        while (follower->life < life) {
            assert_true(follower->text > acknowledged[follower->life]);
            follower->life++;
            follower->text = 0;
        }
        assert_int_equal(life, follower->life);
        assert_int_equal(number, follower->text++);
        assert_int_equal(record.number, ++follower->number);
    }
}

/* A consumer reads meanwhile, and remembers what it has seen. */
static void killed_and_opened_again_each_record_is_there_once(void **state) {
    (void)state;
    struct follower follower = {.consumer = NULL};
    for (unsigned life = 0; life < LIVES; life++) {
        int ends[2];
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0) {
            live_and_die(life, ends[1]);
        }
        close(ends[1]);
        for (unsigned i = 0; i < 400 + life * 37; i++) {
            assert_int_equal(read(ends[0], &acknowledged[life], 4), 4);
            if (follower.consumer == NULL) {
                assert_int_equal(burst_consumer_open(segments, "follower", &follower.consumer), 0);
            }
            if (i % 16 == 0) {
                follow(&follower);
            }
        }
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        follow(&follower);
        while (read(ends[0], &acknowledged[life], 4) == 4) {
        }
        close(ends[0]);
    }
    burst_t *log = open_without_file();
    open_followed(log, segments);
    drain(log);
    follow(&follower);
    assert_int_equal(follower.life, LIVES - 1);
    assert_true(follower.text > acknowledged[LIVES - 1]);
    assert_int_equal(read_segments(segments)->count, follower.number);
    burst_consumer_close(follower.consumer);
    assert_int_equal(burst_close(log), 0);
}

/* Log file and segments do not wait for each other. */
static void segments_that_cannot_be_written_hold_up_no_log_file(void **state) {
    (void)state;
    char command[500];
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_followed(log, segments);
    append(stream, "one\n");
    drain(log);
    snprintf(command, sizeof command, "mv '%s' '%s'", segments, other);
    assert_int_equal(system(command), 0);
    append(stream, "two\n");
    assert_int_equal(burst_stream_await_drained(stream, -1), 1);
    assert_holds(paths[0], "one\ntwo\n");
    assert_int_equal(burst_await_drained(log, 0), 0);
    snprintf(command, sizeof command, "mv '%s' '%s'", other, segments);
    assert_int_equal(system(command), 0);
    drain(log);
    assert_int_equal(read_segments(segments)->count, 2);
    assert_int_equal(burst_close(log), 0);
}

static void opened_without_them_a_stream_ends_them(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_followed(log, segments);
    append_texts(stream, "early ", 0, 98);
    assert_int_equal(burst_stream_close(stream, -1), 1);
    stream = open_stream(log, "orders", paths[0]);
    append_texts(stream, "between ", 0, 98);
    drain(log);
    assert_int_equal(read_segments(segments)->count, 100);
    assert_int_equal(burst_stream_close(stream, -1), 1);
    stream = open_followed(log, segments);
    append_texts(stream, "late ", 0, 98);
    drain(log);
    const struct frames *frames = read_segments(segments);
    assert_int_equal(frames->count, 200);
    assert_string_equal(frames->first_bytes[98], "early 98");
    assert_string_equal(frames->first_bytes[100], "late 0");
    assert_int_equal(burst_close(log), 0);
}

/* As long as the segments cannot be written, the stream cannot be opened without them: so no record is stranded. */
static void what_waits_for_them_goes_there_before_they_end(void **state) {
    (void)state;
    char command[500];
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_followed(log, segments);
    snprintf(command, sizeof command, "mv '%s' '%s'", segments, other);
    assert_int_equal(system(command), 0);
    append(stream, "one\n");
    assert_int_equal(burst_stream_close(stream, -1), 1);
    assert_stream_refused(log, "orders", paths[0], ENOMEDIUM, segments);
    snprintf(command, sizeof command, "mv '%s' '%s'", other, segments);
    assert_int_equal(system(command), 0);
    stream = open_stream(log, "orders", paths[0]);
    assert_int_equal(read_segments(segments)->count, 1);
    assert_int_equal(burst_close(log), 0);
}

/* The drain has opened the log file by then, with whoever was to perform its rolls, and goes on with what waits there. */
static void after_a_refusal_the_log_file_gets_what_waits_and_its_caller_is_not_asked(void **state) {
    (void)state;
    char archive[200], command[500];
    burst_roll_t roll;
    burst_roll_init(&roll);
    snprintf(archive, sizeof archive, "%s/archive", folder);
    roll.target = archive;
    burst_stream_config_t config = stream_config("orders", paths[0]);
    config.segments = segments;
    config.rolls_by_caller = 1;
    burst_stream_t *stream;
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t of_log = small_config();
        of_log.main = NULL;
        of_log.drain_interval_ns = 3600ull * 1000000000;
        assert_int_equal(burst_stream_open(open_with(&of_log), &config, &stream), 0);
        append(stream, "one\n");
        assert_true(burst_stream_roll(stream, &roll, 0) > 0);
        append(stream, "two\n");
        _exit(0);
    }
    waitpid(child, NULL, 0);
    snprintf(command, sizeof command, "mv '%s' '%s'", segments, other);
    assert_int_equal(system(command), 0);
    burst_t *log = open_without_file();
    assert_int_equal(burst_stream_open(log, &config, &stream), -ENOMEDIUM);
    burst_stream_t *beside = open_stream(log, "beside", paths[1]);
    for (int i = 0; i < 5; i++) { /* each record takes a step of the drain, which looks at the roll */
        append(beside, "b");
        assert_int_equal(burst_stream_await_drained(beside, PATIENCE_NS), 1);
    }
    snprintf(command, sizeof command, "mv '%s' '%s'", other, segments);
    assert_int_equal(system(command), 0);
    config.rolls_by_caller = 0;
    assert_int_equal(burst_stream_open(log, &config, &stream), 0);
    drain(log);
    assert_holds(archive, "one\n");
    assert_holds(paths[0], "two\n");
    assert_int_equal(burst_close(log), 0);
}

static void in_another_folder_they_begin_with_what_comes(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_followed(log, segments);
    append_texts(stream, "here ", 0, 98);
    assert_int_equal(burst_stream_close(stream, -1), 1);
    stream = open_followed(log, other);
    append_texts(stream, "there ", 0, 98);
    drain(log);
    assert_int_equal(read_segments(segments)->count, 100);
    assert_int_equal(read_segments(other)->count, 100);
    assert_string_equal(read_segments(other)->first_bytes[0], "there 0");
    assert_int_equal(burst_close(log), 0);
}

/* The ring is opened without the stream. */
static void what_waits_goes_there_although_nobody_opens_the_stream(void **state) {
    (void)state;
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = small_config();
        config.main = NULL;
        config.drain_interval_ns = 3600ull * 1000000000;
        burst_stream_t *stream = open_followed(open_with(&config), segments);
        for (unsigned i = 0; i < 20; i++) {
            char text[24];
            snprintf(text, sizeof text, "text %u", i);
            burst_stream_append(stream, text, strlen(text), 0);
        }
        _exit(0);
    }
    waitpid(child, NULL, 0);
    burst_t *log = open_without_file();
    drain(log);
    assert_texts(segments, "text ", 0, 19);
    assert_int_equal(burst_close(log), 0);
}

static void a_folder_of_another_open_stream_is_refused(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    open_followed(log, segments);
    burst_stream_config_t config = stream_config("second", paths[1]);
    burst_stream_t *second;
    config.segments = segments;
    assert_int_equal(burst_stream_open(log, &config, &second), -EBUSY);
    config.segments = other;
    assert_int_equal(burst_stream_open(log, &config, &second), 0);
    assert_int_equal(burst_close(log), 0);
}

/* A stream that gets another one's place does not write to that one's segments. */
static void a_stream_in_the_place_of_a_followed_one_has_no_segments(void **state) {
    (void)state;
    char name[16], path[160];
    burst_t *log = open_small();
    append(open_followed(log, segments), "one");
    open_stream(log, "second", paths[1]);
    for (int i = 4; i < BURST_STREAMS_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(path, sizeof path, "%s/s%d", folder, i);
        open_stream(log, name, path);
    }
    assert_int_equal(burst_close(log), 0);
    log = open_small();
    for (int i = 4; i < BURST_STREAMS_MAX; i++) {
        snprintf(name, sizeof name, "s%d", i);
        snprintf(path, sizeof path, "%s/s%d", folder, i);
        open_stream(log, name, path);
    }
    open_stream(log, "second", paths[1]);
    append(open_stream(log, "third", paths[2]), "of the third");
    drain(log);
    assert_int_equal(read_segments(segments)->count, 1);
    assert_holds(paths[2], "of the third");
    assert_int_equal(burst_close(log), 0);
}

static void sizes_that_no_segment_has_are_refused(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_config_t config = stream_config("orders", paths[0]);
    burst_stream_t *stream;
    config.segments = segments;
    config.segment_bytes = 65535;
    assert_int_equal(burst_stream_open(log, &config, &stream), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "segment_bytes"));
    config.segment_bytes = (1ull << 40) + 1;
    assert_int_equal(burst_stream_open(log, &config, &stream), -EINVAL);
    assert_is_missing(segments);
    assert_int_equal(burst_close(log), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACES_TEST(both_have_the_records_and_segments_no_others),
        PLACES_TEST(segments_have_the_owner_that_the_stream_names),
        PLACES_TEST(segments_begin_with_what_is_appended_from_then_on),
        PLACES_TEST(a_log_goes_on_in_them),
        PLACES_TEST(killed_and_opened_again_each_record_is_there_once),
        PLACES_TEST(segments_that_cannot_be_written_hold_up_no_log_file),
        PLACES_TEST(opened_without_them_a_stream_ends_them),
        PLACES_TEST(what_waits_for_them_goes_there_before_they_end),
        PLACES_TEST(after_a_refusal_the_log_file_gets_what_waits_and_its_caller_is_not_asked),
        PLACES_TEST(in_another_folder_they_begin_with_what_comes),
        PLACES_TEST(what_waits_goes_there_although_nobody_opens_the_stream),
        PLACES_TEST(a_folder_of_another_open_stream_is_refused),
        PLACES_TEST(a_stream_in_the_place_of_a_followed_one_has_no_segments),
        PLACES_TEST(sizes_that_no_segment_has_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
