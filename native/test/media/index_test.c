/* SPDX-License-Identifier: Apache-2.0 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "media/index.h"
#include "media/layout.h"

#define ITEMS 7

static const struct index_item items[ITEMS] = {
    {.kind = INDEX_AWAITED, .sequence = 5, .bytes = 100, .time_ns = 1700000000000000000},
    {.kind = INDEX_ENQUEUED, .sequence = 6, .bytes = 0, .time_ns = 1699999999000000000},
    {.kind = INDEX_DURABLE, .sequence = 6, .time_ns = 1700000000000004711},
    {.kind = INDEX_LOSS, .sequence = 7, .count = 3, .bytes = 80},
    {.kind = INDEX_AWAITED, .sequence = 500, .bytes = 1u << 30, .time_ns = INT64_MIN},
    {.kind = INDEX_AWAITED, .sequence = LAYOUT_NUMBER_MAX, .bytes = 1, .time_ns = INT64_MAX},
    {.kind = INDEX_DURABLE, .sequence = 1, .time_ns = -1},
};
static const struct index_place start = {.sequence = 5, .offset = 1000, .time_ns = 1699999999999999999};
static _Alignas(8) uint8_t bytes[1024];

static size_t put_all(uint8_t *out) {
    struct index_place place = start;
    size_t used = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        const size_t length = index_put(&place, &items[i], out + used);
        assert_in_range(length, 3, INDEX_ITEM_BYTES);
        used += length;
    }
    return used;
}

static void items_come_back_as_they_were_put(void **state) {
    (void)state;
    const size_t used = put_all(bytes);
    struct index_place place = start;
    uint64_t offset = start.offset;
    size_t at = 0;
    for (size_t i = 0; i < ITEMS; i++) {
        struct index_item item;
        const size_t length = index_take(&place, bytes + at, used - at, &item);
        assert_true(length > 0);
        assert_int_equal(item.kind, items[i].kind);
        assert_int_equal(item.sequence, items[i].sequence);
        assert_int_equal(item.bytes, items[i].bytes);
        assert_int_equal(item.count, items[i].count);
        assert_int_equal(item.time_ns, items[i].time_ns);
        assert_int_equal(item.offset, offset);
        offset += items[i].bytes;
        at += length;
    }
    assert_int_equal(at, used);
    assert_int_equal(place.offset, offset);
    assert_int_equal(place.sequence, LAYOUT_NUMBER_MAX + 1);
}

static void records_go_on_behind_a_loss(void **state) {
    (void)state;
    struct index_place place = start;
    index_put(&place, &items[3], bytes);
    assert_int_equal(place.sequence, 10);
    assert_int_equal(place.offset, start.offset + 80);
}

static void a_line_of_a_log_takes_few_bytes(void **state) {
    (void)state;
    struct index_place place = start;
    const struct index_item item = {
        .kind = INDEX_AWAITED, .sequence = 5, .bytes = 200, .time_ns = start.time_ns + 1000000};
    assert_true(index_put(&place, &item, bytes) <= 6);
}

static void cut_items_are_none(void **state) {
    (void)state;
    const size_t used = put_all(bytes);
    for (size_t end = 0; end < used; end++) {
        struct index_place place = start;
        struct index_item item;
        size_t at = 0, length;
        while ((length = index_take(&place, bytes + at, end - at, &item)) > 0) {
            at += length;
        }
        assert_true(at <= end);
    }
}

/* Each is one item with a number that no writer has. */
static void numbers_that_no_writer_has_are_refused(void **state) {
    (void)state;
    const struct index_item wrong[] = {
        {.kind = INDEX_AWAITED, .sequence = 0, .bytes = 1},
        {.kind = INDEX_AWAITED, .sequence = LAYOUT_NUMBER_MAX + 1, .bytes = 1},
        {.kind = INDEX_AWAITED, .sequence = 5, .bytes = (uint64_t)INT64_MAX / 4 + 1},
        {.kind = INDEX_LOSS, .sequence = 5, .count = LAYOUT_NUMBER_MAX, .bytes = 1},
        {.kind = INDEX_DURABLE, .sequence = 5, .bytes = 1},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct index_place from = start, place = start;
        struct index_item item;
        const size_t used = index_put(&from, &wrong[i], bytes);
        assert_int_equal(index_take(&place, bytes, used, &item), 0);
    }
    struct index_place place = {.sequence = 5, .offset = INT64_MAX}, from = place;
    struct index_item item;
    const size_t used = index_put(&from, &items[0], bytes);
    assert_int_equal(index_take(&place, bytes, used, &item), 0); /* behind the end of all files */
    static const uint8_t endless[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    assert_int_equal(index_take(&from, endless, sizeof endless, &item), 0);
    static const uint8_t beyond[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x02, 0, 0};
    place = start;
    assert_int_equal(index_take(&place, beyond, sizeof beyond, &item), 0);
    static const uint8_t highest[] = {0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00, 0, 0};
    assert_int_equal(index_take(&place, highest, sizeof highest, &item), sizeof highest);
}

static void a_chunk_follows_only_the_one_before_it(void **state) {
    (void)state;
    struct index_chunk *chunk = (struct index_chunk *)bytes;
    *chunk = (struct index_chunk){.sequence = 5, .offset = 1000, .time_ns = start.time_ns};
    chunk->bytes = (uint32_t)put_all(bytes + sizeof *chunk);
    const size_t size = sizeof *chunk + chunk->bytes;
    struct index_chunk head;
    index_seal_chunk(chunk, 77);
    assert_true(index_is_chunk(bytes, size, 77, &head));
    assert_true(index_is_chunk(bytes, sizeof bytes, 77, &head));
    assert_false(index_is_chunk(bytes, size, 78, &head));
    assert_false(index_is_chunk(bytes, size - 1, 77, &head));
    assert_false(index_is_chunk(bytes, sizeof *chunk - 1, 77, &head));
    assert_true(index_is_chunk(bytes, size, 77, &head));
    const struct index_place place = index_chunk_place(&head);
    assert_memory_equal(&place, &start, sizeof start);
    static uint8_t odd[sizeof bytes + 1];
    memcpy(odd + 1, bytes, sizeof bytes);
    assert_true(index_is_chunk(odd + 1, size, 77, &head)); /* chunks begin anywhere */
    for (size_t bit = 0; bit < 8 * size; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        assert_false(index_is_chunk(bytes, sizeof bytes, 77, &head));
        bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
}

static void each_flipped_bit_of_header_text_and_entry_is_noticed(void **state) {
    (void)state;
    struct index_header header = {.sequence = 5, .offset = 1000}, other = {.sequence = 6, .offset = 1000};
    struct index_text text = {.bytes = 4096, .text_crc = 4711};
    struct index_entry entry = {.sequence = 5, .offset = 1000, .latest_ns = INT64_MIN};
    index_seal_header(&header);
    index_seal_header(&other);
    index_seal_text(&text, &header);
    index_seal_entry(&entry, &header);
    assert_true(index_is_header(&header) && index_is_text(&text, &header) && index_is_entry(&entry, &header));
    assert_false(index_is_text(&text, &other));
    assert_false(index_is_entry(&entry, &other));
    for (size_t bit = 0; bit < 8 * sizeof header; bit++) {
        const uint8_t flip = (uint8_t)(1u << bit % 8);
        ((uint8_t *)&header)[bit / 8] ^= flip;
        assert_false(index_is_header(&header));
        ((uint8_t *)&header)[bit / 8] ^= flip;
        ((uint8_t *)&entry)[bit / 8] ^= flip;
        assert_false(index_is_entry(&entry, &header));
        ((uint8_t *)&entry)[bit / 8] ^= flip;
        ((uint8_t *)&text)[bit / 8 % sizeof text] ^= flip;
        assert_false(index_is_text(&text, &header));
        ((uint8_t *)&text)[bit / 8 % sizeof text] ^= flip;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(items_come_back_as_they_were_put),
        cmocka_unit_test(records_go_on_behind_a_loss),
        cmocka_unit_test(a_line_of_a_log_takes_few_bytes),
        cmocka_unit_test(cut_items_are_none),
        cmocka_unit_test(numbers_that_no_writer_has_are_refused),
        cmocka_unit_test(a_chunk_follows_only_the_one_before_it),
        cmocka_unit_test(each_flipped_bit_of_header_text_and_entry_is_noticed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
