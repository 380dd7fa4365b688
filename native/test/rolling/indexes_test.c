/* SPDX-License-Identifier: Apache-2.0 */
/* Indexes go with the rolled files that are deleted, and only then. */
#include "log_fixture.h"

#include <dirent.h>
#include <stdarg.h>

#include "rolling/indexes.h"

#define KEPT 3
#define RECORD_BYTES 200

static burst_t *open_log;
static burst_reader_t *reader;
static char pattern[200];
static int64_t written;

static void open_it(uint32_t compress) {
    static burst_rolling_t rolling;
    burst_config_t config = small_config();
    burst_rolling_init(&rolling);
    rolling.pattern = pattern;
    rolling.size_bytes = 20000;
    rolling.compress = compress;
    rolling.keep_files = KEPT;
    config.io = BURST_IO_PWRITE;
    main_config.rolling = &rolling;
    main_config.index = 1;
    open_log = open_with(&config);
}

/* are_alike: all records are the same text, and so all files begin alike. */
static void write_records(int count, int are_alike) {
    char text[RECORD_BYTES];
    for (int i = 0; i < count; i++) {
        memset(text, 'x', sizeof text);
        text[sizeof text - 1] = '\n';
        if (!are_alike) {
            text[snprintf(text, sizeof text, "record %lld of the log", (long long)written + 1)] = ' ';
        }
        written++;
        assert_true(burst_append(open_log, text, sizeof text, written) > 0);
    }
    assert_int_equal(burst_await_drained(open_log, PATIENCE_NS), 1);
}

static int count_in(const char *below, const char *begin) {
    char path[200];
    int count = 0;
    snprintf(path, sizeof path, "%s/%s", folder, below);
    DIR *entries = opendir(path);
    assert_non_null(entries);
    for (const struct dirent *entry; (entry = readdir(entries)) != NULL;) {
        count += entry->d_name[0] != '.' && strncmp(entry->d_name, begin, strlen(begin)) == 0;
    }
    closedir(entries);
    return count;
}

/* The thread burst-roll works beside the test. */
static void await_count(const char *below, const char *begin, int wanted) {
    int count = -1;
    for (int turn = 0; turn < 12000 && (count = count_in(below, begin)) != wanted; turn++) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
    }
    if (count != wanted) {
        fail_msg("%d files %s* are in %s/%s instead of %d", count, begin, folder, below, wanted);
    }
}

static void open_reader(void) {
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = "";
    if (burst_reader_open(&config, &reader) < 0) {
        fail_msg("%s", burst_last_error());
    }
}

/* Each record that is still in a file comes as one, and none is missing up to the last one. */
static void expect_records(void) {
    burst_read_t record = {.struct_bytes = sizeof record};
    int64_t line = 0;
    int rc;
    while (line < written - 1 && (rc = burst_reader_next(reader, &record, PATIENCE_NS)) == 1) {
        long long number = 0;
        if (record.kind == BURST_READ_ROLL) {
            continue;
        }
        assert_int_equal(record.kind, BURST_READ_RECORD);
        assert_int_equal(sscanf(record.data, "record %lld of", &number), 1);
        assert_true(line == 0 || number == line + 1);
        line = number;
    }
    assert_int_equal(rc, 1);
}

static uint32_t plain = BURST_COMPRESS_NONE, gzip = BURST_COMPRESS_GZIP, zstd = BURST_COMPRESS_ZSTD;

static void indexes_go_with_their_files(void **state) {
    const uint32_t compress = *(const uint32_t *)*state;
    snprintf(pattern, sizeof pattern, "%s/rolled-%%i", folder);
    open_it(compress);
    write_records(1500, 0); /* some 15 files */
    await_count("", "rolled-", KEPT);
    await_count(INDEX_FOLDER, "", KEPT + 1);
    burst_close(open_log);
    open_it(compress); /* the index of the file that is written is whole */
    write_records(50, 0);
    burst_event_t event = {.struct_bytes = sizeof event};
    while (burst_next_event(open_log, &event, 0) == 1) {
        assert_null(strstr(event.text, "index"));
    }
    burst_close(open_log);
    open_log = NULL;
    snprintf(pattern, sizeof pattern, "cd %s && for f in rolled-*; do mv $f log-$f; done", folder);
    assert_int_equal(system(pattern), 0); /* names that a reader takes for archives */
    open_reader();
    expect_records();
}

/* A reader is in the midst of a file when its name and its index go. The file that was written then it holds open, and reads
 * as lines. */
static void a_reader_goes_on_without_its_index(void **state) {
    burst_read_t record = {.struct_bytes = sizeof record};
    snprintf(pattern, sizeof pattern, "%s/log-rolled-%%i", folder);
    open_it(*(const uint32_t *)*state);
    write_records(400, 0);
    open_reader();
    assert_int_equal(burst_reader_next(reader, &record, PATIENCE_NS), 1);
    const int64_t first = record.sequence;
    write_records(1500, 0);
    await_count("", "log-rolled-", KEPT);
    await_count(INDEX_FOLDER, "", KEPT + 1);
    int64_t line = 0, of_the_file = 0;
    while (line < written - 1) {
        long long number = 0;
        const int rc = burst_reader_next(reader, &record, PATIENCE_NS);
        if (rc != 1) {
            fail_msg("behind record %lld: %s", (long long)line, burst_last_error());
        }
        if (record.kind == BURST_READ_MISSED || record.kind == BURST_READ_ROLL) {
            continue;
        }
        assert_true(record.kind == BURST_READ_RECORD || (record.kind == BURST_READ_LINE && line >= 90));
        assert_int_equal(sscanf(record.data, "record %lld of", &number), 1);
        assert_true(number > line);
        of_the_file += number == line + 1 && line < 90;
        line = number;
    }
    assert_true(first != 1 || of_the_file > 50); /* those of the open file came all */
}

/* Nobody can say which index belongs to which of two files that begin alike. */
static void indexes_of_files_that_begin_alike_stay(void **state) {
    (void)state;
    snprintf(pattern, sizeof pattern, "%s/rolled-%%i", folder);
    open_it(0);
    write_records(700, 1);
    await_count("", "rolled-", KEPT);
    burst_close(open_log);
    open_log = NULL;
    assert_true(count_in(INDEX_FOLDER, "") > KEPT + 1);
}

/* Without a configuration at hand they are looked for where readers do. */
static void indexes_are_found_above_the_folder_of_rolled_files(void **state) {
    (void)state;
    char command[300], below[160];
    struct rolling_file_begin begin;
    snprintf(pattern, sizeof pattern, "%s/rolled-%%i", folder);
    open_it(0);
    write_records(30, 0);
    burst_close(open_log);
    open_log = NULL;
    assert_int_equal(count_in(INDEX_FOLDER, ""), 1);
    snprintf(command, sizeof command, "cd %s && mkdir -p 2026/11 && gzip log && mv log.gz 2026/11/old.gz", folder);
    assert_int_equal(system(command), 0);
    snprintf(below, sizeof below, "%s/2026/11", folder);
    rolling_indexes_look(below, below, "old.gz", &begin);
    assert_int_equal(begin.bytes, 0); /* that folder has no indexes */
    rolling_indexes_look("", below, "missing", &begin);
    assert_int_equal(begin.bytes, 0);
    rolling_indexes_look("", below, "old.gz", &begin);
    assert_int_equal(begin.bytes, INDEX_TEXT_BYTES);
    begin.text[0] ^= 1; /* of another file */
    rolling_indexes_remove("", below, &begin);
    assert_int_equal(count_in(INDEX_FOLDER, ""), 1);
    begin.text[0] ^= 1;
    rolling_indexes_remove("", below, &begin);
    assert_int_equal(count_in(INDEX_FOLDER, ""), 0);
}

static int begin_test(void **state) {
    written = 0;
    return make_folder(state);
}

static int end_test(void **state) {
    burst_reader_close(reader);
    reader = NULL;
    if (open_log != NULL) {
        burst_close(open_log);
        open_log = NULL;
    }
    return remove_folder(state);
}

#define OF(test, kind)                                                                                                 \
    { #test " [" #kind "]", test, begin_test, end_test, (void *)&kind }

int main(void) {
    const struct CMUnitTest tests[] = {
        OF(indexes_go_with_their_files, plain),
        OF(indexes_go_with_their_files, gzip),
        OF(indexes_go_with_their_files, zstd),
        OF(a_reader_goes_on_without_its_index, plain),
        OF(a_reader_goes_on_without_its_index, zstd),
        cmocka_unit_test_setup_teardown(indexes_of_files_that_begin_alike_stay, begin_test, end_test),
        cmocka_unit_test_setup_teardown(indexes_are_found_above_the_folder_of_rolled_files, begin_test, end_test),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
