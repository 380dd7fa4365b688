/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of crash.pml: an open, from what the medium holds to the marker of the new epoch.
 *
 *     step here                 what it stands for
 *     ------------------------  ---------------------------------------------------------------------------------
 *     note_evidence             recovery/evidence.c evidence_gather, note_checkpoint, note_header
 *     find_marker               recovery/evidence.c evidence_marker_ending
 *     walk                      recovery/recovery.c recovery_run, by the table of recovery/rules.h
 *     place_marker              recovery/marker.c marker_place, by the table of recovery/marker_rules.h
 *     level                     engine.c level_checkpoints
 *     mark, opened              engine.c begin_epoch, ring.c ring_begin
 */

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
    epoch_of_markers = 0;
    i = 0;
    do
    :: i < BLOCKS ->
        if
        :: medium[i].kind != NOTHING && medium[i].position >= slot[newest].drained ->
            assert(medium[i].position < slot[newest].drained + BLOCKS); /* else the engine calls the checkpoints stale */
            evidence = (medium[i].durable > evidence -> medium[i].durable : evidence);
            epoch_highest = (medium[i].epoch > epoch_highest -> medium[i].epoch : epoch_highest);
            if
            :: medium[i].kind == MARKER && !medium[i].torn && medium[i].epoch > epoch_of_markers ->
                epoch_of_markers = medium[i].epoch
            :: else
            fi
        :: else
        fi;
        i++
    :: else -> break
    od
}

#define is_marker_ending(b, p) (b.kind == MARKER && !b.torn && b.log_end == p && b.position >= p && b.epoch > cursor_epoch && \
                                b.position < slot[newest].drained + BLOCKS)

/* Sets jumped_to to the position of the marker that ends the log at `cursor`, of the highest epoch; or to 255. This
 * is evidence_marker_ending. */
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
    landed = 255;
    over = 0;
    do
    :: over -> break
    :: !over ->
        find_marker();
        if
        :: cursor >= slot[newest].drained + BLOCKS -> over = 1
        :: cursor < slot[newest].drained + BLOCKS && jumped_to != 255 && jumped_to != cursor ->
            jumped_from = cursor; cursor = jumped_to; landed = jumped_to; last_is_marker = 0
        :: else ->
            if
            :: medium[cursor % BLOCKS].kind != NOTHING && !medium[cursor % BLOCKS].torn && medium[cursor % BLOCKS].position == cursor &&
               medium[cursor % BLOCKS].epoch >= cursor_epoch &&
               medium[cursor % BLOCKS].sequence == cursor_sequence ->
                cursor_epoch = medium[cursor % BLOCKS].epoch;
                last_is_marker = medium[cursor % BLOCKS].kind == MARKER;
                if
                :: medium[cursor % BLOCKS].kind == DATA ->
                    assert(!medium[cursor % BLOCKS].torn); /* a torn payload is never taken */
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

#define last medium[(cursor - 1) % BLOCKS] /* the walk's last header, which is a marker if last_is_marker */

inline place_marker() {
    unused = last_is_marker && epoch_of_markers <= last.epoch &&
             evidence <= last.position && in_flight <= last.position && last.first >= last.log_end &&
             (last.position == last.first || last.position == last.first + 1) &&
             (landed == last.position -> jumped_from == last.log_end : last.position == last.log_end);
    if
    :: unused ->
        log_end = last.log_end;
        first = last.first;
        marker_position = (last.position == first + 1 -> first : first + 1)
    :: else ->
        log_end = cursor;
        first = (cursor > in_flight -> cursor : in_flight);
        marker_position = first
    fi
}

/* Recovery found all that was settled, and behind that only records of the last epoch. */
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
    evidence = 0; epoch_highest = 0; epoch_of_markers = 0;
    jumped_from = 0; jumped_to = 0; landed = 0; in_flight = 0; i = 0; last_is_marker = 0; unused = 0; over = 0
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
    write[0].durable = log_end;
    write[0].log_end = log_end;
    write[0].first = first;
    write_state[0] = UNDER_WAY
}

/* A durable marker settles what its recovery found. */
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

