/* SPDX-License-Identifier: Apache-2.0 */
/* Log files that have an index, and archives of them, as records: without the ring. */
#include "log_fixture.h"

#include "base/platform.h"
#include "read/index_folder.h"
#include "read/lines.h"

#define RECORDS 9000
#define FIRST_NS (1700000000 * SECOND_NS)

static burst_reader_t *reader;
static char archive[200];

/* Record n has two lines, of which the second is n % 200 bytes long. */
static size_t make_record(int64_t sequence, char record[512]) {
    const int used = snprintf(record, 512, "order %lld\n", (long long)sequence);
    memset(record + used, 'x', (size_t)(sequence % 200));
    record[used + sequence % 200] = '\n';
    return (size_t)used + (size_t)(sequence % 200) + 1;
}

/* Some hours in the midst are silent, and each tenth event comes late. */
static int64_t event_ns(int64_t sequence) {
    return FIRST_NS + (sequence - (sequence % 10 == 0 ? 15 : 0)) * SECOND_NS +
           (sequence > 5000 ? 36000 * SECOND_NS : 0);
}

static burst_t *open_indexed(void) {
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    main_config.index = 1;
    return open_with(&config);
}

static void append(burst_t *log, int64_t from, int64_t to) {
    char record[512];
    for (int64_t sequence = from; sequence <= to; sequence++) {
        const size_t length = make_record(sequence, record);
        const int64_t got = sequence % 100 == 0 ? burst_append(log, record, length, event_ns(sequence))
                                                : burst_enqueue(log, record, length, event_ns(sequence));
        assert_int_equal(got, sequence);
    }
}

static int make_log(void **state) {
    make_folder(state);
    burst_t *log = open_indexed();
    append(log, 1, RECORDS);
    return burst_close(log);
}

static int leave(void **state) {
    burst_reader_close(reader);
    reader = NULL;
    return remove_folder(state);
}

static void shell(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void shell(const char *format, ...) {
    char command[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(command, sizeof command, format, arguments);
    va_end(arguments);
    assert_int_equal(system(command), 0);
}

static int try_reader(const char *source, enum burst_read_from from, int64_t value) {
    burst_reader_config_t config;
    burst_reader_close(reader);
    burst_reader_config_init(&config);
    config.source = source;
    config.from = from;
    config.from_value = value;
    return burst_reader_open(&config, &reader);
}

static void open_reader(const char *source, enum burst_read_from from, int64_t value) {
    if (try_reader(source, from, value) < 0) {
        fail_msg("%s: %s", source, burst_last_error());
    }
}

static burst_reader_state_t state_now(void) {
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    assert_int_equal(burst_reader_state(reader, &state), 0);
    return state;
}

static int next(burst_read_t *record) {
    record->struct_bytes = sizeof *record;
    const int rc = burst_reader_next(reader, record, 0);
    if (rc < 0) {
        fail_msg("next: %s", burst_last_error());
    }
    return rc;
}

static void assert_record(const burst_read_t *record, int64_t sequence) {
    char wanted[512];
    const size_t length = make_record(sequence, wanted);
    assert_int_equal(record->kind, BURST_READ_RECORD);
    assert_int_equal(record->sequence, sequence);
    assert_int_equal(record->length, length);
    assert_memory_equal(record->data, wanted, length);
    assert_int_equal(record->event_time_ns, event_ns(sequence));
    assert_int_equal(record->enqueued, sequence % 100 != 0);
    assert_int_equal(record->place, BURST_PLACE_FILE);
    assert_int_equal(record->epoch, 1);
}

/* The records from the next one to `last` are these, and then none is there. Returns how many had a durable time. */
static int expect(int64_t first, int64_t last) {
    burst_read_t record;
    int timed = 0;
    int64_t durable_ns = 0;
    for (int64_t sequence = first; sequence <= last; sequence++) {
        assert_int_equal(next(&record), 1);
        assert_record(&record, sequence);
        timed += record.durable_ns != 0;
        assert_true(record.durable_ns == 0 || record.durable_ns >= durable_ns);
        durable_ns = record.durable_ns;
    }
    assert_int_equal(next(&record), 0);
    return timed;
}

/* The log file, and archives of it with other names, in a folder below; each keeps the time of its last change. */
static const char *source_of(const char *kind) {
    if (strcmp(kind, "plain") == 0) {
        return file_path;
    }
    shell("mkdir -p %s/2023-11", folder);
    snprintf(archive, sizeof archive, "%s/2023-11/older.%s", folder, kind);
    if (strcmp(kind, "zst") == 0) {
        shell("zstd -q -f %s -o %s && touch -r %s %s", file_path, archive, file_path, archive);
    } else {
        shell("gzip -c %s > %s && touch -r %s %s", file_path, archive, file_path, archive);
    }
    return archive;
}

static void a_log_file_gives_its_records(void **state) {
    const char *source = source_of(*state);
    open_reader(source, BURST_FROM_OLDEST, 0);
    assert_true(expect(1, RECORDS) > RECORDS / 2);
    assert_non_null(strstr(state_now().how, "reads records of log files, as their indexes say"));
    for (int64_t sequence = 1; sequence <= RECORDS; sequence += 1499) {
        open_reader(source, BURST_FROM_SEQUENCE, sequence);
        expect(sequence, RECORDS);
        /* The first that is not earlier: a late one does not count before it. */
        const int64_t wanted = sequence % 10 == 0 ? sequence + 1 : sequence;
        open_reader(source, BURST_FROM_TIME, event_ns(wanted));
        expect(wanted, RECORDS);
        open_reader(source, BURST_FROM_LAST, sequence);
        expect(RECORDS - sequence + 1, RECORDS);
    }
    open_reader(source, BURST_FROM_LAST, 0);
    expect(1, 0);
    open_reader(source, BURST_FROM_LAST, 10 * RECORDS);
    expect(1, RECORDS);
}

/* Each has the first time that stands behind it in the index and is of a later sequence, and no earlier one. */
static void durable_times_are_those_of_the_index(void **state) {
    (void)state;
    burst_read_t record;
    struct index_file *index;
    size_t bytes;
    char *text = read_file(&bytes);
    const struct index_wanted wanted = {
        .folder = folder, .begin = (const uint8_t *)text, .begin_bytes = INDEX_TEXT_BYTES, .bytes = bytes};
    assert_int_equal(index_open(&wanted, 0, &index), 1);
    open_reader(file_path, BURST_FROM_OLDEST, 0);
    for (int64_t sequence = 1; sequence <= RECORDS; sequence++) {
        int64_t durable_ns = 0;
        assert_int_equal(next(&record), 1);
        if (sequence % 50 < 2) {
            assert_true(index_durable(index, (uint64_t)sequence, &durable_ns) >= 0);
            assert_int_equal(record.durable_ns, durable_ns);
        }
    }
    index_close(index);
    free(text);
}

static void a_time_in_silent_hours_leads_behind_them(void **state) {
    (void)state;
    open_reader(file_path, BURST_FROM_TIME, event_ns(4999) + 3600 * SECOND_NS);
    expect(5001, RECORDS);
    open_reader(file_path, BURST_FROM_TIME, 1); /* before the first */
    expect(1, RECORDS);
    open_reader(file_path, BURST_FROM_TIME, event_ns(RECORDS) + 1000 * SECOND_NS); /* behind the last */
    expect(1, 0);
}

static void a_sequence_that_is_not_there_is_told(void **state) {
    (void)state;
    open_reader(file_path, BURST_FROM_SEQUENCE, RECORDS + 1);
    expect(1, 0);
    shell("cd %s && mv log log.1 && mv .burstlog-index other && mkdir .burstlog-index", folder);
    burst_t *log = open_indexed();
    append(log, RECORDS + 1, RECORDS + 50);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(try_reader(file_path, BURST_FROM_SEQUENCE, 5), -ERANGE);
    assert_non_null(strstr(burst_last_error(), "comes later"));
}

static void three_reads_find_a_record(void **state) {
    (void)state;
    for (int64_t sequence = 2; sequence <= RECORDS; sequence += 777) {
        open_reader(file_path, BURST_FROM_SEQUENCE, sequence);
        assert_true(state_now().seeks <= 3);
        open_reader(file_path, BURST_FROM_TIME, event_ns(sequence / 10 * 10 + 1));
        assert_true(state_now().seeks <= 6); /* two to find the file, two in it, and its text */
    }
}

static void put(FILE *out, uint32_t number) {
    assert_int_equal(fwrite(&number, sizeof number, 1, out), 1);
}

/* Packs the log file in frames of 64 KiB, with the table of the public seekable format. longer: what the table has too
 * much of each frame's text; packed_more: of the first frame. */
static void make_seekable(uint32_t longer, uint32_t packed_more) {
    char name[300];
    struct stat status;
    uint32_t packed[64], bytes[64], count = 0;
    shell("cd %s && rm -f part.* && split -a 3 -d -b 65536 log part. && for p in part.*; do zstd -q $p; done && cat "
          "part.*.zst > seekable",
          folder);
    for (;; count++) {
        snprintf(name, sizeof name, "%s/part.%03u", folder, count);
        if (stat(name, &status) < 0) {
            break;
        }
        bytes[count] = (uint32_t)status.st_size + longer;
        strcat(name, ".zst");
        assert_int_equal(stat(name, &status), 0);
        packed[count] = (uint32_t)status.st_size;
    }
    assert_true(count > 5);
    snprintf(archive, sizeof archive, "%s/seekable", folder);
    FILE *out = fopen(archive, "a");
    put(out, 0x184d2a5e);
    put(out, count * 8 + 9);
    for (uint32_t i = 0; i < count; i++) {
        put(out, packed[i] + (i == 0 ? packed_more : 0));
        put(out, bytes[i]);
    }
    put(out, count);
    fputc(0, out);
    put(out, 0x8f92eab1);
    assert_int_equal(fclose(out), 0);
    shell("touch -r %s %s && zstd -q -t < %s", file_path, archive, archive);
}

/* How many bytes of the archive the process has unpacked is not seen here: the places that it looked at are. */
static void a_seek_table_leads_to_the_frame(void **state) {
    (void)state;
    make_seekable(0, 0);
    for (int64_t sequence = RECORDS; sequence > 0; sequence -= 1234) {
        open_reader(archive, BURST_FROM_SEQUENCE, sequence);
        assert_true(state_now().seeks <= 5); /* two of the index, footer and table, the frame */
        expect(sequence, RECORDS);
    }
    open_reader(archive, BURST_FROM_LAST, 5);
    expect(RECORDS - 4, RECORDS);
}

/* No record is given that is not there. */
static void a_seek_table_that_lies_is_told(void **state) {
    (void)state;
    burst_read_t record = {.struct_bytes = sizeof record};
    make_seekable(1, 0);
    open_reader(archive, BURST_FROM_OLDEST, 0); /* needs no table */
    expect(1, RECORDS);
    int rc = try_reader(archive, BURST_FROM_SEQUENCE, RECORDS / 2);
    while (rc >= 0 && (rc = burst_reader_next(reader, &record, 0)) == 1) {
    }
    assert_int_equal(rc, -EUCLEAN);
    assert_non_null(strstr(burst_last_error(), "its seek table has another length of a frame"));
    make_seekable(0, 1);
    open_reader(archive, BURST_FROM_SEQUENCE, RECORDS / 2); /* its frames do not fill the file: it is passed over */
    expect(RECORDS / 2, RECORDS);
}

/* A search opens the last file, and goes on in one before; then the last one is rolled. */
static void a_file_that_a_search_has_left_is_the_same_one_later(void **state) {
    (void)state;
    struct read_source *lines;
    shell("mv %s %s.1", file_path, file_path);
    burst_t *log = open_indexed();
    append(log, RECORDS + 1, RECORDS + 50);
    assert_int_equal(burst_close(log), 0);
    snprintf(archive, sizeof archive, "%s.1", file_path);
    assert_int_equal(lines_make(&platform_linux, 0, &lines), 0);
    assert_int_equal(lines_add(lines, archive, 0, LINES_TO_THE_END), 0);
    assert_int_equal(lines_add(lines, file_path, 0, LINES_TO_THE_END), 0);
    assert_int_equal(lines_hold(lines), 0);
    assert_int_equal(lines->ops->seek(lines, BURST_FROM_SEQUENCE, RECORDS - 5), 0);
    shell("mv %s %s.2 && echo another > %s", file_path, file_path, file_path);
    for (int64_t sequence = RECORDS - 5; sequence <= RECORDS + 50; sequence++) {
        burst_read_t record = {.struct_bytes = sizeof record};
        assert_int_equal(lines->ops->next(lines, &record), 1);
        assert_int_equal(record.kind, BURST_READ_RECORD);
        assert_int_equal(record.sequence, sequence);
    }
    lines->ops->close(lines);
}

static void damage_index(const char *how) {
    shell("f=$(ls %s/" INDEX_FOLDER "/* | tail -1); %s", folder, how);
}

/* Each byte comes, whatever the index has. */
static void a_bad_index_makes_lines(void **state) {
    (void)state;
    static const struct {
        const char *how, *why;
    } cases[] = {{"rm $f", ""},
                 {"truncate -s 10 $f", ""},
                 {"printf x | dd of=$f bs=1 seek=3 conv=notrunc 2>/dev/null", ""},
                 {"printf xxxx | dd of=$f bs=1 seek=300000 conv=notrunc 2>/dev/null", ""},
                 {"truncate -s 270000 $f", ""}};
    burst_read_t record;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        shell("cp -pr %s/" INDEX_FOLDER " %s/kept", folder, folder);
        damage_index(cases[i].how);
        open_reader(file_path, BURST_FROM_OLDEST, 0);
        size_t bytes, at = 0, lines = 0;
        char *text = read_file(&bytes);
        while (next(&record) == 1) {
            assert_true(record.length <= bytes - at);
            assert_memory_equal(record.data, text + at, record.length);
            at += record.length;
            lines += record.kind == BURST_READ_LINE;
        }
        assert_int_equal(at, bytes);
        assert_true(lines > 0);
        free(text);
        shell("rm -r %s/" INDEX_FOLDER " && mv %s/kept %s/" INDEX_FOLDER, folder, folder, folder);
    }
}

static void an_index_of_another_version_is_told(void **state) {
    (void)state;
    damage_index("printf '\\002' | dd of=$f bs=1 seek=8 conv=notrunc 2>/dev/null");
    open_reader(file_path, BURST_FROM_OLDEST, 0);
    burst_read_t record;
    assert_int_equal(next(&record), 1);
    assert_int_equal(record.kind, BURST_READ_LINE);
    assert_non_null(strstr(state_now().how, "is of another version"));
    assert_int_equal(try_reader(file_path, BURST_FROM_SEQUENCE, 5), -ERANGE);
    assert_non_null(strstr(burst_last_error(), "is of another version"));
}

/* An index says more than the file has: it is of another file, or the file was cut. */
static void a_cut_file_has_no_index(void **state) {
    (void)state;
    shell("truncate -s -1 %s", file_path);
    open_reader(file_path, BURST_FROM_OLDEST, 0);
    burst_read_t record;
    assert_int_equal(next(&record), 1);
    assert_int_equal(record.kind, BURST_READ_LINE);
    assert_non_null(strstr(state_now().how, "has records behind the end of the file"));
}

/* The file has a header that is in no index, and another stream's indexes lie beside its own. */
static void text_that_no_index_has_comes_as_lines(void **state) {
    (void)state;
    burst_read_t record;
    shell("printf 'a header\\nof two lines\\n' > %s", file_path);
    burst_t *log = open_indexed();
    append(log, 1, 40);
    assert_int_equal(burst_close(log), 0);
    shell("printf 'a footer\\n' >> %s", file_path);
    open_reader(file_path, BURST_FROM_OLDEST, 0);
    assert_int_equal(next(&record), 1);
    assert_memory_equal(record.data, "a header\n", record.length);
    assert_int_equal(next(&record), 1);
    assert_int_equal(record.kind, BURST_READ_LINE);
    for (int64_t sequence = 1; sequence <= 40; sequence++) {
        assert_int_equal(next(&record), 1);
        assert_record(&record, sequence);
    }
    assert_int_equal(next(&record), 1);
    assert_memory_equal(record.data, "a footer\n", record.length);
    assert_int_equal(next(&record), 0);
    open_reader(file_path, BURST_FROM_LAST, 3);
    assert_int_equal(next(&record), 1);
    assert_record(&record, 39);
    open_reader(file_path, BURST_FROM_LAST, 42);
    assert_int_equal(next(&record), 1);
    assert_memory_equal(record.data, "of two lines\n", record.length);
}

/* A reader that waits gets no text before its index has it. */
static void a_follower_gets_records_alone(void **state) {
    (void)state;
    burst_read_t record = {.struct_bytes = sizeof record};
    burst_t *log = open_indexed();
    append(log, 1, 10);
    assert_int_equal(burst_await_drained(log, PATIENCE_NS), 1);
    open_reader(file_path, BURST_FROM_LAST, 0);
    for (int64_t sequence = 11; sequence <= 600; sequence++) {
        append(log, sequence, sequence);
        if (sequence % 60 == 0) {
            for (int64_t due = sequence - 59 < 11 ? 11 : sequence - 59; due <= sequence; due++) {
                assert_int_equal(burst_reader_next(reader, &record, PATIENCE_NS), 1);
                assert_record(&record, due);
            }
        }
    }
    assert_int_equal(burst_close(log), 0);
}

#define WITH_LOG(test) cmocka_unit_test_setup_teardown(test, make_log, leave)
#define OF(kind)                                                                                                       \
    { "a_log_file_gives_its_records [" kind "]", a_log_file_gives_its_records, make_log, leave, (void *)kind }

int main(void) {
    const struct CMUnitTest tests[] = {
        OF("plain"),
        OF("gz"),
        OF("zst"),
        WITH_LOG(a_seek_table_leads_to_the_frame),
        WITH_LOG(a_seek_table_that_lies_is_told),
        WITH_LOG(durable_times_are_those_of_the_index),
        WITH_LOG(a_time_in_silent_hours_leads_behind_them),
        WITH_LOG(a_sequence_that_is_not_there_is_told),
        WITH_LOG(three_reads_find_a_record),
        WITH_LOG(a_file_that_a_search_has_left_is_the_same_one_later),
        WITH_LOG(a_bad_index_makes_lines),
        WITH_LOG(an_index_of_another_version_is_told),
        WITH_LOG(a_cut_file_has_no_index),
        cmocka_unit_test_setup_teardown(text_that_no_index_has_comes_as_lines, make_folder, leave),
        cmocka_unit_test_setup_teardown(a_follower_gets_records_alone, make_folder, leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
