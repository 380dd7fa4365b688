/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/marker.h"

#include "recovery/marker_rules.h"

/* Whether no other marker has room behind this block in the window. */
static int is_last_block(const struct recovery_input *input, uint64_t position) {
    return position + 2 * input->shape.block_bytes >
           align_down(input->head.start.position, input->shape.block_bytes) + input->shape.capacity_bytes;
}

/* The end of the last unreadable block that lies at least partly in this range of the window; 0 if there is none. */
static uint64_t unreadable_end(const struct recovery_input *input, uint64_t from, uint64_t to) {
    const uint64_t window_end =
        align_down(input->head.start.position, input->shape.block_bytes) + input->shape.capacity_bytes;
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
 * Unreadable blocks may hide records that nothing else mentions: the next record, or a later marker in one of its two
 * blocks, and its records. Only these blocks can: a readable record proves all records before it. Returns the end of
 * such blocks, or 0.
 */
static uint64_t find_hidden(const struct recovery_input *input, uint64_t log_end, uint64_t marker) {
    if (input->unreadable == NULL) {
        return 0;
    }
    const struct record_header *next = record_at(input->image, input->shape.capacity_bytes, log_end);
    const uint64_t next_bytes = record_has_header(input->image, input->shape.capacity_bytes, log_end, input->crc_seed)
                                    ? record_bytes(next->length)
                                    : RECORD_HEADER_BYTES;
    const uint64_t of_record = unreadable_end(input, log_end, log_end + next_bytes);
    const uint64_t of_markers = unreadable_end(input, marker, marker + 2 * input->shape.block_bytes);
    uint64_t end = of_record > of_markers ? of_record : of_markers;
    /* A hidden record may be so long, and may begin so far behind the one before it. */
    const uint64_t reach = input->shape.capacity_bytes / 4 + 2 * input->shape.block_bytes;
    for (uint64_t further = end; further > 0; further = unreadable_end(input, end, end + reach)) {
        end = further;
    }
    return end;
}

static uint64_t first_block_behind(const struct recovery_input *input, uint64_t end, uint64_t in_flight_end) {
    return align_up(end > in_flight_end ? end : in_flight_end, input->shape.block_bytes);
}

static enum marker_reached reached(const struct walk_end *end) {
    const struct record_header *last = end->last;
    const uint64_t log_end = marker_of(last)->log_end;
    if (end->gap == NULL || end->gap->to != last->position) {
        return last->position == log_end ? REACHED_FROM_ITS_END : REACHED_ELSEWHERE;
    }
    if (end->gap->damaged) {
        return last->position == log_end ? REACHED_OVER_DAMAGE : REACHED_ELSEWHERE;
    }
    return end->gap->from == log_end ? REACHED_FROM_ITS_END : REACHED_ELSEWHERE;
}

static void look_at_marker(const struct recovery_input *input, const struct evidence *evidence,
                           const struct walk_end *end, struct marker_facts *facts) {
    const struct record_header *last = end->last;
    const uint64_t block = input->shape.block_bytes;
    const uint64_t log_end = marker_of(last)->log_end, first = marker_of(last)->first_position;
    facts->is_known_elsewhere = evidence->epoch_of_markers > last->epoch ||
                                evidence->durable_position > last->position ||
                                input->head.in_flight_end > last->position;
    facts->is_well_formed =
        first >= log_end && first % block == 0 && (last->position == first || last->position - first == block);
    facts->is_in_last_block = is_last_block(input, last->position);
    facts->reached = reached(end);
    facts->pair = last->position == first + block ? PAIR_SECOND
                  : !is_last_block(input, first)  ? PAIR_FIRST
                                                  : PAIR_FIRST_ONLY;
}

/*
 * In turn: the log may end before an unused marker. The next epoch's marker then names the same end, lists the same
 * losses, and goes to the other of two blocks. So a ring that cannot be drained opens any number of times with two
 * blocks, and a crash that tears a marker leaves the one before it whole.
 */
struct marker_block marker_place(const struct recovery_input *input, const struct evidence *evidence,
                                 const struct walk_end *end) {
    const uint64_t block = input->shape.block_bytes, in_flight_end = input->head.in_flight_end;
    const uint64_t behind_all = first_block_behind(input, end->position, in_flight_end);
    const uint64_t hidden_end = find_hidden(input, end->position, behind_all);
    struct marker_facts facts = {
        .hides_with_room = hidden_end > in_flight_end &&
                           hidden_end + 2 * block <= input->head.start.position + input->shape.capacity_bytes,
        .ends_in_marker = end->last != NULL && end->last->type == RECORD_MARKER,
    };
    if (facts.ends_in_marker) {
        look_at_marker(input, evidence, end, &facts);
    }
    const uint64_t first = facts.ends_in_marker ? marker_of(end->last)->first_position : 0;
    const uint64_t log_end = facts.ends_in_marker ? marker_of(end->last)->log_end : 0;
    switch (marker_place_for(facts)) {
    case MARKER_BEHIND_HIDDEN:
        return (struct marker_block){end->position, hidden_end, hidden_end, hidden_end};
    case MARKER_IN_FIRST:
        return (struct marker_block){log_end, first, first, hidden_end};
    case MARKER_IN_SECOND:
        return (struct marker_block){log_end, first + block, first, hidden_end};
    case MARKER_IN_PLACE:
        return (struct marker_block){log_end, end->last->position, first, hidden_end};
    default:
        return (struct marker_block){end->position, behind_all, behind_all, hidden_end};
    }
}
