/* SPDX-License-Identifier: Apache-2.0 */
/* A ring whose log goes to a block device: it is opened, killed, recovered, bound elsewhere, and gets full. */
#include "cli/loop_fixture.h"

#include "log/log.h"

#define NEED_LOG_DEVICE()                                                                                              \
    NEED_LOOP(4 * MIB);                                                                                                \
    assert_int_equal(run("format --destination %s", loop.path), 0)

static burst_config_t device_config(const char *file_name) {
    burst_config_t config;
    burst_config_init(&config);
    config.ring = scratch_path("ring");
    config.ring_bytes = 4 * MIB;
    config.main = main_of(file_name);
    config.durability = BURST_DURABILITY_PROCESS;
    config.drain_interval_ns = 5000000;
    config.shutdown_timeout_ns = PATIENCE_NS;
    return config;
}

static burst_t *open_ring(const char *file_name) {
    const burst_config_t config = device_config(file_name);
    return open_with(&config);
}

static void append(burst_t *log, const char *text) {
    assert_true(burst_append(log, text, strlen(text), 0) > 0);
}

static void assert_log_is(const char *text) {
    assert_int_equal(run("cat %s", loop.path), 0);
    assert_string_equal(output, text);
}

/* Leaves a record in the ring alone, as a killed process does. */
static void leave_record(const char *file_name, const char *text) {
    const pid_t child = fork();
    if (child == 0) {
        burst_config_t config = device_config(file_name);
        config.drain_interval_ns = 3600 * SECOND_NS;
        burst_t *log;
        const int rc = burst_open(&config, &log);
        if (rc == 0)
            threads_stop_drain(&log->threads);
        _exit(rc < 0 || burst_append(log, text, strlen(text), 0) <= 0);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(status, 0);
}

static void a_ring_drains_to_a_block_device(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    burst_t *log = open_ring(loop.path);
    append(log, "one\n");
    assert_int_equal(burst_close(log), 0);
    assert_log_is("one\n");
    log = open_ring(loop.path);
    append(log, "two\n");
    assert_int_equal(burst_close(log), 0);
    assert_log_is("one\ntwo\n");
    assert_int_equal(run("info %s", scratch_path("ring")), 0);
    assert_said(loop.path);
    assert_said("stores in"); /* the device's class counts, not that of /dev */
}

static void a_device_that_is_not_prepared_is_refused_naming_the_command(void **state) {
    (void)state;
    NEED_LOOP(4 * MIB);
    const burst_config_t config = device_config(loop.path);
    assert_refused(&config, ENODATA, "`burstlog format --destination /dev/loop");
    assert_int_equal(access(scratch_path("ring"), F_OK), -1);
}

/* A device has no other place for the log. */
static void a_device_is_not_rolled(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    burst_t *log = open_ring(loop.path);
    burst_roll_t roll;
    burst_roll_init(&roll);
    roll.target = scratch_path("archive");
    append(log, "one\n");
    assert_int_equal(burst_stream_roll(burst_main_stream(log), &roll, 0), -ENOTSUP);
    assert_non_null(strstr(burst_last_error(), "writes a device"));
    assert_int_equal(burst_close(log), 0);
    assert_log_is("one\n");
}

static void recover_moves_records_to_the_device(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    leave_record(loop.path, "left behind\n");
    assert_log_is("");
    assert_int_equal(run("recover %s", scratch_path("ring")), 0);
    assert_said("records moved: 1");
    assert_said(loop.path);
    assert_log_is("left behind\n");
}

static void records_go_where_they_were_bound_to_when_the_log_is_pointed_elsewhere(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    leave_record(scratch_path("file"), "to the file\n");
    leave_record(loop.path, "to the device\n");
    burst_t *log = open_ring(scratch_path("other"));
    append(log, "to the other\n");
    assert_int_equal(burst_close(log), 0);
    shell("test \"$(cat %s)\" = 'to the file' && test \"$(cat %s)\" = 'to the other'", scratch_path("file"),
          scratch_path("other"));
    assert_log_is("to the device\n");
}

static void a_device_that_is_gone_does_not_become_a_file(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    char name[PATH_BYTES];
    snprintf(name, sizeof name, "%s", scratch_path("by-id"));
    assert_int_equal(symlink(loop.path, name), 0);
    leave_record(name, "left behind\n");
    assert_int_equal(unlink(name), 0);
    const burst_config_t config = device_config(name);
    assert_refused(&config, ENOENT, "log device ");
    assert_int_equal(access(name, F_OK), -1);
    assert_int_equal(symlink(loop.path, name), 0);
    assert_int_equal(burst_close(open_ring(name)), 0);
    assert_log_is("left behind\n");
}

static void await_event(burst_t *log, const char *words) {
    burst_event_t event = {.struct_bytes = sizeof event};
    do {
        if (burst_next_event(log, &event, PATIENCE_NS) != 1)
            fail_msg("\"%s\" was not told", words);
    } while (strstr(event.text, words) == NULL);
}

static void the_log_on_a_full_device_goes_on_once_that_is_formatted(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    static char text[MIB / 2];
    memset(text, 'x', sizeof text);
    burst_t *log = open_ring(loop.path);
    for (int i = 0; i < 7; i++)
        assert_true(burst_append(log, text, sizeof text, 0) > 0);
    await_event(log, "is full: it takes 3145728 bytes, has ");
    shell("%s cat %s >%s", BURST_CLI, loop.path, scratch_path("first"));
    assert_int_equal(run("format --destination --force %s", loop.path), 0);
    await_event(log, "was formatted anew, and is empty");
    assert_int_equal(burst_close(log), 0);
    shell("%s cat %s >%s; cat %s %s | tr -d x | wc -c | grep -q '^0$' && test $(cat %s %s | wc -c) = %u", BURST_CLI,
          loop.path, scratch_path("second"), scratch_path("first"), scratch_path("second"), scratch_path("first"),
          scratch_path("second"), 7 * MIB / 2);
}

/* Prints acknowledged numbers into a pipe. */
static void append_until_killed(int acknowledged, unsigned from) {
    burst_t *log = open_ring(loop.path);
    for (unsigned n = from;; n++) {
        char text[32];
        const int bytes = snprintf(text, sizeof text, "%u\n", n);
        if (burst_append(log, text, (size_t)bytes, 0) <= 0 || write(acknowledged, &n, sizeof n) != sizeof n)
            _exit(1);
    }
}

static void what_was_acknowledged_is_on_the_device_once_whenever_its_writer_is_killed(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    unsigned next = 0;
    for (int round = 0; round < 20; round++) {
        int ends[2];
        unsigned n = 0, last = 0;
        assert_int_equal(pipe(ends), 0);
        const pid_t child = fork();
        if (child == 0)
            append_until_killed(ends[1], next);
        close(ends[1]);
        for (int i = 0; i < 20 + 7 * round && read(ends[0], &n, sizeof n) == sizeof n; i++)
            last = n;
        kill(child, SIGKILL);
        while (read(ends[0], &n, sizeof n) == sizeof n)
            last = n;
        close(ends[0]);
        waitpid(child, NULL, 0);
        assert_int_equal(run("recover %s", scratch_path("ring")), 0);
        shell("%s cat %s >%s && test $(wc -l <%s) -gt %u && seq 0 $(($(wc -l <%s) - 1)) | cmp - %s", BURST_CLI,
              loop.path, scratch_path("all"), scratch_path("all"), last, scratch_path("all"), scratch_path("all"));
        shell("wc -l <%s >%s", scratch_path("all"), scratch_path("lines"));
        FILE *lines = fopen(scratch_path("lines"), "r");
        assert_int_equal(fscanf(lines, "%u", &next), 1);
        fclose(lines);
    }
}

static burst_stream_t *open_stream(burst_t *log, const char *file_name) {
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    config.name = "orders";
    config.file_name = file_name;
    burst_stream_t *stream = NULL;
    if (burst_stream_open(log, &config, &stream) < 0)
        fail_msg("%s", burst_last_error());
    return stream;
}

static void append_to(burst_stream_t *stream, const char *text) {
    assert_true(burst_stream_append(stream, text, strlen(text), 0) > 0);
}

static void a_stream_goes_to_a_device_beside_a_log_that_is_a_file(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    for (int i = 0; i < 2; i++) {
        burst_t *log = open_ring(scratch_path("file"));
        append(log, "to the file\n");
        append_to(open_stream(log, loop.path), "to the device\n");
        append(log, "to the file\n");
        assert_int_equal(burst_close(log), 0);
    }
    assert_log_is("to the device\nto the device\n");
    shell("test $(grep -cx 'to the file' %s) = 4 && test $(wc -l <%s) = 4", scratch_path("file"), scratch_path("file"));
}

/* The stream goes from device to file and back. Records that wait for the device go there,
 * wherever the stream goes next. */
static void a_stream_of_a_device_gets_a_file_and_the_other_way_round(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    char file[PATH_BYTES];
    snprintf(file, sizeof file, "%s", scratch_path("orders"));
    const char *paths[] = {loop.path, file, loop.path};
    static const char *const texts[] = {"1 device\n", "2 file\n", "3 device\n"};
    for (int i = 0; i < 3; i++) {
        const pid_t child = fork();
        if (child == 0) {
            burst_t *log = open_ring(scratch_path("file"));
            burst_stream_t *stream = open_stream(log, paths[i]);
            threads_stop_drain(&log->threads);
            _exit(burst_stream_append(stream, texts[i], strlen(texts[i]), 0) <= 0);
        }
        int status;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    assert_int_equal(run("recover %s", scratch_path("ring")), 0);
    assert_log_is("1 device\n3 device\n");
    shell("test \"$(cat %s)\" = '2 file'", file);
}

static void a_device_takes_one_stream_only(void **state) {
    (void)state;
    NEED_LOG_DEVICE();
    burst_t *log = open_ring(loop.path);
    burst_stream_config_t config;
    burst_stream_config_init(&config);
    config.name = "orders";
    config.file_name = loop.path;
    burst_stream_t *stream;
    assert_int_equal(burst_stream_open(log, &config, &stream), -EBUSY);
    assert_null(stream);
    assert_non_null(strstr(burst_last_error(), loop.path));
    append(log, "one\n");
    assert_int_equal(burst_close(log), 0);
    assert_log_is("one\n");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        DEVICE_TEST(a_ring_drains_to_a_block_device),
        DEVICE_TEST(a_device_that_is_not_prepared_is_refused_naming_the_command),
        DEVICE_TEST(a_device_is_not_rolled),
        DEVICE_TEST(recover_moves_records_to_the_device),
        DEVICE_TEST(records_go_where_they_were_bound_to_when_the_log_is_pointed_elsewhere),
        DEVICE_TEST(a_device_that_is_gone_does_not_become_a_file),
        DEVICE_TEST(the_log_on_a_full_device_goes_on_once_that_is_formatted),
        DEVICE_TEST(a_stream_goes_to_a_device_beside_a_log_that_is_a_file),
        DEVICE_TEST(a_stream_of_a_device_gets_a_file_and_the_other_way_round),
        DEVICE_TEST(a_device_takes_one_stream_only),
        DEVICE_TEST(what_was_acknowledged_is_on_the_device_once_whenever_its_writer_is_killed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
