/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring as a source: the walk along it, through the best sight that can be had, and the records that the reader wants.
 */
#include "read/ring_source.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "media/record.h"
#include "read/ring_source_state.h"

#define TRIES_MOST 5

/* ------------------------------------------------------------------------------------------------------------ walk */

/* Looks for the next sight, or a better one. Returns 1 if the sight is new, 0 if not, or -errno with a sentence. */
static int renew(struct ring_source *self, int at_once) {
    const struct sight_place place = self->walk.settled;
    const int rc = best_sight_renew(&self->best, place, at_once);
    if (self->walk.sight != self->best.sight) { /* also when the new one is told as an error: the old one is closed */
        self->walk.sight = self->best.sight;
        ring_walk_go(&self->walk, &place);
    }
    return rc;
}

/* Moves over the next record or gap, in the next sight if this one is outdated. Returns -EAGAIN if each new sight is
 * outdated as well: the ring is opened, and its writer killed, faster than it can be looked at. */
static int step(struct ring_source *self, int with_payload, struct ring_step *stepped) {
    for (int tries = 0;; tries++) {
        int rc = ring_walk_step(&self->walk, with_payload, stepped);
        if (rc != STEP_OUTDATED) {
            return rc;
        }
        rc = tries < TRIES_MOST ? renew(self, 1) : 0;
        if (rc <= 0) {
            return rc < 0 ? rc
                          : error_set(EAGAIN, "the ring is opened again and again while it is read: read it again when "
                                              "its writer stays");
        }
    }
}

/* Goes to the oldest record that is there. place.sequence becomes that of the first record there, or of the next one
 * that will come. */
static int go_to_oldest(struct ring_source *self) {
    for (int tries = 0; tries < TRIES_MOST * TRIES_MOST; tries++) {
        struct sight_place place;
        struct ring_step stepped;
        uint64_t watermark, sequence;
        int rc = self->walk.sight->ops->oldest(self->walk.sight, &place);
        rc = rc < 0 ? rc : self->walk.sight->ops->watermark(self->walk.sight, &watermark, &sequence);
        if (rc < 0) {
            return rc;
        }
        ring_walk_go(&self->walk, &place);
        if (self->walk.place.position >= watermark) {
            self->walk.place.sequence = sequence;
            return 0;
        }
        if (place.sequence != 0) {
            return 0;
        }
        rc = step(self, 0, &stepped);
        if (rc == STEP_RECORD) {
            place.sequence = stepped.header.sequence;
        } else if (rc == STEP_GAP) {
            place.sequence = stepped.gap->first_sequence;
        } else if (rc == STEP_LAPPED || rc == STEP_NONE || rc == -EAGAIN) {
            continue; /* its first record is gone, or another sight ends here */
        } else {
            return rc;
        }
        ring_walk_go(&self->walk, &place);
        return 0;
    }
    return error_set(EAGAIN, "the ring is written over faster than its beginning can be found: read its log files, or "
                             "begin with the newest record");
}

static int missed(struct ring_source *self, burst_read_t *record) {
    const struct sight_place before = self->walk.place;
    const int rc = go_to_oldest(self);
    if (rc < 0) {
        return rc;
    }
    /* The reader does not want those before `wanted`. */
    const uint64_t first = before.sequence > self->wanted ? before.sequence : self->wanted;
    record->kind = BURST_READ_MISSED;
    record->sequence = (int64_t)first;
    record->count = self->walk.place.sequence > first ? self->walk.place.sequence - first : 0;
    record->position = before.position;
    return 1;
}

static void fill(const struct ring_source *self, const struct ring_step *stepped, burst_read_t *record) {
    const struct record_header *header = &stepped->header;
    record->kind = (header->flags & RECORD_ROLL) != 0 ? BURST_READ_ROLL : BURST_READ_RECORD;
    record->sequence = (int64_t)header->sequence;
    record->event_time_ns = header->event_time_ns;
    record->data = self->walk.payload;
    record->length = header->length;
    record->count = 1;
    record->position = stepped->position;
    record->stream = header->stream;
    record->epoch = header->epoch;
    record->enqueued = (header->flags & RECORD_ENQUEUED) != 0;
}

/* Whether the record is earlier than the wanted time. A roll has the time of its call: it says nothing of its log. */
static int is_early(const struct ring_source *self, const struct record_header *header) {
    return self->wanted_ns != INT64_MIN &&
           ((header->flags & RECORD_ROLL) != 0 || header->event_time_ns < self->wanted_ns);
}

/* Whether the gap has lost a record that the reader wants, or that comes later. */
static int is_wanted_loss(const struct ring_source *self, const struct walk_gap *gap) {
    return gap->count > 0 && (gap->first_sequence >= self->wanted || self->wanted - gap->first_sequence < gap->count);
}

/* Whether the reader wants the record that begins at the place. */
static int is_wanted(struct ring_source *self, const struct record_header *header) {
    if (header->type != RECORD_DATA || header->sequence < self->wanted ||
        (self->stream != BURST_ALL_STREAMS && header->stream != self->stream) || is_early(self, header)) {
        return 0;
    }
    self->wanted_ns = INT64_MIN;
    return 1;
}

/* Goes back to the record, which is no later one than what was given. Returns -EUCLEAN with a sentence. */
static int refuse(struct ring_source *self, const struct sight_place *before, const struct record_header *header) {
    ring_walk_go(&self->walk, before);
    return error_set(EUCLEAN,
                     "the ring has record %llu at position %llu, behind record %llu: no log writes it so; look at the "
                     "ring with `burstlog verify`",
                     (unsigned long long)header->sequence, (unsigned long long)before->position,
                     (unsigned long long)self->given - 1);
}

static int next(struct read_source *source, burst_read_t *record) {
    struct ring_source *self = self_of(source);
    struct ring_step stepped;
    int is_renewed = 0;
    const uint32_t bytes = record->struct_bytes;
    *record = (burst_read_t){.struct_bytes = bytes,
                             .stream = BURST_ALL_STREAMS,
                             .place = self->best.is_window ? BURST_PLACE_RING : BURST_PLACE_MEDIUM};
    for (;;) {
        const struct sight_place before = self->walk.place;
        const int rc = step(self, 1, &stepped);
        if (rc == STEP_LAPPED) {
            const int found = missed(self, record);
            if (found < 0 || record->count > 0) {
                return found;
            }
        } else if (rc == STEP_RECORD) {
            const int is_sought = self->wanted_ns != INT64_MIN;
            if (is_wanted(self, &stepped.header)) {
                if (is_sought && self->has_loss) {
                    self->has_loss = 0;
                    ring_walk_go(&self->walk, &self->loss);
                    continue;
                }
                if (stepped.header.sequence < self->given) {
                    return refuse(self, &before, &stepped.header);
                }
                self->given = stepped.header.sequence + 1;
                fill(self, &stepped, record);
                return 1;
            }
            /* A roll has the time of its call. */
            self->has_loss &= stepped.header.type != RECORD_DATA || (stepped.header.flags & RECORD_ROLL) != 0 ||
                              !is_early(self, &stepped.header);
        } else if (rc == STEP_GAP) {
            const struct walk_gap *gap = stepped.gap;
            const int is_loss = gap->damaged && is_wanted_loss(self, gap);
            if (is_loss && self->wanted_ns != INT64_MIN && !self->has_loss) {
                self->has_loss = 1;
                self->loss = before;
            } else if (is_loss && self->wanted_ns == INT64_MIN) {
                record->kind = BURST_READ_LOST;
                record->sequence = (int64_t)gap->first_sequence;
                record->count = gap->count;
                record->position = gap->from;
                return 1;
            }
        } else if (rc < 0) {
            return rc == -EAGAIN ? 0 : rc; /* as if nothing had come: the next call looks again */
        } else {
            /* Once: while a writer opens the ring each new sight ends where the last one did, and may take long. */
            const int renewed = is_renewed ? 0 : renew(self, 0);
            if (renewed <= 0) {
                return renewed;
            }
            is_renewed = 1;
            record->place = self->best.is_window ? BURST_PLACE_RING : BURST_PLACE_MEDIUM;
        }
    }
}

static int wait_for_more(struct read_source *source, int64_t timeout_ns) {
    struct ring_source *self = self_of(source);
    self->walk.sight->ops->wait(self->walk.sight, self->walk.place.position, timeout_ns);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ seek */

/* Counts the wanted records from the place to the watermark. Returns 0, STEP_LAPPED, or -errno. */
static int count_wanted(struct ring_source *self, uint64_t *count) {
    struct ring_step stepped;
    int rc;
    *count = 0;
    while ((rc = step(self, 0, &stepped)) == STEP_RECORD || rc == STEP_GAP) {
        *count += rc == STEP_RECORD && is_wanted(self, &stepped.header);
    }
    return rc;
}

/* Goes to the last `count` wanted records: counts them all, then passes over the first ones. */
static int go_to_last(struct ring_source *self, uint64_t count) {
    for (int tries = 0; tries < TRIES_MOST; tries++) {
        uint64_t wanted;
        struct ring_step stepped;
        int rc = go_to_oldest(self);
        const struct sight_place begin = self->walk.place;
        rc = rc < 0 ? rc : count_wanted(self, &wanted);
        if (rc < 0) {
            return rc;
        }
        if (rc == STEP_LAPPED) {
            continue;
        }
        self->found = wanted < count ? wanted : count;
        if (count == 0) {
            return 0;
        }
        ring_walk_go(&self->walk, &begin);
        uint64_t pass = wanted > count ? wanted - count : 0;
        while (pass > 0 && ((rc = step(self, 0, &stepped)) == STEP_RECORD || rc == STEP_GAP)) {
            pass -= rc == STEP_RECORD && is_wanted(self, &stepped.header);
        }
        if (pass == 0 || rc < 0) {
            return rc < 0 ? rc : 0;
        }
    }
    /* The ring is written over faster than it can be counted: what comes next is the last. */
    return go_to_oldest(self);
}

/* Goes to the first record of the sequence or a higher one. */
static int go_to_sequence(struct ring_source *self, int64_t sequence) {
    int rc = go_to_oldest(self);
    if (rc < 0) {
        return rc;
    }
    if (sequence < (int64_t)self->walk.place.sequence) {
        return error_set(ERANGE,
                         "record %lld is not in the ring any more, whose oldest record is %llu: read its log files or "
                         "segments",
                         (long long)sequence, (unsigned long long)self->walk.place.sequence);
    }
    struct sight_place near = self->walk.place;
    self->walk.sight->ops->near(self->walk.sight, (uint64_t)sequence, &near);
    ring_walk_go(&self->walk, &near);
    self->wanted = (uint64_t)sequence;
    return 0;
}

static int seek(struct read_source *source, enum burst_read_from from, int64_t value) {
    struct ring_source *self = self_of(source);
    const struct ring_source_mark mark = ring_source_mark(source);
    int rc;
    self->given = 0;
    self->has_loss = 0;
    self->wanted = 0;
    self->wanted_ns = INT64_MIN;
    switch (from) {
    case BURST_FROM_OLDEST:
    case BURST_FROM_RING:
        rc = go_to_oldest(self);
        break;
    case BURST_FROM_SEQUENCE:
        rc = go_to_sequence(self, value);
        break;
    case BURST_FROM_TIME:
        rc = go_to_oldest(self);
        self->wanted_ns = value;
        break;
    default:
        rc = go_to_last(self, (uint64_t)value);
        break;
    }
    if (rc < 0) {
        ring_source_return(source, &mark);
    }
    return rc;
}

int ring_source_count(struct read_source *source, uint64_t *count) {
    struct ring_source *self = self_of(source);
    const struct sight_place place = self->walk.place;
    const int rc = count_wanted(self, count);
    ring_walk_go(&self->walk, &place);
    return rc == STEP_LAPPED ? error_set(ESTALE, "the ring was written over while its records were counted") : rc;
}

/* ------------------------------------------------------------------------------------------------- open and close */

static void state(const struct read_source *source, burst_reader_state_t *state) {
    const struct ring_source *self = look_of(source);
    uint64_t watermark, sequence;
    state->place = self->best.is_window ? BURST_PLACE_RING : BURST_PLACE_MEDIUM;
    state->next_sequence =
        (int64_t)(self->wanted > self->walk.place.sequence ? self->wanted : self->walk.place.sequence);
    if (self->walk.sight->ops->watermark(self->walk.sight, &watermark, &sequence) == 0 && sequence > 0) {
        state->durable_sequence = (int64_t)sequence - 1;
    }
    snprintf(state->how, sizeof state->how, "%s", self->best.how);
}

static void close_source(struct read_source *source) {
    struct ring_source *self = self_of(source);
    best_sight_close(&self->best);
    ring_walk_end(&self->walk);
    if (self->checkpoint != NULL) {
        platform_release(self->platform, self->checkpoint, 2 * LAYOUT_CHECKPOINT_BYTES);
    }
    platform_release(self->platform, self, sizeof *self);
}

static int file(const struct read_source *source, struct read_file *found) {
    (void)source;
    (void)found;
    return 0;
}

static const struct read_source_ops ring_ops = {
    .next = next, .wait = wait_for_more, .seek = seek, .state = state, .close = close_source, .file = file};

int ring_source_open(const struct platform *platform, const struct ring_source_config *config,
                     struct read_source **source) {
    struct ring_source *self = platform_allocate(platform, sizeof *self, PLATFORM_PLAIN);
    if (self == NULL) {
        return error_set(ENOMEM, "no memory to read ring %s: %zu bytes", config->ring, sizeof *self);
    }
    self->source.ops = &ring_ops;
    self->platform = platform;
    self->stream = config->stream;
    self->wanted_ns = INT64_MIN;
    self->checkpoint = platform_allocate(platform, 2 * LAYOUT_CHECKPOINT_BYTES, PLATFORM_PLAIN);
    int rc = ring_walk_begin(&self->walk, platform);
    rc = rc == 0 && self->checkpoint == NULL ? error_set(ENOMEM, "no memory to read ring %s", config->ring) : rc;
    rc = rc < 0 ? rc : best_sight_open(&self->best, platform, config->ring, config->window, config->wait);
    self->walk.sight = self->best.sight;
    rc = rc < 0 ? rc : go_to_oldest(self);
    if (rc < 0) {
        close_source(&self->source);
        return rc;
    }
    *source = &self->source;
    return 0;
}
