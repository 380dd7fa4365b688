/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "media/record.h"
#include "media/window.h"

static _Alignas(4096) uint8_t pages[WINDOW_PAGES_BYTES];
static struct window window;

static int begin(void **state) {
    (void)state;
    memset(pages, 0, sizeof pages);
    window = window_at(pages);
    *window.head = (struct window_head){.magic = WINDOW_MAGIC, .gap_count = 2, .uuid = {1, 2, 3}};
    window.gaps[1] = (struct window_gap){.from = 8, .to = 16, .first_sequence = 7, .count = 1, .damaged = 1};
    window_seal(&window, crc_seed_of(window.head->uuid));
    return 0;
}

static void each_bit_of_head_and_gaps_is_under_the_seal(void **state) {
    (void)state;
    assert_true(window_is_sealed(window.head, window.gaps));
    for (size_t byte = 0; byte < sizeof *window.head; byte++) {
        const size_t count = offsetof(struct window_head, gap_count);
        if (byte >= count && byte < count + sizeof window.head->gap_count) {
            continue; /* the caller bounds it before it asks */
        }
        pages[byte] ^= 4;
        assert_false(window_is_sealed(window.head, window.gaps));
        pages[byte] ^= 4;
    }
    for (size_t byte = 0; byte < 2 * sizeof *window.gaps; byte++) {
        pages[WINDOW_GAPS_OFFSET + byte] ^= 4;
        assert_false(window_is_sealed(window.head, window.gaps));
        pages[WINDOW_GAPS_OFFSET + byte] ^= 4;
    }
    window.head->gap_count = 1;
    assert_false(window_is_sealed(window.head, window.gaps));
}

static void a_watermark_is_one_pair(void **state) {
    (void)state;
    uint64_t position, sequence;
    window_put_watermark(&window, 2, 4096, 12);
    assert_int_equal(window_get_watermark(window.lines, &position, &sequence), 0);
    assert_int_equal(position, 4096);
    assert_int_equal(sequence, 12);
}

static void a_writer_that_died_in_the_middle_stops_no_reader(void **state) {
    (void)state;
    uint64_t position, sequence;
    uint8_t out[LAYOUT_CHECKPOINT_BYTES];
    window.lines->watermark_version = window.lines->checkpoint_version = 7;
    assert_int_equal(window_get_watermark(window.lines, &position, &sequence), -EAGAIN);
    assert_int_equal(window_get_checkpoint(window.lines, window.checkpoint, out), -EAGAIN);
}

static void a_checkpoint_is_copied_up_to_its_length(void **state) {
    (void)state;
    static uint8_t bytes[LAYOUT_CHECKPOINT_BYTES], out[LAYOUT_CHECKPOINT_BYTES];
    assert_int_equal(window_get_checkpoint(window.lines, window.checkpoint, out), 0);
    memset(bytes, 'c', sizeof bytes);
    window_put_checkpoint(&window, bytes, 300);
    assert_int_equal(window_get_checkpoint(window.lines, window.checkpoint, out), 300);
    assert_memory_equal(out, bytes, 300);
    assert_int_equal(out[300], 0);
    assert_int_equal(window.lines->checkpoint_version % 2, 0);
    window.lines->checkpoint_bytes = LAYOUT_CHECKPOINT_BYTES + 1;
    assert_int_equal(window_get_checkpoint(window.lines, window.checkpoint, out), -EAGAIN);
}

static void the_floor_never_goes_back(void **state) {
    (void)state;
    window_raise_floor(&window, 800);
    window_raise_floor(&window, 400);
    assert_int_equal(window.lines->floor, 800);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(each_bit_of_head_and_gaps_is_under_the_seal, begin),
        cmocka_unit_test_setup(a_watermark_is_one_pair, begin),
        cmocka_unit_test_setup(a_writer_that_died_in_the_middle_stops_no_reader, begin),
        cmocka_unit_test_setup(a_checkpoint_is_copied_up_to_its_length, begin),
        cmocka_unit_test_setup(the_floor_never_goes_back, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
