/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/library.h"

#include <errno.h>

#include "base/error.h"
#include "base/shared_library.h"

int library_load(const char *ring, const struct library *library, void *table) {
    const char *const why = shared_library_load(library->file, library->functions, library->function_count, table);
    return why == NULL ? 0
                       : error_set(ENOPKG,
                                   "rolled files of ring %s cannot be compressed without %s (%s): install %s, or leave "
                                   "compress out",
                                   ring, library->file, why, library->packages);
}
