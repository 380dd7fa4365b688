/* SPDX-License-Identifier: Apache-2.0 */
/* The engine declares the part of zlib that it uses; this compares its declarations with zlib's header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "skip_with.h"

#if __has_include(<zlib.h>)
#include <zlib.h>
#include "rolling/gzip.h"

#define SAME(type, name, parameters)                                                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct gzip *)NULL)->name), __typeof__(&name)), #name);
GZIP_FUNCTIONS(SAME)
_Static_assert(Z_OK == 0, "gzclose");
#define HAS_HEADER 1
#else
#define HAS_HEADER 0
#endif

static void functions_are_those_of_the_header(void **state) {
    (void)state;
    if (!HAS_HEADER) {
        SKIP_WITH("zlib's header is not installed");
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_are_those_of_the_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
