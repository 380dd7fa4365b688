/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Threads lead, sleep and wake, and none sleeps for ever. Every load, store, exchange, park and unpark is a step.
 *
 *     step here                       what it stands for
 *     ------------------------------  -------------------------------------------------------------------------------
 *     park, unpark                    platform_linux.c: FUTEX_WAIT compares and lies down at once; FUTEX_WAKE
 *     signal_register, _leave, _wait, base/event_count.h, operation by operation
 *     signal_notify
 *     leader_await                    leader.c leader_await, try_to_lead
 *     await_for_a_while, ring_hurry   leader.c: an await with a limit, which never leads
 *     commit_round                    commit.c begin (word, then the store of `leader`), and the end of the writes. A leader
 *                                     with a limit may leave its round, for a straggler: the next leader does all of it
 *     let_go, wake, wake_due          leader.c let_go, wake_after_count, wake, wake_due
 *     claim, lone                     lone.c: one exchange claims, seals and leads if nothing is in flight and nobody leads.
 *                                     `led` is CLAIM_LED in the claim word. STUCK: one copy may stop until the ring fails
 *     sleep_in_group, note_due        leader.c sleep_in_group, note_due; its spin while a leader has not sealed is one step, which is
 *                                     possible once a word has another value
 *     ring_fail                       ring.c ring_fail, by the leader or (SABOTAGE) by a checkpoint of the drain
 *     producer, awaiter               append.c ring_append, claim_when_free, wake_committer; claim and publish are one
 *                                     step: ring.pml has them apart
 *     committer, drain                threads.c committer_loop, drain_loop; ring.c ring_release; leader.c
 *                                     ring_commit, ring_ask_drain, ask_drain
 *     init                            close.c burst_close: committer and drain are stopped
 *     closer                          (CLOSING) leader.c ring_quiesce of a ring that has failed, then close.c lets go of the device.
 *                                     Threads that append may still be inside: none uses the device behind that
 *
 * A wait without a time limit ends only if another thread ends it. A TIMED append may give up at any time. An AWAITING
 * producer never leads, since it has a limit; the limit itself is so long that others must end its wait. The drain's
 * interval passes only while something waits in the ring: a wake-up must tell the drain all that it needs to know at
 * once. Spin's check of invalid end states finds a sleeper whom nobody wakes. The search for non-progress cycles
 * (LOOPS) finds threads that run for ever without getting on, under weak fairness. Memory is sequentially consistent
 * here. In the engine two words at a time need that: event_count.h argues it for its fences, append.c
 * (is_committer_told) for the order of claim and flag.
 */
#ifndef DURABLE
#define DURABLE 3 /* producers that wait until their record is durable */
#endif
#ifndef ENQUEUEING
#define ENQUEUEING 0
#endif
#ifndef RECORDS
#define RECORDS 1 /* of each producer */
#endif
#ifndef TIMED
#define TIMED 0 /* so many of the DURABLE producers have a time limit */
#endif
#ifndef AWAITING
#define AWAITING 0 /* producers that enqueue, then wait for that with a time limit */
#endif
#ifndef CAPACITY
#define CAPACITY 100 /* in records */
#endif
#ifndef SABOTAGE
#define SABOTAGE 0
#endif
#ifndef WRITE_FAILURES
#define WRITE_FAILURES 0
#endif
#ifndef STUCK
#define STUCK 0
#endif
#ifndef CLOSING
#define CLOSING 0
#endif
#define PRODUCERS (DURABLE + ENQUEUEING + AWAITING)
#define COMMITTER PRODUCERS
#define DRAIN (PRODUCERS + 1)
#define THREADS (PRODUCERS + 2)

#define LEADER_CLAIMED 1
#define LEADER_GATHERING 2
#define LEADER_SEALED 3

/* Futex words: the two generation counts, and the counts of three signals. */
#define SPACE 2
#define TO_COMMIT 3
#define TO_DRAIN 4
#define ENDED 5
#define WORDS 6
#define ALL 1
#define ONE 0

byte count[WORDS];
byte waiters[WORDS]; /* of each signal */
byte due[2]; /* of the two generation words: 1 + the count whose end wakes all that sleep there; 0: none does */
byte asleep_on[THREADS]; /* 1 + the word, 0: awake */

bit led, stuck, has_stuck, gone; /* gone: the device */
byte leader = LEADER_CLAIMED;
byte claimed = 1, durable = 1, released = 1, looked = 1; /* sequences: the next one */
bit failed, enqueued, drain_asked, stop_committer, stop_drain;
byte finished_producers, failures;

/* ----------------------------------------------------------------------------------------------------- the kernel */

inline fall_asleep(w, expected) {
    if
    :: count[w] == expected -> asleep_on[me] = w + 1
    :: else
    fi
}

inline park(w, expected) {
    atomic { fall_asleep(w, expected) };
    asleep_on[me] == 0
}

inline unpark_all(w) {
    d_step {
        other = 0;
        do
        :: other < THREADS -> asleep_on[other] = (asleep_on[other] == w + 1 -> 0 : asleep_on[other]); other++
        :: else -> break
        od;
        other = 0
    }
}

/* Wakes any one of them. */
inline unpark_one(w) {
    atomic {
        if
        :: asleep_on[0] == w + 1 -> asleep_on[0] = 0
        :: asleep_on[1] == w + 1 -> asleep_on[1] = 0
        :: asleep_on[2] == w + 1 -> asleep_on[2] = 0
        :: THREADS > 3 && asleep_on[THREADS - 1] == w + 1 -> asleep_on[THREADS - 1] = 0
        :: THREADS > 4 && asleep_on[THREADS - 2] == w + 1 -> asleep_on[THREADS - 2] = 0
        :: else
        fi
    }
}

/* ------------------------------------------------------------------------------------------------------- signal.h */

inline signal_register(w) {
    waiters[w]++;
    ticket = count[w]
}

inline signal_leave(w) {
    waiters[w]--
}

inline signal_wait(w) {
    park(w, ticket);
    signal_leave(w)
}

inline signal_notify(w) {
    if
    :: waiters[w] != 0 -> count[w]++; unpark_all(w)
    :: else
    fi
}

/* A signal that no thread waits for in this run costs no step. */
#define HAS_COMMITTER (ENQUEUEING + TIMED + AWAITING > 0)
#define HAS_DRAIN (CAPACITY < 100)
#if HAS_DRAIN
#define notify_space() signal_notify(SPACE)
#else
#define notify_space() skip
#endif
#if HAS_COMMITTER
#define notify_committer() signal_notify(TO_COMMIT)
#else
#define notify_committer() skip
#endif

#if AWAITING > 0
#define notify_ended() signal_notify(ENDED)
#else
#define notify_ended() skip
#endif

/* ------------------------------------------------------------------------------------------------------- leader.c */

/* Until the end of the commit `finished`, or of the one behind it: that which has the parity of the word. */
inline note_due(w) {
    atomic {
        seen_due = (finished % 2 == w -> finished + 1 : finished + 2);
        due[w] = (due[w] < seen_due -> seen_due : due[w]);
        seen_due = 0
    }
}

inline wake(w, how_many) {
    if
    :: due[w] != 0 && how_many == ALL -> unpark_all(w)
    :: due[w] != 0 && how_many == ONE -> unpark_one(w)
    :: else
    fi
}

/* Forgets the note unless somebody has noted a later count, also since the look at it. */
inline wake_due(w) {
    if
    :: atomic { due[w] != 0 -> seen_due = due[w] };
        if
        :: atomic { seen_due <= finished + 1 && due[w] == seen_due -> due[w] = 0 }
        :: else
        fi;
        atomic { unpark_all(w); seen_due = 0 }
    :: else
    fi
}

inline let_go() {
    leader = LEADER_CLAIMED;
    atomic { finished = count[0]; count[0]++; count[1]++ };
    led = 0;
    wake((finished + 1) % 2, ONE);
    wake_due(finished % 2);
    notify_ended();
    finished = 0
}

inline ring_hurry() {
    enqueued = 1;
    notify_committer()
}

inline ring_ask_drain() {
    if
    :: !drain_asked -> drain_asked = 1; signal_notify(TO_DRAIN)
    :: else
    fi
}

#if HAS_DRAIN
inline ask_drain() {
    if
    :: durable - looked >= 1 -> ring_ask_drain()
    :: else
    fi
}
#else
#define ask_drain() skip
#endif

inline ring_fail() {
    atomic { failed = 1; failures++ };
    notify_ended();
    notify_space();
    notify_committer()
}

inline commit_round() {
    atomic { next = claimed; leader = LEADER_SEALED + next }; /* a reader between the two stores waits for the second */
    if
    :: failed
    :: !failed ->
        if
        :: atomic { assert(!gone); durable = next }
        :: timed -> expired = 1
        :: atomic { durable < next && failures < WRITE_FAILURES -> failed = 1; failures++ };
            notify_ended();
            notify_space();
            notify_committer()
        fi
    fi;
    next = 0
}

inline end_round() {
    let_go();
    notify_space();
    ask_drain()
}

/* The caller has claimed, sealed and leads. */
inline lone() {
    if
    :: atomic { STUCK && !has_stuck -> has_stuck = 1; stuck = 1 };
        failed || (finished_producers == PRODUCERS - 1 && claimed == sequence + 1); /* or nobody is left who waits */
        stuck = 0
    :: true
    fi;
    leader = LEADER_SEALED + sequence + 1;
    if
    :: !failed -> atomic { assert(!gone); durable = sequence + 1 }
    :: failed
    :: atomic { !failed && failures < WRITE_FAILURES -> failed = 1; failures++ };
        notify_ended();
        notify_space();
        notify_committer()
    fi;
    end_round()
}

inline sleep_in_group() {
    finished = count[0];
    do
    :: atomic { leader != LEADER_CLAIMED -> seen_leader = leader; break }
    :: atomic { leader == LEADER_CLAIMED };
        if
        :: atomic { !led -> break }
        :: atomic { leader != LEADER_CLAIMED }
        :: atomic { led && stuck && !failed }; ring_fail() /* 10 s of naps */
        :: atomic { failed -> break }
        :: atomic { durable > sequence -> break }
        fi
    od;
    if
    :: atomic { seen_leader != 0 && durable <= sequence && !failed ->
            group = (seen_leader == LEADER_GATHERING || sequence < seen_leader - LEADER_SEALED -> finished : finished + 1) % 2;
            seen_leader = 0 };
            note_due(group);
            atomic { fall_asleep(group, finished); finished = 0; group = 0 };
            if
            :: asleep_on[me] == 0
            :: atomic { timed && asleep_on[me] != 0 -> asleep_on[me] = 0; expired = 1 }
            fi
    :: else -> atomic { seen_leader = 0; finished = 0 }
    fi
}

inline leader_await() {
    do
    :: atomic { durable > sequence -> outcome = 1; break }
    :: atomic { durable <= sequence && failed -> outcome = 2 }; wake(0, ALL); wake(1, ALL); break
    :: durable <= sequence && !failed ->
        if
        :: atomic { !led && !expired -> led = 1 };
            if
            :: leader = LEADER_GATHERING; leader = LEADER_CLAIMED /* gathering may take any time */
            :: skip
            fi;
            if
            :: !failed -> commit_round()
            :: else
            fi;
            end_round()
        :: led && !expired ->
            if
            :: sleep_in_group()
            :: timed -> expired = 1
            fi
        :: expired -> wake(0, ONE); wake(1, ONE); ring_hurry(); outcome = 0; break
        fi
    od;
    expired = 0
}

inline await_for_a_while() {
    do
    :: signal_register(ENDED);
        if
        :: atomic { durable > sequence -> outcome = 1 }; signal_leave(ENDED); break
        :: atomic { durable <= sequence && failed -> outcome = 2 }; signal_leave(ENDED); wake(0, ALL); wake(1, ALL); break
        :: durable <= sequence && !failed ->
            if
            :: !expired -> ring_hurry(); expired = 1 /* is_asked */
            :: expired
            fi;
            signal_wait(ENDED)
        fi
    od;
    expired = 0;
    ticket = 0
}

inline wake_committer() {
    if
    :: !enqueued -> enqueued = 1; signal_notify(TO_COMMIT)
    :: else
    fi
}

/* -------------------------------------------------------------------------------------------------------- threads */

/* failed = the flag in the claim word too */
inline claim() {
    atomic {
        if
        :: failed -> outcome = 2
        :: !failed && claimed - released < CAPACITY -> sequence = claimed; claimed++; outcome = 1
        :: else -> outcome = 0
        fi
    }
}

/* An append goes alone if it may; whether others are expected is a hint. */
inline claim_to_append() {
    if
    :: atomic { !failed && claimed == durable && !led && claimed - released < CAPACITY ->
            sequence = claimed; claimed++; led = 1; outcome = 3 }
    :: claim()
    fi
}

inline claim_when_free() {
    ring_ask_drain();
    do
    :: signal_register(SPACE);
        claim();
        if
        :: outcome != 0 -> signal_leave(SPACE); break
        :: else -> signal_notify(TO_DRAIN); signal_wait(SPACE)
        fi
    od;
    ticket = 0
}

proctype producer(byte me; bit enqueues; bit timed) {
    byte sequence, finished, seen_leader, seen_due, group, next, outcome, ticket, other, records;
    bit expired;
    do
    :: records < RECORDS ->
        atomic { records++; sequence = 0 };
        if
        :: enqueues -> claim()
        :: else -> claim_to_append()
        fi;
        if
        :: outcome == 0 -> claim_when_free()
        :: outcome == 3 -> lone(); outcome = 1
        :: else
        fi;
        if
        :: outcome == 2 -> break
        :: outcome == 1 && enqueues -> wake_committer()
        :: outcome == 1 && !enqueues ->
            leader_await();
            assert(outcome != 1 || durable > sequence);
            assert(outcome != 0 || timed);
            assert(outcome != 2 || failed)
        fi;
        outcome = 0
    :: records == RECORDS -> break
    od;
    finished_producers++
}

proctype awaiter(byte me) {
    byte sequence, finished, outcome, ticket, other, records;
    bit expired;
    do
    :: records < RECORDS ->
        atomic { records++; sequence = 0 };
        claim();
        if
        :: outcome == 2 -> break
        :: outcome == 1 -> wake_committer(); await_for_a_while(); assert(outcome == 1 || failed)
        fi;
        outcome = 0
    :: records == RECORDS -> break
    od;
    finished_producers++
}

proctype committer(byte me) {
    byte sequence, finished, seen_leader, seen_due, group, next, outcome, ticket, other;
    bit expired, timed, wanted;
    do
    :: stop_committer -> break
    :: !stop_committer ->
        signal_register(TO_COMMIT);
        atomic { wanted = enqueued; enqueued = 0 };
        if
        :: wanted ->
            signal_leave(TO_COMMIT);
            sequence = claimed - 1; /* ring_commit */
            if
            :: durable <= sequence -> leader_await()
            :: else
            fi
        :: !wanted ->
            if
            :: stop_committer -> signal_leave(TO_COMMIT)
            :: else -> signal_wait(TO_COMMIT)
            fi
        fi;
        atomic { sequence = 0; ticket = 0; outcome = 0; wanted = 0 }
    od
}

proctype drain(byte me) {
    byte ticket, other, until;
    do
    :: stop_drain -> break
    :: !stop_drain ->
        signal_register(TO_DRAIN);
        until = durable;
        looked = until;
        drain_asked = 0;
        if
        :: until != released -> released = until; signal_notify(SPACE)
        :: else
        fi;
        until = 0;
        if
        :: stop_drain -> signal_leave(TO_DRAIN)
        :: else ->
            atomic { fall_asleep(TO_DRAIN, ticket) };
            if
            :: asleep_on[me] == 0
            :: atomic { asleep_on[me] != 0 && durable != released -> asleep_on[me] = 0 } /* the interval is over */
            fi;
            signal_leave(TO_DRAIN)
        fi;
        ticket = 0
    od
}

/* A failing checkpoint of the drain, at any moment. */
proctype saboteur() {
    byte other;
    ring_fail()
}

proctype closer() {
end:
    (failed && leader == LEADER_CLAIMED) -> gone = 1
}

init {
    byte i, other;
    atomic {
        do
        :: i < DURABLE + ENQUEUEING -> run producer(i, i >= DURABLE, i < TIMED); i++
        :: i >= DURABLE + ENQUEUEING && i < PRODUCERS -> run awaiter(i); i++
        :: else -> break
        od;
        i = 0;
        if
        :: HAS_COMMITTER -> run committer(COMMITTER)
        :: else
        fi;
        if
        :: HAS_DRAIN -> run drain(DRAIN)
        :: else
        fi;
        if
        :: SABOTAGE -> run saboteur()
        :: else
        fi;
        if
        :: CLOSING -> run closer()
        :: else
        fi
    };
    finished_producers == PRODUCERS;
    if
    :: HAS_COMMITTER -> /* each accepted record becomes durable, or the ring fails */
        durable == claimed || failed;
        stop_committer = 1;
        signal_notify(TO_COMMIT)
    :: else
    fi;
    if
    :: HAS_DRAIN -> stop_drain = 1; signal_notify(TO_DRAIN)
    :: else
    fi
}
