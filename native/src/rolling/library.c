/* SPDX-License-Identifier: Apache-2.0 */
#include "rolling/library.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

#include "base/error.h"

int library_load(const char *ring, const struct library *library, void *table) {
    void *loaded = dlopen(library->file, RTLD_NOW);
    for (size_t i = 0; loaded != NULL && i < library->function_count; i++) {
        void *function = dlsym(loaded, library->functions[i]);
        loaded = function == NULL ? NULL : loaded;
        memcpy((char *)table + i * sizeof(function), &function, sizeof(function));
    }
    const char *why = loaded == NULL ? dlerror() : NULL;
    return loaded == NULL ? error_set(ENOPKG,
                                      "rolled files of ring %s cannot be compressed without %s (%s): install %s, or "
                                      "leave compress out",
                                      ring, library->file, why == NULL ? "not found" : why, library->packages)
                          : 0;
}
