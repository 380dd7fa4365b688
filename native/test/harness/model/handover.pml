/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A writer and its drains, each a process that may die or stand still at any step: docs/drain.md. Every lock, every look
 * at a slot, and each half of the write of a slot is a step.
 *
 *     step here                what it stands for
 *     -----------------------  ----------------------------------------------------------------------------------------
 *     byte[1], byte[2]         the lock file: who drains; a drain that waits for that. A process that dies lets go
 *     slot, TORN               a checkpoint slot. A write tears it first, and is whole later, if its process lives so long
 *     look_at                  ledger/slot_watch.c: one slot at a time. A torn one, and one that goes back, says nothing
 *     known                    the content that a drain wrote or found when it began: before it writes it reads both
 *     begin_drain              a flush, then reading both slots; the newest whole one counts. It waits until no write of a
 *                              slot can be under way: with locks that all see, none is
 *     file                     so many records are durable in the log file. A redo makes the same bytes, so it never shrinks
 *
 * The writer drains by itself if no drain holds byte 1: how long it waits before is left open. It lets go of byte 1 when
 * byte 2 is held. With BLIND the second drain sees another lock file, so that no lock stops it, and the slots alone have
 * to. Each may stand still between its look and its write.
 *
 * Always: one slot is whole; from the newest whole one on no record was written over, and the file has all before it.
 * With locks that all see, one process drains. Nobody waits for ever: at the end all records are in the file.
 */
#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef DRAINS
#define DRAINS 2
#endif
#ifndef BLIND
#define BLIND 0
#endif

#define TORN 255
#define NOBODY 255
#define WRITER DRAINS /* its own drain has this number */

byte generation[2], least[2];   /* of the slots; generation TORN: torn */
byte author[2];                 /* who wrote the slot: stands for its CRC and time */
byte watermark, released;
byte file;
byte byte1 = NOBODY, byte2;     /* byte2: how many drains want */
byte draining;                  /* processes that drain, with locks that all see */
byte writing;                   /* writes of slots under way */
byte deaths = DEATHS;
byte seen_generation[2], seen_least[2]; /* the writer's */

/* The newest whole slot; 2: none is whole. */
#define NEWEST ((generation[0] == TORN) -> ((generation[1] == TORN) -> 2 : 1) : \
                ((generation[1] == TORN) -> 0 : ((generation[1] > generation[0]) -> 1 : 0)))
/* Two drains that no lock keeps apart may tear both slots in the same moment. Then the slots are looked at when no write
 * is under way: only a loss of power in that moment would find both torn. */
#define SOUND \
    if \
    :: !BLIND || writing == 0 -> \
        assert(NEWEST != 2); \
        assert(least[NEWEST] >= released); \
        assert(least[NEWEST] <= file) \
    :: else \
    fi

inline look_at(s) {
    atomic {
        if
        :: generation[s] != TORN && generation[s] >= seen_generation[s] && least[s] >= seen_least[s] ->
            seen_generation[s] = generation[s];
            seen_least[s] = least[s]
        :: else
        fi;
        released = ((seen_least[0] < seen_least[1]) -> seen_least[0] : seen_least[1]);
        SOUND
    }
}

/* Reads both slots, as an open does. A torn one is the older; it is levelled before anything else. */
inline begin_drain() {
    atomic {
        NEWEST != 2 && (!BLIND || writing == 0); /* else both are read again, for longer than a write takes */
        newest = NEWEST;
        known_generation[0] = generation[0]; known_generation[1] = generation[1];
        known_author[0] = author[0]; known_author[1] = author[1];
        noted = least[newest];
        moved = noted;
        must_level = (generation[1 - newest] == TORN || least[1 - newest] != noted)
    }
}

#define AS_KNOWN (generation[0] == known_generation[0] && author[0] == known_author[0] && \
                  generation[1] == known_generation[1] && author[1] == known_author[1])

/* Writes `moved` over the older slot. `stopped`: another drain writes these slots. */
inline checkpoint(me) {
    atomic {
        if
        :: AS_KNOWN -> stopped = false
        :: else -> stopped = true
        fi
    }
    if
    :: stopped
    :: else ->
        older = 1 - newest;
        atomic { generation[older] = TORN; writing++; SOUND }
        atomic {
            generation[older] = known_generation[newest] + 1;
            least[older] = moved;
            author[older] = me;
            known_generation[older] = generation[older];
            known_author[older] = me;
            newest = older;
            must_level = (moved != noted);
            noted = moved;
            older = 0;
            writing--;
            SOUND
        }
    fi
}

/* One step of the drain; then the looks of a writer that drains by itself follow. */
inline drain_step(me) {
    if
    :: atomic { moved < watermark -> moved++ }
        atomic { file = ((moved > file) -> moved : file) } /* written and synced, before the checkpoint */
        checkpoint(me)
    :: must_level -> checkpoint(me)
    :: else
    fi
}

#define MAY_DIE (deaths > 0)

proctype Drain(byte me; bool sees) {
    byte noted, moved, newest, older, known_generation[2], known_author[2];
    bool stopped, must_level, holds, wants;
begin:
    do
    :: atomic { sees && !holds && byte1 == NOBODY -> byte1 = me; holds = true; draining++; assert(draining <= 1) } break
    :: atomic { sees && !holds && byte1 != NOBODY && !wants -> wants = true; byte2++ }
    :: !sees -> break
    :: atomic { wants && MAY_DIE -> deaths--; byte2--; wants = false }
    od;
    atomic { if :: wants -> byte2--; wants = false :: else fi }
    begin_drain();
    do
    :: atomic { moved < watermark || must_level -> skip }
        { drain_step(me) } unless { atomic { MAY_DIE -> deaths-- ; stopped = true } }
        if
        :: stopped -> /* dead, or stopped by the slots: its locks go */
            atomic { stopped = false; if :: holds -> byte1 = NOBODY; holds = false; draining-- :: else fi }
            goto begin
        :: else
        fi
    :: atomic { watermark == RECORDS && moved == RECORDS && !must_level ->
                if :: holds -> byte1 = NOBODY; holds = false; draining-- :: else fi } break
    od
}

proctype Writer() {
    byte noted, moved, newest, older, known_generation[2], known_author[2];
    bool stopped, must_level, holds;
    do
    :: atomic { watermark < RECORDS && watermark - released < CAPACITY -> watermark++ }
    :: seen_generation[0] != generation[0] || seen_least[0] != least[0] || seen_generation[1] != generation[1] ||
       seen_least[1] != least[1] -> look_at(0); look_at(1)
    :: atomic { !holds && byte1 == NOBODY && byte2 == 0 -> byte1 = WRITER; holds = true; draining++;
                assert(draining <= 1) }
        begin_drain()
    :: atomic { holds && byte2 == 0 && (moved < watermark || must_level) -> skip }
        drain_step(WRITER);
        if
        :: stopped -> atomic { stopped = false; holds = false; byte1 = NOBODY; draining-- }
        :: else
        fi
    :: atomic { holds && byte2 > 0 -> holds = false; byte1 = NOBODY; draining-- }
    :: atomic { watermark == RECORDS && released == RECORDS ->
                if :: holds -> holds = false; byte1 = NOBODY; draining-- :: else fi } break
    od
}

init {
    atomic {
        generation[0] = 1; generation[1] = 2;
        author[0] = NOBODY; author[1] = NOBODY;
        seen_generation[0] = 1; seen_generation[1] = 2;
        run Writer();
        run Drain(0, true);
        if
        :: DRAINS > 1 -> run Drain(1, !BLIND)
        :: else
        fi
    }
    (_nr_pr == 1);
    assert(file == RECORDS && least[0] == RECORDS && least[1] == RECORDS)
}
