/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring on its medium, which another process may write meanwhile.
 *
 * DESIGN. Recovery proves the log once, from the whole medium. From there on the sight follows the records: each header
 * has the watermark at which it was sealed, and so proves what was durable before. Notes and checkpoints prove more. The
 * last commit is proven by the next one, or by a note. When nobody writes the ring, its log is all that recovery found. The
 * writer of a device may be a process that this one may not look at: then only root of the host can know that nobody does.
 * Each sign of another epoch makes the sight outdated.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/lock.h"
#include "device/probe.h"
#include "media/record.h"
#include "read/sight.h"
#include "recovery/reader.h"
#include "view/ring_view.h"

#define LOOK_LEAST_NS 1000000
#define LOOK_MOST_NS 20000000
#define ASK_NS 1000000000 /* who writes a device is asked no more often: that looks at each process of the host */
#define TORN_LOOKS 50     /* so many looks in a row may find a head that is just written */
#define PIECE_BYTES (128u * 1024u)

struct medium_sight {
    struct sight sight;
    const struct platform *platform;
    struct device *device;
    uint64_t data_offset;
    uint8_t uuid[16];
    struct walk_gap *gaps;
    struct sight_place oldest;
    uint64_t proven, proven_sequence; /* the watermark as far as it is known */
    struct walk scan;                 /* headers below it were looked at */
    uint64_t released;                /* by the newest look */
    uint64_t noted;                   /* the highest watermark in the head, by all looks */
    struct sight_place start;         /* the least drained place of the newest checkpoint */
    uint64_t floor;
    int is_written;   /* another process may have had the ring open for writing at the last look */
    int64_t asked_ns; /* when it was asked who writes the device; 0: never */
    int is_outdated;
    int torn_looks;
    uint64_t looked_again_at; /* the last position whose bytes were not those of its record */
    int64_t looked_ns, pause_ns;
    uint8_t *piece; /* bytes of the data area from `piece_at` on */
    uint64_t piece_at;
    size_t piece_bytes;
    size_t piece_room;
};

static struct medium_sight *medium_of(const struct sight *sight) {
    return (struct medium_sight *)sight;
}

static void forget_piece(struct medium_sight *self) {
    self->piece_bytes = 0;
}

static int copy(struct sight *sight, uint64_t position, void *out, size_t bytes) {
    struct medium_sight *self = medium_of(sight);
    const uint64_t place = position % sight->shape.capacity_bytes;
    if (place < self->piece_at || place + bytes > self->piece_at + self->piece_bytes) {
        const uint64_t unit = self->device->block_bytes, from = align_down(place, unit);
        uint64_t to = align_up(place + bytes, unit);
        to = to - from < PIECE_BYTES ? from + PIECE_BYTES : to;
        to = to < sight->shape.capacity_bytes ? to : sight->shape.capacity_bytes;
        if (to - from > self->piece_room) {
            uint8_t *larger = platform_allocate(self->platform, to - from, PLATFORM_PLAIN);
            if (larger == NULL) {
                return error_set(ENOMEM, "no memory to read %llu bytes of ring %s", (unsigned long long)(to - from),
                                 self->device->path);
            }
            if (self->piece != NULL) {
                platform_release(self->platform, self->piece, self->piece_room);
            }
            self->piece = larger;
            self->piece_room = to - from;
        }
        forget_piece(self);
        const int rc = self->device->ops->read(self->device, self->data_offset + from, self->piece, to - from);
        if (rc < 0) {
            return rc;
        }
        self->piece_at = from;
        self->piece_bytes = to - from;
    }
    memcpy(out, self->piece + (place - self->piece_at), bytes);
    return 0;
}

static void prove(struct medium_sight *self, uint64_t position, uint64_t sequence) {
    if (position > self->proven) {
        self->proven = position;
        self->proven_sequence = sequence;
    }
}

/* Whether the bytes at the position are the header of a record of this log, of this epoch or a later one. */
static int has_header(struct medium_sight *self, uint64_t position, struct record_header *header) {
    const uint64_t capacity = self->sight.shape.capacity_bytes;
    return lap_remaining(position, capacity) >= RECORD_HEADER_BYTES &&
           copy(&self->sight, position, header, sizeof *header) == 0 &&
           record_header_is_whole(header, capacity, position, self->sight.crc_seed);
}

/* Follows the headers of this epoch behind what is known, and takes the watermarks that they have. */
static void scan(struct medium_sight *self) {
    const struct walk_shape *shape = &self->sight.shape;
    struct record_header header;
    int is_fresh = 0;
    for (;;) {
        if (!has_header(self, self->scan.position, &header) || header.epoch < self->sight.epoch) {
            if (is_fresh) {
                break;
            }
            forget_piece(self); /* the bytes may have come since they were read */
            is_fresh = 1;
            continue;
        }
        is_fresh = 0;
        if (header.epoch > self->sight.epoch) {
            self->is_outdated = 1;
            return;
        }
        prove(self, header.durable_position, header.sequence - header.in_flight);
        walk_over_record(&self->scan, shape, &header);
    }
    /* The marker of another open would be here, or one block on. */
    for (uint64_t block = 0; block < 2; block++) {
        const uint64_t at = align_up(self->scan.position, shape->block_bytes) + block * shape->block_bytes;
        if (has_header(self, at, &header) && header.type == RECORD_MARKER && header.epoch > self->sight.epoch) {
            self->is_outdated = 1;
        }
    }
}

static int is_device_written(struct medium_sight *self) {
    char holders[256];
    const int64_t now_ns = platform_monotonic_ns(self->platform);
    if (self->asked_ns != 0 && now_ns - self->asked_ns < ASK_NS) {
        return self->is_written;
    }
    self->asked_ns = now_ns;
    const int has_looked_at_all = medium_holders(self->device->file.fd, holders, sizeof holders);
    return !has_looked_at_all || holders[0] != '\0';
}

/* Asks of the file that is read, whatever has its name by now. */
static int is_written_now(struct medium_sight *self) {
    return self->device->is_file ? lock_is_held(self->device->file.fd) != 0 : is_device_written(self);
}

/* Whether the watermark that the head has went back: that of a log never does, unless a slot is just written. */
static int is_put_back(const struct medium_sight *self, const struct ledger *ledger, uint64_t watermark) {
    int is_whole = 1;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        is_whole &= ledger_slots(ledger)->is_valid[slot];
    }
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        is_whole &= ledger_view(ledger)->note_is_valid[slot];
    }
    return is_whole && watermark < self->noted;
}

/* Takes what notes and checkpoints say. Returns 0, or -errno with a sentence. */
static int look_at_head(struct medium_sight *self) {
    struct ledger *ledger = NULL;
    int rc = ledger_read(self->platform, self->device, &ledger);
    if (rc == 0 && memcmp(ledger_view(ledger)->superblock.uuid, self->uuid, sizeof self->uuid) != 0) {
        rc = error_set(ESTALE, "ring %s was formatted anew while it was read: open the reader again",
                       self->device->path);
    } else if (rc == 0) {
        const struct ledger_sum sum = ledger_sum(ledger);
        self->released = ledger_released(ledger);
        self->start = (struct sight_place){
            .position = sum.start.drained_position, .sequence = sum.start.next_sequence, .epoch = sum.start.epoch};
        prove(self, sum.durable_position, sum.durable_sequence);
        self->is_outdated |= sum.epoch_highest > self->sight.epoch;
        self->is_outdated |= is_put_back(self, ledger, sum.durable_position);
        self->noted = sum.durable_position > self->noted ? sum.durable_position : self->noted;
        self->torn_looks = 0;
    } else if (rc == -EUCLEAN && ++self->torn_looks < TORN_LOOKS) {
        rc = 0; /* the writer may be in the middle of it */
    }
    ledger_close(ledger);
    return rc;
}

static int look(struct medium_sight *self) {
    const int written = is_written_now(self);
    self->is_outdated |= written != self->is_written;
    const int rc = look_at_head(self);
    if (rc == 0 && !self->is_outdated) {
        scan(self);
    }
    self->looked_ns = platform_monotonic_ns(self->platform);
    return rc;
}

static int get_watermark(struct sight *sight, uint64_t *position, uint64_t *sequence) {
    struct medium_sight *self = medium_of(sight);
    int rc = 0;
    if (platform_monotonic_ns(self->platform) - self->looked_ns >= LOOK_LEAST_NS) {
        const uint64_t before = self->proven;
        rc = look(self);
        self->pause_ns = self->proven != before              ? LOOK_LEAST_NS
                         : self->pause_ns < LOOK_MOST_NS / 2 ? 2 * self->pause_ns
                                                             : LOOK_MOST_NS;
    }
    *position = self->proven;
    *sequence = self->proven_sequence;
    return rc;
}

static uint64_t get_floor(const struct sight *sight) {
    return medium_of(sight)->floor;
}

static int get_oldest(struct sight *sight, struct sight_place *place) {
    *place = medium_of(sight)->oldest;
    return 0;
}

static void near(struct sight *sight, uint64_t sequence, struct sight_place *place) {
    const struct medium_sight *self = medium_of(sight);
    if (self->start.position > place->position && self->start.sequence <= sequence) {
        *place = self->start;
    }
}

static int get_checkpoint(struct sight *sight, uint8_t *out) {
    struct medium_sight *self = medium_of(sight);
    uint64_t newest = 0;
    uint8_t *slot = platform_allocate(self->platform, LAYOUT_CHECKPOINT_BYTES, PLATFORM_PLAIN);
    int rc = slot == NULL ? error_set(ENOMEM, "no memory to read a checkpoint of ring %s", self->device->path) : 0;
    int bytes = 0;
    for (unsigned i = 0; rc == 0 && i < LAYOUT_CHECKPOINT_SLOTS; i++) {
        rc = self->device->ops->read(self->device, LAYOUT_CHECKPOINT_OFFSET(i), slot, LAYOUT_CHECKPOINT_BYTES);
        const size_t claims = rc < 0 ? 0 : checkpoint_claims(slot);
        if (claims > 0 && claims <= LAYOUT_CHECKPOINT_BYTES &&
            checkpoint_is_valid(slot, claims, sight->crc_seed, sight->shape.capacity_bytes) &&
            (bytes == 0 || checkpoint_facts(slot).generation > newest)) {
            newest = checkpoint_facts(slot).generation;
            memcpy(out, slot, claims);
            bytes = (int)claims;
        }
    }
    if (slot != NULL) {
        platform_release(self->platform, slot, LAYOUT_CHECKPOINT_BYTES);
    }
    return rc < 0       ? rc
           : bytes == 0 ? error_set(EUCLEAN, "ring %s has no whole checkpoint: look at it with `burstlog verify`",
                                    self->device->path)
                        : bytes;
}

/* The bytes may have come since they were read; else the place may have got a later record, or the log another epoch. */
static int is_outdated(struct sight *sight, uint64_t position) {
    struct medium_sight *self = medium_of(sight);
    forget_piece(self);
    if (self->looked_again_at != position) {
        self->looked_again_at = position;
        return 0;
    }
    if (look(self) == 0 && !self->is_outdated && position < self->released && self->floor < self->start.position) {
        self->floor = self->start.position;
        self->oldest = self->start;
    }
    return self->is_outdated;
}

static void wait_for(struct sight *sight, uint64_t above_position, int64_t timeout_ns) {
    const struct medium_sight *self = medium_of(sight);
    if (self->proven <= above_position) {
        self->platform->ops->sleep_ns(self->platform,
                                      timeout_ns >= 0 && timeout_ns < self->pause_ns ? timeout_ns : self->pause_ns);
    }
}

static void close_sight(struct sight *sight) {
    struct medium_sight *self = medium_of(sight);
    if (self->piece != NULL) {
        platform_release(self->platform, self->piece, self->piece_room);
    }
    free(self->gaps);
    platform_release(self->platform, self, sizeof *self);
}

int sight_medium_is_over(const struct sight *sight) {
    return medium_of(sight)->is_outdated;
}

uint64_t sight_medium_end(const struct sight *sight) {
    return medium_of(sight)->scan.position;
}

static const struct sight_ops medium_ops = {
    .watermark = get_watermark,
    .floor = get_floor,
    .copy = copy,
    .oldest = get_oldest,
    .near = near,
    .checkpoint = get_checkpoint,
    .is_outdated = is_outdated,
    .wait = wait_for,
    .close = close_sight,
};

/* Whether the log goes on from one place to another over nothing but markers. The drained records lack those of epochs
 * without a record: the next marker has the same sequence, and so contradicts them. */
static int is_bridged(struct bounded_validation *validation, uint64_t from, uint64_t to) {
    const struct recovery_input *input = validation->input;
    const struct walk_shape *shape = &input->shape;
    uint32_t epoch = 0;
    while (from < to) {
        const struct record_header *marker = NULL;
        const uint64_t first = align_up(from, shape->block_bytes);
        for (uint64_t at = first; at <= first + shape->block_bytes && at <= to; at += shape->block_bytes) {
            const struct record_header *header = record_at(input->image, shape->capacity_bytes, at);
            if (judge_at(validation, at) == RECORD_VALID && header->type == RECORD_MARKER &&
                marker_of(header)->log_end == from && header->epoch > epoch) {
                marker = header;
                epoch = header->epoch;
            }
        }
        if (marker == NULL) {
            return 0;
        }
        from = marker->position == to ? to : walk_end_of_record(shape, marker->position, marker);
    }
    return from == to;
}

/* The drained records that the image still holds: the last run of them without a hole. */
static int find_oldest(struct medium_sight *self, const struct ring_view *view) {
    const struct recovery_input input = ring_view_input(view);
    struct bounded_validation validation = {.input = &input};
    struct reader reader;
    struct reader_item item;
    uint64_t next = UINT64_MAX;
    self->oldest = (struct sight_place){.position = view->recovery.start, .sequence = view->recovery.first_sequence};
    const int rc = reader_begin_with_drained(&reader, &input, &view->recovery);
    struct sight_place run = self->oldest;
    while (rc == 0 && reader_next(&reader, &item) == 1 && item.kind == READER_DRAINED) {
        const uint64_t position = item.record->position;
        if (!is_bridged(&validation, next, position)) {
            run = (struct sight_place){.position = position, .sequence = item.record->sequence};
        }
        next = walk_end_of_record(&self->sight.shape, position, item.record);
    }
    if (rc == 0 &&
        is_bridged(&validation, next, record_start(view->recovery.start, self->sight.shape.capacity_bytes))) {
        self->oldest = run;
    }
    reader_end(&reader);
    return rc;
}

static int take_view(struct medium_sight *self, const struct ring_view *view) {
    const struct superblock *superblock = ring_view_superblock(view);
    const struct recovery *recovery = &view->recovery;
    const struct recovery_input input = ring_view_input(view);
    self->data_offset = superblock->data_offset;
    memcpy(self->uuid, superblock->uuid, sizeof self->uuid);
    self->gaps = calloc(recovery->jump_count + 1, sizeof *self->gaps);
    if (self->gaps == NULL) {
        return error_set(ENOMEM, "no memory for the %zu gaps of ring %s", recovery->jump_count, self->device->path);
    }
    for (size_t i = 0; i < recovery->jump_count; i++) {
        self->gaps[i] = recovery->jumps[i].gap;
    }
    self->sight = (struct sight){.ops = &medium_ops,
                                 .shape = input.shape,
                                 .crc_seed = input.crc_seed,
                                 .epoch = recovery->epoch_highest,
                                 .gaps = self->gaps,
                                 .gap_count = recovery->jump_count};
    self->start = (struct sight_place){.position = recovery->start, .sequence = recovery->first_sequence};
    const int has_end = !self->is_written || recovery->closed;
    self->proven = has_end ? recovery->log_end : recovery->durable_position;
    self->proven_sequence = has_end ? recovery->next_sequence : recovery->durable_sequence;
    self->scan = walk_from(&self->sight.shape, recovery->log_end, recovery->next_sequence, recovery->epoch_highest);
    return find_oldest(self, view);
}

int sight_of_medium(const struct platform *platform, struct device *device, struct sight **sight) {
    struct medium_sight *self = platform_allocate(platform, sizeof *self, PLATFORM_PLAIN);
    struct ring_view *view;
    if (self == NULL) {
        return error_set(ENOMEM, "no memory to read ring %s: %zu bytes", device->path, sizeof *self);
    }
    self->platform = platform;
    self->device = device;
    self->pause_ns = LOOK_LEAST_NS;
    self->is_written = is_written_now(self);
    int rc = ring_view_open(platform, device, &view);
    if (rc == 0 && !self->is_written) {
        /* The medium may have a commit that a writer has under way who came while it was read. */
        self->asked_ns = 0;
        self->is_written = is_written_now(self);
    }
    if (rc == 0) {
        rc = take_view(self, view);
        ring_view_close(platform, view);
    }
    if (rc < 0) {
        close_sight(&self->sight);
        return rc;
    }
    *sight = &self->sight;
    return 0;
}
