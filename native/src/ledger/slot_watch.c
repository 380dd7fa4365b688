/* SPDX-License-Identifier: Apache-2.0 */
#include "ledger/slot_watch.h"

#include <errno.h>

#include "base/error.h"
#include "media/record.h"

static void see(struct slot_watch *watch, unsigned slot, const struct slot_seen *now) {
    if (now->generation >= watch->seen[slot].generation && now->least >= watch->seen[slot].least) {
        watch->seen[slot] = *now;
    }
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
    if (reads) {
        watch->bytes = platform_allocate(watch->platform, LAYOUT_CHECKPOINT_BYTES, PLATFORM_PLAIN);
    }
    return reads && watch->bytes == NULL ? error_set(ENOMEM, "no memory to read a checkpoint of ring %s: %u bytes",
                                                     watch->device->path, LAYOUT_CHECKPOINT_BYTES)
                                         : 0;
}

void slot_watch_end(struct slot_watch *watch) {
    if (watch->bytes != NULL) {
        platform_release(watch->platform, watch->bytes, LAYOUT_CHECKPOINT_BYTES);
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
            see(watch, slot, &now);
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

uint64_t slot_watch_released(const struct slot_watch *watch) {
    return watch->seen[0].least < watch->seen[1].least ? watch->seen[0].least : watch->seen[1].least;
}

uint64_t slot_watch_drained(const struct slot_watch *watch) {
    return watch->seen[watch->seen[1].generation > watch->seen[0].generation].least;
}
