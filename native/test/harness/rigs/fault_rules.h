/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Orders for the file system `faultfs`: a table in a file that test and daemon both map. A test fills a rule in while
 * it is off; the daemon sees all of it, since `on` is stored last.
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
    FAULT_SHORT,     /* writes `amount` bytes and reports so */
    FAULT_STALL,     /* waits `amount` milliseconds, or until the rule is off; then works as usual */
    FAULT_LOSE,      /* writes nothing and reports all as written; a sync succeeds without syncing */
    FAULT_TEAR,      /* writes `amount` bytes and reports all as written */
    FAULT_MISDIRECT, /* writes everything `amount` bytes too far behind */
    FAULT_OLD_DATA,  /* reads from the file <name>.old of the backing directory */
};

struct fault_rule {
    _Atomic uint32_t on;
    uint32_t operations; /* a set of enum fault_operation */
    uint32_t action;
    int32_t error;
    uint64_t amount;
    uint64_t from, to; /* only for reads and writes that touch these bytes; to = 0: for all */
    uint64_t skip;     /* leaves the first so many alone */
    uint64_t count;    /* 0: for ever */
    char name[64];     /* the file's name without its folder; "": every file */
    _Atomic uint64_t seen;
    _Atomic uint64_t hits;
};

enum fault_cache {
    FAULT_CACHE_NONE = 0,   /* no cache: writes stay */
    FAULT_CACHE_HONEST = 1, /* SIGTERM cuts the power: the daemon undoes writes that were not synced */
    FAULT_CACHE_LYING = 2,  /* the same, and neither syncs nor synchronous writes help */
    FAULT_CACHE_NO_FUA = 3, /* the same, and synchronous writes do not help; syncs do */
};

struct fault_control {
    _Atomic uint32_t cache;       /* enum fault_cache */
    _Atomic uint64_t sync_writes; /* writes that asked for synchronous completion */
    struct fault_rule rules[FAULT_RULES];
};

#endif
