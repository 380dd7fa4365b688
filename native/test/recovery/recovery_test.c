/* SPDX-License-Identifier: Apache-2.0 */
/* The log that a medium proves: each rule, and each kind of damage. */
#include "recovery/log_image.h"

static void an_empty_ring_proves_no_record(void **state) {
    (void)state;
    recover();
    assert_int_equal(recovery.records, 0);
    assert_int_equal(recovery.log_end, 0);
    assert_int_equal(recovery.next_sequence, 1);
    assert_int_equal(recovery.epoch_highest, 0);
    assert_int_equal(recovery.marker_position, 0);
    assert_int_equal(recovery.jump_count, 0);
}

static void the_log_is_followed_from_the_checkpoint_to_its_end(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    head.start.position = writer.position;
    head.start.sequence = writer.sequence;
    head.start.epoch = 1;
    put_record();
    put_record();
    recover();
    assert_int_equal(recovery.records, 2);
    assert_int_equal(recovery.first_sequence, 2);
    assert_int_equal(recovery.next_sequence, 4);
    assert_int_equal(recovery.log_end, writer.position);
    assert_int_equal(recovery.marker_position, writer.position);
    assert_int_equal(recovery.epoch_highest, 1);
    assert_int_equal(recovery.durable_position, writer.durable_position);
}

static void several_records_of_a_commit_follow_each_other_and_the_last_one_ends_its_block(void **state) {
    (void)state;
    put_marker(0, NULL);
    put(RECORD_DATA, 10, 0);
    put(RECORD_VOID, 0, 0);
    put(RECORD_DATA, 0, 1);
    assert_int_equal(writer.position, 2 * BLOCK);
    put_record();
    recover();
    assert_int_equal(recovery.records, 3); /* a void record does not count, but has a sequence */
    assert_int_equal(recovery.next_sequence, 5);
    assert_int_equal(recovery.lost, 0);
}

static void a_log_goes_on_behind_the_pad_at_the_end_of_a_lap(void **state) {
    (void)state;
    head.start.position = writer.position = CAPACITY - BLOCK;
    put(RECORD_DATA, 1000, 0);
    put(RECORD_PAD, (uint32_t)(lap_remaining(writer.position, CAPACITY) - RECORD_HEADER_BYTES), 0);
    assert_int_equal(writer.position, CAPACITY);
    put_record();
    recover();
    assert_int_equal(recovery.records, 2);
    assert_int_equal(recovery.log_end, CAPACITY + BLOCK);
}

static void a_torn_record_that_nothing_proves_is_the_end_and_no_loss(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t torn = put_record();
    damage_payload(torn);
    recover();
    assert_int_equal(recovery.records, 1);
    assert_int_equal(recovery.lost, 0);
    assert_int_equal(recovery.jump_count, 0);
    assert_int_equal(recovery.log_end, torn);
    assert_int_equal(recovery.next_sequence, 2);
}

static void a_record_of_an_earlier_lap_is_no_part_of_the_log(void **state) {
    (void)state;
    writer.sequence = 1;
    put_marker(0, NULL);
    put_record();
    head.start.position = CAPACITY;
    head.start.sequence = writer.sequence;
    head.start.epoch = 1;
    recover();
    assert_int_equal(recovery.records, 0);
    assert_int_equal(recovery.log_end, CAPACITY);
}

static void a_record_with_another_sequence_than_the_next_is_no_part_of_the_log(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    writer.sequence += 1;
    put(RECORD_DATA, PAYLOAD_BYTES, 1);
    recover();
    assert_int_equal(recovery.records, 1);
    assert_int_equal(recovery.next_sequence, 2);
}

static void a_record_of_a_lower_epoch_does_not_follow(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_marker(BLOCK, NULL);
    writer.epoch = 1;
    put(RECORD_DATA, PAYLOAD_BYTES, 1);
    recover();
    assert_int_equal(recovery.records, 0);
    assert_int_equal(recovery.epoch_highest, 2);
}

static void a_marker_voids_what_lies_between_it_and_the_end_of_the_log(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t end = writer.position;
    put_record();
    put_record();
    writer.sequence = 2; /* the open found the log's end there, and went beyond all that had been in flight */
    const uint64_t marker = put_marker(end, NULL);
    put_record();
    recover();
    assert_int_equal(recovery.jump_count, 1);
    assert_jump(0, end, marker, 0, 0, 0);
    assert_int_equal(recovery.records, 2);
    assert_int_equal(recovery.lost, 0);
    assert_int_equal(recovery.next_sequence, 3);
}

static void of_several_markers_that_end_the_log_here_the_newest_counts(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t end = writer.position;
    writer.position += BLOCK;
    put_marker(end, NULL);
    const uint64_t second = put_marker(end, NULL);
    put_record();
    recover();
    assert_jump(0, end, second, 0, 0, 0);
    assert_int_equal(recovery.records, 2);
}

static void the_marker_goes_beyond_the_writes_that_were_in_flight_when_the_ring_failed(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    head.in_flight_end = 5 * BLOCK;
    recover();
    assert_int_equal(recovery.log_end, 2 * BLOCK);
    assert_int_equal(recovery.marker_position, 5 * BLOCK);
}

static void the_watermark_and_the_epoch_are_the_highest_that_anything_proves(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    head.epoch_highest = 7;
    head.durable_position = writer.position;
    head.durable_sequence = writer.sequence;
    recover();
    assert_int_equal(recovery.epoch_highest, 7);
    assert_int_equal(recovery.durable_position, writer.position);
}

static void a_whole_capacity_is_walked_and_no_more(void **state) {
    (void)state;
    put_marker(0, NULL);
    for (int i = 0; i < 7; i++) {
        put_record();
    }
    recover();
    assert_int_equal(recovery.records, 7);
    assert_int_equal(recovery.log_end, CAPACITY);
}

static void the_longest_record_and_all_streams_are_known(void **state) {
    (void)state;
    static const uint16_t streams[] = {0, 5, LAYOUT_STREAMS_MAX, 2};
    put_marker(0, NULL);
    for (size_t i = 0; i < sizeof streams / sizeof *streams; i++) {
        struct record_header *header = header_at(put(RECORD_DATA, i == 1 ? 900 : 30, 1));
        const struct record_seal seal = {.position = header->position,
                                         .durable_position = header->durable_position,
                                         .durable_next_sequence = header->sequence - header->in_flight,
                                         .epoch = header->epoch,
                                         .last = 1};
        header->stream = streams[i];
        record_seal(header, &seal, CRC_SEED);
    }
    recover();
    assert_int_equal(recovery.records, 4);
    assert_int_equal(recovery.longest, 900);
    assert_int_equal(recovery.streams, 1 | 1 << 5 | 1 << 2);
    assert_true(recovery.has_foreign_stream);
}

/* The last one may begin in the window and end beyond it, where the first one of the walk stands. */
static void a_record_that_ends_beyond_the_window_is_no_part_of_the_log(void **state) {
    (void)state;
    const uint64_t begin = 10 * RECORD_ALIGN_BYTES, over = CAPACITY - BLOCK;
    head.start.position = writer.position = begin;
    put(RECORD_DATA, PAYLOAD_BYTES, 0);
    put(RECORD_DATA, (uint32_t)(over - writer.position - RECORD_HEADER_BYTES), 0);
    put(RECORD_DATA, BLOCK - RECORD_HEADER_BYTES, 1);
    assert_int_equal(writer.position, CAPACITY);
    put(RECORD_DATA, 500, 1); /* its payload holds the first one, as it stands there */
    recover();
    assert_int_equal(recovery.records, 3);
    assert_int_equal(recovery.log_end, CAPACITY);
}

static void recovering_changes_nothing(void **state) {
    (void)state;
    static uint8_t before[CAPACITY];
    put_marker(0, NULL);
    put_record();
    damage_payload(put_record());
    put_record();
    memcpy(before, image, sizeof image);
    recover();
    assert_memory_equal(before, image, sizeof image);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_ring_proves_no_record, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(the_log_is_followed_from_the_checkpoint_to_its_end, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(several_records_of_a_commit_follow_each_other_and_the_last_one_ends_its_block,
                                        empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(a_log_goes_on_behind_the_pad_at_the_end_of_a_lap, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(a_torn_record_that_nothing_proves_is_the_end_and_no_loss, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(a_record_of_an_earlier_lap_is_no_part_of_the_log, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(a_record_with_another_sequence_than_the_next_is_no_part_of_the_log, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(a_record_of_a_lower_epoch_does_not_follow, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(a_marker_voids_what_lies_between_it_and_the_end_of_the_log, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(of_several_markers_that_end_the_log_here_the_newest_counts, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(the_marker_goes_beyond_the_writes_that_were_in_flight_when_the_ring_failed,
                                        empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(the_watermark_and_the_epoch_are_the_highest_that_anything_proves, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(a_whole_capacity_is_walked_and_no_more, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(the_longest_record_and_all_streams_are_known, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(a_record_that_ends_beyond_the_window_is_no_part_of_the_log, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(recovering_changes_nothing, empty_ring, free_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
