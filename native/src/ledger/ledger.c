/* SPDX-License-Identifier: Apache-2.0 */
/* The head as a whole: what its two parts say about each other, and formatting. */
#include "ledger/ledger.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "media/record.h"

struct ledger {
    struct notes notes;
    struct checkpoints checkpoints;
};

static int allocate(const struct platform *platform, struct device *device, struct ledger **ledger_out) {
    struct ledger *ledger = platform_allocate(platform, sizeof *ledger, PLATFORM_PLAIN);
    if (ledger == NULL) {
        return error_set(ENOMEM, "no memory for the ledger of ring %s: %zu bytes", device->path, sizeof *ledger);
    }
    const int rc = notes_begin(&ledger->notes, platform, device);
    if (rc < 0) {
        platform_release(platform, ledger, sizeof *ledger);
        return rc;
    }
    *ledger_out = ledger;
    return 0;
}

/* The superblock is known. */
static void begin_slots(struct ledger *ledger) {
    const struct notes *notes = &ledger->notes;
    checkpoints_begin(&ledger->checkpoints, notes->platform, notes->device, notes->view.crc_seed,
                      notes->view.superblock.capacity_bytes);
}

void ledger_close(struct ledger *ledger) {
    if (ledger != NULL) {
        checkpoints_end(&ledger->checkpoints);
        notes_end(&ledger->notes);
        platform_release(ledger->notes.platform, ledger, sizeof *ledger);
    }
}

/* Refuses a ring whose medium differs from the one on which it was formatted. */
static int check_medium(const struct device *device, const struct superblock *superblock) {
    const uint64_t needed = superblock->data_offset + superblock->capacity_bytes;
    if (device->medium_bytes < needed) {
        return error_set(
            EUCLEAN,
            "ring %s has %llu bytes but was formatted with %llu: it was cut; it is left as it is; `burstlog dump` "
            "shows its records",
            device->path, (unsigned long long)device->medium_bytes, (unsigned long long)needed);
    }
    if (device->block_bytes > superblock->block_bytes) {
        return error_set(EUCLEAN,
                         "ring %s has blocks of %u bytes but was formatted for %u: copy it to a medium like the "
                         "old one, or drain it there",
                         device->path, device->block_bytes, superblock->block_bytes);
    }
    return 0;
}

/* Only a checkpoint releases space. So if a note lies beyond the space that the newest valid checkpoint released, the
 * medium lost a newer one that it had acknowledged. */
static int check_note(const struct ledger *ledger, const struct writer_note *note) {
    const uint64_t end =
        ledger->checkpoints.released[ledger_newest(ledger)] + ledger->notes.view.superblock.capacity_bytes;
    if (note->durable_position <= end && note->in_flight_end <= end) {
        return 0;
    }
    return error_set(EUCLEAN,
                     "a note in ring %s says that its log was written up to position %llu, but its checkpoints say "
                     "that nothing can be at or after %llu: the medium lost checkpoints that it had acknowledged. The "
                     "ring is left as it is: copy it before anything else",
                     ledger->notes.device->path,
                     (unsigned long long)(note->durable_position > note->in_flight_end ? note->durable_position
                                                                                       : note->in_flight_end),
                     (unsigned long long)end);
}

static int check_notes(const struct ledger *ledger) {
    int rc = 0;
    for (unsigned slot = 0; rc == 0 && slot < LAYOUT_NOTE_SLOTS; slot++) {
        rc = ledger->notes.view.note_is_valid[slot] ? check_note(ledger, &ledger->notes.view.notes[slot]) : 0;
    }
    return rc;
}

int ledger_read(const struct platform *platform, struct device *device, struct ledger **ledger_out) {
    *ledger_out = NULL;
    if (device->medium_bytes < LAYOUT_DATA_OFFSET) {
        return error_set(ENODATA,
                         device->is_file
                             ? "%s is no ring, because it has only %llu bytes: name another file; if it was "
                               "one, it was cut, so restore it from a copy"
                             : "%s holds no ring, because it has only %llu bytes: if it held one, the device "
                               "has vanished or shrunk; bring it back",
                         device->path, (unsigned long long)device->medium_bytes);
    }
    int rc = allocate(platform, device, ledger_out);
    if (rc < 0) {
        return rc;
    }
    struct ledger *ledger = *ledger_out;
    rc = notes_read_superblocks(&ledger->notes);
    rc = rc < 0 ? rc : check_medium(device, &ledger->notes.view.superblock);
    if (rc < 0) {
        return rc;
    }
    begin_slots(ledger);
    /* Notes are read before checkpoints. So even if a writer goes on meanwhile, no note lies beyond the space that the
     * checkpoints read later have released. */
    rc = notes_read(&ledger->notes);
    rc = rc < 0 ? rc : checkpoints_read(&ledger->checkpoints);
    return rc < 0 ? rc : check_notes(ledger);
}

/* ------------------------------------------------------------------------------------------- what the head says */

struct notes *ledger_notes(struct ledger *ledger) {
    return &ledger->notes;
}

struct checkpoints *ledger_checkpoints(struct ledger *ledger) {
    return &ledger->checkpoints;
}

const struct notes_view *ledger_view(const struct ledger *ledger) {
    return &ledger->notes.view;
}

const struct checkpoints_view *ledger_slots(const struct ledger *ledger) {
    return &ledger->checkpoints.view;
}

unsigned ledger_newest(const struct ledger *ledger) {
    return ledger->checkpoints.view.newest;
}

unsigned ledger_streams(const struct ledger *ledger, unsigned slot) {
    return checkpoints_streams(&ledger->checkpoints, slot);
}

void ledger_stream(const struct ledger *ledger, unsigned slot, unsigned index, struct stream_state *state) {
    checkpoints_stream(&ledger->checkpoints, slot, index, state);
}

struct checkpoint_position ledger_position(const struct ledger *ledger, unsigned slot, unsigned index) {
    return checkpoints_position(&ledger->checkpoints, slot, index);
}

uint64_t ledger_released(const struct ledger *ledger) {
    return checkpoints_released(&ledger->checkpoints);
}

static void add_watermark(struct ledger_sum *sum, uint64_t position, uint64_t sequence) {
    if (position > sum->durable_position) {
        sum->durable_position = position;
        sum->durable_sequence = sequence;
    }
}

static void add_epoch(struct ledger_sum *sum, uint32_t epoch) {
    sum->epoch_highest = epoch > sum->epoch_highest ? epoch : sum->epoch_highest;
}

static void add_checkpoint(struct ledger_sum *sum, const struct ledger *ledger, unsigned slot) {
    for (unsigned i = 0; i < ledger_streams(ledger, slot); i++) {
        const struct checkpoint_position stream = ledger_position(ledger, slot, i);
        add_watermark(sum, stream.drained_position, stream.next_sequence);
    }
    add_epoch(sum, ledger_slots(ledger)->facts[slot].epoch);
}

static void add_note(struct ledger_sum *sum, const struct writer_note *note) {
    add_watermark(sum, note->durable_position, note->next_sequence);
    add_epoch(sum, note->epoch);
    sum->in_flight_end = note->in_flight_end > sum->in_flight_end ? note->in_flight_end : sum->in_flight_end;
}

struct ledger_sum ledger_sum(const struct ledger *ledger) {
    const struct notes_view *view = ledger_view(ledger);
    struct ledger_sum sum = {.start = checkpoints_least(&ledger->checkpoints)};
    sum.durable_position = sum.start.drained_position;
    sum.durable_sequence = sum.start.next_sequence;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        if (ledger_slots(ledger)->is_valid[slot]) {
            add_checkpoint(&sum, ledger, slot);
        }
    }
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (view->note_is_valid[slot]) {
            add_note(&sum, &view->notes[slot]);
        }
    }
    const int newest = notes_newest(&ledger->notes);
    if (newest >= 0 && view->notes[newest].closed == 1) {
        sum.closed_epoch = view->notes[newest].epoch;
        sum.closed_sequence = view->notes[newest].next_sequence;
    }
    return sum;
}

/* -------------------------------------------------------------------------------------------------- repair */

/* Writes each bad note anew, from what the rest of the fixed head says. */
int ledger_repair_notes(struct ledger *ledger, struct events *events) {
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (ledger->notes.view.note_is_valid[slot]) {
            continue;
        }
        const struct ledger_sum sum = ledger_sum(ledger);
        const struct ledger_note note = {.epoch = sum.epoch_highest,
                                         .durable_position = sum.start.drained_position,
                                         .next_sequence = sum.start.next_sequence};
        const int rc = notes_write(&ledger->notes, &note);
        if (rc < 0) {
            return rc;
        }
        events_post(events, EVENT_WARN,
                    "writer note %u of ring %s was bad and is written anew. If the host did not lose power, its "
                    "medium may be failing",
                    slot, ledger->notes.device->path);
    }
    return 0;
}

int ledger_repair(struct ledger *ledger, struct events *events) {
    int rc = notes_repair_superblocks(&ledger->notes, events);
    rc = rc < 0 ? rc : checkpoints_level(&ledger->checkpoints, events);
    return rc < 0 ? rc : ledger_repair_notes(ledger, events);
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
        rc = notes_write(&ledger->notes, &note);
    }
    for (unsigned i = 0; rc == 0 && i < LAYOUT_CHECKPOINT_SLOTS; i++) {
        rc = checkpoints_write(&ledger->checkpoints, 0, states, 1);
    }
    return rc;
}

int ledger_format(const struct platform *platform, struct device *device, uint64_t ring_bytes) {
    struct ledger *ledger = NULL;
    int rc = check_bytes(device, ring_bytes);
    rc = rc < 0 ? rc : allocate(platform, device, &ledger);
    if (rc < 0) {
        return rc;
    }
    uint64_t uuid[2] = {platform->ops->random(platform), platform->ops->random(platform)};
    struct superblock *superblock = &ledger->notes.view.superblock;
    superblock_make(superblock, ring_bytes, device->medium_bytes, device->block_bytes, device->logical_block_bytes,
                    device->line_bytes != 0 ? SUPERBLOCK_LINES : 0, (const uint8_t *)uuid,
                    platform_realtime_ns(platform));
    ledger->notes.view.crc_seed = crc_seed_of(superblock->uuid);
    begin_slots(ledger);
    rc = write_first_slots(ledger);
    /* Copy 0 comes last: a medium that has it is whole. */
    for (unsigned i = LAYOUT_SUPERBLOCK_COPIES; rc == 0 && i-- > 0;) {
        rc = notes_write_block(&ledger->notes, LAYOUT_SUPERBLOCK_OFFSET(i), superblock, sizeof *superblock);
    }
    ledger_close(ledger);
    return rc;
}
