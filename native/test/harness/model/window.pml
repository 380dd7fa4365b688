/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Readers in another process see the ring through its window, while producers go around it, the drain moves records into
 * the log file, and the writer is killed and opens the ring again. A reader gets each record once, in order, from the ring
 * or from the file; each that it got is in the log that recovery finds; no bytes that it believed were another record's.
 *
 *     step here                       what it stands for
 *     ------------------------------  -------------------------------------------------------------------------------
 *     Producer                        claim.h claim_usual, claim_publish; ring.c ring_grant
 *     Leader                          commit.c seal_records, submit, collect, advance
 *     Drain                           drain/step.c; ledger/write.c: two slots; ring.c ring_release
 *     Crash                           the writer is killed between any two steps; recovery; ring.c ring_begin
 *     Reader                          ring_walk.c ring_walk_step, copy_record; joined.c go_back, follow_files;
 *                                     best_sight.c best_sight_renew
 *
 * A record is one slot of CAPACITY, in two parts, since a reader copies the header before the payload. A CRC finds torn
 * bytes in all but one of 2^32 cases; here there is none, so the order alone has to do. Each epoch has an image and a
 * window of its own, as a killed writer's memory stays with its readers. What the medium holds is `lasting`: the body with
 * which a record became durable. A record that was not durable may come again after the kill, with another body.
 *
 * Memory is sequentially consistent here. arm/ has the same orders with the memory of AArch64.
 */
#ifndef RECORDS
#define RECORDS 5
#endif
#ifndef CAPACITY
#define CAPACITY 2
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef PRODUCERS
#define PRODUCERS 1
#endif

#define EPOCHS (CRASHES + 1)
#define SLOT(epoch, record) ((epoch) * CAPACITY + (record) % CAPACITY)
#define BODY(epoch, record) (((epoch) + 1) * 16 + (record))
#define SALT 128 /* a published header that is not sealed yet */

/* The image and the window of each epoch: what readers see. Records are counted from 1. */
byte head[EPOCHS * CAPACITY], body[EPOCHS * CAPACITY];
byte watermark[EPOCHS];  /* the last durable record */
byte floor[EPOCHS];      /* the first record that may be believed */
byte copied[EPOCHS];     /* the newest checkpoint: the file holds so many records */
byte announced;          /* the newest window */

/* The writer's own. */
byte epoch, claimed, released, freed, durable;

/* The medium and the log file. */
byte lasting[RECORDS + 1], file[RECORDS + 1];
byte newest, older;

#define STEP(what) atomic { what }
#define KILLED (epoch != mine) /* the threads of a killed writer end wherever they are */

proctype Producer(byte mine) {
    byte seen, record;
    {
end:
    do
    :: STEP(claimed < RECORDS -> seen = released);
        if
        :: seen + CAPACITY > claimed ->
            /* the exchange: nothing was claimed since, and `released` only grows */
            atomic {
                if
                :: claimed < RECORDS && claimed < seen + CAPACITY -> claimed++; record = claimed
                :: else -> record = 0
                fi
            };
            if
            :: record > 0 ->
                STEP(body[SLOT(mine, record)] = BODY(mine, record));
                STEP(head[SLOT(mine, record)] = SALT + record; seen = 0; record = 0)
            :: else -> seen = 0
            fi
        :: else -> /* the ring is full: grants what is freed, the floor first */
            atomic { (freed > released) -> seen = freed };
            STEP(floor[mine] = (floor[mine] < seen + 1 -> seen + 1 : floor[mine]));
            STEP(released = (released < seen -> seen : released); seen = 0)
        fi
    od
    } unless { atomic { KILLED -> seen = 0; record = 0 } }
}

proctype Leader(byte mine) {
    byte to, next;
    {
end:
    do
    :: STEP(claimed > durable -> to = claimed; next = durable + 1);
        do
        :: next <= to ->
            STEP(head[SLOT(mine, next)] == SALT + next -> head[SLOT(mine, next)] = next);
            /* the write; a kill leaves it done or not */
            STEP(lasting[next] = body[SLOT(mine, next)]);
            next++
        :: else -> break
        od;
        STEP(durable = to);
        STEP(watermark[mine] = to; to = 0; next = 0)
    od
    } unless { atomic { KILLED -> to = 0; next = 0 } }
}

proctype Drain(byte mine) {
    byte to, at;
    {
end:
    do
    :: STEP(durable > newest || newest > older -> to = durable; at = newest + 1);
        do
        :: at <= to -> STEP(file[at] = body[SLOT(mine, at)]); at++
        :: else -> break
        od;
        STEP(older = newest; newest = to);
        STEP(copied[mine] = newest);
        STEP(freed = older; to = 0; at = 0)
    od
    } unless { atomic { KILLED -> to = 0; at = 0 } }
}

proctype Crash() {
    byte record, last, kills;
    do
    :: kills < CRASHES ->
        atomic { kills++; epoch++ };
        atomic { /* recovery finds the longest log that is durable, and the image is read from the medium */
            last = newest;
            do
            :: last < RECORDS && lasting[last + 1] != 0 -> last++
            :: else -> break
            od;
            record = 1;
            do
            :: record <= last -> head[SLOT(epoch, record)] = record; body[SLOT(epoch, record)] = lasting[record];
                record++
            :: else -> break
            od;
            claimed = last; durable = last; released = older; freed = older;
            floor[epoch] = older + 1; watermark[epoch] = last; copied[epoch] = newest;
            record = 0; last = 0
        };
        atomic { announced = epoch; run Producer(epoch); run Leader(epoch); run Drain(epoch) }
    :: break
    od
}

proctype Reader() {
    byte at, next = 1, limit, low, top, found, bytes;
    do
    :: next > RECORDS -> break
    :: else ->
        limit = watermark[at];
        if
        :: next > limit ->
            if
            :: watermark[at] >= next
            :: announced > at -> at = announced;
                assert(watermark[at] + 1 >= next) /* what it was given is in the new log */
            fi
        :: else ->
            low = floor[at];
            if
            :: next >= low ->
                found = head[SLOT(at, next)];
                low = floor[at]
            :: else
            fi;
            if
            :: next >= low ->
                bytes = body[SLOT(at, next)];
                low = floor[at]
            :: else
            fi;
            if
            :: next >= low ->
                atomic {
                    assert(found == next && bytes == lasting[next]);
                    next++; limit = 0; low = 0; found = 0; bytes = 0
                }
            :: else -> /* lapped: the file up to the checkpoint, then the ring again */
                top = copied[at];
                assert(top + 1 >= low);
                do
                :: next <= top -> assert(file[next] == lasting[next] && file[next] != 0); next++
                :: else -> break
                od;
                atomic { limit = 0; low = 0; found = 0; bytes = 0; top = 0 }
            fi
        fi
    od
}

init {
    atomic {
        floor[0] = 1;
        run Producer(0);
#if PRODUCERS > 1
        run Producer(0);
#endif
        run Leader(0);
        run Drain(0);
        run Crash();
        run Reader()
    }
}
