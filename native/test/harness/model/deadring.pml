/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ring whose writer dies and comes back, and its drains, of which one moves the records meanwhile: docs/drain.md. Each lock, each look
 * at the ring, each record that is moved, and the marker is a step. Each process may die between any two.
 *
 *     step here             what it stands for
 *     --------------------  ---------------------------------------------------------------------------------------------
 *     byte0, byte1, wants   the lock file: who writes; who drains; how many wait for that (window/locks.h)
 *     taken                 locks_taken: how often a writer took byte 0. A drain that looks now and then sees a writer by it that has
 *                           lived and died between two looks
 *     guard                 the ring's own lock (DEVICE_WRITER): the writer has it before byte 0 and to its end, a drain
 *                           while it recovers
 *     content, durable      the log that a recovery would find now: in which life each record was written
 *     late                  a record that was under way when its writer died: it may still land, until a marker stands there
 *     mark                  epoch_begin: from here on everybody finds the log that this recovery has found
 *     window, watermark     of each life: connections are possible while it lives; its memory stays with those who have it
 *     file, noted           the log file, and how far both slots say that it is; handover.pml has their steps
 *
 * Always: what was moved is in the log that every later open finds; only the drain moves records; no recovery finds less than
 * was acknowledged or moved. In the end all acknowledged records are in the file: nobody waits for ever.
 */
#ifndef RECORDS
#define RECORDS 3
#endif
#ifndef LIVES
#define LIVES 2 /* of the writer */
#endif
#ifndef DRAINS
#define DRAINS 1
#endif
#ifndef DEATHS
#define DEATHS 1 /* of drains */
#endif

#define NOBODY 255
#define WRITER 100

byte byte0 = NOBODY, byte1 = NOBODY, wants, guard = NOBODY;
byte taken; /* so often a writer took byte 0 */
byte content[RECORDS + 2], durable, acknowledged, late;
byte file[RECORDS + 2], noted;
byte life, watermark[LIVES + 2];
bool window, finished;
byte deaths = DEATHS;

inline move(me, which) {
    atomic {
        assert(byte1 == me);
        assert(file[noted + 1] == 0);
        file[noted + 1] = which; /* may read noted */
        noted++
    }
}

/* What the recovery has found is the log: a write that comes later counts no more. */
inline mark(found) {
    atomic {
        assert(found >= noted && found >= acknowledged);
        durable = found;
        content[durable + 1] = 0;
        late = 0
    }
}

proctype Late() {
end:
    do
    :: atomic { late != 0 -> durable++; content[durable] = late; late = 0 }
    od
}

#define MAY_DIE (deaths > 0)

proctype Drain(byte me) {
    byte found, view[RECORDS + 2], view_end, attached, seen, i;
begin:
    wants++;
    atomic { byte1 == NOBODY -> byte1 = me };
    wants--;
turn:
    if
    :: atomic { byte0 == NOBODY -> byte0 = me; seen = taken };
        if
        :: atomic { guard == NOBODY -> guard = me }
        :: atomic { guard != NOBODY -> byte0 = NOBODY }; goto turn
        fi;
        found = durable;
        if
        :: found > noted -> mark(found)
        :: else
        fi;
        if
        :: atomic { MAY_DIE -> deaths--; guard = NOBODY; byte0 = NOBODY; byte1 = NOBODY }; goto begin
        :: true
        fi;
        view_end = durable;
        atomic {
            for (i : 1 .. RECORDS + 1) { view[i] = content[i] }
            i = 0
        };
        guard = NOBODY;
        byte0 = NOBODY;
        do
        :: atomic { noted < view_end -> skip }; move(me, view[noted + 1])
        :: taken != seen -> goto turn
        :: atomic { MAY_DIE -> deaths--; byte1 = NOBODY }; goto begin
        :: atomic { finished && taken == seen && noted >= view_end -> byte1 = NOBODY }; goto done
        od
    :: atomic { window && byte0 == WRITER -> attached = life };
        do
        :: atomic { noted < watermark[attached] -> skip }; move(me, content[noted + 1])
        :: !window || life != attached || byte0 != WRITER -> break
        :: atomic { MAY_DIE -> deaths--; byte1 = NOBODY }; goto begin
        od;
        do
        :: noted < watermark[attached] -> move(me, content[noted + 1])
        :: else -> break
        od;
        goto turn
    fi;
done:
    skip
}

/* The writer, in one life after the other. What it drains by itself it reads from its own memory. */
proctype Writer() {
    byte found;
    bool drains;
    do
    :: life < LIVES ->
        atomic { guard == NOBODY -> guard = WRITER };
        atomic { byte0 == NOBODY -> byte0 = WRITER; taken++ };
        found = durable;
        mark(found);
        atomic { life++; watermark[life] = durable; window = true }; /* its socket is there once it is open */
        do
        :: atomic { durable < RECORDS -> late = life }; /* under way */
            if
            :: atomic { late != 0 -> late = 0; durable++; content[durable] = life; watermark[life] = durable };
                acknowledged = durable
            :: atomic { late == 0 -> watermark[life] = durable }; acknowledged = durable /* it has landed already */
            :: break /* dead */
            fi
        :: atomic { !drains && byte1 == NOBODY && wants == 0 -> byte1 = WRITER; drains = true }
        :: drains && wants > 0 -> atomic { drains = false; byte1 = NOBODY }
        :: drains && noted < watermark[life] -> move(WRITER, content[noted + 1])
        :: break
        od;
        /* Closed, or dead: the kernel lets go of its locks. */
        atomic {
            window = false;
            if
            :: drains -> drains = false; byte1 = NOBODY
            :: else
            fi;
            byte0 = NOBODY;
            guard = NOBODY
        }
    :: else -> break
    od;
    finished = true
}

init {
    byte i;
    atomic {
        run Late();
        run Writer();
        run Drain(0);
        if
        :: DRAINS > 1 -> run Drain(1)
        :: else
        fi
    }
    (_nr_pr == 2);
    assert(noted >= acknowledged);
    for (i : 1 .. RECORDS + 1) {
        assert(i > noted || (file[i] == content[i] && file[i] != 0))
    }
}
