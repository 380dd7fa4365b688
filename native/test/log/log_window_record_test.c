/* SPDX-License-Identifier: Apache-2.0 */
/* The flight recorder of an open log: where its file is, who may read it, and that a log goes on without it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "burstlog.h"
#include "flight/file.h"

static char folder[64], ring[128], log_file[128], path[160];
static burst_config_t config;
static burst_stream_config_t stream;
static struct flight_log flight;

static int begin(void **state) {
    (void)state;
    strcpy(folder, "/dev/shm/burst-record-XXXXXX");
    assert_non_null(mkdtemp(folder));
    snprintf(ring, sizeof ring, "%s/ring", folder);
    snprintf(log_file, sizeof log_file, "%s/log", folder);
    snprintf(path, sizeof path, "%s.flight", ring);
    burst_stream_config_init(&stream);
    stream.file_name = log_file;
    burst_config_init(&config);
    config.ring = ring;
    config.main = &stream;
    config.durability = BURST_DURABILITY_PROCESS;
    config.window = folder;
    return 0;
}

static int end(void **state) {
    (void)state;
    char command[128];
    flight_log_free(&flight);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

static burst_t *open_it(void) {
    burst_t *log;
    if (burst_open(&config, &log) < 0) {
        fail_msg("%s", burst_last_error());
    }
    return log;
}

static const struct flight_line *last_line(void) {
    flight_log_free(&flight);
    assert_int_equal(flight_log_read(path, &flight), 0);
    return &flight.lines[flight.line_count - 1];
}

static void a_log_with_a_window_has_one_that_outlives_it(void **state) {
    (void)state;
    struct stat status;
    config.window_mode = 0660;
    for (unsigned open = 1; open <= 2; open++) {
        burst_t *const log = open_it();
        assert_int_equal(burst_append(log, "order\n", 6, 0), open);
        assert_int_equal(burst_close(log), 0);
        assert_int_equal(last_line()->kind, FLIGHT_CLOSE); /* the close waited for it */
        assert_int_equal(last_line()->durable_sequence, open);
        assert_int_equal(last_line()->drained_sequence, open);
        assert_int_equal(last_line()->used_bytes, 0);
        assert_int_equal(last_line()->epoch, open);
    }
    assert_int_equal(flight.lines[0].kind, FLIGHT_OPEN);
    assert_int_equal(flight.lines[0].epoch, 1);
    assert_string_equal(flight.head.ring, ring);
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_mode & 07777, 0640); /* those who may connect may read */
}

static void a_log_without_a_window_has_none(void **state) {
    (void)state;
    config.window = NULL;
    burst_t *const log = open_it();
    assert_int_equal(burst_append(log, "order\n", 6, 0), 1);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(access(path, F_OK), -1);
}

static void a_log_goes_on_without_it(void **state) {
    (void)state;
    burst_event_t event = {.struct_bytes = sizeof event};
    assert_int_equal(mkdir(path, 0700), 0);
    burst_t *const log = open_it();
    unsigned warnings = 0;
    while (burst_next_event(log, &event, 10000000000) == 1) {
        warnings += event.severity == BURST_WARN;
        if (strstr(event.text, "goes on without its flight recorder") != NULL) {
            break;
        }
    }
    assert_int_equal(event.severity, BURST_WARN);
    assert_int_equal(burst_append(log, "order\n", 6, 0), 1);
    assert_int_equal(burst_close(log), 0);
    while (burst_next_event(log, &event, 0) == 1) {
        warnings += event.severity == BURST_WARN;
    }
    assert_int_equal(warnings, 1);
}

int main(void) {
#define RECORD_TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        RECORD_TEST(a_log_with_a_window_has_one_that_outlives_it),
        RECORD_TEST(a_log_without_a_window_has_none),
        RECORD_TEST(a_log_goes_on_without_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
