/* SPDX-License-Identifier: Apache-2.0 */
/* Records that the ring has lost are told to a reader that looks for one of them. */
#include "log_fixture.h"

#define RECORDS 30
#define LOST_FROM 10
#define LOST_TO 12

static char segments[160];
static burst_t *open_log;
static burst_reader_t *reader;

static burst_t *open_it(int64_t drain_interval_ns) {
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    config.drain_interval_ns = (uint64_t)drain_interval_ns;
    config.window = folder;
    main_config.index = 1;
    main_config.segments = segments;
    return open_with(&config);
}

static void write_and_die(void) {
    burst_t *log = open_it(3600 * SECOND_NS);
    for (int64_t sequence = 1; sequence <= RECORDS; sequence++) {
        char text[64];
        const int length = snprintf(text, sizeof text, "record %lld of %d\n", (long long)sequence, RECORDS);
        if (burst_append(log, text, (size_t)length, sequence * SECOND_NS) != sequence) {
            _exit(1);
        }
    }
    _exit(0);
}

/* The medium forgets these records; the ones behind them prove that they were there. */
static void rot(void) {
    const int ring = open(ring_path, O_RDWR);
    struct stat status;
    assert_true(ring >= 0 && fstat(ring, &status) == 0);
    char *bytes = malloc((size_t)status.st_size);
    assert_int_equal(pread(ring, bytes, (size_t)status.st_size, 0), status.st_size);
    for (int64_t sequence = LOST_FROM; sequence <= LOST_TO; sequence++) {
        char text[64];
        const int length = snprintf(text, sizeof text, "record %lld of %d\n", (long long)sequence, RECORDS);
        char *found = memmem(bytes, (size_t)status.st_size, text, (size_t)length);
        assert_non_null(found);
        assert_int_equal(pwrite(ring, "rotten", 6, found - bytes), 6);
    }
    free(bytes);
    close(ring);
}

static int make_log(void **state) {
    int status;
    make_folder(state);
    snprintf(segments, sizeof segments, "%s/segments", folder);
    const pid_t child = fork();
    if (child == 0) {
        write_and_die();
    }
    assert_true(waitpid(child, &status, 0) == child && status == 0);
    rot();
    /* The drain may have written some of them, and noted none: the log would go on elsewhere. */
    assert_int_equal(unlink(file_path), 0);
    open_log = open_it(5000000);
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    return 0;
}

static int leave(void **state) {
    burst_close(open_log);
    return remove_folder(state);
}

static int close_reader(void **state) {
    (void)state;
    burst_reader_close(reader);
    reader = NULL;
    return 0;
}

static void expect(uint32_t kind, int64_t sequence) {
    burst_read_t record = {.struct_bytes = sizeof record};
    if (burst_reader_next(reader, &record, 0) != 1) {
        fail_msg("nothing in the place of %lld: %s", (long long)sequence, burst_last_error());
    }
    assert_int_equal(record.kind, kind);
    assert_int_equal(record.sequence, sequence);
    assert_int_equal(record.count, kind == BURST_READ_LOST ? LOST_TO - LOST_FROM + 1 : 1);
}

static void seek(enum burst_read_from from, int64_t value) {
    if (burst_reader_seek(reader, from, value) < 0) {
        fail_msg("%lld: %s", (long long)value, burst_last_error());
    }
}

static void a_search_that_falls_into_a_loss_tells_it(void **state) {
    const char *source = strcmp(*state, "ring") == 0 ? ring_path : strcmp(*state, "file") == 0 ? file_path : segments;
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = source;
    config.window = folder;
    config.from = BURST_FROM_RING; /* of a ring: it alone */
    if (burst_reader_open(&config, &reader) < 0) {
        fail_msg("%s: %s", source, burst_last_error());
    }
    for (int64_t sequence = LOST_FROM; sequence <= LOST_TO; sequence++) {
        seek(BURST_FROM_SEQUENCE, sequence);
        expect(BURST_READ_LOST, LOST_FROM);
        expect(BURST_READ_RECORD, LOST_TO + 1);
        seek(BURST_FROM_TIME, sequence * SECOND_NS);
        expect(BURST_READ_LOST, LOST_FROM);
        expect(BURST_READ_RECORD, LOST_TO + 1);
    }
    seek(BURST_FROM_SEQUENCE, LOST_FROM - 1);
    expect(BURST_READ_RECORD, LOST_FROM - 1);
    expect(BURST_READ_LOST, LOST_FROM);
    expect(BURST_READ_RECORD, LOST_TO + 1);
    seek(BURST_FROM_TIME, (LOST_FROM - 1) * SECOND_NS);
    expect(BURST_READ_RECORD, LOST_FROM - 1);
    expect(BURST_READ_LOST, LOST_FROM);
    /* Behind it, or at a time that is not the lost ones', it is not told. */
    seek(BURST_FROM_SEQUENCE, LOST_TO + 1);
    expect(BURST_READ_RECORD, LOST_TO + 1);
    seek(BURST_FROM_TIME, (LOST_TO + 2) * SECOND_NS);
    expect(BURST_READ_RECORD, LOST_TO + 2);
}

#define OF(kind)                                                                                                       \
    {                                                                                                                  \
        "a_search_that_falls_into_a_loss_tells_it [" kind "]", a_search_that_falls_into_a_loss_tells_it, NULL,         \
            close_reader, (void *)kind                                                                                 \
    }

int main(void) {
    const struct CMUnitTest tests[] = {OF("ring"), OF("file"), OF("segments")};
    return cmocka_run_group_tests(tests, make_log, leave);
}
