/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "media/durable_stamp.h"
#include "media/record.h"
#include "media/writer_note.h"

#define BLOCK 4096u
#define CAPACITY (8u * BLOCK)
#define CRC_SEED 0x1234u
#define AT (3 * (uint64_t)CAPACITY + 2 * BLOCK)
#define NS 1700000000000000000

static _Alignas(8) uint8_t image[CAPACITY];
static const struct walk_shape shape = {.capacity_bytes = CAPACITY, .block_bytes = BLOCK};
static struct durable_stamp found;

/* Puts a record of epoch 9 at AT, whose commit began with it, and a stamp behind it if there is room. */
static uint8_t *put(uint8_t type, uint32_t length, int last, const struct durable_stamp *stamp) {
    memset(image, 0, sizeof image);
    struct record_header *header = (struct record_header *)(image + AT % CAPACITY);
    *header = (struct record_header){.sequence = 50, .length = length, .type = type};
    const struct record_seal seal = {
        .position = AT, .durable_position = AT, .durable_next_sequence = 50, .epoch = 9, .last = last};
    record_seal(header, &seal, CRC_SEED);
    uint8_t *place = image + AT % CAPACITY + record_bytes(length);
    memcpy(place, stamp, sizeof *stamp);
    return place;
}

static struct durable_stamp stamp_of(uint64_t position, uint64_t next_sequence, uint32_t epoch) {
    struct durable_stamp stamp = {
        .position = position, .next_sequence = next_sequence, .durable_ns = NS, .epoch = epoch};
    durable_stamp_seal(&stamp, CRC_SEED);
    return stamp;
}

static const struct record_header *here(void) {
    return record_at(image, CAPACITY, AT);
}

static int read_it(void) {
    return durable_stamp_read(image, &shape, CRC_SEED, here(), &found);
}

static void the_stamp_of_the_commit_before_is_read(void **state) {
    (void)state;
    const struct durable_stamp stamp = stamp_of(AT, 50, 9);
    put(RECORD_DATA, 100, 1, &stamp);
    assert_int_equal(read_it(), 1);
    assert_memory_equal(&found, &stamp, sizeof stamp);
}

static void every_flipped_bit_is_noticed(void **state) {
    (void)state;
    const struct durable_stamp stamp = stamp_of(AT, 50, 9);
    uint8_t *place = put(RECORD_DATA, 100, 1, &stamp);
    for (size_t bit = 0; bit < 8 * sizeof stamp; bit++) {
        place[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_int_equal(read_it(), 0);
        place[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    assert_int_equal(read_it(), 1);
    assert_int_equal(durable_stamp_read(image, &shape, CRC_SEED + 1, here(), &found), 0);
}

/* Another process may change the one in the image at any time. */
static void only_the_given_copy_of_the_header_is_read(void **state) {
    (void)state;
    const struct durable_stamp stamp = stamp_of(AT, 50, 9);
    put(RECORD_DATA, 100, 1, &stamp);
    const struct record_header copy = *here();
    memset(image + AT % CAPACITY, 0xee, sizeof copy);
    assert_int_equal(durable_stamp_read(image, &shape, CRC_SEED, &copy, &found), 1);
    assert_memory_equal(&found, &stamp, sizeof stamp);
}

/* Bytes of earlier commits may stand there: each stamp is whole, and none is of this commit. */
static void bytes_of_another_commit_are_no_stamp_of_this_one(void **state) {
    (void)state;
    const struct durable_stamp others[] = {
        stamp_of(AT - CAPACITY, 50, 9),           /* a lap ago */
        stamp_of(AT, 50, 8),                      /* of an epoch whose end was void */
        stamp_of(AT + RECORD_ALIGN_BYTES, 50, 9), /* of a later one */
        stamp_of(AT, 51, 9),
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        put(RECORD_DATA, 100, 1, &others[i]);
        assert_int_equal(read_it(), 0);
    }
    struct durable_stamp timeless = {.position = AT, .next_sequence = 50, .epoch = 9};
    durable_stamp_seal(&timeless, CRC_SEED);
    put(RECORD_DATA, 100, 1, &timeless);
    assert_int_equal(read_it(), 0);
}

static void a_stamp_stands_only_in_a_gap_that_has_room_for_it(void **state) {
    (void)state;
    const struct durable_stamp stamp = stamp_of(AT, 50, 9);
    const uint32_t longest = BLOCK - sizeof stamp - RECORD_HEADER_BYTES;
    put(RECORD_DATA, longest, 1, &stamp);
    assert_int_equal(read_it(), 1);
    put(RECORD_DATA, longest + RECORD_ALIGN_BYTES, 1, &stamp); /* it would reach into the next block */
    assert_int_equal(read_it(), 0);
    put(RECORD_DATA, 100, 0, &stamp);
    assert_int_equal(read_it(), 0);
    put(RECORD_MARKER, 100, 1, &stamp);
    assert_int_equal(read_it(), 0);
    put(RECORD_DATA, 100, 1, &stamp);
    const struct walk_shape lines = {.capacity_bytes = CAPACITY, .block_bytes = BLOCK, .line_bytes = 64};
    assert_int_equal(durable_stamp_read(image, &lines, CRC_SEED, here(), &found), 0);
}

static void a_note_has_the_stamp_of_its_own_watermark(void **state) {
    (void)state;
    const struct writer_note note = {.durable_position = AT, .next_sequence = 50, .epoch = 9};
    const struct durable_stamp right = stamp_of(AT, 50, 9), none = {0};
    const struct durable_stamp wrong[] = {stamp_of(AT - 8, 50, 9), stamp_of(AT, 49, 9), stamp_of(AT, 50, 8), none};
    assert_true(durable_stamp_is_of(&right, &note, CRC_SEED));
    assert_false(durable_stamp_is_of(&right, &note, CRC_SEED + 1));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_false(durable_stamp_is_of(&wrong[i], &note, CRC_SEED));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_stamp_of_the_commit_before_is_read),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(only_the_given_copy_of_the_header_is_read),
        cmocka_unit_test(bytes_of_another_commit_are_no_stamp_of_this_one),
        cmocka_unit_test(a_stamp_stands_only_in_a_gap_that_has_room_for_it),
        cmocka_unit_test(a_note_has_the_stamp_of_its_own_watermark),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
