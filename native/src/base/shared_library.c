/* SPDX-License-Identifier: Apache-2.0 */
#include "base/shared_library.h"

#include <dlfcn.h>
#include <string.h>

const char *shared_library_load(const char *file, const char *const *functions, size_t count, void *table) {
    void *library = dlopen(file, RTLD_NOW);
    for (size_t i = 0; library != NULL && i < count; i++) {
        void *const function = dlsym(library, functions[i]);
        library = function == NULL ? NULL : library;
        memcpy((char *)table + i * sizeof(function), &function, sizeof(function));
    }
    const char *const why = library == NULL ? dlerror() : NULL;
    return library != NULL ? NULL : why != NULL ? why : "not found";
}
