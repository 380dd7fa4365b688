/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of the flight recorder's file: what is valid, and how a histogram is packed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "media/flight.h"

#define ID 4711u

static void a_line_is_valid_in_its_place_with_its_crc(void **state) {
    (void)state;
    struct flight_line line = {.kind = FLIGHT_SECOND, .number = FLIGHT_LINES + 7, .records = 3};
    flight_seal_line(&line, ID);
    assert_true(flight_line_is_valid(&line, ID, 7));
    assert_false(flight_line_is_valid(&line, ID, 8));
    assert_false(flight_line_is_valid(&line, ID + 1, 7)); /* of an earlier file */
    line.latency[FLIGHT_BUCKETS - 1] ^= 1;
    assert_false(flight_line_is_valid(&line, ID, 7));
    memset(&line, 0, sizeof line);
    assert_false(flight_line_is_valid(&line, 0, 0));
    line.number = FLIGHT_LINES * (FLIGHT_NUMBER_MAX / FLIGHT_LINES + 1);
    flight_seal_line(&line, ID);
    assert_false(flight_line_is_valid(&line, ID, 0));
}

static void an_event_is_valid_only_with_an_end(void **state) {
    (void)state;
    struct flight_event event = {.number = 5};
    memset(event.text, 'x', sizeof event.text);
    flight_seal_event(&event, ID);
    assert_false(flight_event_is_valid(&event, ID, 5));
    event.text[FLIGHT_TEXT_BYTES - 1] = '\0';
    flight_seal_event(&event, ID);
    assert_true(flight_event_is_valid(&event, ID, 5));
    assert_false(flight_event_is_valid(&event, ID, 6));
}

static void a_head_is_judged(void **state) {
    (void)state;
    struct flight_head head = {.id = ID};
    assert_int_equal(flight_judge_head(&head), FLIGHT_IS_FOREIGN);
    flight_seal_head(&head);
    assert_int_equal(flight_judge_head(&head), FLIGHT_IS_OURS);
    head.uuid[3] ^= 1;
    assert_int_equal(flight_judge_head(&head), FLIGHT_IS_OTHER);
    flight_seal_head(&head);
    assert_int_equal(flight_judge_head(&head), FLIGHT_IS_OURS);
    head.version++; /* with a CRC that fits */
    struct flight_head sealed = head;
    flight_seal_head(&sealed);
    head.crc = sealed.crc;
    assert_int_equal(flight_judge_head(&head), FLIGHT_IS_OTHER);
}

static void each_time_is_in_its_bucket(void **state) {
    (void)state;
    static struct histogram histogram;
    static const struct {
        uint64_t ns;
        unsigned bucket;
    } cases[] = {{0, 0},          {127, 0},  {128, 0},      {191, 0},          {192, 1},          {256, 2},
                 {1u << 10, 6},   {1536, 7}, {1000000, 25}, {25769803775, 54}, {25769803776, 55}, {1ull << 36, 55},
                 {UINT64_MAX, 55}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t packed[FLIGHT_BUCKETS];
        memset(&histogram, 0, sizeof histogram);
        histogram_record(&histogram, cases[i].ns);
        flight_pack(&histogram, packed);
        for (unsigned bucket = 0; bucket < FLIGHT_BUCKETS; bucket++) {
            assert_int_equal(packed[bucket], bucket == cases[i].bucket);
        }
        assert_true(flight_bucket_begin(cases[i].bucket) <= cases[i].ns);
    }
    for (unsigned bucket = 0; bucket < FLIGHT_BUCKETS; bucket++) {
        assert_true(flight_bucket_begin(bucket) < flight_bucket_begin(bucket + 1));
    }
}

static void a_count_is_kept_to_a_sixteenth(void **state) {
    (void)state;
    static struct histogram histogram;
    for (uint64_t count = 1; count < 400000; count += 1 + count / 50) {
        uint8_t packed[FLIGHT_BUCKETS];
        histogram.counts[histogram_bucket(1000)] = count;
        flight_pack(&histogram, packed);
        const uint32_t told = flight_count(packed[5]);
        assert_true(told <= count && count - told <= count / 16);
        assert_true(count >= 32 || told == count);
    }
    for (unsigned packed = 1; packed < 256; packed++) {
        assert_true(flight_count((uint8_t)packed) > flight_count((uint8_t)(packed - 1)));
    }
    histogram.counts[histogram_bucket(1000)] = UINT64_MAX;
    uint8_t packed[FLIGHT_BUCKETS];
    flight_pack(&histogram, packed);
    assert_int_equal(packed[5], 255);
    assert_int_equal(flight_count(255), 507904);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_valid_in_its_place_with_its_crc),
        cmocka_unit_test(an_event_is_valid_only_with_an_end),
        cmocka_unit_test(a_head_is_judged),
        cmocka_unit_test(each_time_is_in_its_bucket),
        cmocka_unit_test(a_count_is_kept_to_a_sixteenth),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
