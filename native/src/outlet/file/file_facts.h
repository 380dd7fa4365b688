/* SPDX-License-Identifier: Apache-2.0 */
/* The facts about a log file that decide on the next act. Expensive facts have a first value *not asked*. */
#ifndef BURST_OUTLET_FILE_FACTS_H
#define BURST_OUTLET_FILE_FACTS_H

#include <stdint.h>

enum file_moment {
    MOMENT_BIND,   /* a stream gets this file */
    MOMENT_FIND,   /* no file is open: looks for the one of the newest checkpoint */
    MOMENT_BEGIN,  /* no file is open: begins the next one */
    MOMENT_WRITE,  /* before each write, also of a footer or header; without bytes the drain only looks */
    MOMENT_SYNCED, /* after a sync, good or failed */
    MOMENT_ROLL,   /* phase ROLLING: the footer is noted; the file gets its new name, and the next one begins */
    MOMENT_MOVED,  /* the open found the log diverted, and the drain has moved the waiting records */
    MOMENTS
};

/* The open file. Behind the first value the order is that of enum destination_state. */
enum fact_handle {
    HANDLE_CLOSED, /* no file is open */
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

/* How much of the file both slots note. */
enum fact_noted {
    NOTED_ALL,
    NOTED_SOME,
    NOTED_PARTLY /* the file has the first part of the batch that is being written */,
    NOTEDS
};

/* The file's bytes behind the noted length when it was opened. */
enum fact_redo {
    REDO_NONE,
    REDO_NOT_ASKED,
    REDO_SAME,  /* the bytes that the redo writes there */
    REDO_BLANK, /* zeros, or the file ends earlier */
    REDO_OTHER,
    REDO_UNREADABLE,
    REDOS
};

/* The file that gets the next byte, while none is open. */
enum fact_next {
    NEXT_FILE_NOTED,     /* the one of the newest checkpoint, which nobody has looked for yet */
    NEXT_FILE_SAME,      /* the same file, once its file system is there again */
    NEXT_FILE_SAME_NAME, /* a new one in place of one that others took away */
    NEXT_FILE_DIVERTED,  /* another one than the file that was left */
    NEXTS
};

/* The file that has the noted name. */
enum fact_name {
    NAME_NOT_ASKED,
    NAME_SAME, /* the noted file */
    NAME_OTHER,
    NAME_UNKNOWN, /* only its bytes can tell */
    NAME_MISSING,
    NAME_NO_FOLDER, /* a file has the name of its folder */
    NAME_UNREADABLE,
    NAMES
};

/* The file that was opened because it may be the noted one. */
enum fact_candidate {
    CANDIDATE_NOT_ASKED,
    CANDIDATE_NAMED,     /* the noted file, under its name */
    CANDIDATE_NOT_NAMED, /* the file with the name is shorter, ends otherwise, or is gone */
    CANDIDATE_RENAMED,   /* the noted file, under another name in its folder */
    CANDIDATE_NUMBERED,  /* the same, but proved only by an inode number: no handle, no birth time, no noted byte */
    CANDIDATE_HIDDEN,    /* the noted file, found in its folder, but with its own name after all */
    CANDIDATE_ABSENT,    /* the noted file is not in its folder */
    CANDIDATE_COPY,      /* another file that has its name and the same bytes */
    CANDIDATE_NO_COPY,
    CANDIDATE_HELD,       /* others hold a file that may be it, under another name */
    CANDIDATE_UNREADABLE, /* the folder cannot be read, or a file in it that may be the noted one */
    CANDIDATE_SHUT,       /* the file that has its name, or was opened, cannot be used now */
    CANDIDATES
};

enum fact_length { LENGTH_EMPTY /* no byte of the file is noted */, LENGTH_FILLED, LENGTHS };

/* Whether a file that is not found will be missed. */
enum fact_missed {
    MISSED_NOT_ASKED,
    MISSED_NO, /* it had no byte, none waits for it, and no other file has its name */
    MISSED_YES,
    MISSEDS
};

enum fact_diverted {
    DIVERTED_NO,
    DIVERTED_YES,
    DIVERTED_OLD /* under a name that a pattern of rolled files may make */,
    DIVERTEDS
};

/* The file that has the configured name of a diverted log. */
enum fact_configured {
    CONFIGURED_NOT_ASKED,
    CONFIGURED_FREE, /* an empty file; or none, in the log's folder */
    CONFIGURED_OURS, /* the open file: others gave it this name */
    CONFIGURED_TAKEN,
    CONFIGURED_ELSEWHERE, /* the name leads to another folder, and has no file */
    CONFIGURED_UNREADABLE,
    CONFIGUREDS
};

enum fact_mount {
    MOUNT_NOT_ASKED,
    MOUNT_HERE,
    MOUNT_AWAY /* a mount would hide a file that begins now */,
    MOUNT_UNKNOWN,
    MOUNTS
};

enum fact_caller { CALLER_DRAIN, CALLER_OPEN /* may wait for a lock, and may refuse */, CALLER_ROLL, CALLERS };

/* A file that others may hold for a moment. */
enum fact_lock {
    LOCK_WAIT /* there is time to wait */,
    LOCK_OVER,
    LOCK_PASSED /* a held candidate is passed over */,
    LOCKS
};

/* The act of this call that failed. */
enum fact_tried {
    TRIED_NOTHING,
    TRIED_NAME,
    TRIED_DIVERTED_NAME,
    TRIED_RENAME,
    TRIED_MOVE /* tried by the drain */,
    TRIEDS
};

/* The error of that act, or of the sync. */
enum fact_error {
    ERROR_NONE,
    ERROR_EXISTS,
    ERROR_HELD,
    ERROR_PASSING,   /* a full disk, EIO: it may pass by itself */
    ERROR_WAITS,     /* a caller performs a roll, and has not answered */
    ERROR_NO_FILE,   /* the path leads to a FIFO, a socket or a device */
    ERROR_FORBIDDEN, /* EPERM: an attribute of the file, or a sticky folder of another user */
    ERROR_RING,      /* the path leads to a ring */
    ERROR_LASTING,
    ERRORS
};

/* The cut of a file back to its noted length, after a failed sync. */
enum fact_cut { CUT_NOT_TRIED, CUT_DONE, CUT_FAILED, CUTS };

/* Whether the file that is rolled still has its name. */
enum fact_own {
    OWN_NOT_ASKED,
    OWN_ITS,
    OWN_GONE, /* the file was renamed, by this roll before a crash or by others */
    OWN_UNMOUNTED,
    OWN_DEAD, /* the open file cannot be looked at */
    OWN_UNREADABLE,
    OWNS
};

/* The answer about a roll, if the stream's caller performs its rolls. */
enum fact_roller {
    ROLLER_NOT_ASKED,
    ROLLER_NOBODY, /* nobody performs it: the record decides */
    ROLLER_ANSWERED,
    ROLLER_REFUSES,
    ROLLER_WAITS,
    ROLLER_FAILED,
    ROLLERS
};

/* The fate of the file that is rolled. */
enum fact_plan {
    PLAN_RENAME,
    PLAN_KEEP,  /* it keeps its name, and the next file has another one */
    PLAN_GO_ON, /* the next file would have the same name, so the file goes on */
    PLANS
};

enum fact_target { TARGET_OPEN, TARGET_DONE /* it has its new name */, TARGETS };

/* How far to trust names in the ring: its owner may have forged them. */
enum fact_trust {
    TRUST_ALL,
    TRUST_RECORD /* this process appended the record; nothing else is trusted */,
    TRUST_NOTHING,
    TRUSTS
};

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

/* The expensive facts. Each question costs a system call or more, and some open a file. */
enum file_question {
    ASK_NOTHING,
    ASK_REDO,   /* compares all of the redo, or the bytes that are written next */
    ASK_NAME,   /* opens nothing */
    ASK_NAMED,  /* opens the file that has the noted name, if it is the noted one */
    ASK_FOLDER, /* searches its folder, and opens the noted file if it is there */
    ASK_COPY,   /* opens the file that has the noted name, if its bytes are the noted ones */
    ASK_MISSED,
    ASK_CONFIGURED, /* opens nothing */
    ASK_MOUNT,
    ASK_OWN,
    ASK_ROLLER, /* the roller may rename the file, so the answer comes with a new look at its name */
};

#endif
