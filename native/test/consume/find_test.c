/* SPDX-License-Identifier: Apache-2.0 */
/* Seeking records by time and by sequence, and the positions of all consumers of a folder. */
#include "consume/consumer_log.h"

#define TIME_OF(sequence) ((int64_t)(sequence)*1000)

/* The sequence of each record, by its number. */
static uint64_t sequences[2000];

static uint64_t write_and_list(uint64_t until) {
    uint64_t number = 0;
    assert_int_equal(log_write(until), 0);
    for (uint64_t sequence = 0; sequence < until; number++) {
        sequence = sequence_behind(sequence);
        sequences[number + 1] = sequence;
    }
    return number;
}

static void any_sequence_is_found(void **state) {
    (void)state;
    const uint64_t last = write_and_list(900);
    for (uint64_t number = 1; number <= last; number += 7) {
        assert_int_equal(burst_consumer_seek_sequence(consumer, (int64_t)sequences[number]), 0);
        assert_int_equal(burst_consumer_position(consumer), number);
        assert_next(number, sequences[number]);
        assert_int_equal(burst_consumer_seek_sequence(consumer, (int64_t)sequences[number - 1] + 1), 0);
        assert_int_equal(burst_consumer_position(consumer), number);
    }
    assert_int_equal(burst_consumer_seek_sequence(consumer, 1000000), 0);
    assert_int_equal(burst_consumer_position(consumer), last + 1);
    assert_int_equal(next(0), 0);
    assert_int_equal(log_write(903), 0);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.number, last + 1);
}

static void any_time_is_found(void **state) {
    (void)state;
    const uint64_t last = write_and_list(900);
    for (uint64_t number = 1; number <= last; number += 11) {
        assert_int_equal(burst_consumer_seek_time(consumer, TIME_OF(sequences[number])), 0);
        assert_int_equal(burst_consumer_position(consumer), number);
        assert_int_equal(burst_consumer_seek_time(consumer, TIME_OF(sequences[number]) + 1), 0);
        assert_int_equal(burst_consumer_position(consumer), number + 1);
    }
    assert_int_equal(burst_consumer_seek_time(consumer, INT64_MIN), 0);
    assert_next(1, 1);
}

static void where_nothing_is_written_what_comes_is_next(void **state) {
    (void)state;
    assert_int_equal(burst_consumer_seek_time(consumer, 5), 0);
    assert_int_equal(burst_consumer_seek_sequence(consumer, 5), 0);
    assert_int_equal(log_write(1), 0);
    assert_next(1, 1);
}

/* The sequences of a new ring begin anew. */
static void sequences_are_those_of_the_newest_ring(void **state) {
    (void)state;
    const uint64_t last = write_and_list(600);
    seg_log.outlet->ops->destroy(seg_log.outlet);
    seg_log.parts.ring_uuid[0] = 99;
    seg_log.written = seg_log.noted_sequence = 0;
    log_make_outlet();
    assert_int_equal(log_bind(), OUTLET_NOTE);
    assert_int_equal(log_write(300), 0);
    assert_int_equal(burst_consumer_seek_sequence(consumer, 1), 0);
    assert_int_equal(burst_consumer_position(consumer), last + 1);
    assert_int_equal(burst_consumer_seek_sequence(consumer, 300), 0);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.sequence, 300);
    assert_true(record.number > last);
}

/* ----------------------------------------------------------------------------------------------------- all of them */

static burst_consumer_state_t look(unsigned index, int expected) {
    burst_consumer_state_t found = {.struct_bytes = sizeof found};
    assert_int_equal(burst_consumer_look(seg_log.path, index, &found), expected);
    return found;
}

static void the_state_of_each_consumer_is_told(void **state) {
    (void)state;
    burst_consumer_t *second = open_consumer("a second one");
    const uint64_t last = write_and_list(900);
    burst_consumer_seek(second, 101);
    assert_int_equal(burst_consumer_ack(second, 100), 0);
    burst_consumer_state_t found = look(0, 1);
    assert_string_equal(found.name, "a second one");
    assert_int_equal(found.acknowledged, 100);
    assert_true(found.acknowledged_ns > 1000000000);
    assert_int_equal(found.records, last - 100);
    assert_int_equal(found.oldest_event_time_ns, TIME_OF(sequences[101]));
    const uint64_t bytes = found.bytes;
    found = look(1, 1);
    assert_string_equal(found.name, "reader");
    assert_int_equal(found.acknowledged, 0);
    assert_int_equal(found.acknowledged_ns, 0);
    assert_int_equal(found.records, last);
    assert_int_equal(found.oldest_event_time_ns, TIME_OF(1));
    assert_true(found.bytes > bytes);
    look(2, 0);

    burst_consumer_seek(second, last);
    assert_int_equal(burst_consumer_ack(second, last - 1), 0);
    assert_int_equal(look(0, 1).records, 1);
    assert_int_equal(look(0, 1).bytes, record_bytes(length_of(sequences[last])));

    burst_consumer_seek(second, last + 1);
    assert_int_equal(burst_consumer_ack(second, last), 0);
    found = look(0, 1);
    assert_int_equal(found.records, 0);
    assert_int_equal(found.bytes, 0);
    assert_int_equal(found.oldest_event_time_ns, 0);
    burst_consumer_close(second);
}

/* A log with another ring has begun a segment without a record. */
static void a_segment_without_a_record_hides_no_ring(void **state) {
    (void)state;
    struct segments_head head;
    struct segment_header header;
    char path[300];
    const uint64_t last = write_and_list(600);
    const uint8_t other_ring[16] = {9};
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    assert_int_equal(read_whole(path, (uint8_t *)&head, sizeof head), sizeof head);
    segment_header_make(&header, head.uuid, other_ring, last + 1, 1);
    FILE *file = fopen(segment_path(last + 1), "w");
    assert_int_equal(fwrite(&header, sizeof header, 1, file), 1);
    fclose(file);
    assert_int_equal(burst_consumer_seek_sequence(consumer, (int64_t)sequences[20]), 0);
    assert_int_equal(burst_consumer_position(consumer), 20);
}

static void what_cannot_be_looked_at_is_refused(void **state) {
    (void)state;
    burst_consumer_state_t small = {.struct_bytes = 20}, found = {.struct_bytes = sizeof found};
    assert_int_equal(burst_consumer_look(seg_log.path, 0, &small), -EINVAL);
    assert_int_equal(burst_consumer_look(seg_log.folder, 0, &found), -ENOENT);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CONSUMER_TEST(any_sequence_is_found),
        CONSUMER_TEST(any_time_is_found),
        CONSUMER_TEST(where_nothing_is_written_what_comes_is_next),
        CONSUMER_TEST(sequences_are_those_of_the_newest_ring),
        CONSUMER_TEST(a_segment_without_a_record_hides_no_ring),
        CONSUMER_TEST(the_state_of_each_consumer_is_told),
        CONSUMER_TEST(what_cannot_be_looked_at_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
