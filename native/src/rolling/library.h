/* SPDX-License-Identifier: Apache-2.0 */
/* A library of the host that compresses, loaded when it is needed. So the engine runs on hosts without it, and no
 * compiler needs its header. */
#ifndef BURST_ROLLING_LIBRARY_H
#define BURST_ROLLING_LIBRARY_H

#include <stddef.h>

struct library {
    const char *file;     /* as the dynamic linker finds it */
    const char *packages; /* what to install, for the sentence */
    const char *const *functions;
    size_t function_count;
};

/* Fills a table of function pointers. Returns 0, or -ENOPKG with a sentence if the host has no such library. */
int library_load(const char *ring, const struct library *library, void *table);

#endif
