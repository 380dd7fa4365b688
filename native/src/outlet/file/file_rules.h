/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The act on a log file: a pure function of moment and facts. The first row whose facts all hold decides. A fact that a
 * row does not name may have any value. docs/recovery.md has the rows with their labels. A test compares the two, and
 * walks all combinations of each moment.
 */
#ifndef BURST_OUTLET_FILE_RULES_H
#define BURST_OUTLET_FILE_RULES_H

#include <stddef.h>

#include "outlet/file/file_facts.h"

enum file_action {
    FILE_ASK,              /* ask for one more fact */
    FILE_GO_ON,            /* READY */
    FILE_STALL,            /* the error is the answer */
    FILE_REFUSE,           /* the error is the answer, with a sentence: the log must not be opened */
    FILE_WAIT_FOR_LOCK,    /* wait, then look again */
    FILE_PASS_OVER,        /* the held file is not the noted one; look again */
    FILE_AWAIT_ROLL,       /* READY without an open file: the roll will open it */
    FILE_FIND,             /* the moment is FIND from now on */
    FILE_BEGIN,            /* the moment is BEGIN from now on */
    FILE_BIND,             /* continue or create the file at the path: NOTE */
    FILE_CONTINUE,         /* the candidate is the noted file: NOTE */
    FILE_SYNC_FIRST,       /* SYNC */
    FILE_REWIND_SAME,      /* leave the file; open the same one again: REWIND */
    FILE_REWIND_SAME_NAME, /* leave the file; a new one gets its name: REWIND */
    FILE_REWIND_DIVERTED,  /* leave the file; another one follows: REWIND */
    FILE_NEXT_SAME_NAME,   /* leave the file; begin one of the same name */
    FILE_NEXT_DIVERTED,    /* leave the file; begin one of a diverted name */
    FILE_CREATE_NAME,      /* begin a file of the noted name: NOTE */
    FILE_CREATE_FREE,      /* begin the configured file, whose name is free: NOTE */
    FILE_CREATE_DIVERTED,  /* begin a file of the first free diverted name: NOTE */
    FILE_TAKE_NAME,        /* others gave it the configured name, which it has from now on: NOTE */
    FILE_GO_BACK,          /* leave the diverted file, which is complete, for the configured one: NOTE */
    FILE_STAY,             /* go on in the diverted file: READY */
    FILE_DROP_OLD_NAME,    /* give the diverted file a name of today's form: NOTE; MOVE if the open asked */
    FILE_HAND_UP,          /* hand up the synced state: READY */
    FILE_CUT,              /* cut the file back to the noted length */
    FILE_KEEP_UNCUT,       /* do not cut: others wrote bytes there */
    FILE_FAIL_SAME,        /* leave the file; open the same one again; the error is the answer */
    FILE_FAIL_DIVERTED,    /* leave the file for another one; the error is the answer */
    FILE_FAIL_NOTED,       /* leave the file; look for it the next time; the error is the answer */
    FILE_GIVE_UP_ROLL,     /* the file goes on without a roll: NOTE */
    FILE_RENAME,           /* rename the file to the first free name of the target */
    FILE_BEGIN_ROLLED,     /* the names are durable: leave the file; begin the next one */
    FILE_ACTIONS
};

/* Sentences about the acts of others, and what follows. The outlet tells of its own acts when both slots have them. */
enum file_sentence {
    SAY_NOTHING,
    SAY_DELETED,
    SAY_CUT,
    SAY_CUT_AND_GROWN,
    SAY_EXTENDED,
    SAY_EXTENDED_TWICE,
    SAY_RENAMED,
    SAY_OTHER_BYTES,
    SAY_FOUND_RENAMED,
    SAY_FOUND_COPY,
    SAY_FOUND_EXTENDED,
    SAY_GONE,
    SAY_NOT_THE_ONE,
    SAY_SYNC_FAILED,
    SAY_NOT_CUT,
    SAY_STAYS_DIVERTED,
    SAY_UNMOUNTED,
    SAY_UNREADABLE,
    SAY_CANNOT_BE_OPENED,
    SAY_CANNOT_BE_READ,
    SAY_HELD,
    SAY_IS_RING,
    SAY_NOT_ROLLED,
    SAY_ROLL_FORBIDDEN,
    FILE_SENTENCES
};

struct file_row {
    const char *label;
    enum file_action action;
    enum file_question question; /* only for FILE_ASK */
    enum file_sentence sentence;
    unsigned moments;                          /* a bit for each moment */
#define FILE_FACT(fact, values) unsigned fact; /* a bit for each value; 0: any */
    FILE_FACTS(FILE_FACT)
#undef FILE_FACT
};

#define IS(value) (1u << (value))
#define TWO(one, two) (IS(one) | IS(two))

static const struct file_row file_rows[] = {
    /* Before a write, within a batch, in a redo; and for a diverted log after the waiting records were moved. */
    {"W1", FILE_GO_ON, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_WRITE), .handle = IS(HANDLE_OURS),
     .redo = IS(REDO_NONE) | IS(REDO_SAME) | IS(REDO_BLANK)},
    {"T1", FILE_STAY, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_MOVED), .tried = IS(TRIED_MOVE),
     .error = IS(ERROR_WAITS)},
    {"T2", FILE_STAY, ASK_NOTHING, SAY_STAYS_DIVERTED, .moments = IS(MOMENT_MOVED), .tried = IS(TRIED_MOVE)},
    {"W2", FILE_FIND, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED), .handle = IS(HANDLE_CLOSED),
     .next = TWO(NEXT_FILE_NOTED, NEXT_FILE_SAME)},
    {"W3", FILE_BEGIN, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_CLOSED)},
    {"W4", FILE_ASK, ASK_REDO, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_OURS) | IS(HANDLE_RENAMED) | IS(HANDLE_EXTENDED), .redo = IS(REDO_NOT_ASKED)},
    {"W5", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_OURS) | IS(HANDLE_RENAMED) | IS(HANDLE_EXTENDED), .redo = IS(REDO_UNREADABLE)},
    {"W6", FILE_REWIND_DIVERTED, ASK_NOTHING, SAY_OTHER_BYTES, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_OURS) | IS(HANDLE_RENAMED) | IS(HANDLE_EXTENDED), .redo = IS(REDO_OTHER)},
    /* A redo first adds the bytes that the file lacks, even to a renamed or extended one, and compares before it
     * writes. */
    {"W7", FILE_GO_ON, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_WRITE),
     .handle = TWO(HANDLE_RENAMED, HANDLE_EXTENDED), .redo = TWO(REDO_SAME, REDO_BLANK)},
    {"W8", FILE_REWIND_SAME, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_CUT_OFF)},
    /* An unmounted file system lives as long as a file of it is open, and keeps the bytes that it gets. */
    {"W9", FILE_SYNC_FIRST, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_UNMOUNTED), .noted = IS(NOTED_SOME)},
    {"W10", FILE_REWIND_SAME, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_UNMOUNTED)},
    {"W11", FILE_REWIND_SAME_NAME, ASK_NOTHING, SAY_DELETED, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_DELETED)},
    {"W12", FILE_REWIND_DIVERTED, ASK_NOTHING, SAY_CUT, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_TRUNCATED)},
    {"W13", FILE_REWIND_DIVERTED, ASK_NOTHING, SAY_CUT_AND_GROWN, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_CHANGED)},
    /* A renamed file is left behind this batch. */
    {"W14", FILE_GO_ON, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_WRITE), .handle = IS(HANDLE_RENAMED),
     .noted = IS(NOTED_PARTLY)},
    {"W15", FILE_REWIND_DIVERTED, ASK_NOTHING, SAY_EXTENDED_TWICE, .moments = IS(MOMENT_WRITE),
     .handle = IS(HANDLE_EXTENDED), .noted = IS(NOTED_PARTLY)},
    /* Written bytes stay where they are, once they are durable and noted. */
    {"W16", FILE_SYNC_FIRST, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = TWO(HANDLE_RENAMED, HANDLE_EXTENDED), .redo = IS(REDO_NONE), .noted = TWO(NOTED_SOME, NOTED_PARTLY)},
    {"W17", FILE_ASK, ASK_CONFIGURED, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_RENAMED), .redo = IS(REDO_NONE), .diverted = TWO(DIVERTED_YES, DIVERTED_OLD),
     .configured = IS(CONFIGURED_NOT_ASKED)},
    {"W18", FILE_TAKE_NAME, ASK_NOTHING, SAY_NOTHING, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_RENAMED), .redo = IS(REDO_NONE), .diverted = TWO(DIVERTED_YES, DIVERTED_OLD),
     .configured = IS(CONFIGURED_OURS)},
    {"W19", FILE_NEXT_SAME_NAME, ASK_NOTHING, SAY_RENAMED, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_RENAMED), .redo = IS(REDO_NONE)},
    {"W20", FILE_NEXT_DIVERTED, ASK_NOTHING, SAY_EXTENDED, .moments = TWO(MOMENT_WRITE, MOMENT_MOVED),
     .handle = IS(HANDLE_EXTENDED), .redo = IS(REDO_NONE)},
    {"T3", FILE_SYNC_FIRST, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_MOVED),
     .noted = TWO(NOTED_SOME, NOTED_PARTLY)},
    {"T4", FILE_STAY, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_MOVED), .diverted = IS(DIVERTED_NO)},
    {"T5", FILE_ASK, ASK_CONFIGURED, SAY_NOTHING, .moments = IS(MOMENT_MOVED), .configured = IS(CONFIGURED_NOT_ASKED)},
    {"T6", FILE_TAKE_NAME, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_MOVED), .configured = IS(CONFIGURED_OURS)},
    {"T7", FILE_DROP_OLD_NAME, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_MOVED), .diverted = IS(DIVERTED_OLD),
     .trust = IS(TRUST_ALL), .tried = IS(TRIED_NOTHING)},
    {"T8", FILE_GO_BACK, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_MOVED), .configured = IS(CONFIGURED_FREE),
     .tried = TWO(TRIED_NOTHING, TRIED_RENAME)},
    {"T9", FILE_STAY, ASK_NOTHING, SAY_STAYS_DIVERTED, .moments = IS(MOMENT_MOVED)},

    /* No file is open: looks for the one of the newest checkpoint. */
    {"F1", FILE_AWAIT_ROLL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .caller = IS(CALLER_OPEN),
     .phase = IS(PHASE_ROLLING)},
    {"F2", FILE_WAIT_FOR_LOCK, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .candidate = IS(CANDIDATE_HELD),
     .caller = IS(CALLER_OPEN), .lock = IS(LOCK_WAIT)},
    /* The search passes over a renamed file that others hold, and tells the operator. */
    {"F3", FILE_PASS_OVER, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .candidate = IS(CANDIDATE_HELD),
     .caller = IS(CALLER_OPEN), .lock = IS(LOCK_OVER)},
    {"F4", FILE_WAIT_FOR_LOCK, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .candidate = IS(CANDIDATE_SHUT),
     .error = IS(ERROR_HELD), .caller = IS(CALLER_OPEN), .lock = IS(LOCK_WAIT)},
    {"F5", FILE_REFUSE, ASK_NOTHING, SAY_HELD, .moments = IS(MOMENT_FIND), .candidate = IS(CANDIDATE_SHUT),
     .error = IS(ERROR_HELD), .caller = IS(CALLER_OPEN)},
    {"F6", FILE_REFUSE, ASK_NOTHING, SAY_CANNOT_BE_READ, .moments = IS(MOMENT_FIND), .candidate = IS(CANDIDATE_SHUT),
     .error = IS(ERROR_PASSING), .caller = IS(CALLER_OPEN)},
    {"F7", FILE_REFUSE, ASK_NOTHING, SAY_CANNOT_BE_OPENED, .moments = IS(MOMENT_FIND), .candidate = IS(CANDIDATE_SHUT),
     .caller = IS(CALLER_OPEN)},
    {"F8", FILE_REFUSE, ASK_NOTHING, SAY_UNREADABLE, .moments = IS(MOMENT_FIND),
     .candidate = TWO(CANDIDATE_HELD, CANDIDATE_UNREADABLE), .caller = IS(CALLER_OPEN)},
    {"F9", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND),
     .candidate = IS(CANDIDATE_HELD) | IS(CANDIDATE_SHUT) | IS(CANDIDATE_UNREADABLE)},
    {"F10", FILE_ASK, ASK_NAME, SAY_NOTHING, .moments = IS(MOMENT_FIND), .name = IS(NAME_NOT_ASKED)},
    {"F11", FILE_REFUSE, ASK_NOTHING, SAY_CANNOT_BE_READ, .moments = IS(MOMENT_FIND), .name = IS(NAME_UNREADABLE),
     .error = IS(ERROR_PASSING), .caller = IS(CALLER_OPEN)},
    {"F12", FILE_REFUSE, ASK_NOTHING, SAY_CANNOT_BE_OPENED, .moments = IS(MOMENT_FIND), .name = IS(NAME_UNREADABLE),
     .caller = IS(CALLER_OPEN)},
    {"F13", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .name = IS(NAME_UNREADABLE)},
    {"F14", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .next = IS(NEXT_FILE_SAME),
     .name = IS(NAME_NO_FOLDER)},
    {"F15", FILE_ASK, ASK_MOUNT, SAY_NOTHING, .moments = IS(MOMENT_FIND), .next = IS(NEXT_FILE_SAME),
     .name = IS(NAME_MISSING), .mount = IS(MOUNT_NOT_ASKED)},
    {"F16", FILE_REFUSE, ASK_NOTHING, SAY_UNMOUNTED, .moments = IS(MOMENT_FIND), .mount = IS(MOUNT_AWAY),
     .caller = IS(CALLER_OPEN)},
    {"F17", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .mount = IS(MOUNT_AWAY)},
    {"F18", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .next = IS(NEXT_FILE_SAME),
     .name = IS(NAME_MISSING), .mount = IS(MOUNT_UNKNOWN)},
    {"F19", FILE_ASK, ASK_NAMED, SAY_NOTHING, .moments = IS(MOMENT_FIND), .name = IS(NAME_SAME),
     .candidate = IS(CANDIDATE_NOT_ASKED)},
    {"F20", FILE_ASK, ASK_FOLDER, SAY_NOTHING, .moments = IS(MOMENT_FIND),
     .candidate = TWO(CANDIDATE_NOT_ASKED, CANDIDATE_NOT_NAMED)},
    {"F21", FILE_ASK, ASK_REDO, SAY_NOTHING, .moments = IS(MOMENT_FIND),
     .candidate = IS(CANDIDATE_NAMED) | IS(CANDIDATE_RENAMED) | IS(CANDIDATE_NUMBERED) | IS(CANDIDATE_HIDDEN) |
                  IS(CANDIDATE_COPY),
     .redo = IS(REDO_NONE) | IS(REDO_NOT_ASKED) | IS(REDO_UNREADABLE)},
    {"F22", FILE_CONTINUE, ASK_NOTHING, SAY_FOUND_RENAMED, .moments = IS(MOMENT_FIND),
     .candidate = IS(CANDIDATE_NUMBERED), .redo = IS(REDO_SAME)},
    {"F23", FILE_CONTINUE, ASK_NOTHING, SAY_FOUND_RENAMED, .moments = IS(MOMENT_FIND),
     .candidate = IS(CANDIDATE_RENAMED), .redo = TWO(REDO_SAME, REDO_BLANK)},
    {"F24", FILE_NEXT_SAME_NAME, ASK_NOTHING, SAY_FOUND_EXTENDED, .moments = IS(MOMENT_FIND),
     .candidate = IS(CANDIDATE_RENAMED), .redo = IS(REDO_OTHER)},
    {"F25", FILE_CONTINUE, ASK_NOTHING, SAY_FOUND_COPY, .moments = IS(MOMENT_FIND), .candidate = IS(CANDIDATE_COPY),
     .name = IS(NAME_OTHER), .redo = TWO(REDO_SAME, REDO_BLANK)},
    {"F26", FILE_CONTINUE, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND),
     .candidate = IS(CANDIDATE_NAMED) | IS(CANDIDATE_HIDDEN) | IS(CANDIDATE_COPY), .redo = TWO(REDO_SAME, REDO_BLANK)},
    {"F27", FILE_NEXT_DIVERTED, ASK_NOTHING, SAY_FOUND_EXTENDED, .moments = IS(MOMENT_FIND),
     .candidate = IS(CANDIDATE_NAMED) | IS(CANDIDATE_HIDDEN) | IS(CANDIDATE_COPY), .redo = IS(REDO_OTHER)},
    /* Another file may be a copy from a backup, if its bytes are the noted ones. A file without a noted byte has no
     * copy. */
    {"F28", FILE_ASK, ASK_COPY, SAY_NOTHING, .moments = IS(MOMENT_FIND),
     .candidate = TWO(CANDIDATE_ABSENT, CANDIDATE_NUMBERED), .name = IS(NAME_UNKNOWN)},
    {"F29", FILE_ASK, ASK_COPY, SAY_NOTHING, .moments = IS(MOMENT_FIND),
     .candidate = TWO(CANDIDATE_ABSENT, CANDIDATE_NUMBERED), .name = IS(NAME_OTHER), .length = IS(LENGTH_FILLED)},
    {"F30", FILE_ASK, ASK_MOUNT, SAY_NOTHING, .moments = IS(MOMENT_FIND), .mount = IS(MOUNT_NOT_ASKED)},
    {"F31", FILE_ASK, ASK_MISSED, SAY_NOTHING, .moments = IS(MOMENT_FIND), .missed = IS(MISSED_NOT_ASKED)},
    {"F32", FILE_NEXT_SAME_NAME, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_FIND), .missed = IS(MISSED_NO)},
    {"F33", FILE_NEXT_SAME_NAME, ASK_NOTHING, SAY_GONE, .moments = IS(MOMENT_FIND),
     .name = TWO(NAME_MISSING, NAME_NO_FOLDER)},
    {"F34", FILE_NEXT_SAME_NAME, ASK_NOTHING, SAY_NOT_THE_ONE, .moments = IS(MOMENT_FIND)},

    /* No file is open: begins the next one. */
    {"B1", FILE_ASK, ASK_MOUNT, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .caller = TWO(CALLER_DRAIN, CALLER_OPEN),
     .mount = IS(MOUNT_NOT_ASKED)},
    {"B2", FILE_REFUSE, ASK_NOTHING, SAY_UNMOUNTED, .moments = IS(MOMENT_BEGIN), .caller = IS(CALLER_OPEN),
     .mount = IS(MOUNT_AWAY)},
    {"B3", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .mount = IS(MOUNT_AWAY)},
    {"B4", FILE_ASK, ASK_CONFIGURED, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .tried = IS(TRIED_NOTHING),
     .diverted = TWO(DIVERTED_YES, DIVERTED_OLD), .configured = IS(CONFIGURED_NOT_ASKED)},
    {"B5", FILE_CREATE_FREE, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .tried = IS(TRIED_NOTHING),
     .diverted = TWO(DIVERTED_YES, DIVERTED_OLD), .configured = IS(CONFIGURED_FREE)},
    {"B6", FILE_CREATE_DIVERTED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN),
     .tried = TWO(TRIED_NOTHING, TRIED_NAME), .diverted = TWO(DIVERTED_YES, DIVERTED_OLD)},
    {"B7", FILE_CREATE_NAME, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .tried = IS(TRIED_NOTHING),
     .next = IS(NEXT_FILE_SAME_NAME)},
    {"B8", FILE_CREATE_DIVERTED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .tried = IS(TRIED_NOTHING)},
    /* It was not there a moment ago: it may be the noted one, on a file system that was mounted meanwhile. */
    {"B15", FILE_FIND, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .tried = IS(TRIED_NAME),
     .error = IS(ERROR_EXISTS), .name = TWO(NAME_MISSING, NAME_NO_FOLDER)},
    {"B9", FILE_CREATE_DIVERTED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .tried = IS(TRIED_NAME),
     .error = TWO(ERROR_EXISTS, ERROR_NO_FILE)},
    {"B10", FILE_WAIT_FOR_LOCK, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .error = IS(ERROR_HELD),
     .caller = IS(CALLER_OPEN), .lock = IS(LOCK_WAIT)},
    {"B11", FILE_REFUSE, ASK_NOTHING, SAY_HELD, .moments = IS(MOMENT_BEGIN), .error = IS(ERROR_HELD),
     .caller = IS(CALLER_OPEN)},
    {"B12", FILE_GO_ON, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN), .error = IS(ERROR_PASSING),
     .caller = IS(CALLER_OPEN)},
    {"B13", FILE_REFUSE, ASK_NOTHING, SAY_CANNOT_BE_OPENED, .moments = IS(MOMENT_BEGIN), .caller = IS(CALLER_OPEN)},
    {"B14", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BEGIN)},

    {"S1", FILE_REWIND_SAME_NAME, ASK_NOTHING, SAY_DELETED, .moments = IS(MOMENT_SYNCED), .error = IS(ERROR_NONE),
     .handle = IS(HANDLE_DELETED)},
    {"S2", FILE_REWIND_DIVERTED, ASK_NOTHING, SAY_CUT, .moments = IS(MOMENT_SYNCED), .error = IS(ERROR_NONE),
     .handle = IS(HANDLE_TRUNCATED)},
    {"S3", FILE_REWIND_DIVERTED, ASK_NOTHING, SAY_CUT_AND_GROWN, .moments = IS(MOMENT_SYNCED), .error = IS(ERROR_NONE),
     .handle = IS(HANDLE_CHANGED)},
    {"S4", FILE_HAND_UP, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_SYNCED), .error = IS(ERROR_NONE)},
    /* Such a file cannot be cut. A redo writes the same bytes. */
    {"S5", FILE_FAIL_SAME, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_SYNCED), .cut = IS(CUT_NOT_TRIED),
     .handle = TWO(HANDLE_CUT_OFF, HANDLE_UNMOUNTED)},
    {"S6", FILE_KEEP_UNCUT, ASK_NOTHING, SAY_SYNC_FAILED, .moments = IS(MOMENT_SYNCED), .cut = IS(CUT_NOT_TRIED),
     .handle = TWO(HANDLE_EXTENDED, HANDLE_CHANGED)},
    {"S7", FILE_CUT, ASK_NOTHING, SAY_SYNC_FAILED, .moments = IS(MOMENT_SYNCED), .cut = IS(CUT_NOT_TRIED)},
    {"S8", FILE_FAIL_DIVERTED, ASK_NOTHING, SAY_NOT_CUT, .moments = IS(MOMENT_SYNCED), .cut = IS(CUT_FAILED)},
    {"S9", FILE_FAIL_DIVERTED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_SYNCED)},

    {"R1", FILE_ASK, ASK_OWN, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .own = IS(OWN_NOT_ASKED)},
    {"R2", FILE_FAIL_NOTED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .own = IS(OWN_DEAD)},
    {"R3", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .own = TWO(OWN_UNMOUNTED, OWN_UNREADABLE)},
    {"R4", FILE_BEGIN_ROLLED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .target = IS(TARGET_DONE)},
    {"R16", FILE_GIVE_UP_ROLL, ASK_NOTHING, SAY_ROLL_FORBIDDEN, .moments = IS(MOMENT_ROLL), .tried = IS(TRIED_RENAME),
     .error = IS(ERROR_FORBIDDEN)},
    {"R5", FILE_GIVE_UP_ROLL, ASK_NOTHING, SAY_NOT_ROLLED, .moments = IS(MOMENT_ROLL), .tried = IS(TRIED_RENAME)},
    {"R6", FILE_GIVE_UP_ROLL, ASK_NOTHING, SAY_NOT_ROLLED, .moments = IS(MOMENT_ROLL), .own = IS(OWN_ITS),
     .diverted = IS(DIVERTED_OLD), .trust = TWO(TRUST_RECORD, TRUST_NOTHING)},
    /* This comes before the roller is asked, who would take the file for a rolled one. */
    {"R7", FILE_DROP_OLD_NAME, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .own = IS(OWN_ITS),
     .diverted = IS(DIVERTED_OLD)},
    {"R8", FILE_ASK, ASK_ROLLER, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .roller = IS(ROLLER_NOT_ASKED)},
    {"R9", FILE_STALL, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL),
     .roller = TWO(ROLLER_WAITS, ROLLER_FAILED)},
    {"R10", FILE_BEGIN_ROLLED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .own = IS(OWN_GONE)},
    {"R11", FILE_GIVE_UP_ROLL, ASK_NOTHING, SAY_NOT_ROLLED, .moments = IS(MOMENT_ROLL), .roller = IS(ROLLER_REFUSES)},
    {"R12", FILE_GIVE_UP_ROLL, ASK_NOTHING, SAY_NOT_ROLLED, .moments = IS(MOMENT_ROLL), .roller = IS(ROLLER_NOBODY),
     .trust = IS(TRUST_NOTHING)},
    {"R13", FILE_RENAME, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL), .plan = IS(PLAN_RENAME)},
    {"R14", FILE_GIVE_UP_ROLL, ASK_NOTHING, SAY_NOT_ROLLED, .moments = IS(MOMENT_ROLL), .plan = IS(PLAN_GO_ON),
     .length = IS(LENGTH_FILLED)},
    {"R15", FILE_BEGIN_ROLLED, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_ROLL)},

    {"I1", FILE_BIND, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BIND), .tried = IS(TRIED_NOTHING)},
    {"I2", FILE_WAIT_FOR_LOCK, ASK_NOTHING, SAY_NOTHING, .moments = IS(MOMENT_BIND), .error = IS(ERROR_HELD),
     .lock = IS(LOCK_WAIT)},
    {"I3", FILE_REFUSE, ASK_NOTHING, SAY_HELD, .moments = IS(MOMENT_BIND), .error = IS(ERROR_HELD)},
    {"I4", FILE_REFUSE, ASK_NOTHING, SAY_IS_RING, .moments = IS(MOMENT_BIND), .error = IS(ERROR_RING)},
    {"I5", FILE_REFUSE, ASK_NOTHING, SAY_CANNOT_BE_OPENED, .moments = IS(MOMENT_BIND)},
};

#undef IS
#undef TWO

#define FILE_ROWS (sizeof file_rows / sizeof *file_rows)

/* NULL: no row fits. The test proves that this cannot happen. */
static inline const struct file_row *file_rule_for(enum file_moment moment, const struct file_facts *facts) {
    for (const struct file_row *row = file_rows; row < file_rows + FILE_ROWS; row++) {
#define FILE_FACT(fact, values) &&(row->fact == 0 || row->fact >> facts->fact & 1)
        if (row->moments >> moment & 1 FILE_FACTS(FILE_FACT)) {
            return row;
        }
#undef FILE_FACT
    }
    return NULL;
}

#endif
