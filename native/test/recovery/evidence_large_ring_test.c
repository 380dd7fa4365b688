/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring of 64 MiB that is damaged, or crafted. A scan that begins anew at each damage, marker or record would take
 * minutes to hours, so the test's time limit would fail it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "media/record.h"
#include "recovery/recovery.h"

#define BLOCK 4096u
#define CAPACITY (64u << 20)
#define BLOCKS (CAPACITY / BLOCK)
#define CRC_SEED 99u

static uint8_t *image;
static struct recovery recovery;

static int make_image(void **state) {
    (void)state;
    image = calloc(1, CAPACITY);
    return image == NULL ? -1 : 0;
}

static int free_image(void **state) {
    (void)state;
    recovery_free(&recovery);
    free(image);
    return 0;
}

static struct record_header *seal(uint64_t position, uint8_t type, uint64_t sequence, uint32_t epoch, uint32_t length,
                                  int last) {
    struct record_header *header = (struct record_header *)(image + position);
    memset(header, 0, sizeof *header);
    header->type = type;
    header->sequence = sequence;
    header->length = length;
    header->payload_crc = crc32c(0, header + 1, length);
    const struct record_seal stamp = {.position = position,
                                      .durable_position = position & ~(uint64_t)(BLOCK - 1),
                                      .durable_next_sequence = sequence,
                                      .epoch = epoch,
                                      .last = last};
    record_seal(header, &stamp, CRC_SEED);
    return header;
}

static struct record_header *seal_marker(uint64_t position, uint64_t sequence, uint32_t epoch, uint64_t log_end,
                                         uint32_t losses) {
    struct marker *marker = (struct marker *)(image + position + RECORD_HEADER_BYTES);
    memset(marker, 0, offsetof(struct marker, losses));
    marker->log_end = log_end;
    marker->epoch = epoch;
    marker->next_sequence = sequence;
    marker->loss_count = losses;
    return seal(position, RECORD_MARKER, sequence, epoch,
                (uint32_t)(offsetof(struct marker, losses) + losses * sizeof marker->losses[0]), 1);
}

static int recover(const char *what) {
    const struct recovery_input input = {.image = image,
                                         .shape = {.capacity_bytes = CAPACITY, .block_bytes = BLOCK},
                                         .crc_seed = CRC_SEED,
                                         .head = {.start.sequence = 1, .durable_sequence = 1}};
    struct timespec begin, end;
    clock_gettime(CLOCK_MONOTONIC, &begin);
    const int rc = recovery_run(&platform_linux, &input, &recovery);
    clock_gettime(CLOCK_MONOTONIC, &end);
    print_message("%s: %.2f s\n", what,
                  (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) / 1e9);
    return rc;
}

static void every_second_block_is_damaged(void **state) {
    (void)state;
    for (uint64_t i = 0; i < BLOCKS; i++) {
        struct record_header *header = seal(i * BLOCK, RECORD_DATA, i + 1, 1, BLOCK - RECORD_HEADER_BYTES, 1);
        if (i % 2 == 0) {
            ((uint8_t *)(header + 1))[7] ^= 1;
        }
    }
    assert_int_equal(recover("every second block damaged"), 0);
    assert_int_equal(recovery.lost, BLOCKS / 2);
    assert_int_equal(recovery.records, BLOCKS / 2);
    assert_int_equal(recovery.jump_count, BLOCKS / 2);
}

static void every_second_of_short_records_is_damaged(void **state) {
    (void)state;
    const uint64_t count = CAPACITY / 64;
    for (uint64_t i = 0; i < count; i++) {
        struct record_header *header = seal(i * 64, RECORD_DATA, i + 1, 1, 8, 0);
        header->length ^= (uint32_t)(i % 2 == 0 && i + 64 < count);
    }
    assert_int_equal(recover("every second of 1048576 short records damaged"), 0);
    assert_int_equal(recovery.records + recovery.lost, count);
    assert_true(recovery.lost >= count / 2 - 64);
}

static void every_block_begins_an_epoch_that_lists_losses(void **state) {
    (void)state;
    /* Half of the ring has short records. The other half has markers that end nothing and list
     * losses that are nowhere. */
    const uint64_t records = CAPACITY / 2 / 64;
    for (uint64_t i = 0; i < records; i++) {
        seal(i * 64, RECORD_DATA, i + 1, 1, 8, 0);
    }
    for (uint64_t i = BLOCKS / 2; i < BLOCKS; i++) {
        struct marker *marker = (struct marker *)(image + i * BLOCK + RECORD_HEADER_BYTES);
        for (uint32_t j = 0; j < MARKER_LOSSES_MAX; j++) {
            const uint64_t from = (i * MARKER_LOSSES_MAX + j) * 8 % (CAPACITY / 2) | 32;
            marker->losses[j] = (struct marker_loss){.from = from, .to = from + 64, .first_sequence = 1, .count = 1};
        }
        seal_marker(i * BLOCK, records + 1, (uint32_t)i, i * BLOCK, MARKER_LOSSES_MAX);
    }
    assert_int_equal(recover("8192 markers with 120 losses each behind 524288 records"), 0);
    assert_int_equal(recovery.records, records);
    assert_int_equal(recovery.lost, 0);
}

/* No writer leaves records inside each other. Judging each of these costs a CRC over a quarter of the ring. */
static void headers_that_claim_the_bytes_of_each_other_end_in_a_sentence(void **state) {
    (void)state;
    for (uint64_t position = 0; position + CAPACITY / 4 <= CAPACITY; position += 64) {
        struct record_header *header = seal(position, RECORD_DATA, 1 + position / 64, 1, 0, 0);
        header->length = CAPACITY / 4 - RECORD_HEADER_BYTES;
        const struct record_seal stamp = {.position = position, .durable_next_sequence = 1, .epoch = 1};
        record_seal(header, &stamp, CRC_SEED);
    }
    assert_true(recover("786432 headers inside each other") < 0);
    assert_non_null(strstr(error_text(), "inside each other"));
}

#define LARGE_RING_TEST(name) cmocka_unit_test_setup_teardown(name, make_image, free_image)

int main(void) {
    const struct CMUnitTest tests[] = {
        LARGE_RING_TEST(every_second_block_is_damaged),
        LARGE_RING_TEST(every_second_of_short_records_is_damaged),
        LARGE_RING_TEST(every_block_begins_an_epoch_that_lists_losses),
        LARGE_RING_TEST(headers_that_claim_the_bytes_of_each_other_end_in_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
