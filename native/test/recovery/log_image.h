/* SPDX-License-Identifier: Apache-2.0 */
/* Rings that are built by hand, record by record, as a medium may hold them. */
#ifndef BURST_TEST_RECOVERY_LOG_IMAGE_H
#define BURST_TEST_RECOVERY_LOG_IMAGE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/crc32c.h"
#include "media/record.h"
#include "recovery/evidence.h"
#include "recovery/recovery.h"

#define BLOCK 4096u
#define CAPACITY (8u * BLOCK)
#define CRC_SEED 77u
#define PAYLOAD_BYTES 100u

static const struct walk_shape log_shape = {.capacity_bytes = CAPACITY, .block_bytes = BLOCK};
static _Alignas(4096) uint8_t image[CAPACITY];
static struct recovery_head head;
static struct recovery recovery;

/* The place of the next record, and its fields. */
static struct {
    uint64_t position;
    uint64_t sequence;
    uint64_t durable_position;
    uint64_t durable_sequence;
    uint32_t epoch;
    int marker_in_turn; /* the next marker goes to the second of the two blocks that take turns */
} writer;

static inline int empty_ring(void **state) {
    (void)state;
    memset(image, 0, sizeof image);
    head = (struct recovery_head){.start.sequence = 1, .durable_sequence = 1};
    memset(&writer, 0, sizeof writer);
    writer.sequence = writer.durable_sequence = 1;
    return 0;
}

static inline int free_recovery(void **state) {
    (void)state;
    recovery_free(&recovery);
    return 0;
}

static inline void recover(void) {
    const struct recovery_input input = {.image = image, .shape = log_shape, .crc_seed = CRC_SEED, .head = head};
    recovery_free(&recovery);
    assert_int_equal(recovery_run(&platform_linux, &input, &recovery), 0);
}

static inline struct record_header *header_at(uint64_t position) {
    return (struct record_header *)(image + position % CAPACITY);
}

/* Writes a record whose payload is in place, and moves on behind it. Returns the record's position. */
static inline uint64_t put(uint8_t type, uint32_t length, int last) {
    const uint64_t position = writer.position;
    struct record_header *header = header_at(position);
    memset(header, 0, sizeof *header);
    header->sequence = writer.sequence;
    header->length = length;
    header->type = type;
    header->payload_crc = type == RECORD_PAD ? 0 : crc32c(0, header + 1, length);
    const struct record_seal seal = {.position = position,
                                     .durable_position = writer.durable_position,
                                     .durable_next_sequence = writer.durable_sequence,
                                     .epoch = writer.epoch,
                                     .last = last};
    record_seal(header, &seal, CRC_SEED);
    writer.sequence += (uint64_t)record_has_sequence(header);
    writer.position = walk_end_of_record(&log_shape, position, header);
    return position;
}

/* Puts a commit of one record, which says that all before it were durable. */
static inline uint64_t put_record(void) {
    writer.durable_position = writer.position;
    writer.durable_sequence = writer.sequence;
    memset(header_at(writer.position) + 1, 'a' + (int)(writer.sequence % 26), PAYLOAD_BYTES);
    return put(RECORD_DATA, PAYLOAD_BYTES, 1);
}

/* Opens the next epoch: its marker says that the log ended at `log_end`. */
static inline uint64_t put_marker(uint64_t log_end, const struct marker_loss *loss) {
    struct marker *marker = (struct marker *)(header_at(writer.position) + 1);
    memset(marker, 0, offsetof(struct marker, losses));
    writer.epoch++;
    writer.durable_position = log_end;
    writer.durable_sequence = writer.sequence;
    marker->log_end = log_end;
    marker->durable_position = writer.position;
    marker->next_sequence = writer.sequence;
    marker->epoch = writer.epoch;
    marker->first_position = writer.marker_in_turn ? writer.position - BLOCK : writer.position;
    if (loss != NULL) {
        marker->losses[marker->loss_count++] = *loss;
    }
    return put(RECORD_MARKER,
               (uint32_t)(offsetof(struct marker, losses) + marker->loss_count * sizeof(struct marker_loss)), 1);
}

static inline void damage_payload(uint64_t position) {
    ((uint8_t *)(header_at(position) + 1))[9] ^= 4;
}

static inline void damage_block(uint64_t position) {
    memset(image + position % CAPACITY, 0xee, BLOCK);
}

static inline void assert_jump(size_t i, uint64_t from, uint64_t to, uint64_t first_sequence, uint64_t count,
                               int damaged) {
    assert_true(i < recovery.jump_count);
    assert_int_equal(recovery.jumps[i].gap.from, from);
    assert_int_equal(recovery.jumps[i].gap.to, to);
    assert_int_equal(recovery.jumps[i].gap.count, count);
    assert_int_equal(recovery.jumps[i].gap.damaged, damaged);
    if (count > 0) {
        assert_int_equal(recovery.jumps[i].gap.first_sequence, first_sequence);
    }
}

#endif
