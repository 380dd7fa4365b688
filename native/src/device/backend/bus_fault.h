/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGBUS in a mapping: the file was cut, the memory has an error, the device is gone. The page is replaced by an empty
 * one, so that the thread that touched it goes on, and is counted as lost. Any other SIGBUS goes to the handler that
 * was there before: in a JVM that is the JVM's.
 */
#ifndef BURST_DEVICE_BUS_FAULT_H
#define BURST_DEVICE_BUS_FAULT_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#define GUARDED_RANGES_MAX 64

/* A mapping under guard. The owner sets all but `owner` and page_is_lost. */
struct guarded_range {
    uint8_t *base;
    size_t bytes;
    size_t page_bytes;             /* what can be replaced at a time */
    int protection;                /* of the pages that take the place of others: PROT_READ, PROT_WRITE */
    int owner;                     /* the process: a forked child has no such mapping, but perhaps another one there */
    _Atomic uint32_t *lost_pages;  /* counts them; raised before the page goes */
    _Atomic uint8_t *page_is_lost; /* one for each page */
};

/* Allocates page_is_lost, and installs the handler if it is not yet. 0, -ENOMEM, or -EUSERS: GUARDED_RANGES_MAX are
 * under guard; or what sigaction gives. */
int bus_fault_guard(struct guarded_range *range);

/* To be called before the mapping goes or is replaced. When it returns, no handler looks at the range any more. */
void bus_fault_release(struct guarded_range *range);

/* Whether a page that the bytes at this offset touch was lost. */
int bus_fault_has_lost(const struct guarded_range *range, uint64_t offset, size_t bytes);

#endif
