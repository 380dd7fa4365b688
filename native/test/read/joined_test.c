/* SPDX-License-Identifier: Apache-2.0 */
/* One view over archives, log file or segments, and ring: each line once and in order, while the log is written. */
#include "placed_log.h"

#define LINES 6000

static burst_reader_t *reader;
static burst_t *open_log;
/* r: rolls; z: compresses; s: segments; i: indexes; w: window; l: the reader is slow, and is lapped */
static const char *kind;
static char segments[160];
static uint64_t drain_interval_ns;
static _Atomic int written;

static int is(char letter) {
    return strchr(kind, letter) != NULL;
}

static void open_it(void) {
    static burst_stream_config_t stream;
    static burst_rolling_t rolling;
    static char pattern[200];
    burst_config_t config = small_config();
    burst_stream_config_init(&stream);
    stream.file_name = file_path;
    if (is('r')) {
        burst_rolling_init(&rolling);
        snprintf(pattern, sizeof pattern, "%s/log-%%i%s", folder, is('z') ? ".gz" : "");
        rolling.pattern = pattern;
        rolling.size_bytes = 20000;
        rolling.compress = is('z');
        stream.rolling = &rolling;
    }
    if (is('s')) {
        stream.segments = segments;
        stream.segment_bytes = 65536;
    }
    stream.index = is('i') != 0;
    config.main = &stream;
    config.window = is('w') ? folder : "";
    config.io = BURST_IO_PWRITE;
    config.drain_interval_ns = drain_interval_ns;
    open_log = open_with(&config);
}

static void write_lines(int from, int to) {
    for (int line = from; line <= to; line++) {
        char text[64];
        const int length = snprintf(text, sizeof text, "line %08d of this log\n", line);
        assert_true(burst_enqueue(open_log, text, (size_t)length, line) > 0);
        if (line % 7 == 0) {
            assert_int_equal(burst_flush(open_log, -1), 1);
        }
        atomic_store(&written, line);
    }
    assert_int_equal(burst_flush(open_log, -1) >= 0, 1);
}

static void *write_all(void *argument) {
    (void)argument;
    write_lines(1, LINES);
    return NULL;
}

static void open_reader(enum burst_read_from from, int64_t value) {
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = is('w') ? folder : "";
    config.from = from;
    config.from_value = value;
    if (burst_reader_open(&config, &reader) < 0) {
        fail_msg("reader: %s", burst_last_error());
    }
}

static int next(burst_read_t *record, int64_t timeout_ns) {
    record->struct_bytes = sizeof *record;
    const int rc = burst_reader_next(reader, record, timeout_ns);
    if (rc < 0) {
        fail_msg("next: %s", burst_last_error());
    }
    return rc;
}

static int64_t record_line(const burst_read_t *record) {
    int number = 0;
    sscanf(record->data, "line %d of", &number);
    return number;
}

/* Reads up to line `last`, and compares each line with the one that is due. */
static void expect_up_to(int line, int last) {
    burst_read_t record;
    uint64_t missed = 0;
    int64_t sequence = 0;
    while (line <= last) {
        int number;
        if (next(&record, PATIENCE_NS) != 1) {
            fail_msg("line %d does not come", line);
        }
        if (record.kind == BURST_READ_MISSED) {
            missed += record.count;
            if ((uint64_t)(last - line) < missed) {
                return;
            }
            continue;
        }
        if (record.kind == BURST_READ_ROLL) {
            continue;
        }
        assert_int_equal(record.kind == BURST_READ_RECORD,
                         is('i') || is('s') || record.place != BURST_PLACE_FILE); /* else a line */
        if (record.kind == BURST_READ_RECORD) {
            assert_true(record.sequence > sequence && record.event_time_ns == record_line(&record));
            assert_true(record.enqueued && record.epoch == 1);
            sequence = record.sequence;
        }
        assert_true(record.length > 0);
        if (*(const char *)record.data == '#') { /* of others, who wrote into the log file */
            continue;
        }
        assert_true(sscanf(record.data, "line %d of", &number) == 1);
        if (number != line && !(number > line && (uint64_t)(number - line) <= missed)) {
            burst_reader_state_t now = {.struct_bytes = sizeof now};
            burst_reader_state(reader, &now);
            fail_msg("line %d in the place of %d, of place %u at %llu: %s", number, line, record.place,
                     (unsigned long long)record.position, now.how);
        }
        missed = 0;
        line = number + 1;
        if (is('l') && line % 500 == 0) {
            const int before = atomic_load(&written);
            for (int turn = 0; turn < 2000 && atomic_load(&written) < LINES && atomic_load(&written) < before + 1500;
                 turn++) {
                nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
            }
        }
    }
}

static void each_line_comes_once_while_the_log_is_written(void **state) {
    (void)state;
    pthread_t writer;
    open_it();
    atomic_store(&written, 0);
    open_reader(BURST_FROM_OLDEST, 0);
    assert_int_equal(pthread_create(&writer, NULL, write_all, NULL), 0);
    expect_up_to(1, LINES - 7); /* on the medium, the last commit is proven later */
    burst_reader_state_t now = {.struct_bytes = sizeof now};
    assert_int_equal(burst_reader_state(reader, &now), 0);
    assert_true((is('r') && !is('i')) ||
                now.missed == 0); /* without an index a reader that is lapped over a roll is told what it missed */
    pthread_join(writer, NULL);
    burst_close(open_log);
    open_log = NULL;
}

static void a_reader_that_comes_at_any_time_gets_all_of_it(void **state) {
    (void)state;
    open_it();
    for (int round = 1; round <= 8; round++) {
        write_lines((round - 1) * 700 + 1, round * 700);
        if (round % 2 == 0) {
            assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
        }
        open_reader(BURST_FROM_OLDEST, 0);
        expect_up_to(1, round * 700 - 7);
        burst_reader_close(reader);
        open_reader(BURST_FROM_LAST, 300);
        burst_read_t record;
        do {
            assert_int_equal(next(&record, PATIENCE_NS), 1);
        } while (record.kind > BURST_READ_LINE);
        int number;
        assert_int_equal(sscanf(record.data, "line %d of", &number), 1);
        assert_true(number >= round * 700 - 307 && number <= round * 700 - 292); /* rolls count as well */
        expect_up_to(number + 1, round * 700 - 7);
        burst_reader_close(reader);
        reader = NULL;
    }
    burst_close(open_log);
    open_log = NULL;
    open_reader(BURST_FROM_OLDEST, 0);
    expect_up_to(1, 5600);
    burst_read_t record;
    assert_int_equal(next(&record, 0), 0);
}

/* Others write into the log file. Its records from there on go to another file: the first one is an archive now. */
static void a_diverted_log_is_read_from_both_files(void **state) {
    (void)state;
    open_it();
    write_lines(1, 700);
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    open_reader(BURST_FROM_OLDEST, 0);
    expect_up_to(1, 300);
    FILE *file = fopen(file_path, "a");
    assert_true(file != NULL && fputs("# of others\n", file) > 0 && fclose(file) == 0);
    write_lines(701, 20000); /* some laps */
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    expect_up_to(301, 19990);
    burst_reader_close(reader);
    open_reader(BURST_FROM_OLDEST, 0);
    expect_up_to(1, 19990);
}

static void a_sequence_and_a_time_are_found_wherever_they_are(void **state) {
    (void)state;
    open_it();
    write_lines(1, 20000);
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    open_reader(BURST_FROM_SEQUENCE, 100);
    burst_read_t record;
    assert_int_equal(next(&record, PATIENCE_NS), 1);
    assert_int_equal(record.sequence, 100);
    assert_int_equal(record.place, is('s') ? BURST_PLACE_SEGMENTS : BURST_PLACE_FILE);
    expect_up_to((int)record_line(&record) + 1, 19990);
    for (int64_t time_ns = 1; time_ns < 20000; time_ns += 1234) {
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, time_ns), 0);
        assert_int_equal(next(&record, PATIENCE_NS), 1);
        assert_int_equal(record.event_time_ns, time_ns);
        expect_up_to((int)time_ns + 1, (int)time_ns + 700 < 19990 ? (int)time_ns + 700 : 19990);
    }
}

/* It was written over before the reader had taken one record. */
static void a_lapped_reader_gets_nothing_before_what_it_sought(void **state) {
    (void)state;
    burst_read_t record;
    open_it();
    write_lines(1, 200);
    open_reader(BURST_FROM_SEQUENCE, 150);
    write_lines(201, 20000); /* some laps */
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    assert_int_equal(next(&record, PATIENCE_NS), 1);
    assert_int_equal(record.kind, is('i') || is('s') ? BURST_READ_RECORD : BURST_READ_MISSED);
    assert_int_equal(record.sequence, 150);
    if (record.kind == BURST_READ_RECORD) {
        expect_up_to(151, 19990);
    }
}

/* A new ring goes on in the folder of segments of one that is gone. Its sequences begin anew. */
static void records_of_the_ring_before_come_first(void **state) {
    (void)state;
    const int parts[] = {3000, 3200, 3210};
    burst_read_t record;
    int line = 0;
    for (int part = 0; part < 3; part++) {
        open_it();
        write_lines(line + 1, parts[part]);
        assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
        line = parts[part];
        if (part < 2) {
            burst_close(open_log);
            open_log = NULL;
        }
        if (part == 0) {
            assert_int_equal(unlink(ring_path), 0);
        }
    }
    for (int round = 0; round < 2; round++) {
        open_reader(BURST_FROM_OLDEST, 0);
        int64_t due = 1;
        for (; due <= line - 7; due++) { /* on the medium, the last commit is proven later */
            if (next(&record, PATIENCE_NS) != 1) {
                fail_msg("line %lld does not come", (long long)due);
            }
            assert_int_equal(record.kind, BURST_READ_RECORD);
            assert_int_equal(record_line(&record), due);
            assert_int_equal(record.sequence, due <= 3000 ? due : due - 3000);
        }
        burst_reader_close(reader);
        reader = NULL;
        write_lines(line + 1, line + 70); /* in the ring, and then in the segments */
        line += 70;
    }
}

/* Nothing of the new ring is in the segments yet. */
static void a_new_ring_begins_behind_the_segments_of_the_one_before(void **state) {
    (void)state;
    burst_read_t record;
    open_it();
    write_lines(1, 300);
    burst_close(open_log);
    assert_int_equal(unlink(ring_path), 0);
    drain_interval_ns = (uint64_t)(3600 * SECOND_NS);
    open_it();
    await_asleep("burst-drain"); /* it looks once when it begins */
    write_lines(301, 330);
    open_reader(BURST_FROM_OLDEST, 0);
    for (int64_t due = 1; due <= 330; due++) {
        if (next(&record, 10 * SECOND_NS) != 1) {
            fail_msg("line %lld does not come", (long long)due);
        }
        assert_int_equal(record_line(&record), due);
    }
    assert_int_equal(record.place, BURST_PLACE_RING);
    assert_int_equal(record.sequence, 30);
}

/* The segments that the reader was about to read are gone. */
static void records_in_deleted_segments_are_told_as_missed(void **state) {
    (void)state;
    burst_read_t record;
    char command[400];
    open_it();
    write_lines(1, 20000); /* some laps */
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    open_reader(BURST_FROM_SEQUENCE, 3000);
    snprintf(command, sizeof command, "cd %s && ls *.seg | sort | head -n -2 | xargs rm", segments);
    assert_int_equal(system(command), 0);
    int64_t due = 3000;
    do {
        assert_int_equal(next(&record, PATIENCE_NS), 1);
        assert_int_equal(record.sequence, due);
        due += (int64_t)record.count;
    } while (record.kind == BURST_READ_RECORD);
    assert_int_equal(record.kind, BURST_READ_MISSED);
    assert_int_equal(next(&record, PATIENCE_NS), 1);
    assert_int_equal(record.sequence, due);
    expect_up_to((int)due + 1, 19990);
}

static void lines_have_no_sequences_and_no_times(void **state) {
    (void)state;
    burst_reader_config_t config;
    open_it();
    write_lines(1, 20000);
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = is('w') ? folder : "";
    config.from = BURST_FROM_SEQUENCE;
    config.from_value = 5;
    assert_int_equal(burst_reader_open(&config, &reader), -ERANGE);
    assert_non_null(strstr(burst_last_error(), "oldest record"));
    config.from = BURST_FROM_TIME;
    assert_int_equal(burst_reader_open(&config, &reader), -ERANGE);
    assert_non_null(strstr(burst_last_error(), "no index"));
    config.stream = "nobody";
    assert_int_equal(burst_reader_open(&config, &reader), -ESRCH);
    assert_non_null(strstr(burst_last_error(), "nobody; it has 0"));
}

static void expect_no_seek(void) {
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 5), -ERANGE);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, 5), -ERANGE);
}

static void a_seek_that_fails_leaves_the_reader_where_it_is(void **state) {
    (void)state;
    burst_read_t record;
    open_it();
    write_lines(1, 20000);
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
    open_reader(BURST_FROM_OLDEST, 0);
    expect_up_to(1, 50);
    expect_no_seek();
    assert_int_equal(next(&record, PATIENCE_NS), 1);
    assert_int_equal(record.place, BURST_PLACE_FILE);
    assert_int_equal(record_line(&record), 51);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_RING, 0), 0);
    for (int i = 0; i < 50; i++) {
        assert_int_equal(next(&record, PATIENCE_NS), 1);
    }
    const int64_t sequence = record.sequence;
    expect_no_seek();
    assert_int_equal(next(&record, PATIENCE_NS), 1);
    assert_int_equal(record.sequence, sequence + 1);
}

static int begin(void **state) {
    kind = *state;
    drain_interval_ns = 5000000;
    const int rc = make_folder(state);
    snprintf(file_path, sizeof file_path, "%s/log", folder);
    snprintf(segments, sizeof segments, "%s/segments", folder);
    return rc;
}

static int end(void **state) {
    burst_reader_close(reader);
    reader = NULL;
    if (open_log != NULL) {
        burst_close(open_log);
        open_log = NULL;
    }
    return remove_folder(state);
}

#define CASE(test, what)                                                                                               \
    { #test " [" what "]", test, begin, end, (void *)what }

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(each_line_comes_once_while_the_log_is_written, ""),
        CASE(each_line_comes_once_while_the_log_is_written, "w"),
        CASE(each_line_comes_once_while_the_log_is_written, "wl"),
        CASE(each_line_comes_once_while_the_log_is_written, "r"),
        CASE(each_line_comes_once_while_the_log_is_written, "rw"),
        CASE(each_line_comes_once_while_the_log_is_written, "rz"),
        CASE(each_line_comes_once_while_the_log_is_written, "i"),
        CASE(each_line_comes_once_while_the_log_is_written, "wli"),
        CASE(each_line_comes_once_while_the_log_is_written, "ri"),
        CASE(each_line_comes_once_while_the_log_is_written, "rwli"),
        CASE(each_line_comes_once_while_the_log_is_written, "rzwli"),
        CASE(each_line_comes_once_while_the_log_is_written, "s"),
        CASE(each_line_comes_once_while_the_log_is_written, "swl"),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, ""),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, "w"),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, "r"),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, "rzw"),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, "i"),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, "rziw"),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, "s"),
        CASE(a_reader_that_comes_at_any_time_gets_all_of_it, "rsw"),
        CASE(a_diverted_log_is_read_from_both_files, ""),
        CASE(a_diverted_log_is_read_from_both_files, "w"),
        CASE(a_sequence_and_a_time_are_found_wherever_they_are, "s"),
        CASE(a_sequence_and_a_time_are_found_wherever_they_are, "sw"),
        CASE(a_sequence_and_a_time_are_found_wherever_they_are, "i"),
        CASE(a_sequence_and_a_time_are_found_wherever_they_are, "rziw"),
        CASE(a_lapped_reader_gets_nothing_before_what_it_sought, ""),
        CASE(a_lapped_reader_gets_nothing_before_what_it_sought, "wi"),
        CASE(a_lapped_reader_gets_nothing_before_what_it_sought, "sw"),
        CASE(records_of_the_ring_before_come_first, "s"),
        CASE(records_of_the_ring_before_come_first, "sw"),
        CASE(a_new_ring_begins_behind_the_segments_of_the_one_before, "sw"),
        CASE(records_in_deleted_segments_are_told_as_missed, "sw"),
        CASE(a_seek_that_fails_leaves_the_reader_where_it_is, ""),
        CASE(a_seek_that_fails_leaves_the_reader_where_it_is, "w"),
        CASE(a_seek_that_fails_leaves_the_reader_where_it_is, "r"),
        CASE(lines_have_no_sequences_and_no_times, ""),
        CASE(lines_have_no_sequences_and_no_times, "w"),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
