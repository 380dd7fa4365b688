/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/recovery.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "recovery/evidence.h"
#include "recovery/marker.h"
#include "recovery/rules.h"

/* So many epochs may have begun in unreadable blocks without any other trace. Their numbers must not be used again. */
#define EPOCHS_HIDDEN_MAX 65536u

/* The place of the walk along the log. */
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

static void accept(struct recovery *recovery, struct cursor *cursor, const struct record_run *run) {
    recovery->records += run->records;
    recovery->longest = run->longest > recovery->longest ? run->longest : recovery->longest;
    recovery->streams |= run->streams;
    recovery->has_foreign_stream |= run->has_foreign_stream;
    cursor->last = run->last;
    cursor->walk = run->end;
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

/* A marker at or behind the end of the log is about to be overwritten. The next marker has to list the losses that only
 * that one lists. */
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

/* Hidden records may become readable later, so no later epoch may have the number of a hidden one. */
static void note_hidden(struct recovery *recovery, uint64_t from, uint64_t to) {
    recovery->hidden_from = from;
    recovery->hidden_to = to;
    recovery->epoch_highest = recovery->epoch_highest < UINT32_MAX - EPOCHS_HIDDEN_MAX
                                  ? recovery->epoch_highest + EPOCHS_HIDDEN_MAX
                                  : UINT32_MAX;
}

static void place_marker(struct recovery *recovery, const struct recovery_input *input, const struct evidence *evidence,
                         const struct cursor *cursor) {
    const struct recovery_jump *jump = recovery->jump_count == 0 ? NULL : &recovery->jumps[recovery->jump_count - 1];
    const struct walk_end end = {
        .position = cursor->walk.position, .last = cursor->last, .gap = jump == NULL ? NULL : &jump->gap};
    const struct marker_block block = marker_place(input, evidence, &end);
    if (block.hidden_to > 0) {
        note_hidden(recovery, end.position, block.hidden_to);
    }
    recovery->log_end = block.log_end;
    /* Drops the jump to a marker that gives way. */
    recovery->jump_count -= jump != NULL && jump->gap.from >= block.log_end;
    recovery->marker_position = block.position;
    recovery->marker_first_position = block.first_position;
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
        /* The records of a run have been judged. */
        const struct record_run *run = evidence_run_at(&evidence, at);
        const int is_next = (run != NULL || judge_at(&evidence.bounded_validation, at) == RECORD_VALID) &&
                            follows(&cursor, header) && at + record_bytes(header->length) <= evidence.window_end;
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
            cursor.walk.epoch = marker->epoch; /* records of earlier epochs at that place count no more */
        } else if (rule == RULE_SKIP_KNOWN_LOSS) {
            rc = jump_over_known_loss(recovery, &cursor, loss);
        } else if (rule == RULE_ACCEPT) {
            const struct record_run alone = record_run_of(&input->shape, header);
            /* The rule of its first record is that of the whole run, unless something else is known of a place in it. */
            accept(recovery, &cursor, run != NULL && !evidence_speaks_within(&evidence, run) ? run : &alone);
        } else if (rule == RULE_DAMAGE) {
            rc = jump_over_damage(recovery, input, &evidence, &cursor);
        }
    }
    if (cursor.walk.epoch > evidence.epoch_highest) {
        /* Damage may lay bare a record inside another's payload, with a higher epoch. */
        evidence.epoch_highest = cursor.walk.epoch;
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
    /* Losses that do not fit are found again by the next recovery, until they are drained. */
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
