/* SPDX-License-Identifier: Apache-2.0 */
#include "read/ring_walk.h"

#include <errno.h>

#include "base/crc32c.h"
#include "base/error.h"
#include "media/record.h"

#define LEAST_ROOM 4096u
#define LOOKS_MOST 5

static int make_room(struct ring_walk *walk, size_t bytes) {
    if (bytes <= walk->room) {
        return 0;
    }
    uint8_t *larger = platform_allocate(walk->platform, bytes, PLATFORM_PLAIN);
    if (larger == NULL) {
        return error_set(ENOMEM, "no memory to read a record of %zu bytes", bytes);
    }
    if (walk->payload != NULL) {
        platform_release(walk->platform, walk->payload, walk->room);
    }
    walk->payload = larger;
    walk->room = bytes;
    return 0;
}

int ring_walk_begin(struct ring_walk *walk, const struct platform *platform) {
    *walk = (struct ring_walk){.platform = platform};
    return make_room(walk, LEAST_ROOM);
}

void ring_walk_end(struct ring_walk *walk) {
    if (walk->payload != NULL) {
        platform_release(walk->platform, walk->payload, walk->room);
    }
}

/* A gap never leads back, wherever the record before it ended. */
static void pass_gaps(struct ring_walk *walk) {
    while (walk->gap < walk->sight->gap_count && walk->sight->gaps[walk->gap].to <= walk->place.position) {
        walk->gap++;
    }
}

void ring_walk_go(struct ring_walk *walk, const struct sight_place *place) {
    const struct sight *sight = walk->sight;
    walk->place = *place;
    walk->place.position = record_start(place->position, sight->shape.capacity_bytes);
    walk->settled = walk->place;
    walk->gap = 0;
    pass_gaps(walk);
}

int ring_walk_is_lapped(const struct ring_walk *walk) {
    return walk->place.position < walk->sight->ops->floor(walk->sight);
}

int ring_walk_damaged(const struct ring_walk *walk) {
    return error_set(
        EUCLEAN,
        "the ring has no whole record %llu at position %llu, although it is durable there; look at the ring "
        "with `burstlog verify`",
        (unsigned long long)walk->place.sequence, (unsigned long long)walk->place.position);
}

/* Copies the record at the place, with its payload if that is wanted. Returns STEP_RECORD, STEP_LAPPED, STEP_NONE if the
 * bytes there are not those of the next record, or -errno. */
static int copy_record(struct ring_walk *walk, uint64_t watermark, int with_payload, struct record_header *header) {
    struct sight *sight = walk->sight;
    const uint64_t position = walk->place.position, capacity = sight->shape.capacity_bytes;
    int rc = sight->ops->copy(sight, position, header, sizeof *header);
    if (rc < 0 || ring_walk_is_lapped(walk)) {
        return rc < 0 ? rc : STEP_LAPPED;
    }
    /* An open may have put its marker in the place of an unused one that the walk had passed, and its records behind it.
     * Then whatever record begins at the place is not the next one. */
    const int skips = walk->place.epoch != 0 && header->sequence > walk->place.sequence;
    if (header->position != position || skips || record_bytes(header->length) > lap_remaining(position, capacity) ||
        position + record_bytes(header->length) > watermark) {
        return STEP_NONE;
    }
    const int has_payload = with_payload && header->type == RECORD_DATA;
    rc = has_payload ? make_room(walk, header->length) : 0;
    if (rc == 0 && has_payload && header->length > 0) {
        rc = sight->ops->copy(sight, position + RECORD_HEADER_BYTES, walk->payload, header->length);
    }
    if (rc < 0 || ring_walk_is_lapped(walk)) {
        return rc < 0 ? rc : STEP_LAPPED;
    }
    return record_header_is_whole(header, capacity, position, sight->crc_seed) && header->epoch >= walk->place.epoch &&
                   (!has_payload || header->payload_crc == crc32c(0, walk->payload, header->length))
               ? STEP_RECORD
               : STEP_NONE;
}

/* If an open ended the log at the place, and went on at a marker in one of the next two blocks, goes to that marker. All
 * later streams may have drained what is behind it: then no gap tells of the void range. */
static int pass_void(struct ring_walk *walk) {
    _Alignas(8) uint8_t block[LAYOUT_MIN_BLOCK_BYTES];
    struct sight *sight = walk->sight;
    const struct walk_shape *shape = &sight->shape;
    const struct record_header *header = (const struct record_header *)block;
    for (uint64_t turn = 0; turn < 2; turn++) {
        const uint64_t at = align_up(walk->place.position, shape->block_bytes) + turn * shape->block_bytes;
        if (sight->ops->copy(sight, at, block, sizeof block) == 0 &&
            record_header_is_whole(header, shape->capacity_bytes, at, sight->crc_seed) &&
            header->type == RECORD_MARKER && header->epoch > walk->place.epoch &&
            header->length <= sizeof block - RECORD_HEADER_BYTES &&
            header->payload_crc == crc32c(0, record_payload(header), header->length) &&
            marker_is_whole(header, shape->block_bytes) && marker_of(header)->log_end == walk->place.position) {
            walk->place.position = at;
            return 1;
        }
    }
    return 0;
}

static void take_record(struct ring_walk *walk, struct ring_step *step) {
    struct walk next = {.position = walk->place.position};
    step->position = walk->place.position;
    walk_over_record(&next, &walk->sight->shape, &step->header);
    walk->place =
        (struct sight_place){.position = next.position, .sequence = next.sequence, .epoch = step->header.epoch};
    walk->settled = step->header.type == RECORD_MARKER ? walk->settled : walk->place;
}

int ring_walk_step(struct ring_walk *walk, int with_payload, struct ring_step *step) {
    struct sight *sight = walk->sight;
    uint64_t watermark, next_sequence;
    for (int looks = 0; looks < LOOKS_MOST; looks++) {
        int rc = sight->ops->watermark(sight, &watermark, &next_sequence);
        if (rc < 0 || walk->place.position >= watermark) {
            return rc;
        }
        if (ring_walk_is_lapped(walk)) {
            return STEP_LAPPED;
        }
        pass_gaps(walk);
        if (walk->gap < sight->gap_count && sight->gaps[walk->gap].from <= walk->place.position) {
            step->gap = &sight->gaps[walk->gap++];
            walk->place.position = record_start(step->gap->to, sight->shape.capacity_bytes);
            walk->place.sequence = step->gap->first_sequence + step->gap->count;
            walk->settled = step->gap->count == 0 ? walk->settled : walk->place;
            return STEP_GAP;
        }
        rc = copy_record(walk, watermark, with_payload, &step->header);
        if (rc == STEP_RECORD) {
            take_record(walk, step);
        }
        if (rc != STEP_NONE) {
            return rc;
        }
        if (!pass_void(walk) && sight->ops->is_outdated(sight, walk->place.position)) {
            return STEP_OUTDATED;
        }
    }
    return ring_walk_damaged(walk);
}
