/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of fuzz-make-seeds. */
#ifndef BURST_TEST_FUZZ_SEEDS_H
#define BURST_TEST_FUZZ_SEEDS_H

#include <stddef.h>

/* Writes the input into the corpus of the target. */
void write_seed(const char *target, const char *name, const void *bytes, size_t length);

void exchange_seeds(void);
void signed_seeds(void);

#endif
