/* SPDX-License-Identifier: Apache-2.0 */
/* Libraries of the host that are loaded when they are needed first. So library and command run on hosts without them. */
#ifndef BURST_BASE_SHARED_LIBRARY_H
#define BURST_BASE_SHARED_LIBRARY_H

#include <stddef.h>

/* Loads the library, which stays loaded. table: a pointer for each function, in their order. Returns NULL, or why not. */
const char *shared_library_load(const char *file, const char *const *functions, size_t count, void *table);

#endif
