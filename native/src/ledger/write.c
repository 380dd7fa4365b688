/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the fixed head. */
#include "ledger/ledger.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "ledger/slots.h"
#include "media/calibration.h"
#include "media/durable_stamp.h"
#include "media/record.h"
#include "media/writer_note.h"

_Static_assert(sizeof(struct superblock) <= LAYOUT_MIN_BLOCK_BYTES, "a superblock fits in a block");
_Static_assert(sizeof(struct writer_note_block) <= LAYOUT_MIN_BLOCK_BYTES, "a note fits in a block");
_Static_assert(sizeof(struct calibration) <= LAYOUT_MIN_BLOCK_BYTES, "a calibration fits in a block");
_Static_assert(sizeof(struct checkpoint_head) <= LAYOUT_MIN_BLOCK_BYTES, "the head of a checkpoint fits in a block");

int ledger_allocate(const struct platform *platform, struct device *device, struct ledger **ledger_out) {
    const size_t block_bytes = align_up(LAYOUT_MIN_BLOCK_BYTES, device->block_bytes);
    struct ledger *ledger = platform_allocate(platform, sizeof *ledger, PLATFORM_PLAIN);
    if (ledger == NULL) {
        return error_set(ENOMEM, "no memory for the ledger of ring %s: %zu bytes", device->path, sizeof *ledger);
    }
    ledger->platform = platform;
    ledger->device = device;
    ledger->block_bytes = block_bytes;
    ledger->block = platform_allocate(platform, block_bytes, PLATFORM_PLAIN);
    if (ledger->block == NULL) {
        platform_release(platform, ledger, sizeof *ledger);
        return error_set(ENOMEM, "no memory for a block of ring %s: %zu bytes", device->path, block_bytes);
    }
    *ledger_out = ledger;
    return 0;
}

int ledger_slot_room(struct ledger *ledger, struct ledger_slot *slot, size_t bytes) {
    const size_t room = align_up(bytes, ledger->block_bytes);
    if (room <= slot->room) {
        return 0;
    }
    uint8_t *place = platform_allocate(ledger->platform, room, PLATFORM_PLAIN);
    if (place == NULL) {
        return error_set(ENOMEM, "no memory for a checkpoint of ring %s: %zu bytes", ledger->device->path, room);
    }
    if (slot->bytes != NULL) {
        platform_release(ledger->platform, slot->bytes, slot->room);
    }
    *slot = (struct ledger_slot){.bytes = place, .room = room};
    return 0;
}

void ledger_close(struct ledger *ledger) {
    if (ledger == NULL) {
        return;
    }
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        if (ledger->slots[slot].bytes != NULL) {
            platform_release(ledger->platform, ledger->slots[slot].bytes, ledger->slots[slot].room);
        }
    }
    platform_release(ledger->platform, ledger->block, ledger->block_bytes);
    platform_release(ledger->platform, ledger, sizeof *ledger);
}

int ledger_write_block(const struct ledger *ledger, uint64_t offset, const void *data, size_t bytes) {
    memset(ledger->block, 0, ledger->block_bytes);
    memcpy(ledger->block, data, bytes);
    return ledger->device->ops->write(ledger->device, offset, ledger->block,
                                      align_up(bytes, ledger->device->block_bytes));
}

/* --------------------------------------------------------------------------------------------- checkpoints */

/* Writes ledger->slots[index] to its slot. If that fails the slot counts as bad: nobody knows what the medium now
 * holds. */
static int write_slot(struct ledger *ledger, unsigned index) {
    struct ledger_view *view = &ledger->view;
    const uint8_t *bytes = ledger->slots[index].bytes;
    struct device *device = ledger->device;
    view->checkpoint_is_valid[index] = 0;
    const int rc = device->ops->write(device, LAYOUT_CHECKPOINT_OFFSET(index), bytes,
                                      align_up(checkpoint_claims(bytes), device->block_bytes));
    if (rc == 0) {
        view->checkpoint_is_valid[index] = 1;
        view->checkpoints[index] = checkpoint_facts(bytes);
        view->newest = index;
        ledger->released[index] = checkpoint_least(bytes).drained_position;
    }
    return rc;
}

static int check_size(const struct ledger *ledger, const struct stream_state *const *states, unsigned count) {
    const size_t bytes = count <= LAYOUT_STREAMS_MAX ? checkpoint_size(states, count) : SIZE_MAX;
    if (bytes <= LAYOUT_CHECKPOINT_BYTES) {
        return 0;
    }
    return error_set(E2BIG,
                     "%u streams with their names and paths do not fit in a checkpoint of ring %s, which holds %u "
                     "streams and %u bytes: use fewer streams, or shorter paths of log files",
                     count, ledger->device->path, LAYOUT_STREAMS_MAX, LAYOUT_CHECKPOINT_BYTES);
}

static void share_newest(struct ledger *ledger) {
    const struct ledger_slot *newest = &ledger->slots[ledger->view.newest];
    if (ledger->window != NULL) {
        window_put_checkpoint(ledger->window, newest->bytes, (uint32_t)checkpoint_claims(newest->bytes));
    }
}

int ledger_checkpoint(struct ledger *ledger, uint32_t epoch, const struct stream_state *const *states, unsigned count) {
    struct ledger_view *view = &ledger->view;
    struct ledger_slot *slot = &ledger->slots[1 - view->newest];
    const struct checkpoint_facts facts = {.generation = view->checkpoints[view->newest].generation + 1,
                                           .epoch = epoch,
                                           .written_ns = platform_realtime_ns(ledger->platform)};
    int rc = check_size(ledger, states, count);
    rc = rc < 0 ? rc : ledger_slot_room(ledger, slot, checkpoint_size(states, count));
    if (rc < 0) {
        return rc;
    }
    checkpoint_encode(&facts, states, count, view->crc_seed, slot->bytes, slot->room);
    rc = write_slot(ledger, 1 - view->newest);
    if (rc == 0) {
        share_newest(ledger);
    }
    return rc;
}

void ledger_share(struct ledger *ledger, struct window *window) {
    ledger->window = window;
    share_newest(ledger);
}

/* --------------------------------------------------------------------------------------------------- notes */

int ledger_newest_note(const struct ledger *ledger) {
    const struct ledger_view *view = &ledger->view;
    const int first = view->note_is_valid[0], second = view->note_is_valid[1];
    return first && second ? view->notes[1].generation > view->notes[0].generation : second ? 1 : first ? 0 : -1;
}

/* A write that was once under way may reach the medium at any later time. So its end stays noted; the note does no harm
 * after that position is drained. */
static uint64_t in_flight_end(const struct ledger_view *view, uint64_t end) {
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (view->note_is_valid[slot] && view->notes[slot].in_flight_end > end) {
            end = view->notes[slot].in_flight_end;
        }
    }
    return end;
}

int ledger_note_writer(struct ledger *ledger, const struct ledger_note *note) {
    struct ledger_view *view = &ledger->view;
    const int newest = ledger_newest_note(ledger);
    const int slot = newest == 0;
    struct writer_note_block block = {.note = {
                                          .generation = newest < 0 ? 1 : view->notes[newest].generation + 1,
                                          .durable_position = note->durable_position,
                                          .next_sequence = note->next_sequence,
                                          .in_flight_end = in_flight_end(view, note->in_flight_end),
                                          .written_ns = platform_realtime_ns(ledger->platform),
                                          .epoch = note->epoch,
                                          .closed = note->closed,
                                      }};
    writer_note_seal(&block.note, view->crc_seed);
    if (note->durable_ns != 0) {
        block.stamp = (struct durable_stamp){.position = note->durable_position,
                                             .next_sequence = note->next_sequence,
                                             .durable_ns = note->durable_ns,
                                             .epoch = note->epoch};
        durable_stamp_seal(&block.stamp, view->crc_seed);
    }
    const int rc = ledger_write_block(ledger, LAYOUT_NOTE_OFFSET(slot), &block, sizeof block);
    view->note_is_valid[slot] = rc == 0;
    view->notes[slot] = block.note;
    view->note_stamps[slot] = block.stamp;
    return rc;
}

/* -------------------------------------------------------------------------------------------------- repair */

static int repair_superblocks(struct ledger *ledger, struct events *events) {
    struct ledger_view *view = &ledger->view;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        if (view->copies[copy] == SUPERBLOCK_VALID) {
            continue;
        }
        const int rc =
            ledger_write_block(ledger, LAYOUT_SUPERBLOCK_OFFSET(copy), &view->superblock, sizeof view->superblock);
        if (rc < 0) {
            return rc;
        }
        view->copies[copy] = SUPERBLOCK_VALID;
        events_post(events, EVENT_WARN,
                    "superblock copy %u of ring %s was bad and is repaired from "
                    "the other; nothing is lost. Its medium may be failing: look at the errors of the host",
                    copy, ledger->device->path);
    }
    return 0;
}

static int level_checkpoints(struct ledger *ledger, struct events *events) {
    struct ledger_view *view = &ledger->view;
    const unsigned other = 1 - view->newest;
    const struct ledger_slot *newest = &ledger->slots[view->newest];
    struct ledger_slot *older = &ledger->slots[other];
    const int was_valid = view->checkpoint_is_valid[other];
    if (was_valid && checkpoint_leads_to_the_same(older->bytes, newest->bytes)) {
        return 0;
    }
    struct checkpoint_facts facts = view->checkpoints[view->newest];
    const size_t bytes = checkpoint_claims(newest->bytes);
    int rc = ledger_slot_room(ledger, older, bytes);
    if (rc < 0) {
        return rc;
    }
    memset(older->bytes, 0, older->room);
    memcpy(older->bytes, newest->bytes, bytes);
    facts.generation++;
    checkpoint_seal(older->bytes, &facts, view->crc_seed);
    rc = write_slot(ledger, other);
    if (rc == 0 && !was_valid) {
        events_post(events, EVENT_WARN,
                    "checkpoint slot %u of ring %s was bad and is repaired from the "
                    "other; nothing is lost. If the host did not lose power, its medium may be failing",
                    other, ledger->device->path);
    }
    return rc;
}

/* Writes each bad note anew, from what the rest of the fixed head says. */
static int repair_notes(struct ledger *ledger, struct events *events) {
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (ledger->view.note_is_valid[slot]) {
            continue;
        }
        const struct ledger_sum sum = ledger_sum(ledger);
        const struct ledger_note note = {.epoch = sum.epoch_highest,
                                         .durable_position = sum.start.drained_position,
                                         .next_sequence = sum.start.next_sequence};
        const int rc = ledger_note_writer(ledger, &note);
        if (rc < 0) {
            return rc;
        }
        events_post(events, EVENT_WARN,
                    "writer note %u of ring %s was bad and is written anew. If the host did not lose power, its "
                    "medium may be failing",
                    slot, ledger->device->path);
    }
    return 0;
}

int ledger_repair(struct ledger *ledger, struct events *events) {
    int rc = repair_superblocks(ledger, events);
    rc = rc < 0 ? rc : level_checkpoints(ledger, events);
    return rc < 0 ? rc : repair_notes(ledger, events);
}

/* -------------------------------------------------------------------------------------------------- format */

static int check_bytes(const struct device *device, uint64_t ring_bytes) {
    if (device->block_bytes > LAYOUT_MAX_BLOCK_BYTES) {
        return error_set(EINVAL, "the blocks of %s have %u bytes; a ring can have at most %u", device->path,
                         device->block_bytes, LAYOUT_MAX_BLOCK_BYTES);
    }
    const uint64_t least = LAYOUT_DATA_OFFSET + (uint64_t)LAYOUT_MIN_CAPACITY_BLOCKS * device->block_bytes;
    if (ring_bytes >= least && ring_bytes <= device->medium_bytes &&
        ring_bytes <= LAYOUT_DATA_OFFSET + LAYOUT_MAX_CAPACITY_BYTES) {
        return 0;
    }
    return error_set(EINVAL,
                     "a ring of %llu bytes cannot be on %s: it takes %llu to %llu bytes, and the medium has "
                     "%llu",
                     (unsigned long long)ring_bytes, device->path, (unsigned long long)least,
                     (unsigned long long)(LAYOUT_DATA_OFFSET + LAYOUT_MAX_CAPACITY_BYTES),
                     (unsigned long long)device->medium_bytes);
}

/* Writes the notes and checkpoints of a new ring. */
static int write_first_slots(struct ledger *ledger) {
    struct stream_state first;
    const struct stream_state *const states[] = {&first};
    const struct ledger_note note = {.next_sequence = 1};
    int rc = 0;
    stream_state_first(&first);
    for (unsigned i = 0; rc == 0 && i < LAYOUT_NOTE_SLOTS; i++) {
        rc = ledger_note_writer(ledger, &note);
    }
    for (unsigned i = 0; rc == 0 && i < LAYOUT_CHECKPOINT_SLOTS; i++) {
        rc = ledger_checkpoint(ledger, 0, states, 1);
    }
    return rc;
}

int ledger_format(const struct platform *platform, struct device *device, uint64_t ring_bytes) {
    struct ledger *ledger = NULL;
    int rc = check_bytes(device, ring_bytes);
    rc = rc < 0 ? rc : ledger_allocate(platform, device, &ledger);
    if (rc < 0) {
        return rc;
    }
    uint64_t uuid[2] = {platform->ops->random(platform), platform->ops->random(platform)};
    struct superblock *superblock = &ledger->view.superblock;
    superblock_make(superblock, ring_bytes, device->medium_bytes, device->block_bytes, device->logical_block_bytes,
                    device->line_bytes != 0 ? SUPERBLOCK_LINES : 0, (const uint8_t *)uuid,
                    platform_realtime_ns(platform));
    ledger->view.crc_seed = crc_seed_of(superblock->uuid);
    rc = write_first_slots(ledger);
    /* Copy 0 comes last: a medium that has it is whole. */
    for (unsigned i = LAYOUT_SUPERBLOCK_COPIES; rc == 0 && i-- > 0;) {
        rc = ledger_write_block(ledger, LAYOUT_SUPERBLOCK_OFFSET(i), superblock, sizeof *superblock);
    }
    ledger_close(ledger);
    return rc;
}

/* --------------------------------------------------------------------------------------------- calibration */

int ledger_read_calibration(const struct ledger *ledger, struct calibration *calibration) {
    if (ledger->device->ops->read(ledger->device, LAYOUT_CALIBRATION_OFFSET, ledger->block, ledger->block_bytes) < 0) {
        return 0;
    }
    memcpy(calibration, ledger->block, sizeof *calibration);
    return calibration_is_valid(calibration, ledger->view.crc_seed);
}

void ledger_write_calibration(const struct ledger *ledger, struct calibration *calibration) {
    calibration_seal(calibration, ledger->view.crc_seed);
    ledger_write_block(ledger, LAYOUT_CALIBRATION_OFFSET, calibration, sizeof *calibration);
}
