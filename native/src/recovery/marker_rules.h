/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The block that the next epoch's marker takes, as a pure function of eight facts. Its rows are those of
 * docs/recovery.md; the first row that applies decides. A test walks all combinations.
 */
#ifndef BURST_RECOVERY_MARKER_RULES_H
#define BURST_RECOVERY_MARKER_RULES_H

enum marker_place {
    MARKER_BEHIND_ALL,    /* the first block behind the log and behind every write that may yet arrive */
    MARKER_BEHIND_HIDDEN, /* the first block behind the unreadable ones */
    MARKER_IN_FIRST,      /* the last marker has the second block of its pair: this one takes the first */
    MARKER_IN_SECOND,     /* the last marker has the first block of its pair: this one takes the second */
    MARKER_IN_PLACE,      /* the pair has one block left: this marker overwrites the last one */
};

/* How the walk reached the last marker. */
enum marker_reached {
    REACHED_FROM_ITS_END, /* from the end of the log that the marker names */
    REACHED_OVER_DAMAGE,  /* from that end, but damage lies between */
    REACHED_ELSEWHERE,    /* from another position */
};

enum marker_pair {
    PAIR_SECOND,     /* the last marker is in the second block of its pair */
    PAIR_FIRST,      /* in the first */
    PAIR_FIRST_ONLY, /* in the first, and the window has no second */
};

struct marker_facts {
    /* Unreadable blocks may hide records that nothing else mentions, and there is room behind them. */
    int hides_with_room;
    int ends_in_marker; /* the last record of the log is a marker */
    /* A later marker, a watermark or a failed write beyond it proves that this marker's epoch was in use. */
    int is_known_elsewhere;
    /* The marker stands in one of the two blocks that it names, at or behind the end of the log that it names. */
    int is_well_formed;
    int is_in_last_block; /* no other marker has room behind it in this window */
    enum marker_reached reached;
    enum marker_pair pair;
};

/*
 * The first six rows keep the last marker. It gives way only if its epoch wrote nothing and nothing else mentions it:
 * each record has a watermark that does, and so does a marker that overwrote another. Behind damage it stays, since it
 * may be the only proof of how far the damage reaches. But in the last block of a full ring there is no other way to
 * open.
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
