/* SPDX-License-Identifier: Apache-2.0 */
/* Whether ring and log file survive what is asked for. */
#ifndef BURST_LOG_DURABILITY_H
#define BURST_LOG_DURABILITY_H

#include "device/host/survival.h"
#include "log/config.h"

/* 0, or -EMEDIUMTYPE: ring and log file must each survive `wanted` (enum burst_durability), and a sentence names whichever
 * does not. */
int durability_check(int wanted, const char *ring, const struct survival *of_ring, const char *file_name,
                     const struct survival *of_file);

/* As durability_check, of each place that the stream writes; *least becomes what the weakest of them survives, if that is
 * less. */
int durability_check_stream(int wanted, const char *ring, const struct survival *of_ring,
                            const struct checked_stream *stream, uint32_t *least);

#endif
