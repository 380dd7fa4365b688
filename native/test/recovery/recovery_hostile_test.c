/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes with right CRCs that no writer makes: they must not lead recovery out of the image. */
#include "recovery/log_image.h"

static void assert_within_the_window(void) {
    const uint64_t end = recovery.start + CAPACITY;
    assert_true(recovery.log_end <= end);
    assert_true(recovery.durable_position <= end);
    uint64_t from = recovery.start;
    for (size_t i = 0; i < recovery.jump_count; i++) {
        assert_true(recovery.jumps[i].gap.from >= from);
        assert_true(recovery.jumps[i].gap.to > recovery.jumps[i].gap.from);
        assert_true(recovery.jumps[i].gap.to <= end);
        from = recovery.jumps[i].gap.to;
    }
    assert_true(recovery.records + recovery.lost <= recovery.next_sequence - recovery.first_sequence);
}

/* Puts a marker at the writer's position, with these fields and this length. */
static uint64_t put_odd_marker(uint64_t log_end, uint32_t loss_count, uint32_t length, int last) {
    struct marker *marker = (struct marker *)(header_at(writer.position) + 1);
    memset(marker, 0, offsetof(struct marker, losses));
    writer.epoch++;
    marker->log_end = log_end;
    marker->loss_count = loss_count;
    return put(RECORD_MARKER, length, last);
}

static void a_marker_that_counts_more_losses_than_it_holds_is_not_believed(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t end = writer.position;
    put_odd_marker(end, UINT32_MAX, offsetof(struct marker, losses), 1);
    recover();
    assert_int_equal(recovery.log_end, end);
    assert_int_equal(recovery.records, 1);
    assert_within_the_window();
}

/* A marker is replaced in place: a block from an odd position would not be within the image. */
static void a_marker_off_a_block_boundary_is_not_believed(void **state) {
    (void)state;
    put_marker(0, NULL);
    writer.position = CAPACITY - BLOCK - 2048;
    head.start.position = writer.position;
    put_odd_marker(writer.position, 0, offsetof(struct marker, losses), 1);
    recover();
    assert_int_equal(recovery.log_end, CAPACITY - BLOCK - 2048);
    assert_int_equal(recovery.marker_position % BLOCK, 0);
    assert_within_the_window();
}

static void a_marker_without_the_last_flag_is_not_believed(void **state) {
    (void)state;
    put_odd_marker(0, 0, offsetof(struct marker, losses), 0);
    recover();
    assert_int_equal(recovery.log_end, 0);
}

static void assert_loss_is_not_believed(struct marker_loss loss) {
    empty_ring(NULL);
    put_marker(0, NULL);
    put_record();
    loss.from = put_record();
    put_record();
    put_marker(writer.position, &loss);
    recover();
    assert_int_equal(recovery.records, 3);
    assert_int_equal(recovery.lost, 0);
    assert_within_the_window();
}

static void a_listed_loss_that_leads_outside_is_not_believed(void **state) {
    (void)state;
    const struct marker_loss wrong[] = {
        {.to = UINT64_MAX - 7, .first_sequence = 2, .count = 1},
        {.to = 5 * BLOCK, .first_sequence = 2, .count = 1}, /* behind the marker that lists it */
        {.to = 0, .first_sequence = 2, .count = 1},
        {.to = 2 * BLOCK, .first_sequence = 2, .count = 1}, /* a range without a length */
        {.to = 3 * BLOCK + 4, .first_sequence = 2, .count = 1},
        {.to = 3 * BLOCK, .first_sequence = UINT64_MAX, .count = 2},
        {.to = 3 * BLOCK, .first_sequence = 2, .count = UINT64_MAX},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_loss_is_not_believed(wrong[i]);
    }
}

static void a_listed_loss_never_takes_a_sequence_back(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t at = put_record();
    const uint64_t next = put_record();
    const struct marker_loss loss = {.from = at, .to = next, .first_sequence = 1, .count = 0};
    put_marker(writer.position, &loss);
    recover();
    assert_true(recovery.next_sequence >= 2);
    assert_within_the_window();
}

static void a_record_beyond_the_window_is_not_the_next(void **state) {
    (void)state;
    head.start.position = 2 * BLOCK;
    writer.position = CAPACITY;
    /* The log is empty from the drained position to the lap's end; then a record claims
     * bytes behind the window, too. */
    const uint64_t position = put(RECORD_DATA, 4 * BLOCK, 1);
    head.start.position = position - CAPACITY + 2 * BLOCK;
    head.durable_position = position;
    head.durable_sequence = 1;
    recover();
    assert_int_equal(recovery.records, 0);
    assert_within_the_window();
}

static void a_watermark_beyond_the_window_proves_nothing(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t end = writer.position;
    head.durable_position = 64 * CAPACITY;
    head.durable_sequence = LAYOUT_NUMBER_MAX;
    recover();
    assert_int_equal(recovery.log_end, end);
    assert_int_equal(recovery.lost, 0);
    assert_within_the_window();
}

/* The next open must say the same as this marker, since its own marker takes the place. */
static void a_loss_that_only_a_marker_behind_the_log_knows_is_listed_again(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t lost = put_record();
    put_record();
    const uint64_t end = writer.position;
    const struct marker_loss loss = {.from = lost, .to = lost + BLOCK, .first_sequence = 1, .count = 1};
    writer.sequence = 9; /* not the next */
    put_marker(end, &loss);
    head.durable_position = 0;
    recover();
    assert_int_equal(recovery.lost, 1);
    assert_int_equal(recovery.log_end, end);
    static struct marker next;
    recovery_make_marker(&recovery, 3, 0, &next);
    assert_int_equal(next.loss_count, 1);
    assert_int_equal(next.losses[0].from, lost);
}

static void a_marker_with_another_sequence_does_not_end_the_log(void **state) {
    (void)state;
    put_marker(0, NULL);
    put_record();
    const uint64_t end = writer.position;
    writer.position += BLOCK;
    writer.sequence = 7;
    put_odd_marker(end, 0, offsetof(struct marker, losses), 1);
    recover();
    assert_int_equal(recovery.jump_count, 0);
    assert_int_equal(recovery.log_end, end);
}

static void markers_that_name_each_other_come_to_an_end(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t second = writer.position;
    put_odd_marker(second, 0, offsetof(struct marker, losses), 1); /* ends the log where it begins */
    put_odd_marker(0, 0, offsetof(struct marker, losses), 1);
    put_odd_marker(second, 0, offsetof(struct marker, losses), 1);
    recover();
    assert_int_equal(recovery.log_end, writer.position);
    assert_within_the_window();
}

#define HOSTILE_TEST(name) cmocka_unit_test_setup_teardown(name, empty_ring, free_recovery)

/* Damage may lead the log to this record: so the next epoch must be above its epoch, or the next
 * records cannot follow it. */
static void a_record_inside_the_payload_of_another_does_not_outrank_the_next_open(void **state) {
    (void)state;
    put_marker(0, NULL);
    const uint64_t outer = writer.position;
    writer.position = outer + RECORD_HEADER_BYTES;
    writer.epoch = 50;
    writer.sequence = 2;
    put(RECORD_DATA, 8, 0);
    writer.position = outer;
    writer.epoch = 1;
    writer.sequence = 9; /* not the next sequence: damage */
    put(RECORD_DATA, RECORD_HEADER_BYTES + 8, 1);
    put_record();
    recover();
    assert_int_equal(recovery.records, 1);
    assert_int_equal(recovery.epoch_highest, 50);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        HOSTILE_TEST(a_marker_that_counts_more_losses_than_it_holds_is_not_believed),
        HOSTILE_TEST(a_marker_off_a_block_boundary_is_not_believed),
        HOSTILE_TEST(a_marker_without_the_last_flag_is_not_believed),
        HOSTILE_TEST(a_listed_loss_that_leads_outside_is_not_believed),
        HOSTILE_TEST(a_listed_loss_never_takes_a_sequence_back),
        HOSTILE_TEST(a_record_beyond_the_window_is_not_the_next),
        HOSTILE_TEST(a_watermark_beyond_the_window_proves_nothing),
        HOSTILE_TEST(a_loss_that_only_a_marker_behind_the_log_knows_is_listed_again),
        HOSTILE_TEST(a_marker_with_another_sequence_does_not_end_the_log),
        HOSTILE_TEST(markers_that_name_each_other_come_to_an_end),
        HOSTILE_TEST(a_record_inside_the_payload_of_another_does_not_outrank_the_next_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
