/* SPDX-License-Identifier: Apache-2.0 */
/* The superblock, the writer's notes, and the calibration. */
#include "ledger/notes.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "device/salvage.h"
#include "media/calibration.h"
#include "media/record.h"
#include "media/writer_note.h"

_Static_assert(sizeof(struct superblock) <= LAYOUT_MIN_BLOCK_BYTES, "a superblock fits in a block");
_Static_assert(sizeof(struct writer_note_block) <= LAYOUT_MIN_BLOCK_BYTES, "a note fits in a block");
_Static_assert(sizeof(struct calibration) <= LAYOUT_MIN_BLOCK_BYTES, "a calibration fits in a block");

int notes_begin(struct notes *notes, const struct platform *platform, struct device *device) {
    *notes = (struct notes){
        .platform = platform, .device = device, .block_bytes = align_up(LAYOUT_MIN_BLOCK_BYTES, device->block_bytes)};
    notes->block = platform_allocate(platform, notes->block_bytes, PLATFORM_PLAIN);
    return notes->block == NULL
               ? error_set(ENOMEM, "no memory for a block of ring %s: %zu bytes", device->path, notes->block_bytes)
               : 0;
}

void notes_end(struct notes *notes) {
    if (notes->block != NULL) {
        platform_release(notes->platform, notes->block, notes->block_bytes);
    }
}

const struct notes_view *notes_view(const struct notes *notes) {
    return &notes->view;
}

/* ------------------------------------------------------------------------------------------------- reading */

static void count_unreadable(void *argument, uint64_t offset, uint64_t bytes) {
    (void)offset;
    *(uint64_t *)argument += bytes;
}

/* Reads the block at the offset into notes->block. Adds the number of unreadable bytes to *unreadable. */
static int read_block(struct notes *notes, uint64_t offset, uint64_t *unreadable) {
    return device_read_salvage(notes->device, offset, notes->block, notes->block_bytes, count_unreadable, unreadable);
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

int notes_read_superblocks(struct notes *notes) {
    struct notes_view *view = &notes->view;
    const struct device *device = notes->device;
    enum superblock_verdict worst = SUPERBLOCK_ABSENT;
    uint64_t unreadable = 0;
    uint32_t unknown_version = 0;
    int found = 0;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        const int rc = read_block(notes, LAYOUT_SUPERBLOCK_OFFSET(copy), &unreadable);
        if (rc < 0) {
            return rc;
        }
        const struct superblock *superblock = (const struct superblock *)notes->block;
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

int notes_read(struct notes *notes) {
    struct notes_view *view = &notes->view;
    int rc = 0;
    for (unsigned slot = 0; rc == 0 && slot < LAYOUT_NOTE_SLOTS; slot++) {
        uint64_t unreadable = 0;
        rc = read_block(notes, LAYOUT_NOTE_OFFSET(slot), &unreadable);
        struct writer_note_block block;
        memcpy(&block, notes->block, sizeof block);
        view->notes[slot] = block.note;
        view->note_is_valid[slot] = rc == 0 && writer_note_is_valid(&block.note, view->crc_seed);
        if (view->note_is_valid[slot] && durable_stamp_is_of(&block.stamp, &block.note, view->crc_seed)) {
            view->note_stamps[slot] = block.stamp;
        }
    }
    return rc;
}

/* ------------------------------------------------------------------------------------------------- writing */

int notes_write_block(struct notes *notes, uint64_t offset, const void *data, size_t bytes) {
    memset(notes->block, 0, notes->block_bytes);
    memcpy(notes->block, data, bytes);
    return notes->device->ops->write(notes->device, offset, notes->block, align_up(bytes, notes->device->block_bytes));
}

int notes_newest(const struct notes *notes) {
    const struct notes_view *view = &notes->view;
    const int first = view->note_is_valid[0], second = view->note_is_valid[1];
    return first && second ? view->notes[1].generation > view->notes[0].generation : second ? 1 : first ? 0 : -1;
}

/* A write that was once under way may reach the medium at any later time. So its end stays noted; the note does no harm
 * after that position is drained. */
static uint64_t in_flight_end(const struct notes_view *view, uint64_t end) {
    for (unsigned slot = 0; slot < LAYOUT_NOTE_SLOTS; slot++) {
        if (view->note_is_valid[slot] && view->notes[slot].in_flight_end > end) {
            end = view->notes[slot].in_flight_end;
        }
    }
    return end;
}

int notes_write(struct notes *notes, const struct ledger_note *note) {
    struct notes_view *view = &notes->view;
    const int newest = notes_newest(notes);
    const int slot = newest == 0;
    struct writer_note_block block = {.note = {
                                          .generation = newest < 0 ? 1 : view->notes[newest].generation + 1,
                                          .durable_position = note->durable_position,
                                          .next_sequence = note->next_sequence,
                                          .in_flight_end = in_flight_end(view, note->in_flight_end),
                                          .written_ns = platform_realtime_ns(notes->platform),
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
    const int rc = notes_write_block(notes, LAYOUT_NOTE_OFFSET(slot), &block, sizeof block);
    view->note_is_valid[slot] = rc == 0;
    view->notes[slot] = block.note;
    view->note_stamps[slot] = block.stamp;
    return rc;
}

int notes_repair_superblocks(struct notes *notes, struct events *events) {
    struct notes_view *view = &notes->view;
    for (unsigned copy = 0; copy < LAYOUT_SUPERBLOCK_COPIES; copy++) {
        if (view->copies[copy] == SUPERBLOCK_VALID) {
            continue;
        }
        const int rc =
            notes_write_block(notes, LAYOUT_SUPERBLOCK_OFFSET(copy), &view->superblock, sizeof view->superblock);
        if (rc < 0) {
            return rc;
        }
        view->copies[copy] = SUPERBLOCK_VALID;
        events_post(events, EVENT_WARN,
                    "superblock copy %u of ring %s was bad and is repaired from "
                    "the other; nothing is lost. Its medium may be failing: look at the errors of the host",
                    copy, notes->device->path);
    }
    return 0;
}

/* --------------------------------------------------------------------------------------------- calibration */

int notes_read_calibration(struct notes *notes, struct calibration *calibration) {
    if (notes->device->ops->read(notes->device, LAYOUT_CALIBRATION_OFFSET, notes->block, notes->block_bytes) < 0) {
        return 0;
    }
    memcpy(calibration, notes->block, sizeof *calibration);
    return calibration_is_valid(calibration, notes->view.crc_seed);
}

void notes_write_calibration(struct notes *notes, struct calibration *calibration) {
    calibration_seal(calibration, notes->view.crc_seed);
    notes_write_block(notes, LAYOUT_CALIBRATION_OFFSET, calibration, sizeof *calibration);
}
