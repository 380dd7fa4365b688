/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds a record by a field of its header.
 *
 * DESIGN. There is no index. Some ten looks at first records find the right segment. That segment is then read through,
 * which takes no longer than a consumer takes to read it. An index would have to be written, synced, redone and proved
 * as the segments are, for calls that come once a start.
 */
#include <string.h>

#include "base/error.h"
#include "consume/folder.h"
#include "consume/frames.h"

int frames_next_record(struct frames *frames, struct frame *frame) {
    int rc;
    do {
        rc = frames_next(frames, frame);
    } while (rc == FRAMES_MISSING || (rc == FRAMES_ONE && frame->header.type != RECORD_DATA));
    return rc;
}

static int first_record(struct frames *frames, uint64_t number, struct frame *frame) {
    frames_seek(frames, number);
    return frames_next_record(frames, frame);
}

static int is_reached(const struct frames *frames, const struct frames_sought *sought, const uint8_t newest_ring[16],
                      const struct record_header *header) {
    return (!sought->in_newest_ring || memcmp(frames->header.ring_uuid, newest_ring, 16) == 0) &&
           sought->is_reached(sought, header);
}

/* The last segment whose first record does not satisfy the predicate, or else the first segment. */
static int find_segment(struct frames *frames, const struct frames_sought *sought, const struct segment_list *list,
                        uint8_t newest_ring[16], uint64_t *number) {
    size_t low = 0, high = list->count;
    struct frame frame;
    int rc = FRAMES_NONE;
    for (size_t i = list->count; rc == FRAMES_NONE && i-- > 0;) {
        /* The last segments may have no record yet. */
        rc = first_record(frames, list->segments[i].first_number, &frame);
    }
    memcpy(newest_ring, frames->header.ring_uuid, 16);
    while (rc >= 0 && low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        rc = first_record(frames, list->segments[middle].first_number, &frame);
        if (rc == FRAMES_NONE || (rc > 0 && is_reached(frames, sought, newest_ring, &frame.header))) {
            high = middle;
        } else {
            low = middle;
        }
    }
    *number = list->segments[low].first_number;
    return rc < 0 ? rc : 0;
}

/* Lost records had sequences up to the last one, and times that nobody knows. */
static struct record_header last_lost(const struct frame *frame) {
    struct record_header header = frame->header;
    struct marker_loss loss;
    memcpy(&loss, frame->payload, sizeof loss);
    header.sequence = loss.first_sequence + loss.count - 1;
    header.event_time_ns = INT64_MAX;
    return header;
}

/* A loss that stands directly before the record, and may have what is sought, is found in its place. */
static int find(struct frames *frames, const struct frames_sought *sought, const struct segment_list *list) {
    uint8_t newest_ring[16];
    struct frame frame;
    uint64_t number, loss = 0;
    int rc = find_segment(frames, sought, list, newest_ring, &number);
    if (rc < 0) {
        return rc;
    }
    frames_seek(frames, number);
    while ((rc = frames_next(frames, &frame)) > 0) {
        const int is_loss = rc == FRAMES_ONE && frame.header.type == SEGMENT_FRAME_LOSS;
        const struct record_header header = is_loss ? last_lost(&frame) : frame.header;
        const int is_there = rc == FRAMES_ONE && is_reached(frames, sought, newest_ring, &header);
        if (is_loss) {
            loss = loss == 0 && is_there ? frame.number : loss;
        } else if (is_there) {
            frames_seek(frames, loss != 0 ? loss : frame.number);
            return 0;
        } else if (rc == FRAMES_ONE) {
            loss = 0;
        }
    }
    return rc;
}

int frames_find(struct frames *frames, const struct frames_sought *sought) {
    struct segment_list list;
    int rc = folder_segments(frames->folder, &list);
    if (rc < 0) {
        return error_set(-rc, "segments of stream \"%s\" cannot be listed: %s", frames->head.name, error_name(-rc));
    }
    if (list.count > 0) {
        rc = find(frames, sought, &list);
    }
    segment_list_free(&list);
    return rc;
}
