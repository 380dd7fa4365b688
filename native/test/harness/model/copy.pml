/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The second copy: a ring, its log file, a copier elsewhere, and what calls are told, under crashes of the host and a
 * copier that fails. Between any two steps any other may come.
 *
 *     step here           what it stands for
 *     ------------------  ---------------------------------------------------------------------------------------------
 *     claim, seal, land   ring/claim.c; ring/commit.c submit with hand_to_copy; collect: one more record is durable
 *     take, store         copier_take; the copy stores what it was sent, in order
 *     confirm             copier_confirm, of what is stored
 *     begin, go_away      copier_begin with find; copier_away. A copy may lose what it has not confirmed
 *     drain, note         drain/step.c: up to drain_copied_reach; then the checkpoint, and copier_hear_noted
 *     dry                 drain_stream_dry, which does not wait for the copy: a stream is opened with another file, say
 *     release             copier_release
 *     tell                log/copier.c look and judge: what burst_await_copied answers for a durable record
 *     crash               records that are not durable survive as far as a torn write has it
 *     open                recovery finds what is durable behind the checkpoint; a new epoch; copier_create
 *
 * A position is a sequence, and a record is known by its sequence and the epoch that wrote it. A copy notes where it goes
 * on as a mark, with the epoch of the ring then.
 *
 * Asserted: no record leaves the ring before the copy has it, unless it was drained while the copy was away, or by
 * dry. A copy begins at nothing that has left the ring. A call is told that the copy has a record only if both have
 * it, and for as long as host and copy live that stays so. Behind a begin the copy has each record of the log that
 * was not named as missing, as the log has it, and none of those that were named; nothing is named unless the copy
 * was away, or the stream was dried. All this holds unless the engine said that it cannot know it: the log was opened
 * twice and went on without the copy.
 */
#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef CRASHES
#define CRASHES 2
#endif
#ifndef AWAYS
#define AWAYS 1
#endif

#define LAST (RECORDS + 2)

#define EXPECTED 0
#define HERE 1
#define AWAY 2

/* The ring, by the sequence of the first record that is not yet so; it holds those from `released` on. */
byte epoch = 1, released = 1, durable = 1, sealed = 1, claimed = 1;
byte wrote[LAST];            /* the epoch of each record */
byte drained = 1, noted = 1; /* the log file has those below; and the checkpoint says so */

/* The engine's side of the copy. */
byte state, kept = 1, taken = 1, missing_from, missing_end;
byte first = 1; /* of this epoch */
byte whole_end; /* calls are told that the copy has those below, but for what is missing */

/* The copy: the first record that it has not stored, and not confirmed; the epoch of each that it has. */
byte stored = 1, confirmed = 1;
byte has[LAST];
bit is_mark[LAST];
byte mark_at, mark_epoch; /* its newest mark says that it goes on there */

/* Ghosts */
bit told[LAST];  /* a call was told that ring and copy have it */
bit alone[LAST]; /* it was drained while the copy was away, or by dry */
bit unsure;      /* tell_unsure: the engine said that it cannot know which records of the copy are the log's */
byte crashes, aways, i, at, last_epoch;

#define copied_reach (state == AWAY || kept > durable -> durable : kept)
#define has_it(s) (s < stored && !is_mark[s] && has[s] == wrote[s])

/* ------------------------------------------------------------------------------------------------ ring and drain */

inline land() {
    durable++
}

inline drain() {
    alone[drained] = (state == AWAY);
    drained++
}

inline dry() {
    alone[drained] = 1;
    drained++
}

inline note() {
    noted = drained
}

inline release() {
    released++;
    assert(has_it(released - 1) || alone[released - 1] || unsure)
}

#define may_release (released < noted && (state == AWAY || released < kept))

/* -------------------------------------------------------------------------------------------------- the copier */

inline store() {
    has[stored] = wrote[stored];
    is_mark[stored] = 0;
    stored++
}

inline lose_one() {
    stored--;
    has[stored] = 0;
    is_mark[stored] = 0
}

/* The copier's connection ends: what was not confirmed is stored, or is not. */
inline lose_some() {
    do
    :: stored > confirmed -> lose_one()
    :: break
    od
}

inline go_away() {
    aways++;
    state = AWAY;
    lose_some()
}

/* `at` gets the first record that the copy lacks: it is behind the copy's last one, or a later epoch wrote it. */
inline find() {
    at = kept;
    do
    :: at < sealed && at < stored && wrote[at] <= last_epoch -> at++
    :: else -> break
    od
}

inline name_missing() {
    if
    :: at > stored ->
        missing_from = (missing_end == 0 || stored < missing_from -> stored : missing_from);
        missing_end = at;
        do
        :: stored < at -> assert(alone[stored]); has[stored] = epoch; is_mark[stored] = 1; stored++
        :: else -> break
        od
    :: else
    fi
}

inline begin() {
    lose_some();
    if
    :: state == AWAY && noted > kept -> kept = noted
    :: else
    fi;
    assert(kept >= released);
    last_epoch = (stored == mark_at -> mark_epoch : has[stored - 1]);
    find();
    unsure = unsure || (stored > 1 && at == kept && last_epoch + 1 < epoch && last_epoch < wrote[kept - 1]);
    do
    :: stored > first && last_epoch < epoch -> /* last_of_log */
        assert(!is_mark[stored - 1] || has[stored - 1] < epoch); /* a gap is named once */
        lose_one()
    :: else -> break
    od;
    name_missing();
    do
    :: stored > at -> lose_one() /* the surplus */
    :: else -> break
    od;
    mark_at = at;
    mark_epoch = epoch;
    confirmed = at;
    kept = at;
    taken = at;
    whole_end = at;
    state = HERE;
    i = 1;
    do
    :: i < stored ->
        assert(is_mark[i] || has[i] == wrote[i] || unsure);
        assert(!is_mark[i] || !told[i]);
        i++
    :: else -> break
    od;
    i = 0; at = 0; last_epoch = 0
}

/* -------------------------------------------------------------------------------------------------- the calls */

#define is_missing(s) (s >= missing_from && s < missing_end)
#define is_told_copied(s) (s < whole_end && !is_missing(s))

/* Nothing of the copy is on the medium: a gap that was named in an earlier epoch is forgotten. */
#define is_forgotten(s) (is_mark[s] && has[s] != epoch)

inline tell() {
    i = 1;
    do
    :: i < durable ->
        if
        :: is_told_copied(i) && !is_forgotten(i) -> assert(has_it(i) || unsure); told[i] = 1
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

/* ---------------------------------------------------------------------------------------------- crash and open */

inline crash_and_open() {
    crashes++;
    do
    :: durable < sealed -> durable++ /* a write under way has landed this far */
    :: break
    od;
    i = durable;
    do
    :: i < claimed -> wrote[i] = 0; i++
    :: else -> break
    od;
    i = 0;
    drained = noted;
    released = noted;
    sealed = durable;
    claimed = durable;
    epoch++;
    first = durable;
    state = EXPECTED;
    kept = noted;
    taken = noted;
    missing_from = 0;
    missing_end = 0;
    whole_end = 0
}

active proctype host() {
end:
    do
    :: d_step { claimed <= RECORDS -> wrote[claimed] = epoch; claimed++ }
    :: d_step { sealed < claimed -> sealed = claimed }
    :: d_step { durable < sealed -> land() }
    :: d_step { drained < copied_reach -> drain() }
    :: d_step { drained < durable && state != AWAY -> dry() }
    :: d_step { noted < drained -> note() }
    :: d_step { may_release -> release() }
    :: d_step { state == HERE && taken < sealed -> taken++ }
    :: d_step { state == HERE && stored < taken -> store() }
    :: d_step { state == HERE && confirmed < stored -> confirmed++; kept = confirmed; whole_end = kept }
    :: atomic { state != HERE -> begin() }
    :: atomic { state == HERE && stored > confirmed -> begin() }
    :: atomic { state != AWAY && aways < AWAYS -> go_away() }
    :: d_step { true -> tell() }
    :: atomic { crashes < CRASHES -> crash_and_open() }
    od
}
