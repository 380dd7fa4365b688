/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "media/record.h"

#define BLOCK 4096u
#define CAPACITY (8u * BLOCK)
#define CRC_SEED 0x1234u

static _Alignas(8) uint8_t image[CAPACITY];

/* Puts a whole record at the position; returns its header. */
static struct record_header *put(uint64_t position, uint8_t type, uint32_t length) {
    struct record_header *header = (struct record_header *)(image + position % CAPACITY);
    memset(header, 0, sizeof *header);
    memset(header + 1, 'x', length);
    header->sequence = 50;
    header->length = length;
    header->type = type;
    header->event_time_ns = -5;
    header->payload_crc = type == RECORD_PAD ? 0 : crc32c(0, header + 1, length);
    const struct record_seal seal = {
        .position = position, .durable_position = position - 64, .durable_next_sequence = 47, .epoch = 9, .last = 0};
    record_seal(header, &seal, CRC_SEED);
    return header;
}

static void sealing_fills_what_the_leader_knows_and_keeps_what_the_producer_wrote(void **state) {
    (void)state;
    const uint64_t position = 5 * (uint64_t)CAPACITY + 128;
    struct record_header *header = put(position, RECORD_DATA, 10);
    assert_int_equal(header->position, position);
    assert_int_equal(header->durable_position, position - 64);
    assert_int_equal(header->epoch, 9);
    assert_int_equal(header->sequence - header->in_flight, 47);
    assert_int_equal(header->flags, 0);
    assert_int_equal(header->sequence, 50);
    assert_int_equal(header->event_time_ns, -5);
    header->flags = RECORD_ENQUEUED;
    const struct record_seal seal = {.position = position, .durable_next_sequence = 47, .epoch = 9, .last = 1};
    record_seal(header, &seal, CRC_SEED);
    assert_int_equal(header->flags, RECORD_ENQUEUED | RECORD_LAST);
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_VALID);
}

static void every_flipped_bit_of_header_and_payload_is_noticed(void **state) {
    (void)state;
    const uint64_t position = CAPACITY + 256;
    const uint32_t length = 100;
    put(position, RECORD_DATA, length);
    for (size_t bit = 0; bit < 8 * (RECORD_HEADER_BYTES + length); bit++) {
        uint8_t *byte = image + 256 + bit / 8;
        *byte ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED),
                         bit < 8 * RECORD_HEADER_BYTES ? RECORD_INVALID : RECORD_HEADER_ONLY);
        *byte ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_VALID);
}

static void a_record_is_valid_at_its_own_position_only(void **state) {
    (void)state;
    put(CAPACITY + 512, RECORD_DATA, 20);
    assert_int_equal(record_judge(image, CAPACITY, 512, CRC_SEED), RECORD_INVALID);
    assert_int_equal(record_judge(image, CAPACITY, 2 * CAPACITY + 512, CRC_SEED), RECORD_INVALID);
    memmove(image + 1024, image + 512, 200);
    assert_int_equal(record_judge(image, CAPACITY, CAPACITY + 1024, CRC_SEED), RECORD_INVALID);
}

static void a_record_of_another_ring_is_not_valid(void **state) {
    (void)state;
    put(0 * CAPACITY + 64, RECORD_DATA, 20);
    assert_int_equal(record_judge(image, CAPACITY, 64, CRC_SEED), RECORD_VALID);
    assert_int_equal(record_judge(image, CAPACITY, 64, CRC_SEED ^ 1), RECORD_INVALID);
    const uint8_t ours[16] = {1}, others[16] = {2};
    assert_int_not_equal(crc_seed_of(ours), crc_seed_of(others));
}

static void unknown_types_and_lengths_beyond_the_lap_are_not_valid(void **state) {
    (void)state;
    const uint64_t position = CAPACITY - 128;
    put(position, RECORD_DATA, 128 - RECORD_HEADER_BYTES);
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_VALID);
    struct record_header *header = (struct record_header *)(image + position);
    const struct record_seal seal = {.position = position, .durable_next_sequence = 47, .epoch = 9};
    header->length = 0;
    header->payload_crc = 0;
    record_seal(header, &seal, CRC_SEED);
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_VALID);
    header->length = 128 - RECORD_HEADER_BYTES + 1;
    record_seal(header, &seal, CRC_SEED);
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_INVALID);
    header->length = UINT32_MAX;
    record_seal(header, &seal, CRC_SEED);
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_INVALID);
    for (unsigned type = 0; type < 256; type += type == 0 ? RECORD_MARKER + 1 : 1) {
        header->length = 0;
        header->type = (uint8_t)type;
        record_seal(header, &seal, CRC_SEED);
        assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_INVALID);
    }
}

static void the_end_of_a_lap_that_is_too_short_for_a_header_holds_no_record(void **state) {
    (void)state;
    memset(image + CAPACITY - 48, 0xff, 48);
    for (uint64_t left = 8; left < RECORD_HEADER_BYTES; left += 8) {
        assert_int_equal(record_judge(image, CAPACITY, CAPACITY - left, CRC_SEED), RECORD_INVALID);
        assert_int_equal(record_start(CAPACITY - left, CAPACITY), CAPACITY);
    }
    assert_int_equal(record_start(CAPACITY - RECORD_HEADER_BYTES, CAPACITY), CAPACITY - RECORD_HEADER_BYTES);
}

static void the_payload_of_a_pad_does_not_matter(void **state) {
    (void)state;
    const uint64_t position = CAPACITY - 1024;
    put(position, RECORD_PAD, 1024 - RECORD_HEADER_BYTES);
    image[position + 500] ^= 1;
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_VALID);
}

static void numbers_that_no_writer_makes_are_not_valid_whatever_their_crc(void **state) {
    (void)state;
    const uint64_t position = CAPACITY + 64;
    struct record_header *header = put(position, RECORD_DATA, 20);
    const struct record_seal wrong[] = {
        {.position = position,
         .durable_position = position + 8,
         .durable_next_sequence = 50}, /* watermark beyond itself */
        {.position = position,
         .durable_position = position - 4,
         .durable_next_sequence = 50},                      /* a watermark where none can be */
        {.position = position, .durable_next_sequence = 0}, /* before sequence 1 */
        {.position = position, .durable_next_sequence = 51},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        record_seal(header, &wrong[i], CRC_SEED);
        assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_INVALID);
    }
    header->sequence = LAYOUT_NUMBER_MAX + 1;
    const struct record_seal far = {.position = position, .durable_next_sequence = LAYOUT_NUMBER_MAX};
    record_seal(header, &far, CRC_SEED);
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_INVALID);
    header->sequence = LAYOUT_NUMBER_MAX;
    record_seal(header, &far, CRC_SEED);
    assert_int_equal(record_judge(image, CAPACITY, position, CRC_SEED), RECORD_VALID);
}

static void a_marker_has_the_length_that_its_losses_take_and_a_block_of_its_own(void **state) {
    (void)state;
    struct record_header *header = put(CAPACITY, RECORD_MARKER, offsetof(struct marker, losses));
    struct marker *marker = (struct marker *)(header + 1);
    memset(marker, 0, offsetof(struct marker, losses));
    header->flags = RECORD_LAST;
    assert_true(marker_is_whole(header, BLOCK));
    header->flags = 0;
    assert_false(marker_is_whole(header, BLOCK));
    header->flags = RECORD_LAST;
    header->length--;
    assert_false(marker_is_whole(header, BLOCK));
    header->length++;
    const uint32_t counts[] = {1, MARKER_LOSSES_MAX + 1, UINT32_MAX};
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        marker->loss_count = counts[i];
        assert_false(marker_is_whole(header, BLOCK));
    }
    marker->loss_count = 0;
    marker->log_end = CAPACITY + 8; /* behind the marker itself */
    assert_false(marker_is_whole(header, BLOCK));
    marker->log_end = CAPACITY;
    assert_true(marker_is_whole(header, BLOCK));
    header->position += 8;
    assert_false(marker_is_whole(header, BLOCK));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sealing_fills_what_the_leader_knows_and_keeps_what_the_producer_wrote),
        cmocka_unit_test(every_flipped_bit_of_header_and_payload_is_noticed),
        cmocka_unit_test(a_record_is_valid_at_its_own_position_only),
        cmocka_unit_test(a_record_of_another_ring_is_not_valid),
        cmocka_unit_test(unknown_types_and_lengths_beyond_the_lap_are_not_valid),
        cmocka_unit_test(the_end_of_a_lap_that_is_too_short_for_a_header_holds_no_record),
        cmocka_unit_test(the_payload_of_a_pad_does_not_matter),
        cmocka_unit_test(numbers_that_no_writer_makes_are_not_valid_whatever_their_crc),
        cmocka_unit_test(a_marker_has_the_length_that_its_losses_take_and_a_block_of_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
