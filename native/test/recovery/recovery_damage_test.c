/* SPDX-License-Identifier: Apache-2.0 */
/* Records that were durable and have rotted: the report about them, and what stays on the medium. */
#include <errno.h>

#include "recovery/log_image.h"

static void a_payload_that_rotted_below_the_watermark_is_reported_and_the_later_records_are_kept(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t lost = put_record();
    const uint64_t kept = put_record();
    put_record();
    damage_payload(lost);
    recover();
    assert_int_equal(recovery.lost, 1);
    assert_int_equal(recovery.records, 3);
    assert_int_equal(recovery.jump_count, 1);
    assert_jump(0, lost, kept, 2, 1, 1);
    assert_true(recovery.jumps[0].fresh);
    assert_int_equal(recovery.next_sequence, 5);
}

static void blocks_that_are_gone_are_counted_by_the_sequences_around_them(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t lost = put_record();
    put_record();
    damage_block(lost);
    damage_block(lost + BLOCK);
    const uint64_t kept = put_record();
    recover();
    assert_jump(0, lost, kept, 2, 2, 1);
    assert_int_equal(recovery.records, 2);
}

static void a_loss_up_to_the_watermark_is_proven_by_a_checkpoint_alone(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t lost = put_record();
    head.durable_position = writer.position;
    head.durable_sequence = writer.sequence;
    damage_block(lost);
    recover();
    assert_int_equal(recovery.jump_count, 1);
    assert_jump(0, lost, lost + BLOCK, 2, 1, 1);
    assert_int_equal(recovery.next_sequence, 3);
    assert_int_equal(recovery.log_end, lost + BLOCK);
}

static void a_lost_marker_is_damage_without_a_missing_record(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t end = writer.position;
    const uint64_t marker = put_marker(end, NULL);
    const uint64_t next = put_record();
    damage_block(marker);
    recover();
    assert_int_equal(recovery.lost, 0);
    assert_jump(0, end, next, 0, 0, 1);
    assert_int_equal(recovery.records, 2);
}

static void records_that_a_lost_marker_had_voided_do_not_come_back(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t end = writer.position;
    put_record(); /* torn */
    put_record(); /* this record is whole, was in flight at the same time, and was never acknowledged */
    damage_block(end);
    const uint64_t voided = end + BLOCK;
    assert_int_equal(record_judge(image, CAPACITY, voided, CRC_SEED), RECORD_VALID);
    writer.sequence = 2;
    const uint64_t marker = put_marker(end, NULL);
    const uint64_t next = put_record();
    put_record();
    damage_block(marker);
    recover();
    assert_int_equal(recovery.jump_count, 1);
    assert_jump(0, end, next, 0, 0, 1);
    assert_int_equal(recovery.records, 3);
    assert_int_equal(recovery.next_sequence, 4);
}

static void a_loss_that_an_open_has_told_stays_one_even_if_it_reads_again(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t unreadable_once = put_record();
    const uint64_t kept = put_record();
    const struct marker_loss loss = {.from = unreadable_once, .to = kept, .first_sequence = 2, .count = 1};
    put_marker(writer.position, &loss);
    put_record();
    recover();
    assert_int_equal(recovery.lost, 1);
    assert_jump(0, unreadable_once, kept, 2, 1, 1);
    assert_false(recovery.jumps[0].fresh);
    assert_int_equal(recovery.records, 3);
}

static void the_marker_lists_the_losses_that_were_found_with_it(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t lost = put_record();
    const uint64_t kept = put_record();
    put_record();
    damage_payload(lost);
    recover();
    struct marker marker;
    const uint32_t bytes = recovery_make_marker(&recovery, 2, 99, &marker);
    assert_int_equal(bytes, offsetof(struct marker, losses) + sizeof(struct marker_loss));
    assert_int_equal(marker.loss_count, 1);
    assert_int_equal(marker.losses[0].from, lost);
    assert_int_equal(marker.losses[0].to, kept);
    assert_int_equal(marker.losses[0].first_sequence, 2);
    assert_int_equal(marker.losses[0].count, 1);
    assert_int_equal(marker.epoch, 2);
    assert_int_equal(marker.opened_ns, 99);
    assert_int_equal(marker.log_end, writer.position);
    assert_int_equal(marker.next_sequence, 5);
}

static void the_statement_names_what_is_there_and_what_is_lost_and_promises_nothing(void **state) {
    (void)state;
    char text[512];
    recover();
    recovery_statement(&recovery, text, sizeof text);
    assert_string_equal(text, "the ring is new; nothing shows that a record was ever written to it");
    put_marker(0, NULL);
    recover();
    recovery_statement(&recovery, text, sizeof text);
    assert_string_equal(text, "no record was waiting in the ring; nothing shows that a record was ever written to it");
    put_record();
    recover();
    recovery_statement(&recovery, text, sizeof text);
    assert_string_equal(text,
                        "1 record was waiting in the ring (sequences 1..1) and goes to the log file; the last provable "
                        "record is 1");
    const uint64_t lost = put_record();
    put_record();
    damage_payload(lost);
    recover();
    recovery_statement(&recovery, text, sizeof text);
    assert_string_equal(
        text, "2 records were waiting in the ring (sequences 1..3) and go to the log file; LOST: records 2..2 "
              "(1), damaged at positions 8192..12288; the last provable record is 3");
}

static void a_statement_is_cut_to_its_room_and_terminated(void **state) {
    (void)state;
    char text[512], cut[512];
    recover();
    recovery_statement(&recovery, text, sizeof text);
    for (size_t room = 1; room <= strlen(text); room++) {
        memset(cut, 'x', sizeof cut);
        recovery_statement(&recovery, cut, room);
        assert_int_equal(strlen(cut), room - 1);
        assert_memory_equal(cut, text, room - 1);
    }
}

static void a_record_beyond_the_window_proves_that_checkpoints_were_lost(void **state) {
    (void)state;
    put_marker(0, NULL);
    writer.position = CAPACITY + 2 * BLOCK;
    put_record();
    const struct recovery_input input = {.image = image, .shape = log_shape, .crc_seed = CRC_SEED, .head = head};
    assert_int_equal(recovery_run(&platform_linux, &input, &recovery), -EUCLEAN);
    header_at(CAPACITY + 2 * BLOCK)->header_crc ^= 1; /* bytes that merely look like a header prove nothing */
    assert_int_equal(recovery_run(&platform_linux, &input, &recovery), 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(
            a_payload_that_rotted_below_the_watermark_is_reported_and_the_later_records_are_kept, empty_ring,
            free_recovery),
        cmocka_unit_test_setup_teardown(blocks_that_are_gone_are_counted_by_the_sequences_around_them, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(a_loss_up_to_the_watermark_is_proven_by_a_checkpoint_alone, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(a_lost_marker_is_damage_without_a_missing_record, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(records_that_a_lost_marker_had_voided_do_not_come_back, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(a_loss_that_an_open_has_told_stays_one_even_if_it_reads_again, empty_ring,
                                        free_recovery),
        cmocka_unit_test_setup_teardown(the_marker_lists_the_losses_that_were_found_with_it, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(the_statement_names_what_is_there_and_what_is_lost_and_promises_nothing,
                                        empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(a_statement_is_cut_to_its_room_and_terminated, empty_ring, free_recovery),
        cmocka_unit_test_setup_teardown(a_record_beyond_the_window_proves_that_checkpoints_were_lost, empty_ring,
                                        free_recovery),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
