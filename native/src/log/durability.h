/* SPDX-License-Identifier: Apache-2.0 */
/* Whether ring and log file survive the losses that the configuration asks for. */
#ifndef BURST_LOG_DURABILITY_H
#define BURST_LOG_DURABILITY_H

#include "device/host/survival.h"
#include "log/config.h"

/* Returns 0 if ring and log file each survive `wanted` (enum burst_durability); else -EMEDIUMTYPE with a sentence that
 * names the one that does not. */
int durability_check(int wanted, const char *ring, const struct survival *of_ring, const char *file_name,
                     const struct survival *of_file);

/* Checks each place that the stream writes like durability_check. Lowers *least to the weakest class among them. */
int durability_check_stream(int wanted, const char *ring, const struct survival *of_ring,
                            const struct checked_stream *stream, uint32_t *least);

#endif
