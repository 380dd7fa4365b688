/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which block the marker of the next epoch takes: a pure function of eight facts. Its rows are those of docs/recovery.md; the
 * first one that applies decides. A test walks all combinations.
 */
#ifndef BURST_RECOVERY_MARKER_RULES_H
#define BURST_RECOVERY_MARKER_RULES_H

enum marker_place {
    MARKER_BEHIND_ALL,    /* the first block behind the log and behind every write that may yet arrive */
    MARKER_BEHIND_HIDDEN, /* the first block behind what cannot be read */
    MARKER_IN_FIRST,      /* the last marker has the second block of its pair: this one takes the first */
    MARKER_IN_SECOND,     /* the last marker has the first block of its pair: this one takes the second */
    MARKER_IN_PLACE,      /* the pair has one block left: this marker overwrites the last one */
};

/* How the walk came to the last marker. */
enum marker_reached {
    REACHED_FROM_ITS_END, /* from the end of the log that the marker names */
    REACHED_OVER_DAMAGE,  /* the same, but damage lies between */
    REACHED_ELSEWHERE,    /* from another position */
};

enum marker_pair {
    PAIR_SECOND,     /* the last marker is in the second block of its pair */
    PAIR_FIRST,      /* in the first */
    PAIR_FIRST_ONLY, /* in the first, and the window has no second */
};

struct marker_facts {
    int hides_with_room;    /* unreadable blocks may hide what nothing else mentions; there is room behind them */
    int ends_in_marker;     /* the last record of the log is a marker */
    int is_known_elsewhere; /* a later marker, a watermark or a failed write beyond it mentions that marker's epoch */
    int is_well_formed;   /* the marker stands in one of the two blocks that it names, at or behind the end it names */
    int is_in_last_block; /* no marker can go behind it in this window */
    enum marker_reached reached;
    enum marker_pair pair;
};

/*
 * The first six rows keep the last marker. It gives way only if its epoch wrote nothing and nothing else mentions it: every
 * record has a watermark that does, and so has the marker that took the place of one. Behind damage it stays, since it may be
 * all that proves how far the damage reaches; but in the last block of a full ring there is no other way to open.
 */
static inline enum marker_place marker_place_for(struct marker_facts facts) {
    return facts.hides_with_room                                             ? MARKER_BEHIND_HIDDEN
           : !facts.ends_in_marker                                           ? MARKER_BEHIND_ALL
           : facts.is_known_elsewhere                                        ? MARKER_BEHIND_ALL
           : !facts.is_well_formed                                           ? MARKER_BEHIND_ALL
           : facts.reached == REACHED_ELSEWHERE                              ? MARKER_BEHIND_ALL
           : facts.reached == REACHED_OVER_DAMAGE && !facts.is_in_last_block ? MARKER_BEHIND_ALL
           : facts.pair == PAIR_SECOND                                       ? MARKER_IN_FIRST
           : facts.pair == PAIR_FIRST                                        ? MARKER_IN_SECOND
                                                                             : MARKER_IN_PLACE;
}

#endif
