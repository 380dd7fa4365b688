/* SPDX-License-Identifier: Apache-2.0 */
/* The slots of the checkpoints. */
#include "ledger/checkpoints.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "device/salvage.h"
#include "media/record.h"

_Static_assert(sizeof(struct checkpoint_head) <= LAYOUT_MIN_BLOCK_BYTES, "the head of a checkpoint fits in a block");

static size_t block_bytes(const struct device *device) {
    return align_up(LAYOUT_MIN_BLOCK_BYTES, device->block_bytes);
}

void checkpoints_begin(struct checkpoints *checkpoints, const struct platform *platform, struct device *device,
                       uint32_t crc_seed, uint64_t capacity_bytes) {
    *checkpoints = (struct checkpoints){
        .platform = platform, .device = device, .crc_seed = crc_seed, .capacity_bytes = capacity_bytes};
}

void checkpoints_end(struct checkpoints *checkpoints) {
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        if (checkpoints->slots[slot].bytes != NULL) {
            platform_release(checkpoints->platform, checkpoints->slots[slot].bytes, checkpoints->slots[slot].room);
        }
    }
}

/* Makes room for `bytes` in the slot. If the old room was too small, its content is lost. */
static int make_room(const struct checkpoints *checkpoints, struct checkpoint_slot *slot, size_t bytes) {
    const size_t room = align_up(bytes, block_bytes(checkpoints->device));
    if (room <= slot->room) {
        return 0;
    }
    uint8_t *place = platform_allocate(checkpoints->platform, room, PLATFORM_PLAIN);
    if (place == NULL) {
        return error_set(ENOMEM, "no memory for a checkpoint of ring %s: %zu bytes", checkpoints->device->path, room);
    }
    if (slot->bytes != NULL) {
        platform_release(checkpoints->platform, slot->bytes, slot->room);
    }
    *slot = (struct checkpoint_slot){.bytes = place, .room = room};
    return 0;
}

/* ------------------------------------------------------------------------------------------------- reading */

static void ignore_unreadable(void *argument, uint64_t offset, uint64_t bytes) {
    (void)argument;
    (void)offset;
    (void)bytes; /* what cannot be read is no valid checkpoint */
}

/* Reads the first `bytes` of the slot. */
static int read_bytes(struct checkpoints *checkpoints, unsigned index, size_t bytes) {
    struct checkpoint_slot *slot = &checkpoints->slots[index];
    const int rc = make_room(checkpoints, slot, bytes);
    return rc < 0 ? rc
                  : device_read_salvage(checkpoints->device, LAYOUT_CHECKPOINT_OFFSET(index), slot->bytes,
                                        align_up(bytes, checkpoints->device->block_bytes), ignore_unreadable, NULL);
}

/* Reads one slot. The first block says how long the checkpoint is. */
static int read_slot(struct checkpoints *checkpoints, unsigned index) {
    struct checkpoints_view *view = &checkpoints->view;
    const struct checkpoint_slot *slot = &checkpoints->slots[index];
    const size_t first = block_bytes(checkpoints->device);
    int rc = read_bytes(checkpoints, index, first);
    const size_t bytes = rc < 0 ? 0 : checkpoint_claims(slot->bytes);
    rc = rc == 0 && bytes > first ? read_bytes(checkpoints, index, bytes) : rc;
    if (rc == 0 && bytes > 0 &&
        checkpoint_is_valid(slot->bytes, slot->room, checkpoints->crc_seed, checkpoints->capacity_bytes)) {
        view->is_valid[index] = 1;
        view->facts[index] = checkpoint_facts(slot->bytes);
        checkpoints->released[index] = checkpoint_least(slot->bytes).drained_position;
    }
    return rc;
}

int checkpoints_read(struct checkpoints *checkpoints) {
    struct checkpoints_view *view = &checkpoints->view;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        const int rc = read_slot(checkpoints, slot);
        if (rc < 0) {
            return rc;
        }
    }
    if (!view->is_valid[0] && !view->is_valid[1]) {
        return error_set(EUCLEAN,
                         "both checkpoints of ring %s are damaged, so it is unknown what the log file has of its "
                         "records: it is left as it is; `burstlog dump` shows them",
                         checkpoints->device->path);
    }
    const int both = view->is_valid[0] && view->is_valid[1];
    view->newest = both ? view->facts[1].generation > view->facts[0].generation : (unsigned)view->is_valid[1];
    if (both &&
        checkpoint_goes_back(checkpoints->slots[view->newest].bytes, checkpoints->slots[1 - view->newest].bytes)) {
        view->is_valid[1 - view->newest] = 0;
    }
    return 0;
}

const struct checkpoints_view *checkpoints_view(const struct checkpoints *checkpoints) {
    return &checkpoints->view;
}

unsigned checkpoints_streams(const struct checkpoints *checkpoints, unsigned slot) {
    return checkpoint_streams(checkpoints->slots[slot].bytes);
}

void checkpoints_stream(const struct checkpoints *checkpoints, unsigned slot, unsigned index,
                        struct stream_state *state) {
    checkpoint_decode(checkpoints->slots[slot].bytes, index, state);
}

struct checkpoint_position checkpoints_position(const struct checkpoints *checkpoints, unsigned slot, unsigned index) {
    return checkpoint_position(checkpoints->slots[slot].bytes, index);
}

struct checkpoint_position checkpoints_least(const struct checkpoints *checkpoints) {
    return checkpoint_least(checkpoints->slots[checkpoints->view.newest].bytes);
}

uint64_t checkpoints_released(const struct checkpoints *checkpoints) {
    return checkpoints->released[0] < checkpoints->released[1] ? checkpoints->released[0] : checkpoints->released[1];
}

/* ------------------------------------------------------------------------------------------------- writing */

/* Writes checkpoints->slots[index] to its slot. If that fails the slot counts as bad: nobody knows what the medium now
 * holds. */
static int write_slot(struct checkpoints *checkpoints, unsigned index) {
    struct checkpoints_view *view = &checkpoints->view;
    const uint8_t *bytes = checkpoints->slots[index].bytes;
    struct device *device = checkpoints->device;
    view->is_valid[index] = 0;
    const int rc = device->ops->write(device, LAYOUT_CHECKPOINT_OFFSET(index), bytes,
                                      align_up(checkpoint_claims(bytes), device->block_bytes));
    if (rc == 0) {
        view->is_valid[index] = 1;
        view->facts[index] = checkpoint_facts(bytes);
        view->newest = index;
        checkpoints->released[index] = checkpoint_least(bytes).drained_position;
    }
    return rc;
}

static int check_size(const struct checkpoints *checkpoints, const struct stream_state *const *states, unsigned count) {
    const size_t bytes = count <= LAYOUT_STREAMS_MAX ? checkpoint_size(states, count) : SIZE_MAX;
    if (bytes <= LAYOUT_CHECKPOINT_BYTES) {
        return 0;
    }
    return error_set(E2BIG,
                     "%u streams with their names and paths do not fit in a checkpoint of ring %s, which holds %u "
                     "streams and %u bytes: use fewer streams, or shorter paths of log files",
                     count, checkpoints->device->path, LAYOUT_STREAMS_MAX, LAYOUT_CHECKPOINT_BYTES);
}

static void share_newest(struct checkpoints *checkpoints) {
    const struct checkpoint_slot *newest = &checkpoints->slots[checkpoints->view.newest];
    if (checkpoints->window != NULL) {
        window_put_checkpoint(checkpoints->window, newest->bytes, (uint32_t)checkpoint_claims(newest->bytes));
    }
}

int checkpoints_write(struct checkpoints *checkpoints, uint32_t epoch, const struct stream_state *const *states,
                      unsigned count) {
    struct checkpoints_view *view = &checkpoints->view;
    struct checkpoint_slot *slot = &checkpoints->slots[1 - view->newest];
    const struct checkpoint_facts facts = {.generation = view->facts[view->newest].generation + 1,
                                           .epoch = epoch,
                                           .written_ns = platform_realtime_ns(checkpoints->platform)};
    int rc = check_size(checkpoints, states, count);
    rc = rc < 0 ? rc : make_room(checkpoints, slot, checkpoint_size(states, count));
    if (rc < 0) {
        return rc;
    }
    checkpoint_encode(&facts, states, count, checkpoints->crc_seed, slot->bytes, slot->room);
    rc = write_slot(checkpoints, 1 - view->newest);
    if (rc == 0) {
        share_newest(checkpoints);
    }
    return rc;
}

void checkpoints_share(struct checkpoints *checkpoints, struct window *window) {
    checkpoints->window = window;
    share_newest(checkpoints);
}

int checkpoints_level(struct checkpoints *checkpoints, struct events *events) {
    struct checkpoints_view *view = &checkpoints->view;
    const unsigned other = 1 - view->newest;
    const struct checkpoint_slot *newest = &checkpoints->slots[view->newest];
    struct checkpoint_slot *older = &checkpoints->slots[other];
    const int was_valid = view->is_valid[other];
    if (was_valid && checkpoint_leads_to_the_same(older->bytes, newest->bytes)) {
        return 0;
    }
    struct checkpoint_facts facts = view->facts[view->newest];
    const size_t bytes = checkpoint_claims(newest->bytes);
    int rc = make_room(checkpoints, older, bytes);
    if (rc < 0) {
        return rc;
    }
    memset(older->bytes, 0, older->room);
    memcpy(older->bytes, newest->bytes, bytes);
    facts.generation++;
    checkpoint_seal(older->bytes, &facts, checkpoints->crc_seed);
    rc = write_slot(checkpoints, other);
    if (rc == 0 && !was_valid) {
        events_post(events, EVENT_WARN,
                    "checkpoint slot %u of ring %s was bad and is repaired from the "
                    "other; nothing is lost. If the host did not lose power, its medium may be failing",
                    other, checkpoints->device->path);
    }
    return rc;
}
