/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/libblkid.h"

#include <errno.h>
#include <stddef.h>

#include "base/error.h"
#include "base/shared_library.h"

#define NAME "libblkid.so.1"

static const char *const functions[] = {
#define FUNCTION_NAME(type, name, parameters) #name,
    LIBBLKID_FUNCTIONS(FUNCTION_NAME)};

_Static_assert(sizeof(struct libblkid) == sizeof(functions) / sizeof(functions[0]) * sizeof(void *), "a pointer each");

const struct libblkid *libblkid_load(const char *path) {
    static struct libblkid loaded;
    const char *const why = shared_library_load(NAME, functions, sizeof(functions) / sizeof(functions[0]), &loaded);
    if (why == NULL) {
        return &loaded;
    }
    error_set(ENOPKG,
              "what is on %s cannot be told without " NAME " (%s); it is left as it is: install libblkid1 "
              "(Debian, Ubuntu) or libblkid (Alpine, Fedora, RHEL)",
              path, why);
    return NULL;
}
