/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and judging the fixed head. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "device/salvage.h"
#include "ledger/slots.h"
#include "media/record.h"
#include "media/durable_stamp.h"
#include "media/writer_note.h"

static void count_unreadable(void *argument, uint64_t offset, uint64_t bytes) {
    (void)offset;
    *(uint64_t *)argument += bytes;
}

/* Reads the block at the offset into ledger->block. Adds the number of unreadable bytes to *unreadable. */
static int read_block(struct ledger *ledger, uint64_t offset, uint64_t *unreadable) {
    return device_read_salvage(ledger->device, offset, ledger->block, ledger->block_bytes, count_unreadable,
                               unreadable);
}

/* An open never formats a device: the ring that once had this name may now be another device. */
static int refuse_no_ring(const struct device *device) {
    return error_set(ENODATA,
                     device->is_file ? "%s holds no ring, but something else: name a file that is not there yet, or an "
                                       "empty one, and a ring is made in it; `burstlog format` would overwrite this one"
                                     : "%s holds no ring: if one was here, device names may have changed, so "
                                       "name it by its link in /dev/disk/by-id/; `burstlog format` makes one",
                     device->path);
}

static int refuse_version(const struct device *device, uint32_t version) {
    if (version == 0 || version >= LAYOUT_VERSION) {
        return error_set(EPROTO,
                         "%s holds a ring of a format that this version does not know: use the version that "
                         "wrote it",
                         device->path);
    }
    return error_set(EPROTO,
                     "%s holds a ring of format %u, and this version reads format %u: drain it first with the version "
                     "that wrote it (`burstlog recover`), then format it anew",
                     device->path, version, LAYOUT_VERSION);
}

static int read_superblocks(struct ledger *ledger) {
    struct ledger_view *view = &ledger->view;
    const struct device *device = ledger->device;
    enum superblock_verdict worst = SUPERBLOCK_ABSENT;
    uint64_t unreadable = 0;
    uint32_t unknown_version = 0;
    int found = 0;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        const int rc = read_block(ledger, LAYOUT_SUPERBLOCK_OFFSET(copy), &unreadable);
        if (rc < 0) {
            return rc;
        }
        const struct superblock *superblock = (const struct superblock *)ledger->block;
        view->copies[copy] = superblock_judge(superblock);
        if (view->copies[copy] == SUPERBLOCK_UNKNOWN) {
            unknown_version = superblock->version;
        }
        if (view->copies[copy] == SUPERBLOCK_VALID && !found) {
            view->superblock = *superblock;
            found = 1;
        } else if (view->copies[copy] > worst) {
            worst = view->copies[copy];
        }
    }
    if (found) {
        view->crc_seed = crc_seed_of(view->superblock.uuid);
        return 0;
    }
    if (worst == SUPERBLOCK_UNKNOWN) {
        return refuse_version(device, unknown_version);
    }
    if (unreadable > 0) {
        return error_set(EIO,
                         "%llu bytes where the superblocks of a ring would be cannot be read from %s: whether it holds "
                         "one is unknown, and it is left as it is; make the medium readable, or copy it to another",
                         (unsigned long long)unreadable, device->path);
    }
    if (worst == SUPERBLOCK_DAMAGED) {
        return error_set(EUCLEAN,
                         "both superblock copies of ring %s are damaged: it is left as it is; `burstlog dump` "
                         "shows its records; restore it from a copy, or format it anew",
                         device->path);
    }
    return refuse_no_ring(device);
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

/* Reads one checkpoint slot. The first block says how long the checkpoint is. */
static int read_checkpoint(struct ledger *ledger, unsigned index) {
    struct ledger_view *view = &ledger->view;
    struct ledger_slot *slot = &ledger->slots[index];
    uint64_t unreadable = 0;
    int rc = read_block(ledger, LAYOUT_CHECKPOINT_OFFSET(index), &unreadable);
    const size_t bytes = rc < 0 ? 0 : checkpoint_claims(ledger->block);
    if (rc < 0 || bytes == 0) {
        return rc;
    }
    rc = ledger_slot_room(ledger, slot, bytes);
    rc = rc < 0 ? rc
                : device_read_salvage(ledger->device, LAYOUT_CHECKPOINT_OFFSET(index), slot->bytes,
                                      align_up(bytes, ledger->device->block_bytes), count_unreadable, &unreadable);
    if (rc == 0 && checkpoint_is_valid(slot->bytes, slot->room, view->crc_seed, view->superblock.capacity_bytes)) {
        view->checkpoint_is_valid[index] = 1;
        view->checkpoints[index] = checkpoint_facts(slot->bytes);
        ledger->released[index] = checkpoint_least(slot->bytes).drained_position;
    }
    return rc;
}

static int read_checkpoints(struct ledger *ledger) {
    struct ledger_view *view = &ledger->view;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        const int rc = read_checkpoint(ledger, slot);
        if (rc < 0) {
            return rc;
        }
    }
    if (!view->checkpoint_is_valid[0] && !view->checkpoint_is_valid[1]) {
        return error_set(EUCLEAN,
                         "both checkpoints of ring %s are damaged, so it is unknown what the log file has of its "
                         "records: it is left as it is; `burstlog dump` shows them",
                         ledger->device->path);
    }
    const int both = view->checkpoint_is_valid[0] && view->checkpoint_is_valid[1];
    view->newest = both ? view->checkpoints[1].generation > view->checkpoints[0].generation
                        : (unsigned)view->checkpoint_is_valid[1];
    if (both && checkpoint_goes_back(ledger->slots[view->newest].bytes, ledger->slots[1 - view->newest].bytes)) {
        view->checkpoint_is_valid[1 - view->newest] = 0;
    }
    return 0;
}

/* Only a checkpoint releases space. So if a note lies beyond the space that the newest valid checkpoint released, the
 * medium lost a newer one that it had acknowledged. */
static int check_note(const struct ledger *ledger, const struct writer_note *note) {
    const uint64_t end = ledger->released[ledger->view.newest] + ledger->view.superblock.capacity_bytes;
    if (note->durable_position <= end && note->in_flight_end <= end) {
        return 0;
    }
    return error_set(EUCLEAN,
                     "a note in ring %s says that its log was written up to position %llu, but its checkpoints say "
                     "that nothing can be at or after %llu: the medium lost checkpoints that it had acknowledged. The "
                     "ring is left as it is: copy it before anything else",
                     ledger->device->path,
                     (unsigned long long)(note->durable_position > note->in_flight_end ? note->durable_position
                                                                                       : note->in_flight_end),
                     (unsigned long long)end);
}

/* Notes are read before checkpoints. So even if a writer goes on meanwhile, no note lies beyond the space that the
 * checkpoints read later have released. */
static int read_notes(struct ledger *ledger) {
    struct ledger_view *view = &ledger->view;
    int rc = 0;
    for (unsigned slot = 0; rc == 0 && slot < LAYOUT_NOTE_SLOTS; slot++) {
        uint64_t unreadable = 0;
        rc = read_block(ledger, LAYOUT_NOTE_OFFSET(slot), &unreadable);
        struct writer_note_block block;
        memcpy(&block, ledger->block, sizeof block);
        view->notes[slot] = block.note;
        view->note_is_valid[slot] = rc == 0 && writer_note_is_valid(&block.note, view->crc_seed);
        if (view->note_is_valid[slot] && durable_stamp_is_of(&block.stamp, &block.note, view->crc_seed)) {
            view->note_stamps[slot] = block.stamp;
        }
    }
    return rc;
}

static int check_notes(const struct ledger *ledger) {
    int rc = 0;
    for (unsigned slot = 0; rc == 0 && slot < LAYOUT_NOTE_SLOTS; slot++) {
        rc = ledger->view.note_is_valid[slot] ? check_note(ledger, &ledger->view.notes[slot]) : 0;
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
    int rc = ledger_allocate(platform, device, ledger_out);
    if (rc < 0) {
        return rc;
    }
    struct ledger *ledger = *ledger_out;
    rc = read_superblocks(ledger);
    rc = rc < 0 ? rc : check_medium(device, &ledger->view.superblock);
    rc = rc < 0 ? rc : read_notes(ledger);
    rc = rc < 0 ? rc : read_checkpoints(ledger);
    return rc < 0 ? rc : check_notes(ledger);
}

/* ------------------------------------------------------------------------------------------- what the head says */

const struct ledger_view *ledger_view(const struct ledger *ledger) {
    return &ledger->view;
}

unsigned ledger_streams(const struct ledger *ledger, unsigned slot) {
    return checkpoint_streams(ledger->slots[slot].bytes);
}

void ledger_stream(const struct ledger *ledger, unsigned slot, unsigned index, struct stream_state *state) {
    checkpoint_decode(ledger->slots[slot].bytes, index, state);
}

struct checkpoint_position ledger_position(const struct ledger *ledger, unsigned slot, unsigned index) {
    return checkpoint_position(ledger->slots[slot].bytes, index);
}

uint64_t ledger_released(const struct ledger *ledger) {
    return ledger->released[0] < ledger->released[1] ? ledger->released[0] : ledger->released[1];
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
    const uint8_t *bytes = ledger->slots[slot].bytes;
    for (unsigned i = 0; i < checkpoint_streams(bytes); i++) {
        const struct checkpoint_position stream = checkpoint_position(bytes, i);
        add_watermark(sum, stream.drained_position, stream.next_sequence);
    }
    add_epoch(sum, ledger->view.checkpoints[slot].epoch);
}

static void add_note(struct ledger_sum *sum, const struct writer_note *note) {
    add_watermark(sum, note->durable_position, note->next_sequence);
    add_epoch(sum, note->epoch);
    sum->in_flight_end = note->in_flight_end > sum->in_flight_end ? note->in_flight_end : sum->in_flight_end;
}

struct ledger_sum ledger_sum(const struct ledger *ledger) {
    const struct ledger_view *view = &ledger->view;
    struct ledger_sum sum = {.start = checkpoint_least(ledger->slots[view->newest].bytes)};
    sum.durable_position = sum.start.drained_position;
    sum.durable_sequence = sum.start.next_sequence;
    for (unsigned slot = 0; slot < LAYOUT_CHECKPOINT_SLOTS; slot++) {
        if (view->checkpoint_is_valid[slot]) {
            add_checkpoint(&sum, ledger, slot);
        }
    }
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (view->note_is_valid[slot]) {
            add_note(&sum, &view->notes[slot]);
        }
    }
    const int newest = ledger_newest_note(ledger);
    if (newest >= 0 && view->notes[newest].closed == 1) {
        sum.closed_epoch = view->notes[newest].epoch;
        sum.closed_sequence = view->notes[newest].next_sequence;
    }
    return sum;
}
