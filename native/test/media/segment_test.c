/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "media/segment.h"

#define CRC_SEED 0x1234u

static const uint8_t folder_uuid[16] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
static const uint8_t ring_uuid[16] = {21, 22, 23};

static struct segments_head some_head(void) {
    struct segments_head head;
    segments_head_make(&head, folder_uuid, "orders", 12345);
    return head;
}

static struct segment_header some_header(void) {
    struct segment_header header;
    segment_header_make(&header, folder_uuid, ring_uuid, 48213, 100000);
    return header;
}

static enum segment_verdict judge_head_with_good_crc(struct segments_head *head) {
    head->crc = crc32c(0, head, offsetof(struct segments_head, crc));
    return segments_head_judge(head);
}

static enum segment_verdict judge_with_good_crc(struct segment_header *header) {
    header->crc = crc32c(crc32c(0, header->folder_uuid, 16), header, offsetof(struct segment_header, crc));
    return segment_header_judge(header, folder_uuid);
}

static void a_new_head_is_valid_and_says_what_it_was_told(void **state) {
    (void)state;
    const struct segments_head head = some_head();
    assert_int_equal(segments_head_judge(&head), SEGMENT_VALID);
    assert_memory_equal(&head, "BURSTFOL", 8);
    assert_memory_equal(head.uuid, folder_uuid, 16);
    assert_int_equal(head.created_ns, 12345);
    assert_int_equal(head.name_bytes, 6);
    assert_string_equal(head.name, "orders");
}

static void every_flipped_bit_of_head_and_header_is_noticed(void **state) {
    (void)state;
    for (size_t bit = 0; bit < 8 * sizeof(struct segments_head); bit++) {
        struct segments_head head = some_head();
        ((uint8_t *)&head)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(segments_head_judge(&head), bit < 64 ? SEGMENT_ABSENT : SEGMENT_DAMAGED);
    }
    for (size_t bit = 0; bit < 8 * sizeof(struct segment_header); bit++) {
        struct segment_header header = some_header();
        ((uint8_t *)&header)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(segment_header_judge(&header, folder_uuid), bit < 64 ? SEGMENT_ABSENT : SEGMENT_DAMAGED);
    }
}

static void another_version_is_told_apart_from_damage(void **state) {
    (void)state;
    struct segments_head head = some_head();
    struct segment_header header = some_header();
    head.version = header.version = 2;
    assert_int_equal(judge_head_with_good_crc(&head), SEGMENT_UNKNOWN);
    assert_int_equal(judge_with_good_crc(&header), SEGMENT_UNKNOWN);
}

static void a_head_that_no_writer_makes_is_damage(void **state) {
    (void)state;
    struct segments_head head = some_head();
    head.head_bytes = 1024;
    assert_int_equal(judge_head_with_good_crc(&head), SEGMENT_DAMAGED);
    head = some_head();
    head.name_bytes = 7;
    assert_int_equal(judge_head_with_good_crc(&head), SEGMENT_DAMAGED);
    memset(head.name, 'x', sizeof head.name);
    head.name_bytes = sizeof head.name;
    assert_int_equal(judge_head_with_good_crc(&head), SEGMENT_DAMAGED);
}

static void a_name_longer_than_a_stream_may_have_is_cut(void **state) {
    (void)state;
    char name[400];
    struct segments_head head;
    memset(name, 'n', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    segments_head_make(&head, folder_uuid, name, 0);
    assert_int_equal(segments_head_judge(&head), SEGMENT_VALID);
    assert_int_equal(strlen(head.name), LAYOUT_STREAM_NAME_BYTES - 1);
}

static void a_new_header_is_valid_in_its_folder_and_in_no_other(void **state) {
    (void)state;
    uint8_t other[16] = {0};
    const struct segment_header header = some_header();
    assert_int_equal(segment_header_judge(&header, folder_uuid), SEGMENT_VALID);
    assert_int_equal(segment_header_judge(&header, other), SEGMENT_DAMAGED);
    assert_memory_equal(&header, "BURSTSEG", 8);
    assert_memory_equal(header.ring_uuid, ring_uuid, 16);
    assert_int_equal(header.first_number, 48213);
    assert_int_equal(header.first_sequence, 100000);
}

static void a_header_that_no_writer_makes_is_damage(void **state) {
    (void)state;
    struct segment_header header = some_header();
    header.header_bytes = 64;
    assert_int_equal(judge_with_good_crc(&header), SEGMENT_DAMAGED);
    header = some_header();
    header.first_number = 0;
    assert_int_equal(judge_with_good_crc(&header), SEGMENT_DAMAGED);
    header.first_number = LAYOUT_NUMBER_MAX + 1;
    assert_int_equal(judge_with_good_crc(&header), SEGMENT_DAMAGED);
    header = some_header();
    header.first_sequence = 0;
    assert_int_equal(judge_with_good_crc(&header), SEGMENT_DAMAGED);
}

static void a_name_says_the_number_and_only_such_a_name_does(void **state) {
    (void)state;
    char name[SEGMENT_NAME_BYTES];
    segment_name(name, 48213);
    assert_string_equal(name, "00000000000000048213.seg");
    assert_int_equal(segment_number_of(name), 48213);
    segment_name(name, LAYOUT_NUMBER_MAX);
    assert_int_equal(segment_number_of(name), LAYOUT_NUMBER_MAX);
    static const char *const others[] = {"",
                                         "head",
                                         "00000000000000000000.seg",
                                         "0000000000000048213.seg",
                                         "000000000000000048213.seg",
                                         "00000000000000048213.seg.gz",
                                         "00000000000000048213.idx",
                                         "0000000000000004821x.seg",
                                         "09223372036854775807.seg",
                                         "99999999999999999999.seg"};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (segment_number_of(others[i]) != 0) {
            fail_msg("%s is taken for a segment", others[i]);
        }
    }
}

/* A record as the leader seals it. */
static struct record_header sealed(const char *payload, uint32_t length) {
    struct record_header header = {.position = 4096,
                                   .sequence = 17,
                                   .length = length,
                                   .type = RECORD_DATA,
                                   .stream = 3,
                                   .event_time_ns = -5,
                                   .durable_position = 2048,
                                   .epoch = 2,
                                   .in_flight = 1,
                                   .payload_crc = crc32c(0, payload, length)};
    header.header_crc = crc32c(CRC_SEED, &header, RECORD_CRC_COVERS);
    return header;
}

static void a_frame_is_the_record_and_zeros_up_to_eight(void **state) {
    (void)state;
    uint8_t frame[80];
    memset(frame, 'x', sizeof frame);
    const struct record_header header = sealed("payload", 7);
    segment_frame_put(&header, (const uint8_t *)"payload", frame);
    assert_memory_equal(frame, &header, 56);
    assert_memory_equal(frame + 56, "payload\0", 8);
    assert_int_equal(frame[64], 'x');
    assert_int_equal(segment_frame_judge(frame, 64, CRC_SEED), FRAME_WHOLE);
    assert_int_equal(segment_frame_judge(frame, 63, CRC_SEED), FRAME_IS_LONGER);
    assert_int_equal(segment_frame_judge(frame, 56, CRC_SEED), FRAME_IS_LONGER);
    assert_int_equal(segment_frame_judge(frame, 55, CRC_SEED), FRAME_NONE);
    assert_int_equal(segment_frame_judge(frame, 64, CRC_SEED + 1), FRAME_NONE);
}

static void every_flipped_bit_of_a_frame_is_noticed(void **state) {
    (void)state;
    uint8_t frame[64];
    const struct record_header header = sealed("payload!", 8);
    segment_frame_put(&header, (const uint8_t *)"payload!", frame);
    for (size_t bit = 0; bit < 8 * sizeof frame; bit++) {
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(segment_frame_judge(frame, sizeof frame, CRC_SEED), FRAME_NONE);
        frame[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void zeros_are_no_frame(void **state) {
    (void)state;
    static const uint8_t zeros[4096];
    for (uint32_t seed = 0; seed < 1000; seed++) {
        assert_int_equal(segment_frame_judge(zeros, sizeof zeros, seed), FRAME_NONE);
    }
}

static void what_no_writer_makes_is_no_frame(void **state) {
    (void)state;
    const struct {
        uint8_t type;
        uint64_t sequence;
    } wrong[] = {{RECORD_PAD, 17},         {RECORD_VOID, 17}, {RECORD_MARKER, 17},        {6, 17},
                 {SEGMENT_FRAME_LOSS, 17}, {RECORD_DATA, 0},  {RECORD_DATA, 1ull << 63u}, {0, 17}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        uint8_t frame[64];
        struct record_header header = sealed("payload", 7);
        header.type = wrong[i].type;
        header.sequence = wrong[i].sequence;
        header.header_crc = crc32c(CRC_SEED, &header, RECORD_CRC_COVERS);
        segment_frame_put(&header, (const uint8_t *)"payload", frame);
        assert_int_equal(segment_frame_judge(frame, sizeof frame, CRC_SEED), FRAME_NONE);
    }
}

static void a_loss_is_a_frame_that_says_what_was_lost(void **state) {
    (void)state;
    uint8_t frame[200];
    const struct marker_loss loss = {.from = 4096, .to = 12288, .first_sequence = 17, .count = 5};
    assert_int_equal(segment_loss_put(&loss, CRC_SEED, frame), 88);
    assert_int_equal(segment_frame_judge(frame, 88, CRC_SEED), FRAME_WHOLE);
    assert_int_equal(segment_frame_judge(frame, 88, CRC_SEED + 1), FRAME_NONE);
    struct record_header header;
    memcpy(&header, frame, sizeof header);
    assert_int_equal(header.type, SEGMENT_FRAME_LOSS);
    assert_int_equal(header.sequence, 17);
    assert_int_equal(header.position, 4096);
    assert_memory_equal(frame + sizeof header, &loss, sizeof loss);
}

static void the_newer_of_two_positions_counts_unless_it_is_torn(void **state) {
    (void)state;
    struct segments_position slots[2], empty[2] = {{.magic = 0}};
    uint8_t other[16] = {0};
    segments_position_make(&slots[0], folder_uuid, 8, 4711, 99);
    segments_position_make(&slots[1], folder_uuid, 7, 4710, 98);
    assert_memory_equal(slots, "BURSTPOS", 8);
    assert_int_equal(slots[0].next_number, 4711);
    assert_int_equal(slots[0].written_ns, 99);
    assert_int_equal(segments_position_newest(slots, folder_uuid), 0);
    assert_int_equal(segments_position_newest(slots, other), -1);
    assert_int_equal(segments_position_newest(empty, folder_uuid), -1);
    for (size_t bit = 0; bit < 8 * sizeof slots[0]; bit++) {
        ((uint8_t *)slots)[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(segments_position_newest(slots, folder_uuid), 1);
        ((uint8_t *)slots)[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    segments_position_make(&slots[0], folder_uuid, 8, 0, 99);
    assert_int_equal(segments_position_newest(slots, folder_uuid), 1);
    segments_position_make(&slots[1], folder_uuid, LAYOUT_NUMBER_MAX + 1, 1, 99);
    assert_int_equal(segments_position_newest(slots, folder_uuid), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_new_head_is_valid_and_says_what_it_was_told),
        cmocka_unit_test(every_flipped_bit_of_head_and_header_is_noticed),
        cmocka_unit_test(another_version_is_told_apart_from_damage),
        cmocka_unit_test(a_head_that_no_writer_makes_is_damage),
        cmocka_unit_test(a_name_longer_than_a_stream_may_have_is_cut),
        cmocka_unit_test(a_new_header_is_valid_in_its_folder_and_in_no_other),
        cmocka_unit_test(a_header_that_no_writer_makes_is_damage),
        cmocka_unit_test(a_name_says_the_number_and_only_such_a_name_does),
        cmocka_unit_test(a_frame_is_the_record_and_zeros_up_to_eight),
        cmocka_unit_test(every_flipped_bit_of_a_frame_is_noticed),
        cmocka_unit_test(zeros_are_no_frame),
        cmocka_unit_test(what_no_writer_makes_is_no_frame),
        cmocka_unit_test(a_loss_is_a_frame_that_says_what_was_lost),
        cmocka_unit_test(the_newer_of_two_positions_counts_unless_it_is_torn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
