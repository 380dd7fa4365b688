/* SPDX-License-Identifier: Apache-2.0 */
/* Skips a test and prints why. */
#ifndef BURST_TEST_SKIP_WITH_H
#define BURST_TEST_SKIP_WITH_H

#include <stdio.h>

#define SKIP_WITH(...)                                                                                                 \
    do {                                                                                                               \
        fprintf(stderr, "SKIPPED %s: ", __func__);                                                                     \
        fprintf(stderr, __VA_ARGS__);                                                                                  \
        fputc('\n', stderr);                                                                                           \
        skip();                                                                                                        \
    } while (0)

#endif
