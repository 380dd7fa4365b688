/* SPDX-License-Identifier: Apache-2.0 */
/* The main stream is a stream as any other, and a ring may have none. */
#include "roll_log.h"

#include "log/log.h"

static const char *const as[] = {"another stream", "the main stream"};

static char here[256], ring_here[300];

static int make_places(void **state) {
    make_paths(state);
    assert_non_null(realpath(folder, here));
    snprintf(ring_here, sizeof ring_here, "%s/ring", here);
    return 0;
}

static burst_config_t ring_with(const burst_stream_config_t *main) {
    burst_config_t config = small_config();
    config.ring = ring_here;
    config.main = main;
    return config;
}

static burst_stream_config_t stream_to(const char *path) {
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    config.file_name = path;
    return config;
}

/* Opens a ring with one stream: the main one, or another. */
static burst_stream_t *open_one(int is_main, const burst_stream_config_t *stream, burst_t **log) {
    const burst_config_t config = ring_with(is_main ? stream : NULL);
    burst_stream_t *opened = NULL;
    *log = open_with(&config);
    if (!is_main && burst_stream_open(*log, stream, &opened) < 0) {
        fail_msg("%s: %s", as[is_main], burst_last_error());
    }
    return is_main ? burst_main_stream(*log) : opened;
}

static int refuse_one(int is_main, const burst_stream_config_t *stream, char *sentence, size_t room) {
    const burst_config_t config = ring_with(is_main ? stream : NULL);
    burst_stream_t *opened;
    burst_t *log = is_main ? NULL : open_with(&config);
    const int rc = is_main ? burst_config_check(&config) : burst_stream_open(log, stream, &opened);
    snprintf(sentence, room, "%s", burst_last_error());
    if (log != NULL) {
        burst_close(log);
    }
    return rc;
}

static void assert_refused_alike(const burst_stream_config_t *stream, const char *word) {
    char sentences[2][2048];
    for (int is_main = 0; is_main < 2; is_main++) {
        assert_int_equal(refuse_one(is_main, stream, sentences[is_main], sizeof sentences[0]), -EINVAL);
    }
    assert_string_equal(sentences[0], sentences[1]);
    if (strstr(sentences[0], word) == NULL) {
        fail_msg("\"%s\" does not name %s", sentences[0], word);
    }
}

static void the_same_values_are_refused_in_the_same_words(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(10);
    burst_stream_config_t stream = stream_to(NULL);
    assert_refused_alike(&stream, "fileName");
    stream = stream_to(ring_here);
    assert_refused_alike(&stream, "same file");
    stream = stream_to(paths[0]);
    stream.on_full = 7;
    assert_refused_alike(&stream, "onFull=\"7\"");
    stream = stream_to(paths[0]);
    stream.block_timeout_ns = UINT64_MAX;
    assert_refused_alike(&stream, "blockTimeout");
    stream = stream_to(paths[0]);
    stream.file_owner = "no-such-user-of-burstlog";
    assert_refused_alike(&stream, "no-such-user");
    stream = stream_to(paths[0]);
    stream.rolls_by_caller = 2;
    assert_refused_alike(&stream, "rolls_by_caller=\"2\"");
    stream.rolls_by_caller = 1;
    stream.rolling = &rolling;
    assert_refused_alike(&stream, "leave one of them out");
    stream = stream_to(paths[0]);
    stream.segments = folder;
    stream.segment_bytes = 1;
    assert_refused_alike(&stream, "segment_bytes");
    stream.struct_bytes = sizeof stream - 8;
    assert_refused_alike(&stream, "burst_stream_config_t");
}

static void a_newer_header_is_taken_as_long_as_its_fields_are_zero(void **state) {
    (void)state;
    struct {
        burst_stream_config_t stream;
        uint64_t newer;
    } given = {.stream = stream_to(paths[0])};
    given.stream.struct_bytes = sizeof given;
    for (int is_main = 0; is_main < 2; is_main++) {
        burst_t *log;
        open_one(is_main, &given.stream, &log);
        assert_int_equal(burst_close(log), 0);
    }
    given.newer = 1;
    assert_refused_alike(&given.stream, "burst_stream_config_t");
}

static void it_has_a_rule_a_mode_and_segments_of_its_own(void **state) {
    (void)state;
    for (int is_main = 0; is_main < 2; is_main++) {
        burst_t *log;
        struct stat status;
        char segments[400];
        snprintf(segments, sizeof segments, "%s/segments%d", here, is_main);
        burst_stream_config_t config = stream_to(paths[is_main]);
        config.on_full = BURST_ON_FULL_DISCARD;
        config.block_timeout_ns = 7;
        config.file_mode = 0604;
        config.segments = segments;
        burst_stream_t *stream = open_one(is_main, &config, &log);
        assert_int_equal(stream->rule.on_full, BURST_ON_FULL_DISCARD);
        assert_int_equal(stream->rule.timeout_ns, 7);
        append(stream, "one\n");
        drain(stream);
        assert_int_equal(burst_close(log), 0);
        assert_holds(paths[is_main], "one\n");
        assert_int_equal(stat(paths[is_main], &status), 0);
        assert_int_equal(status.st_mode & 07777, 0604);
        assert_int_equal(access(segments, F_OK), 0);
    }
}

static void its_files_roll_by_themselves_or_by_its_caller(void **state) {
    (void)state;
    for (int is_main = 0; is_main < 2; is_main++) {
        burst_t *log;
        burst_rolling_t rolling = rolling_of(4);
        char rolled[240];
        snprintf(rolled, sizeof rolled, "%s-%d.log", paths[0], is_main + 1);
        burst_stream_config_t config = stream_to(paths[0]);
        config.rolling = &rolling;
        burst_stream_t *stream = open_one(is_main, &config, &log);
        append(stream, is_main ? "3..\n" : "1..\n");
        append(stream, is_main ? "4..\n" : "2..\n");
        assert_int_equal(burst_close(log), 0);
        assert_int_equal(access(rolled, F_OK), 0);
        config = stream_to(paths[1]);
        config.rolls_by_caller = 1;
        stream = open_one(is_main, &config, &log);
        append(stream, "one\n");
        const int64_t sequence = roll(stream, is_main ? second_archive : archive);
        assert_int_equal(take(stream).sequence, sequence);
        answer(stream, (uint64_t)sequence, 0, is_main ? second_archive : archive, NULL);
        drain(stream);
        assert_int_equal(burst_close(log), 0);
        assert_int_equal(access(is_main ? second_archive : archive, F_OK), 0);
    }
}

static void a_main_stream_has_no_name(void **state) {
    (void)state;
    burst_stream_config_t main = stream_to(paths[0]);
    main.name = "orders";
    const burst_config_t config = ring_with(&main);
    assert_refused(&config, EINVAL, "cannot be named \"orders\"");
    main.name = "";
    burst_close(open_with(&config));
}

static void assert_answers_nothing(burst_t *log) {
    char path[256] = "something";
    burst_stream_t *none = burst_main_stream(log);
    burst_stream_stats_t stats = {.struct_bytes = sizeof stats};
    const burst_roll_t values = roll_to(archive);
    const int64_t refused[] = {
        burst_append(log, "x", 1, 0),
        burst_enqueue(log, "x", 1, 0),
        burst_offer(log, "x", 1, 0),
        burst_append_within(log, "x", 1, 0, BURST_ON_FULL_FAIL, 0),
        burst_enqueue_within(log, "x", 1, 0, BURST_ON_FULL_FAIL, 0),
        burst_stream_roll(none, &values, 0),
        burst_stream_stats(none, &stats),
        burst_stream_await_drained(none, 0),
        burst_stream_close(none, 0),
        burst_current_file(log, path, sizeof path),
    };
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        if (refused[i] != -EINVAL) {
            fail_msg("call %zu answers %lld", i, (long long)refused[i]);
        }
    }
    assert_non_null(strstr(burst_last_error(), "without a main stream"));
    assert_string_equal(path, "");
}

static void a_ring_without_one_refuses_its_calls_and_shows_nothing_of_it(void **state) {
    (void)state;
    const burst_config_t config = ring_with(NULL);
    burst_t *log = open_with(&config);
    burst_event_t event = {.struct_bytes = sizeof event};
    char text[1024];
    assert_answers_nothing(log);
    assert_int_equal(stats_of(log).accepted_sequence, 0);
    assert_int_equal(stats_of(log).file_bytes, 0);
    assert_int_equal(stats_of(log).destination_empty, 0);
    burst_durability_statement(log, text, sizeof text);
    assert_null(strstr(text, "log file"));
    while (burst_next_event(log, &event, 0) == 1) {
        assert_null(strstr(event.text, "log file"));
    }
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(burst_append(log, "x", 1, 0), -EINVAL);
}

static void records_of_an_earlier_main_stream_go_to_its_file(void **state) {
    (void)state;
    burst_config_t config = small_config();
    config.shutdown_timeout_ns = SECOND_NS / 10;
    burst_t *log = open_with(&config);
    block_file();
    assert_int_equal(burst_append(log, "one\n", 4, 0), 1);
    assert_int_equal(burst_close(log), 1);
    unblock_file();
    config.main = NULL;
    config.shutdown_timeout_ns = PATIENCE_NS;
    log = open_with(&config);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    assert_answers_nothing(log);
    assert_int_equal(stats_of(log).file_bytes, 0);
    assert_int_equal(burst_close(log), 0);
    assert_file_is("one\n");
}

static void a_main_stream_that_cannot_be_opened_leaves_no_ring_open(void **state) {
    (void)state;
    char below[400];
    put_file(paths[0], "a file, no folder");
    snprintf(below, sizeof below, "%s/log", paths[0]);
    const burst_stream_config_t main = stream_to(below);
    const burst_config_t wrong = ring_with(&main), none = ring_with(NULL);
    assert_refused(&wrong, ENOTDIR, below);
    assert_is_missing(ring_here);
    burst_close(open_with(&none));
    assert_refused(&wrong, ENOTDIR, below);
    burst_close(open_with(&none)); /* nobody holds its lock */
}

int main(void) {
#define PLACES(name) cmocka_unit_test_setup_teardown(name, make_places, remove_folder)
    const struct CMUnitTest tests[] = {
        PLACES(the_same_values_are_refused_in_the_same_words),
        PLACES(a_newer_header_is_taken_as_long_as_its_fields_are_zero),
        PLACES(it_has_a_rule_a_mode_and_segments_of_its_own),
        PLACES(its_files_roll_by_themselves_or_by_its_caller),
        PLACES(a_main_stream_has_no_name),
        PLACES(a_ring_without_one_refuses_its_calls_and_shows_nothing_of_it),
        PLACES(records_of_an_earlier_main_stream_go_to_its_file),
        PLACES(a_main_stream_that_cannot_be_opened_leaves_no_ring_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
