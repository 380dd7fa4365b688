/* SPDX-License-Identifier: Apache-2.0 */
/* Rolls that the caller performs, and the end of those that it has not performed when the log is closed. */
#include "roll_log.h"

#include "log/log.h"

/* Opens a stream whose caller performs its rolls, and appends a record, a roll and a record. */
static burst_stream_t *open_and_roll(burst_t *log, const char *target) {
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 1);
    append(stream, "1 ");
    roll(stream, target);
    append(stream, "2 ");
    return stream;
}

/* Each record of another stream takes a step of the drain, which looks at every roll that waits. */
static void have_the_drain_look(burst_stream_t *another) {
    for (int i = 0; i < 5; i++) {
        append(another, "o ");
        drain(another);
    }
}

static void the_caller_is_asked(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 1);
    burst_roll_request_t request = {.struct_bytes = sizeof request};
    assert_int_equal(burst_stream_next_roll(stream, &request, 0), 0);
    append(stream, "1 ");
    burst_roll_t values = roll_to(archive);
    values.note = "times";
    values.note_bytes = 5;
    const int64_t sequence = append_roll(stream, &values, 4711);
    append(stream, "2 ");
    request = take(stream);
    assert_int_equal(request.sequence, sequence);
    assert_int_equal(request.time_ns, 4711);
    assert_int_equal(request.file_number, 1);
    assert_int_equal(request.file_bytes, 3);
    assert_true(request.file_born_ns > 0);
    assert_string_equal(request.file, paths[0]);
    assert_string_equal(request.target, archive);
    assert_string_equal(request.next_file, "");
    assert_int_equal(request.note_bytes, 5);
    assert_memory_equal(request.note, "times", 5);
    request = take(stream); /* it is asked again, since it has not answered */
    assert_int_equal(request.sequence, sequence);
    assert_int_equal(burst_stream_await_drained(stream, 0), 0);
    assert_int_equal(burst_stream_rolled(stream, (uint64_t)sequence + 1, 0, NULL, NULL), -ESTALE);
    assert_int_equal(burst_stream_rolled(stream, (uint64_t)sequence, 1, NULL, NULL), -EINVAL);
    assert_int_equal(burst_stream_await_drained(stream, 0), 0);
    assert_holds(paths[0], "1 <");
    answer(stream, (uint64_t)sequence, 0, second_archive, NULL);
    assert_int_equal(burst_stream_rolled(stream, (uint64_t)sequence, 0, NULL, NULL), -ESTALE);
    drain(stream);
    assert_holds(second_archive, "1 <");
    assert_holds(paths[0], ">2 ");
    assert_is_missing(archive);
    assert_int_equal(burst_stream_next_roll(stream, &request, 0), 0);
    assert_int_equal(stream_stats(stream).state, BURST_STATE_OPEN);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(burst_stream_next_roll(stream, &request, -1), -ESHUTDOWN);
    assert_int_equal(burst_stream_rolled(stream, 1, 0, NULL, NULL), -ESHUTDOWN);
}

static void the_caller_may_rename_by_himself(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_and_roll(log, NULL);
    const burst_roll_request_t request = take(stream);
    assert_int_equal(rename(paths[0], paths[1]), 0);
    have_the_drain_look(open_stream_with(log, "other", paths[3], 0)); /* it finds the file renamed */
    answer(stream, request.sequence, 0, NULL, paths[2]);
    drain(stream);
    assert_holds(paths[1], "1 <");
    assert_is_missing(paths[0]);
    assert_holds(paths[2], ">2 ");
    assert_int_equal(burst_close(log), 0);
}

static void the_answer_holds_until_the_next_file_is_there(void **state) {
    (void)state;
    char next[sizeof paths[1] + 8];
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_and_roll(log, archive);
    put_file(paths[1], "no folder");
    snprintf(next, sizeof next, "%s/x", paths[1]);
    answer(stream, take(stream).sequence, 0, second_archive, next);
    while (stream_stats(stream).state != BURST_STATE_STALLED) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    assert_holds(second_archive, "1 <");
    assert_int_equal(unlink(paths[1]), 0);
    drain(stream);
    assert_holds(next, ">2 ");
    assert_is_missing(paths[0]);
    assert_int_equal(burst_close(log), 0);
}

static void the_caller_may_give_up(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_and_roll(log, archive);
    answer(stream, take(stream).sequence, -EACCES, NULL, NULL);
    drain(stream);
    assert_holds(paths[0], "1 <2 ");
    assert_int_equal(is_told(log, BURST_WARN, "EACCES"), 1);
    roll(stream, archive);
    append(stream, "3 ");
    answer(stream, take(stream).sequence, 0, NULL, NULL); /* the answer is wrong: nothing was renamed */
    drain(stream);
    assert_holds(paths[0], "1 <2 <3 ");
    assert_is_missing(archive);
    assert_int_equal(burst_close(log), 0);
}

static void a_caller_who_does_not_answer_holds_up_his_stream_alone(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *waiting = open_stream_with(log, "w", paths[0], 1), *going = open_stream_with(log, "g", paths[1], 0);
    roll(waiting, archive);
    append(waiting, "w ");
    append(going, "g ");
    drain(going);
    assert_holds(paths[1], "g ");
    const burst_roll_request_t request = take(waiting);
    assert_int_equal(stream_stats(waiting).state, BURST_STATE_OPEN); /* a roll is no stall before a minute is over */
    answer(waiting, request.sequence, 0, archive, NULL);
    assert_int_equal(burst_close(log), 0);
    assert_holds(paths[0], ">w ");
}

/* -------------------------------------------------------------------------------------------------- open again */

/* Dies as a process that was asked to roll. */
static void die_with_pending_roll(void) {
    const pid_t child = fork();
    if (child == 0) {
        take(open_and_roll(open_without_file(), archive));
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static void a_pending_roll_is_asked_for_at_the_next_open(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 1);
    append(stream, "1 ");
    const int64_t sequence = roll(stream, archive);
    append(stream, "2 ");
    take(stream);
    /* Nobody performs the roll, so the close takes three quarters of its time. A slow disk needs the rest. */
    assert_int_equal(burst_close_within(log, 4 * SECOND_NS), 2);
    assert_holds(paths[0], "1 <");
    log = open_without_file();
    stream = open_stream_with(log, "s", paths[0], 1);
    const burst_roll_request_t request = take(stream);
    assert_int_equal(request.sequence, sequence);
    assert_string_equal(request.file, paths[0]);
    answer(stream, request.sequence, 0, second_archive, NULL);
    drain(stream);
    assert_holds(second_archive, "1 <");
    assert_holds(paths[0], ">2 ");
    assert_int_equal(burst_close(log), 0);
}

struct answering {
    burst_t *log;
    burst_stream_t *stream;
    uint64_t sequence;
};

/* The caller of the close finds out whether it came too late. */
static void *answer_while_the_close_drains(void *argument) {
    const struct answering *answering = argument;
    while (atomic_load(&answering->log->close_step) < CLOSE_DRAIN) {
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    burst_stream_rolled(answering->stream, answering->sequence, 0, second_archive, NULL);
    return NULL;
}

static void a_close_waits_for_whoever_rolls(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_and_roll(log, archive);
    struct answering answering = {.log = log, .stream = stream, .sequence = take(stream).sequence};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, answer_while_the_close_drains, &answering), 0);
    assert_int_equal(burst_close(log), 0);
    pthread_join(thread, NULL);
    assert_holds(second_archive, "1 <");
    assert_holds(paths[0], ">2 ");
}

static void a_roll_that_the_caller_had_done_before_a_crash_is_not_asked_for(void **state) {
    (void)state;
    die_with_pending_roll();
    assert_int_equal(rename(paths[0], paths[1]), 0);
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 1);
    drain(stream);
    assert_holds(paths[1], "1 <");
    assert_holds(paths[0], ">2 ");
    assert_int_equal(burst_close(log), 0);
}

static void a_stream_that_nobody_has_open_is_rolled_by_the_engine(void **state) {
    (void)state;
    die_with_pending_roll();
    burst_t *log = open_without_file();
    append(open_stream_with(log, "kept", paths[1], 0), "k ");
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_holds(archive, "1 <");
    assert_holds(paths[0], ">2 ");
    assert_int_equal(burst_close(log), 0);
}

/* Streams are opened one after the other. The drain does not perform a roll before its stream may come. */
static void a_stream_that_is_opened_a_little_later_is_asked(void **state) {
    (void)state;
    die_with_pending_roll();
    burst_t *log = open_without_file();
    burst_stream_t *first = open_stream_with(log, "first", paths[1], 0);
    have_the_drain_look(first);
    burst_stream_t *stream = open_stream_with(log, "s", paths[0], 1);
    answer(stream, take(stream).sequence, 0, second_archive, NULL);
    drain(stream);
    assert_holds(second_archive, "1 <");
    assert_is_missing(archive);
    assert_int_equal(burst_close(log), 0);
}

/* No caller has to answer such a roll. */
static void a_roll_of_the_engine_does_not_wait_for_its_stream(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.main = NULL;
    config.drain_interval_ns = 3600 * SECOND_NS;
    const pid_t child = fork();
    if (child == 0) {
        burst_stream_t *stream = open_stream_with(open_with(&config), "s", paths[0], 0);
        append(stream, "1 ");
        roll(stream, archive);
        append(stream, "2 ");
        _exit(0);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    burst_t *log = open_without_file();
    assert_int_equal(burst_await_drained(log, 8 * SECOND_NS), 1);
    assert_holds(archive, "1 <");
    assert_holds(paths[0], ">2 ");
    assert_int_equal(burst_close(log), 0);
}

static void a_closed_stream_is_rolled_by_the_engine(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream = open_and_roll(log, archive);
    take(stream);
    assert_int_equal(burst_stream_close(stream, SECOND_NS / 4), 0);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_holds(archive, "1 <");
    assert_holds(paths[0], ">2 ");
    assert_int_equal(burst_close(log), 0);
}

/* Records that wait for the stream's old file are rolled there. */
static void a_stream_that_gets_another_file_is_rolled_first(void **state) {
    (void)state;
    die_with_pending_roll();
    burst_t *log = open_without_file();
    append(open_stream_with(log, "s", paths[1], 1), "3 ");
    assert_int_equal(burst_close(log), 0);
    assert_holds(archive, "1 <");
    assert_holds(paths[0], ">2 ");
    assert_holds(paths[1], "3 ");
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_paths, remove_folder)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(the_caller_is_asked),
        TEST(the_caller_may_rename_by_himself),
        TEST(the_answer_holds_until_the_next_file_is_there),
        TEST(the_caller_may_give_up),
        TEST(a_caller_who_does_not_answer_holds_up_his_stream_alone),
        TEST(a_pending_roll_is_asked_for_at_the_next_open),
        TEST(a_close_waits_for_whoever_rolls),
        TEST(a_roll_that_the_caller_had_done_before_a_crash_is_not_asked_for),
        TEST(a_stream_that_nobody_has_open_is_rolled_by_the_engine),
        TEST(a_stream_that_is_opened_a_little_later_is_asked),
        TEST(a_roll_of_the_engine_does_not_wait_for_its_stream),
        TEST(a_closed_stream_is_rolled_by_the_engine),
        TEST(a_stream_that_gets_another_file_is_rolled_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
