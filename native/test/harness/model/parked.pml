/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Virtual threads that append, and the waker that commits for them and releases them: none stays parked for ever. Every
 * load, store, exchange, park and unpark is a step.
 *
 *     step here               what it stands for
 *     ----------------------  ---------------------------------------------------------------------------------------
 *     task                    ParkedWrites.write, Waker.linkedForDurability: put, link, look once more, wake, park. An
 *                             ENQUEUED record is one that the task awaits later, by Waker.awaitDurable: it nudges
 *     progress_put            ring/progress.c: `awaited`, then whether somebody leads, then the event count
 *     waker                   Waker.run, sleep, step; ring/progress.c await_change, lead. The waker releases a task by
 *                             taking it out of the set of those that are linked
 *     platform                a platform thread that appends: leader.c try_to_lead, let_go; lone.c: it claims and leads at once
 *                             if nothing is in flight. `leader` is CLAIM_LED in the claim word
 *     saboteur                ring.c ring_fail, at any moment
 *
 * A commit has two steps: the leader seals what is claimed, and then all of that is durable. The event count is that of
 * base/event_count.h, as in wake.pml. LockSupport.unpark before a park lets the park return at once: a permit.
 * Spin's check of invalid end states finds a task that nobody releases. Memory is sequentially consistent here.
 */
#ifndef TASKS
#define TASKS 2
#endif
#ifndef RECORDS
#define RECORDS 1 /* of each task */
#endif
#ifndef ENQUEUED
#define ENQUEUED 0 /* so many tasks enqueue, and await that */
#endif
#ifndef PLATFORM
#define PLATFORM 0 /* records of a platform thread that leads by itself */
#endif
#ifndef SABOTAGE
#define SABOTAGE 0
#endif

#define WAITERS (TASKS * RECORDS) /* each wait has a waiter of its own */

#define FREE 0
#define LED 1

byte claimed = 1, durable = 1; /* sequences: the next one */
byte leader = FREE;
bit awaited, failed;
byte nudges;

/* The event count `progress`. */
byte progress_count, progress_waiters;
bit waker_in_futex;

/* Java: waiters, each with the sequence that it waits for (0: not linked); permits; the waker's sleep. */
byte linked[WAITERS];
bit released[WAITERS];
bit is_asleep, permit_of_waker, has_failed;
byte done;

inline notify_progress() {
    if
    :: progress_waiters != 0 -> atomic { progress_count++; waker_in_futex = 0 }
    :: else
    fi
}

inline progress_put() {
    if
    :: !awaited -> awaited = 1
    :: else
    fi;
    if
    :: leader == FREE -> notify_progress()
    :: else
    fi
}

inline progress_nudge() {
    nudges++;
    awaited = 1;
    notify_progress()
}

/* The caller leads. */
inline commit() {
    atomic { sealed = claimed };
    finish()
}

inline finish() {
    if
    :: !failed -> durable = sealed
    :: failed
    fi;
    atomic { leader = FREE; sealed = 0 };
    notify_progress()
}

inline wake() {
    if
    :: is_asleep ->
        if
        :: atomic { is_asleep -> is_asleep = 0 }; permit_of_waker = 1
        :: atomic { !is_asleep }
        fi
    :: else
    fi
}

proctype task(byte me; bit enqueues) {
    byte sequence, records, waiter;
    do
    :: records < RECORDS ->
        atomic { waiter = me * RECORDS + records; records++ };
        if
        :: atomic { !failed -> sequence = claimed; claimed++ }
        :: atomic { failed -> break }
        fi;
        if
        :: !enqueues -> progress_put()
        :: else
        fi;
        linked[waiter] = sequence; /* links itself in */
        if
        :: durable > sequence -> /* the second look */
            linked[waiter] = 0
        :: else ->
            if
            :: has_failed -> linked[waiter] = 0
            :: else ->
                if
                :: enqueues -> progress_nudge()
                :: else
                fi;
                wake();
                released[waiter]; /* parked */
                assert(durable > sequence || failed)
            fi
        fi;
        sequence = 0
    :: records == RECORDS -> break
    od;
    done++
}

#define has_changed (durable != seen_durable || nudges != seen_nudges || failed != seen_failed)

inline read_progress() {
    atomic { seen_failed = failed };
    atomic { seen_nudges = nudges };
    atomic { seen_durable = durable }
}

inline await_progress() {
    do
    :: has_changed -> break
    :: !has_changed ->
        led = 0;
        if
        :: awaited ->
            awaited = 0;
            if
            :: durable == claimed
            :: durable != claimed ->
                if
                :: atomic { leader == FREE -> leader = LED }; commit(); led = 1
                :: atomic { leader != FREE } -> awaited = 1
                fi
            fi
        :: else
        fi;
        if
        :: led
        :: !led ->
            progress_waiters++;
            ticket = progress_count;
            if
            :: has_changed -> progress_waiters--
            :: !has_changed ->
                if
                :: awaited && leader == FREE -> progress_waiters--
                :: else ->
                    atomic { waker_in_futex = (progress_count == ticket) };
end_in_futex:       !waker_in_futex; /* while nobody waits: the next put wakes it */
                    progress_waiters--
                fi
            fi;
            ticket = 0
        fi
    od;
    led = 0;
    read_progress()
}

inline is_nobody_waiting() {
    atomic {
        nobody = 1;
        i = 0;
        do
        :: i < WAITERS -> nobody = (linked[i] != 0 -> 0 : nobody); i++
        :: else -> break
        od;
        i = 0
    }
}

inline release_durable() {
    i = 0;
    do
    :: i < WAITERS ->
        if
        :: atomic { linked[i] != 0 && (linked[i] < seen_durable || has_failed) -> linked[i] = 0 }; released[i] = 1
        :: else
        fi;
        i++
    :: else -> break
    od;
    i = 0
}

active proctype waker() {
    byte seen_durable = 1, seen_nudges, ticket, i, sealed;
    bit seen_failed, nobody, led;
end:
    do
    :: is_nobody_waiting();
        if
        :: nobody ->
            is_asleep = 1; /* announces its sleep, then looks once more */
            do
            :: !is_asleep -> break
            :: is_asleep ->
                is_nobody_waiting();
                if
                :: nobody ->
end_asleep:         permit_of_waker;
                    permit_of_waker = 0
                :: !nobody -> break
                fi
            od;
            is_asleep = 0
        :: !nobody ->
            await_progress();
            if
            :: seen_failed -> has_failed = 1
            :: else
            fi;
            release_durable()
        fi;
        nobody = 0
    od
}

#if PLATFORM > 0
active proctype platform() {
    byte records, sequence, sealed;
    do
    :: records < PLATFORM && !failed ->
        if
        :: atomic { records++; sequence = claimed; claimed++ }
        :: atomic { claimed == durable && leader == FREE -> records++; sequence = claimed; claimed++; leader = LED };
            sealed = sequence + 1;
            finish()
        fi;
        do
        :: durable > sequence || failed -> break
        :: atomic { durable <= sequence && !failed && leader == FREE -> leader = LED }; commit()
        od
    :: records == PLATFORM || failed -> break
    od
}
#endif

#if SABOTAGE
active proctype saboteur() {
    failed = 1;
    notify_progress()
}
#endif

init {
    byte i;
    atomic {
        do
        :: i < TASKS -> run task(i, i < ENQUEUED); i++
        :: else -> break
        od;
        i = 0
    };
    done == TASKS
}
