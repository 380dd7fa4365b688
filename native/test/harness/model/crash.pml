/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The medium under crashes: one writer after another on the same ring. A crash may cut each of them off at any step,
 * also in its recovery.
 *
 *     step here                 what it stands for
 *     ------------------------  ---------------------------------------------------------------------------------
 *     prepare                   claim.c attempt (the reserve), commit.c seal, seal_records, submit
 *     complete_write, advance   commit.c collect, advance
 *     fail_write                commit.c collect with an error, ring.c ring_fail
 *     drain_record              drain/batch.c batch_make, the write and the sync of the file
 *     begin_checkpoint          drain/step.c drain_checkpoint; log/engine_step.c watermark, in_flight_end
 *     end_checkpoint            drain/step.c drain_checkpoint, ring.c ring_release
 *     crash                     power or process: each write under way is as before, whole, or torn
 *     land_late                 a write that was refused reaches the medium after all, whole
 *     recover, level, mark,     an open: recovery.pml
 *     opened
 *
 * A block holds one record or one marker, and a position counts blocks. Two writes of a commit may be under way. A
 * crash may tear them, and a checkpoint beside them: then nothing of a block can be read, or its header alone. The file
 * is durable as soon as the drain writes to it: the simulator has the redo by offset.
 *
 * Bounds: CRASHES, RECORDS, FAILURES, ROTS, BLOCKS. A refused write lands late only if a checkpoint has noted the
 * failure; else the crash decides at once. It never lands when its place was written again in a later lap.
 *
 * Asserted: I1 and I2; I4: each later recovery finds, and the file gets, what an acknowledgement or a durable marker
 * has settled; I5: a recovery that is cut off and repeated finds the same. No crash looks like damage, nothing that is
 * needed is overwritten, and a ring can always be opened.
 */
#ifndef BLOCKS
#define BLOCKS 5
#endif
#ifndef CRASHES
#define CRASHES 3
#endif
#ifndef RECORDS
#define RECORDS 5
#endif
#ifndef FAILURES
#define FAILURES 1
#endif
#ifndef ROTS
#define ROTS 0
#endif
#define MARKER_BLOCKS 2

#define NOTHING 0 /* never written, or garbage */
#define DATA 1
#define MARKER 2

#define AWAY 0
#define UNDER_WAY 1
#define DONE 2

typedef block_t {
    byte kind;
    byte position;
    byte sequence;
    byte epoch;
    byte durable; /* watermark */
    byte log_end; /* of a marker: the log's end that it states */
    byte first;   /* of a marker: the first of the two blocks that markers take in turn */
    bit torn;     /* the header can be read, the payload is garbage */
}

typedef checkpoint_t {
    bit valid;
    byte drained;
    byte sequence; /* of the first record not drained */
    byte epoch_before; /* of the last header before `drained` */
    byte epoch;
    byte durable;
    byte in_flight_end;
}

/* The medium */
block_t medium[BLOCKS];
checkpoint_t slot[2];
bit newest; /* the valid slot of the higher generation */

/* Writes under way, and writes that failed but may still land. */
block_t write[2];
byte write_state[2];
block_t late[2];
bit late_pending[2];
bit late_noted; /* a checkpoint has noted the failure */
checkpoint_t new_slot;
byte slot_state; /* AWAY or UNDER_WAY */

/* The writer */
bit running;
byte epoch, begin, claimed, next_sequence, durable, durable_sequence, released;
bit failed, failure_noted;
byte cursor, cursor_sequence, cursor_epoch; /* of the drain */
byte synced_epoch;
checkpoint_t known; /* drain->checkpoint: the newest one */
bit known_slot;
byte slot_drained[2];
byte log_end, first, marker_position; /* what recovery found */
byte place[RECORDS + 2], wrote[RECORDS + 2]; /* position and epoch of each record of the log */

/* Ghosts */
byte settled[RECORDS + 2]; /* for each sequence: the epoch of its record, which must never change */
byte settled_next = 1;     /* the first sequence that is not settled */
byte settled_epoch;        /* of the last durable marker */
byte delivered[RECORDS + 2];
byte crashes, failures, rots;
byte recovered_next; /* what the last recovery found; 0: it does not bind the next one */

byte i, in_flight, evidence, epoch_highest, epoch_of_markers;
byte jumped_from, jumped_to, landed;
bit last_is_marker, unused, over;

inline copy_block(to, from) {
    to.kind = from.kind; to.position = from.position; to.sequence = from.sequence;
    to.epoch = from.epoch; to.durable = from.durable; to.log_end = from.log_end; to.first = from.first;
    to.torn = from.torn
}

inline clear_block(b) {
    b.kind = NOTHING; b.position = 0; b.sequence = 0; b.epoch = 0; b.durable = 0; b.log_end = 0;
    b.first = 0; b.torn = 0
}

inline copy_checkpoint(to, from) {
    to.valid = from.valid; to.drained = from.drained; to.sequence = from.sequence; to.epoch_before = from.epoch_before;
    to.epoch = from.epoch; to.durable = from.durable; to.in_flight_end = from.in_flight_end
}

inline clear_checkpoint(c) {
    c.valid = 0; c.drained = 0; c.sequence = 0; c.epoch_before = 0; c.epoch = 0; c.durable = 0; c.in_flight_end = 0
}

/* No block is overwritten that a valid checkpoint still needs. */
inline check_free(where) {
    assert(where < BLOCKS || !slot[0].valid || where - BLOCKS < slot[0].drained);
    assert(where < BLOCKS || !slot[1].valid || where - BLOCKS < slot[1].drained)
}

/* -------------------------------------------------------------------------------------------------- the writer */

inline prepare(w) {
    write[w].kind = DATA;
    write[w].position = claimed;
    write[w].sequence = next_sequence;
    write[w].epoch = epoch;
    write[w].durable = durable;
    write_state[w] = UNDER_WAY;
    check_free(claimed);
    place[next_sequence] = claimed;
    wrote[next_sequence] = epoch;
    claimed++;
    next_sequence++
}

/* An acknowledged record is settled: each later recovery must find it. */
inline acknowledge() {
    assert(durable_sequence == settled_next);
    settled[settled_next] = epoch;
    settled_next++
}

inline advance() {
    do
    :: durable < claimed && write_state[0] == DONE && write[0].position == durable ->
        acknowledge(); durable++; durable_sequence++
    :: durable < claimed && write_state[1] == DONE && write[1].position == durable ->
        acknowledge(); durable++; durable_sequence++
    :: else -> break
    od
}

inline end_round() {
    if
    :: write_state[0] != UNDER_WAY && write_state[1] != UNDER_WAY ->
        write_state[0] = AWAY; write_state[1] = AWAY; clear_block(write[0]); clear_block(write[1])
    :: else
    fi
}

inline complete_write(w) {
    copy_block(medium[write[w].position % BLOCKS], write[w]);
    write_state[w] = DONE;
    advance();
    end_round()
}

/* Leaves garbage in the block; or a readable header, with a payload of garbage. */
inline tear(b) {
    if
    :: clear_block(medium[b.position % BLOCKS])
    :: copy_block(medium[b.position % BLOCKS], b); medium[b.position % BLOCKS].torn = 1
    fi
}

/* Ends a write that was reported as failed: nothing of it lands, garbage, all of it, or all of it later. */
inline fail_write(w) {
    if
    :: write_state[w] == UNDER_WAY ->
        if
        :: skip
        :: tear(write[w])
        :: copy_block(medium[write[w].position % BLOCKS], write[w])
        :: copy_block(late[w], write[w]); late_pending[w] = 1
        fi;
        write_state[w] = DONE
    :: else
    fi
}

/* ---------------------------------------------------------------------------------------------------- the drain */

inline deliver(s) {
    assert(s < settled_next && wrote[s] == settled[s]);
    assert(delivered[s] == 0 || delivered[s] == wrote[s]);
    delivered[s] = wrote[s]
}

inline drain_record() {
    if
    :: cursor_sequence < durable_sequence ->
        deliver(cursor_sequence);
        cursor = place[cursor_sequence] + 1;
        cursor_epoch = wrote[cursor_sequence];
        cursor_sequence++;
        if
        :: cursor_sequence < durable_sequence -> /* the batch may end behind the next marker */
            cursor = place[cursor_sequence];
            cursor_epoch = wrote[cursor_sequence]
        :: skip
        fi
    :: else ->
        cursor = durable;
        cursor_epoch = epoch
    fi
}

/* A checkpoint names this epoch's marker only after the first commit of the epoch: log/engine_step.c watermark. */
inline watermark() {
    new_slot.durable = durable;
    if
    :: durable == begin && new_slot.drained < durable -> new_slot.durable = log_end
    :: else
    fi
}

inline note_in_flight() {
    if
    :: failed && claimed > begin -> new_slot.in_flight_end = claimed
    :: !(failed && claimed > begin) && known.in_flight_end <= new_slot.drained -> new_slot.in_flight_end = 0
    :: else -> new_slot.in_flight_end = known.in_flight_end
    fi
}

inline begin_checkpoint(with_cursor) {
    new_slot.valid = 1;
    if
    :: with_cursor ->
        new_slot.drained = cursor; new_slot.sequence = cursor_sequence; new_slot.epoch_before = cursor_epoch
    :: else ->
        new_slot.drained = known.drained; new_slot.sequence = known.sequence;
        new_slot.epoch_before = known.epoch_before
    fi;
    new_slot.epoch = epoch;
    watermark();
    note_in_flight();
    failure_noted = failed;
    slot_state = UNDER_WAY
}

inline end_checkpoint() {
    copy_checkpoint(slot[1 - known_slot], new_slot);
    known_slot = 1 - known_slot;
    newest = known_slot;
    copy_checkpoint(known, new_slot);
    slot_drained[known_slot] = known.drained;
    released = (slot_drained[0] < slot_drained[1] -> slot_drained[0] : slot_drained[1]);
    late_noted = late_noted || (failed && known.in_flight_end == claimed);
    clear_checkpoint(new_slot);
    slot_state = AWAY
}

#include "recovery.pml"

/* -------------------------------------------------------------------------------------------------------- crash */

inline crash_write(w) {
    if
    :: write_state[w] == UNDER_WAY ->
        if
        :: skip
        :: tear(write[w])
        :: copy_block(medium[write[w].position % BLOCKS], write[w]);
            if
            :: write[w].kind == MARKER -> settle(write[w].epoch, write[w].sequence)
            :: else
            fi
        fi
    :: else
    fi;
    write_state[w] = AWAY;
    clear_block(write[w])
}

inline crash_late(w) {
    if
    :: late_pending[w] && !late_noted ->
        if
        :: skip
        :: tear(late[w])
        :: copy_block(medium[late[w].position % BLOCKS], late[w])
        fi;
        late_pending[w] = 0;
        clear_block(late[w])
    :: else
    fi
}

inline crash_slot() {
    if
    :: slot_state == UNDER_WAY ->
        if
        :: skip
        :: clear_checkpoint(slot[1 - known_slot])
        :: copy_checkpoint(slot[1 - known_slot], new_slot);
            newest = 1 - known_slot;
            late_noted = late_noted || (failed && new_slot.in_flight_end == claimed)
        fi
    :: else
    fi;
    slot_state = AWAY;
    clear_checkpoint(new_slot)
}

inline forget() {
    running = 0; epoch = 0; begin = 0; claimed = 0; next_sequence = 0; durable = 0; durable_sequence = 0; released = 0;
    failed = 0; failure_noted = 0; cursor = 0; cursor_sequence = 0; cursor_epoch = 0; clear_checkpoint(known);
    known_slot = 0; slot_drained[0] = 0; slot_drained[1] = 0; log_end = 0; first = 0;
    marker_position = 0;
    i = 0;
    do
    :: i < RECORDS + 2 -> place[i] = 0; wrote[i] = 0; i++
    :: else -> break
    od;
    i = 0
}

inline crash() {
    crashes++;
    crash_slot();
    crash_late(0);
    crash_late(1);
    crash_write(0);
    crash_write(1);
    if
    :: rots < ROTS && failures == 0 && slot[1 - newest].valid -> /* fault 40: the newest slot rots later */
        rots++; clear_checkpoint(slot[newest]); newest = 1 - newest
    :: skip
    fi;
    forget()
}

inline land_late(w) {
    copy_block(medium[late[w].position % BLOCKS], late[w]);
    late_pending[w] = 0;
    clear_block(late[w]);
    recovered_next = 0 /* the next recovery may find more than the one before */
}

#define may_land(w) (late_pending[w] && late_noted && medium[late[w].position % BLOCKS].position <= late[w].position && \
                     (write_state[0] == AWAY || write[0].position % BLOCKS != late[w].position % BLOCKS) && \
                     (write_state[1] == AWAY || write[1].position % BLOCKS != late[w].position % BLOCKS))
#define is_idle (write_state[0] == AWAY && write_state[1] == AWAY)
#define has_room(blocks) (claimed + blocks + MARKER_BLOCKS <= released + BLOCKS && next_sequence + blocks <= RECORDS + 1)

active proctype ring() {
    d_step {
        slot[0].valid = 1; slot[0].sequence = 1;
        slot[1].valid = 1; slot[1].sequence = 1
    };
closed:
    if
    :: atomic { may_land(0) -> land_late(0); goto closed }
    :: atomic { may_land(1) -> land_late(1); goto closed }
    :: d_step { true -> recover() }
    fi;
    if
    :: atomic { crashes < CRASHES -> crash(); goto closed }
    :: d_step { true -> level() }
    fi;
    if
    :: slot_state == UNDER_WAY ->
        if
        :: atomic { crashes < CRASHES -> crash(); goto closed }
        :: d_step { true -> end_checkpoint() }
        fi
    :: else
    fi;
    if
    :: atomic { crashes < CRASHES -> crash(); goto closed }
    :: d_step { true -> mark() }
    fi;
    if
    :: atomic { crashes < CRASHES -> crash(); goto closed }
    :: d_step { true -> copy_block(medium[marker_position % BLOCKS], write[0]); write_state[0] = AWAY;
                clear_block(write[0]); opened() }
    fi;
end_running:
    do
    :: d_step { !failed && is_idle && has_room(1) -> prepare(0) }
    :: d_step { !failed && is_idle && has_room(2) -> prepare(0); prepare(1) }
    :: d_step { !failed && write_state[0] == UNDER_WAY -> complete_write(0) }
    :: d_step { !failed && write_state[1] == UNDER_WAY -> complete_write(1) }
    :: atomic { !failed && failures < FAILURES && !is_idle ->
                failures++; failed = 1; fail_write(0); fail_write(1); end_round() }
    :: d_step { cursor < durable && slot_state == AWAY && cursor_sequence == durable_sequence -> drain_record() }
    :: atomic { cursor < durable && slot_state == AWAY && cursor_sequence < durable_sequence -> drain_record() }
    :: d_step { slot_state == AWAY && (cursor != known.drained || slot_drained[1 - known_slot] != known.drained) ->
                begin_checkpoint(1) }
    :: d_step { slot_state == AWAY && ((failed && !failure_noted) || (!failed && known.durable < durable)) ->
                begin_checkpoint(0) }
    :: d_step { slot_state == UNDER_WAY -> end_checkpoint() }
    :: atomic { may_land(0) -> land_late(0) }
    :: atomic { may_land(1) -> land_late(1) }
    :: atomic { crashes < CRASHES -> crash(); goto closed }
    od
}
