/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: the only reader and writer of the fixed head of a medium.
 *
 * DESIGN. Facts are split by who knows them, so that nobody overwrites what another one noted:
 *
 *     superblock   written by format alone, in two copies
 *     writer note  how far the log was durable, and how far writes under way may reach: whoever appends, in two slots in turn
 *     checkpoint   how far each stream is drained, and where to: whoever drains, in two slots in turn
 *     calibration  which engine writes it best: advice
 *
 * A slot is written over the older one, so that a torn write leaves the newer. What both checkpoint slots have let go of
 * is released: if the newer one rots, the older one still finds all its records.
 *
 * One thread at a time calls the functions of a ledger.
 */
#ifndef BURST_LEDGER_LEDGER_H
#define BURST_LEDGER_LEDGER_H

#include "base/events.h"
#include "device/device.h"
#include "media/checkpoint.h"
#include "media/superblock.h"

struct ledger;

/* Writes an empty ring of ring_bytes (at most the device) to the device: superblocks last. 0, or -errno with a sentence. */
int ledger_format(const struct platform *platform, struct device *device, uint64_t ring_bytes);

/*
 * Reads and judges the fixed head; changes nothing. 0, or with a sentence -ENODATA (no ring), -EUCLEAN (damaged), -EPROTO
 * (of another version), -EIO, -ENOMEM. Then too *ledger may be there, for the view's superblock and copies: NULL or not,
 * ledger_close() either way. The device stays the caller's, and open as long as the ledger.
 *
 * Beside a writer: slots that he just writes are bad. The newest checkpoint has let go of all that was released before the
 * call, and of what the notes need.
 */
int ledger_read(const struct platform *platform, struct device *device, struct ledger **ledger);

void ledger_close(struct ledger *ledger);

/* What was read, and what was written since. */
struct ledger_view {
    struct superblock superblock; /* meaningless unless one of the copies is valid */
    enum superblock_verdict copies[LAYOUT_SUPERBLOCK_COPIES];
    uint32_t crc_seed;
    unsigned newest; /* checkpoint slot */
    int checkpoint_is_valid[LAYOUT_CHECKPOINT_SLOTS];
    struct checkpoint_facts checkpoints[LAYOUT_CHECKPOINT_SLOTS];
    int note_is_valid[LAYOUT_NOTE_SLOTS];
    struct writer_note notes[LAYOUT_NOTE_SLOTS];
};

const struct ledger_view *ledger_view(const struct ledger *ledger);

/* The streams of a valid slot, sorted by id. At least one; the newest slot is view->newest. */
unsigned ledger_streams(const struct ledger *ledger, unsigned slot);
void ledger_stream(const struct ledger *ledger, unsigned slot, unsigned index, struct stream_state *state);
struct checkpoint_position ledger_position(const struct ledger *ledger, unsigned slot, unsigned index);

/* What both slots and both notes say together, for recovery. */
struct ledger_sum {
    struct checkpoint_position start; /* of the stream of the newest checkpoint that has drained the least */
    uint64_t durable_position;        /* the highest watermark that is noted, or that a drained position proves */
    uint64_t durable_sequence;        /* of the first record at or after it */
    uint64_t in_flight_end;           /* 0, or writes under way may have reached so far when a ring failed */
    uint32_t epoch_highest;
    uint32_t closed_epoch;    /* the newest note closed the log of this epoch; 0: it closed none */
    uint64_t closed_sequence; /* of the first record that this log did not write */
};

struct ledger_sum ledger_sum(const struct ledger *ledger);

/* Brings bad superblock copies and slots up to good ones, and levels the two checkpoint slots: what only the older one
 * still holds may be what the marker of the next epoch needs. Tells what was bad. 0, or -errno with a sentence. */
int ledger_repair(struct ledger *ledger, struct events *events);

/*
 * Writes what is drained now, of all streams in any order, over the older slot. 0: it is the newest. -errno: what the newest
 * slot says stays as it was; with a sentence. -E2BIG: it does not fit in a slot (only a new stream, or a longer name or path,
 * can bring that), and nothing was written.
 *
 * Of every stream that has records at or behind the least drained position there must be an entry: an entry goes only when
 * another stream takes its id, from a position on that is behind all its records. While nothing was committed in this epoch, no
 * stream may drain its marker unless all of them do: recovery may put the marker of the next epoch in its place.
 */
int ledger_checkpoint(struct ledger *ledger, uint32_t epoch, const struct stream_state *const *states, unsigned count);

/* The least drained position over all streams of both slots. */
uint64_t ledger_released(const struct ledger *ledger);

struct ledger_note {
    uint32_t epoch;
    uint64_t durable_position; /* a watermark */
    uint64_t next_sequence;    /* of the first record at or after it */
    uint64_t in_flight_end;    /* 0, or the end of the writes under way when the ring failed */
    uint32_t closed;           /* 1: the log is closed, and no record follows. Else 0 */
};

/* Writes the older note. What an earlier one says of writes under way stays said. 0, or -errno with a sentence. */
int ledger_note_writer(struct ledger *ledger, const struct ledger_note *note);

/* Which engine writes the ring best: 1 if there is a calibration, else 0. */
int ledger_read_calibration(const struct ledger *ledger, struct calibration *calibration);

/* Seals and writes it. That it cannot be kept costs the next open a calibration. */
void ledger_write_calibration(const struct ledger *ledger, struct calibration *calibration);

#endif
