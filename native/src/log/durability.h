/* SPDX-License-Identifier: Apache-2.0 */
/* Whether ring and log file survive what is asked for. */
#ifndef BURST_LOG_DURABILITY_H
#define BURST_LOG_DURABILITY_H

#include "device/host/survival.h"

/* What both survive together: enum burst_durability. */
int durability_weaker(const struct survival *one, const struct survival *other);

/* 0, or -EMEDIUMTYPE: ring and log file must each survive `wanted` (enum burst_durability), and a sentence names whichever
 * does not. */
int durability_check(int wanted, const char *ring, const struct survival *of_ring, const char *file_name,
                     const struct survival *of_file);

#endif
