/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/libblkid.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

#define NAME "libblkid.so.1"

static const char *const functions[] = {
#define FUNCTION_NAME(type, name, parameters) #name,
    LIBBLKID_FUNCTIONS(FUNCTION_NAME)};

_Static_assert(sizeof(struct libblkid) == sizeof(functions) / sizeof(functions[0]) * sizeof(void *), "a pointer each");

const struct libblkid *libblkid_load(const char *path) {
    static struct libblkid loaded;
    void *library = dlopen(NAME, RTLD_NOW);
    for (size_t i = 0; library != NULL && i < sizeof(functions) / sizeof(functions[0]); i++) {
        void *function = dlsym(library, functions[i]);
        if (function == NULL)
            library = NULL;
        memcpy((char *)&loaded + i * sizeof(function), &function, sizeof(function));
    }
    if (library != NULL)
        return &loaded;
    const char *why = dlerror();
    error_set(ENOPKG,
              "what is on %s cannot be told without " NAME " (%s); it is left as it is: install libblkid1 "
              "(Debian, Ubuntu) or libblkid (Alpine, Fedora, RHEL)",
              path, why == NULL ? "not found" : why);
    return NULL;
}
