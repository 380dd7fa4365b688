/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream that is opened and closed by request, while the process that drains changes: the log's own thread, or a drain that
 * dies at any step. docs/drain.md; log/requests.h.
 *
 *     step here               what it stands for
 *     ----------------------  ------------------------------------------------------------------------------------------------
 *     asked, wish             struct stream_request of one entry: the wish first, then its number
 *     answered, is_open       the log's copy of struct stream_answer: the number last
 *     page, page_open         the drain's page. It stays behind a drain that dies; the next one writes another
 *     slot[2]                 whether each checkpoint slot names the stream: written one after the other
 *     byte1, wants            the lock file: who drains; a drain that waits for that
 *     count, waiting          the event count keeper.drained, on which callers wait without a limit
 *     look                    hand_over_look, and the step behind it. It comes at least once in each interval: so it is modelled
 *                             as possible while it has something to do, and nobody rings for it
 *
 * Always: a stream takes records only if both slots name it; one process serves. In the end each call has returned, and the
 * stream is open where it shall be, and nowhere else: no wish is forgotten, and no bell lost.
 */
#ifndef ROUNDS
#define ROUNDS 2 /* opens and closes */
#endif
#ifndef DEATHS
#define DEATHS 2
#endif

#define NOBODY 255
#define LOG 0
#define DRAIN 1

byte asked, answered, page;
bool wish, is_open, page_open;
bool slot[2];
byte byte1 = NOBODY;
bool wants, finished;
bool has_open[2];  /* the stream is open in the drainer of the log, of the drain */
byte count, waiting;
byte deaths = DEATHS;

inline ring_bell() {
    if
    :: waiting > 0 -> count++
    :: else
    fi
}

/* Brings the stream to the state that is wished. */
inline serve(me, wished) {
    if
    :: wished && !has_open[me] ->
        assert(byte1 == me);
        slot[0] = true;
        slot[1] = true;
        has_open[me] = true
    :: !wished -> has_open[me] = false
    :: else
    fi
}

proctype Application() {
    byte round, ticket, mine;
    do
    :: round < ROUNDS ->
        round++;
        wish = true;
        asked++;
        mine = asked;
        do /* log_await_answer */
        :: atomic { waiting++; ticket = count };
            if
            :: answered >= mine -> waiting--; break
            :: else -> atomic { count != ticket -> waiting-- }
            fi
        od;
        assert(is_open && slot[0] && slot[1]); /* it takes records */
        if
        :: round < ROUNDS || ROUNDS == 1 ->
            wish = false;
            asked++
        :: else /* it stays open */
        fi
    :: else -> break
    od;
    finished = true
}

/* Deals with the requests in this process. */
inline answer_here() {
    number = asked;
    serve(LOG, wish);
    atomic { is_open = has_open[LOG]; answered = number };
    ring_bell()
}

/* The thread burst-drain of the log. */
proctype Log() {
    byte number;
    bool open;
    do
    :: byte1 == LOG && wants -> /* gives way, behind a step */
        if
        :: asked != answered -> answer_here()
        :: else
        fi;
        has_open[LOG] = false;
        byte1 = NOBODY
    :: byte1 == LOG && !wants && asked != answered -> answer_here()
    :: byte1 == DRAIN && page > answered && page <= asked ->
        atomic { number = page; open = page_open }; /* a page with a checksum is whole */
        if
        :: open && !(slot[0] && slot[1]) /* not yet */
        :: number > answered && !(open && !(slot[0] && slot[1])) ->
            atomic { is_open = open; answered = number };
            ring_bell()
        :: else
        fi
    :: atomic { byte1 == NOBODY && !wants -> byte1 = LOG };
        if
        :: wish -> answered = 0 /* requests_begin_anew */
        :: else
        fi;
        has_open[LOG] = false
    :: finished && asked == answered && byte1 == DRAIN -> break
    od
}

#define MAY_DIE (deaths > 0)

proctype Drain() {
    byte done, number;
begin:
    wants = true;
    atomic { byte1 == NOBODY -> byte1 = DRAIN };
    wants = false;
    done = 0;
    has_open[DRAIN] = false;
    do
    :: asked != done ->
        number = asked;
        serve(DRAIN, wish);
        done = number;
        if
        :: atomic { MAY_DIE -> deaths--; has_open[DRAIN] = false; byte1 = NOBODY }; goto begin
        :: atomic { page = done; page_open = has_open[DRAIN] }
        fi
    :: atomic { MAY_DIE -> deaths--; has_open[DRAIN] = false; byte1 = NOBODY }; goto begin
    :: finished && asked == done && answered == asked -> break
    od
}

init {
    atomic {
        run Application();
        run Log();
        run Drain()
    }
    (_nr_pr == 1);
    assert(has_open[DRAIN] == wish && !has_open[LOG])
}
