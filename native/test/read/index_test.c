/* SPDX-License-Identifier: Apache-2.0 */
/* The index that a log writes, found again and read beside its log file. */
#include "log_fixture.h"

#include "base/error.h"
#include "read/index_folder.h"

#define MINUTE_NS (60 * SECOND_NS)
#define FIRST_NS (1700000000 * SECOND_NS)

static struct index_file *index_now;
static char *text;
static size_t text_bytes;

static burst_t *open_indexed(void) {
    burst_config_t config = small_config();
    config.io = BURST_IO_PWRITE;
    main_config.index = 1;
    return open_with(&config);
}

/* Record n has n % 300 + 1 bytes, and newlines inside. */
static size_t make_record(uint64_t sequence, char record[512]) {
    const int used = snprintf(record, 512, "<%llu\n", (unsigned long long)sequence);
    const size_t length = (size_t)used + sequence % 300;
    memset(record + used, 'x', length - (size_t)used);
    record[length - 1] = '>';
    return length;
}

/* The event of record n is n minutes after the first, but each tenth one is 15 minutes late. */
static int64_t event_ns(uint64_t sequence) {
    return FIRST_NS + (int64_t)(sequence - (sequence % 10 == 0 ? 15 : 0)) * MINUTE_NS;
}

static void append(burst_t *log, uint64_t from, uint64_t to) {
    char record[512];
    for (uint64_t sequence = from; sequence <= to; sequence++) {
        const size_t length = make_record(sequence, record);
        const int64_t got = sequence % 3 == 0 ? burst_append(log, record, length, event_ns(sequence))
                                              : burst_enqueue(log, record, length, event_ns(sequence));
        assert_int_equal(got, sequence);
    }
}

static int close_index(void **state) {
    (void)state;
    index_close(index_now);
    index_now = NULL;
    free(text);
    text = NULL;
    return remove_folder(NULL);
}

static int find_index(uint64_t offset) {
    index_close(index_now);
    free(text);
    text = read_file(&text_bytes);
    const struct index_wanted wanted = {.folder = folder,
                                        .begin = (const uint8_t *)text,
                                        .begin_bytes = text_bytes < INDEX_TEXT_BYTES ? text_bytes : INDEX_TEXT_BYTES,
                                        .bytes = text_bytes};
    const int rc = index_open(&wanted, offset, &index_now);
    if (rc < 0) {
        fail_msg("%s", error_text());
    }
    return rc;
}

/* The next record is this one, whole, where the index says; times of commits stand between them. */
static void assert_next_is(uint64_t sequence) {
    char record[512];
    struct index_item item;
    do {
        assert_int_equal(index_next(index_now, &item), 1);
    } while (item.kind == INDEX_DURABLE);
    assert_int_equal(item.sequence, sequence);
    assert_int_equal(item.kind, sequence % 3 == 0 ? INDEX_AWAITED : INDEX_ENQUEUED);
    assert_int_equal(item.bytes, make_record(sequence, record));
    assert_int_equal(item.time_ns, event_ns(sequence));
    assert_true(item.offset + item.bytes <= text_bytes);
    assert_memory_equal(text + item.offset, record, item.bytes);
}

static void assert_holds(uint64_t from, uint64_t to) {
    struct index_item item;
    assert_int_equal(index_find(index_now, INDEX_SEQUENCE, (int64_t)from), 1);
    for (uint64_t sequence = from; sequence <= to; sequence++) {
        assert_next_is(sequence);
    }
    while (index_next(index_now, &item) == 1) {
        assert_int_equal(item.kind, INDEX_DURABLE);
    }
}

static unsigned count_indexes(void) {
    char command[256];
    snprintf(command, sizeof command, "ls %s/" INDEX_FOLDER " 2>/dev/null | wc -l", folder);
    FILE *pipe = popen(command, "r");
    unsigned count = 99;
    assert_int_equal(fscanf(pipe, "%u", &count), 1);
    pclose(pipe);
    return count;
}

static void each_record_is_where_the_index_says(void **state) {
    (void)state;
    burst_t *log = open_indexed();
    append(log, 1, 10000); /* some blocks of text */
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(find_index(0), 1);
    assert_int_equal(index_begin(index_now), 0);
    uint64_t end;
    assert_int_equal(index_end(index_now, &end), 0);
    assert_int_equal(end, text_bytes);
    assert_holds(1, 10000);
    assert_int_equal(count_indexes(), 1);
}

static void a_record_is_found_by_sequence_time_and_offset(void **state) {
    (void)state;
    burst_t *log = open_indexed();
    append(log, 1, 10000);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(find_index(0), 1);
    for (uint64_t sequence = 1; sequence <= 10000; sequence += 77) {
        const uint64_t reads = index_reads(index_now);
        assert_int_equal(index_find(index_now, INDEX_SEQUENCE, (int64_t)sequence), 1);
        assert_true(index_reads(index_now) <= reads + 2);
        assert_next_is(sequence);
        /* the first that is not earlier: a late one does not count before it */
        const uint64_t wanted = sequence % 10 == 0 ? sequence + 1 : sequence;
        assert_int_equal(index_find(index_now, INDEX_TIME, FIRST_NS + (int64_t)wanted * MINUTE_NS), 1);
        assert_next_is(wanted);
        struct index_item item;
        assert_int_equal(index_find(index_now, INDEX_SEQUENCE, (int64_t)sequence), 1);
        assert_int_equal(index_next(index_now, &item), 1);
        for (uint64_t inside = 0; inside < item.bytes; inside += item.bytes - 1) {
            assert_int_equal(index_find(index_now, INDEX_OFFSET, (int64_t)(item.offset + inside)), 1);
            assert_next_is(sequence);
        }
    }
    assert_int_equal(index_find(index_now, INDEX_SEQUENCE, 10001), 0);
    assert_int_equal(index_find(index_now, INDEX_TIME, event_ns(10001) + 1), 0);
    assert_int_equal(index_find(index_now, INDEX_TIME, INT64_MIN), 1);
    assert_next_is(1);
}

static int64_t realtime_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * SECOND_NS + now.tv_nsec;
}

static void each_record_but_the_last_has_its_durable_time(void **state) {
    (void)state;
    int64_t before_ns[31], durable_ns;
    burst_t *log = open_indexed();
    for (uint64_t sequence = 1; sequence <= 30; sequence++) {
        before_ns[sequence] = realtime_ns();
        append(log, sequence, sequence);
    }
    assert_int_equal(burst_close(log), 0);
    const int64_t after_ns = realtime_ns();
    assert_int_equal(find_index(0), 1);
    for (uint64_t sequence = 1; sequence <= 27; sequence++) {
        assert_int_equal(index_durable(index_now, sequence, &durable_ns), 1);
        assert_true(durable_ns >= before_ns[sequence] && durable_ns <= after_ns);
    }
    assert_int_equal(index_durable(index_now, 30, &durable_ns), 0);
    assert_int_equal(index_durable(index_now, 31, &durable_ns), 0);
}

static void records_without_bytes_are_in_it_even_when_nothing_else_is_drained(void **state) {
    (void)state;
    burst_t *log = open_indexed();
    append(log, 1, 10);
    assert_int_equal(burst_await_drained(log, -1), 1);
    assert_true(burst_append(log, "", 0, 0) > 0);
    assert_int_equal(burst_await_drained(log, -1), 1);
    append(log, 12, 20);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(find_index(0), 1);
    struct index_item item;
    uint64_t sequence = 1;
    assert_int_equal(index_find(index_now, INDEX_SEQUENCE, 1), 1);
    while (index_next(index_now, &item) == 1) {
        if (item.kind != INDEX_DURABLE) {
            assert_int_equal(item.sequence, sequence++);
        }
    }
    assert_int_equal(sequence, 21);
}

static void it_goes_on_after_a_close_and_after_a_kill(void **state) {
    (void)state;
    uint64_t next = 1;
    for (int round = 0; round < 6; round++) {
        const pid_t child = fork();
        if (child == 0) {
            burst_t *log = open_indexed();
            append(log, next, next + 199);
            if (round % 3 == 0) {
                burst_await_drained(log, -1);
            } else if (round % 3 == 1) {
                burst_close(log);
            }
            _exit(burst_append(log, "", 0, 0) < 0 || round % 3 != 1 ? 0 : 1);
        }
        int status;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        next += 200 + (round % 3 != 1);
    }
    burst_t *log = open_indexed();
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(find_index(0), 1);
    uint64_t end;
    assert_int_equal(index_end(index_now, &end), 0);
    assert_int_equal(end, text_bytes);
    struct index_item item;
    uint64_t sequence = 1;
    assert_int_equal(index_find(index_now, INDEX_SEQUENCE, 1), 1);
    while (index_next(index_now, &item) == 1) {
        if (item.kind != INDEX_DURABLE) {
            assert_int_equal(item.sequence, sequence++);
        }
    }
    assert_int_equal(sequence, next);
    assert_int_equal(count_indexes(), 1);
}

static void damage_index(const char *how) {
    char command[256];
    snprintf(command, sizeof command, "f=$(ls %s/" INDEX_FOLDER "/* | tail -1); %s", folder, how);
    assert_int_equal(system(command), 0);
}

/* A new index begins where the old one cannot go on; the log is whole, and the open does not fail. */
static void a_bad_index_begins_anew_there(void **state) {
    (void)state;
    static const char *const hows[] = {"rm $f", "truncate -s 266300 $f", "truncate -s 10 $f",
                                       "printf x | dd of=$f bs=1 seek=3 conv=notrunc 2>/dev/null",
                                       "printf xxxx | dd of=$f bs=1 seek=266250 conv=notrunc 2>/dev/null"};
    uint64_t next = 1;
    for (size_t i = 0; i < sizeof hows / sizeof hows[0]; i++) {
        burst_t *log = open_indexed();
        append(log, next, next + 99);
        assert_int_equal(burst_close(log), 0);
        next += 100;
        damage_index(hows[i]);
        size_t before;
        free(read_file(&before));
        log = open_indexed();
        append(log, next, next + 99);
        assert_int_equal(burst_close(log), 0);
        assert_int_equal(find_index(before), 1);
        assert_int_equal(index_begin(index_now), before);
        assert_holds(next, next + 99);
        next += 100;
    }
}

static void without_the_option_there_is_none(void **state) {
    (void)state;
    burst_t *log = open_small();
    append(log, 1, 100);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(count_indexes(), 0);
    assert_int_equal(find_index(0), 0);
}

static void an_index_of_another_file_is_not_taken(void **state) {
    (void)state;
    burst_t *log = open_indexed();
    append(log, 1, 100);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(find_index(0), 1);
    index_close(index_now);
    struct index_wanted wanted = {
        .folder = folder, .begin = (const uint8_t *)text, .begin_bytes = INDEX_TEXT_BYTES, .bytes = text_bytes - 1};
    assert_int_equal(index_open(&wanted, 0, &index_now), 0); /* a file that was cut */
    wanted.bytes = UINT64_MAX;
    text[INDEX_TEXT_BYTES - 1] ^= 1;
    assert_int_equal(index_open(&wanted, 0, &index_now), 0);
    text[INDEX_TEXT_BYTES - 1] ^= 1;
    assert_int_equal(index_open(&wanted, text_bytes, &index_now), 0); /* it has no text there */
    assert_int_equal(index_open(&wanted, 0, &index_now), 1);
}

/* The other stream's index lies in the same folder, and has the same first sequence. */
static void a_stream_has_its_own_records_in_its_index(void **state) {
    (void)state;
    char other_path[160];
    burst_stream_config_t other;
    burst_stream_t *stream;
    burst_t *log = open_indexed();
    snprintf(other_path, sizeof other_path, "%s/other", folder);
    burst_stream_config_init(&other);
    other.file_name = other_path;
    other.index = 1;
    assert_int_equal(burst_stream_open(log, &other, &stream), 0);
    for (int i = 0; i < 50; i++) {
        char record[512];
        const size_t length = make_record((uint64_t)i + 1, record);
        assert_true(burst_append(log, record, length, 0) > 0);
        assert_true(burst_stream_append(stream, "other\n", 6, 0) > 0);
    }
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(count_indexes(), 2);
    assert_int_equal(find_index(0), 1);
    struct index_item item;
    uint64_t records = 0;
    assert_int_equal(index_find(index_now, INDEX_SEQUENCE, 1), 1);
    while (index_next(index_now, &item) == 1) {
        if (item.kind != INDEX_DURABLE) {
            assert_int_equal(item.sequence, 2 * records++ + 1);
            assert_int_equal(text[item.offset], '<');
        }
    }
    assert_int_equal(records, 50);
}

/* The records that were written without an index are in none; the one that was left does not go on behind them. */
static void an_index_that_was_off_meanwhile_begins_anew(void **state) {
    (void)state;
    burst_t *log = open_indexed();
    append(log, 1, 100);
    assert_int_equal(burst_close(log), 0);
    log = open_small();
    append(log, 101, 200);
    assert_int_equal(burst_close(log), 0);
    size_t before;
    free(read_file(&before));
    log = open_indexed();
    append(log, 201, 300);
    assert_int_equal(burst_close(log), 0);
    assert_int_equal(find_index(before), 1);
    assert_int_equal(index_begin(index_now), before);
    assert_holds(201, 300);
    assert_int_equal(find_index(0), 1);
    assert_holds(1, 100);
}

static void shell(const char *command) {
    char all[400];
    snprintf(all, sizeof all, "cd %s/" INDEX_FOLDER " && f=$(ls) && %s", folder, command);
    assert_int_equal(system(all), 0);
}

/* Lists the indexes after the first command, and looks for that of the log file then and after the second one. */
static void assert_comes_later(const char *first, const char *second) {
    struct index_folder *list;
    burst_t *log = open_indexed();
    append(log, 1, 100);
    assert_int_equal(burst_close(log), 0);
    text = read_file(&text_bytes);
    const struct index_wanted wanted = {
        .begin = (const uint8_t *)text, .begin_bytes = INDEX_TEXT_BYTES, .bytes = text_bytes};
    shell(first);
    assert_int_equal(index_folder_open(folder, &list), 0);
    assert_int_equal(index_folder_find(list, &wanted, 0, &index_now), 0);
    shell(second);
    assert_int_equal(index_folder_find(list, &wanted, 0, &index_now), 1);
    index_folder_close(list);
    assert_holds(1, 100);
}

/* A reader at the end of a file looks for more indexes, while the drain begins that of the next file. */
static void an_index_that_was_just_begun_is_looked_at_again(void **state) {
    (void)state;
    assert_comes_later("cp $f ../kept && truncate -s 64 $f && touch -d @1000000000.5 .", "cat ../kept > $f");
}

/* The time of a folder does not tell of a change within the same tick of the clock. */
static void an_index_that_comes_right_behind_the_listing_is_found(void **state) {
    (void)state;
    assert_comes_later("mv $f .. && touch -d 'now + 1 hour' . && touch -r . ../time",
                       "cd .. && mv 0* " INDEX_FOLDER " && touch -r time " INDEX_FOLDER);
}

#define INDEX_TEST(name) cmocka_unit_test_setup_teardown(name, make_folder, close_index)

int main(void) {
    const struct CMUnitTest tests[] = {
        INDEX_TEST(each_record_is_where_the_index_says),
        INDEX_TEST(a_record_is_found_by_sequence_time_and_offset),
        INDEX_TEST(each_record_but_the_last_has_its_durable_time),
        INDEX_TEST(records_without_bytes_are_in_it_even_when_nothing_else_is_drained),
        INDEX_TEST(it_goes_on_after_a_close_and_after_a_kill),
        INDEX_TEST(a_bad_index_begins_anew_there),
        INDEX_TEST(without_the_option_there_is_none),
        INDEX_TEST(an_index_that_was_off_meanwhile_begins_anew),
        INDEX_TEST(an_index_of_another_file_is_not_taken),
        INDEX_TEST(a_stream_has_its_own_records_in_its_index),
        INDEX_TEST(an_index_that_was_just_begun_is_looked_at_again),
        INDEX_TEST(an_index_that_comes_right_behind_the_listing_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
