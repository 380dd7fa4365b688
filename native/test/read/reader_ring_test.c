/* SPDX-License-Identifier: Apache-2.0 */
/* Readers of a ring: at rest, while a log writes it, over its restarts, through the window and on the medium. */
#include <signal.h>

#include "log_fixture.h"

#define SHORT_NS 20000000ll    /* for waits that shall find nothing */
#define RENEWED_NS 250000000ll /* an idle reader has looked for another epoch */
#define LONG_PAYLOAD 456       /* with its header a power of two, so that a record begins at each block */

static burst_reader_t *reader;
static burst_t *open_log;
static const char *window; /* of the log and its readers; "" : none */
static uint32_t io;

static burst_t *open_it(void) {
    burst_config_t config = small_config();
    config.window = window;
    config.io = io;
    return open_log = open_with(&config);
}

static void close_it(void) {
    assert_int_equal(burst_close(open_log), 0);
    open_log = NULL;
}

/* Each payload says its sequence, and has a length that follows from it. */
static size_t payload_of(int64_t sequence, char *out) {
    const size_t length = 20 + (size_t)(sequence * 37 % 400);
    memset(out, 'a' + (int)(sequence % 26), length);
    memcpy(out, &sequence, sizeof sequence);
    out[length - 1] = '\n';
    return length;
}

static void write_records(burst_t *log, int count) {
    char payload[512];
    for (int i = 0; i < count; i++) {
        const int64_t next = stats_of(log).accepted_sequence + 1;
        const size_t length = payload_of(next, payload);
        assert_int_equal(burst_append(log, payload, length, next * 1000), next);
    }
}

static burst_reader_config_t reader_config(void) {
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = ring_path;
    config.window = window;
    config.from = BURST_FROM_RING;
    return config;
}

static void open_reader_with(const burst_reader_config_t *config) {
    if (burst_reader_open(config, &reader) < 0) {
        fail_msg("reader: %s", burst_last_error());
    }
}

static void open_reader(void) {
    const burst_reader_config_t config = reader_config();
    open_reader_with(&config);
}

static void close_reader(void) {
    burst_reader_close(reader);
    reader = NULL;
}

static int next(burst_read_t *record, int64_t timeout_ns) {
    record->struct_bytes = sizeof *record;
    const int rc = burst_reader_next(reader, record, timeout_ns);
    if (rc < 0) {
        fail_msg("next: %s", burst_last_error());
    }
    return rc;
}

static void assert_record(const burst_read_t *record, int64_t sequence) {
    char payload[512];
    if (record->kind != BURST_READ_RECORD || record->sequence != sequence) {
        fail_msg("kind %u, %llu records from %lld on, position %llu, in the place of record %lld", record->kind,
                 (unsigned long long)record->count, (long long)record->sequence, (unsigned long long)record->position,
                 (long long)sequence);
    }
    assert_int_equal(record->length, payload_of(sequence, payload));
    assert_memory_equal(record->data, payload, record->length);
    assert_int_equal(record->event_time_ns, sequence * 1000);
    assert_int_equal(record->stream, 0);
}

static void expect(int64_t first, int64_t last) {
    burst_read_t record;
    for (int64_t sequence = first; sequence <= last; sequence++) {
        if (next(&record, PATIENCE_NS) != 1) {
            fail_msg("record %lld does not come", (long long)sequence);
        }
        assert_record(&record, sequence);
    }
}

static void expect_nothing(void) {
    burst_read_t record;
    assert_int_equal(next(&record, SHORT_NS), 0);
}

static burst_reader_state_t state_of_reader(void) {
    burst_reader_state_t state = {.struct_bytes = sizeof state};
    assert_int_equal(burst_reader_state(reader, &state), 0);
    return state;
}

/* ----------------------------------------------------------------------------------------------------------- tests */

static void a_ring_at_rest_is_read_to_its_end(void **state) {
    (void)state;
    write_records(open_it(), 200);
    close_it();
    open_reader();
    expect(1, 200);
    expect_nothing();
    assert_int_equal(state_of_reader().durable_sequence, 200);
    assert_int_equal(state_of_reader().place, BURST_PLACE_MEDIUM);
    assert_int_equal(state_of_reader().records, 200);
}

static void a_reader_begins_where_it_is_asked_to(void **state) {
    (void)state;
    write_records(open_it(), 200);
    open_reader();
    for (int round = 0; round < 2; round++) { /* while the log is open, and when it is closed */
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 120), 0);
        expect(120, 199);
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, 149500), 0);
        expect(150, 199);
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_RING, 0), 0);
        expect(1, 10);
        if (round == 0) {
            close_it();
            close_reader();
            open_reader();
        }
    }
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_LAST, 10), 0);
    expect(191, 200);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_LAST, 1000), 0);
    expect(1, 200);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_LAST, 0), 0);
    expect_nothing();
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 0), -EINVAL);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_LAST, -1), -EINVAL);
}

static void a_follower_gets_each_record_once_over_closes_and_opens(void **state) {
    (void)state;
    int64_t last = 0;
    open_it();
    open_reader();
    for (int round = 0; round < 4; round++) {
        write_records(open_log, 50);
        expect(last + 1, last + 49); /* on the medium, the next commit or the close proves the last one */
        close_it();
        last += 50;
        expect(last, last);
        open_it();
        assert_int_equal(stats_of(open_log).accepted_sequence, last);
    }
    write_records(open_log, 5);
    expect(last + 1, last + 4);
    assert_int_equal(state_of_reader().missed, 0);
}

/* A process that appends until it is killed. */
static pid_t start_writer(void) {
    const pid_t child = fork();
    if (child == 0) {
        burst_t *log = open_it();
        char payload[512];
        for (int64_t next = stats_of(log).accepted_sequence + 1;; next++) {
            const size_t length = payload_of(next, payload);
            if (burst_append(log, payload, length, next * 1000) != next) {
                _exit(1);
            }
        }
    }
    return child;
}

/* A process that opens the log, writes nothing, and is killed when the reader has had time to see the new epoch. */
static void open_and_die(void) {
    int opened[2];
    char byte;
    burst_read_t record;
    assert_int_equal(pipe(opened), 0);
    const pid_t child = fork();
    if (child == 0) {
        open_it();
        byte = write(opened[1], "o", 1) == 1;
        for (;;) {
            pause();
        }
    }
    close(opened[1]); /* so a child that dies is the end of the pipe */
    assert_int_equal(read(opened[0], &byte, 1), 1);
    assert_int_equal(next(&record, RENEWED_NS), 0);
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, NULL, 0), child);
    close(opened[0]);
}

/* The marker of an epoch without a commit may be written over, and the next records then begin before its end. */
static void a_follower_misses_nothing_behind_epochs_without_a_record(void **state) {
    (void)state;
    write_records(open_it(), 3);
    close_it();
    open_reader();
    expect(1, 3);
    for (int64_t last = 3; last < 12; last += 3) {
        open_and_die();
        if (last > 3) {
            open_and_die();
        }
        write_records(open_it(), 3);
        expect(last + 1, last + 2); /* on the medium, the close proves the last one */
        close_it();
        expect(last + 3, last + 3);
    }
    assert_int_equal(state_of_reader().missed, 0);
}

/* A process that opens the log and dies before it notes anything, mostly. The reader passes its marker. */
static void open_and_die_at_once(void) {
    burst_read_t record;
    const pid_t child = fork();
    if (child == 0) {
        open_it();
        _exit(0);
    }
    assert_int_equal(waitpid(child, NULL, 0), child);
    assert_int_equal(next(&record, RENEWED_NS), 0);
}

/* The reader is behind the younger of two unused markers when a log puts its own in the place of the older one. Where the
 * reader is, a record of that log begins that is not its first. */
static void a_follower_takes_no_record_from_the_middle_of_an_epoch(void **state) {
    (void)state;
    write_records(open_it(), 3);
    close_it();
    open_reader();
    expect(1, 3);
    for (int64_t last = 3; last < 60; last += 20) {
        open_and_die_at_once();
        open_and_die_at_once();
        burst_t *const log = open_it();
        char payload[LONG_PAYLOAD];
        for (int64_t sequence = last + 1; sequence <= last + 20; sequence++) {
            memset(payload, 'x', sizeof payload);
            assert_int_equal(burst_append(log, payload, sizeof payload, sequence), sequence);
        }
        close_it();
        for (int64_t sequence = last + 1; sequence <= last + 20; sequence++) {
            burst_read_t record;
            assert_int_equal(next(&record, PATIENCE_NS), 1);
            assert_int_equal(record.sequence, sequence);
        }
    }
    assert_int_equal(state_of_reader().missed, 0);
}

/* Epochs without a record leave markers in the ring, and void ranges where the log ended within a block. */
static void a_late_reader_finds_all_behind_epochs_without_a_record(void **state) {
    (void)state;
    write_records(open_it(), 3);
    for (int64_t last = 3; last < 9; last += 3, write_records(open_log, 3)) {
        for (int epochs = 0; epochs < 3; epochs++, open_it()) {
            close_it();
            open_reader();
            assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 1), 0);
            expect(1, last);
            if (epochs == 1) {
                open_and_die_at_once();
            }
            close_reader();
        }
    }
}

/* Takes records until so many were given or missed behind `last`. Each is the next one, or is told as missed. */
static int64_t follow(int64_t last, int64_t count, uint64_t *missed) {
    burst_read_t record;
    for (const int64_t end = last + count; last < end;) {
        if (next(&record, PATIENCE_NS) != 1) {
            fail_msg("record %lld does not come", (long long)last + 1);
        }
        if (record.kind == BURST_READ_MISSED) {
            assert_int_equal(record.sequence, last + 1);
            *missed += record.count;
            last += (int64_t)record.count;
        } else {
            assert_record(&record, ++last);
        }
    }
    return last;
}

static void a_follower_gets_or_misses_each_record_of_writers_that_are_killed(void **state) {
    (void)state;
    uint64_t missed = 0;
    write_records(open_it(), 1);
    close_it();
    open_reader();
    int64_t last = follow(0, 1, &missed);
    const char *asked = getenv("READER_ROUNDS"); /* for a longer run by hand */
    const int rounds = asked != NULL ? atoi(asked) : 4;
    for (int round = 0; round < rounds; round++) {
        const pid_t writer = start_writer();
        last = follow(last, 300 + 100 * (round % 4), &missed);
        assert_int_equal(kill(writer, SIGKILL), 0);
        assert_int_equal(waitpid(writer, NULL, 0), writer);
    }
    open_it();
    const int64_t accepted = stats_of(open_log).accepted_sequence;
    close_it();
    assert_int_equal(follow(last, accepted - last, &missed), accepted);
    expect_nothing();
}

static void a_reader_that_comes_too_late_is_told_what_it_missed(void **state) {
    (void)state;
    uint64_t missed = 0;
    open_it();
    write_records(open_log, 10);
    open_reader();
    expect(1, 5);
    for (int64_t sequence = 11; sequence <= 20010; sequence++) { /* some laps */
        char payload[512];
        assert_int_equal(burst_enqueue(open_log, payload, payload_of(sequence, payload), sequence * 1000), sequence);
    }
    assert_int_equal(burst_await_durable(open_log, 20010, -1), 1);
    const int64_t last = follow(5, 20004, &missed);
    assert_true(missed > 10000);
    assert_int_equal(state_of_reader().missed, missed);
    close_it();
    assert_int_equal(follow(last, 20010 - last, &missed), 20010);
    close_reader();
    open_reader(); /* the ring still has the newest ones */
    burst_read_t record;
    assert_int_equal(next(&record, 0), 1);
    assert_true(record.sequence > 1 && record.sequence < 20010);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 1), -ERANGE);
    assert_non_null(strstr(burst_last_error(), "oldest record"));
}

static void a_poll_gets_many_records_and_takes_none_that_does_not_fit(void **state) {
    (void)state;
    static _Alignas(8) uint8_t buffer[100000];
    write_records(open_it(), 200);
    close_it();
    open_reader();
    const int64_t needed = burst_reader_poll(reader, buffer, 8, 0);
    assert_true(needed > 8 && needed < 600);
    int64_t sequence = 0;
    for (int64_t bytes; (bytes = burst_reader_poll(reader, buffer, 2000, 0)) > 0;) {
        for (int64_t at = 0; at < bytes;) {
            const burst_read_polled_t *polled = (const burst_read_polled_t *)(buffer + at);
            char payload[512];
            assert_int_equal(polled->sequence, ++sequence);
            assert_int_equal(polled->length, payload_of(sequence, payload));
            assert_memory_equal(polled + 1, payload, polled->length);
            at += (int64_t)(sizeof *polled + (polled->length + 7) / 8 * 8);
        }
    }
    assert_int_equal(sequence, 200);
}

static void enqueued_records_and_rolls_are_told_apart(void **state) {
    (void)state;
    open_it();
    char payload[512];
    write_records(open_log, 1);
    assert_int_equal(burst_enqueue(open_log, payload, payload_of(2, payload), 2000), 2);
    assert_int_equal(burst_await_durable(open_log, 2, -1), 1);
    write_records(open_log, 1);
    close_it();
    open_reader();
    burst_read_t record;
    for (int64_t sequence = 1; sequence <= 3; sequence++) {
        assert_int_equal(next(&record, 0), 1);
        assert_record(&record, sequence);
        assert_int_equal(record.enqueued, sequence == 2);
        assert_int_equal(record.epoch, 1);
    }
}

static int begin(void **state) {
    const char *const *kind = *state;
    const int rc = make_folder(state);
    static char folder_of_window[sizeof folder];
    strcpy(folder_of_window, folder);
    window = strchr(*kind, 'w') != NULL ? folder_of_window : "";
    io = strchr(*kind, 'm') != NULL ? BURST_IO_MAPPED : strchr(*kind, 'u') != NULL ? BURST_IO_URING : BURST_IO_PWRITE;
    return rc;
}

static int end(void **state) {
    close_reader();
    if (open_log != NULL) {
        burst_close(open_log);
        open_log = NULL;
    }
    return remove_folder(state);
}

/* w: through the window; m: mapped; u: io_uring; else pwrite on the medium. */
static const char *const kinds[] = {"", "w", "m", "mw", "u", "uw"};
#define KINDS (sizeof kinds / sizeof kinds[0])

static const struct {
    const char *name;
    CMUnitTestFunction run;
} cases[] = {
#define CASE(name)                                                                                                     \
    { #name, name }
    CASE(a_ring_at_rest_is_read_to_its_end),
    CASE(a_reader_begins_where_it_is_asked_to),
    CASE(a_follower_gets_each_record_once_over_closes_and_opens),
    CASE(a_follower_gets_or_misses_each_record_of_writers_that_are_killed),
    CASE(a_follower_misses_nothing_behind_epochs_without_a_record),
    CASE(a_follower_takes_no_record_from_the_middle_of_an_epoch),
    CASE(a_late_reader_finds_all_behind_epochs_without_a_record),
    CASE(a_reader_that_comes_too_late_is_told_what_it_missed),
    CASE(a_poll_gets_many_records_and_takes_none_that_does_not_fit),
    CASE(enqueued_records_and_rolls_are_told_apart),
};
#define CASES (sizeof cases / sizeof cases[0])

int main(void) {
    static struct CMUnitTest tests[CASES * KINDS];
    static char names[CASES * KINDS][128];
    for (size_t i = 0; i < CASES * KINDS; i++) {
        snprintf(names[i], sizeof names[i], "%s [%s]", cases[i / KINDS].name, kinds[i % KINDS]);
        tests[i] = (struct CMUnitTest){.name = names[i],
                                       .test_func = cases[i / KINDS].run,
                                       .setup_func = begin,
                                       .teardown_func = end,
                                       .initial_state = (void *)&kinds[i % KINDS]};
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
