/* SPDX-License-Identifier: Apache-2.0 */
/* Records by the buffer, their origin, and a consumer's lag. */
#include "consume/consumer_log.h"

static uint64_t buffer[8192];

static int64_t poll_into(size_t bytes) {
    memset(buffer, 0xee, sizeof buffer);
    return burst_consumer_poll(consumer, buffer, bytes, 0);
}

/* Checks the polled records, from this number and sequence on; returns the number behind them. */
static uint64_t assert_polled(int64_t filled, uint64_t number, uint64_t *sequence) {
    const uint8_t *at = (const uint8_t *)buffer, *const end = at + filled;
    while (at < end) {
        burst_polled_t polled;
        memcpy(&polled, at, sizeof polled);
        at += sizeof polled;
        *sequence = sequence_behind(*sequence);
        assert_int_equal(polled.kind, BURST_CONSUMED_RECORD);
        assert_int_equal(polled.number, number++);
        assert_int_equal(polled.sequence, *sequence);
        assert_int_equal(polled.length, length_of(*sequence));
        assert_memory_equal(polled.ring, seg_log.parts.ring_uuid, sizeof polled.ring);
        const size_t padded = (polled.length + 7) / 8 * 8;
        for (size_t i = 0; i < padded; i++) {
            assert_int_equal(at[i], i < polled.length ? 'a' + (*sequence + seg_log.salt) % 26 : 0);
        }
        at += padded;
    }
    assert_ptr_equal(at, end);
    return number;
}

static void a_poll_gives_what_fits(void **state) {
    (void)state;
    static const size_t rooms[] = {sizeof(burst_polled_t) + 304, 1000, 4000, sizeof buffer};
    assert_int_equal(poll_into(sizeof buffer), 0);
    assert_int_equal(log_write(600), 0);
    for (unsigned i = 0; i < 4; i++) {
        uint64_t number = 1, sequence = 0;
        burst_consumer_seek(consumer, 1);
        for (int64_t filled; (filled = poll_into(rooms[i])) > 0;) {
            assert_true((size_t)filled <= rooms[i]);
            number = assert_polled(filled, number, &sequence);
            assert_int_equal(burst_consumer_position(consumer), number);
        }
        assert_int_equal(sequence, 600);
    }
}

static void a_poll_without_room_says_how_much_it_needs(void **state) {
    (void)state;
    uint64_t sequence = 0;
    assert_int_equal(log_write(6), 0);
    const int64_t needed = poll_into(10);
    assert_int_equal(needed, sizeof(burst_polled_t) + (length_of(1) + 7) / 8 * 8);
    assert_int_equal(poll_into((size_t)needed - 1), needed);
    assert_int_equal(burst_consumer_position(consumer), 1);
    assert_int_equal(burst_consumer_ack(consumer, 1), -EINVAL);
    assert_int_equal(assert_polled(poll_into((size_t)needed), 1, &sequence), 2);
    assert_true(poll_into(10) > 10);
    assert_next(2, 3); /* the other call gets the record that was held back */
    assert_true(poll_into(10) > 10);
    burst_consumer_seek(consumer, 2);
    assert_next(2, 3);
}

static void what_is_missing_is_polled(void **state) {
    (void)state;
    assert_int_equal(log_write(600), 0);
    uint64_t second = 2;
    while (access(segment_path(second), F_OK) != 0) {
        second++;
    }
    assert_int_equal(unlink(segment_path(1)), 0);
    burst_consumer_seek(consumer, 1);
    assert_int_equal(poll_into(10), sizeof(burst_polled_t));
    assert_int_equal(burst_consumer_position(consumer), 1);
    assert_int_equal(poll_into(sizeof(burst_polled_t)), sizeof(burst_polled_t));
    const burst_polled_t *polled = (const burst_polled_t *)buffer;
    assert_int_equal(polled->kind, BURST_CONSUMED_MISSING);
    assert_int_equal(polled->number, second - 1);
    assert_int_equal(polled->count, second - 1);
    assert_int_equal(burst_consumer_position(consumer), second);
}

static uint64_t segment_behind(uint64_t number) {
    do {
        number++;
    } while (access(segment_path(number), F_OK) != 0);
    return number;
}

/* The list of the folder has its name, and it cannot be opened any more: as a link that leads nowhere. */
static void delete_behind_the_list(uint64_t number) {
    assert_int_equal(unlink(segment_path(number)), 0);
    assert_int_equal(symlink("nowhere", segment_path(number)), 0);
}

/* Segments are deleted just when a reader has listed them. That is not the end of what is written. */
static void a_segment_that_is_deleted_while_its_reader_comes_is_missing(void **state) {
    (void)state;
    assert_int_equal(log_write(900), 0);
    const uint64_t second = segment_behind(1), third = segment_behind(second), fourth = segment_behind(third);
    delete_behind_the_list(second);
    delete_behind_the_list(third);
    for (uint64_t number = 1; number < second; number++) {
        assert_int_equal(next(0), 1);
    }
    for (int from_there = 0; from_there < 2; from_there++) {
        if (from_there) {
            burst_consumer_seek(consumer, second);
        }
        assert_int_equal(poll_into(sizeof(burst_polled_t)), sizeof(burst_polled_t));
        const burst_polled_t *polled = (const burst_polled_t *)buffer;
        assert_int_equal(polled->kind, BURST_CONSUMED_MISSING);
        assert_int_equal(polled->number, fourth - 1);
        assert_int_equal(polled->count, fourth - second);
        assert_int_equal(burst_consumer_position(consumer), fourth);
    }
}

static burst_consumer_lag_t lag(void) {
    burst_consumer_lag_t found = {.struct_bytes = sizeof found};
    if (burst_consumer_lag(consumer, &found) != 0) {
        fail_msg("lag: %s", burst_last_error());
    }
    return found;
}

static void the_lag_is_what_is_written_and_not_given(void **state) {
    (void)state;
    seg_log.batch_records = 1;
    assert_int_equal(lag().records, 0);
    assert_int_equal(lag().bytes, 0);
    uint64_t number = 1, sequence = 0;
    for (uint64_t until = 1; until < 300; until = sequence_behind(until)) {
        assert_int_equal(log_write(until), 0);
        assert_int_equal(lag().records, number);
        assert_true(lag().bytes > number * sizeof(struct record_header));
        number++;
    }
    const uint64_t bytes = lag().bytes;
    for (uint64_t given = 1; given < number; given++) {
        sequence = sequence_behind(sequence);
        assert_next(given, sequence);
        const burst_consumer_lag_t left = lag();
        assert_int_equal(left.records, number - 1 - given);
        assert_true(left.bytes < bytes);
    }
    assert_int_equal(lag().bytes, 0);
}

/* A look at the lag neither drops a record that a poll had no room for, nor counts it twice. */
static void a_look_at_the_lag_drops_nothing(void **state) {
    (void)state;
    uint64_t sequence = 0;
    assert_int_equal(log_write(15), 0);
    const uint64_t all = lag().records, bytes = lag().bytes;
    assert_true(poll_into(10) > 10);
    for (int turn = 0; turn < 3; turn++) {
        assert_int_equal(lag().records, all);
        assert_int_equal(lag().bytes, bytes);
        assert_int_equal(lag().oldest_event_time_ns, 1000);
        assert_int_equal(burst_consumer_position(consumer), 1);
    }
    assert_int_equal(assert_polled(poll_into(sizeof buffer), 1, &sequence), all + 1);
    assert_int_equal(sequence, 15);
}

static burst_consumer_state_t look(void) {
    burst_consumer_state_t found = {.struct_bytes = sizeof found};
    assert_int_equal(burst_consumer_look(seg_log.path, 0, &found), 1);
    return found;
}

/* Segments go while the consumer stands still: its lag must not seem to end. */
static void what_is_missing_hides_no_lag(void **state) {
    (void)state;
    assert_int_equal(log_write(900), 0);
    const uint64_t second = segment_behind(1);
    const struct found *folder = read_folder(1);
    const uint64_t all = folder->frames;
    const int64_t oldest_ns = (int64_t)folder->sequences[second] * 1000;
    assert_next(1, 1);
    assert_int_equal(burst_consumer_ack(consumer, 1), 0);
    assert_int_equal(look().oldest_event_time_ns, 3000);
    assert_int_equal(unlink(segment_path(1)), 0);
    burst_consumer_seek(consumer, 2);
    for (int turn = 0; turn < 2; turn++) {
        assert_int_equal(lag().records, all - 1);
        assert_int_equal(lag().oldest_event_time_ns, oldest_ns);
        assert_int_equal(burst_consumer_position(consumer), 2);
    }
    assert_int_equal(look().records, all - 1);
    assert_int_equal(look().oldest_event_time_ns, oldest_ns);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.kind, BURST_CONSUMED_MISSING);
    assert_next(second, folder->sequences[second]);
}

static void append_frame(const uint8_t *frame, size_t bytes) {
    FILE *file = fopen(segment_path(1), "a");
    assert_int_equal(fwrite(frame, 1, bytes, file), bytes);
    fclose(file);
}

static void a_loss_hides_no_lag(void **state) {
    (void)state;
    uint8_t frame[1000];
    const struct marker_loss loss = {.from = 4096, .to = 8192, .first_sequence = 4, .count = 3};
    assert_int_equal(log_write(3), 0);
    assert_all(1, 3);
    assert_int_equal(burst_consumer_ack(consumer, 2), 0);
    append_frame(frame, segment_loss_put(&loss, crc_seed_of(seg_log.parts.ring_uuid), frame));
    for (uint64_t lost = 1; lost <= 2; lost++) {
        assert_int_equal(lag().records, lost);
        assert_int_equal(lag().oldest_event_time_ns, 0);
        assert_int_equal(look().records, lost);
        assert_int_equal(look().oldest_event_time_ns, 0);
        append_frame(frame, record_bytes(sizeof loss));
    }
    append_frame(frame, put_record(7, frame));
    assert_int_equal(lag().records, 4);
    assert_int_equal(lag().oldest_event_time_ns, 7000);
    assert_int_equal(look().oldest_event_time_ns, 7000);
    assert_int_equal(next(0), 1);
    assert_int_equal(record.kind, BURST_CONSUMED_LOST);
}

static void the_source_is_that_of_the_folder(void **state) {
    (void)state;
    burst_consumer_source_t source = {.struct_bytes = sizeof source}, too_small = {.struct_bytes = 20};
    assert_int_equal(burst_consumer_source(consumer, &source), 0);
    char path[300];
    struct segments_head head;
    snprintf(path, sizeof path, "%s/head", seg_log.path);
    assert_int_equal(read_whole(path, (uint8_t *)&head, sizeof head), sizeof head);
    assert_memory_equal(source.folder_id, head.uuid, sizeof source.folder_id);
    assert_string_equal(source.stream, "orders");
    assert_int_equal(burst_consumer_source(consumer, &too_small), -EINVAL);
    burst_consumer_lag_t small_lag = {.struct_bytes = 8};
    assert_int_equal(burst_consumer_lag(consumer, &small_lag), -EINVAL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CONSUMER_TEST(a_poll_gives_what_fits),
        CONSUMER_TEST(a_poll_without_room_says_how_much_it_needs),
        CONSUMER_TEST(what_is_missing_is_polled),
        CONSUMER_TEST(a_segment_that_is_deleted_while_its_reader_comes_is_missing),
        CONSUMER_TEST(the_lag_is_what_is_written_and_not_given),
        CONSUMER_TEST(a_look_at_the_lag_drops_nothing),
        CONSUMER_TEST(what_is_missing_hides_no_lag),
        CONSUMER_TEST(a_loss_hides_no_lag),
        CONSUMER_TEST(the_source_is_that_of_the_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
