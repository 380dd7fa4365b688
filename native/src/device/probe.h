/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a medium, from /sys, /proc and the kernel's calls: what it survives, and its blocks. */
#ifndef BURST_DEVICE_PROBE_H
#define BURST_DEVICE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "device/host/survival.h"

struct medium_facts {
    int survives;                          /* enum durability */
    char because[SURVIVAL_EVIDENCE_BYTES]; /* evidence: "tmpfs keeps its files in memory" */
    /* The block device has no volatile write cache, so a completed write is durable. */
    int write_through;
    uint32_t logical_block_bytes; /* 0: unknown (a file) */
    uint32_t physical_block_bytes;
};

/* Returns 1 if the block device uses no volatile write cache; 0 if it does, or if nobody can know. */
int medium_is_write_through(dev_t number);

/* Fills the facts about the open file or block device. Never fails: `because` says what cannot be known. */
void medium_probe(int fd, struct medium_facts *facts);

#define MEDIUM_HOLDERS_BYTES 512

/* Writes the processes that hold a write lock on the file of `fd`, or have its device open for writing by any node, as
 * "1234 (java)"; "" if it sees none. Leaves out fd itself, and waits for no file system. Returns 1 if it has looked at each
 * process of the host; 0: others may hold it, which this user may not look at, or which are not in its PID namespace. */
int medium_holders(int fd, char *text, size_t text_bytes);

/* Like medium_holders, for a block device. */
void block_holders(dev_t number, char *text, size_t text_bytes);

#endif
