/* SPDX-License-Identifier: Apache-2.0 */
/* Which files are archives of a log file, and in which order they come. */
#include "streams_fixture.h"

#include "read/lines.h"

#include <dirent.h>

static burst_reader_t *reader;

/* The name that so many listings do not have: it is shifted from one to the next meanwhile. */
static const char *hidden;
static int hides;
static int is_broken; /* no folder can be listed */

struct dirent *__real_readdir(DIR *entries);
struct dirent *__wrap_readdir(DIR *entries);
struct dirent *__wrap_readdir(DIR *entries) {
    struct dirent *entry = is_broken ? NULL : __real_readdir(entries);
    errno = is_broken ? EIO : errno;
    if (entry != NULL && hides > 0 && strcmp(entry->d_name, hidden) == 0) {
        hides--;
        entry = __real_readdir(entries);
    }
    return entry;
}

static void put(const char *name, int64_t time_s) {
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    assert_true(file != NULL && fprintf(file, "%s\n", name) > 0 && fflush(file) == 0);
    const struct timespec times[2] = {{.tv_sec = time_s}, {.tv_sec = time_s}};
    assert_int_equal(futimens(fileno(file), times), 0);
    assert_int_equal(fclose(file), 0);
}

static void run(const char *command) {
    char all[400];
    snprintf(all, sizeof all, "cd %s && %s", folder, command);
    assert_int_equal(system(all), 0);
}

/* Each of these files has its name as its only line. */
static void expect_order(const char *const names[], size_t count) {
    struct read_source *lines;
    burst_read_t record = {.struct_bytes = sizeof record};
    assert_int_equal(lines_make(&platform_linux, 0, &lines), 0);
    assert_int_equal(lines_add_archives(lines, file_path, file_path, NULL, NULL, 1), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(lines->ops->next(lines, &record), 1);
        if (record.length != strlen(names[i]) + 1 || memcmp(record.data, names[i], strlen(names[i])) != 0) {
            fail_msg("%.*s in the place of %s", (int)record.length, (const char *)record.data, names[i]);
        }
    }
    assert_int_equal(lines->ops->next(lines, &record), 0);
    lines->ops->close(lines);
}

static void archives_of_one_time_follow_by_their_numbers(void **state) {
    (void)state;
    put("app.log.9", 100);
    put("app.log.10", 100);
    put("app.log.11", 101);
    expect_order((const char *const[]){"app.log.9", "app.log.10", "app.log.11"}, 3);
    put("app.log.12", 102);
    put("app.log.13", 102);
    put("app.log.8", 102); /* renamed by somebody: the others say more */
    expect_order(
        (const char *const[]){"app.log.9", "app.log.10", "app.log.11", "app.log.8", "app.log.12", "app.log.13"}, 6);
}

/* The newest one is app.log.1, as with fileIndex="min". */
static void the_direction_of_numbers_is_that_of_times(void **state) {
    (void)state;
    put("app.log.4", 100);
    put("app.log.3", 101);
    put("app.log.2", 101);
    put("app.log.1", 101);
    expect_order((const char *const[]){"app.log.4", "app.log.3", "app.log.2", "app.log.1"}, 4);
}

static struct read_source *list_archives(void) {
    struct read_source *lines;
    assert_int_equal(lines_make(&platform_linux, 0, &lines), 0);
    assert_int_equal(lines_add_archives(lines, file_path, file_path, NULL, NULL, 1), 0);
    return lines;
}

static void expect_of(struct read_source *lines, const char *line) {
    burst_read_t record = {.struct_bytes = sizeof record};
    assert_int_equal(lines->ops->next(lines, &record), 1);
    assert_int_equal(record.length, strlen(line));
    assert_memory_equal(record.data, line, record.length);
}

/* It got another name since it was listed, and gets others while it is looked for. */
static void an_archive_that_listings_miss_is_found(void **state) {
    (void)state;
    put("app.log.1", 100);
    put("app.log.2", 200);
    struct read_source *lines = list_archives();
    hidden = "app.log.3";
    hides = 2;
    run("mv app.log.1 app.log.3");
    expect_of(lines, "app.log.1\n");
    assert_int_equal(hides, 0);
    expect_of(lines, "app.log.2\n");
    lines->ops->close(lines);
}

static void an_archive_that_cannot_be_looked_for_is_not_passed_over(void **state) {
    (void)state;
    burst_read_t record = {.struct_bytes = sizeof record};
    put("app.log.1", 100);
    put("app.log.2", 200);
    struct read_source *lines = list_archives();
    run("mv app.log.1 app.log.3");
    is_broken = 1;
    assert_int_equal(lines->ops->next(lines, &record), -EIO);
    assert_non_null(strstr(burst_last_error(), "cannot be listed"));
    is_broken = 0;
    expect_of(lines, "app.log.1\n");
    lines->ops->close(lines);
}

/* As the file under the log's own name, if the log was diverted because they write into it. */
static void an_archive_that_others_write_is_read(void **state) {
    (void)state;
    put("app.log.1", 100);
    put("app.log.2", 200);
    struct read_source *lines = list_archives();
    run("echo of others >> app.log.1");
    expect_of(lines, "app.log.1\n");
    expect_of(lines, "of others\n");
    expect_of(lines, "app.log.2\n");
    lines->ops->close(lines);
}

#define FILES 6
#define BY_FILE 20

static burst_t *open_indexed(void) {
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    main_config.index = 1;
    return open_with(&config);
}

/* All have one time, and only their indexes tell the order. */
static void indexes_say_it_if_times_do_not(void **state) {
    (void)state;
    char command[600], text[64];
    int64_t sequence = 0;
    for (int file = 0; file < FILES; file++) {
        burst_t *log = open_indexed();
        for (int i = 0; i < BY_FILE; i++) {
            const int length = snprintf(text, sizeof text, "record %lld\n", (long long)++sequence);
            assert_int_equal(burst_append(log, text, (size_t)length, sequence), sequence);
        }
        assert_int_equal(burst_close(log), 0);
        snprintf(command, sizeof command, "cd %s && mv app.log app.log.%d", folder, FILES - file);
        assert_int_equal(system(command), 0);
    }
    snprintf(command, sizeof command, "touch -d @1000000000 %s/app.log.*", folder);
    assert_int_equal(system(command), 0);
    struct read_source *lines;
    burst_read_t record = {.struct_bytes = sizeof record};
    assert_int_equal(lines_make(&platform_linux, 0, &lines), 0);
    assert_int_equal(lines_add_archives(lines, file_path, file_path, NULL, NULL, 1), 0);
    for (int64_t due = 1; due <= sequence; due++) {
        assert_int_equal(lines->ops->next(lines, &record), 1);
        assert_int_equal(record.sequence, due);
    }
    lines->ops->close(lines);
}

/* The names of other streams' files may begin as that of the log file does. */
static void files_of_other_streams_are_not_read(void **state) {
    (void)state;
    static const char *const names[] = {"app.log.two", "app-audit.log"};
    burst_reader_config_t config;
    burst_read_t record = {.struct_bytes = sizeof record};
    burst_t *log = open_indexed();
    assert_true(burst_append(log, "one\n", 4, 1) > 0);
    for (int i = 0; i < 2; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/%s", folder, names[i]);
        burst_stream_t *stream = open_stream(log, names[i], paths[i]);
        append(stream, "other\n");
        assert_int_equal(burst_stream_close(stream, PATIENCE_NS), 1);
    }
    put("app-audit-1.log", 100);
    put("app.log.two.1", 100);
    put("app.log.1", 100);
    assert_int_equal(burst_close(log), 0);
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.stream = file_path;
    if (burst_reader_open(&config, &reader) < 0) {
        fail_msg("%s", burst_last_error());
    }
    assert_int_equal(burst_reader_next(reader, &record, 0), 1);
    assert_memory_equal(record.data, "app.log.1\n", record.length);
    assert_int_equal(burst_reader_next(reader, &record, 0), 1);
    assert_memory_equal(record.data, "one\n", record.length);
    assert_int_equal(burst_reader_next(reader, &record, 0), 0);
}

static void expect_line(const char *line) {
    burst_read_t record = {.struct_bytes = sizeof record};
    if (burst_reader_next(reader, &record, 0) != 1) {
        fail_msg("nothing in the place of %s: %s", line, burst_last_error());
    }
    assert_int_equal(record.length, strlen(line) + 1);
    assert_memory_equal(record.data, line, strlen(line));
}

/* Between two looks of the reader there may be any number of rolls. */
static void a_reader_of_the_log_file_alone_misses_no_roll(void **state) {
    (void)state;
    burst_reader_config_t config;
    burst_read_t record = {.struct_bytes = sizeof record};
    put("app.log.two", 500); /* of others, who write it all the time */
    run("echo one > app.log");
    burst_reader_config_init(&config);
    config.source = file_path;
    assert_int_equal(burst_reader_open(&config, &reader), 0);
    expect_line("one");
    run("echo two >> app.log && mv app.log app.log.1 && echo three > app.log");
    expect_line("two");
    expect_line("three");
    run("mv app.log app.log.2 && echo four > app.log && mv app.log app.log.3 && touch app.log.two && echo five > app.log "
        "&& mv app.log app.log.4 && echo six > app.log");
    expect_line("four");
    expect_line("five");
    expect_line("six");
    assert_int_equal(burst_reader_next(reader, &record, 0), 0);
    /* Names are shifted, the newest one is 1, and files are compressed. */
    run("rm app.log.[1-4] && mv app.log app.log.1 && echo seven > app.log && mv app.log.1 app.log.2 && mv app.log "
        "app.log.1 && gzip app.log.2 && echo eight > app.log && mv app.log.2.gz app.log.3.gz && mv app.log.1 app.log.2 "
        "&& mv app.log app.log.1 && gzip app.log.2 && echo nine > app.log");
    expect_line("seven");
    expect_line("eight");
    expect_line("nine");
    assert_int_equal(burst_reader_next(reader, &record, 0), 0);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_OLDEST, 0), 0);
    expect_line("nine");
}

static int begin(void **state) {
    const int rc = make_folder(state);
    snprintf(file_path, sizeof file_path, "%s/app.log", folder);
    return rc;
}

static int end(void **state) {
    hides = is_broken = 0;
    burst_reader_close(reader);
    reader = NULL;
    return remove_folder(state);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, begin, end)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(archives_of_one_time_follow_by_their_numbers),
        CASE(the_direction_of_numbers_is_that_of_times),
        CASE(an_archive_that_listings_miss_is_found),
        CASE(an_archive_that_cannot_be_looked_for_is_not_passed_over),
        CASE(an_archive_that_others_write_is_read),
        CASE(indexes_say_it_if_times_do_not),
        CASE(files_of_other_streams_are_not_read),
        CASE(a_reader_of_the_log_file_alone_misses_no_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
