/* SPDX-License-Identifier: Apache-2.0 */
#include "read/segments_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "consume/frames.h"

#define LOOK_AGAIN_NS 2000000

struct segments_source {
    struct read_source source;
    const struct platform *platform;
    struct frames frames;
    int64_t last_sequence; /* of the last record that was given; 0: none was */
    uint64_t seeks;
    char folder[BURST_PATH_BYTES];
};

static struct segments_source *self_of(struct read_source *source) {
    return (struct segments_source *)source;
}

static void fill(const struct frame *frame, burst_read_t *record) {
    const struct record_header *header = &frame->header;
    struct marker_loss loss;
    record->sequence = (int64_t)header->sequence;
    record->count = 1;
    record->position = frame->number;
    if (header->type == SEGMENT_FRAME_LOSS) {
        memcpy(&loss, frame->payload, sizeof loss);
        record->kind = BURST_READ_LOST;
        record->count = loss.count;
        record->sequence = (int64_t)loss.first_sequence;
        return;
    }
    record->kind = (header->flags & RECORD_ROLL) != 0 ? BURST_READ_ROLL : BURST_READ_RECORD;
    record->event_time_ns = header->event_time_ns;
    record->data = frame->payload;
    record->length = header->length;
    record->stream = header->stream;
    record->epoch = header->epoch;
    record->enqueued = (header->flags & RECORD_ENQUEUED) != 0;
}

static int next(struct read_source *source, burst_read_t *record) {
    struct segments_source *self = self_of(source);
    struct frame frame;
    const uint32_t bytes = record->struct_bytes;
    *record = (burst_read_t){.struct_bytes = bytes, .stream = BURST_ALL_STREAMS, .place = BURST_PLACE_SEGMENTS};
    const int rc = frames_next(&self->frames, &frame);
    if (rc == FRAMES_ONE) {
        fill(&frame, record);
        self->last_sequence = record->sequence + (int64_t)record->count - 1;
    } else if (rc == FRAMES_MISSING) {
        record->kind = BURST_READ_MISSED;
        record->sequence = self->last_sequence == 0 ? 0 : self->last_sequence + 1;
        record->count = frame.missing;
        record->position = frame.number;
    }
    return rc < 0 ? rc : rc != FRAMES_NONE;
}

static int wait_for_more(struct read_source *source, int64_t timeout_ns) {
    const struct segments_source *self = self_of(source);
    self->platform->ops->sleep_ns(self->platform,
                                  timeout_ns >= 0 && timeout_ns < LOOK_AGAIN_NS ? timeout_ns : LOOK_AGAIN_NS);
    return 0;
}

static int has_time(const struct frames_sought *sought, const struct record_header *header) {
    return header->event_time_ns >= sought->value;
}

static int has_sequence(const struct frames_sought *sought, const struct record_header *header) {
    return (int64_t)header->sequence >= sought->value;
}

static int go_back_from(struct segments_source *self, uint64_t number, uint64_t count) {
    uint64_t lowest;
    const int rc = frames_lowest(&self->frames, &lowest);
    if (rc == 0) {
        frames_seek(&self->frames, number - lowest > count ? number - count : lowest);
    }
    return rc;
}

int segments_source_go_before(struct read_source *source, int64_t sequence, uint64_t count) {
    struct segments_source *self = self_of(source);
    const struct frames_sought sought = {.is_reached = has_sequence, .value = sequence, .in_newest_ring = 1};
    const int rc = frames_find(&self->frames, &sought);
    self->seeks++;
    return rc < 0 ? rc : go_back_from(self, self->frames.wanted, count);
}

int segments_source_is_of(const struct read_source *source, uint32_t crc_seed) {
    const struct segments_source *self = (const struct segments_source *)source;
    return self->frames.segment >= 0 && self->frames.crc_seed == crc_seed;
}

static int seek(struct read_source *source, enum burst_read_from from, int64_t value) {
    struct segments_source *self = self_of(source);
    const struct frames_sought of_time = {.is_reached = has_time, .value = value};
    const struct frames_sought of_sequence = {.is_reached = has_sequence, .value = value, .in_newest_ring = 1};
    uint64_t lowest;
    int rc;
    self->seeks++;
    self->last_sequence = 0;
    switch (from) {
    case BURST_FROM_SEQUENCE:
        return frames_find(&self->frames, &of_sequence);
    case BURST_FROM_TIME:
        return frames_find(&self->frames, &of_time);
    case BURST_FROM_LAST:
        rc = frames_seek_end(&self->frames);
        return rc < 0 || value == 0 ? rc : go_back_from(self, self->frames.wanted, (uint64_t)value);
    default:
        rc = frames_lowest(&self->frames, &lowest);
        if (rc == 0) {
            frames_seek(&self->frames, lowest);
        }
        return rc;
    }
}

/* Takes the next frame that is there. Returns as frames_next; *is_missing is set if others before it are gone. */
static int next_there(struct segments_source *self, struct frame *frame, int *is_missing) {
    int rc;
    while ((rc = frames_next(&self->frames, frame)) == FRAMES_MISSING) {
        *is_missing = 1;
    }
    return rc;
}

int segments_source_find(struct read_source *source, int64_t sequence, int64_t *first) {
    struct segments_source *self = self_of(source);
    struct frame frame;
    burst_read_t record;
    int is_missing = 0;
    *first = sequence;
    int rc = seek(source, BURST_FROM_SEQUENCE, sequence);
    rc = rc < 0 ? rc : next_there(self, &frame, &is_missing);
    if (rc != FRAMES_ONE) {
        return rc;
    }
    /* The frame before it tells whether any is missing in between: sequences do not, as other streams have some. */
    const uint64_t found = frame.number;
    is_missing = 0;
    frames_seek(&self->frames, found - (found > 1));
    rc = next_there(self, &frame, &is_missing);
    if (rc == FRAMES_ONE && is_missing) {
        fill(&frame, &record);
        *first = record.sequence > sequence ? record.sequence : sequence;
    }
    if (is_missing || found == 1) {
        frames_seek(&self->frames, frame.number);
    }
    return rc;
}

int segments_source_is_in(const struct read_source *source, const char *folder) {
    return strcmp(((const struct segments_source *)source)->folder, folder) == 0;
}

static void state(const struct read_source *source, burst_reader_state_t *state) {
    const struct segments_source *self = (const struct segments_source *)source;
    state->place = BURST_PLACE_SEGMENTS;
    state->next_sequence = self->last_sequence == 0 ? 0 : self->last_sequence + 1;
    state->seeks += self->seeks;
    if (state->how[0] == '\0') {
        snprintf(state->how, sizeof state->how, "reads the segments in %.400s", self->folder);
    }
}

static int file(const struct read_source *source, struct read_file *found) {
    const struct segments_source *self = (const struct segments_source *)source;
    return path_absolute(self->folder, found->path, sizeof found->path) == 0 && stat(found->path, &found->status) == 0;
}

static void close_source(struct read_source *source) {
    struct segments_source *self = self_of(source);
    frames_close(&self->frames);
    free(self);
}

int segments_source_open(const struct platform *platform, const char *folder, struct read_source **source) {
    static const struct read_source_ops ops = {
        .next = next, .wait = wait_for_more, .seek = seek, .state = state, .close = close_source, .file = file};
    struct segments_source *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return error_set(ENOMEM, "no memory to read segments: %zu bytes", sizeof *self);
    }
    *self = (struct segments_source){.source.ops = &ops, .platform = platform};
    snprintf(self->folder, sizeof self->folder, "%s", folder);
    int rc = frames_open(&self->frames, folder);
    if (rc < 0) {
        free(self);
        return rc;
    }
    rc = seek(&self->source, BURST_FROM_OLDEST, 0);
    if (rc < 0) {
        close_source(&self->source);
        return rc;
    }
    *source = &self->source;
    return 0;
}
