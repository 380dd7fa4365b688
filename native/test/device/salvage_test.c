/* SPDX-License-Identifier: Apache-2.0 */
/* Reading around unreadable blocks, on a device that has some. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/salvage.h"

#define SECTOR 512u
#define MEDIUM_BYTES (3u << 20)

static struct {
    uint64_t bad[4]; /* offsets of bad sectors */
    int bad_count;
    int error;
    uint64_t vanishes_at; /* reads from here on fail with -ENODEV; 0: none */
    int reads;
} faults;

static uint8_t pattern(uint64_t offset) {
    return (uint8_t)(1 + offset / SECTOR % 250);
}

static int faulty_read(struct device *device, uint64_t offset, void *data, size_t bytes) {
    assert_int_equal(offset % SECTOR, 0);
    assert_true(offset + bytes <= device->medium_bytes);
    faults.reads++;
    if (faults.vanishes_at > 0 && offset >= faults.vanishes_at)
        return -ENODEV;
    for (size_t i = 0; i < bytes; i++)
        ((uint8_t *)data)[i] = pattern(offset + i);
    for (int i = 0; i < faults.bad_count; i++) {
        if (faults.bad[i] >= offset && faults.bad[i] < offset + bytes)
            return faults.error;
    }
    return 0;
}

static const struct device_ops faulty_ops = {.name = "faulty", .read = faulty_read};
static struct device device = {
    .ops = &faulty_ops, .medium_bytes = MEDIUM_BYTES, .block_bytes = 4096, .logical_block_bytes = SECTOR};

static struct {
    uint64_t offset[4], bytes[4];
    int count;
} reported;

static void remember(void *argument, uint64_t offset, uint64_t bytes) {
    assert_ptr_equal(argument, &reported);
    assert_in_range(reported.count, 0, 3);
    reported.offset[reported.count] = offset;
    reported.bytes[reported.count++] = bytes;
}

static uint8_t data[MEDIUM_BYTES];

static int without_faults(void **state) {
    (void)state;
    memset(&faults, 0, sizeof(faults));
    memset(&reported, 0, sizeof(reported));
    memset(data, 0xee, sizeof(data));
    faults.error = -EIO;
    return 0;
}

static int is_bad(uint64_t offset) {
    for (int i = 0; i < faults.bad_count; i++) {
        if (faults.bad[i] == offset / SECTOR * SECTOR)
            return 1;
    }
    return 0;
}

static void assert_data(uint64_t offset, size_t bytes) {
    for (size_t i = 0; i < bytes; i++) {
        if (data[i] != (is_bad(offset + i) ? 0 : pattern(offset + i)))
            fail_msg("byte %zu is %d", i, data[i]);
    }
}

static void a_sound_medium_is_read_in_big_pieces(void **state) {
    (void)state;
    assert_int_equal(device_read_salvage(&device, 0, data, MEDIUM_BYTES, remember, &reported), 0);
    assert_int_equal(reported.count, 0);
    assert_int_equal(faults.reads, 3);
    assert_data(0, MEDIUM_BYTES);
}

static void an_unreadable_sector_is_zeros_and_reported_and_all_others_are_there(void **state) {
    (void)state;
    faults.bad[faults.bad_count++] = 8192 + 5 * SECTOR;
    assert_int_equal(device_read_salvage(&device, 4096, data, MEDIUM_BYTES - 4096, remember, &reported), 0);
    assert_int_equal(reported.count, 1);
    assert_int_equal(reported.offset[0], 8192 + 5 * SECTOR);
    assert_int_equal(reported.bytes[0], SECTOR);
    assert_data(4096, MEDIUM_BYTES - 4096);
}

static void sectors_that_touch_are_one_range_also_over_a_piece_boundary(void **state) {
    (void)state;
    faults.bad[faults.bad_count++] = (1u << 20) - SECTOR;
    faults.bad[faults.bad_count++] = 1u << 20;
    faults.bad[faults.bad_count++] = (1u << 20) + 2 * SECTOR;
    faults.bad[faults.bad_count++] = MEDIUM_BYTES - SECTOR;
    assert_int_equal(device_read_salvage(&device, 0, data, MEDIUM_BYTES, remember, &reported), 0);
    assert_int_equal(reported.count, 3);
    assert_int_equal(reported.offset[0], (1u << 20) - SECTOR);
    assert_int_equal(reported.bytes[0], 2 * SECTOR);
    assert_int_equal(reported.offset[1], (1u << 20) + 2 * SECTOR);
    assert_int_equal(reported.bytes[1], SECTOR);
    assert_int_equal(reported.offset[2], MEDIUM_BYTES - SECTOR);
    assert_data(0, MEDIUM_BYTES);
}

static void every_code_of_a_bad_block_counts_as_one(void **state) {
    const int codes[] = {-EIO, -ENODATA, -EILSEQ, -EBADMSG, -EREMOTEIO, -EUCLEAN};
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++) {
        without_faults(state);
        faults.bad[faults.bad_count++] = 0;
        faults.error = codes[i];
        assert_int_equal(device_read_salvage(&device, 0, data, 8192, remember, &reported), 0);
        assert_int_equal(reported.count, 1);
        assert_data(0, 8192);
    }
}

static void a_device_that_vanishes_is_not_taken_for_bad_blocks(void **state) {
    (void)state;
    faults.vanishes_at = 2u << 20;
    assert_int_equal(device_read_salvage(&device, 0, data, MEDIUM_BYTES, remember, &reported), -ENODEV);
    assert_int_equal(reported.count, 0);

    without_faults(state); /* and while the reader narrows the place down */
    faults.bad[faults.bad_count++] = 0;
    faults.vanishes_at = 4096;
    assert_int_equal(device_read_salvage(&device, 0, data, 8192, remember, &reported), -ENODEV);
    assert_int_equal(reported.count, 1);
}

static void nobody_has_to_listen(void **state) {
    (void)state;
    faults.bad[faults.bad_count++] = 0;
    assert_int_equal(device_read_salvage(&device, 0, data, 4096, NULL, NULL), 0);
    assert_data(0, 4096);
}

static void the_mapped_medium_itself_is_not_zeroed_where_it_cannot_be_read(void **state) {
    (void)state;
    faults.bad[0] = 5 * SECTOR;
    faults.bad_count = 1;
    device.mapping = data;
    assert_int_equal(device_read_salvage(&device, 0, data, 64 * SECTOR, remember, &reported), 0);
    device.mapping = NULL;
    assert_int_equal(reported.count, 1);
    assert_int_equal(reported.bytes[0], SECTOR);
    for (uint64_t i = 0; i < 64 * SECTOR; i++)
        assert_int_equal(data[i], pattern(i));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_sound_medium_is_read_in_big_pieces, without_faults),
        cmocka_unit_test_setup(an_unreadable_sector_is_zeros_and_reported_and_all_others_are_there, without_faults),
        cmocka_unit_test_setup(sectors_that_touch_are_one_range_also_over_a_piece_boundary, without_faults),
        cmocka_unit_test_setup(every_code_of_a_bad_block_counts_as_one, without_faults),
        cmocka_unit_test_setup(a_device_that_vanishes_is_not_taken_for_bad_blocks, without_faults),
        cmocka_unit_test_setup(nobody_has_to_listen, without_faults),
        cmocka_unit_test_setup(the_mapped_medium_itself_is_not_zeroed_where_it_cannot_be_read, without_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
