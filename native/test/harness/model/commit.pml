/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Part of ring.pml: the leader of a commit.
 *
 *     step here                            what it stands for
 *     -----------------------------------  --------------------------------------------------------------------------
 *     seal                                 commit.c seal
 *     seal_records, take_whole             commit.c seal_records, await_publication, take_whole
 *     submit, complete, collect            commit.c commit_round, piece_end, submit, collect
 *     advance                              commit.c advance: four stores, which ring_durable may read between (FINE)
 *     end_of_round                         leader.c let_go
 */

inline ring_fail() {
    failures++; claim_failed = 1; failed = 1
}

/* One step, for the exchange that succeeds: exchanges that fail change nothing, and what this one stores follows
 * from the claim word alone. */
inline seal() {
    atomic {
        records_end = claim_position(claim_at, durable_position);
        round_end = align_up(records_end);
        claim_at = round_end % POSITIONS;
        claimed_end = align_up(claimed_end);
        assert(round_end == claimed_end && claim_sequence(claim_next, durable_next) == claimed_next);
        sealed = durable_position; whole = durable_position;
        sealed_next = durable_next; whole_next = durable_next;
        from = durable_position
    }
}

inline take_whole() {
    if
    :: sealed <= to -> whole = sealed; whole_next = sealed_next
    :: else
    fi
}

inline stamp_header() {
    at = sealed + length_in[sealed % CAPACITY];
    is_last[sealed % CAPACITY] = at == records_end;
    word[sealed % CAPACITY] = sealed;
    sealed_next = sealed_next + (is_pad[sealed % CAPACITY] -> 0 : 1);
    sealed = at;
    take_whole()
}

#define is_published(p) (word[(p) % CAPACITY] == publish_word(p))

/* Runs within an atomic sequence, which waits at a record that is not published. A published header belongs to the
 * leader. */
inline seal_records() {
    to = from + PIECE;
    to = (to < from + lap_remaining(from) -> to : from + lap_remaining(from));
    to = (to < round_end -> to : round_end);
    take_whole();
    do
    :: sealed < to && sealed < records_end && is_published(sealed) -> stamp_header()
    :: sealed < to && sealed < records_end && failures < FAILURES && !is_published(sealed) ->
        ring_fail(); break
    :: sealed >= to || sealed >= records_end -> break
    od;
    if
    :: to == round_end -> whole = round_end
    :: else
    fi
}

/* A producer that never publishes its record fails the ring. */
inline prepare() {
    seal_records();
    if
    :: !failed -> submit()
    :: else
    fi
}

inline submit() {
    assert(from == written_end); /* no block is written twice in a lap */
    at = newest_write % DEPTH;
    write_begin[at] = from; write_end[at] = to; write_whole[at] = whole; write_next[at] = whole_next;
    write_state[at] = SUBMITTED;
    at = 0;
    written_end = to;
    newest_write++;
    under_way++;
    from = to
}

/* By now the device has read the image and written the medium. */
inline write_to_medium(w) {
    at = write_begin[w];
    do
    :: at < write_end[w] ->
        assert(at < needed_from + CAPACITY);
        medium_word[at % CAPACITY] = word[at % CAPACITY];
        medium_content[at % CAPACITY] = content[at % CAPACITY];
        at++
    :: else -> break
    od;
    at = 0
}

/* All below the watermark is on the medium. */
inline check_durable(new_position, new_next) {
    assert(new_position >= durable_position && new_next >= durable_next);
    assert(new_next <= claimed_next && new_position <= claimed_end);
    at = durable_next;
    do
    :: at < new_next -> assert(is_on_medium(at) && record_at[at] + record_units[at] <= new_position); at++
    :: else -> break
    od;
    assert(new_next == claimed_next || record_at[new_next] >= new_position);
    at = 0
}

inline advance(w) {
    FIRST_STEP check_durable(write_whole[w], write_next[w]); version++; STEP
    durable_position = write_whole[w]; STEP
    durable_next = write_next[w]; STEP
    version++; write_state[w] = 0; oldest++ LAST_STEP
}

/* The device decides which write completes next, and how. */
inline complete() {
    atomic {
    if
    :: write_state[0] == SUBMITTED -> write_to_medium(0); write_state[0] = COMPLETE
    :: DEPTH > 1 && write_state[1] == SUBMITTED -> write_to_medium(1); write_state[1] = COMPLETE
    :: write_state[0] == SUBMITTED && failures < FAILURES -> write_state[0] = COMPLETE; ring_fail()
    :: DEPTH > 1 && write_state[1] == SUBMITTED && failures < FAILURES -> write_state[1] = COMPLETE; ring_fail()
    fi;
    under_way--
    }
}

#define is_first_complete (oldest < newest_write && write_state[oldest % DEPTH] == COMPLETE && !failed)
#define may_submit (from < round_end && !failed && under_way < DEPTH && newest_write - oldest < DEPTH)

inline collect() {
    complete();
    do
    :: is_first_complete -> advance(oldest % DEPTH)
    :: else -> break
    od
}

inline end_of_round() {
    oldest = 0; newest_write = 0; from = 0; to = 0; at = 0; sealed = 0; sealed_next = 0; whole = 0; whole_next = 0;
    round_end = 0; records_end = 0;
    do
    :: at < DEPTH -> write_state[at] = 0; write_begin[at] = 0; write_end[at] = 0; write_whole[at] = 0;
                     write_next[at] = 0; at++
    :: else -> break
    od;
    at = 0;
    leading = 0
}

inline commit_round() {
    do
    :: atomic { may_submit -> prepare() }
    :: ATOMIC_UNLESS_FINE { under_way > 0 && !may_submit -> collect() }
    :: atomic { under_way == 0 && !may_submit -> end_of_round(); break }
    od
}

