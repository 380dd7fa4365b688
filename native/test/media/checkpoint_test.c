/* SPDX-License-Identifier: Apache-2.0 */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "media/checkpoint_v1.h"

#define CRC_SEED 0x1234u

static void bind(struct checkpoint *checkpoint, const char *name) {
    memcpy(checkpoint->file_name, name, strlen(name));
    checkpoint->stream.file_name_bytes = (uint32_t)strlen(name);
}

static void the_first_checkpoint_is_that_of_an_empty_ring(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    memset(&checkpoint, 0xff, sizeof checkpoint);
    checkpoint_make_first(&checkpoint, 2, CRC_SEED);
    assert_true(checkpoint_is_valid(&checkpoint, CRC_SEED));
    assert_int_equal(checkpoint.generation, 2);
    assert_int_equal(checkpoint.epoch, 0);
    assert_int_equal(checkpoint.durable_position, 0);
    assert_int_equal(checkpoint.next_sequence, 1);
    assert_int_equal(checkpoint.in_flight_end, 0);
    assert_int_equal(checkpoint.stream_count, 1);
    assert_int_equal(checkpoint.stream.drained_position, 0);
    assert_int_equal(checkpoint.stream.next_sequence, 1);
    assert_int_equal(checkpoint.stream.file_name_bytes, 0);
    assert_int_equal(checkpoint.stream.file_bytes, 0);
}

static void every_flipped_bit_is_noticed(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    for (size_t bit = 0; bit < 8 * sizeof checkpoint; bit++) {
        uint8_t *byte = (uint8_t *)&checkpoint + bit / 8;
        *byte ^= (uint8_t)(1u << bit % 8);
        assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED));
        *byte ^= (uint8_t)(1u << bit % 8);
    }
}

static void the_figures_of_the_stages_come_back_as_they_were_put(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    burst_stage_stats_t figures[BURST_STAGES], read[BURST_STAGES];
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    assert_false(checkpoint_get_stages(&checkpoint, read));
    for (size_t i = 0; i < sizeof figures / 8; i++) {
        ((uint64_t *)figures)[i] = 1000 + i;
    }
    checkpoint_put_stages(&checkpoint, figures);
    assert_true(checkpoint_get_stages(&checkpoint, read));
    assert_memory_equal(read, figures, sizeof figures);
    const uint64_t first = 1000, last = 1034;
    assert_memory_equal((uint8_t *)&checkpoint + 3816, &first, 8); /* docs/media-format.md */
    assert_memory_equal((uint8_t *)&checkpoint + 4088, &last, 8);
}

static void a_checkpoint_of_another_ring_is_not_valid(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED + 1));
}

static void whole_but_implausible_checkpoints_are_not_valid(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    checkpoint.stream_count = 2;
    checkpoint_seal(&checkpoint, CRC_SEED);
    assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED));
    checkpoint.stream_count = 1;
    checkpoint.stream.file_name_bytes = sizeof checkpoint.file_name;
    checkpoint_seal(&checkpoint, CRC_SEED);
    assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED));
    checkpoint.stream.file_name_bytes = 0;
    checkpoint.stream.tail_bytes = CHECKPOINT_TAIL_BYTES + 1;
    checkpoint_seal(&checkpoint, CRC_SEED);
    assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED));
}

static void the_file_is_the_bound_name_or_where_it_was_diverted(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    char path[64];
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    bind(&checkpoint, "/logs/orders.log");
    assert_int_equal(checkpoint_file(&checkpoint, path, sizeof path), 0);
    assert_string_equal(path, "/logs/orders.log");
    checkpoint.stream.diverted_sequence = 77;
    assert_int_equal(checkpoint_file(&checkpoint, path, sizeof path), 0);
    assert_string_equal(path, "/logs/orders.log.77");
    checkpoint.stream.diverted_attempt = 3;
    assert_int_equal(checkpoint_file(&checkpoint, path, sizeof path), 0);
    assert_string_equal(path, "/logs/orders.log.77.3");
}

static void a_file_name_is_never_cut(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    char path[64];
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    bind(&checkpoint, "/logs/orders.log");
    checkpoint.stream.diverted_sequence = 77;
    checkpoint.stream.diverted_attempt = 3;
    const size_t needed = sizeof "/logs/orders.log.77.3";
    for (size_t room = 1; room < needed; room++) {
        assert_int_equal(checkpoint_file(&checkpoint, path, room), -ENAMETOOLONG);
    }
    assert_int_equal(checkpoint_file(&checkpoint, path, needed), 0);
}

static void a_name_that_is_no_absolute_path_is_not_valid(void **state) {
    (void)state;
    static const char *const names[] = {"orders.log", "../orders.log", "."};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct checkpoint checkpoint;
        checkpoint_make_first(&checkpoint, 1, CRC_SEED);
        bind(&checkpoint, names[i]);
        checkpoint_seal(&checkpoint, CRC_SEED);
        assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED));
    }
    struct checkpoint checkpoint;
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    bind(&checkpoint, "/logs/orders.log");
    checkpoint_seal(&checkpoint, CRC_SEED);
    assert_true(checkpoint_is_valid(&checkpoint, CRC_SEED));
    checkpoint.file_name[5] = '\0';
    checkpoint_seal(&checkpoint, CRC_SEED);
    assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED));
}

static void assert_not_believed(uint64_t *field, uint64_t value, struct checkpoint *checkpoint) {
    const uint64_t before = *field;
    *field = value;
    checkpoint_seal(checkpoint, CRC_SEED);
    assert_false(checkpoint_is_valid(checkpoint, CRC_SEED));
    *field = before;
    checkpoint_seal(checkpoint, CRC_SEED);
    assert_true(checkpoint_is_valid(checkpoint, CRC_SEED));
}

static void numbers_that_no_writer_makes_are_not_valid(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    assert_not_believed(&checkpoint.generation, UINT64_MAX, &checkpoint);
    assert_not_believed(&checkpoint.next_sequence, 0, &checkpoint);
    assert_not_believed(&checkpoint.next_sequence, LAYOUT_NUMBER_MAX + 1, &checkpoint);
    assert_not_believed(&checkpoint.stream.next_sequence, 0, &checkpoint);
    assert_not_believed(&checkpoint.stream.next_sequence, UINT64_MAX, &checkpoint);
    assert_not_believed(&checkpoint.durable_position, LAYOUT_NUMBER_MAX + 8, &checkpoint);
    assert_not_believed(&checkpoint.durable_position, 4, &checkpoint);
    assert_not_believed(&checkpoint.stream.drained_position, UINT64_MAX - 7, &checkpoint);
    assert_not_believed(&checkpoint.stream.drained_position, 4, &checkpoint);
    assert_not_believed(&checkpoint.stream.file_bytes, (uint64_t)INT64_MAX + 1, &checkpoint);
    checkpoint.epoch = 3;
    checkpoint.stream.epoch = 4; /* a record of an epoch that had not begun */
    checkpoint_seal(&checkpoint, CRC_SEED);
    assert_false(checkpoint_is_valid(&checkpoint, CRC_SEED));
}

static void watermarks_beyond_the_ring_do_not_fit_it(void **state) {
    (void)state;
    struct checkpoint checkpoint;
    checkpoint_make_first(&checkpoint, 1, CRC_SEED);
    checkpoint.stream.drained_position = 4096;
    checkpoint.durable_position = checkpoint.in_flight_end = 4096 + 65536;
    assert_true(checkpoint_fits(&checkpoint, 65536));
    checkpoint.durable_position += 8;
    assert_false(checkpoint_fits(&checkpoint, 65536));
    checkpoint.durable_position = 0;
    checkpoint.in_flight_end = UINT64_MAX;
    assert_false(checkpoint_fits(&checkpoint, 65536));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_checkpoint_is_that_of_an_empty_ring),
        cmocka_unit_test(every_flipped_bit_is_noticed),
        cmocka_unit_test(the_figures_of_the_stages_come_back_as_they_were_put),
        cmocka_unit_test(a_checkpoint_of_another_ring_is_not_valid),
        cmocka_unit_test(whole_but_implausible_checkpoints_are_not_valid),
        cmocka_unit_test(the_file_is_the_bound_name_or_where_it_was_diverted),
        cmocka_unit_test(a_file_name_is_never_cut),
        cmocka_unit_test(a_name_that_is_no_absolute_path_is_not_valid),
        cmocka_unit_test(numbers_that_no_writer_makes_are_not_valid),
        cmocka_unit_test(watermarks_beyond_the_ring_do_not_fit_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
