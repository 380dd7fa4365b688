/* SPDX-License-Identifier: Apache-2.0 */
/* Streams on the ring of log_fixture.h, and the paths of their files. */
#ifndef BURST_TEST_STREAMS_FIXTURE_H
#define BURST_TEST_STREAMS_FIXTURE_H

#include "log_fixture.h"

static char paths[3][160];

static inline int make_paths(void **state) {
    make_folder(state);
    for (int i = 0; i < 3; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/stream%d", folder, i);
    }
    return 0;
}

static inline burst_stream_config_t stream_config(const char *name, const char *path) {
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    config.name = name;
    config.file_name = path;
    return config;
}

static inline burst_stream_t *open_stream(burst_t *log, const char *name, const char *path) {
    const burst_stream_config_t config = stream_config(name, path);
    burst_stream_t *stream = NULL;
    if (burst_stream_open(log, &config, &stream) < 0) {
        fail_msg("stream: %s", burst_last_error());
    }
    return stream;
}

static inline void assert_stream_refused(burst_t *log, const char *name, const char *path, int code, const char *word) {
    const burst_stream_config_t config = stream_config(name, path);
    burst_stream_t *stream;
    assert_int_equal(burst_stream_open(log, &config, &stream), -code);
    assert_null(stream);
    if (strstr(burst_last_error(), word) == NULL) {
        fail_msg("\"%s\" does not name %s", burst_last_error(), word);
    }
}

static inline void append(burst_stream_t *stream, const char *text) {
    if (burst_stream_append(stream, text, strlen(text), 0) < 1) {
        fail_msg("append: %s", burst_last_error());
    }
}

static inline void assert_holds(const char *path, const char *wanted) {
    char text[4096] = "";
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, wanted);
}

static inline void assert_is_missing(const char *path) {
    assert_int_equal(access(path, F_OK), -1);
}

static inline burst_t *open_without_file(void) {
    burst_config_t config = small_config();
    config.main = NULL;
    return open_with(&config);
}

static inline burst_stream_stats_t stream_stats(const burst_stream_t *stream) {
    burst_stream_stats_t stats = {.struct_bytes = sizeof stats};
    assert_int_equal(burst_stream_stats(stream, &stats), 0);
    return stats;
}

static inline void block(const char *path) {
    assert_int_equal(unlink(path), 0);
    assert_int_equal(mkdir(path, 0700), 0);
}

#define STREAMS_TEST(name) cmocka_unit_test_setup_teardown(name, make_paths, remove_folder)

#endif
