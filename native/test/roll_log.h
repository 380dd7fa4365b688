/* SPDX-License-Identifier: Apache-2.0 */
/* Streams that roll real files. */
#ifndef BURST_TEST_ROLL_LOG_H
#define BURST_TEST_ROLL_LOG_H

#include "log_fixture.h"

static char paths[4][200];
static char archive[200], second_archive[200];

static inline int make_paths(void **state) {
    make_folder(state);
    char here[128];
    assert_non_null(getcwd(here, sizeof here));
    for (int i = 0; i < 4; i++) {
        snprintf(paths[i], sizeof paths[i], "%.100s/%.60s/stream%d", here, folder, i);
    }
    snprintf(archive, sizeof archive, "%.100s/%.60s/old/1.log", here, folder);
    snprintf(second_archive, sizeof second_archive, "%.100s/%.60s/old/2.log", here, folder);
    return 0;
}

static char pattern[220];

/* Rolls the log file paths[0] by its length; rolled files get numbers. */
static inline burst_rolling_t rolling_of(uint64_t size_bytes) {
    burst_rolling_t rolling;
    burst_rolling_init(&rolling);
    snprintf(pattern, sizeof pattern, "%s-%%i.log", paths[0]);
    rolling.pattern = pattern;
    rolling.size_bytes = size_bytes;
    return rolling;
}

static inline burst_stream_t *open_stream_with(burst_t *log, const char *name, const char *path,
                                               uint32_t rolls_by_caller) {
    burst_stream_config_t config;
    burst_stream_t *stream = NULL;
    burst_stream_config_init(&config);
    config.name = name;
    config.file_name = path;
    config.rolls_by_caller = rolls_by_caller;
    if (burst_stream_open(log, &config, &stream) < 0) {
        fail_msg("stream: %s", burst_last_error());
    }
    return stream;
}

static inline burst_t *open_without_file(void) {
    burst_config_t config = small_config();
    config.main = NULL;
    return open_with(&config);
}

static inline void append(burst_stream_t *stream, const char *text) {
    if (burst_stream_append(stream, text, strlen(text), 0) < 1) {
        fail_msg("append: %s", burst_last_error());
    }
}

/* A roll with the footer "<" and the header ">". */
static inline burst_roll_t roll_to(const char *target) {
    burst_roll_t roll;
    burst_roll_init(&roll);
    roll.footer = "<";
    roll.footer_bytes = 1;
    roll.header = ">";
    roll.header_bytes = 1;
    roll.target = target;
    return roll;
}

static inline int64_t append_roll(burst_stream_t *stream, const burst_roll_t *roll, int64_t time_ns) {
    const int64_t sequence = burst_stream_roll(stream, roll, time_ns);
    if (sequence < 1) {
        fail_msg("roll: %s", burst_last_error());
    }
    return sequence;
}

static inline int64_t roll(burst_stream_t *stream, const char *target) {
    const burst_roll_t values = roll_to(target);
    return append_roll(stream, &values, 1000);
}

static inline void assert_holds(const char *path, const char *wanted) {
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        fail_msg("%s is missing", path);
    }
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, wanted);
}

static inline void assert_is_missing(const char *path) {
    assert_int_equal(access(path, F_OK), -1);
}

static inline void put_file(const char *path, const char *text) {
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static inline void drain(burst_stream_t *stream) {
    if (burst_stream_await_drained(stream, PATIENCE_NS) != 1) {
        fail_msg("drain: %s", burst_last_error());
    }
}

static inline burst_stream_stats_t stream_stats(const burst_stream_t *stream) {
    burst_stream_stats_t stats = {.struct_bytes = sizeof stats};
    assert_int_equal(burst_stream_stats(stream, &stats), 0);
    return stats;
}

static inline int is_told(burst_t *log, uint32_t severity, const char *word) {
    burst_event_t event = {.struct_bytes = sizeof event};
    int told = 0;
    while (burst_next_event(log, &event, 0) == 1) {
        told += event.severity == severity && strstr(event.text, word) != NULL;
    }
    return told;
}

/* Takes the roll that the drain waits for. */
static inline burst_roll_request_t take(burst_stream_t *stream) {
    burst_roll_request_t request = {.struct_bytes = sizeof request};
    if (burst_stream_next_roll(stream, &request, PATIENCE_NS) != 1) {
        fail_msg("no roll: %s", burst_last_error());
    }
    return request;
}

static inline void answer(burst_stream_t *stream, uint64_t sequence, int rc, const char *target, const char *next) {
    if (burst_stream_rolled(stream, sequence, rc, target, next) != 0) {
        fail_msg("answer: %s", burst_last_error());
    }
}

#endif
