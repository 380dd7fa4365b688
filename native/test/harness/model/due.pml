/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who sleeps until the end of a commit notes that beside its futex word, and the end of a commit makes no system call where
 * nobody has noted anything: leader.c note_due, wake_due, due_mark, is_later. No sleeper is forgotten: whoever sleeps until
 * the end of commit c is awake once the ends of all commits up to c have done their part, in whatever order. wake.pml has the
 * same steps among all others of leader.c, with three threads; here are as many as a mistake needs.
 *
 *     step here       what it stands for
 *     --------------  ---------------------------------------------------------------------------------------------
 *     clock           count_finished: only the leader counts, so the commits end one after the other
 *     ending          wake_after_count: a leader may come to it when others have ended long ago
 *     sleeper         sleep_in_group, of the commit under way or of the next one; it may be late at each step
 *
 * A count has 8 bits instead of 32, and wraps while the model runs.
 */
#ifndef ENDS
#define ENDS 3
#endif
#ifndef SLEEPERS
#define SLEEPERS 2
#endif
#ifndef SLEEPS
#define SLEEPS 1 /* of each sleeper */
#endif
#define BEGIN 254 /* the first count */
#define COUNT(c) ((BEGIN + (c)) % 256)
#define MARK(c) (COUNT(c) - COUNT(c) % 2 + 1)
#define IS_LATER(mark, than) ((mark) != (than) && ((mark) + 256 - (than)) % 256 < 128)

byte ended;      /* so many commits have ended; as a count it is COUNT(ended) */
byte due[2];     /* 0: nobody has noted anything */
byte until[SLEEPERS]; /* 1 + the commit until whose end it sleeps; 0: awake */
byte finished_endings, finished_sleepers;

#define IS_ON(i, word) (until[i] != 0 && (until[i] - 1) % 2 == (word))

proctype ending(byte c) {
    byte seen, i;
    if
    :: atomic { due[(c + 1) % 2] != 0 ->
            if
            :: IS_ON(0, (c + 1) % 2) -> until[0] = 0
            :: IS_ON(1, (c + 1) % 2) -> until[1] = 0
            :: IS_ON(SLEEPERS - 1, (c + 1) % 2) -> until[SLEEPERS - 1] = 0
            :: else
            fi }
    :: due[(c + 1) % 2] == 0
    fi;
    if
    :: atomic { due[c % 2] != 0 -> seen = due[c % 2] };
        if
        :: atomic { !IS_LATER(seen, MARK(c)) && due[c % 2] == seen -> due[c % 2] = 0 }
        :: else
        fi;
        d_step {
            do
            :: i < SLEEPERS -> until[i] = (IS_ON(i, c % 2) -> 0 : until[i]); i++
            :: else -> break
            od;
            finished_endings++
        }
    :: atomic { due[c % 2] == 0 -> finished_endings++ }
    fi
}

proctype sleeper(byte i) {
    byte c, last, seen, sleeps;
    do
    :: sleeps < SLEEPS ->
        atomic {
            sleeps++;
            c = ended;
            if
            :: last = c
            :: last = c + 1
            fi
        };
        atomic { /* an exchange that fails is tried again with what it found */
            if
            :: due[last % 2] == 0 || IS_LATER(MARK(last), due[last % 2]) -> due[last % 2] = MARK(last)
            :: else
            fi
        };
        if
        :: atomic { ended == c -> until[i] = last + 1; c = 0; last = 0 } /* the kernel compares and lies down at once */
        :: atomic { ended != c -> c = 0; last = 0 }
        fi;
        atomic { until[i] == 0 || (finished_endings == ENDS && until[i] > ENDS); until[i] = 0 } /* none of these ends wakes it */
    :: sleeps == SLEEPS -> break
    od;
    finished_sleepers++
}

init {
    byte i;
    atomic {
        do
        :: i < SLEEPERS -> run sleeper(i); i++
        :: else -> break
        od;
        i = 0
    };
    do
    :: i < ENDS -> atomic { ended++; run ending(i); i++ }
    :: else -> break
    od;
    finished_endings == ENDS && finished_sleepers == SLEEPERS
}
