/* SPDX-License-Identifier: Apache-2.0 */
/* A signed archive in a folder of its own, of records that are made from their sequences, and a reader of it. */
#ifndef BURST_TEST_SIGNED_FIXTURE_H
#define BURST_TEST_SIGNED_FIXTURE_H

#include "log_fixture.h"

#include "signed_archive.h"

#define FIRST_NS (1700000000 * SECOND_NS)

static burst_reader_t *reader;
static struct written_archive *archive;
static burst_read_t record;

static inline int make_archive(void **state) {
    char path[128];
    make_folder(state);
    snprintf(path, sizeof path, "%s/archive", folder);
    archive = written_begin(path);
    return 0;
}

static inline int leave(void **state) {
    burst_reader_close(reader);
    reader = NULL;
    free(archive);
    return remove_folder(state);
}

static inline int try_to_open(enum burst_read_from from, int64_t value) {
    burst_reader_config_t config;
    burst_reader_config_init(&config);
    config.source = archive->path;
    config.from = from;
    config.from_value = value;
    return burst_reader_open(&config, &reader);
}

static inline void open_reader(void) {
    if (try_to_open(BURST_FROM_OLDEST, 0) < 0) {
        fail_msg("%s", burst_last_error());
    }
}

static inline int next(void) {
    record = (burst_read_t){.struct_bytes = sizeof record};
    return burst_reader_next(reader, &record, 0);
}

static inline void must_come(enum burst_read_kind kind, int64_t sequence) {
    if (next() != 1) {
        fail_msg("no record %lld: %s", (long long)sequence, burst_last_error());
    }
    assert_int_equal(record.kind, kind);
    assert_int_equal(record.sequence, sequence);
    assert_int_equal(record.place, BURST_PLACE_ARCHIVE);
}

static inline void must_say(int error, const char *words) {
    assert_int_equal(next(), -error);
    if (strstr(burst_last_error(), words) == NULL) {
        fail_msg("\"%s\" does not say \"%s\"", burst_last_error(), words);
    }
}

/* Payloads of 0 to 399 bytes that differ. */
static inline size_t make_payload(int64_t sequence, char text[512]) {
    const size_t length = sequence % 50 == 0 ? 0 : (size_t)(sequence * 7 % 400);
    for (size_t i = 0; i < length; i++) {
        text[i] = (char)('a' + (sequence + (int64_t)i) % 26);
    }
    return length;
}

/* Each eight records have one event time. */
static inline int64_t event_ns(int64_t sequence) {
    return FIRST_NS + sequence / 8 * SECOND_NS;
}

static inline void add(int64_t sequence) {
    char text[512];
    const size_t length = make_payload(sequence, text);
    written_add(
        archive,
        (struct written_leaf){.sequence = sequence, .time = event_ns(sequence), .taken = event_ns(sequence) + 5}, text,
        length);
}

static inline void add_up_to(int64_t last) {
    static int64_t sequence;
    for (sequence = archive->size == 1 ? 0 : sequence; sequence < last; sequence++) {
        add(sequence + 1);
    }
}

static inline void must_be_record(int64_t sequence) {
    char text[512];
    must_come(BURST_READ_RECORD, sequence);
    assert_int_equal(record.length, make_payload(sequence, text));
    assert_memory_equal(record.data, text, record.length);
    assert_int_equal(record.event_time_ns, event_ns(sequence));
    assert_int_equal(record.durable_ns, event_ns(sequence) + 5);
    assert_int_equal(record.position, sequence); /* leaf 0 is the key */
    assert_int_equal(record.stream, BURST_ALL_STREAMS);
}

#undef TEST
#define TEST(name) cmocka_unit_test_setup_teardown(name, make_archive, leave)

#endif
