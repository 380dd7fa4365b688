/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGBUS in a mapping means that the file was cut, the memory has an error, or the device is gone. The handler counts
 * the page as lost and puts an empty one in its place, and the thread that touched it goes on. Any other SIGBUS goes
 * to the handler that was there before: in a JVM to the JVM's.
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
    size_t page_bytes;             /* size of a page: the handler replaces so many bytes at a time */
    int protection;                /* PROT_READ, PROT_WRITE: protection of the empty pages */
    int owner;                     /* the process that mapped it: a forked child may have another mapping there */
    _Atomic uint32_t *lost_pages;  /* number of lost pages; raised before a page goes */
    _Atomic uint8_t *page_is_lost; /* one byte for each page */
};

/* Allocates page_is_lost, and installs the handler if it is not installed. Returns 0; -ENOMEM; -EUSERS if
 * GUARDED_RANGES_MAX ranges are under guard; or the -errno of sigaction. */
int bus_fault_guard(struct guarded_range *range);

/* The owner calls this before it unmaps or replaces the mapping. When it returns, no handler looks at the range any
 * more. */
void bus_fault_release(struct guarded_range *range);

/* Whether any of these bytes lies on a lost page. */
int bus_fault_has_lost(const struct guarded_range *range, uint64_t offset, size_t bytes);

#endif
