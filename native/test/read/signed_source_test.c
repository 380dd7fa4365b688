/* SPDX-License-Identifier: Apache-2.0 */
/* Signed archives as a source: what comes, in which order, where a search begins, and while an archiver adds. */
#include "read/signed_fixture.h"

#define LEAVES 70000u /* more than a payload file has */

static void all_records_come_as_they_were_written(void **state) {
    (void)state;
    burst_reader_state_t known = {.struct_bytes = sizeof known};
    add_up_to(LEAVES);
    written_commit(archive);
    open_reader();
    for (int64_t sequence = 1; sequence <= LEAVES; sequence++) {
        must_be_record(sequence);
    }
    assert_int_equal(next(), 0);
    assert_int_equal(burst_reader_state(reader, &known), 0);
    assert_int_equal(known.place, BURST_PLACE_ARCHIVE);
    assert_int_equal(known.next_sequence, LEAVES + 1);
    assert_non_null(strstr(known.how, "burstlog-archive verify"));
}

static void searches_find_each_sequence_and_each_time(void **state) {
    (void)state;
    burst_reader_state_t known = {.struct_bytes = sizeof known};
    add_up_to(LEAVES);
    written_commit(archive);
    open_reader();
    for (int64_t sequence = 1; sequence <= LEAVES; sequence += sequence % 256 < 3 || sequence % 256 > 253 ? 1 : 97) {
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, sequence), 0);
        must_be_record(sequence);
        if (sequence % 8 == 0) {
            assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, event_ns(sequence)), 0);
            must_be_record(sequence);
            assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, event_ns(sequence) - 1), 0);
            must_be_record(sequence);
        }
    }
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, LEAVES + 1), 0);
    assert_int_equal(next(), 0);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, INT64_MIN), 0);
    must_be_record(1);
    for (int64_t last = 0; last < 600; last += 37) {
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_LAST, last), 0);
        last > 0 ? must_be_record(LEAVES - last + 1) : assert_int_equal(next(), 0);
    }
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_LAST, 10 * LEAVES), 0);
    must_be_record(1);
    assert_int_equal(burst_reader_state(reader, &known), 0);
    assert_true(known.seeks > 0);
}

/* Acts are passed over, wherever they stand; losses are told with what is known of them. */
static void what_is_no_record_is_told(void **state) {
    (void)state;
    written_add(archive, (struct written_leaf){.sequence = 1, .time = 10}, "one", 3);
    written_add(archive, (struct written_leaf){.kind = 2, .sequence = 2, .time = 20}, NULL, 0);
    written_add(archive, (struct written_leaf){.kind = 3, .sequence = 3, .count = 4}, NULL, 0);
    written_add(archive, (struct written_leaf){.kind = 16, .text = "key: other\n"}, NULL, 0);
    written_add(archive, (struct written_leaf){.sequence = 7, .time = 70}, "seven", 5);
    written_add(archive, (struct written_leaf){.kind = 4, .count = 2}, NULL, 0);
    written_add(archive, (struct written_leaf){.sequence = 10, .time = 100}, "ten", 3);
    written_add(archive, (struct written_leaf){.kind = 99, .text = "something: new\n"}, NULL, 0);
    written_commit(archive);
    open_reader();
    must_come(BURST_READ_RECORD, 1);
    must_come(BURST_READ_ROLL, 2);
    assert_null(record.data);
    assert_int_equal(record.event_time_ns, 20);
    must_come(BURST_READ_LOST, 3);
    assert_int_equal(record.count, 4);
    must_come(BURST_READ_RECORD, 7);
    must_come(BURST_READ_MISSED, 8);
    assert_int_equal(record.count, 2);
    must_come(BURST_READ_RECORD, 10);
    assert_int_equal(next(), 0);
    /* A loss stands for what it lost, and for any time between its neighbours. */
    for (int64_t lost = 3; lost <= 6; lost++) {
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, lost), 0);
        must_come(BURST_READ_LOST, 3);
    }
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 7), 0);
    must_come(BURST_READ_RECORD, 7);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, 21), 0);
    must_come(BURST_READ_LOST, 3);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, 20), 0);
    must_come(BURST_READ_ROLL, 2);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_LAST, 3), 0);
    must_come(BURST_READ_RECORD, 7);
}

/* With each ring sequences begin anew. */
static void sequences_are_those_of_the_newest_ring(void **state) {
    (void)state;
    for (int64_t i = 1; i <= 600; i++) {
        written_add(archive, (struct written_leaf){.sequence = i, .time = i, .ring = 1}, "old", 3);
    }
    for (int64_t i = 1; i <= 600; i++) {
        written_add(archive, (struct written_leaf){.sequence = i, .time = 600 + i, .ring = 2}, "new", 3);
    }
    written_commit(archive);
    open_reader();
    for (int64_t i = 1; i <= 600; i += 13) {
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, i), 0);
        must_come(BURST_READ_RECORD, i);
        assert_memory_equal(record.data, "new", 3);
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_TIME, i), 0);
        must_come(BURST_READ_RECORD, i);
        assert_memory_equal(record.data, "old", 3);
    }
}

/* A reader at the end of each head goes on in the next one: in the same bundle, in the next one, in the next file. */
static void a_reader_follows_an_archiver(void **state) {
    (void)state;
    const int64_t heads[] = {3, 17, 254, 255, 256, 300, 900, 65534, 65535, 65536, 65700, 66000};
    int64_t sequence = 1;
    written_commit(archive);
    open_reader();
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        assert_int_equal(next(), 0);
        add_up_to(heads[i]);
        assert_int_equal(next(), 0); /* nothing above the head is given */
        written_commit(archive);
        for (; sequence <= heads[i]; sequence++) {
            must_be_record(sequence);
        }
    }
}

/* Files may have other names by the time at which they are read. */
static void a_reader_that_is_late_finds_what_was_partial(void **state) {
    (void)state;
    const int64_t heads[] = {70, 80, 400, 66000};
    int64_t sequence = 1;
    add_up_to(60);
    written_commit(archive);
    open_reader();
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        must_be_record(sequence++);
        add_up_to(heads[i]);
        written_commit(archive);
        must_be_record(sequence++);
        assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, sequence), 0);
    }
    /* The archiver goes on between a look at the head and a look at the file. */
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 65999), 0);
    add_up_to(66010);
    written_commit(archive);
    must_be_record(65999);
}

static void copy_file(const char *from, const char *to) {
    char command[1024], source[400];
    snprintf(source, sizeof source, "%s", written_path(archive, "%s", from));
    snprintf(command, sizeof command, "cp '%s' '%s'", source, written_path(archive, "%s", to));
    assert_int_equal(system(command), 0);
}

/* A copy has the head that was copied first, and full files, or wider ones, of later ones. */
static void a_copy_with_an_earlier_head_ends_with_that(void **state) {
    (void)state;
    add_up_to(600);
    written_commit(archive);
    written_head(archive, 401);
    open_reader();
    for (int64_t sequence = 1; sequence <= 400; sequence++) {
        must_be_record(sequence);
    }
    assert_int_equal(next(), 0);
    written_put(written_path(archive, "payload/000.p/x.zst"), O_TRUNC, "", 0);
    written_put(written_path(archive, "payload/000.p/300.zst"), O_TRUNC, "", 0);
    written_put(written_path(archive, "payload/000.p/900.zst"), O_TRUNC, "", 0);
    for (unsigned leaves = 560; leaves < 600; leaves++) { /* half written when they were copied */
        written_put(written_path(archive, "payload/000.p/%u.zst", leaves), O_TRUNC, "\x28\xb5\x2f\xfd\x24\x40",
                    leaves % 7);
    }
    copy_file("tile/entries/002.p/89", "tile/entries/002.p/39");
    burst_reader_close(reader);
    written_head(archive, 551);
    open_reader();
    for (int64_t sequence = 1; sequence <= 550; sequence++) {
        must_be_record(sequence);
    }
    assert_int_equal(next(), 0);
}

/* ---------------------------------------------------------------------------------------------------------- erased */

/* A payload that is blank is a record, if that was archived. */
static void erased_payloads_are_told_and_blank_ones_are_not(void **state) {
    (void)state;
    written_add(archive, (struct written_leaf){.sequence = 1, .time = 1}, "secret\n", 7);
    written_add(archive, (struct written_leaf){.sequence = 2, .time = 2}, "\n", 1);
    written_add(archive, (struct written_leaf){.sequence = 3, .time = 3}, "  ", 2);
    written_add(archive, (struct written_leaf){.sequence = 4, .time = 4}, "name", 4);
    written_add(archive, (struct written_leaf){.sequence = 5, .time = 5}, "kept", 4);
    memcpy(archive->payloads, "      \n\n      kept", 18);
    written_add(archive, (struct written_leaf){.kind = 17, .text = "leaf: 1\n"}, NULL, 0);
    written_add(archive, (struct written_leaf){.kind = 17, .text = "leaf: 4\n"}, NULL, 0);
    written_commit(archive);
    open_reader();
    must_come(BURST_READ_ERASED, 1);
    assert_null(record.data);
    assert_int_equal(record.length, 0);
    assert_int_equal(record.event_time_ns, 1);
    must_come(BURST_READ_RECORD, 2);
    assert_memory_equal(record.data, "\n", 1);
    must_come(BURST_READ_RECORD, 3);
    must_come(BURST_READ_ERASED, 4);
    must_come(BURST_READ_RECORD, 5);
    assert_memory_equal(record.data, "kept", 4);
    assert_int_equal(next(), 0);
}

static void payloads_whose_time_was_over_are_told(void **state) {
    (void)state;
    char text[512];
    burst_reader_state_t known = {.struct_bytes = sizeof known};
    add_up_to(65536 + 600);
    written_add(archive, (struct written_leaf){.kind = 18, .text = "first: 0\nlast: 65535\n"}, NULL, 0);
    add_up_to(65536 + 900);
    written_commit(archive);
    assert_int_equal(unlink(written_path(archive, "payload/000.zst")), 0);
    open_reader();
    for (int64_t sequence = 1; sequence < 65536; sequence++) {
        must_come(make_payload(sequence, text) == 0 ? BURST_READ_RECORD : BURST_READ_ERASED, sequence);
        assert_int_equal(record.event_time_ns, event_ns(sequence));
    }
    /* The file is looked for once, and not for each record. */
    assert_int_equal(burst_reader_state(reader, &known), 0);
    assert_in_range(known.files, 256, 256 + 10);
    must_be_record(65536);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 65536 + 800), 0);
    must_come(BURST_READ_RECORD, 65536 + 800);
}

/* An act that came after the reader had looked for one counts, too. */
static void a_missing_payload_file_is_damage_unless_an_act_covers_it(void **state) {
    (void)state;
    add_up_to(66000);
    written_add(archive, (struct written_leaf){.kind = 18, .text = "first: 1\nlast: 65535\n"}, NULL, 0);
    written_commit(archive);
    assert_int_equal(unlink(written_path(archive, "payload/000.zst")), 0);
    open_reader();
    must_say(EUCLEAN, "payload/000.zst is missing or cut: it has no payloads of the leaves from 0 on");
    must_say(EUCLEAN, "payload/000.zst is missing");
    written_add(archive, (struct written_leaf){.kind = 18, .text = "first: 0\nlast: 65535\n"}, NULL, 0);
    written_commit(archive);
    must_come(BURST_READ_ERASED, 1);
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 65900), 0);
    must_be_record(65900);
}

/* Frames as others make them: compressed, with a checksum, their length in the header. */
static void frames_of_the_program_zstd_are_read(void **state) {
    (void)state;
    char command[600], text[512];
    add_up_to(1000);
    written_commit(archive);
    assert_int_equal(truncate(written_path(archive, "payload/000.zst"), 0), 0);
    for (int64_t bundle = 0; bundle < 3; bundle++) {
        FILE *file = fopen(written_path(archive, "frame"), "w");
        assert_non_null(file);
        for (int64_t sequence = bundle * 256; sequence < bundle * 256 + 256; sequence++) {
            fwrite(text, 1, sequence == 0 ? 0 : make_payload(sequence, text), file);
        }
        fclose(file);
        snprintf(command, sizeof command, "cd %s && zstd -q -c --check frame >> payload/000.zst", archive->path);
        assert_int_equal(system(command), 0);
    }
    open_reader();
    for (int64_t sequence = 1; sequence <= 1000; sequence++) {
        must_be_record(sequence);
    }
    assert_int_equal(burst_reader_seek(reader, BURST_FROM_SEQUENCE, 700), 0);
    must_be_record(700);
}

/* A record that is too long for a poll's buffer comes with the next one. */
static void a_poll_gets_the_same(void **state) {
    (void)state;
    _Alignas(8) uint8_t buffer[2000];
    int64_t sequence = 1;
    char text[512];
    add_up_to(3000);
    written_commit(archive);
    open_reader();
    for (int64_t got; (got = burst_reader_poll(reader, buffer, sizeof buffer, 0)) > 0;) {
        for (int64_t at = 0; at < got; sequence++) {
            burst_read_polled_t polled;
            memcpy(&polled, buffer + at, sizeof polled);
            assert_int_equal(polled.sequence, sequence);
            assert_int_equal(polled.length, make_payload(sequence, text));
            assert_memory_equal(buffer + at + sizeof polled, text, polled.length);
            at += (int64_t)(sizeof polled + (polled.length + 7) / 8 * 8);
        }
    }
    assert_int_equal(sequence, 3001);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(all_records_come_as_they_were_written),
        TEST(searches_find_each_sequence_and_each_time),
        TEST(what_is_no_record_is_told),
        TEST(sequences_are_those_of_the_newest_ring),
        TEST(a_reader_follows_an_archiver),
        TEST(a_reader_that_is_late_finds_what_was_partial),
        TEST(a_copy_with_an_earlier_head_ends_with_that),
        TEST(erased_payloads_are_told_and_blank_ones_are_not),
        TEST(payloads_whose_time_was_over_are_told),
        TEST(a_missing_payload_file_is_damage_unless_an_act_covers_it),
        TEST(frames_of_the_program_zstd_are_read),
        TEST(a_poll_gets_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
