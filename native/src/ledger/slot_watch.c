/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/slot_watch.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "media/record.h"

/* Returns whether it counts. */
static int see(struct slot_watch *watch, unsigned slot, const struct slot_seen *now) {
    const int counts = now->generation >= watch->seen[slot].generation && now->least >= watch->seen[slot].least;
    if (counts) {
        watch->seen[slot] = *now;
    }
    return counts;
}

static struct slot_seen written(const struct checkpoints *checkpoints, unsigned slot) {
    return (struct slot_seen){.generation = checkpoints->view.facts[slot].generation,
                              .least = checkpoints->released[slot]};
}

void slot_watch_take(struct slot_watch *watch, const struct checkpoints *checkpoints) {
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        const struct slot_seen now = written(checkpoints, slot);
        see(watch, slot, &now);
    }
}

int slot_watch_begin(struct slot_watch *watch, const struct checkpoints *checkpoints, int reads) {
    *watch = (struct slot_watch){.platform = checkpoints->platform,
                                 .device = checkpoints->device,
                                 .crc_seed = checkpoints->crc_seed,
                                 .capacity_bytes = checkpoints->capacity_bytes,
                                 .seen = {written(checkpoints, 0), written(checkpoints, 1)}};
    if (!reads) {
        return 0;
    }
    watch->bytes =
        platform_allocate(watch->platform, (1 + LAYOUT_CHECKPOINT_SLOTS) * LAYOUT_CHECKPOINT_BYTES, PLATFORM_PLAIN);
    if (watch->bytes == NULL) {
        return error_set(ENOMEM, "no memory to read the checkpoints of ring %s: %u bytes", watch->device->path,
                         (1 + LAYOUT_CHECKPOINT_SLOTS) * LAYOUT_CHECKPOINT_BYTES);
    }
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        /* A bad slot proves nothing: then the other one stands for it, as the space of both is let go of by it. */
        const unsigned from = checkpoints->view.is_valid[slot] ? slot : checkpoints->view.newest;
        watch->kept[slot] = watch->bytes + (1 + slot) * LAYOUT_CHECKPOINT_BYTES;
        memcpy(watch->kept[slot], checkpoints->slots[from].bytes, checkpoint_claims(checkpoints->slots[from].bytes));
    }
    return 0;
}

void slot_watch_end(struct slot_watch *watch) {
    if (watch->bytes != NULL) {
        platform_release(watch->platform, watch->bytes, (1 + LAYOUT_CHECKPOINT_SLOTS) * LAYOUT_CHECKPOINT_BYTES);
    }
}

/* Reads the slot. Returns 1 if it holds a whole checkpoint, 0 if not, or -errno with a sentence. */
static int read_slot(struct slot_watch *watch, unsigned slot) {
    const uint64_t offset = LAYOUT_CHECKPOINT_OFFSET(slot);
    struct device *device = watch->device;
    const size_t first = align_up(LAYOUT_MIN_BLOCK_BYTES, device->block_bytes);
    int rc = device->ops->read(device, offset, watch->bytes, first);
    const size_t bytes = rc < 0 ? 0 : align_up(checkpoint_claims(watch->bytes), device->block_bytes);
    if (bytes > first) { /* from its beginning: the drain may have written another one meanwhile */
        rc = device->ops->read(device, offset, watch->bytes, bytes);
    }
    return rc < 0 ? rc : bytes > 0 && checkpoint_is_valid(watch->bytes, bytes, watch->crc_seed, watch->capacity_bytes);
}

int slot_watch_look(struct slot_watch *watch) {
    int result = 0;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        const int rc = read_slot(watch, slot);
        if (rc == 1) {
            const struct slot_seen now = {.generation = checkpoint_facts(watch->bytes).generation,
                                          .least = checkpoint_least(watch->bytes).drained_position};
            if (see(watch, slot, &now)) {
                memcpy(watch->kept[slot], watch->bytes, checkpoint_claims(watch->bytes));
            }
        }
        result = rc < 0 ? rc : result;
    }
    return result;
}

static int names(const uint8_t *slot, uint16_t id) {
    unsigned index = 0;
    const unsigned count = checkpoint_streams(slot);
    while (index < count && checkpoint_position(slot, index).id != id) {
        index++;
    }
    return index < count;
}

int slot_watch_names(struct slot_watch *watch, const struct checkpoints *checkpoints, uint16_t id) {
    int both = 1;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        both &= checkpoints == NULL ? read_slot(watch, slot) == 1 && names(watch->bytes, id)
                                    : checkpoints->view.is_valid[slot] && names(checkpoints->slots[slot].bytes, id);
    }
    return both;
}

static unsigned newer(const struct slot_watch *watch) {
    return watch->seen[1].generation > watch->seen[0].generation;
}

const uint8_t *slot_watch_surely(const struct slot_watch *watch) {
    return watch->kept[1 - newer(watch)];
}

static uint64_t next_sequence_in(const uint8_t *slot, uint16_t id) {
    for (unsigned i = 0; i < checkpoint_streams(slot); i++) {
        const struct checkpoint_position stream = checkpoint_position(slot, i);
        if (stream.id == id) {
            return stream.next_sequence;
        }
    }
    return 0;
}

uint64_t slot_watch_next_sequence(const struct slot_watch *watch, uint16_t id) {
    const uint64_t one = next_sequence_in(watch->kept[0], id), other = next_sequence_in(watch->kept[1], id);
    return one < other ? one : other;
}

uint64_t slot_watch_released(const struct slot_watch *watch) {
    return watch->seen[0].least < watch->seen[1].least ? watch->seen[0].least : watch->seen[1].least;
}

uint64_t slot_watch_drained(const struct slot_watch *watch) {
    return watch->seen[newer(watch)].least;
}
