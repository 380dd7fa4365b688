/* SPDX-License-Identifier: Apache-2.0 */
/* The command declares the part of libblkid that it uses; this compares its declarations with libblkid's header. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "skip_with.h"

#if __has_include(<blkid/blkid.h>)
#include <blkid/blkid.h>
#include "cli/libblkid.h"

#define SAME(type, name, parameters)                                                                                   \
    _Static_assert(__builtin_types_compatible_p(__typeof__(((struct libblkid *)NULL)->name), __typeof__(&name)), #name);
LIBBLKID_FUNCTIONS(SAME)
_Static_assert(LIBBLKID_SUPERBLOCKS_LABEL == BLKID_SUBLKS_LABEL, "label");
_Static_assert(LIBBLKID_SUPERBLOCKS_UUID == BLKID_SUBLKS_UUID, "uuid");
_Static_assert(LIBBLKID_SUPERBLOCKS_TYPE == BLKID_SUBLKS_TYPE, "type");
_Static_assert(LIBBLKID_SUPERBLOCKS_MAGIC == BLKID_SUBLKS_MAGIC, "magic");
_Static_assert(LIBBLKID_PARTITIONS_FORCE_GPT == BLKID_PARTS_FORCE_GPT, "gpt");
_Static_assert(LIBBLKID_PARTITIONS_MAGIC == BLKID_PARTS_MAGIC, "magic of a table");
#define HAS_HEADER 1
#else
#define HAS_HEADER 0
#endif

static void functions_and_flags_are_those_of_the_header(void **state) {
    (void)state;
    if (!HAS_HEADER)
        SKIP_WITH("libblkid's header is not installed");
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(functions_and_flags_are_those_of_the_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
