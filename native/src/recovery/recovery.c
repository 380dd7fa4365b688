/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/recovery.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "recovery/evidence.h"
#include "recovery/rules.h"

/* How many epochs may have begun in blocks that cannot be read, each leaving no other trace: none may be used again. */
#define EPOCHS_HIDDEN_MAX 65536u

/* Where the walk along the log stands. */
struct cursor {
    struct walk walk;
    const struct record_header *last;
};

int recovery_add_jump(struct recovery *recovery, const struct recovery_jump *jump) {
    if (recovery->jump_count == recovery->jump_room) {
        const size_t room = recovery->jump_room == 0 ? 128 : 2 * recovery->jump_room;
        struct recovery_jump *jumps = platform_allocate(recovery->platform, room * sizeof *jumps, PLATFORM_PLAIN);
        if (jumps == NULL) {
            return error_set(ENOMEM, "no memory for the %zu gaps that recovery found", room);
        }
        if (recovery->jump_count > 0) {
            memcpy(jumps, recovery->jumps, recovery->jump_count * sizeof *jumps);
            platform_release(recovery->platform, recovery->jumps, recovery->jump_room * sizeof *jumps);
        }
        recovery->jumps = jumps;
        recovery->jump_room = room;
    }
    recovery->jumps[recovery->jump_count++] = *jump;
    return 0;
}

void recovery_free(struct recovery *recovery) {
    if (recovery->jumps != NULL) {
        platform_release(recovery->platform, recovery->jumps, recovery->jump_room * sizeof *recovery->jumps);
        recovery->jumps = NULL;
    }
}

static int follows(const struct cursor *cursor, const struct record_header *header) {
    return header->epoch >= cursor->walk.epoch && header->sequence == cursor->walk.sequence;
}

static void accept(struct recovery *recovery, const struct recovery_input *input, struct cursor *cursor,
                   const struct record_header *header) {
    if (header->type == RECORD_DATA) {
        recovery->records++;
        recovery->streams |= header->stream < LAYOUT_STREAMS_MAX ? 1ull << header->stream : 0;
        recovery->has_foreign_stream |= header->stream >= LAYOUT_STREAMS_MAX;
    }
    recovery->longest =
        header->length > recovery->longest && header->type == RECORD_DATA ? header->length : recovery->longest;
    cursor->last = header;
    walk_over_record(&cursor->walk, &input->shape, header);
}

static int jump_over(struct recovery *recovery, struct cursor *cursor, const struct recovery_jump *jump) {
    recovery->lost += jump->gap.count;
    walk_over_gap(&cursor->walk, &jump->gap);
    cursor->last = NULL;
    return recovery_add_jump(recovery, jump);
}

static uint64_t missing(const struct cursor *cursor, uint64_t next_sequence) {
    return next_sequence > cursor->walk.sequence ? next_sequence - cursor->walk.sequence : 0;
}

static int jump_over_known_loss(struct recovery *recovery, struct cursor *cursor, const struct listed_loss *listed) {
    const struct marker_loss *loss = listed->loss;
    const struct recovery_jump known = {.gap = {.from = cursor->walk.position,
                                                .to = loss->to,
                                                .first_sequence = cursor->walk.sequence,
                                                .count = missing(cursor, loss->first_sequence + loss->count),
                                                .damaged = 1},
                                        .listed_at = listed->marker->position};
    return jump_over(recovery, cursor, &known);
}

/* A marker at or behind the end of the log is about to be overwritten: the next one lists what only it knew. */
static void keep_on_record(struct recovery *recovery) {
    for (size_t i = 0; i < recovery->jump_count; i++) {
        recovery->jumps[i].fresh |= recovery->jumps[i].gap.damaged && recovery->jumps[i].listed_at >= recovery->log_end;
    }
}

static int jump_over_damage(struct recovery *recovery, const struct recovery_input *input, struct evidence *evidence,
                            struct cursor *cursor) {
    struct recovery_jump jump = {
        .gap = {.from = cursor->walk.position, .first_sequence = cursor->walk.sequence, .damaged = 1}, .fresh = 1};
    const int rc =
        evidence_resume(evidence, cursor->walk.position, cursor->walk.epoch, cursor->walk.sequence, &jump.gap.to);
    if (rc < 0) {
        return rc;
    }
    const uint64_t next = jump.gap.to == evidence->durable_position
                              ? evidence->durable_sequence
                              : record_at(input->image, input->shape.capacity_bytes, jump.gap.to)->sequence;
    jump.gap.count = missing(cursor, next);
    return jump_over(recovery, cursor, &jump);
}

/* Of the window, in which no marker can go behind this one. */
static int is_last_block(const struct recovery *recovery, const struct recovery_input *input, uint64_t position) {
    return position + 2 * input->shape.block_bytes >
           align_down(recovery->start, input->shape.block_bytes) + input->shape.capacity_bytes;
}

/* A marker after which its epoch wrote nothing, and that nothing else on the medium knows: neither a later marker, nor a
 * watermark or a failed write beyond it; every record of its epoch has such a watermark, and so has the marker that took
 * the place of one. The walk came to it from the end of the log that it names. Behind damage it stays, for it may be all
 * that proves how far the damage reaches: but where it has the last block of a full ring there is no other way to open. */
static int is_unused(const struct recovery *recovery, const struct recovery_input *input,
                     const struct evidence *evidence, const struct record_header *last, uint64_t in_flight_end) {
    if (last == NULL || last->type != RECORD_MARKER || evidence->epoch_of_markers > last->epoch ||
        evidence->durable_position > last->position || in_flight_end > last->position) {
        return 0;
    }
    const uint64_t log_end = marker_of(last)->log_end, first = marker_of(last)->first_position;
    if (first < log_end || first % input->shape.block_bytes != 0 ||
        (last->position != first && last->position - first != input->shape.block_bytes)) {
        return 0;
    }
    const struct recovery_jump *jump = recovery->jump_count == 0 ? NULL : &recovery->jumps[recovery->jump_count - 1];
    if (jump == NULL || jump->gap.to != last->position) {
        return last->position == log_end;
    }
    return jump->gap.damaged ? last->position == log_end && is_last_block(recovery, input, last->position)
                             : jump->gap.from == log_end;
}

/* Behind everything that is or may yet be written. */
static void place_marker_behind(struct recovery *recovery, const struct recovery_input *input,
                                const struct cursor *cursor, uint64_t in_flight_end) {
    recovery->log_end = cursor->walk.position;
    recovery->marker_first_position = recovery->marker_position = align_up(
        cursor->walk.position > in_flight_end ? cursor->walk.position : in_flight_end, input->shape.block_bytes);
}

/*
 * The log ends before a marker that is unused: the one of the next epoch says so too, and lists what that one lists. It
 * goes to the other of two blocks that take turns: so a ring that cannot be drained opens any number of times in two
 * blocks, and whatever a crash leaves of a marker, the one before it is whole. Only where damage has used up the other
 * block too is it replaced in place.
 */
static void place_marker_in_turn(struct recovery *recovery, const struct recovery_input *input,
                                 const struct record_header *last) {
    const struct marker *marker = marker_of(last);
    const uint64_t second = marker->first_position + input->shape.block_bytes;
    recovery->log_end = marker->log_end;
    recovery->jump_count -= marker->log_end < last->position;
    recovery->marker_first_position = marker->first_position;
    recovery->marker_position = last->position == second                                 ? marker->first_position
                                : is_last_block(recovery, input, marker->first_position) ? last->position
                                                                                         : second;
}

/* The end of the last block that could not be read and lies, if only in part, in this range of the window; else 0. */
static uint64_t unreadable_end(const struct recovery *recovery, const struct recovery_input *input, uint64_t from,
                               uint64_t to) {
    const uint64_t window_end = align_down(recovery->start, input->shape.block_bytes) + input->shape.capacity_bytes;
    for (uint64_t end = align_up(to < window_end ? to : window_end, input->shape.block_bytes); end > from;
         end -= input->shape.block_bytes) {
        const uint64_t block =
            (end - input->shape.block_bytes) % input->shape.capacity_bytes / input->shape.block_bytes;
        if (input->unreadable[block / 8] & 1u << block % 8) {
            return end;
        }
    }
    return 0;
}

/*
 * Where what nothing else knows of may stand, in blocks that cannot be read: the record with which the log went on, or the
 * marker of a later epoch, in one of its two blocks, and records behind that. Elsewhere nothing can be: what is durable
 * stands behind what is durable, so whatever is whole there knows of all before it. Returns where all of that ends, or 0.
 */
static uint64_t find_hidden(const struct recovery *recovery, const struct recovery_input *input, uint64_t log_end,
                            uint64_t marker) {
    if (input->unreadable == NULL) {
        return 0;
    }
    const struct record_header *next = record_at(input->image, input->shape.capacity_bytes, log_end);
    const uint64_t next_bytes = record_has_header(input->image, input->shape.capacity_bytes, log_end, input->crc_seed)
                                    ? record_bytes(next->length)
                                    : RECORD_HEADER_BYTES;
    const uint64_t of_record = unreadable_end(recovery, input, log_end, log_end + next_bytes);
    const uint64_t of_markers = unreadable_end(recovery, input, marker, marker + 2 * input->shape.block_bytes);
    uint64_t end = of_record > of_markers ? of_record : of_markers;
    /* No record is longer, and none begins later behind the one before it. */
    const uint64_t reach = input->shape.capacity_bytes / 4 + 2 * input->shape.block_bytes;
    for (uint64_t further = end; further > 0; further = unreadable_end(recovery, input, end, end + reach)) {
        end = further;
    }
    return end;
}

/* What is hidden now may be there again later: the marker goes behind it, as behind a write that may yet arrive, if there is
 * room behind it. So it is void, and no later open asks what it was. */
static void place_marker(struct recovery *recovery, const struct recovery_input *input, const struct evidence *evidence,
                         const struct cursor *cursor) {
    uint64_t in_flight_end = input->head.in_flight_end;
    const uint64_t hidden_end =
        find_hidden(recovery, input, cursor->walk.position,
                    align_up(cursor->walk.position > in_flight_end ? cursor->walk.position : in_flight_end,
                             input->shape.block_bytes));
    if (hidden_end > 0) {
        recovery->hidden_from = cursor->walk.position;
        recovery->hidden_to = hidden_end;
        recovery->epoch_highest = recovery->epoch_highest < UINT32_MAX - EPOCHS_HIDDEN_MAX
                                      ? recovery->epoch_highest + EPOCHS_HIDDEN_MAX
                                      : UINT32_MAX;
    }
    if (hidden_end > in_flight_end &&
        hidden_end + 2 * input->shape.block_bytes <= recovery->start + input->shape.capacity_bytes) {
        in_flight_end = hidden_end;
    }
    if (is_unused(recovery, input, evidence, cursor->last, in_flight_end)) {
        place_marker_in_turn(recovery, input, cursor->last);
    } else {
        place_marker_behind(recovery, input, cursor, in_flight_end);
    }
}

int recovery_run(const struct platform *platform, const struct recovery_input *input, struct recovery *recovery) {
    memset(recovery, 0, sizeof *recovery);
    recovery->platform = platform;
    const struct walk *start = &input->head.start;
    recovery->start = start->position;
    recovery->first_sequence = start->sequence;
    struct evidence evidence;
    int rc = evidence_gather(platform, input, &evidence);
    struct cursor cursor = {.walk = walk_from(&input->shape, start->position, start->sequence, start->epoch)};
    enum recovery_rule rule = RULE_ACCEPT;
    while (rc == 0 && rule != RULE_END) {
        const uint64_t at = cursor.walk.position;
        const struct record_header *marker =
            evidence_marker_ending(&evidence, at, cursor.walk.epoch, cursor.walk.sequence);
        const struct listed_loss *loss = evidence_known_loss(&evidence, at, cursor.walk.epoch);
        const struct record_header *header = record_at(input->image, input->shape.capacity_bytes, at);
        const int is_next = judge_at(&evidence.bounded_validation, at) == RECORD_VALID && follows(&cursor, header) &&
                            at + record_bytes(header->length) <= evidence.window_end;
        const struct recovery_facts facts = {
            .window_is_over = at >= evidence.window_end,
            .marker_ends_here = marker != NULL,
            .loss_known_here = loss != NULL && !(is_next && header->epoch >= loss->marker->epoch),
            .record_is_valid = is_next,
            .below_watermark = at < evidence.durable_position,
        };
        rule = recovery_rule_for(facts);
        if (rule == RULE_CONTINUE_AT_MARKER) {
            const struct recovery_jump jump = {
                .gap = {.from = at, .to = marker->position, .first_sequence = cursor.walk.sequence}};
            rc = jump_over(recovery, &cursor, &jump);
            cursor.walk.epoch = marker->epoch; /* what an earlier epoch said of that place is no more */
        } else if (rule == RULE_SKIP_KNOWN_LOSS) {
            rc = jump_over_known_loss(recovery, &cursor, loss);
        } else if (rule == RULE_ACCEPT) {
            accept(recovery, input, &cursor, header);
        } else if (rule == RULE_DAMAGE) {
            rc = jump_over_damage(recovery, input, &evidence, &cursor);
        }
    }
    if (cursor.walk.epoch > evidence.epoch_highest) {
        evidence.epoch_highest = cursor.walk.epoch; /* of a record that damage laid bare inside another's payload */
    }
    recovery->next_sequence = cursor.walk.sequence;
    recovery->epoch_highest = evidence.epoch_highest;
    recovery->closed = input->head.closed_epoch != 0 && input->head.closed_epoch == evidence.epoch_highest &&
                       input->head.closed_sequence == recovery->next_sequence;
    place_marker(recovery, input, &evidence, &cursor);
    keep_on_record(recovery);
    recovery->durable_position =
        evidence.durable_position < recovery->log_end ? evidence.durable_position : recovery->log_end;
    recovery->durable_sequence = evidence.durable_sequence;
    rc = rc < 0 ? rc : bounded_validation_outcome(&evidence.bounded_validation);
    evidence_free(&evidence);
    return rc;
}

uint32_t recovery_make_marker(const struct recovery *recovery, uint32_t epoch, int64_t opened_ns,
                              struct marker *marker) {
    memset(marker, 0, sizeof *marker);
    marker->log_end = recovery->log_end;
    marker->durable_position = recovery->durable_position;
    marker->next_sequence = recovery->next_sequence;
    marker->epoch = epoch;
    marker->opened_ns = opened_ns;
    marker->first_position = recovery->marker_first_position;
    /* More losses than fit are found again by the next recovery, as long as they are not drained. */
    for (size_t i = 0; i < recovery->jump_count && marker->loss_count < MARKER_LOSSES_MAX; i++) {
        const struct recovery_jump *jump = &recovery->jumps[i];
        if (jump->gap.damaged && jump->fresh) {
            marker->losses[marker->loss_count++] = (struct marker_loss){.from = jump->gap.from,
                                                                        .to = jump->gap.to,
                                                                        .first_sequence = jump->gap.first_sequence,
                                                                        .count = jump->gap.count};
        }
    }
    return (uint32_t)(offsetof(struct marker, losses) + marker->loss_count * sizeof marker->losses[0]);
}
