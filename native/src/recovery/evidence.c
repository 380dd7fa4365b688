/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/evidence.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static void free_markers(struct evidence *evidence) {
    if (evidence->markers != NULL) {
        platform_release(evidence->platform, evidence->markers, evidence->marker_room * sizeof *evidence->markers);
        evidence->markers = NULL;
    }
}

static int add_marker(struct evidence *evidence, const struct record_header *header) {
    if (evidence->marker_count == evidence->marker_room) {
        const size_t room = evidence->marker_room == 0 ? 512 : 2 * evidence->marker_room;
        const struct record_header **markers =
            platform_allocate(evidence->platform, room * sizeof *markers, PLATFORM_PLAIN);
        if (markers == NULL) {
            return error_set(ENOMEM, "no memory for the %zu markers that recovery found", room);
        }
        if (evidence->marker_count > 0) {
            memcpy(markers, evidence->markers, evidence->marker_count * sizeof *markers);
        }
        free_markers(evidence);
        evidence->markers = markers;
        evidence->marker_room = room;
    }
    evidence->markers[evidence->marker_count++] = header;
    evidence->loss_count += marker_of(header)->loss_count;
    return 0;
}

void evidence_free(struct evidence *evidence) {
    free_markers(evidence);
    if (evidence->losses != NULL) {
        platform_release(evidence->platform, evidence->losses, evidence->loss_count * sizeof *evidence->losses);
        evidence->losses = NULL;
    }
    record_map_free(evidence->platform, &evidence->map);
}

static int compare(uint64_t a, uint64_t b) {
    return (a > b) - (a < b);
}

static int compare_markers(const void *a, const void *b) {
    const struct record_header *first = *(const struct record_header *const *)a;
    const struct record_header *second = *(const struct record_header *const *)b;
    const int order = compare(marker_of(first)->log_end, marker_of(second)->log_end);
    return order != 0 ? order : compare(first->position, second->position);
}

static int compare_losses(const void *a, const void *b) {
    const struct listed_loss *first = a, *second = b;
    int order = compare(first->loss->from, second->loss->from);
    order = order != 0 ? order : compare(first->marker->position, second->marker->position);
    return order != 0 ? order : compare((uintptr_t)first->loss, (uintptr_t)second->loss);
}

static int list_losses(struct evidence *evidence) {
    if (evidence->loss_count == 0) {
        return 0;
    }
    evidence->losses = platform_allocate(evidence->platform, evidence->loss_count * sizeof *evidence->losses, 0);
    if (evidence->losses == NULL) {
        return error_set(ENOMEM, "no memory for the %zu losses that recovery found", evidence->loss_count);
    }
    struct listed_loss *next = evidence->losses;
    for (size_t i = 0; i < evidence->marker_count; i++) {
        const struct record_header *header = evidence->markers[i];
        for (uint32_t j = 0; j < marker_of(header)->loss_count; j++) {
            *next++ = (struct listed_loss){.loss = &marker_of(header)->losses[j], .marker = header};
        }
    }
    qsort(evidence->losses, evidence->loss_count, sizeof *evidence->losses, compare_losses);
    return 0;
}

static void note_watermark(struct evidence *evidence, uint64_t position, uint64_t sequence) {
    if (position > evidence->durable_position && position <= evidence->window_end) {
        evidence->durable_position = position;
        evidence->durable_sequence = sequence;
    }
}

static void note_header(struct evidence *evidence, const struct record_header *header, int is_whole) {
    if (!evidence->bounded_validation.input->head.headers_are_newer) {
        note_watermark(evidence, header->durable_position, header->sequence - header->in_flight);
    }
    if (header->epoch > evidence->epoch_highest) {
        evidence->epoch_highest = header->epoch;
    }
    if (header->epoch > evidence->epoch_of_markers && header->type == RECORD_MARKER && is_whole) {
        evidence->epoch_of_markers = header->epoch;
    }
}

/* The first position from this one on that the header at its place names, for this lap or for the next one; `end` if
 * there is none. A header names the position at which it stands. */
static uint64_t place_naming_itself(const struct recovery_input *input, uint64_t position, uint64_t end) {
    while (position < end) {
        const uint64_t lap_end = position + lap_remaining(position, input->shape.capacity_bytes);
        const uint64_t until = lap_end < end ? lap_end : end;
        const uint64_t *place = (const uint64_t *)(input->image + position % input->shape.capacity_bytes);
        for (; position < until; position += RECORD_ALIGN_BYTES, place++) {
            if (*place == position || *place == position + input->shape.capacity_bytes) {
                return position;
            }
        }
    }
    return end;
}

/* Only a checkpoint releases space. So if a record stands beyond the space that the newest one released, the medium
 * lost a newer checkpoint that it had acknowledged. */
static int refuse_stale_checkpoints(uint64_t position, uint64_t end) {
    return error_set(
        EUCLEAN,
        "a record stands at position %llu of the ring, but its checkpoints say that nothing can be at or "
        "after %llu: the medium lost checkpoints that it had acknowledged. The ring is left as it is: copy it "
        "before anything else",
        (unsigned long long)position, (unsigned long long)end);
}

static void note_record(struct evidence *evidence, const struct record_header *header) {
    const struct walk_shape *shape = &evidence->bounded_validation.input->shape;
    struct record_run *run = &evidence->runs[evidence->run_count - (evidence->run_count > 0)];
    if (header->position + record_bytes(header->length) > evidence->window_end) {
        return;
    }
    if (evidence->run_count > 0 && record_run_goes_on(run, header->position, header)) {
        record_run_add(run, shape, header);
    } else if (evidence->run_count < EVIDENCE_RUNS) {
        evidence->runs[evidence->run_count++] = record_run_of(shape, header);
    }
}

static int note_headers(struct evidence *evidence, const struct recovery_input *input, uint64_t begin) {
    const uint64_t end = evidence->window_end;
    for (uint64_t position = place_naming_itself(input, begin, end); position < end;
         position = place_naming_itself(input, position, end)) {
        const struct record_header *header = record_at(input->image, input->shape.capacity_bytes, position);
        if (header->position != position) {
            if (record_has_header(input->image, input->shape.capacity_bytes, header->position, input->crc_seed)) {
                return refuse_stale_checkpoints(header->position, end);
            }
            position += RECORD_ALIGN_BYTES;
            continue;
        }
        const enum record_verdict verdict = judge_at(&evidence->bounded_validation, position);
        if (verdict != RECORD_INVALID) {
            note_header(evidence, header, verdict == RECORD_VALID);
        }
        if (verdict == RECORD_VALID) {
            note_record(evidence, header);
        }
        if (verdict == RECORD_VALID && header->type == RECORD_MARKER) {
            const int rc = add_marker(evidence, header);
            if (rc < 0) {
                return rc;
            }
        }
        /* A whole payload surely holds no other headers. All others may hold some: a void record may have been
         * overwritten, and nobody checks a pad's payload. */
        position +=
            verdict == RECORD_VALID && header->type != RECORD_PAD ? record_bytes(header->length) : RECORD_ALIGN_BYTES;
    }
    return 0;
}

int evidence_gather(const struct platform *platform, const struct recovery_input *input, struct evidence *evidence) {
    const struct recovery_head *head = &input->head;
    const uint64_t begin = head->start.position;
    *evidence = (struct evidence){.platform = platform,
                                  .bounded_validation = {.input = input},
                                  .window_end = begin + input->shape.capacity_bytes,
                                  .durable_position = begin,
                                  .durable_sequence = head->start.sequence,
                                  .epoch_highest = head->epoch_highest};
    note_watermark(evidence, head->durable_position, head->durable_sequence);
    const int rc = note_headers(evidence, input, begin);
    if (rc < 0 || evidence->marker_count == 0) {
        return rc;
    }
    qsort(evidence->markers, evidence->marker_count, sizeof *evidence->markers, compare_markers);
    return list_losses(evidence);
}

/* The first marker that says of a place at or behind `position` that the log ended there. */
static size_t first_marker(const struct evidence *evidence, uint64_t position) {
    size_t low = 0;
    for (size_t high = evidence->marker_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (marker_of(evidence->markers[middle])->log_end < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct record_header *evidence_marker_ending(const struct evidence *evidence, uint64_t position, uint32_t epoch,
                                                   uint64_t sequence) {
    const struct record_header *best = NULL;
    for (size_t i = first_marker(evidence, position);
         i < evidence->marker_count && marker_of(evidence->markers[i])->log_end == position; i++) {
        const struct record_header *header = evidence->markers[i];
        if (header->position >= position && header->epoch > epoch && header->sequence == sequence &&
            (best == NULL || header->epoch > best->epoch)) {
            best = header;
        }
    }
    /* A marker at `position` itself is simply the next record. */
    return best == NULL || best->position == position ? NULL : best;
}

/* Refuses a listed loss with numbers that no writer makes. */
static int is_plausible(const struct listed_loss *listed) {
    const struct marker_loss *loss = listed->loss;
    return loss->to > loss->from && loss->to <= marker_of(listed->marker)->log_end &&
           loss->to % RECORD_ALIGN_BYTES == 0 && loss->first_sequence <= LAYOUT_NUMBER_MAX &&
           loss->count <= LAYOUT_NUMBER_MAX - loss->first_sequence;
}

/* The first listed loss that begins at or behind `position`. */
static size_t first_loss(const struct evidence *evidence, uint64_t position) {
    size_t low = 0;
    for (size_t high = evidence->loss_count; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (evidence->losses[middle].loss->from < position) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

const struct listed_loss *evidence_known_loss(const struct evidence *evidence, uint64_t position, uint32_t epoch) {
    for (size_t i = first_loss(evidence, position);
         i < evidence->loss_count && evidence->losses[i].loss->from == position; i++) {
        const struct listed_loss *listed = &evidence->losses[i];
        if (listed->marker->position > position && listed->marker->epoch > epoch && is_plausible(listed)) {
            return listed;
        }
    }
    return NULL;
}

const struct record_run *evidence_run_at(struct evidence *evidence, uint64_t position) {
    while (evidence->run_next < evidence->run_count && evidence->runs[evidence->run_next].from < position) {
        evidence->run_next++;
    }
    return evidence->run_next < evidence->run_count && evidence->runs[evidence->run_next].from == position
               ? &evidence->runs[evidence->run_next]
               : NULL;
}

int evidence_speaks_within(const struct evidence *evidence, const struct record_run *run) {
    const uint64_t behind_first = run->from + 1, end = run->end.position;
    return first_marker(evidence, behind_first) < first_marker(evidence, end) ||
           first_loss(evidence, behind_first) < first_loss(evidence, end);
}

int evidence_resume(struct evidence *evidence, uint64_t position, uint32_t epoch, uint64_t sequence, uint64_t *resume) {
    const struct recovery_input *input = evidence->bounded_validation.input;
    if (evidence->map.bits == NULL) {
        const int rc = record_map_make(evidence->platform, &evidence->bounded_validation, input->head.start.position,
                                       evidence->window_end, &evidence->map);
        if (rc < 0) {
            return rc;
        }
    }
    /* Epochs and sequences only rise along the log. A record that cannot follow here cannot follow later, so the search
     * looks at no place twice. */
    for (uint64_t at = position;;) {
        at = record_map_next(&evidence->map, at + RECORD_ALIGN_BYTES);
        if (at >= evidence->durable_position) {
            *resume = evidence->durable_position;
            return 0;
        }
        const struct record_header *header = record_at(input->image, input->shape.capacity_bytes, at);
        if (header->epoch >= epoch && header->sequence >= sequence) {
            *resume = at;
            return 0;
        }
    }
}
