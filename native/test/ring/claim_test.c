/* SPDX-License-Identifier: Apache-2.0 */
#include "ring/fake_device.h"

#include <pthread.h>

/* As an append does it. */
static int claim(struct ring *ring, uint64_t bytes, struct claim *claim) {
    return claim_usual(ring, bytes, claim) ? 0 : claim_record(ring, bytes, claim);
}

static struct claim claimed(struct ring *ring, uint64_t bytes) {
    struct claim got;
    assert_int_equal(claim(ring, bytes, &got), 0);
    return got;
}

static void assert_refused(struct ring *ring, uint64_t bytes, int code) {
    struct claim got;
    const uint64_t before = ring_claimed(ring);
    assert_false(claim_usual(ring, bytes, &got));
    assert_int_equal(claim_record(ring, bytes, &got), -code);
    assert_false(claim_usual(ring, bytes, &got)); /* claim_record may have been granted space */
    assert_int_equal(ring_claimed(ring), before);
}

static void position_and_sequence_are_whole_again_wherever_their_low_bits_wrap(void **state) {
    (void)state;
    const uint64_t laps[] = {0, (1ull << 39) - 4096, 1ull << 39, (7ull << 39) - 8, (1ull << 60) + 8};
    const uint64_t ahead[] = {0, 8, 4096, (1ull << 38) - 8, (1ull << 39) - 8};
    for (size_t i = 0; i < sizeof laps / sizeof laps[0]; i++) {
        for (size_t j = 0; j < sizeof ahead / sizeof ahead[0]; j++) {
            const uint64_t word = claim_pack(laps[i] + ahead[j], 0, CLAIM_CLOSED | CLAIM_FAILED | CLAIM_LED);
            assert_int_equal(claim_position(word, laps[i]), laps[i] + ahead[j]);
        }
    }
    const uint64_t sequences[] = {1, (1ull << 25) - 1, 1ull << 25, (9ull << 25) - 1, (1ull << 50) + 3};
    const uint64_t more[] = {0, 1, (1ull << 24), (1ull << 25) - 1};
    for (size_t i = 0; i < sizeof sequences / sizeof sequences[0]; i++) {
        for (size_t j = 0; j < sizeof more / sizeof more[0]; j++) {
            const uint64_t word = claim_pack(88, sequences[i] + more[j], CLAIM_CLOSED | CLAIM_FAILED | CLAIM_LED);
            assert_int_equal(claim_sequence(word, sequences[i]), sequences[i] + more[j]);
        }
    }
}

static void claims_stand_one_after_the_other(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    uint64_t position = BLOCK_BYTES;
    for (uint64_t sequence = 1; sequence <= 20; sequence++) {
        const struct claim claim = claimed(ring, record_bytes(sequence));
        assert_int_equal(claim.position, position);
        assert_int_equal(claim.sequence, sequence);
        assert_int_equal(claim.pad_position, UINT64_MAX);
        position += record_bytes(sequence);
        assert_int_equal(ring_claimed(ring), position);
        assert_int_equal(ring_next_sequence(ring), sequence + 1);
    }
}

#define THREADS 4
#define CLAIMS 5000

static void *claim_many(void *argument) {
    struct claim *claims = argument;
    for (int i = 0; i < CLAIMS; i++) {
        if (claim(fake_device.ring, record_bytes(8), &claims[i]) != 0) {
            abort();
        }
    }
    return NULL;
}

static void sequences_are_gapless_and_ranges_disjoint_among_threads(void **state) {
    (void)state;
    static struct claim claims[THREADS][CLAIMS];
    static uint64_t positions[THREADS * CLAIMS + 1];
    begun_ring(LARGE_BYTES, 1);
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, claim_many, claims[i]);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
        for (int j = 0; j < CLAIMS; j++) {
            assert_in_range(claims[i][j].sequence, 1, THREADS * CLAIMS);
            assert_int_equal(positions[claims[i][j].sequence], 0);
            positions[claims[i][j].sequence] = claims[i][j].position;
        }
    }
    for (uint64_t sequence = 1; sequence <= THREADS * CLAIMS; sequence++) {
        assert_int_equal(positions[sequence], BLOCK_BYTES + (sequence - 1) * record_bytes(8));
    }
}

#define ODD_BYTES (7u * BLOCK_BYTES) /* the word's position wraps in the midst of a lap */
#define RECORDS_OVER_THE_WRAP 60

static void claims_stand_one_after_the_other_where_the_words_position_and_sequence_wrap(void **state) {
    (void)state;
    const uint64_t wraps[] = {(1ull << 39) / ODD_BYTES * ODD_BYTES, (1ull << 39) - BLOCK_BYTES};
    for (size_t i = 0; i < sizeof wraps / sizeof wraps[0]; i++) {
        const uint64_t first = (1ull << 26) - RECORDS_OVER_THE_WRAP / 2;
        struct ring *ring = make_ring(ODD_BYTES, 1);
        ring_begin(
            ring, &(struct ring_start){.position = wraps[i], .next_sequence = first, .released = wraps[i], .epoch = 2});
        uint64_t position = wraps[i];
        for (uint64_t sequence = first; sequence < first + RECORDS_OVER_THE_WRAP; sequence++) {
            const struct claim claim = claimed(ring, record_bytes(BLOCK_BYTES / 2));
            assert_true(claim.position == position || claim.position % ODD_BYTES == 0);
            assert_ptr_equal(claim.header, fake_device.image + claim.position % ODD_BYTES);
            assert_int_equal(claim.sequence, sequence);
            position = claim.position + record_bytes(BLOCK_BYTES / 2);
            assert_int_equal(ring_claimed(ring), position);
            assert_int_equal(ring_next_sequence(ring), sequence + 1);
            atomic_store(&ring->durable_next_sequence, sequence + 1);
            ring_release(ring, position);
        }
        assert_true(position > 1ull << 39);
        free_ring(NULL);
    }
}

static void a_closed_ring_stays_closed_at_the_last_sequence_of_the_word(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    atomic_store(&ring->durable_next_sequence, CLAIM_SEQUENCE_MASK);
    atomic_store(&ring->claim, claim_pack(BLOCK_BYTES, CLAIM_SEQUENCE_MASK, CLAIM_CLOSED | CLAIM_FAILED));
    assert_refused(ring, RECORD_HEADER_BYTES, EIO);
    atomic_store(&ring->claim, claim_pack(BLOCK_BYTES, CLAIM_SEQUENCE_MASK, CLAIM_CLOSED));
    assert_refused(ring, RECORD_HEADER_BYTES, ESHUTDOWN);
    atomic_store(&ring->claim, claim_pack(BLOCK_BYTES, CLAIM_SEQUENCE_MASK, 0));
    assert_int_equal(claimed(ring, RECORD_HEADER_BYTES).sequence, CLAIM_SEQUENCE_MASK);
    assert_int_equal(claimed(ring, RECORD_HEADER_BYTES).sequence, CLAIM_SEQUENCE_MASK + 1);
}

static void a_lap_of_records_is_claimed_the_usual_way(void **state) {
    (void)state;
    struct ring *ring = begun_ring(LARGE_BYTES, 1);
    struct claim got;
    for (uint64_t position = BLOCK_BYTES; position < LARGE_BYTES - 3 * BLOCK_BYTES; position += BLOCK_BYTES) {
        assert_true(claim_usual(ring, BLOCK_BYTES, &got));
        assert_int_equal(got.position, position);
    }
    assert_false(claim_usual(ring, BLOCK_BYTES, &got)); /* the last block: claim_record looks closely */
    assert_int_equal(claim_record(ring, BLOCK_BYTES, &got), 0);
}

/* A ring whose next claim is `left` bytes before the end of its lap. */
static struct ring *ring_near_lap_end(uint64_t left) {
    struct ring *ring = make_ring(SMALL_BYTES, 1);
    ring_begin(ring, &(struct ring_start){
                         .position = 7 * BLOCK_BYTES, .next_sequence = 41, .released = 6 * BLOCK_BYTES, .epoch = 2});
    const uint32_t length = (uint32_t)(BLOCK_BYTES - left - RECORD_HEADER_BYTES);
    const struct claim claim = claimed(ring, record_bytes(length));
    claim_publish(ring, &claim, fake_device.medium, length, 0, (struct claim_label){0});
    assert_int_equal(ring_claimed(ring), SMALL_BYTES - left);
    return ring;
}

static void the_end_of_a_lap_that_is_too_short_becomes_a_pad(void **state) {
    (void)state;
    for (uint64_t left = RECORD_HEADER_BYTES; left <= 3 * RECORD_HEADER_BYTES; left += 8) {
        struct ring *ring = ring_near_lap_end(left);
        const struct claim claim = claimed(ring, record_bytes(left));
        assert_int_equal(claim.pad_position, SMALL_BYTES - left);
        assert_int_equal(claim.position, SMALL_BYTES);
        assert_int_equal(claim.sequence, 42);
        uint8_t payload[200] = {1, 2, 3};
        claim_publish(ring, &claim, payload, (uint32_t)left, 0, (struct claim_label){0});
        assert_int_equal(ring_commit(ring), 1);
        assert_durable(ring, SMALL_BYTES + BLOCK_BYTES, 43);
        assert_int_equal(record_judge(fake_device.medium, SMALL_BYTES, claim.pad_position, SEED), RECORD_VALID);
        const struct record_header *pad = record_at(fake_device.medium, SMALL_BYTES, claim.pad_position);
        assert_int_equal(pad->type, RECORD_PAD);
        assert_int_equal(pad->sequence, 42);
        const struct walk_shape shape = ring_shape(ring);
        assert_int_equal(walk_end_of_record(&shape, claim.pad_position, pad), SMALL_BYTES);
        assert_int_equal(record_judge(fake_device.medium, SMALL_BYTES, claim.position, SEED), RECORD_VALID);
        assert_int_equal(record_at(fake_device.medium, SMALL_BYTES, claim.position)->sequence, 42);
        free_ring(NULL);
    }
}

static void the_end_of_a_lap_that_holds_no_header_gets_no_pad(void **state) {
    (void)state;
    for (uint64_t left = 8; left < RECORD_HEADER_BYTES; left += 8) {
        struct ring *ring = ring_near_lap_end(left);
        const struct claim claim = claimed(ring, RECORD_HEADER_BYTES);
        assert_int_equal(claim.pad_position, UINT64_MAX);
        assert_int_equal(claim.position, SMALL_BYTES);
        claim_publish(ring, &claim, "", 0, 0, (struct claim_label){0});
        assert_int_equal(ring_commit(ring), 1);
        assert_durable(ring, SMALL_BYTES + BLOCK_BYTES, 43);
        assert_int_equal(record_judge(fake_device.medium, SMALL_BYTES, claim.position, SEED), RECORD_VALID);
        free_ring(NULL);
    }
}

static void a_record_that_just_fits_the_lap_needs_no_pad(void **state) {
    (void)state;
    for (uint64_t left = RECORD_HEADER_BYTES; left <= 3 * RECORD_HEADER_BYTES; left += 8) {
        struct ring *ring = ring_near_lap_end(left);
        const struct claim claim = claimed(ring, left);
        assert_int_equal(claim.pad_position, UINT64_MAX);
        assert_int_equal(claim.position, SMALL_BYTES - left);
        assert_int_equal(ring_claimed(ring), SMALL_BYTES);
        free_ring(NULL);
    }
}

static void a_record_that_is_8_bytes_too_long_for_the_lap_begins_the_next(void **state) {
    (void)state;
    for (uint64_t left = 8; left <= 3 * RECORD_HEADER_BYTES; left += 8) {
        struct ring *ring = ring_near_lap_end(left);
        const uint64_t bytes = left + 8 < RECORD_HEADER_BYTES ? RECORD_HEADER_BYTES : left + 8;
        const struct claim claim = claimed(ring, bytes);
        assert_int_equal(claim.pad_position, left < RECORD_HEADER_BYTES ? UINT64_MAX : SMALL_BYTES - left);
        assert_int_equal(claim.position, SMALL_BYTES);
        assert_int_equal(ring_claimed(ring), SMALL_BYTES + bytes);
        free_ring(NULL);
    }
}

static void nothing_is_claimed_into_the_two_blocks_kept_for_the_next_markers(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    for (int block = 1; block < 5; block++) {
        claimed(ring, BLOCK_BYTES);
    }
    assert_refused(ring, BLOCK_BYTES + 8, EAGAIN);
    claimed(ring, BLOCK_BYTES - 56);
    claimed(ring, 56);
    assert_int_equal(ring_claimed(ring), 6 * BLOCK_BYTES);
    assert_refused(ring, RECORD_HEADER_BYTES, EAGAIN);
    ring_release(ring, BLOCK_BYTES - 8); /* space is freed by whole blocks */
    assert_refused(ring, RECORD_HEADER_BYTES, EAGAIN);
    ring_release(ring, BLOCK_BYTES);
    claimed(ring, BLOCK_BYTES);
    assert_int_equal(ring_claimed(ring), 7 * BLOCK_BYTES);
    assert_refused(ring, RECORD_HEADER_BYTES, EAGAIN);
}

static void a_pad_counts_as_space_too(void **state) {
    (void)state;
    struct ring *ring = ring_near_lap_end(64);
    ring_release(ring, 7 * BLOCK_BYTES);
    assert_refused(ring, 5 * BLOCK_BYTES + 8, EAGAIN);
    const struct claim claim = claimed(ring, 5 * BLOCK_BYTES);
    assert_int_equal(claim.pad_position, SMALL_BYTES - 64);
    assert_int_equal(ring_claimed(ring), SMALL_BYTES + 5 * BLOCK_BYTES);
}

static void no_more_are_under_way_than_their_sequences_can_be_told_apart(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    uint64_t durable, next;
    ring_durable(ring, &durable, &next);
    atomic_store(&ring->claim, claim_pack(durable, next + CLAIM_SEQUENCES_IN_FLIGHT - 1, 0));
    assert_int_equal(claimed(ring, 64).sequence, next + CLAIM_SEQUENCES_IN_FLIGHT - 1);
    assert_refused(ring, 64, EAGAIN);
    atomic_store(&ring->durable_next_sequence, next + 1);
    assert_int_equal(claimed(ring, 64).sequence, next + CLAIM_SEQUENCES_IN_FLIGHT);
}

static void a_closed_ring_refuses(void **state) {
    (void)state;
    struct ring *ring = make_ring(SMALL_BYTES, 1);
    struct claim claim;
    assert_int_equal(claim_record(ring, 56, &claim), -ESHUTDOWN); /* not begun */
    ring_begin(ring, &(struct ring_start){.position = BLOCK_BYTES, .next_sequence = 1, .epoch = 1});
    assert_int_equal(ring_append(ring, "a", 1, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(ring_enqueue(ring, "b", 1, 0, &stream_0, &fake_rule), 2);
    ring_refuse(ring);
    assert_refused(ring, RECORD_HEADER_BYTES, ESHUTDOWN);
    assert_int_equal(ring_append(ring, "c", 1, 0, &stream_0, &fake_rule), -ESHUTDOWN);
    assert_int_equal(ring_next_sequence(ring), 3);
    assert_int_equal(ring_commit(ring), 1); /* an accepted record is still committed */
    assert_durable(ring, 3 * BLOCK_BYTES, 3);
}

static void a_failed_ring_refuses_with_its_first_reason(void **state) {
    (void)state;
    struct ring *ring = begun_ring(SMALL_BYTES, 1);
    assert_int_equal(ring_enqueue(ring, "a", 1, 0, &stream_0, &fake_rule), 1);
    assert_int_equal(ring_enqueue(ring, "b", 1, 0, &stream_0, &fake_rule), 2);
    ring_fail(ring, "reason %d", 1);
    ring_fail(ring, "reason %d", 2);
    assert_string_equal(ring->failure, "reason 1 (2 enqueued records are lost)");
    assert_int_equal(atomic_load(&ring->lost_enqueued), 2);
    assert_refused(ring, RECORD_HEADER_BYTES, EIO);
    ring_refuse(ring);
    assert_refused(ring, RECORD_HEADER_BYTES, EIO);
    assert_int_equal(ring_append(ring, "c", 1, 0, &stream_0, &fake_rule), -EIO);
    assert_non_null(strstr(error_text(), "reason 1"));
    assert_int_equal(ring_enqueue(ring, "c", 1, 0, &stream_0, &never_waits), -EIO);
    assert_int_equal(ring_commit(ring), -EIO);
    assert_int_equal(ring_await_durable(ring, 1, -1), -EIO);
    assert_durable(ring, BLOCK_BYTES, 1);
    assert_int_equal(fake_device.submitted, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(position_and_sequence_are_whole_again_wherever_their_low_bits_wrap),
        RING_TEST(claims_stand_one_after_the_other),
        RING_TEST(sequences_are_gapless_and_ranges_disjoint_among_threads),
        RING_TEST(claims_stand_one_after_the_other_where_the_words_position_and_sequence_wrap),
        RING_TEST(a_closed_ring_stays_closed_at_the_last_sequence_of_the_word),
        RING_TEST(a_lap_of_records_is_claimed_the_usual_way),
        RING_TEST(the_end_of_a_lap_that_is_too_short_becomes_a_pad),
        RING_TEST(the_end_of_a_lap_that_holds_no_header_gets_no_pad),
        RING_TEST(a_record_that_just_fits_the_lap_needs_no_pad),
        RING_TEST(a_record_that_is_8_bytes_too_long_for_the_lap_begins_the_next),
        RING_TEST(nothing_is_claimed_into_the_two_blocks_kept_for_the_next_markers),
        RING_TEST(a_pad_counts_as_space_too),
        RING_TEST(no_more_are_under_way_than_their_sequences_can_be_told_apart),
        RING_TEST(a_closed_ring_refuses),
        RING_TEST(a_failed_ring_refuses_with_its_first_reason),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
