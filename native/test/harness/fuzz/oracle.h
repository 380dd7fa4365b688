/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for every recovery, whatever it was given. */
#ifndef BURST_TEST_FUZZ_ORACLE_H
#define BURST_TEST_FUZZ_ORACLE_H

#include "recovery/reader.h"

/* Runs recovery on the input, twice, and asserts what must hold of it and of what a reader is shown. */
void check_recovery(const struct platform *platform, const struct recovery_input *input);

/* The same of a recovery that was run on the input. */
void check_recovered(const struct recovery_input *input, const struct recovery *recovery);

#endif
