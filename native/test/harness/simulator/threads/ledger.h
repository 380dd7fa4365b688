/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each writer's knowledge of its records, and so what the log files may hold. A payload names its writer, number and
 * length. For each writer the files hold a prefix of its records, less the refused ones, each once and in order. The
 * prefix reaches at least as far as the last record that was called durable. The record with sequence s is the s-th of
 * all.
 *
 *     the call's answer                                         the record
 *     a sequence (append), or 1 from await_durable/drained      DURABLE: is there
 *     a sequence (enqueue, offer), or -EINPROGRESS              ACCEPTED: is there if a later one of its writer is, or
 *                                                               if the watermark ever passed it; durable after close
 *     -EAGAIN, 0 (discarded), -ETIMEDOUT, -ESHUTDOWN,           REFUSED: never claimed, is not there
 *         -EIO of a ring that had failed before the call
 *     -EIO of a ring that failed meanwhile                      DOUBTFUL: there or not, at most once
 *     nothing yet: the crash came first                         OFFERED: as DOUBTFUL
 */
#ifndef BURST_TEST_SIMULATOR_LEDGER_H
#define BURST_TEST_SIMULATOR_LEDGER_H

#include "harness/simulator/world.h"

#define WRITERS_MAX 7u /* the last two write after a crash: one after the first, one after the second */
#define WRITER_AFTER_CRASH(level) (WRITERS_MAX - 3u + (level))
#define ENTRIES_MAX 40u
#define NAMED_BYTES_MIN 17u

enum fate { FATE_OFFERED, FATE_REFUSED, FATE_DOUBTFUL, FATE_ACCEPTED, FATE_DURABLE };

struct entry {
    uint32_t sequence; /* 0: none was given */
    uint16_t length;
    uint8_t fate;
};

struct writer {
    struct entry entries[ENTRIES_MAX];
    unsigned count;
    uint32_t last_sequence;
};

struct ledger {
    struct writer writers[WRITERS_MAX];
    uint64_t durable;  /* the highest sequence that the engine ever called durable */
    uint64_t at_least; /* the log must hold at least so many records ... */
    uint64_t at_most;  /* ... and, once a recovery settled it, at most so many; before: UINT64_MAX */
};

void ledger_reset(struct ledger *ledger);

/* Begins a call: makes the payload of the writer's next record and returns the record's number. */
unsigned ledger_offer(struct ledger *ledger, unsigned writer, uint32_t length, char *payload);
/* Notes the sequence that the record got; it must be above the writer's last one, and no other record's. */
void ledger_accept(struct world *world, struct ledger *ledger, unsigned writer, unsigned number, int64_t sequence,
                   enum fate fate);
void ledger_settle(struct ledger *ledger, unsigned writer, unsigned number, enum fate fate);
/* Notes that all records of the writer up to this sequence are durable. */
void ledger_durable_up_to(struct ledger *ledger, unsigned writer, int64_t sequence);
/* Notes that the engine calls all sequences below this one durable. */
void ledger_watermark(struct world *world, struct ledger *ledger, uint64_t next_sequence);
/* Notes that a close succeeded: all that was accepted is durable. */
void ledger_all_accepted_are_durable(struct ledger *ledger);

/* Notes that a recovery found `last` as the last sequence: later records are gone for ever, all others stay. */
void ledger_ends_with(struct ledger *ledger, uint64_t last);

/* The fewest and the most records that a recovery may find. */
uint64_t ledger_least(const struct ledger *ledger);
uint64_t ledger_most(const struct ledger *ledger);

/* Reads the log files back, when all is drained: `records` is the number of records in the log. */
void ledger_check_files(struct world *world, const struct ledger *ledger, uint64_t records);

#endif
