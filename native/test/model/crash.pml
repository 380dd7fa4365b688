/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The medium under crashes: one writer after another on the same ring, each cut off at any step, also while it recovers.
 *
 *     step here                 what it stands for
 *     ------------------------  ---------------------------------------------------------------------------------
 *     claim_round               claim.c claim_record (the reserve), commit.c seal, seal_records, submit
 *     complete_write, advance   commit.c collect, advance
 *     fail_write                commit.c collect with an error, ring.c ring_fail
 *     drain_record              drain/cursor.c cursor_fill, the write and the sync of the file
 *     begin_checkpoint          drain/checkpoints.c checkpoint_write, checkpoint_write_watermark; watermark, in_flight_end
 *     end_checkpoint            drain/checkpoints.c write_older_slot, ring.c ring_release
 *     crash                     power or process: each write under way is as before, whole, or garbage
 *     land_late                 a write that was refused reaches the medium after all, whole
 *     recover                   recovery/evidence.c evidence_gather, recovery/recovery.c recovery_run, place_marker
 *     level                     engine.c level_checkpoints
 *     mark, opened              engine.c begin_epoch, ring.c ring_begin
 *
 * A block holds one record or one marker, a position counts blocks. Two writes of a commit may be under way; any of
 * them, and a checkpoint beside them, may be torn by a crash. Garbage is what no CRC accepts. The file is durable as soon
 * as the drain writes to it: redo by offset is the simulator's subject.
 *
 * Bounds: CRASHES, RECORDS, FAILURES, ROTS, BLOCKS. A refused write lands late only if a checkpoint has noted the failure
 * (else the crash decides at once), and not after its place was written again in a later lap.
 *
 * Asserted: I1, I2, I4 (what an acknowledgement or a durable marker has settled is what every later recovery finds, and
 * what the file gets), I5 (a recovery that is cut off and repeated finds the same), that no crash looks like damage, that
 * nothing still needed is overwritten, and that a ring can always be opened.
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
    byte durable; /* W */
    byte log_end; /* of a marker: X */
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

/* Writes under way, and those that failed but may land yet */
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
byte log_end, marker_position; /* what recovery found */
byte place[RECORDS + 2], wrote[RECORDS + 2]; /* position and epoch of each record of the log */

/* Ghosts */
byte settled[RECORDS + 2]; /* the epoch whose record is the one of this sequence, for ever */
byte settled_next = 1;     /* the first sequence that is not settled */
byte settled_epoch;        /* of the last durable marker */
byte delivered[RECORDS + 2];
byte crashes, failures, rots;
byte recovered_next; /* what the recovery before found, or 0 */

byte i, at, in_flight, best, evidence, epoch_highest, last_header, jumped_from, jumped_to;
bit jumped, last_is_marker, unused, over;

inline copy_block(to, from) {
    to.kind = from.kind; to.position = from.position; to.sequence = from.sequence;
    to.epoch = from.epoch; to.durable = from.durable; to.log_end = from.log_end
}

inline clear_block(b) {
    b.kind = NOTHING; b.position = 0; b.sequence = 0; b.epoch = 0; b.durable = 0; b.log_end = 0
}

inline copy_checkpoint(to, from) {
    to.valid = from.valid; to.drained = from.drained; to.sequence = from.sequence; to.epoch_before = from.epoch_before;
    to.epoch = from.epoch; to.durable = from.durable; to.in_flight_end = from.in_flight_end
}

inline clear_checkpoint(c) {
    c.valid = 0; c.drained = 0; c.sequence = 0; c.epoch_before = 0; c.epoch = 0; c.durable = 0; c.in_flight_end = 0
}

/* Nothing that a valid checkpoint still needs is overwritten. */
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

/* What is acknowledged is settled. */
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

inline tear(where) {
    clear_block(medium[where % BLOCKS])
}

/* A write that was reported as failed: nothing, garbage, all of it, or all of it later. */
inline fail_write(w) {
    if
    :: write_state[w] == UNDER_WAY ->
        if
        :: skip
        :: tear(write[w].position)
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
        :: cursor_sequence < durable_sequence -> /* the batch may end behind the marker that comes next */
            cursor = place[cursor_sequence];
            cursor_epoch = wrote[cursor_sequence]
        :: skip
        fi
    :: else ->
        cursor = durable;
        cursor_epoch = epoch
    fi
}

/* While nothing has been committed in this epoch no checkpoint knows of its marker: checkpoints.c watermark(). */
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

/* ----------------------------------------------------------------------------------------------------- recovery */

inline note_evidence() {
    evidence = 0;
    epoch_highest = 0;
    in_flight = 0;
    i = 0;
    do
    :: i < 2 ->
        if
        :: slot[i].valid ->
            evidence = (slot[i].durable > evidence -> slot[i].durable : evidence);
            evidence = (slot[i].drained > evidence -> slot[i].drained : evidence);
            epoch_highest = (slot[i].epoch > epoch_highest -> slot[i].epoch : epoch_highest);
            in_flight = (slot[i].in_flight_end > in_flight -> slot[i].in_flight_end : in_flight)
        :: else
        fi;
        i++
    :: else -> break
    od;
    best = evidence; /* of the checkpoints alone */
    last_header = 255;
    at = slot[newest].drained;
    do
    :: at < slot[newest].drained + BLOCKS ->
        if
        :: medium[at % BLOCKS].kind != NOTHING && medium[at % BLOCKS].position == at ->
            evidence = (medium[at % BLOCKS].durable > evidence -> medium[at % BLOCKS].durable : evidence);
            if
            :: medium[at % BLOCKS].epoch >= epoch_highest ->
                epoch_highest = medium[at % BLOCKS].epoch; last_header = at
            :: else
            fi
        :: else
        fi;
        at++
    :: else -> break
    od
}

#define is_marker_ending(b, p) (b.kind == MARKER && b.log_end == p && b.position >= p && b.epoch > cursor_epoch && \
                                b.position < slot[newest].drained + BLOCKS)

/* The block of the marker of the highest epoch that ends the log at `cursor`, or 255: evidence_marker_ending. */
inline find_marker() {
    jumped_to = 255;
    i = 0;
    do
    :: i < BLOCKS ->
        if
        :: is_marker_ending(medium[i], cursor) &&
           (jumped_to == 255 || medium[i].epoch > medium[jumped_to % BLOCKS].epoch) -> jumped_to = i
        :: else
        fi;
        i++
    :: else -> break
    od;
    if
    :: jumped_to != 255 -> jumped_to = medium[jumped_to].position
    :: else
    fi
}

inline walk() {
    cursor = slot[newest].drained;
    cursor_sequence = slot[newest].sequence;
    cursor_epoch = slot[newest].epoch_before;
    last_is_marker = 0;
    jumped = 0;
    over = 0;
    do
    :: over -> break
    :: !over ->
        find_marker();
        if
        :: cursor >= slot[newest].drained + BLOCKS -> over = 1
        :: cursor < slot[newest].drained + BLOCKS && jumped_to != 255 && jumped_to != cursor ->
            jumped = 1; jumped_from = cursor; cursor = jumped_to; last_is_marker = 0
        :: else ->
            if
            :: medium[cursor % BLOCKS].kind != NOTHING && medium[cursor % BLOCKS].position == cursor &&
               medium[cursor % BLOCKS].epoch >= cursor_epoch &&
               medium[cursor % BLOCKS].sequence == cursor_sequence ->
                cursor_epoch = medium[cursor % BLOCKS].epoch;
                last_is_marker = medium[cursor % BLOCKS].kind == MARKER;
                if
                :: medium[cursor % BLOCKS].kind == DATA ->
                    place[cursor_sequence] = cursor; wrote[cursor_sequence] = cursor_epoch; cursor_sequence++
                :: else
                fi;
                cursor++
            :: else ->
                assert(cursor >= evidence); /* no crash looks like damage */
                over = 1
            fi
        fi
    od
}

/* recovery.c is_unused and place_marker; the last header of the walk is the one before the cursor. */
inline place_marker() {
    unused = last_is_marker && last_header == cursor - 1 && best <= cursor - 1 && in_flight <= cursor - 1;
    if
    :: unused && jumped && medium[(cursor - 1) % BLOCKS].position != medium[(cursor - 1) % BLOCKS].log_end ->
        unused = jumped_from == medium[(cursor - 1) % BLOCKS].log_end
    :: unused && !jumped -> unused = medium[(cursor - 1) % BLOCKS].log_end == cursor - 1
    :: else
    fi;
    log_end = (unused -> medium[(cursor - 1) % BLOCKS].log_end : cursor);
    marker_position = (log_end > in_flight -> log_end : in_flight);
    if
    :: unused && marker_position == cursor - 1 -> marker_position = marker_position + 1
    :: else
    fi
}

/* What was settled is there, and behind it nothing but records of the epoch that ran last. */
inline check_recovered() {
    assert(cursor_sequence >= settled_next);
    i = slot[newest].sequence;
    do
    :: i < cursor_sequence ->
        assert(wrote[i] == (i < settled_next -> settled[i] : settled_epoch));
        i++
    :: else -> break
    od;
    i = 1;
    do
    :: i < slot[newest].sequence -> assert(delivered[i] == settled[i]); i++
    :: else -> break
    od;
    assert(recovered_next == 0 || recovered_next == cursor_sequence);
    recovered_next = cursor_sequence
}

inline recover() {
    assert(slot[newest].valid);
    note_evidence();
    walk();
    place_marker();
    check_recovered();
    epoch = epoch_highest + 1;
    assert(epoch > settled_epoch);
    next_sequence = cursor_sequence;
    copy_checkpoint(known, slot[newest]);
    known_slot = newest;
    cursor = 0; cursor_sequence = 0; cursor_epoch = 0;
    best = 0; evidence = 0; epoch_highest = 0; last_header = 0; jumped_from = 0; jumped_to = 0; in_flight = 0;
    at = 0; i = 0; jumped = 0; last_is_marker = 0; unused = 0; over = 0
}

#define is_level(a, b) (b.valid && a.drained == b.drained && a.sequence == b.sequence && a.epoch_before == b.epoch_before)

inline level() {
    if
    :: is_level(slot[newest], slot[1 - newest]) -> skip
    :: else -> copy_checkpoint(new_slot, known); slot_state = UNDER_WAY
    fi
}

inline mark() {
    assert(marker_position + 1 <= known.drained + BLOCKS); /* else it could never be opened again */
    check_free(marker_position);
    write[0].kind = MARKER;
    write[0].position = marker_position;
    write[0].sequence = next_sequence;
    write[0].epoch = epoch;
    write[0].durable = marker_position;
    write[0].log_end = log_end;
    write_state[0] = UNDER_WAY
}

/* A durable marker settles what was found. */
inline settle(the_epoch, the_next) {
    i = settled_next;
    do
    :: i < the_next -> settled[i] = wrote[i]; i++
    :: else -> break
    od;
    i = 0;
    settled_next = the_next;
    settled_epoch = the_epoch
}

inline opened() {
    settle(epoch, next_sequence);
    recovered_next = 0;
    begin = marker_position + 1;
    claimed = begin;
    durable = begin;
    durable_sequence = next_sequence;
    released = known.drained;
    slot_drained[0] = known.drained;
    slot_drained[1] = known.drained;
    cursor = known.drained;
    cursor_sequence = known.sequence;
    cursor_epoch = known.epoch_before;
    running = 1
}

/* -------------------------------------------------------------------------------------------------------- crash */

inline crash_write(w) {
    if
    :: write_state[w] == UNDER_WAY ->
        if
        :: skip
        :: tear(write[w].position)
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
        :: tear(late[w].position)
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
    known_slot = 0; slot_drained[0] = 0; slot_drained[1] = 0; log_end = 0; marker_position = 0;
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
    :: rots < ROTS && failures == 0 && slot[1 - newest].valid -> /* fault 40: the newest slot is lost later on */
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
