/* SPDX-License-Identifier: Apache-2.0 */
/* Text that the lines have which a reader wants. A source may pass over other lines without giving them one by one: that
 * is what makes a search as fast as the memory. */
#ifndef BURST_READ_NEEDLE_H
#define BURST_READ_NEEDLE_H

#include <stddef.h>
#include <stdint.h>

#include "burstlog.h"

struct read_needle {
    const char *text; /* without a newline */
    size_t length;    /* at least 1 */
    uint64_t passed;  /* lines that a source has passed over */
};

/* Lines without the needle need not be given any more. It outlives the reader. */
void read_set_needle(burst_reader_t *reader, struct read_needle *needle);

/* Passes over whole lines of the text that lack the needle, and counts them. Returns their bytes. *is_found: the line
 * behind them has it. */
size_t needle_pass(struct read_needle *needle, const uint8_t *text, size_t bytes, int *is_found);

#endif
