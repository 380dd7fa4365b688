/* SPDX-License-Identifier: Apache-2.0 */
/* Space that the drain freed is granted late and in parts, and the window's floor moves before it. */
#include "fake_device.h"

#define RING_BYTES (64 * BLOCK_BYTES)
#define PART_BYTES (RING_BYTES / RING_START_SHARE)

static _Alignas(4096) uint8_t pages[WINDOW_PAGES_BYTES];
static struct window window;

static struct ring *full_ring(void) {
    struct ring *ring = make_ring(RING_BYTES, 1);
    memset(pages, 0, sizeof pages);
    window = window_at(pages);
    ring->window = &window;
    ring_begin(ring, &(struct ring_start){.position = BLOCK_BYTES, .next_sequence = 1, .released = 0, .epoch = 1});
    struct claim claim;
    int rc;
    while ((rc = claim_record(ring, BLOCK_BYTES, &claim)) == 0) {
        claim_publish(ring, &claim, fake_device.medium, BLOCK_BYTES - RECORD_HEADER_BYTES, 0, (struct claim_label){0});
    }
    assert_int_equal(rc, -EAGAIN);
    assert_int_equal(ring_commit(ring), 1);
    return ring;
}

static void the_window_has_the_watermark_of_the_ring(void **state) {
    (void)state;
    const struct ring *ring = full_ring();
    uint64_t position, sequence, in_window, sequence_in_window;
    ring_durable(ring, &position, &sequence);
    assert_int_equal(window_get_watermark(window.lines, &in_window, &sequence_in_window), 0);
    assert_int_equal(in_window, position);
    assert_int_equal(sequence_in_window, sequence);
    assert_true(sequence > 1);
}

static void freed_space_stays_readable_until_a_producer_needs_it(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    struct claim claim;
    for (uint64_t freed = PART_BYTES; freed <= 8 * PART_BYTES; freed += PART_BYTES) {
        ring_release(ring, freed);
    }
    assert_int_equal(ring->released, 0);
    assert_int_equal(window.lines->floor, 0);
    assert_int_equal(claim_record(ring, BLOCK_BYTES, &claim), 0);
    assert_int_equal(ring->released, PART_BYTES);
    assert_int_equal(window.lines->floor, PART_BYTES);
    assert_int_equal(claim_record(ring, 2 * PART_BYTES, &claim), 0); /* takes as many parts as it needs */
    assert_int_equal(ring->released, 3 * PART_BYTES);
}

static void space_that_was_freed_between_two_starts_is_granted_too(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    struct claim claim;
    ring_release(ring, PART_BYTES + 104);
    ring_release(ring, PART_BYTES + 2 * BLOCK_BYTES);
    assert_int_equal(claim_record(ring, BLOCK_BYTES, &claim), 0);
    assert_int_equal(ring->released, PART_BYTES + 104);
    for (uint64_t blocks = PART_BYTES / BLOCK_BYTES - 1; blocks > 0; blocks--) {
        assert_int_equal(claim_record(ring, BLOCK_BYTES, &claim), 0);
    }
    assert_int_equal(claim_record(ring, 2 * BLOCK_BYTES, &claim), 0);
    assert_int_equal(ring->released, PART_BYTES + 2 * BLOCK_BYTES);
    assert_int_equal(window.lines->floor, PART_BYTES + 2 * BLOCK_BYTES);
    assert_int_equal(claim_record(ring, BLOCK_BYTES, &claim), -EAGAIN);
}

static void a_producer_that_another_one_served_looks_again(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    ring_release(ring, PART_BYTES);
    assert_int_equal(ring_grant(ring, 0), 1);
    assert_int_equal(ring_grant(ring, 0), 1);
    assert_int_equal(ring->released, PART_BYTES);
    assert_int_equal(ring_grant(ring, PART_BYTES), 0);
}

static void starts_of_earlier_laps_are_passed_over(void **state) {
    (void)state;
    struct ring *ring = full_ring();
    struct claim claim;
    uint64_t freed = 0;
    for (unsigned turn = 0; turn < 3 * WINDOW_STARTS; turn++) {
        ring_release(ring, freed += PART_BYTES);
        for (uint64_t blocks = PART_BYTES / BLOCK_BYTES; blocks > 0; blocks--) {
            assert_int_equal(claim_record(ring, BLOCK_BYTES, &claim), 0);
        }
        assert_int_equal(ring->released, freed);
        assert_int_equal(window.starts->positions[(window.lines->starts_count - 1) % WINDOW_STARTS], freed);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_window_has_the_watermark_of_the_ring, free_ring),
        cmocka_unit_test_teardown(freed_space_stays_readable_until_a_producer_needs_it, free_ring),
        cmocka_unit_test_teardown(space_that_was_freed_between_two_starts_is_granted_too, free_ring),
        cmocka_unit_test_teardown(a_producer_that_another_one_served_looks_again, free_ring),
        cmocka_unit_test_teardown(starts_of_earlier_laps_are_passed_over, free_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
