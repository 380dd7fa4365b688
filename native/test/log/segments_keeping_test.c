/* SPDX-License-Identifier: Apache-2.0 */
/* Segments of the main stream, and how long segments are kept. */
#include "log/segments.h"
#include "log/segments_fixture.h"

/* Opens a log with the main stream and segments. */
static burst_t *open_main_followed(const char *to) {
    burst_config_t config = small_config();
    main_config.segments = to;
    main_config.segment_bytes = 65536;
    return open_with(&config);
}

static void the_main_stream_has_segments_too(void **state) {
    (void)state;
    burst_t *log = open_main_followed(segments);
    append(open_stream(log, "beside", paths[1]), "of another stream\n");
    append(burst_main_stream(log), "one\n");
    assert_int_equal(burst_close(log), 0);
    log = open_main_followed(segments);
    append(burst_main_stream(log), "two\n");
    assert_int_equal(burst_close(log), 0);
    const struct frames *frames = read_segments(segments);
    assert_int_equal(frames->count, 2);
    assert_string_equal(frames->first_bytes[0], "one\n");
    assert_string_equal(frames->first_bytes[1], "two\n");

    log = open_main_followed(NULL);
    append(burst_main_stream(log), "without them\n");
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(read_segments(segments)->count, 2);
}

static void assert_config_refused(const burst_config_t *config, const char *words) {
    assert_int_equal(burst_config_check(config), -EINVAL);
    if (strstr(burst_last_error(), words) == NULL) {
        fail_msg("\"%s\" is not in: %s", words, burst_last_error());
    }
}

static void values_that_no_segments_have_are_refused(void **state) {
    (void)state;
    burst_config_t config = small_config();
    main_config.segments = segments;
    main_config.segments_keep_bytes = 10;
    main_config.segments_keep_ns = 10;
    assert_int_equal(burst_config_check(&config), 0);
    main_config.segments_limit_bytes = 9;
    assert_config_refused(&config, "segments_keep");
    main_config.segments_limit_bytes = 10;
    assert_int_equal(burst_config_check(&config), 0);
    main_config.segments_limit_ns = 9;
    assert_config_refused(&config, "segments_keep");
    main_config.segments_limit_ns = UINT64_MAX;
    assert_config_refused(&config, "292 years");
    main_config.segments_limit_ns = 0;
    main_config.segments_over_limit = 2;
    assert_config_refused(&config, "segments_over_limit");
    main_config.segments_over_limit = BURST_SEGMENTS_RELEASE;
    assert_int_equal(burst_config_check(&config), 0);
}

static void nothing_said_is_no_limit(void **state) {
    (void)state;
    const burst_stream_config_t config = {.segments = segments};
    struct checked_segments checked;
    assert_int_equal(segments_check("ring", &config, &checked), 0);
    assert_int_equal(checked.limits.keep_bytes, 0);
    assert_int_equal(checked.limits.keep_ns, 0);
    assert_true(checked.limits.limit_bytes == UINT64_MAX);
    assert_true(checked.limits.limit_ns == INT64_MAX);
    assert_false(checked.limits.releases);
}

static void what_is_kept_and_allowed_is_what_was_said(void **state) {
    (void)state;
    const burst_stream_config_t config = {.segments = segments,
                                          .segments_keep_bytes = 1,
                                          .segments_keep_ns = 2,
                                          .segments_limit_bytes = 3,
                                          .segments_limit_ns = 4,
                                          .segments_over_limit = BURST_SEGMENTS_RELEASE};
    struct checked_segments checked;
    assert_int_equal(segments_check("ring", &config, &checked), 0);
    assert_int_equal(checked.limits.keep_bytes, 1);
    assert_int_equal(checked.limits.keep_ns, 2);
    assert_int_equal(checked.limits.limit_bytes, 3);
    assert_int_equal(checked.limits.limit_ns, 4);
    assert_true(checked.limits.releases);
}

static int has(const char *to, uint64_t number) {
    char name[SEGMENT_NAME_BYTES], path[300];
    segment_name(name, number);
    snprintf(path, sizeof path, "%s/%s", to, name);
    return access(path, F_OK) == 0;
}

/* The engine deletes segments that all consumers have acknowledged, and names a consumer that is behind. */
static void a_log_deletes_what_its_consumers_have_passed(void **state) {
    (void)state;
    burst_config_t config = small_config();
    main_config.segments = segments;
    main_config.segment_bytes = 65536;
    main_config.segments_limit_bytes = 100000;
    burst_t *log = open_with(&config);
    for (unsigned i = 0; i < 4000; i += 1000) {
        append_texts(burst_main_stream(log), "text ", i, i + 998);
        drain(log);
    }
    uint64_t last = 4000;
    burst_consumer_t *consumer;
    assert_true(has(segments, 1));
    assert_int_equal(burst_close(log), 0);
    while (!has(segments, last)) {
        last--;
    }
    assert_true(last > 1);
    assert_int_equal(burst_consumer_open(segments, "reader", &consumer), 0);
    log = open_with(&config);
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(log, &event, -1) == 1 && strstr(event.text, "consumer reader has not passed") == NULL) {
    }
    assert_int_equal(event.severity, BURST_WARN);
    assert_true(has(segments, 1));
    assert_int_equal(burst_consumer_seek(consumer, last), 0);
    assert_int_equal(burst_consumer_ack(consumer, last - 1), 0);
    while (has(segments, 1)) {
        usleep(10000);
    }
    while (burst_next_event(log, &event, -1) == 1 && strstr(event.text, "within the limit again") == NULL) {
    }
    assert_int_equal(event.severity, BURST_WARN);
    assert_true(has(segments, last));
    assert_int_equal(burst_close(log), 0);
    burst_consumer_close(consumer);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        PLACES_TEST(the_main_stream_has_segments_too),
        PLACES_TEST(values_that_no_segments_have_are_refused),
        PLACES_TEST(nothing_said_is_no_limit),
        PLACES_TEST(what_is_kept_and_allowed_is_what_was_said),
        PLACES_TEST(a_log_deletes_what_its_consumers_have_passed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
