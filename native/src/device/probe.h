/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a medium, from /sys, /proc and statfs: what it survives, and its blocks. */
#ifndef BURST_DEVICE_PROBE_H
#define BURST_DEVICE_PROBE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct medium_facts {
    int survives;              /* enum burst_durability */
    char because[160];         /* evidence: "tmpfs keeps its files in memory" */
    int write_through;         /* a block device without a volatile write cache: a completed write is durable */
    uint32_t logical_block_bytes;  /* 0 if unknown (a file) */
    uint32_t physical_block_bytes;
};

/* Facts about the open file or block device. Follows a loop device to its backing file, and a file to the device of
 * its file system. Never fails: what cannot be known is said in `because`. */
void medium_probe(int fd, struct medium_facts *facts);

/* "tmpfs" or another file system that keeps the open file in memory; NULL if it lies on none. */
const char *probe_memory_file_system(int fd);

/* Writes the pids that hold the file or device `fd` refers to open for writing, other than through fd itself, as
 * "1234 (java)", whichever node they opened it by; "" if none can be seen. */
void medium_holders(int fd, char *text, size_t text_bytes);

#endif
