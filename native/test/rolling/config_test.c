/* SPDX-License-Identifier: Apache-2.0 */
/* Valid and invalid ways to roll files. */
#include "roll_log.h"

static void assert_rolling_refused(const burst_rolling_t *rolling, int code, const char *why) {
    burst_config_t config = small_config();
    main_config.file_name = paths[0];
    main_config.rolling = rolling;
    assert_int_equal(burst_config_check(&config), -code);
    if (strstr(burst_last_error(), why) == NULL) {
        fail_msg("%s", burst_last_error());
    }
    burst_t *log;
    assert_int_equal(burst_open(&config, &log), -code);
    assert_is_missing(paths[0]);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    burst_rolling_t rolling = rolling_of(10);
    rolling.struct_bytes = 4;
    assert_rolling_refused(&rolling, EINVAL, "burst_rolling_init");
    rolling = rolling_of(10);
    rolling.pattern = "";
    assert_rolling_refused(&rolling, EINVAL, "no rollPattern");
    rolling.pattern = "rolled";
    assert_rolling_refused(&rolling, EINVAL, "put %i into it");
    snprintf(pattern, sizeof pattern, "%s.%%i", paths[0]);
    rolling.pattern = pattern;
    assert_rolling_refused(&rolling, EINVAL, "gets such a name itself");
    rolling.pattern = paths[0];
    assert_rolling_refused(&rolling, EINVAL, "it fits the ring or log file");
    rolling = rolling_of(10);
    rolling.compress = 3;
    assert_rolling_refused(&rolling, EINVAL, "compress=\"3\"");
    rolling.compress = BURST_COMPRESS_NONE;
    rolling.newest_by_time = 2;
    assert_rolling_refused(&rolling, EINVAL, "newest_by_time=2");
    static const int64_t wrong_ns[] = {SECOND_NS / 2, 7 * SECOND_NS, 2 * 86400 * SECOND_NS, INT64_MAX};
    for (size_t i = 0; i < sizeof wrong_ns / sizeof *wrong_ns; i++) {
        rolling = rolling_of(0);
        rolling.interval_ns = (uint64_t)wrong_ns[i];
        assert_rolling_refused(&rolling, EINVAL, "rollInterval");
    }
    rolling = rolling_of(10);
    burst_config_t config = small_config();
    burst_t *log;
    main_config.rolling = &rolling;
    config.max_record_bytes = 100;
    assert_int_equal(burst_open(&config, &log), -EINVAL);
    assert_non_null(strstr(burst_last_error(), "a roll is a record of up to"));
    config.max_record_bytes = 0;
    main_config.rolls_by_caller = 1;
    main_config.rolling = &rolling;
    assert_int_equal(burst_open(&config, &log), -EINVAL);
    config.main = NULL;
    assert_int_equal(burst_open(&config, &log), 0);
    burst_stream_config_t stream_config;
    burst_stream_t *stream;
    burst_stream_config_init(&stream_config);
    stream_config.file_name = paths[0];
    rolling.pattern = "rolled";
    stream_config.rolling = &rolling;
    assert_int_equal(burst_stream_open(log, &stream_config, &stream), -EINVAL);
    assert_int_equal(burst_close(log), 0);
}

static int open_rolling(burst_t *log, const char *file, const char *rolled, burst_stream_t **stream) {
    burst_stream_config_t config;
    burst_rolling_t rolling = rolling_of(10);
    rolling.pattern = rolled;
    burst_stream_config_init(&config);
    config.file_name = file;
    config.rolling = rolled == NULL ? NULL : &rolling;
    return burst_stream_open(log, &config, stream);
}

static void assert_names_refused(burst_t *log, const char *file, const char *rolled, const char *one,
                                 const char *other) {
    burst_stream_t *stream;
    assert_int_equal(open_rolling(log, file, rolled, &stream), -EINVAL);
    if (strstr(burst_last_error(), one) == NULL || strstr(burst_last_error(), other) == NULL) {
        fail_msg("%s", burst_last_error());
    }
}

/* It would be deleted with the other stream's oldest files. */
static void a_log_file_that_the_pattern_of_an_open_stream_makes_is_refused(void **state) {
    (void)state;
    burst_t *log = open_without_file();
    burst_stream_t *stream, *other;
    char taken[240], diverted[240];
    snprintf(pattern, sizeof pattern, "%s-%%i.log", paths[0]);
    snprintf(taken, sizeof taken, "%s-7.log", paths[0]);
    assert_int_equal(open_rolling(log, paths[0], pattern, &stream), 0);
    assert_names_refused(log, taken, NULL, paths[0], taken);
    assert_is_missing(taken);
    assert_int_equal(open_rolling(log, paths[1], NULL, &other), 0);
    assert_true(burst_stream_close(other, -1) >= 0);
    assert_true(burst_stream_close(stream, -1) >= 0);
    assert_int_equal(open_rolling(log, taken, NULL, &other), 0);   /* no stream rolls into it any more */
    assert_names_refused(log, paths[0], pattern, paths[0], taken); /* nor may a later stream roll into it */
    assert_int_equal(open_rolling(log, paths[0], NULL, &stream), 0);
    assert_true(burst_stream_close(other, -1) >= 0);
    assert_int_equal(open_rolling(log, paths[1], NULL, &other), 0);
    snprintf(diverted, sizeof diverted, "%s.burst-%%i", paths[1]);
    assert_names_refused(log, paths[2], diverted, paths[2], paths[1]); /* a diverted log would take that name */
    assert_int_equal(burst_close(log), 0);
}

static void so_it_is_beside_the_file_of_the_log_itself(void **state) {
    (void)state;
    burst_config_t config = small_config();
    char taken[240];
    snprintf(pattern, sizeof pattern, "%s-%%i.log", paths[0]);
    snprintf(taken, sizeof taken, "%s-7.log", paths[0]);
    main_config.file_name = taken;
    burst_t *log = open_with(&config);
    assert_names_refused(log, paths[0], pattern, paths[0], taken);
    assert_int_equal(burst_close(log), 0);
    const burst_rolling_t rolling = rolling_of(10);
    main_config.file_name = paths[0];
    main_config.rolling = &rolling;
    log = open_with(&config);
    assert_names_refused(log, taken, NULL, paths[0], taken);
    assert_int_equal(burst_close(log), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_cannot_be_is_refused, make_paths, remove_folder),
        cmocka_unit_test_setup_teardown(a_log_file_that_the_pattern_of_an_open_stream_makes_is_refused, make_paths,
                                        remove_folder),
        cmocka_unit_test_setup_teardown(so_it_is_beside_the_file_of_the_log_itself, make_paths, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
