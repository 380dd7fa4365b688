/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fuzz/oracle.h"

#include <string.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "harness/fuzz/violation.h"

static void check_jumps(const struct recovery_input *input, const struct recovery *recovery) {
    uint64_t from = recovery->start, lost = 0;
    for (size_t i = 0; i < recovery->jump_count; i++) {
        const struct recovery_jump *jump = &recovery->jumps[i];
        MUST(jump->gap.from >= from);
        MUST(jump->gap.to > jump->gap.from);
        MUST(jump->gap.to <= recovery->start + input->shape.capacity_bytes);
        MUST(jump->gap.damaged || jump->gap.count == 0);
        MUST(jump->gap.count == 0 || jump->gap.first_sequence >= recovery->first_sequence);
        MUST(jump->gap.first_sequence + jump->gap.count <= recovery->next_sequence);
        lost += jump->gap.count;
        from = jump->gap.to;
    }
    MUST(lost == recovery->lost);
}

/* Checks the record without the engine's own judgement. */
static void check_record(const struct recovery_input *input, const struct record_header *record) {
    const uint64_t place = (uint64_t)((const uint8_t *)record - input->image);
    MUST(place % RECORD_ALIGN_BYTES == 0);
    MUST(place == record->position % input->shape.capacity_bytes);
    MUST(place + RECORD_HEADER_BYTES + record->length <= input->shape.capacity_bytes);
    MUST(record->header_crc == crc32c(input->crc_seed, record, RECORD_CRC_COVERS));
    MUST(record->type == RECORD_PAD || record->payload_crc == crc32c(0, record + 1, record->length));
}

struct walked {
    uint64_t records, sequences, lost, longest, position, sequence, items;
    uint32_t epoch;
};

static void check_item(const struct recovery_input *input, const struct recovery *recovery,
                       const struct reader_item *item, struct walked *walked) {
    MUST(++walked->items <= 4 * input->shape.capacity_bytes / RECORD_ALIGN_BYTES);
    if (item->record == NULL) {
        MUST(item->jump->gap.from >= walked->position);
        walked->position = item->jump->gap.to;
        walked->sequence = item->jump->gap.first_sequence + item->jump->gap.count;
        walked->lost += item->jump->gap.count;
        return;
    }
    const struct record_header *record = item->record;
    check_record(input, record);
    MUST(record->position >= walked->position || walked->items == 1);
    walked->position = record->position + record_bytes(record->length);
    if (item->kind == READER_DRAINED) {
        MUST(walked->position <= recovery->start);
        MUST(record->position + input->shape.capacity_bytes >= recovery->start);
        return;
    }
    MUST(record->position >= recovery->start);
    MUST(record->sequence >= walked->sequence || walked->sequence == 0);
    MUST(record->epoch >= walked->epoch);
    walked->epoch = record->epoch;
    walked->records += record->type == RECORD_DATA;
    walked->sequences += (uint64_t)record_has_sequence(record);
    walked->sequence = record->sequence + (uint64_t)record_has_sequence(record);
    if (record->type == RECORD_DATA && record->length > walked->longest) {
        walked->longest = record->length;
    }
}

static void check_reader(const struct recovery_input *input, const struct recovery *recovery, int with_drained) {
    struct reader reader;
    if (!with_drained) {
        reader_begin(&reader, input, recovery);
    } else if (reader_begin_with_drained(&reader, input, recovery) < 0) {
        MUST(error_text()[0] != '\0');
        reader_end(&reader);
        return;
    }
    struct walked walked = {0};
    for (struct reader_item item; reader_next(&reader, &item) == 1;) {
        check_item(input, recovery, &item, &walked);
    }
    reader_end(&reader);
    MUST(walked.records == recovery->records);
    MUST(walked.lost == recovery->lost);
    MUST(walked.longest == recovery->longest);
    MUST(recovery->first_sequence + walked.sequences + walked.lost == recovery->next_sequence);
}

static void check_statement(const struct recovery *recovery) {
    static const size_t rooms[] = {1, 2, 60, 200, 1024};
    for (size_t i = 0; i < sizeof rooms / sizeof rooms[0]; i++) {
        char text[1025];
        memset(text, 'x', sizeof text);
        recovery_statement(recovery, text, rooms[i]);
        MUST(memchr(text, '\0', rooms[i]) != NULL);
        MUST(text[rooms[i]] == 'x');
    }
}

static void check_marker(const struct recovery_input *input, const struct recovery *recovery) {
    static struct marker marker;
    const uint32_t bytes = recovery_make_marker(recovery, recovery->epoch_highest + 1, 5, &marker);
    MUST(bytes <= sizeof marker);
    MUST(marker.loss_count <= MARKER_LOSSES_MAX);
    MUST(recovery->marker_position % input->shape.block_bytes == 0);
    MUST(recovery->log_end <= recovery->marker_position);
    MUST(recovery->marker_first_position <= recovery->marker_position);
}

void check_recovered(const struct recovery_input *input, const struct recovery *recovery) {
    const uint64_t window_end = recovery->start + input->shape.capacity_bytes;
    MUST(recovery->start == input->head.start.position);
    MUST(recovery->log_end >= recovery->start);
    MUST(recovery->log_end <= align_up(window_end, input->shape.block_bytes));
    MUST(recovery->durable_position <= window_end);
    MUST(recovery->durable_position <= recovery->log_end);
    MUST(recovery->next_sequence >= recovery->first_sequence);
    MUST(recovery->next_sequence <= LAYOUT_NUMBER_MAX + 1);
    check_jumps(input, recovery);
    check_marker(input, recovery);
    check_statement(recovery);
    check_reader(input, recovery, 0);
    check_reader(input, recovery, 1);
}

static void check_same(const struct recovery *a, const struct recovery *b) {
    MUST(memcmp(a, b, offsetof(struct recovery, jumps)) == 0);
    MUST(a->jump_count == b->jump_count);
    for (size_t i = 0; i < a->jump_count; i++) {
        MUST(memcmp(&a->jumps[i], &b->jumps[i], sizeof a->jumps[i]) == 0);
    }
}

void check_recovery(const struct platform *platform, const struct recovery_input *input) {
    struct recovery first, again;
    const int rc = recovery_run(platform, input, &first);
    MUST(recovery_run(platform, input, &again) == rc);
    if (rc == 0) {
        check_same(&first, &again);
        check_recovered(input, &first);
    } else {
        MUST(error_text()[0] != '\0');
    }
    recovery_free(&first);
    recovery_free(&again);
}
