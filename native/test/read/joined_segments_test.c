/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of a ring with segments that are lapped after these were deleted, or after the log was opened without them. */
#include "log_fixture.h"

#define RECORDS 20000       /* some laps */
#define SURE (RECORDS - 10) /* on the medium, the last commit is proven later */

static burst_reader_t *reader;
static burst_t *open_log;
static char segments[160];
static int has_window;

static void open_it(const char *folder_of_segments) {
    burst_config_t config = small_config();
    main_config.segments = folder_of_segments;
    main_config.segment_bytes = 65536;
    config.window = has_window ? folder : "";
    config.io = BURST_IO_PWRITE;
    open_log = open_with(&config);
}

static void append(int64_t first, int64_t last) {
    for (int64_t sequence = first; sequence <= last; sequence++) {
        assert_int_equal(burst_enqueue(open_log, "a record of this log\n", 21, sequence), sequence);
        if (sequence % 7 == 0) {
            assert_int_equal(burst_flush(open_log, -1), 1);
        }
    }
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
}

static void close_it(void) {
    assert_int_equal(burst_close(open_log), 0);
    open_log = NULL;
}

static burst_read_t take(void) {
    burst_read_t record = {.struct_bytes = sizeof record};
    if (burst_reader_next(reader, &record, PATIENCE_NS) != 1) {
        fail_msg("nothing comes: %s", burst_last_error());
    }
    return record;
}

static void expect(int64_t first, int64_t last) {
    for (int64_t sequence = first; sequence <= last; sequence++) {
        const burst_read_t record = take();
        assert_int_equal(record.kind, BURST_READ_RECORD);
        assert_int_equal(record.sequence, sequence);
    }
}

/* Opens a reader that has the first so many of 200 records. */
static void read_first(int64_t records) {
    burst_reader_config_t config;
    append(1, 200);
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = has_window ? folder : "";
    config.from = BURST_FROM_SEQUENCE;
    config.from_value = 1;
    assert_int_equal(burst_reader_open(&config, &reader), 0);
    expect(1, records);
}

static void read_a_hundred(void) {
    read_first(100);
}

/* The search looks at the frame before the record that is next. */
static void a_reader_that_is_lapped_at_the_first_records_gets_each_once(void **state) {
    (void)state;
    const int64_t has = strchr(*state, '0') != NULL ? 0 : strchr(*state, '1') != NULL ? 1 : 2;
    open_it(segments);
    read_first(has);
    append(201, RECORDS);
    expect(has + 1, SURE);
}

/* Reads a hundred records and is lapped. Then the first segments are deleted, as many as `head -n` takes. Returns what the
 * reader missed. */
static burst_read_t miss_deleted(const char *count) {
    char command[300];
    open_it(segments);
    read_a_hundred();
    append(201, RECORDS);
    snprintf(command, sizeof command, "cd %s && ls *.seg | sort | head -n %s | xargs rm", segments, count);
    assert_int_equal(system(command), 0);
    const burst_read_t missed = take();
    assert_int_equal(missed.kind, BURST_READ_MISSED);
    assert_int_equal(missed.sequence, 101);
    return missed;
}

static void what_deleted_segments_had_is_missed(void **state) {
    (void)state;
    const burst_read_t missed = miss_deleted("5");
    const burst_read_t record = take();
    assert_int_equal(record.kind, BURST_READ_RECORD);
    assert_int_equal(record.place, BURST_PLACE_SEGMENTS);
    assert_int_equal(record.sequence, 101 + (int64_t)missed.count);
    expect(record.sequence + 1, SURE);
}

/* The other segments are deleted as well: the ring has earlier records than they. */
static void the_ring_is_read_if_it_has_more_than_the_segments(void **state) {
    (void)state;
    const burst_read_t missed = miss_deleted("-1");
    expect(101 + (int64_t)missed.count, SURE);
}

/* The records behind the last segment are in the ring alone. */
static void a_log_without_its_segments_is_read_on(void **state) {
    char others[200];
    snprintf(others, sizeof others, "%s-of-later", segments);
    open_it(segments);
    read_a_hundred();
    close_it();
    open_it(strchr(*state, 'o') != NULL ? others : NULL);
    append(201, RECORDS);
    expect(101, 200);
    const burst_read_t missed = take();
    assert_int_equal(missed.kind, BURST_READ_MISSED);
    assert_int_equal(missed.sequence, 201);
    expect(201 + (int64_t)missed.count, SURE);
}

static int begin(void **state) {
    has_window = strchr(*state, 'w') != NULL;
    const int rc = make_folder(state);
    snprintf(segments, sizeof segments, "%s/segments", folder);
    return rc;
}

static int end(void **state) {
    burst_reader_close(reader);
    reader = NULL;
    if (open_log != NULL) {
        close_it();
    }
    return remove_folder(state);
}

/* w: through the window, else on the medium; o: the log has other segments later, else none */
#define CASE(test, what)                                                                                               \
    { #test " [" what "]", test, begin, end, (void *)what }

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_reader_that_is_lapped_at_the_first_records_gets_each_once, "0w"),
        CASE(a_reader_that_is_lapped_at_the_first_records_gets_each_once, "1w"),
        CASE(a_reader_that_is_lapped_at_the_first_records_gets_each_once, "2w"),
        CASE(what_deleted_segments_had_is_missed, ""),
        CASE(what_deleted_segments_had_is_missed, "w"),
        CASE(the_ring_is_read_if_it_has_more_than_the_segments, "w"),
        CASE(a_log_without_its_segments_is_read_on, ""),
        CASE(a_log_without_its_segments_is_read_on, "w"),
        CASE(a_log_without_its_segments_is_read_on, "o"),
        CASE(a_log_without_its_segments_is_read_on, "ow"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
