/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The writer's part of the fixed head: the superblock, and notes that say how far the log is durable and writes under way
 * may reach. Only the writer of the ring writes them.
 *
 * The notes have two slots. The writer overwrites the older one, so that a torn write leaves the newer one.
 *
 * Only one thread at a time may call the functions of one object. Another thread may work with the checkpoints meanwhile.
 */
#ifndef BURST_LEDGER_NOTES_H
#define BURST_LEDGER_NOTES_H

#include "base/events.h"
#include "device/device.h"
#include "media/durable_stamp.h"
#include "media/superblock.h"

/* The superblock and the notes as they were read, with everything written since. */
struct notes_view {
    struct superblock superblock; /* meaningless unless one of the copies is valid */
    enum superblock_verdict copies[LAYOUT_SUPERBLOCK_COPIES];
    uint32_t crc_seed;
    int note_is_valid[LAYOUT_NOTE_SLOTS];
    struct writer_note notes[LAYOUT_NOTE_SLOTS];
    struct durable_stamp note_stamps[LAYOUT_NOTE_SLOTS]; /* durable_ns 0: the note has no valid one */
};

struct notes {
    const struct platform *platform;
    struct device *device;
    struct notes_view view;
    uint8_t *block; /* buffer to read and write any struct that fits in one block */
    size_t block_bytes;
};

const struct notes_view *notes_view(const struct notes *notes);

/* The slot of the newest valid note, or -1. */
int notes_newest(const struct notes *notes);

struct ledger_note {
    uint32_t epoch;
    uint64_t durable_position; /* a watermark */
    uint64_t next_sequence;    /* the sequence of the first record at or behind durable_position */
    uint64_t in_flight_end;    /* the end of the writes under way when the ring failed, or 0 */
    uint32_t closed;           /* 1: the log is closed, and no record follows; else 0 */
    int64_t durable_ns;        /* when the watermark reached durable_position, CLOCK_REALTIME; 0: not known */
};

/* Writes the note over the older one. The end of writes under way that an earlier note has stays noted. Returns 0, or
 * -errno with a sentence. */
int notes_write(struct notes *notes, const struct ledger_note *note);

/* Reads which engine writes the ring best. Returns 1 if the ring has a valid calibration, else 0. */
int notes_read_calibration(struct notes *notes, struct calibration *calibration);

/* Seals the calibration and writes it. Ignores a failed write: it only costs the next open a calibration. */
void notes_write_calibration(struct notes *notes, struct calibration *calibration);

/* For ledger.c alone, which reads the whole head. Makes empty notes with their block buffer. Returns 0, or -ENOMEM with a
 * sentence. */
int notes_begin(struct notes *notes, const struct platform *platform, struct device *device);
void notes_end(struct notes *notes);

/* Reads both copies of the superblock. Returns 0, or -errno with the sentence that says why this is no ring. */
int notes_read_superblocks(struct notes *notes);
int notes_read(struct notes *notes);
int notes_repair_superblocks(struct notes *notes, struct events *events);

/* Writes a struct of `bytes` that fits in one block, padded with zeros to whole blocks. Returns 0, or -errno with a
 * sentence. */
int notes_write_block(struct notes *notes, uint64_t offset, const void *data, size_t bytes);

#endif
