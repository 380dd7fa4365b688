/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a roll record, and bytes that are none. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "media/roll.h"

static const struct roll full = {.footer = (const uint8_t *)"the end\n",
                                 .header = (const uint8_t *)"begin\n",
                                 .target = "/logs/a.1",
                                 .next = "/logs/b",
                                 .note = (const uint8_t *)"\0\1\2",
                                 .footer_bytes = 8,
                                 .header_bytes = 6,
                                 .target_bytes = 9,
                                 .next_bytes = 7,
                                 .note_bytes = 3,
                                 .by_caller = 1,
                                 .next_time_ns = 123456789,
                                 .next_file_bytes = 1 << 20};

/* A payload with rules: their head stands at 64, the pattern at 136. */
static const struct roll ruled = {.target = "/logs/a.1",
                                  .target_bytes = 9,
                                  .rules = {.are_there = 1,
                                            .pattern = "/logs/a.%i",
                                            .head = {.pattern_bytes = 10,
                                                     .file_mode = 0640,
                                                     .mode_is_exact = 1,
                                                     .file_owner = 1000,
                                                     .file_group = ROLL_NOBODY_ID,
                                                     .compression = ROLL_COMPRESSION_ZSTD,
                                                     .level = -3,
                                                     .delay_ns = 5000000000,
                                                     .keep_files = 7,
                                                     .keep_bytes = 1 << 30,
                                                     .keep_ns = 86400000000000,
                                                     .is_by_time = 1}}};

static uint8_t payload[8192 + 2 * LAYOUT_FILE_NAME_BYTES];
static size_t bytes;

static int encode_full(void **state) {
    (void)state;
    memset(payload, 0xee, sizeof payload);
    bytes = roll_size(&full);
    roll_encode(&full, payload);
    return 0;
}

static struct roll_head *head(void) {
    return (struct roll_head *)payload;
}

static void assert_says_nothing(void) {
    static const struct roll nothing;
    struct roll roll;
    assert_int_equal(roll_decode(payload, bytes, &roll), 0);
    assert_memory_equal(&roll, &nothing, sizeof roll);
}

static void assert_says_all(void) {
    struct roll roll;
    assert_int_equal(roll_decode(payload, bytes, &roll), 1);
    assert_int_equal(roll.footer_bytes, 8);
    assert_memory_equal(roll.footer, "the end\n", 8);
    assert_int_equal(roll.header_bytes, 6);
    assert_memory_equal(roll.header, "begin\n", 6);
    assert_int_equal(roll.target_bytes, 9);
    assert_memory_equal(roll.target, "/logs/a.1", 9);
    assert_int_equal(roll.next_bytes, 7);
    assert_memory_equal(roll.next, "/logs/b", 7);
    assert_int_equal(roll.note_bytes, 3);
    assert_memory_equal(roll.note, "\0\1\2", 3);
    assert_int_equal(roll.by_caller, 1);
    assert_int_equal(roll.next_time_ns, 123456789);
    assert_int_equal(roll.next_file_bytes, 1 << 20);
}

static void what_is_written_is_read(void **state) {
    (void)state;
    assert_int_equal(bytes, 64 + 8 + 6 + 9 + 7 + 3);
    assert_says_all();
}

static void a_roll_may_say_nothing(void **state) {
    (void)state;
    const struct roll nothing = {.footer_bytes = 0};
    struct roll roll;
    roll_encode(&nothing, payload);
    assert_int_equal(roll_decode(payload, roll_size(&nothing), &roll), 1);
    assert_int_equal(roll.footer_bytes + roll.header_bytes + roll.target_bytes + roll.next_bytes + roll.note_bytes, 0);
}

static void a_longer_head_is_of_a_newer_writer(void **state) {
    (void)state;
    memmove(payload + 72, payload + 64, bytes - 64);
    head()->bytes = 72;
    bytes += 8;
    assert_says_all();
}

static void assert_has_rules(void) {
    struct roll roll;
    assert_int_equal(roll_decode(payload, bytes, &roll), 1);
    assert_int_equal(roll.target_bytes, 9);
    assert_memory_equal(roll.target, "/logs/a.1", 9);
    const struct roll_rules_head *rules = &roll.rules.head;
    assert_int_equal(roll.rules.are_there, 1);
    assert_int_equal(rules->pattern_bytes, 10);
    assert_memory_equal(roll.rules.pattern, "/logs/a.%i", 10);
    assert_int_equal(rules->file_mode, 0640);
    assert_int_equal(rules->mode_is_exact, 1);
    assert_int_equal(rules->file_owner, 1000);
    assert_int_equal(rules->file_group, ROLL_NOBODY_ID);
    assert_int_equal(rules->compression, ROLL_COMPRESSION_ZSTD);
    assert_int_equal(rules->level, -3);
    assert_int_equal(rules->delay_ns, 5000000000);
    assert_int_equal(rules->keep_files, 7);
    assert_int_equal(rules->keep_bytes, 1 << 30);
    assert_int_equal(rules->keep_ns, 86400000000000);
    assert_int_equal(rules->is_by_time, 1);
}

/* The rest of the roll counts. */
static void assert_has_no_rules(void) {
    static const struct roll_rules nothing;
    struct roll roll;
    assert_int_equal(roll_decode(payload, bytes, &roll), 1);
    assert_memory_equal(roll.target, "/logs/a.1", 9);
    assert_memory_equal(&roll.rules, &nothing, sizeof nothing);
}

static int encode_ruled(void **state) {
    (void)state;
    bytes = roll_size(&ruled);
    roll_encode(&ruled, payload);
    return 0;
}

static struct roll_rules_head *rules(void) {
    return (struct roll_rules_head *)(payload + 64);
}

static void rules_that_are_written_are_read(void **state) {
    (void)state;
    assert_int_equal(bytes, 64 + 72 + 10 + 9);
    assert_has_rules();
}

/* It writes zero where rules_bytes stands now. A version before the rules takes them for fields that it does not know. */
static void a_record_of_an_older_version_has_no_rules(void **state) {
    (void)state;
    assert_int_equal(head()->bytes, 64 + 72 + 10);
    head()->rules_bytes = 0;
    assert_has_no_rules();
}

static void longer_rules_are_of_a_newer_writer(void **state) {
    (void)state;
    memmove(payload + 64 + 80, payload + 64 + 72, bytes - 136);
    rules()->bytes += 8;
    head()->rules_bytes += 8;
    head()->bytes += 8;
    bytes += 8;
    assert_has_rules();
    /* and so are fields behind the rules */
    memmove(payload + 64 + 98, payload + 64 + 90, 9);
    head()->bytes += 8;
    bytes += 8;
    assert_has_rules();
}

static void rules_out_of_range_are_none(void **state) {
    (void)state;
    const struct {
        uint32_t *field, value;
    } wrong[] = {{&rules()->bytes, 71},
                 {&rules()->bytes, 73},
                 {&rules()->bytes, UINT32_MAX - 9},
                 {&rules()->pattern_bytes, 9},
                 {&rules()->pattern_bytes, 11},
                 {&rules()->file_mode, 010000},
                 {&rules()->mode_is_exact, 2},
                 {&rules()->is_by_time, 2},
                 {&rules()->compression, 3},
                 {(uint32_t *)&rules()->level, 23},
                 {(uint32_t *)&rules()->level, (uint32_t)-23},
                 {(uint32_t *)&rules()->delay_ns + 1, 1u << 31},
                 {(uint32_t *)&rules()->keep_ns + 1, 1u << 31},
                 {&head()->rules_bytes, 71}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        const uint32_t before = *wrong[i].field;
        *wrong[i].field = wrong[i].value;
        assert_has_no_rules();
        *wrong[i].field = before;
    }
    assert_has_rules();
    payload[136] = 'l'; /* the pattern is no absolute path */
    assert_has_no_rules();
    payload[136] = '/';
    payload[138] = '\0';
    assert_has_no_rules();
}

static void rules_beyond_the_head_say_nothing(void **state) {
    (void)state;
    head()->rules_bytes++;
    assert_says_nothing();
    head()->rules_bytes = UINT32_MAX;
    assert_says_nothing();
}

static void lengths_that_do_not_fit_are_none(void **state) {
    (void)state;
    uint32_t *const lengths[] = {&head()->bytes,        &head()->footer_bytes, &head()->header_bytes,
                                 &head()->target_bytes, &head()->next_bytes,   &head()->note_bytes};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
        for (int by = -1; by <= 1; by += 2) {
            *lengths[i] += (uint32_t)by;
            assert_says_nothing();
            *lengths[i] -= (uint32_t)by;
        }
        const uint32_t before = *lengths[i];
        *lengths[i] = UINT32_MAX;
        assert_says_nothing();
        *lengths[i] = before;
    }
    assert_says_all();
    /* the sum fits, but no head is so short */
    head()->bytes -= 8;
    head()->footer_bytes += 8;
    assert_says_nothing();
    encode_full(NULL);
    for (bytes--; bytes > 0; bytes--) {
        assert_says_nothing();
    }
    assert_says_nothing();
}

static void lengths_that_wrap_are_none(void **state) {
    (void)state;
    *head() = (struct roll_head){.bytes = 64, .footer_bytes = 1u << 31, .header_bytes = 1u << 31};
    bytes = 64;
    assert_says_nothing();
}

static void only_absolute_paths_are_paths(void **state) {
    (void)state;
    uint8_t *target = payload + 64 + 8 + 6, *next = target + 9;
    *target = 'l';
    assert_says_nothing();
    encode_full(NULL);
    *next = '.';
    assert_says_nothing();
    encode_full(NULL);
    target[4] = '\0';
    assert_says_nothing();
    encode_full(NULL);
    next[6] = '\0';
    assert_says_nothing();
}

static void a_path_or_note_that_is_too_long_is_none(void **state) {
    (void)state;
    static char path[LAYOUT_FILE_NAME_BYTES];
    struct roll roll = {.target = path, .target_bytes = LAYOUT_FILE_NAME_BYTES - 1}, read;
    memset(path, 'x', sizeof path);
    path[0] = '/';
    roll_encode(&roll, payload);
    assert_int_equal(roll_decode(payload, roll_size(&roll), &read), 1);
    roll.target_bytes++;
    roll_encode(&roll, payload);
    bytes = roll_size(&roll);
    assert_says_nothing();
    roll = (struct roll){.note = payload + 4096, .note_bytes = ROLL_NOTE_BYTES};
    roll_encode(&roll, payload);
    assert_int_equal(roll_decode(payload, roll_size(&roll), &read), 1);
    roll.note_bytes++;
    roll_encode(&roll, payload);
    bytes = roll_size(&roll);
    assert_says_nothing();
}

static void what_is_out_of_range_says_nothing(void **state) {
    (void)state;
    head()->next_time_ns = -1;
    assert_says_nothing();
    encode_full(NULL);
    head()->by_caller = 2;
    assert_says_nothing();
    head()->by_caller = 1;
    head()->next_file_bytes = 1ull << 63;
    assert_says_nothing();
}

static void only_data_with_the_flag_is_a_roll(void **state) {
    (void)state;
    struct record_header header = {.type = RECORD_DATA, .flags = RECORD_ROLL | RECORD_LAST};
    assert_true(record_is_roll(&header));
    header.flags = RECORD_LAST | RECORD_ENQUEUED;
    assert_false(record_is_roll(&header));
    header.flags = RECORD_ROLL;
    header.type = RECORD_VOID;
    assert_false(record_is_roll(&header));
}

#define RULED(name) cmocka_unit_test_setup(name, encode_ruled)
#define TEST(name) cmocka_unit_test_setup(name, encode_full)

int main(void) {
    const struct CMUnitTest tests[] = {
        TEST(what_is_written_is_read),
        TEST(a_roll_may_say_nothing),
        TEST(a_longer_head_is_of_a_newer_writer),
        RULED(rules_that_are_written_are_read),
        RULED(a_record_of_an_older_version_has_no_rules),
        RULED(longer_rules_are_of_a_newer_writer),
        RULED(rules_out_of_range_are_none),
        RULED(rules_beyond_the_head_say_nothing),
        TEST(lengths_that_do_not_fit_are_none),
        TEST(lengths_that_wrap_are_none),
        TEST(only_absolute_paths_are_paths),
        TEST(a_path_or_note_that_is_too_long_is_none),
        TEST(what_is_out_of_range_says_nothing),
        TEST(only_data_with_the_flag_is_a_roll),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
