/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims, publish words, commits and releases over laps of a small ring, one atomic operation a step.
 *
 *     step here                            what it stands for
 *     -----------------------------------  --------------------------------------------------------------------------
 *     claim_record                         claim.h claim_usual, claim.c attempt: word, released, durable, exchange; claim.c claim_record
 *     publish_pad, publish                 claim.c claim_publish_pad, claim.h claim_publish: only the producer sees
 *                                          its copy, so the copy and the store of the publish word are one step
 *     seal, commit_round                   the leader: commit.pml
 *     claim_alone, seal_alone              lone.c: the exchange that claims, seals and leads; it publishes and seals at once
 *     ring_fail                            ring.c ring_fail
 *     wait for durability or for space     leader.c leader_await, append.c claim_when_free; sleeping and waking:
 *                                          wake.pml
 *     drain: read_records                  ring.c ring_durable, drain/batch.c batch_make
 *     drain: checkpoint, release           drain/step.c drain_checkpoint, ring.c ring_release
 *
 * Positions count units; two of them are a block. A record has one unit or two, with its header: it may share a block,
 * cross into the next one, or need a pad at the end of a lap. The claim word holds position and sequence modulo small
 * powers, as in claim_word.h. The image begins with remains of an earlier life: at each place, the true position of a
 * record that was torn. A loop that waits for a word is one step, which is possible once the word says so. Memory is
 * sequentially consistent: ThreadSanitizer looks at the orderings of weaker machines. An exchange that fails for no
 * reason would only add a turn of the same loop.
 *
 * Steps are merged only where no other thread can see the difference. With FINE, for fewer records, each load and store
 * that another thread can meet is a step of its own.
 *
 * Bounds: PRODUCERS share RECORDS. The last producer only enqueues, so that the committer leads for its records. Six
 * records from BEGIN 6 on cross the end of two laps. FAILURES counts failing writes and producers that do not publish.
 * Completions come in any order, DEPTH writes at a time.
 */
#ifndef FAILURES
#define FAILURES 0
#endif
#ifndef RECORDS
#define RECORDS 6
#endif
#ifndef DEPTH
#define DEPTH 2
#endif
#define PRODUCERS 3
#define BLOCK 2
#define CAPACITY 8
#ifndef PIECE
#define PIECE 2 /* RING_WRITE_BYTES */
#endif
#define MARKER_BLOCKS 2
#define POSITIONS 16 /* modulus of the position in the claim word: at least two capacities */
#define SEQUENCES 8  /* modulus of the sequence */
#define IN_FLIGHT 4
#ifndef BEGIN
#define BEGIN 4
#endif
#define FIRST 6
#define LAST_SEQUENCE (FIRST + RECORDS)
#define NO_PAD 255

#define align_up(p) (((p) + BLOCK - 1) / BLOCK * BLOCK)
#define align_down(p) ((p) / BLOCK * BLOCK)
#define lap_remaining(p) (CAPACITY - (p) % CAPACITY)
#define claim_position(word, behind) ((behind) + ((word) + POSITIONS - (behind) % POSITIONS) % POSITIONS)
#define claim_sequence(word, behind) ((behind) + ((word) + SEQUENCES - (behind) % SEQUENCES) % SEQUENCES)
#define publish_word(p) ((p) | 128) /* position ^ salt */
#define size_of(n, k) (1 + ((n) + (k)) % 2)

/* The claim word */
byte claim_at = BEGIN % POSITIONS, claim_next = FIRST % SEQUENCES;
bit claim_failed;
bit leading; /* CLAIM_LED */
byte durable_position = BEGIN, durable_next = FIRST;
byte version;
byte released = BEGIN;
bit failed;

/* Image and medium: publish word and header at the first unit of a record, its sequence in each of its units. */
byte word[CAPACITY], sequence_in[CAPACITY], length_in[CAPACITY], content[CAPACITY];
bit is_pad[CAPACITY], is_last[CAPACITY];
byte medium_word[CAPACITY], medium_content[CAPACITY];

/* The leader's round. */
byte round_end, records_end, sealed, sealed_next, whole, whole_next, from, to, at;
byte write_begin[DEPTH], write_end[DEPTH], write_whole[DEPTH], write_next[DEPTH], write_state[DEPTH];
byte oldest, newest_write, under_way;

/* The drain */
byte cursor = BEGIN, cursor_next = FIRST, drain_until, drain_next, drain_version;
byte slot_drained[2] = BEGIN;
bit newest_slot;

/* Ghosts: what was really claimed, and how far the medium was written. */
byte claimed_end = BEGIN, claimed_next = FIRST, written_end = BEGIN, failures;
byte record_at[LAST_SEQUENCE + 1], record_units[LAST_SEQUENCE + 1];

#define SUBMITTED 1
#define COMPLETE 2

/* With FINE each store is a step of its own. */
#ifdef FINE
#define FIRST_STEP atomic {
#define STEP }; atomic {
#define LAST_STEP }
#define ATOMIC_UNLESS_FINE
#else
#define FIRST_STEP
#define STEP
#define LAST_STEP
#define ATOMIC_UNLESS_FINE atomic
#endif

#define needed_from (slot_drained[0] < slot_drained[1] -> slot_drained[0] : slot_drained[1])
#define is_on_medium(s) (medium_word[record_at[s] % CAPACITY] == record_at[s] && \
                         medium_content[record_at[s] % CAPACITY] == s && \
                         medium_content[(record_at[s] + record_units[s] - 1) % CAPACITY] == s)
#define is_being_written(w, p) (write_state[w] == SUBMITTED && \
                                ((p) % CAPACITY) / BLOCK * BLOCK >= write_begin[w] % CAPACITY && \
                                ((p) % CAPACITY) / BLOCK * BLOCK < write_begin[w] % CAPACITY + write_end[w] - write_begin[w])

/* For each store into the image: nobody needs the old bytes, and the device is not reading them. */
inline check_store(p) {
    assert((p) < needed_from + CAPACITY);
    assert(!is_being_written(0, p) && !is_being_written(DEPTH - 1, p));
    assert((p) >= written_end)
}

/* ------------------------------------------------------------------------------------------------- the producer */

inline publish_pad() {
    atomic {
            check_store(pad_at);
            sequence_in[pad_at % CAPACITY] = my_sequence;
            length_in[pad_at % CAPACITY] = lap_remaining(pad_at);
            is_pad[pad_at % CAPACITY] = 1;
            is_last[pad_at % CAPACITY] = 0;
            word[pad_at % CAPACITY] = publish_word(pad_at);
            pad_at = NO_PAD
    }
}

inline publish() {
        /* The watermark cannot pass a record that is not published. */
        assert(claim_sequence(my_sequence % SEQUENCES, durable_next) == my_sequence);
        check_store(place);
        check_store(place + units - 1);
        sequence_in[place % CAPACITY] = my_sequence;
        length_in[place % CAPACITY] = units;
        is_pad[place % CAPACITY] = 0;
        is_last[place % CAPACITY] = 0;
        content[place % CAPACITY] = my_sequence;
        content[(place + units - 1) % CAPACITY] = my_sequence;
        word[place % CAPACITY] = publish_word(place)
}

#define end_of_claim (place + units)
#define is_full(free_from, next_durable) \
    (end_of_claim > align_down(free_from) + CAPACITY - MARKER_BLOCKS * BLOCK || \
     claim_sequence(seen_next, next_durable) - next_durable >= IN_FLIGHT)
#define word_is_as_seen (seen_at == claim_at && seen_next == claim_next && !claim_failed)

inline load_word() {
    seen_at = claim_at; seen_next = claim_next
}

/* Finds the place of a record from the claim word and `released` as they were last read. */
inline find_place(free_from) {
    place = claim_position(seen_at, free_from);
    pad_at = NO_PAD;
    if
    :: lap_remaining(place) < units -> pad_at = place; place = place + lap_remaining(place)
    :: else
    fi
}

/* No position and no sequence is given twice. The blocks of the next markers stay free, whichever slot survives. */
inline note_claim() {
    assert(align_up(end_of_claim) + 2 * BLOCK <= align_down(needed_from) + CAPACITY);
    assert(claim_sequence(seen_next, seen_durable) == claimed_next);
    assert((pad_at == NO_PAD -> place : pad_at) == claimed_end);
    record_at[claimed_next] = place;
    record_units[claimed_next] = units;
    claimed_end = place + units;
    my_sequence = claimed_next;
    claimed_next++
}

/* Nobody leads, all is durable, and record and rest of its block are in the lap, have space, and make one piece. */
#define end_of_block align_up(claim_position(seen_at, seen_released) + units)
#define may_go_alone (!enqueues && !leading && seen_at == seen_durable_at % POSITIONS && \
                      seen_next == seen_durable % SEQUENCES && \
                      lap_remaining(claim_position(seen_at, seen_released)) >= units && \
                      end_of_block - claim_position(seen_at, seen_released) <= PIECE && \
                      end_of_block <= align_down(seen_released) + CAPACITY - MARKER_BLOCKS * BLOCK)

/* The round is that of commit.pml's seal. */
inline claim_alone() {
    place = claim_position(seen_at, seen_released);
    pad_at = NO_PAD;
    leading = 1;
    alone = 1;
    records_end = end_of_claim;
    round_end = align_up(records_end);
    sealed = durable_position; whole = durable_position;
    sealed_next = durable_next; whole_next = durable_next;
    from = durable_position;
    take_claim();
    assert(place == from && my_sequence == sealed_next);
    claim_at = round_end % POSITIONS;
    claimed_end = round_end
}

inline take_claim() {
    claim_at = end_of_claim % POSITIONS;
    claim_next = (seen_next + 1) % SEQUENCES;
    note_claim();
    seen_at = 0; seen_next = 0; seen_released = 0; seen_durable = 0; seen_durable_at = 0
}

#ifdef FINE
inline claim_record() {
    atomic {
        if
        :: claim_failed -> goto refused
        :: else -> load_word()
        fi
    };
again:
    seen_released = released;
    seen_durable_at = durable_position;
    seen_durable = durable_next;
    atomic {
        find_place(seen_released);
        if
        :: may_go_alone && word_is_as_seen -> claim_alone()
        :: is_full(seen_released, seen_durable) && word_is_as_seen -> goto no_space
        :: !is_full(seen_released, seen_durable) && word_is_as_seen -> take_claim()
        :: else -> /* the look at a full ring, or the exchange, reads the word again */
            if
            :: claim_failed -> goto refused
            :: else -> load_word(); goto again
            fi
        fi
    }
}
#else
/* One step: an exchange that succeeds proves that the claim word did not change since it was loaded. The words
 * behind it were read in between, as if at that moment. Only a ring that was found full may no longer be full. */
inline claim_record() {
    atomic {
        load_word();
        seen_released = released;
        seen_durable_at = durable_position;
        seen_durable = durable_next;
        find_place(seen_released);
        if
        :: claim_failed -> goto refused
        :: !claim_failed && may_go_alone -> claim_alone()
        :: !claim_failed && is_full(seen_released, seen_durable) -> goto no_space
        :: else -> take_claim()
        fi
    }
}
#endif

#include "commit.pml"

/* --------------------------------------------------------------------------------------------------- the threads */

proctype producer(byte number; bit enqueues) {
    byte seen_at, seen_next, seen_released, seen_durable, seen_durable_at, place, units, my_sequence, count;
    byte pad_at = NO_PAD;
    bit alone;
next_record:
    atomic {
        my_sequence = 0;
        if
        :: count * PRODUCERS + number >= RECORDS -> goto done
        :: else -> units = size_of(number, count); count++
        fi
    };
load:
    claim_record();
    if
    :: pad_at != NO_PAD -> publish_pad()
    :: else
    fi;
    atomic {
        publish();
        place = 0;
        if
        :: enqueues -> goto next_record
        :: else
        fi
    };
    if
    :: alone -> alone = 0; commit_round()
    :: else
    fi;
    do
    :: atomic { durable_next > my_sequence ->
        assert(is_on_medium(my_sequence) || needed_from > record_at[my_sequence]);
        goto next_record }
    :: failed && durable_next <= my_sequence -> goto refused
    :: atomic { durable_next <= my_sequence && !failed && !leading -> leading = 1; STEP seal() };
        commit_round()
    od;
no_space:
    atomic { /* until space is released, records become durable, or the ring fails */
        released != seen_released || durable_next != seen_durable || claim_failed ->
            seen_released = 0; seen_durable = 0; seen_durable_at = 0; seen_at = 0; seen_next = 0; place = 0;
            pad_at = NO_PAD; goto load
    };
refused:
    assert(failures > 0);
done:
    skip
}

proctype committer() {
end_idle:
    do
    :: atomic { !failed && !leading && claim_sequence(claim_next, durable_next) != durable_next -> leading = 1; STEP seal() };
        commit_round()
    od
}

/* The drain reads durable records from the image: each is whole, sealed, and the next one. */
inline read_records() {
    do
    :: cursor < drain_until ->
        assert(word[cursor % CAPACITY] == cursor);
        if
        :: !is_pad[cursor % CAPACITY] ->
            assert(sequence_in[cursor % CAPACITY] == cursor_next && record_at[cursor_next] == cursor);
            assert(content[cursor % CAPACITY] == cursor_next &&
                   content[(cursor + record_units[cursor_next] - 1) % CAPACITY] == cursor_next);
            cursor_next++
        :: else
        fi;
        cursor = (is_last[cursor % CAPACITY] -> align_up(cursor + length_in[cursor % CAPACITY])
                                             : cursor + length_in[cursor % CAPACITY])
    :: else -> break
    od;
    assert(cursor == drain_until || (cursor > drain_until && cursor == align_up(drain_until)))
}

proctype drain() {
end_idle:
    do
    :: atomic { durable_position != cursor || slot_drained[0] != slot_drained[1] -> skip };
#ifdef FINE
again:
        atomic { version % 2 == 0 -> drain_version = version };
        drain_until = durable_position;
        drain_next = durable_next;
        if
        :: version == drain_version
        :: else -> goto again
        fi;
#else
        atomic { drain_until = durable_position; drain_next = durable_next };
#endif
        atomic { read_records(); assert(cursor_next == drain_next); drain_until = 0; drain_next = 0; drain_version = 0 };
        atomic { newest_slot = 1 - newest_slot; slot_drained[newest_slot] = cursor; released = needed_from }
    od
}

init {
    d_step {
        at = BEGIN;
        do
        :: at < BEGIN + CAPACITY -> word[at % CAPACITY] = at; length_in[at % CAPACITY] = 1; at++
        :: else -> break
        od;
        at = 0
    };
    atomic {
        run producer(0, 0); run producer(1, 0); run producer(2, 1); run committer(); run drain()
    }
}
