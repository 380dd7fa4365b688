/* SPDX-License-Identifier: Apache-2.0 */
/* The ring for the joined view, besides its records: its checkpoints, and the place where it is read. */
#include "read/ring_source.h"

#include <string.h>

#include "read/ring_source_state.h"

int ring_source_look(struct read_source *source) {
    struct ring_source *self = self_of(source);
    uint8_t *const newer = self->checkpoint + LAYOUT_CHECKPOINT_BYTES;
    const int bytes = self->walk.sight->ops->checkpoint(self->walk.sight, newer);
    /* While the newest one is being written, only the one before it may be whole. */
    if (bytes > 0 && (checkpoint_claims(self->checkpoint) == 0 ||
                      checkpoint_facts(newer).generation >= checkpoint_facts(self->checkpoint).generation)) {
        memcpy(self->checkpoint, newer, (size_t)bytes);
    }
    return bytes < 0 ? bytes : 0;
}

unsigned ring_source_streams(const struct read_source *source) {
    return checkpoint_streams(look_of(source)->checkpoint);
}

void ring_source_stream(const struct read_source *source, unsigned index, struct stream_state *state) {
    checkpoint_decode(look_of(source)->checkpoint, index, state);
}

void ring_source_choose(struct read_source *source, uint32_t stream) {
    self_of(source)->stream = stream;
}

int ring_source_go(struct read_source *source, uint64_t position, uint64_t sequence, uint32_t epoch) {
    struct ring_source *self = self_of(source);
    const struct sight_place place = {.position = position, .sequence = sequence, .epoch = epoch};
    uint64_t watermark, next_sequence;
    int rc = self->walk.sight->ops->watermark(self->walk.sight, &watermark, &next_sequence);
    if (rc < 0) {
        return rc;
    }
    ring_walk_go(&self->walk, &place);
    self->given = 0;
    self->has_loss = 0;
    self->wanted = 0;
    self->wanted_ns = INT64_MIN;
    return !ring_walk_is_lapped(&self->walk);
}

uint32_t ring_source_seed(const struct read_source *source) {
    return look_of(source)->walk.sight->crc_seed;
}

uint64_t ring_source_found(const struct read_source *source) {
    return look_of(source)->found;
}

struct ring_source_place ring_source_place(const struct read_source *source) {
    const struct sight_place *place = &look_of(source)->walk.place;
    return (struct ring_source_place){.position = place->position, .sequence = place->sequence, .epoch = place->epoch};
}

struct ring_source_mark ring_source_mark(const struct read_source *source) {
    const struct ring_source *self = look_of(source);
    return (struct ring_source_mark){
        .place = ring_source_place(source),
        .loss = {.position = self->loss.position, .sequence = self->loss.sequence, .epoch = self->loss.epoch},
        .has_loss = self->has_loss,
        .wanted = self->wanted,
        .wanted_ns = self->wanted_ns,
        .given = self->given};
}

void ring_source_return(struct read_source *source, const struct ring_source_mark *mark) {
    struct ring_source *self = self_of(source);
    const struct sight_place place = {
        .position = mark->place.position, .sequence = mark->place.sequence, .epoch = mark->place.epoch};
    ring_walk_go(&self->walk, &place);
    self->loss = (struct sight_place){
        .position = mark->loss.position, .sequence = mark->loss.sequence, .epoch = mark->loss.epoch};
    self->has_loss = mark->has_loss;
    self->wanted = mark->wanted;
    self->wanted_ns = mark->wanted_ns;
    self->given = mark->given;
}
