/* SPDX-License-Identifier: Apache-2.0 */
/* Properties of every recovery, whatever its input. */
#ifndef BURST_TEST_FUZZ_ORACLE_H
#define BURST_TEST_FUZZ_ORACLE_H

#include "recovery/reader.h"

/* Runs recovery on the input, twice, and checks it and what a reader is shown. */
void check_recovery(const struct platform *platform, const struct recovery_input *input);

/* Checks a recovery that has run on this input. */
void check_recovered(const struct recovery_input *input, const struct recovery *recovery);

#endif
