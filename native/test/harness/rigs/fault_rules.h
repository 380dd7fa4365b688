/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the file system `faultfs` is told to do: a table in a file that the test and the daemon both map. A rule is
 * filled in while it is off; storing `on` last makes it seen whole.
 */
#ifndef BURST_TEST_FAULT_RULES_H
#define BURST_TEST_FAULT_RULES_H

#include <stdatomic.h>
#include <stdint.h>

#define FAULT_RULES 8

enum fault_operation {
    FAULT_READ = 1,
    FAULT_WRITE = 2,
    FAULT_FSYNC = 4,
    FAULT_TRUNCATE = 8,
    FAULT_OPEN = 16,
    FAULT_CREATE = 32,
    FAULT_RENAME = 64,
    FAULT_STAT = 128,
};

enum fault_action {
    FAULT_FAIL = 1,  /* with `error` */
    FAULT_SHORT,     /* writes `amount` bytes and says so */
    FAULT_STALL,     /* waits `amount` milliseconds or until the rule is off, then does as asked */
    FAULT_LOSE,      /* writes nothing and says all is written; a sync says success without syncing */
    FAULT_TEAR,      /* writes `amount` bytes and says all is written */
    FAULT_MISDIRECT, /* writes everything `amount` bytes further on */
    FAULT_OLD_DATA,  /* reads from the file <name>.old of the backing directory */
};

struct fault_rule {
    _Atomic uint32_t on;
    uint32_t operations; /* any of enum fault_operation */
    uint32_t action;
    int32_t error;
    uint64_t amount;
    uint64_t from, to; /* only reads and writes that touch these bytes; to = 0: all */
    uint64_t skip;     /* leaves the first ones alone */
    uint64_t count;    /* 0: for ever */
    char name[64];     /* of the file, without its folder; "": every file */
    _Atomic uint64_t seen;
    _Atomic uint64_t hits;
};

enum fault_cache {
    FAULT_CACHE_NONE = 0,   /* what is written stays */
    FAULT_CACHE_HONEST = 1, /* when the daemon is ended with SIGTERM, what was not synced is undone: a power cut */
    FAULT_CACHE_LYING = 2,  /* the same, and syncs and synchronous writes do not help */
    FAULT_CACHE_NO_FUA = 3, /* the same, and synchronous writes do not help; syncs do */
};

struct fault_control {
    _Atomic uint32_t cache;       /* enum fault_cache */
    _Atomic uint64_t sync_writes; /* writes that asked for synchronous completion */
    struct fault_rule rules[FAULT_RULES];
};

#endif
