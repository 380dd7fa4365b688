/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: the only reader and writer of the fixed head of a medium.
 *
 * DESIGN. Each kind of fact has one writer, so that no writer overwrites the facts of another:
 *
 *     superblock   the ring's geometry. Only format writes it, in two copies
 *     writer note  how far the log is durable and writes under way may reach. The appending side writes it, in two slots
 *     checkpoint   how far each stream is drained, and where to. The drain writes it, in two slots
 *     calibration  which engine writes the ring best: advice
 *
 * The writer of a slot overwrites the older one, so that a torn write leaves the newer one. The drain releases only space
 * that both checkpoint slots have let go of: if the newer slot rots, the older one still finds all its records.
 *
 * Only one thread at a time may call the functions of a ledger.
 */
#ifndef BURST_LEDGER_LEDGER_H
#define BURST_LEDGER_LEDGER_H

#include "base/events.h"
#include "device/device.h"
#include "media/checkpoint.h"
#include "media/durable_stamp.h"
#include "media/superblock.h"
#include "media/window.h"

struct ledger;

/* Writes an empty ring of ring_bytes to the device; superblocks come last. ring_bytes is at most the size of the
 * device. Returns 0, or -errno with a sentence. */
int ledger_format(const struct platform *platform, struct device *device, uint64_t ring_bytes);

/*
 * Reads and judges the fixed head; writes nothing. Returns 0, or with a sentence -ENODATA (no ring), -EUCLEAN
 * (damaged), -EPROTO (of another version), -EIO or -ENOMEM. After an error *ledger may be set too, so that the caller
 * can show superblock and copies of the view. The caller calls ledger_close() in each case. The device stays the
 * caller's, and stays open as long as the ledger.
 *
 * A writer may work on the ring meanwhile. Then a slot that the writer is just writing reads as bad. The newest
 * checkpoint read has let go of everything that was released before the call, and of at least the space that the
 * positions in the notes took.
 */
int ledger_read(const struct platform *platform, struct device *device, struct ledger **ledger);

void ledger_close(struct ledger *ledger);

/* The fixed head as it was read, with everything written since. */
struct ledger_view {
    struct superblock superblock; /* meaningless unless one of the copies is valid */
    enum superblock_verdict copies[LAYOUT_SUPERBLOCK_COPIES];
    uint32_t crc_seed;
    unsigned newest; /* the slot of the newest checkpoint */
    int checkpoint_is_valid[LAYOUT_CHECKPOINT_SLOTS];
    struct checkpoint_facts checkpoints[LAYOUT_CHECKPOINT_SLOTS];
    int note_is_valid[LAYOUT_NOTE_SLOTS];
    struct writer_note notes[LAYOUT_NOTE_SLOTS];
    struct durable_stamp note_stamps[LAYOUT_NOTE_SLOTS]; /* durable_ns 0: the note has no valid one */
};

const struct ledger_view *ledger_view(const struct ledger *ledger);

/* The number of streams in a valid slot, at least one; they are sorted by id. The newest slot is view->newest. */
unsigned ledger_streams(const struct ledger *ledger, unsigned slot);
void ledger_stream(const struct ledger *ledger, unsigned slot, unsigned index, struct stream_state *state);
struct checkpoint_position ledger_position(const struct ledger *ledger, unsigned slot, unsigned index);

/* The facts that recovery takes from both slots and both notes. */
struct ledger_sum {
    struct checkpoint_position start; /* the least drained stream's position in the newest checkpoint */
    uint64_t durable_position;        /* the highest watermark that a note has or that a drained position proves */
    uint64_t durable_sequence;        /* the sequence of the first record at or behind durable_position */
    uint64_t in_flight_end;           /* writes under way when a ring failed may reach up to here; 0: none are noted */
    uint32_t epoch_highest;
    uint32_t closed_epoch;    /* the newest note closed the log of this epoch; 0: it closed none */
    uint64_t closed_sequence; /* the first sequence that this closed log did not write */
};

struct ledger_sum ledger_sum(const struct ledger *ledger);

/* Repairs bad superblock copies and bad slots from good ones, and tells the operator about each. Brings the older
 * checkpoint up to the newest: until then the older one may hold back space that the next epoch's marker needs. Returns
 * 0, or -errno with a sentence. */
int ledger_repair(struct ledger *ledger, struct events *events);

/*
 * Writes how far all streams are drained over the older slot. The states may come in any order. Returns 0 when the new
 * checkpoint is the newest. Returns -errno with a sentence otherwise; the newest slot then stays as it was. -E2BIG: the
 * states do not fit in a slot, and nothing was written. Only a new stream or a longer name or path can cause that.
 *
 * The caller gives an entry for each stream that has records at or behind the least drained position. An entry leaves
 * only when another stream takes its id, from a position behind all records of the old stream. Until this epoch's first
 * commit, recovery may overwrite its marker. So no stream checkpoints a position behind the marker before all streams
 * do.
 */
int ledger_checkpoint(struct ledger *ledger, uint32_t epoch, const struct stream_state *const *states, unsigned count);

/* From now on each written checkpoint is copied to the window, once it is durable; the newest one at once. NULL: to
 * none. */
void ledger_share(struct ledger *ledger, struct window *window);

/* The least drained position over all streams of both slots. */
uint64_t ledger_released(const struct ledger *ledger);

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
int ledger_note_writer(struct ledger *ledger, const struct ledger_note *note);

/* Reads which engine writes the ring best. Returns 1 if the ring has a valid calibration, else 0. */
int ledger_read_calibration(const struct ledger *ledger, struct calibration *calibration);

/* Seals the calibration and writes it. Ignores a failed write: it only costs the next open a calibration. */
void ledger_write_calibration(const struct ledger *ledger, struct calibration *calibration);

#endif
