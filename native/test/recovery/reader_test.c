/* SPDX-License-Identifier: Apache-2.0 */
/* The items that a reader of a recovered image is shown, one by one. */
#include "recovery/log_image.h"
#include "recovery/reader.h"

static struct reader reader;

static struct recovery_input input;

static void read_with_drained(void) {
    recover();
    input = (struct recovery_input){.image = image, .shape = log_shape, .crc_seed = CRC_SEED, .head = head};
    assert_int_equal(reader_begin_with_drained(&reader, &input, &recovery), 0);
}

static void assert_record(enum reader_kind kind, uint64_t position, uint8_t type) {
    struct reader_item item;
    assert_int_equal(reader_next(&reader, &item), 1);
    assert_int_equal(item.kind, kind);
    assert_non_null(item.record);
    assert_int_equal(item.record->position, position);
    assert_int_equal(item.record->type, type);
}

static void assert_range(enum reader_kind kind, uint64_t from, uint64_t to) {
    struct reader_item item;
    assert_int_equal(reader_next(&reader, &item), 1);
    assert_int_equal(item.kind, kind);
    assert_null(item.record);
    assert_int_equal(item.jump->gap.from, from);
    assert_int_equal(item.jump->gap.to, to);
}

static void assert_end(void) {
    struct reader_item item;
    assert_int_equal(reader_next(&reader, &item), 0);
    assert_int_equal(reader_next(&reader, &item), 0);
    reader_end(&reader);
}

static void drain_up_to(uint64_t position, uint64_t next_sequence) {
    head.start.position = position;
    head.start.sequence = next_sequence;
    head.start.epoch = head.epoch_highest = writer.epoch;
}

static void an_empty_ring_has_no_item(void **state) {
    (void)state;
    read_with_drained();
    assert_end();
}

static void records_are_read_in_their_order(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t first = put(RECORD_DATA, 8, 0);
    const uint64_t second = put(RECORD_VOID, 0, 1);
    recover();
    reader_begin(&reader, &input, &recovery);
    assert_record(READER_WAITING, 0, RECORD_MARKER);
    assert_record(READER_WAITING, first, RECORD_DATA);
    assert_record(READER_WAITING, second, RECORD_VOID);
    assert_end();
}

static void void_and_lost_ranges_stand_between_the_records(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t lost = put_record();
    const uint64_t kept = put_record();
    const uint64_t torn = put_record();
    damage_payload(lost);
    damage_payload(torn);
    writer.sequence = 3;
    const uint64_t marker = put_marker(torn, NULL);
    const uint64_t last = put_record();
    read_with_drained();
    assert_record(READER_WAITING, 0, RECORD_MARKER);
    assert_range(READER_DAMAGE, lost, kept);
    assert_record(READER_WAITING, kept, RECORD_DATA);
    assert_range(READER_VOID, torn, marker);
    assert_record(READER_WAITING, marker, RECORD_MARKER);
    assert_record(READER_WAITING, last, RECORD_DATA);
    assert_end();
}

static void drained_records_come_first_as_long_as_they_are_whole(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t gone = put_record();
    const uint64_t drained = put_record();
    drain_up_to(writer.position, writer.sequence);
    const uint64_t waiting = put_record();
    damage_payload(gone);
    read_with_drained();
    assert_record(READER_DRAINED, 0, RECORD_MARKER);
    assert_record(READER_DRAINED, drained, RECORD_DATA);
    assert_record(READER_WAITING, waiting, RECORD_DATA);
    assert_end();
    reader_begin(&reader, &input, &recovery);
    assert_record(READER_WAITING, waiting, RECORD_DATA);
    assert_end();
}

static void drained_records_that_a_later_lap_has_overwritten_are_not_shown(void **state) {
    (void)state;
    put_marker(0, NULL);
    while (writer.position < CAPACITY) {
        put_record();
    }
    const uint64_t drained = writer.position - 2 * BLOCK;
    drain_up_to(writer.position - BLOCK, writer.sequence - 1);
    for (int i = 0; i < 6; i++) {
        put_record();
    }
    read_with_drained();
    assert_record(READER_DRAINED, drained, RECORD_DATA);
    assert_record(READER_WAITING, drained + BLOCK, RECORD_DATA);
    for (uint64_t i = 0; i < 6; i++) {
        assert_record(READER_WAITING, CAPACITY + i * BLOCK, RECORD_DATA);
    }
    assert_end();
}

static void a_void_record_is_not_taken_for_a_drained_one(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t kept = put_record();
    const uint64_t end = writer.position;
    const uint64_t voided = put_record(); /* was in flight at a crash, and is whole by chance behind a torn one */
    writer.sequence = 2;
    const uint64_t marker = put_marker(end, NULL);
    const uint64_t next = put_record();
    drain_up_to(writer.position, writer.sequence);
    assert_int_equal(record_judge(image, CAPACITY, voided, CRC_SEED), RECORD_VALID);
    read_with_drained();
    assert_record(READER_DRAINED, 0, RECORD_MARKER);
    assert_record(READER_DRAINED, kept, RECORD_DATA);
    assert_record(READER_DRAINED, marker, RECORD_MARKER);
    assert_record(READER_DRAINED, next, RECORD_DATA);
    assert_end();
}

#define READER_TEST(name) cmocka_unit_test_setup_teardown(name, empty_ring, free_recovery)

int main(void) {
    const struct CMUnitTest tests[] = {
        READER_TEST(an_empty_ring_has_no_item),
        READER_TEST(records_are_read_in_their_order),
        READER_TEST(void_and_lost_ranges_stand_between_the_records),
        READER_TEST(drained_records_come_first_as_long_as_they_are_whole),
        READER_TEST(drained_records_that_a_later_lap_has_overwritten_are_not_shown),
        READER_TEST(a_void_record_is_not_taken_for_a_drained_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
