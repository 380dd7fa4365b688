/* SPDX-License-Identifier: Apache-2.0 */
/* What is known of a log file when the next act is decided on. The first value of a dear fact says that nobody has asked. */
#ifndef BURST_OUTLET_FILE_FACTS_H
#define BURST_OUTLET_FILE_FACTS_H

#include <stdint.h>

enum file_moment {
    MOMENT_BIND,   /* a stream gets this file */
    MOMENT_FIND,   /* none is open: the file of the newest checkpoint is looked for */
    MOMENT_BEGIN,  /* none is open: the next one is begun */
    MOMENT_WRITE,  /* before each write, also of a footer or header; without bytes the drain only looks */
    MOMENT_SYNCED, /* a sync has answered */
    MOMENT_ROLL,   /* phase ROLLING: the footer is noted, the file gets its other name and the next one begins */
    MOMENT_MOVED,  /* the open found the log diverted, and what waited was moved */
    MOMENTS
};

/* The file that is open: behind the first one, in the order of enum destination_state. */
enum fact_handle {
    HANDLE_CLOSED, /* none is */
    HANDLE_OURS,
    HANDLE_DELETED,
    HANDLE_RENAMED,
    HANDLE_EXTENDED,
    HANDLE_TRUNCATED,
    HANDLE_CHANGED,
    HANDLE_CUT_OFF,
    HANDLE_UNMOUNTED,
    HANDLES
};

/* How much of it both slots note. */
enum fact_noted { NOTED_ALL, NOTED_SOME, NOTED_PARTLY /* it has the begin of the batch that is written */, NOTEDS };

/* What it had behind the noted length when it was opened. */
enum fact_redo {
    REDO_NONE,
    REDO_NOT_ASKED,
    REDO_SAME,  /* what the redo writes there */
    REDO_BLANK, /* zeros, or less */
    REDO_OTHER,
    REDO_UNREADABLE,
    REDOS
};

/* Which file gets the next byte, while none is open. */
enum fact_next {
    NEXT_FILE_NOTED,     /* the one of the newest checkpoint, which nobody has looked for yet */
    NEXT_FILE_SAME,      /* the same, once its file system is there again */
    NEXT_FILE_SAME_NAME, /* a new one in the place of one that others took away */
    NEXT_FILE_DIVERTED,  /* another one than that which was left */
    NEXTS
};

/* What stands under the noted name. */
enum fact_name {
    NAME_NOT_ASKED,
    NAME_SAME, /* the file */
    NAME_OTHER,
    NAME_UNKNOWN, /* only its bytes can say */
    NAME_MISSING,
    NAME_NO_FOLDER, /* a file stands in the place of its folder */
    NAME_UNREADABLE,
    NAMES
};

/* What was opened because it may be the file. */
enum fact_candidate {
    CANDIDATE_NOT_ASKED,
    CANDIDATE_NAMED,     /* it is, under its name */
    CANDIDATE_NOT_NAMED, /* what has the name is shorter, or ends otherwise, or is gone */
    CANDIDATE_RENAMED,   /* it is, in its folder */
    CANDIDATE_NUMBERED,  /* the same, but only an inode number speaks for it: no handle, birth time or noted byte */
    CANDIDATE_HIDDEN,    /* it was found in its folder, and has its name after all */
    CANDIDATE_ABSENT,    /* it is not in its folder */
    CANDIDATE_COPY,      /* another file has its name, and reads like it */
    CANDIDATE_NO_COPY,
    CANDIDATE_HELD,       /* others hold what may be it, under another name */
    CANDIDATE_UNREADABLE, /* the folder, or what may be it, under another name */
    CANDIDATE_SHUT,       /* what has its name, or was opened, cannot be used now */
    CANDIDATES
};

enum fact_length { LENGTH_EMPTY /* no byte of it is noted */, LENGTH_FILLED, LENGTHS };

/* Whether anybody misses a file that is not found. */
enum fact_missed {
    MISSED_NOT_ASKED,
    MISSED_NO, /* it had no byte, none waits for it, and nobody else has its name */
    MISSED_YES,
    MISSEDS
};

enum fact_diverted {
    DIVERTED_NO,
    DIVERTED_YES,
    DIVERTED_OLD /* to a name that a pattern of rolled files may make */,
    DIVERTEDS
};

/* What stands under the configured name of a diverted log. */
enum fact_configured {
    CONFIGURED_NOT_ASKED,
    CONFIGURED_FREE, /* an empty file, or none in the folder of the log */
    CONFIGURED_OURS, /* others gave it to the file that is open */
    CONFIGURED_TAKEN,
    CONFIGURED_ELSEWHERE, /* it leads to another folder, and nothing is there */
    CONFIGURED_UNREADABLE,
    CONFIGUREDS
};

enum fact_mount {
    MOUNT_NOT_ASKED,
    MOUNT_HERE,
    MOUNT_AWAY /* it would hide a file that is begun now */,
    MOUNT_UNKNOWN,
    MOUNTS
};

enum fact_caller { CALLER_DRAIN, CALLER_OPEN /* waits for a lock, and may refuse */, CALLER_ROLL, CALLERS };

/* Others may hold a file for a moment. */
enum fact_lock { LOCK_WAIT /* there is time */, LOCK_OVER, LOCK_PASSED /* a held candidate is passed over */, LOCKS };

/* The act of this call that has failed. */
enum fact_tried { TRIED_NOTHING, TRIED_NAME, TRIED_DIVERTED_NAME, TRIED_RENAME, TRIED_MOVE /* by the drain */, TRIEDS };

/* Its error, or that of the sync. */
enum fact_error {
    ERROR_NONE,
    ERROR_EXISTS,
    ERROR_HELD,
    ERROR_PASSING, /* a full disk, EIO: it may pass by itself */
    ERROR_WAITS,   /* for whoever performs a roll */
    ERROR_RING,    /* what is there is a ring */
    ERROR_LASTING,
    ERRORS
};

/* Of a file that could not be synced, back to the noted length. */
enum fact_cut { CUT_NOT_TRIED, CUT_DONE, CUT_FAILED, CUTS };

/* Whether the file that is rolled still has its name. */
enum fact_own {
    OWN_NOT_ASKED,
    OWN_ITS,
    OWN_GONE, /* it was renamed, by this roll before a crash or by others */
    OWN_UNMOUNTED,
    OWN_DEAD, /* the open file cannot be looked at */
    OWN_UNREADABLE,
    OWNS
};

/* Whoever performs the rolls. */
enum fact_roller {
    ROLLER_NOT_ASKED,
    ROLLER_NOBODY, /* as the record says */
    ROLLER_ANSWERED,
    ROLLER_REFUSES,
    ROLLER_WAITS,
    ROLLER_FAILED,
    ROLLERS
};

/* What is to become of the file that is rolled. */
enum fact_plan {
    PLAN_RENAME,
    PLAN_KEEP,  /* it keeps its name, and one of another name begins */
    PLAN_GO_ON, /* the next one has its name as well */
    PLANS
};

enum fact_target { TARGET_OPEN, TARGET_DONE /* it has its other name */, TARGETS };

/* Whoever owns the ring may have made it up. */
enum fact_trust { TRUST_ALL, TRUST_RECORD /* which this process appended, and no other */, TRUST_NOTHING, TRUSTS };

enum fact_phase { PHASE_WRITING, PHASE_ROLLING /* the noted file gets no byte */, PHASES };

/* X(fact, number of its values) */
#define FILE_FACTS(X)                                                                                                  \
    X(handle, HANDLES)                                                                                                 \
    X(noted, NOTEDS)                                                                                                   \
    X(redo, REDOS)                                                                                                     \
    X(next, NEXTS)                                                                                                     \
    X(name, NAMES)                                                                                                     \
    X(candidate, CANDIDATES)                                                                                           \
    X(length, LENGTHS)                                                                                                 \
    X(missed, MISSEDS)                                                                                                 \
    X(diverted, DIVERTEDS)                                                                                             \
    X(configured, CONFIGUREDS)                                                                                         \
    X(mount, MOUNTS)                                                                                                   \
    X(caller, CALLERS)                                                                                                 \
    X(lock, LOCKS)                                                                                                     \
    X(tried, TRIEDS)                                                                                                   \
    X(error, ERRORS)                                                                                                   \
    X(cut, CUTS)                                                                                                       \
    X(own, OWNS)                                                                                                       \
    X(roller, ROLLERS)                                                                                                 \
    X(plan, PLANS)                                                                                                     \
    X(target, TARGETS)                                                                                                 \
    X(trust, TRUSTS)                                                                                                   \
    X(phase, PHASES)

struct file_facts {
#define FILE_FACT(fact, values) uint8_t fact;
    FILE_FACTS(FILE_FACT)
#undef FILE_FACT
};

/* The dear ones: a system call or more each, and of some an open file. */
enum file_question {
    ASK_NOTHING,
    ASK_REDO,   /* compares all of the redo, or the bytes that are written next */
    ASK_NAME,   /* opens nothing */
    ASK_NAMED,  /* opens what has the noted name, if it is the file */
    ASK_FOLDER, /* looks through its folder, and opens what is the file */
    ASK_COPY,   /* opens what has the noted name, if it reads like the file */
    ASK_MISSED,
    ASK_CONFIGURED, /* opens nothing */
    ASK_MOUNT,
    ASK_OWN,
    ASK_ROLLER, /* who may rename the file: then its own name is looked at anew */
};

#endif
