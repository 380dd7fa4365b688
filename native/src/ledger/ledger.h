/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ledger: the only reader and writer of the fixed head of a medium.
 *
 * DESIGN. Each kind of fact has one writer, so that no writer overwrites the facts of another:
 *
 *     superblock   the ring's geometry. Only format writes it, in two copies; the writer repairs a bad one
 *     writer note  how far the log is durable and writes under way may reach. The writer of the ring writes it
 *     checkpoint   how far each stream is drained, and where to. The drain writes it
 *     calibration  which engine writes the ring best: advice
 *
 * So the head has two objects: the notes, with the superblock, belong to the writer (notes.h); the checkpoints belong to
 * the drain (checkpoints.h). They share no buffer and no state: writer and drain may be two threads, or two processes
 * that have each read the head. The ledger has both as they were read, for those who judge one by the other.
 */
#ifndef BURST_LEDGER_LEDGER_H
#define BURST_LEDGER_LEDGER_H

#include "device/device.h"
#include "ledger/checkpoints.h"
#include "ledger/notes.h"

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

struct notes *ledger_notes(struct ledger *ledger);
struct checkpoints *ledger_checkpoints(struct ledger *ledger);

/* For those who only look. */
const struct notes_view *ledger_view(const struct ledger *ledger);
const struct checkpoints_view *ledger_slots(const struct ledger *ledger);
unsigned ledger_newest(const struct ledger *ledger);
unsigned ledger_streams(const struct ledger *ledger, unsigned slot);
void ledger_stream(const struct ledger *ledger, unsigned slot, unsigned index, struct stream_state *state);
struct checkpoint_position ledger_position(const struct ledger *ledger, unsigned slot, unsigned index);
uint64_t ledger_released(const struct ledger *ledger);

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

/* Repairs what is bad in the writer's part, from the good copy and from the checkpoints. Returns 0, or -errno with a
 * sentence. The writer calls it, in its open, after the slots are level. */
int ledger_repair_notes(struct ledger *ledger, struct events *events);

/* Repairs bad superblock copies, then levels the slots, then repairs bad notes; tells the operator about each. For a
 * writer that drains, too. Returns 0, or -errno with a sentence. */
int ledger_repair(struct ledger *ledger, struct events *events);

#endif
