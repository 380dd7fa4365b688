/* SPDX-License-Identifier: Apache-2.0 */
#include "recovery/evidence.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"

static int add_marker(const struct platform *platform, struct evidence *evidence, const struct record_header *header) {
    if (evidence->marker_count == evidence->marker_room) {
        const size_t room = evidence->marker_room == 0 ? 512 : 2 * evidence->marker_room;
        const struct record_header **markers = platform_allocate(platform, room * sizeof *markers, PLATFORM_PLAIN);
        if (markers == NULL) {
            return error_set(ENOMEM, "no memory for the %zu markers that recovery found", room);
        }
        if (evidence->marker_count > 0) {
            memcpy(markers, evidence->markers, evidence->marker_count * sizeof *markers);
        }
        evidence_free(platform, evidence);
        evidence->markers = markers;
        evidence->marker_room = room;
    }
    evidence->markers[evidence->marker_count++] = header;
    return 0;
}

void evidence_free(const struct platform *platform, struct evidence *evidence) {
    if (evidence->markers != NULL) {
        platform_release(platform, evidence->markers, evidence->marker_room * sizeof *evidence->markers);
        evidence->markers = NULL;
    }
}

static void note_watermark(struct evidence *evidence, uint64_t position, uint64_t sequence) {
    if (position > evidence->durable_position) {
        evidence->durable_position = position;
        evidence->durable_sequence = sequence;
    }
}

static void note_checkpoint(struct evidence *evidence, const struct checkpoint *checkpoint) {
    if (checkpoint == NULL) {
        return;
    }
    note_watermark(evidence, checkpoint->durable_position, checkpoint->next_sequence);
    note_watermark(evidence, checkpoint->stream.drained_position, checkpoint->stream.next_sequence);
    if (checkpoint->epoch > evidence->epoch_highest) {
        evidence->epoch_highest = checkpoint->epoch;
    }
}

static void note_header(struct evidence *evidence, const struct record_header *header, int is_whole) {
    note_watermark(evidence, header->durable_position, header->sequence - header->in_flight);
    if (header->epoch > evidence->epoch_highest) {
        evidence->epoch_highest = header->epoch;
    }
    if (header->epoch > evidence->epoch_of_markers && header->type == RECORD_MARKER && is_whole) {
        evidence->epoch_of_markers = header->epoch;
    }
}

/* The first position at or after this one at whose place it stands itself, as it does in a header, or the same place's
 * position a lap on; `end` if none. */
static uint64_t place_naming_itself(const struct recovery_input *input, uint64_t position, uint64_t end) {
    while (position < end) {
        const uint64_t lap_end = position + lap_remaining(position, input->capacity_bytes);
        const uint64_t until = lap_end < end ? lap_end : end;
        const uint64_t *place = (const uint64_t *)(input->image + position % input->capacity_bytes);
        for (; position < until; position += RECORD_ALIGN_BYTES, place++) {
            if (*place == position || *place == position + input->capacity_bytes) {
                return position;
            }
        }
    }
    return end;
}

/* Space is released by checkpoints: where a record stands beyond what the newest one released, that one is not the newest
 * that was acknowledged. */
static int refuse_stale_checkpoints(uint64_t position, uint64_t end) {
    return error_set(EUCLEAN, "a record stands at position %llu of the ring, but its checkpoints say that nothing can be at or "
                     "after %llu: the medium lost checkpoints that it had acknowledged. The ring is left as it is; save its "
                     "records with `burstlog dump`", (unsigned long long)position, (unsigned long long)end);
}

int evidence_gather(const struct platform *platform, const struct recovery_input *input, struct evidence *evidence) {
    memset(evidence, 0, sizeof *evidence);
    note_checkpoint(evidence, input->newest);
    note_checkpoint(evidence, input->other);
    const uint64_t begin = input->newest->stream.drained_position;
    const uint64_t end = begin + input->capacity_bytes;
    for (uint64_t position = place_naming_itself(input, begin, end); position < end;
         position = place_naming_itself(input, position, end)) {
        const struct record_header *header = record_at(input->image, input->capacity_bytes, position);
        if (header->position != position) {
            if (record_has_header(input->image, input->capacity_bytes, header->position, input->crc_seed)) {
                return refuse_stale_checkpoints(header->position, end);
            }
            position += RECORD_ALIGN_BYTES;
            continue;
        }
        const enum record_verdict verdict =
            record_judge(input->image, input->capacity_bytes, position, input->crc_seed);
        if (verdict != RECORD_INVALID) {
            note_header(evidence, header, verdict == RECORD_VALID);
        }
        if (verdict == RECORD_VALID && header->type == RECORD_MARKER) {
            int rc = add_marker(platform, evidence, header);
            if (rc < 0) {
                return rc;
            }
        }
        /* Only a whole payload is known to hold no other headers: a void record may have been overwritten. A pad's
         * payload is never checked. */
        position += verdict == RECORD_VALID && header->type != RECORD_PAD ? record_bytes(header->length)
                                                                          : RECORD_ALIGN_BYTES;
    }
    return 0;
}

const struct record_header *evidence_marker_ending(const struct evidence *evidence, uint64_t position, uint32_t epoch) {
    const struct record_header *best = NULL;
    for (size_t i = 0; i < evidence->marker_count; i++) {
        const struct record_header *header = evidence->markers[i];
        if (marker_of(header)->log_end == position && header->position >= position && header->epoch > epoch &&
            (best == NULL || header->epoch > best->epoch)) {
            best = header;
        }
    }
    return best == NULL || best->position == position ? NULL : best; /* at its own position it is the next record */
}

const struct marker_loss *evidence_known_loss(const struct evidence *evidence, uint64_t position, uint32_t epoch) {
    for (size_t i = 0; i < evidence->marker_count; i++) {
        const struct record_header *header = evidence->markers[i];
        const struct marker *marker = marker_of(header);
        for (uint32_t j = 0; header->position > position && header->epoch > epoch && j < marker->loss_count; j++) {
            if (marker->losses[j].from == position) {
                return &marker->losses[j];
            }
        }
    }
    return NULL;
}

/* The lowest sequence seen in each epoch, over the headers behind the one looked at. */
#define EPOCHS_REMEMBERED 64

struct later_headers {
    uint32_t epochs[EPOCHS_REMEMBERED];
    uint64_t sequences[EPOCHS_REMEMBERED];
    size_t count;
};

static void remember(struct later_headers *later, const struct record_header *header) {
    for (size_t i = 0; i < later->count; i++) {
        if (later->epochs[i] == header->epoch) {
            later->sequences[i] = header->sequence; /* sequences fall towards the front */
            return;
        }
    }
    if (later->count < EPOCHS_REMEMBERED) {
        later->epochs[later->count] = header->epoch;
        later->sequences[later->count++] = header->sequence;
        return;
    }
    /* More epochs in one window than this share the last place, which only makes it stricter. */
    if (header->epoch > later->epochs[EPOCHS_REMEMBERED - 1]) {
        later->epochs[EPOCHS_REMEMBERED - 1] = header->epoch;
    }
    later->sequences[EPOCHS_REMEMBERED - 1] = header->sequence;
}

static int is_contradicted(const struct later_headers *later, const struct record_header *header) {
    for (size_t i = 0; i < later->count; i++) {
        if (later->epochs[i] > header->epoch && later->sequences[i] <= header->sequence) {
            return 1;
        }
    }
    return 0;
}

uint64_t evidence_resume(const struct evidence *evidence, const struct recovery_input *input, uint64_t position,
                         uint32_t epoch, uint64_t sequence, uint64_t window_end) {
    uint64_t resume = evidence->durable_position;
    struct later_headers later = {.count = 0};
    for (uint64_t at = window_end - RECORD_ALIGN_BYTES; at > position; at -= RECORD_ALIGN_BYTES) {
        const struct record_header *header = record_at(input->image, input->capacity_bytes, at);
        if (header->position != at) {
            continue;
        }
        const enum record_verdict verdict = record_judge(input->image, input->capacity_bytes, at, input->crc_seed);
        if (verdict == RECORD_VALID && header->epoch >= epoch && header->sequence >= sequence &&
            at < evidence->durable_position && !is_contradicted(&later, header)) {
            resume = at;
        }
        if (verdict != RECORD_INVALID) {
            remember(&later, header);
        }
    }
    return resume;
}
