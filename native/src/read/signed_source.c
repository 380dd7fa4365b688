/* SPDX-License-Identifier: Apache-2.0 */
#include "read/signed_source.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "read/signed_expiry.h"
#include "read/signed_files.h"

#define LOOK_AGAIN_NS 20000000 /* an archiver signs a head each second */
#define RING_BYTES 16u

struct signed_source {
    struct read_source source;
    const struct platform *platform;
    struct signed_files files;
    struct signed_expiry expiry;
    uint64_t index;        /* of the next leaf */
    uint64_t gone;         /* the payload file that was found missing last, its time over; UINT64_MAX: none was */
    int64_t last_sequence; /* of the last record that was given; 0: none was */
    uint64_t seeks;
};

static struct signed_source *self_of(struct read_source *source) {
    return (struct signed_source *)source;
}

/* ------------------------------------------------------------------------------------------------------------ next */

/* Reads the next leaf that is about the log; acts of the archive are passed over. Returns 1, 0 at the end, or -errno with
 * a sentence. */
static int next_leaf(struct signed_source *self, uint64_t *index, struct signed_leaf *leaf) {
    for (; *index < self->files.size; ++*index) {
        const int rc = signed_files_leaf(&self->files, *index, leaf);
        if (rc < 0 || leaf->kind < SIGNED_ACT) {
            return rc < 0 ? rc : 1;
        }
    }
    return 0;
}

static void fill_loss(const struct signed_source *self, const struct signed_leaf *leaf, burst_read_t *record) {
    record->count = leaf->count;
    if (leaf->kind == SIGNED_LOST) {
        record->kind = BURST_READ_LOST;
        record->sequence = leaf->sequence;
    } else {
        record->kind = BURST_READ_MISSED;
        record->sequence = self->last_sequence == 0 ? 0 : self->last_sequence + 1;
    }
}

/* Reads the payload of the next leaf. An expired file is looked for once, and not again for each of its leaves. Returns as
 * signed_files_payload, and never SIGNED_NOWHERE. */
static int read_payload(struct signed_source *self, const struct signed_leaf *leaf) {
    const uint64_t file = self->index / SIGNED_FILE_LEAVES;
    if (file == self->gone && leaf->length > 0) {
        return SIGNED_ERASED;
    }
    const int found = signed_files_payload(&self->files, self->index);
    if (found != SIGNED_NOWHERE) {
        return found;
    }
    const int rc = signed_expiry_has(&self->expiry, &self->files, self->index);
    if (rc > 0) {
        self->gone = file;
    }
    return rc < 0 ? rc : rc > 0 ? SIGNED_ERASED : signed_files_no_payload(&self->files, self->index);
}

/* Returns 0, or -errno with a sentence. */
static int fill_record(struct signed_source *self, const struct signed_leaf *leaf, burst_read_t *record) {
    record->kind = leaf->kind == SIGNED_ROLL ? BURST_READ_ROLL : BURST_READ_RECORD;
    record->count = 1;
    record->sequence = leaf->sequence;
    record->event_time_ns = leaf->event_time_ns;
    record->durable_ns = leaf->taken_ns;
    record->length = leaf->length;
    const int rc = read_payload(self, leaf);
    if (rc == SIGNED_ERASED) {
        record->kind = BURST_READ_ERASED;
        record->length = 0;
    } else if (rc == SIGNED_THERE) {
        /* The archive has no data of rolls. */
        record->data = record->length > 0          ? (const void *)self->files.payload.bytes
                       : leaf->kind == SIGNED_ROLL ? NULL
                                                   : "";
    }
    return rc < 0 ? rc : 0;
}

static int next(struct read_source *source, burst_read_t *record) {
    struct signed_source *self = self_of(source);
    struct signed_leaf leaf;
    const uint32_t bytes = record->struct_bytes;
    int rc = next_leaf(self, &self->index, &leaf);
    if (rc == 0) {
        rc = signed_files_look(&self->files);
        rc = rc > 0 ? next_leaf(self, &self->index, &leaf) : rc;
    }
    if (rc <= 0) {
        return rc;
    }
    *record = (burst_read_t){
        .struct_bytes = bytes, .stream = BURST_ALL_STREAMS, .place = BURST_PLACE_ARCHIVE, .position = self->index};
    if (leaf.kind == SIGNED_LOST || leaf.kind == SIGNED_MISSING) {
        fill_loss(self, &leaf, record);
    } else {
        rc = fill_record(self, &leaf, record);
        if (rc < 0) {
            return rc;
        }
    }
    if (leaf.kind != SIGNED_MISSING) {
        self->last_sequence = record->sequence + (int64_t)record->count - 1;
    }
    self->index++;
    return 1;
}

static int wait_for_more(struct read_source *source, int64_t timeout_ns) {
    const struct signed_source *self = self_of(source);
    self->platform->ops->sleep_ns(self->platform,
                                  timeout_ns >= 0 && timeout_ns < LOOK_AGAIN_NS ? timeout_ns : LOOK_AGAIN_NS);
    return 0;
}

/* ------------------------------------------------------------------------------------------------------------ seek */

struct sought {
    enum burst_read_from from; /* SEQUENCE or TIME */
    int64_t value;
    uint8_t ring[RING_BYTES]; /* sequences are those of the ring that wrote last */
};

static int is_record(const struct signed_leaf *leaf) {
    return leaf->kind == SIGNED_RECORD || leaf->kind == SIGNED_ROLL;
}

/* Lost records had sequences up to the last one, and times that nobody knows. */
static int is_reached(const struct sought *sought, const struct signed_leaf *leaf) {
    return sought->from == BURST_FROM_TIME
               ? !is_record(leaf) || leaf->event_time_ns >= sought->value
               : memcmp(leaf->ring, sought->ring, RING_BYTES) == 0 &&
                     leaf->sequence + (is_record(leaf) ? 0 : (int64_t)leaf->count - 1) >= sought->value;
}

/* The first record from `index` on. Returns as next_leaf. */
static int next_record(struct signed_source *self, uint64_t index, struct signed_leaf *leaf) {
    int rc;
    while ((rc = next_leaf(self, &index, leaf)) > 0 && !is_record(leaf)) {
        index++;
    }
    return rc;
}

/* Goes back before the last `count` leaves that are about the log; *leaf is the one that it comes to. Returns as
 * next_leaf: 0 if there are not so many, with *index 0. */
static int go_back(struct signed_source *self, uint64_t count, uint64_t *index, struct signed_leaf *leaf) {
    for (*index = self->files.size; *index > 0 && count > 0;) {
        const int rc = signed_files_leaf(&self->files, --*index, leaf);
        if (rc < 0) {
            return rc;
        }
        count -= leaf->kind < SIGNED_ACT;
    }
    return count == 0;
}

/* The begin of the last bundle whose first record does not have what is sought, or else 0. */
static int find_bundle(struct signed_source *self, const struct sought *sought, uint64_t *begin) {
    uint64_t low = 0, high = (self->files.size + SIGNED_WIDTH - 1) / SIGNED_WIDTH;
    struct signed_leaf leaf;
    int rc = 0;
    while (rc >= 0 && low + 1 < high) {
        const uint64_t middle = low + (high - low) / 2;
        rc = next_record(self, middle * SIGNED_WIDTH, &leaf);
        self->seeks++;
        if (rc == 0 || (rc > 0 && is_reached(sought, &leaf))) {
            high = middle;
        } else {
            low = middle;
        }
    }
    *begin = low * SIGNED_WIDTH;
    return rc < 0 ? rc : 0;
}

/* Finds the first record that has what is sought, or the end. A loss that stands directly before it, and may have what is
 * sought, is found in its place. */
static int find(struct signed_source *self, struct sought *sought, uint64_t *found) {
    struct signed_leaf leaf;
    uint64_t index, loss = UINT64_MAX;
    int rc = go_back(self, 1, &index, &leaf);
    if (rc > 0) {
        memcpy(sought->ring, leaf.ring, RING_BYTES);
        rc = find_bundle(self, sought, &index);
    }
    while (rc >= 0 && (rc = next_leaf(self, &index, &leaf)) > 0) {
        const int is_there = leaf.kind != SIGNED_MISSING && is_reached(sought, &leaf);
        if (is_there && is_record(&leaf)) {
            break;
        }
        if (leaf.kind == SIGNED_LOST) {
            loss = loss == UINT64_MAX && is_there ? index : loss;
        } else if (is_record(&leaf)) {
            loss = UINT64_MAX;
        }
        index++;
    }
    *found = rc > 0 && loss != UINT64_MAX ? loss : index;
    return rc < 0 ? rc : 0;
}

static int seek(struct read_source *source, enum burst_read_from from, int64_t value) {
    struct signed_source *self = self_of(source);
    struct sought sought = {.from = from, .value = value};
    struct signed_leaf leaf;
    uint64_t index = 0;
    int rc = signed_files_look(&self->files);
    self->seeks++;
    if (rc >= 0 && (from == BURST_FROM_SEQUENCE || from == BURST_FROM_TIME)) {
        rc = find(self, &sought, &index);
    } else if (rc >= 0 && from == BURST_FROM_LAST) {
        rc = go_back(self, (uint64_t)value, &index, &leaf);
    }
    if (rc < 0) {
        return rc;
    }
    self->index = index;
    self->last_sequence = 0;
    return 0;
}

/* ----------------------------------------------------------------------------------------------------------- state */

static void state(const struct read_source *source, burst_reader_state_t *state) {
    const struct signed_source *self = (const struct signed_source *)source;
    state->place = BURST_PLACE_ARCHIVE;
    state->next_sequence = self->last_sequence == 0 ? 0 : self->last_sequence + 1;
    state->seeks += self->seeks;
    state->files += self->files.opened;
    snprintf(
        state->how, sizeof state->how,
        "reads the signed archive %.400s of %llu leaves; `burstlog-archive verify` checks its signatures and hashes",
        self->files.path, (unsigned long long)self->files.size);
}

static int file(const struct read_source *source, struct read_file *found) {
    const struct signed_source *self = (const struct signed_source *)source;
    return path_absolute(self->files.path, found->path, sizeof found->path) == 0 &&
           stat(found->path, &found->status) == 0;
}

static void close_source(struct read_source *source) {
    struct signed_source *self = self_of(source);
    signed_files_close(&self->files);
    free(self->expiry.bits);
    free(self);
}

int signed_source_is(const char *folder) {
    return signed_files_are(folder);
}

int signed_source_open(const struct platform *platform, const char *folder, struct read_source **source) {
    static const struct read_source_ops ops = {
        .next = next, .wait = wait_for_more, .seek = seek, .state = state, .close = close_source, .file = file};
    struct signed_source *self = calloc(1, sizeof *self);
    if (self == NULL) {
        return error_set(ENOMEM, "no memory to read an archive: %zu bytes", sizeof *self);
    }
    self->source.ops = &ops;
    self->platform = platform;
    self->gone = UINT64_MAX;
    const int rc = signed_files_open(&self->files, folder);
    if (rc < 0) {
        close_source(&self->source);
        return rc;
    }
    *source = &self->source;
    return 0;
}
